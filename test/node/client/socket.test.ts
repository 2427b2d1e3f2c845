/** Following over a socket, against a server of this process that has faults on request. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createClient, Refused, Unreachable } from '../../../src/client';
import { socketSource } from '../../../src/client/socket-source';
import type { JsonObject } from '../../../src/protocol/json';
import { isAtRest } from '../../../src/protocol/status';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { emptyView } from '../../../src/protocol/view/view';
import { deskLog } from '../../support/log';
import { portOf } from '../../support/ports';
import { present } from '../../support/present';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const { entries } = deskLog();
const whole = reduceAll(entries);
const inOrder = entries.map(({ sequence }) => sequence);
const chunk = ({ sequence, chunk: body }: (typeof entries)[number]) => ({
  type: 'offshoot.chunk',
  sequence,
  chunk: body,
});
const atRest = { status: 'completed', lastSequence: entries.length };

/** What one connection does beside telling the log from where it was asked. */
interface Fault {
  /** Sends so many chunks, then breaks the line. */
  readonly cutAfter?: number;
  /** Sends two chunks, then closes in order with this code. */
  readonly closesWith?: number;
  /** Sends so many chunks, then nothing more, also no answers. */
  readonly deadAfter?: number;
  /** Sends all of it so often over. */
  readonly again?: number;
  /** Makes each frame of the log longer, by a field that nobody knows. */
  readonly padding?: string;
  /** Tells that the log begins here now. */
  readonly resetTo?: number;
  /** Sends this instead of the log, and breaks the line. */
  readonly says?: string;
}

async function socketServer(faults: Fault[] = []) {
  const asked: number[] = [];
  const protocols: string[][] = [];
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: (given) => {
      protocols.push([...given]);
      return 'offshoot';
    },
  });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => {
    const fault = faults.shift() ?? {};
    let dead = false;
    const say = (frame: object) => socket.send(JSON.stringify(frame));
    socket.on('message', (data) => {
      const frame: JsonObject = JSON.parse(String(data));
      if (dead) return;
      if (frame.type === 'offshoot.call') return say({ type: 'offshoot.result', id: frame.id, ok: true, body: atRest });
      const from = Number(frame.from);
      asked.push(from);
      if (fault.says !== undefined) return socket.send(fault.says, () => socket.terminate());
      if (fault.resetTo !== undefined) return say({ type: 'offshoot.reset', from: fault.resetTo });
      const rest = entries.slice(from - 1);
      const most = fault.closesWith !== undefined ? 2 : (fault.cutAfter ?? fault.deadAfter ?? rest.length);
      for (let time = 0; time < (fault.again ?? 1); time += 1)
        for (const entry of rest.slice(0, most)) say({ ...chunk(entry), padding: fault.padding });
      if (fault.closesWith !== undefined) return socket.close(fault.closesWith);
      if (fault.cutAfter !== undefined) return socket.terminate();
      dead = fault.deadAfter !== undefined;
      if (dead) return;
      say({ type: 'offshoot.up-to-date', sequence: entries.length });
      say({ type: 'offshoot.status', status: atRest });
    });
  });
  const url = `http://127.0.0.1:${portOf(server)}`;
  const close = async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, asked, protocols, clients: server.clients, [Symbol.asyncDispose]: close };
}

/** The status document goes over HTTP, where this server has none: the client tries again. */
const noHttp = async () => new Response('not here', { status: 502 });

async function read(
  server: { url: string },
  options: { stallMs?: number; token?: string | (() => string); slow?: () => Promise<void>; fetch?: typeof fetch } = {},
) {
  const { slow, token, fetch = noHttp, ...rest } = options;
  const waits: number[] = [];
  let now = 0;
  const wait = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  const client = createClient({
    baseUrl: server.url,
    fetch,
    WebSocket,
    clock: { now: () => now, wait },
    ...(token === undefined ? {} : { token }),
  });
  const sequences: number[] = [];
  let view = emptyView;
  let status = '';
  for await (const next of client.watch(ADDRESS, { over: 'socket', ...rest })) {
    if (next.event.type === 'chunk') sequences.push(next.event.entry.sequence);
    if (next.event.type === 'rest') status = next.event.status;
    view = next.view;
    await slow?.();
  }
  return { sequences, view, status, waits };
}

describe('the socket of a page', () => {
  it.each([
    ['', 'https://agents.example/page?x', undefined, 'wss://agents.example/agents/a/b'],
    ['/ai', 'http://localhost:8787/', 'http://localhost:8787/', 'ws://localhost:8787/ai/agents/a/b'],
    ['http://other.example', 'https://agents.example/', undefined, 'ws://other.example/agents/a/b'],
    // With a `<base>`, `fetch` asks the server of that, too.
    ['', 'https://pages.example/', 'https://agents.example/app/', 'wss://agents.example/agents/a/b'],
  ])('[J15] of the base %j at %s (%s) has the URL %s', async (baseUrl, href, baseURI, url) => {
    vi.stubGlobal('location', { href });
    if (baseURI !== undefined) vi.stubGlobal('document', { baseURI });
    onTestFinished(() => void vi.unstubAllGlobals());
    const opened: string[] = [];
    class Socket {
      constructor(given: string) {
        opened.push(given);
        throw new SyntaxError('The URL is refused.');
      }
    }
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (given) => {
      asked.push(String(given));
      return new Response('event: end\ndata: {"status":"completed"}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      });
    };
    const client = createClient({ baseUrl, fetch, WebSocket: Socket as never });
    const told: unknown[] = [];
    for await (const event of client.follow('/agents/a/b', { over: 'socket' })) told.push(event);
    expect(told).toEqual([{ type: 'connection' }, { type: 'rest', status: 'completed' }]);
    expect([opened, asked]).toEqual([[url], [`${baseUrl}/agents/a/b/stream?from=1`]]);
  });
});

describe('following over a socket', () => {
  it.each([
    [4401, 401, 'unauthorized'],
    [4403, 403, 'forbidden'],
  ])(
    '[J8] closed with %i, where the right was taken away, ends with %i and does not come back',
    async (closesWith, status, code) => {
      await using server = await socketServer([{ closesWith }]);
      const refused = await read(server).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect(refused).toMatchObject({ status, code });
      expect(server.asked).toEqual([1]);
    },
  );

  it('[J13] closed with 4401 is opened once more with a fresh token, and goes on where it was', async () => {
    await using server = await socketServer([{ closesWith: 4401 }]);
    const tokens = ['first', 'second'];
    const token = () => tokens.shift() ?? 'none left';
    expect(await read(server, { token })).toMatchObject({ sequences: inOrder, status: 'completed' });
    expect(server.asked).toEqual([1, 3]);
    const sent = server.protocols.map(([, secret = '']) => Buffer.from(secret.slice('base64url.'.length), 'base64url'));
    expect(sent.map(String)).toEqual(['first', 'second']);
  });

  it('[J13] closed with 4403 is not opened again, whatever gives its token', async () => {
    await using server = await socketServer([{ closesWith: 4403 }]);
    await expect(read(server, { token: () => 'a' })).rejects.toMatchObject({ status: 403 });
    expect(server.asked).toEqual([1]);
  });

  it('[J13] that does not open ends where a fresh token is refused over HTTP, too', async () => {
    await using server = await socketServer([{ says: '{"type":"cf_agent_identity"}' }]);
    const tokens = ['t1', 't2', 't3', 't4'];
    const token = () => tokens.shift() ?? 'none left';
    const fetch = async () => new Response('{"code":"unauthorized","title":"No."}', { status: 401 });
    await expect(read(server, { token, fetch })).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    // One for the socket, one for the status, and a fresh one.
    expect(tokens).toEqual(['t4']);
  });

  it('[J8] ends with a refusal where the agent was removed meanwhile, and does not come back', async () => {
    await using server = await socketServer([{ closesWith: 1001 }]);
    const gone = async () => new Response('{"code":"gone","title":"Gone."}', { status: 410 });
    const refused = await read(server, { fetch: gone }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ status: 410, code: 'gone' });
    expect(server.asked).toEqual([1]);
  });

  it('[J8] gives up after a minute where no socket opens, also while the server answers over HTTP', async () => {
    await using server = await socketServer();
    const status = async () => new Response('{"status":"running","lastSequence":9}', { status: 200 });
    const closed = { url: server.url };
    await server[Symbol.asyncDispose]();
    await expect(read(closed, { fetch: status })).rejects.toBeInstanceOf(Unreachable);
  });

  it('[J2] gives each chunk once and in order, and ends with the status when all was told', async () => {
    await using server = await socketServer();
    expect(await read(server)).toMatchObject({ sequences: inOrder, view: whole, status: 'completed', waits: [] });
    expect(server.asked).toEqual([1]);
    await vi.waitFor(() => expect(server.clients.size).toBe(0));
  });

  it('[J2] a line that breaks after each single chunk loses nothing and repeats nothing', async () => {
    await using server = await socketServer(entries.map(() => ({ cutAfter: 1 })));
    expect(await read(server)).toMatchObject({ sequences: inOrder, view: whole, status: 'completed' });
    expect(server.asked).toEqual([...inOrder, entries.length + 1]);
  });

  it('[J2] a line that is dead without a word is left, and another one goes on', async () => {
    await using server = await socketServer([{ deadAfter: 5 }]);
    expect(await read(server, { stallMs: 300 })).toMatchObject({ sequences: inOrder, status: 'completed' });
    expect(server.asked).toEqual([1, 6]);
  });

  it('[J2] what a server sends again is not told again, and a reset voids what was held', async () => {
    await using server = await socketServer([{ again: 3 }, { cutAfter: 4 }, { resetTo: 11 }]);
    expect(await read(server)).toMatchObject({ sequences: inOrder, view: whole });
    const after = await read(server);
    expect(after.sequences).toEqual([1, 2, 3, 4, ...inOrder.slice(10)]);
  });

  it('[J3] a reader that is slow holds 8 million characters at most, and misses nothing', async () => {
    const padding = 'x'.repeat(2_000);
    const size = JSON.stringify(entries.map((entry) => ({ ...chunk(entry), padding }))).length;
    const floods = Math.ceil((3 * 8_388_608) / size);
    await using server = await socketServer([{ again: floods, padding }]);
    // What comes meanwhile is more than is kept: the line is closed, and opened again where the reader is.
    let closed: Promise<void> | undefined;
    const slow = () => {
      closed ??= vi.waitFor(() => expect(server.clients.size).toBe(0), { timeout: 60_000 });
      return closed;
    };
    expect(await read(server, { slow })).toMatchObject({ sequences: inOrder, status: 'completed' });
    expect(server.asked.length).toBe(2);
  });

  it('[J3] a reader that keeps up stays on one line, however much comes by it', async () => {
    const frame = { ...chunk(present(entries[0])), padding: 'x'.repeat(1_048_576) };
    const listeners = new Map<string, (event: { readonly data: unknown; readonly code: number }) => void>();
    let closes = 0;
    class Line {
      readyState = 1;
      send() {}
      close() {
        this.readyState = 3;
        closes += 1;
      }
      addEventListener(type: string, listener: (event: { readonly data: unknown; readonly code: number }) => void) {
        listeners.set(type, listener);
      }
    }
    const signal = new AbortController();
    const api = { base: 'http://agents.test', fetch: noHttp };
    const request = {
      address: ADDRESS,
      from: 1,
      deltas: true,
      staysOpen: true,
      stallMs: 60_000,
      signal: signal.signal,
    };
    const events = socketSource(api, Line)(request);
    let next = events.next();
    await vi.waitFor(() => expect(listeners.size).toBe(4));
    listeners.get('open')?.({ data: '', code: 0 });
    for (let at = 0; at < 20; at += 1) {
      listeners.get('message')?.({ data: JSON.stringify(frame), code: 0 });
      expect(await next).toEqual({ done: false, value: { kind: 'alive' } });
      expect(await events.next()).toMatchObject({ done: false, value: { kind: 'chunk', sequence: 1 } });
      next = events.next();
    }
    expect(closes).toBe(0);
    listeners.get('close')?.({ data: '', code: 1_000 });
    expect(await next).toMatchObject({ done: true });
  });

  const documents = (['completed', 'failed', 'idle', 'running', 'suspended_client_tool'] as const).flatMap((status) =>
    [0, 3, 4, 5].flatMap((lastSequence) =>
      (['status', 'result'] as const).map((by) => [status, lastSequence, by] as const),
    ),
  );
  it.each(documents)(
    '[J2] a rest is told with all before it: %s at %i of 4, by a frame %s',
    async (status, lastSequence, by) => {
      const listeners = new Map<string, (event: { readonly data: unknown; readonly code: number }) => void>();
      class Line {
        readyState = 1;
        send() {}
        close() {}
        addEventListener(type: string, listener: (event: { readonly data: unknown; readonly code: number }) => void) {
          listeners.set(type, listener);
        }
      }
      const { signal } = new AbortController();
      const how = { address: ADDRESS, deltas: true, staysOpen: true, stallMs: 60_000, signal };
      const document = { status, lastSequence };
      const frame =
        by === 'status'
          ? { type: 'offshoot.status', status: document }
          : { type: 'offshoot.result', id: 'alive', ok: true, body: document };
      // The fourth came on this line, or on one before.
      for (const from of [4, 5]) {
        const events = socketSource({ base: 'http://agents.test', fetch: noHttp }, Line)({ ...how, from });
        let next = events.next();
        await vi.waitFor(() => expect(listeners.size).toBe(4));
        const told: unknown[] = [];
        for (const one of [...(from === 4 ? [chunk(present(entries[3]))] : []), frame])
          listeners.get('message')?.({ data: JSON.stringify(one), code: 0 });
        listeners.get('close')?.({ data: '', code: 1_000 });
        for (;;) {
          const { done, value } = await next;
          if (done) break;
          if (value.kind === 'rest') told.push(value);
          next = events.next();
        }
        expect(told).toEqual(isAtRest(status) && lastSequence <= 4 ? [{ kind: 'rest', status }] : []);
        listeners.clear();
      }
    },
  );

  it('[J2] a token goes beside the protocol, in letters that one may have; frames of others are read over', async () => {
    const other = `{"type":"cf_agent_state","state":1}`;
    await using server = await socketServer([{ says: other }]);
    const token = 'a/b+c==é';
    expect(await read(server, { token })).toMatchObject({ sequences: inOrder });
    const [, secret = ''] = server.protocols[0] ?? [];
    expect(server.protocols[0]?.[0]).toBe('offshoot');
    expect(Buffer.from(secret.slice('base64url.'.length), 'base64url').toString()).toBe(token);
  });
});
