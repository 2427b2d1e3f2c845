/** Requests of each method of the client: its address, its parameters, its body and its key, whole. */
import { expect, it } from 'vitest';
import { createClient, Refused } from '../../../src/client';
import { messagePlace } from '../../../src/client/message-place';

const AT = '/agents/top/one';

/** The one request of a method. */
async function sentBy(method: string, ...given: readonly unknown[]) {
  const sent: unknown[] = [];
  const client = createClient({
    baseUrl: 'http://x/p/',
    token: 't',
    fetch: async (url, init) => {
      const {
        'idempotency-key': key,
        authorization,
        accept,
        ...headers
      } = Object.fromEntries(new Headers(init?.headers));
      expect([authorization, accept]).toEqual(['Bearer t', expect.any(String)]);
      const { body } = init ?? {};
      const read = typeof body === 'string' ? JSON.parse(body) : body;
      sent.push([init?.method, String(url).replace('http://x/p', ''), key, read ?? undefined, headers]);
      return Response.json({ items: [] });
    },
  });
  const call: unknown = Reflect.get(client, method);
  if (typeof call !== 'function') throw new Error(`There is no method ${method}.`);
  const answer: unknown = await call.apply(client, given);
  if (answer instanceof Response) await answer.body?.cancel();
  expect(sent).toHaveLength(1);
  return sent[0];
}

const JSON_TYPE = { 'content-type': 'application/json' };
const body = { message: 'x', list: [1] };

it.each<[method: string, path: string, isOptional?: boolean]>([
  ['start', 'start'],
  ['send', 'messages'],
  ['fork', 'fork'],
  ['answer', 'tool-results'],
  ['createToken', 'tokens'],
  ...['interrupt', 'abort', 'terminate', 'resume', 'retry'].map((name): [string, string, boolean] => [
    name,
    name,
    true,
  ]),
  ['createTicket', 'tickets', true],
])('[J6] %s sends its body as it is, with its key, or one of its own', async (method, path, isOptional = false) => {
  const request = ['POST', `${AT}/${path}`];
  expect(await sentBy(method, AT, body, { idempotencyKey: 'k' })).toEqual([...request, 'k', body, JSON_TYPE]);
  const key = expect.stringMatching(/^[\da-f]{32}$/);
  expect(await sentBy(method, AT, body)).toEqual([...request, key, body, JSON_TYPE]);
  if (isOptional) expect(await sentBy(method, AT)).toEqual([...request, key, {}, JSON_TYPE]);
});

it.each<[method: string, path: string, given: readonly unknown[], sent?: unknown]>([
  ['giveVariables', 'variables/a%2Fb', ['a/b', { env: { A: '1' } }], { env: { A: '1' } }],
  ['shareDocument', 'shared-documents', ['a/b'], { document: 'a/b' }],
])('[J6] %s sends what it was given, with its key', async (method, path, given, sent) => {
  const request = await sentBy(method, AT, ...given, { idempotencyKey: 'k' });
  expect(request).toEqual(['POST', `${AT}/${path}`, 'k', sent, JSON_TYPE]);
});

it.each([
  ['remove', ''],
  ['removeFile', '/files/a%2Fb'],
  ['cancelMessage', '/messages/a%2Fb'],
  ['removeDocument', '/documents/a%2Fb'],
  ['unshareDocument', '/shared-documents/a%2Fb'],
  ['revokeToken', '/tokens/a%2Fb'],
])('[J6] %s sends no body, and its key', async (method, path) => {
  const given = path === '' ? [AT] : [AT, 'a/b'];
  expect(await sentBy(method, ...given, { idempotencyKey: 'k' })).toEqual([
    'DELETE',
    `${AT}${path}`,
    'k',
    undefined,
    {},
  ]);
  const key = expect.stringMatching(/^[\da-f]{32}$/);
  expect(await sentBy(method, ...given)).toEqual(['DELETE', `${AT}${path}`, key, undefined, {}]);
});

const PAGE = { cursor: 'c d', limit: 3 };
const PAGED = '?cursor=c+d&limit=3';
it.each<[method: string, given: readonly unknown[], path: string]>([
  ...['runs', 'children', 'messages', 'calls', 'logs', 'checkpoints', 'audit', 'schedules', 'pending', 'tokens'].map(
    (name): [string, unknown[], string] => [name, [AT, PAGE], `${AT}/${name}${PAGED}`],
  ),
  ...['runs', 'files', 'chunks', 'tokens', 'tree', 'usage', 'status', 'state', 'limits', 'documents'].map(
    (name): [string, unknown[], string] => [name, [AT], `${AT}/${name}`],
  ),
  ['files', [AT, { ...PAGE, prefix: 'a/' }], `${AT}/files${PAGED}&prefix=a%2F`],
  [
    'chunks',
    [AT, { from: 1, before: 0, limit: 3, types: ['a', 'b'] }],
    `${AT}/chunks?from=1&before=0&limit=3&types=a%2Cb`,
  ],
  ['chunks', [AT, { from: undefined, limit: 3 }], `${AT}/chunks?limit=3`],
  ['tree', [AT, { depth: 0 }], `${AT}/tree?depth=0`],
  ['usage', [AT, { includeSubAgents: false }], `${AT}/usage?includeSubAgents=false`],
  ['variables', [AT, 'a/b'], `${AT}/variables/a%2Fb`],
  ['readFile', [AT, 'a/b'], `${AT}/files/a%2Fb`],
  ['me', [], '/directory/me'],
  ['me', [{ address: AT }], `/directory/me?address=${encodeURIComponent(AT)}`],
  ['roots', [{ ...PAGE, status: 'a,b', sort: 'createdAt' }], `/directory/roots${PAGED}&status=a%2Cb&sort=createdAt`],
  ['allPending', [{ kind: 'approval' }], '/directory/pending?kind=approval'],
  ['allErrors', [{ pattern: '', since: 0 }], '/directory/errors?pattern=&since=0'],
  ['allChildren', [{ owing: true }], '/directory/children?owing=true'],
  ['agents', [PAGE], `/directory/agents${PAGED}`],
])('[J6] %s of %j reads %s', async (method, given, path) => {
  // The signal is no parameter.
  const signal = new AbortController().signal;
  const last = given.at(-1);
  const isOptions = typeof last === 'object';
  const signalled = isOptions ? [...given.slice(0, -1), { ...last, signal }] : [...given, { signal }];
  for (const all of [given, signalled])
    expect(await sentBy(method, ...all)).toEqual(['GET', path, undefined, undefined, {}]);
});

it('[J6] writeFile sends the bytes with their type, and no key', async () => {
  const bytes = new Uint8Array([1, 2]);
  const request = ['PUT', `${AT}/files/a%2Fb`, undefined, bytes];
  expect(await sentBy('writeFile', AT, 'a/b', bytes)).toEqual([...request, {}]);
  const typed = await sentBy('writeFile', AT, 'a/b', bytes, { mediaType: 'image/png' });
  expect(typed).toEqual([...request, { 'content-type': 'image/png' }]);
});

it('[J6] a refusal has each field of its problem document, and what is missing in it by its status', async () => {
  const problem = {
    code: 'c',
    category: 'input',
    title: 'T.',
    detail: 'D.',
    retryable: true,
    details: { a: 1 },
    requestId: 'r',
  };
  const refusalOf = async (document: object) => {
    const client = createClient({ baseUrl: 'http://x', fetch: async () => Response.json(document, { status: 418 }) });
    return client.status(AT).catch((error: unknown) => error);
  };
  const whole = await refusalOf(problem);
  expect(whole).toBeInstanceOf(Refused);
  expect({ ...(whole as Refused) }).toEqual({ ...problem, status: 418, name: 'Refused' });
  expect(whole).toMatchObject({ message: 'T. (c)\nD.' });
  const bare = await refusalOf({ code: 'c', title: 7, retryable: 'yes' });
  const title = 'The server answered with status 418.';
  expect({ ...(bare as Refused) }).toEqual({
    ...{ code: 'c', category: '', title, detail: '', retryable: false, details: null, requestId: '', status: 418 },
    name: 'Refused',
  });
  expect(await refusalOf({ ...problem, detail: 'T.' })).toMatchObject({ detail: '', message: 'T. (c)' });
});

it('[AN9] an accepted message says what it has denied and what it waits behind, each tool once', () => {
  const calls = (...names: string[]) => names.map((toolName) => ({ toolName })) as never;
  expect(messagePlace({})).toEqual([]);
  expect(messagePlace({ behind: calls(), denied: calls() })).toEqual([]);
  const waits = 'The agent reads it once these are answered: a, b.';
  expect(messagePlace({ behind: calls('a', 'b', 'a') })).toEqual([waits]);
  expect(messagePlace({ behind: calls('a', 'b'), denied: calls('c', 'c') })).toEqual(['It denied c.', waits]);
});
