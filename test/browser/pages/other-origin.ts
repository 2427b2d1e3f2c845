/** What a page of another origin does with an API: by the client, by `fetch`, by `EventSource` and by a socket. */
import { createClient, Refused } from '../../../src/client';

declare class EventSource {
  constructor(url: string, options: { withCredentials: boolean });
  readonly readyState: number;
  onerror: () => void;
  onopen: () => void;
  addEventListener(type: string, listener: (event: { data: string; lastEventId: string }) => void): void;
}

interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
  mode?: 'no-cors';
}
declare function fetch(url: string, init?: Init): Promise<Response>;
interface Pending {
  items: { toolCallId: string }[];
}

const TOKEN = 'YW5u';
const headers = { authorization: `Bearer ${TOKEN}` };
type Answered = { kind: 'client-tool-result'; toolCallId: string; result: { picked: string } };
const answerTo = (items: readonly { toolCallId: string }[]): Answered => ({
  kind: 'client-tool-result',
  toolCallId: items[0]?.toolCallId ?? '',
  result: { picked: 'a' },
});

/** Follows a run over a wait to its end, and answers what it waits for. */
async function byClient(base: string, address: string, message: string, over: 'sse' | 'socket') {
  const client = createClient({ baseUrl: base, token: () => TOKEN });
  await client.start(address, { message });
  const sequences: number[] = [];
  const rests: string[] = [];
  const stay = async () => {
    rests.push('suspended');
    await client.answer(address, answerTo((await client.pending(address)).items));
    return true;
  };
  for await (const event of client.follow(address, { over, stay })) {
    if (event.type === 'chunk') sequences.push(event.entry.sequence);
    if (event.type === 'rest') rests.push(event.status);
  }
  await client.writeFile(address, 'a.txt', new Blob(['hello']));
  const file = await (await client.readFile(address, 'a.txt')).text();
  await client.removeFile(address, 'a.txt');
  const refused = await client.status(`${address}-none`).catch((error: unknown) => error);
  return { sequences, rests, file, refused: refused instanceof Refused ? { ...refused } : undefined };
}

/** What a page can read of answers, by its own `fetch`. */
async function byFetch(base: string, address: string) {
  const ask = async (path: string, init: Init = {}) => {
    const response = await fetch(`${base}${path}`, { headers, ...init });
    const names = ['x-request-id', 'etag', 'content-range', 'www-authenticate', 'content-disposition'];
    const read = names.filter((name) => response.headers.get(name) !== null);
    await response.text();
    return [response.status, ...read];
  };
  const put = {
    method: 'PUT',
    headers: { ...headers, 'if-none-match': '*', 'content-type': 'text/plain' },
    body: 'hello',
  };
  return {
    put: await ask(`${address}/files/b.txt`, put),
    part: await ask(`${address}/files/b.txt`, { headers: { ...headers, range: 'bytes=1-2' } }),
    removed: await ask(`${address}/files/b.txt`, { method: 'DELETE' }),
    none: await ask('/nothing'),
    unauthorized: await ask(`${address}/status`, { headers: { authorization: 'Bearer another' } }),
    cookie: await ask(`${address}/status`, { headers: {}, credentials: 'include' }),
  };
}

/** Follows a run by `EventSource` until that is closed for good, and answers what it waits for. */
async function byEventSource(base: string, address: string, message: string, query: string) {
  const init = { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' } } as const;
  const post = (path: string, body: object) =>
    fetch(`${base}${address}${path}`, { ...init, body: JSON.stringify(body) });
  await post('/start', { message });
  const sequences: number[] = [];
  const ends: string[] = [];
  let opened = 0;
  await new Promise<void>((resolve) => {
    const source = new EventSource(`${base}${address}/stream${query}`, { withCredentials: true });
    source.onopen = () => {
      opened += 1;
    };
    source.addEventListener('message', ({ lastEventId }) => sequences.push(Number(lastEventId)));
    source.addEventListener('end', async ({ data }) => {
      const { status } = JSON.parse(data);
      ends.push(status);
      if (!status.startsWith('suspended')) return;
      const pending = await fetch(`${base}${address}/pending`, { credentials: 'include' });
      await post('/tool-results', answerTo((await pending.json<Pending>()).items));
    });
    source.onerror = () => {
      if (source.readyState === 2) resolve();
    };
  });
  return { sequences, ends, opened };
}

/** What each try comes to of a page that is not allowed. */
async function tries(base: string, address: string) {
  const ask = (init: Init, path = '/status') =>
    fetch(`${base}${address}${path}`, init).then(
      ({ status, type }) => `${type} ${status}`,
      () => 'refused',
    );
  const opened = (target: { addEventListener(type: 'open' | 'error', listener: () => void): void }) =>
    new Promise<string>((resolve) => {
      target.addEventListener('open', () => resolve('open'));
      target.addEventListener('error', () => resolve('refused'));
    });
  const body = JSON.stringify({ message: 'Go.' });
  return {
    read: await ask({ headers }),
    plain: await ask({ credentials: 'include' }),
    opaque: await ask({ mode: 'no-cors', credentials: 'include' }),
    start: await ask(
      { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } },
      '-evil/start',
    ),
    simple: await ask({ method: 'POST', mode: 'no-cors', body, credentials: 'include' }, '-evil/start'),
    events: await opened(new EventSource(`${base}${address}/stream`, { withCredentials: true })),
    socket: await opened(new WebSocket(`${base.replace('http', 'ws')}${address}`, ['offshoot', TOKEN])),
  };
}

Object.assign(globalThis, { page: { byClient, byFetch, byEventSource, tries } });
