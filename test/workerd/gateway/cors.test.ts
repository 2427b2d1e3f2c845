/** Pages of `allowedOrigins`: what a browser asks for them, and what it lets them read. */

import { exports } from 'cloudflare:workers';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { cloudflareAccess } from '../../../src/access';
import type { Authorize } from '../../../src/access/authorize';
import type { PathDoor } from '../../../src/gateway/doors/door';
import { VERBS } from '../../../src/verbs/table';
import { createWorker } from '../../../src/worker';
import { address, HOST } from '../../support/api';
import { told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';

const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager];
const context = { exports, waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
const APP = 'https://app.example';
const SECOND = 'http://localhost:5173';
const allowedOrigins = [APP, SECOND];

const door: PathDoor = {
  name: 'pages',
  at: '/pages',
  async answer({ request }, path) {
    if (path === '/moved') return Response.redirect(new URL('/healthz', request.url).href, 302);
    const headers = { vary: 'accept', 'access-control-expose-headers': 'x-of-door', 'x-of-door': '1' };
    return path === '' ? new Response('a page', { headers }) : undefined;
  },
};
const worker = createWorker({ agents, allowedOrigins, doors: [door] });

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly env?: object;
  readonly of?: { readonly exports: object };
  readonly at?: Pick<typeof worker, 'fetch'>;
}

function send(path: string, { at = worker, env = {}, of = { exports }, headers, ...init }: Sent = {}) {
  return at.fetch(new Request(`${HOST}${path}`, { ...init, headers: { origin: APP, ...headers } }), env, of);
}

function preflight(path: string, method: string, { headers, ...sent }: Sent = {}) {
  return send(path, { ...sent, method: 'OPTIONS', headers: { 'access-control-request-method': method, ...headers } });
}

const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const list = (response: Response, name: string): string[] =>
  (response.headers.get(name) ?? '').split(', ').filter(Boolean);
const corsOf = ({ headers }: Response) =>
  [...headers].filter(([name]) => name.startsWith('access-control-') && name !== 'access-control-expose-headers');

/** An agent with a file. */
async function withFile(): Promise<string> {
  const at = address();
  expect((await send(`${at}/start`, json({ message: told({ text: 'x' }), wait: true }))).status).toBe(200);
  const put = { method: 'PUT', headers: { 'content-length': '5', 'content-type': 'text/plain' }, body: 'hello' };
  expect((await send(`${at}/files/a.txt`, put)).status).toBe(201);
  return at;
}

/** Every kind of answer, by what it is. */
const ANSWERS: Record<string, (at: string) => Promise<Response>> = {
  '200 of a fixed route': () => send('/healthz'),
  '200 of the API': () => send('/openapi.json'),
  '200 of a list': () => send('/directory/agents'),
  '200 of an agent': (at) => send(`${at}/status`),
  '200 of HEAD': (at) => send(`${at}/status`, { method: 'HEAD' }),
  '202 of a start': () => send(`${address()}/start`, json({ message: told({ text: 'x' }) })),
  '200 of a stream': (at) => send(`${at}/stream`),
  '200 of a file': (at) => send(`${at}/files/a.txt`),
  '206 of a part': (at) => send(`${at}/files/a.txt`, { headers: { range: 'bytes=0-1' } }),
  '416 of a part behind the end': (at) => send(`${at}/files/a.txt`, { headers: { range: 'bytes=9-' } }),
  '304 of a file that is known': async (at) => {
    const etag = (await send(`${at}/files/a.txt`, { method: 'HEAD' })).headers.get('etag') ?? '';
    return send(`${at}/files/a.txt`, { headers: { 'if-none-match': etag } });
  },
  '204 of a removal': (at) => send(`${at}/files/a.txt`, { method: 'DELETE' }),
  '204 of OPTIONS that is no preflight': (at) => send(`${at}/status`, { method: 'OPTIONS' }),
  '400 of no address': () => send('/agents/top/%zz/status'),
  '404 of no route': () => send('/nothing'),
  '404 of no route of an agent': (at) => send(`${at}/nothing`),
  '404 of no class': () => send('/agents/nobody/a/status'),
  '405 of a fixed route': () => send('/healthz', { method: 'POST' }),
  '405 of an agent': (at) => send(`${at}/status`, { method: 'PUT', body: 'x' }),
  '401 of no token': (at) => send(`${at}/status`, { env: { OFFSHOOT_TOKEN: 's3cret' } }),
  '500 of a fault': (at) => {
    const faulty = createWorker({
      agents,
      allowedOrigins,
      authorize() {
        throw new Error('A fault of the test.');
      },
    });
    return send(`${at}/status`, { at: faulty });
  },
  '503 of a Worker that lacks something': () =>
    send('/healthz', { at: createWorker({ agents, allowedOrigins }), of: { exports: {} } }),
  '200 of a door': () => send('/pages'),
  '404 of a door': () => send('/pages/nothing'),
  '302 of a door': () => send('/pages/moved'),
};

/** What every page may read, and what only the browser reads. */
const NO_SECRET = new Set([
  ...['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified', 'pragma'],
  ...['content-security-policy', 'cross-origin-resource-policy', 'vary', 'x-content-type-options', 'location'],
  'x-accel-buffering',
]);

describe('an answer to a page of an allowed origin', () => {
  it.each(Object.keys(ANSWERS))('[X40, X42] can be read: %s', async (what) => {
    const response = await (ANSWERS[what] ?? (() => send('/')))(await withFile());
    expect(response.status).toBe(Number(what.slice(0, 3)));
    expect(corsOf(response)).toEqual([['access-control-allow-origin', APP]]);
    expect(list(response, 'vary')).toContain('origin');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const exposed = list(response, 'access-control-expose-headers');
    const hidden = [...response.headers.keys()].filter(
      (name) => !(name.startsWith('access-control-') || NO_SECRET.has(name) || exposed.includes(name)),
    );
    expect(hidden).toEqual([]);
    await response.body?.cancel();
  });

  it('[X40] names the one origin that asks', async () => {
    const response = await send('/healthz', { headers: { origin: SECOND } });
    expect(response.headers.get('access-control-allow-origin')).toBe(SECOND);
  });

  it('[X40, X42] keeps what a door says itself', async () => {
    const response = await send('/pages');
    expect(list(response, 'vary')).toEqual(['accept', 'origin']);
    expect(list(response, 'access-control-expose-headers')).toContain('x-of-door');
    expect(list(response, 'access-control-expose-headers')).toContain('x-request-id');
  });

  it('[X42] varies by origin for everyone, and not at all where no other origin is allowed', async () => {
    const nobody = await send('/healthz', { headers: { origin: 'https://evil.example' } });
    expect(nobody.headers.get('vary')).toBe('origin');
    expect((await worker.fetch(new Request(`${HOST}/healthz`), {}, { exports })).headers.get('vary')).toBe('origin');
    const alone = await send('/healthz', { at: createWorker({ agents }) });
    expect([alone.headers.get('vary'), corsOf(alone)]).toEqual([null, []]);
  });
});

describe('a preflight of an allowed origin', () => {
  it.each(VERBS.map(({ method, path }) => [method, path]))('[X39] finds %s of "%s"', async (method, path) => {
    const where = `${address()}${path === '' ? '' : `/${path.replace('{path}', 'a.md')}`}`;
    const response = await preflight(where, method);
    const methods = VERBS.filter((verb) => verb.path === path).flatMap((verb) =>
      verb.method === 'GET' ? ['GET', 'HEAD'] : [verb.method],
    );
    expect(response.status).toBe(204);
    expect(list(response, 'access-control-allow-methods').toSorted()).toEqual(methods.toSorted());
  });

  it.each([
    ['/', ['GET', 'HEAD']],
    ['/directory/roots', ['GET', 'HEAD']],
    ['/threads/top%2Fa/variables/r1', ['GET', 'HEAD', 'POST']],
    ...['/pages', '/pages/deep/er', '/nothing', '/agents/top/a/nothing', '/agents/top/%zz/b/c', '/threads/nothing'].map(
      (path): [string, string[]] => [path, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']],
    ),
  ])('[X39] at %s finds %j', async (path, methods) => {
    const response = await preflight(path, 'GET');
    expect([response.status, list(response, 'access-control-allow-methods').toSorted()]).toEqual([
      204,
      methods.toSorted(),
    ]);
  });

  it('[X39] needs no credentials, asks no authorizer, and is kept for two hours', async () => {
    const asked: string[] = [];
    const authorize: Authorize = (_, { address: at }) => {
      asked.push(at);
      return { refused: 'unauthorized' };
    };
    const at = address();
    for (const [strict, env] of [
      [createWorker({ agents, allowedOrigins, authorize }), {}],
      [worker, { OFFSHOOT_TOKEN: 's3cret' }],
    ] as const) {
      const response = await preflight(`${at}/start`, 'POST', { at: strict, env });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, APP]);
      expect(response.headers.get('access-control-max-age')).toBe('7200');
      expect(list(response, 'vary')).toEqual([
        'access-control-request-method',
        'access-control-request-headers',
        'origin',
      ]);
      expect((await send(`${at}/start`, { ...json({ message: 'x' }), at: strict, env })).status).toBe(401);
    }
    expect(asked).toEqual([at]);
  });

  it('[X39] is given the headers that it asks for, as far as they are taken', async () => {
    const ask = async (names?: string, at: Sent['at'] = worker) => {
      const given = names === undefined ? {} : { 'access-control-request-headers': names };
      const response = await preflight('/directory/roots', 'GET', { at, headers: given });
      return list(response, 'access-control-allow-headers');
    };
    const all =
      'authorization, content-type, idempotency-key, if-match, if-none-match, if-range, last-event-id, range, traceparent, user-agent';
    expect(await ask(all)).toEqual(all.split(', '));
    expect(await ask('Authorization,x-other,Content-Type')).toEqual(['authorization', 'content-type']);
    expect(await ask('x-api-key')).toEqual([]);
    expect(await ask()).toEqual([]);
    const authorize = Object.assign(() => ({ subject: 'ann' }), { reads: ['x-api-key'] });
    const keyed = createWorker({ agents, allowedOrigins, authorize });
    expect(await ask('x-api-key, x-other', keyed)).toEqual(['x-api-key']);
  });

  it('[X39] of a public page is let into a private network', async () => {
    const headers = { 'access-control-request-private-network': 'true' };
    const name = 'access-control-allow-private-network';
    expect((await preflight('/healthz', 'GET', { headers })).headers.get(name)).toBe('true');
    expect((await preflight('/healthz', 'GET')).headers.get(name)).toBeNull();
    const evil = { ...headers, origin: 'https://evil.example' };
    expect((await preflight('/healthz', 'GET', { headers: evil })).headers.get(name)).toBeNull();
  });

  it('[X39, X40] is answered by a Worker that lacks something, so that its page reads why', async () => {
    const lacking = createWorker({ agents, allowedOrigins });
    expect((await preflight('/directory/agents', 'GET', { at: lacking, of: { exports: {} } })).status).toBe(204);
  });

  it('[X39] below a base path, and where another app mounts the routes, finds the same', async () => {
    const below = createWorker({ agents, allowedOrigins, basePath: '/ai' });
    const host = new Hono().route('/ai', worker.app);
    const mounted = { fetch: async (request: Request, env: object) => host.fetch(request, env, context) };
    for (const at of [below, mounted]) {
      const asked = await preflight(`/ai${address()}/start`, 'POST', { at });
      expect(list(asked, 'access-control-allow-methods')).toEqual(['POST']);
      expect(list(await send('/ai/directory/agents', { at }), 'access-control-allow-origin')).toEqual([APP]);
    }
  });
});

describe('credentials', () => {
  const name = 'access-control-allow-credentials';
  const both = async (authorize?: Authorize) => {
    const at = createWorker({ agents, allowedOrigins, ...(authorize && { authorize }) });
    const read = await send('/directory/agents', { at });
    const asked = await preflight('/directory/agents', 'GET', { at });
    return [read.headers.get(name), asked.headers.get(name)];
  };

  it('[X43] are sent where cookies decide, and nowhere else', async () => {
    expect(await both()).toEqual([null, null]);
    expect(await both(() => ({ subject: 'ann' }))).toEqual([null, null]);
    expect(await both(Object.assign(() => ({ subject: 'ann' }), { reads: ['x-api-key'] }))).toEqual([null, null]);
    expect(await both(Object.assign(() => ({ subject: 'ann' }), { reads: ['cookie'] }))).toEqual(['true', 'true']);
    expect(await both(cloudflareAccess({ team: 'acme', audience: 'a' }))).toEqual(['true', 'true']);
  });

  it('[X43] are for allowed origins alone', async () => {
    const at = createWorker({ agents, allowedOrigins, authorize: cloudflareAccess({ team: 'acme', audience: 'a' }) });
    const response = await send('/directory/agents', { at, headers: { origin: 'https://evil.example' } });
    expect([response.status, response.headers.get(name)]).toEqual([401, null]);
  });

  it.each(['Cookie', 'x api', ''])('[X43] "%s" is no header that an authorizer reads', (reads) => {
    const authorize = Object.assign(() => ({ subject: 'ann' }), { reads: [reads] });
    expect(() => createWorker({ agents, authorize })).toThrow('is not a header name');
  });
});

describe('every other page', () => {
  const OTHERS = [
    'null',
    'https://evil.example',
    `${APP}.evil.example`,
    'https://app.example.evil.example',
    'https://evil-app.example',
    'https://sub.app.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example:443',
    'https://app.example/',
    'HTTPS://APP.EXAMPLE',
    'https://app.exampl',
    `${APP}, ${SECOND}`,
    'http://localhost:5174',
    '*',
    '',
  ];

  it.each(OTHERS)('[X41, X9] of "%s" gets none of it, and changes nothing', async (origin) => {
    const headers = { origin };
    const at = address();
    const read = await send('/healthz', { headers });
    const asked = await preflight(`${at}/start`, 'POST', {
      headers: { ...headers, 'access-control-request-headers': 'a' },
    });
    const failed = await send('/nothing', { headers });
    for (const response of [read, asked, failed])
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(read.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const { method, body, headers: type } = json({ message: told({ text: 'x' }) });
    const start = await send(`${at}/start`, { method, body, headers: { ...type, ...headers } });
    expect([start.status, [...start.headers.keys()].filter((name) => name.startsWith('access-control-'))]).toEqual([
      403,
      [],
    ]);
  });

  it('[X41] of the Worker itself is answered as before', async () => {
    const response = await send('/healthz', { headers: { origin: HOST, 'sec-fetch-site': 'same-origin' } });
    expect(corsOf(response)).toEqual([]);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});
