import { listDurableObjectIds } from 'cloudflare:test';
import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool, defineAgent } from '../../../src/index';
import type { JsonObject } from '../../../src/protocol/json';
import { AgentObject, createWorker, type WorkerOptions } from '../../../src/worker';
import { address, get, HOST, objectIn, post, problemIn, send } from '../../support/api';
import { bindings, served } from '../../support/bindings';
import { noModel } from '../../support/no-model';
import { puppet, told } from '../../support/puppet';
import { Form, Leaf, Middle, Tiny, Top } from '../../support/worker';

const agents = [Top, Middle, Leaf, Tiny, Form];
const namespace = bindings.TOP;
const json = { 'content-type': 'application/json' };

/** A Worker with other options or settings, over the same objects. */
function other(options: Partial<WorkerOptions>, settings: object = {}) {
  const worker = createWorker({ agents, ...options });
  return (url: string, init?: RequestInit) => worker.fetch(new Request(url, init), settings, { exports: served });
}
/** Whether there is an object of the root of this address: others may come and go beside it. */
async function isMade(at: string): Promise<boolean> {
  const id = namespace.idFromName(at.split('/').at(-1) ?? '').toString();
  return (await listDurableObjectIds(namespace)).some((one) => one.toString() === id);
}
const codeOf = async (response: Response) => [response.status, (await problemIn(response)).code];

afterEach(() => void vi.restoreAllMocks());

describe('errors', () => {
  it('[A22] are problem documents with a safe title, a code and the id of the request', async () => {
    const response = await send(`${address()}/status`);
    const body = await problemIn(response);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(Object.keys(body).sort()).toEqual([
      ...['category', 'code', 'detail', 'requestId', 'retryable', 'status', 'title', 'type'],
    ]);
    expect(body).toMatchObject({
      status: 404,
      code: 'not_found',
      title: 'There is nothing at this address.',
      type: 'urn:offshoot:error:not_found',
    });
    expect(response.headers.get('x-request-id')).toBe(body.requestId);
  });

  it('[A22] of our own say nothing of what happened', async () => {
    const authorize = () => {
      throw new Error('the database password is 1234');
    };
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const response = await other({ authorize })(`${HOST}/agents/top/x/status`);
    const text = await response.text();
    // Whoever runs the server finds it under the id of the request.
    const { requestId } = JSON.parse(text);
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining(requestId), expect.objectContaining({ message: 'the database password is 1234' })],
    ]);
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({
      code: 'internal',
      detail: 'Look for the request id in the log of the server.',
    });
    expect(text).not.toContain('password');
    expect(text).not.toContain('at ');
  });
});

describe('every answer', () => {
  it('[A105] is what its type says, and is embedded by no page of another origin', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    await send(`${at}/files/a.html`, { method: 'PUT', body: 'x' });
    const asked: [string, RequestInit?][] = [
      ['/healthz'],
      ['/openapi.json'],
      ['/nothing'],
      ['/agents/top'],
      [`${at}/status`],
      [`${at}/status`, { method: 'HEAD' }],
      [`${at}/status`, { method: 'OPTIONS' }],
      [`${at}/status`, { method: 'PUT' }],
      [`${at}/files/a.html`],
      [`${at}/files/none.html`],
      [`${at}/stream?wait=false`],
      [`${at}/start`, { method: 'POST', body: '{' }],
    ];
    for (const [path, init] of asked) {
      const answer = await send(path, init ?? {});
      const found = ['x-content-type-options', 'cross-origin-resource-policy'].map((name) => answer.headers.get(name));
      expect([path, init?.method, found]).toEqual([path, init?.method, ['nosniff', 'same-origin']]);
      await answer.body?.cancel();
    }
  });
});

describe('bodies', () => {
  const start = (body: BodyInit | null, headers: Record<string, string> = json) =>
    send(`${address()}/start`, { method: 'POST', headers, body: body });

  it('[A23] are refused past 1 MB while they are read, also when nobody said how long they are', async () => {
    expect(await codeOf(await start(JSON.stringify({ message: 'x'.repeat(1_048_577) })))).toEqual([
      413,
      'payload_too_large',
    ]);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    expect(await codeOf(await start(endless))).toEqual([413, 'payload_too_large']);
    expect(sent).toBeLessThan(4 * 1_048_576);
    const most = JSON.stringify({ message: 'x'.repeat(1_048_576 - 14) });
    expect(new TextEncoder().encode(most).length).toBe(1_048_576);
    expect((await start(most)).status).toBe(202);
  });

  it.each([
    ['{', 400, 'invalid_json'],
    ['"text', 400, 'invalid_json'],
    ['[]', 400, 'invalid_request'],
    ['null', 400, 'invalid_request'],
    ['1', 400, 'invalid_request'],
    ['{"message":1}', 400, 'invalid_request'],
    ['{"message":"x","__proto__":{"a":1}}', 400, 'invalid_request'],
    ['{"message":"x","input":{"a":[{"__proto__":1}]}}', 400, 'invalid_request'],
    ['{"message":"x","constructor":1}', 400, 'invalid_request'],
    [`{"message":"x","input":${'['.repeat(101)}${']'.repeat(101)}}`, 400, 'invalid_request'],
    [`${'['.repeat(200_000)}`, 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
  ])('[A23] %# is refused with a clear error', async (body, status, code) => {
    const response = await start(body);
    const found = await problemIn(response);
    expect([response.status, found.code]).toEqual([status, code]);
    expect(String(found.detail).length).toBeGreaterThan(10);
  });

  it('[A23] name the key that is unknown', async () => {
    const response = await start('{"message":"x","mesage":"y"}');
    expect((await problemIn(response)).detail).toContain('mesage');
  });

  it('[A23] that are no UTF-8 are refused', async () => {
    expect(await codeOf(await start(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])))).toEqual([400, 'invalid_json']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
    '[A23] of the content type "%s" are refused',
    async (type) => {
      const response = await send(`${address()}/start`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new TextEncoder().encode('{"message":"x"}'),
      });
      expect(await codeOf(response)).toEqual([415, 'unsupported_media_type']);
    },
  );

  it('[A23] take a charset, and parameters are not looked for in the query', async () => {
    expect((await start('{"message":"x"}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(202);
    const refused = await send(`${address()}/start?wait=true`, {
      method: 'POST',
      headers: json,
      body: '{"message":"x"}',
    });
    expect(await codeOf(refused)).toEqual([400, 'invalid_request']);
  });

  it.each([
    'status?x=1',
    'tree?depth=x',
    'tree?depth=-1',
    'runs?limit=1&limit=2',
    'stream?follow=maybe',
    'usage?includeSubAgents=2',
    'status?__proto__=1',
  ])('[A23] the query %s is refused', async (path) => {
    expect(await codeOf(await send(`${address()}/${path}`))).toEqual([400, 'invalid_request']);
  });
});

describe('numbers', () => {
  const wrong = [
    '1e3',
    '0x10',
    '+1',
    '-1',
    '1.0',
    '%201',
    '1%20',
    '',
    '007',
    '1_0',
    '%EF%BC%91',
    'Infinity',
    'NaN',
    '١',
  ];

  it.each(wrong)('[A51] %j is none in a query', async (text) => {
    for (const path of ['stream?from=', 'runs?limit=', 'tree?depth='])
      expect([path, ...(await codeOf(await send(`${address()}/${path}${text}`)))]).toEqual([
        path,
        400,
        'invalid_request',
      ]);
    expect(await codeOf(await send(`/directory/roots?limit=${text}`))).toEqual([400, 'invalid_request']);
  });

  it.each(wrong.filter((text) => /^[ -~]+$/.test(text) && text !== ''))(
    '[A51] %j is none in a header',
    async (text) => {
      const value = decodeURIComponent(text).replace(/^ | $/g, '"');
      const found = await codeOf(await send(`${address()}/stream`, { headers: { 'last-event-id': value } }));
      expect(found).toEqual([400, 'invalid_request']);
    },
  );

  it('[A51] are bounded, and plain digits are taken', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    for (const path of ['stream?from=3', 'runs?limit=500', 'tree?depth=0']) {
      const response = await send(`${at}/${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      await response.body?.cancel();
    }
    for (const path of [
      'stream?from=0',
      'stream?from=9007199254740992',
      'runs?limit=501',
      'runs?limit=0',
      'tree?depth=65',
    ])
      expect([path, (await send(`${at}/${path}`)).status]).toEqual([path, 400]);
  });
});

describe('cursors', () => {
  const numbers = ['01', '00', '1.', '.1', '-1', '+1', '1e1', '0x1', '%201', '1%20', '1_0', '1000000000000000'];
  const lists: [string, (number: string) => string][] = [
    ['runs', (one) => one],
    ['audit', (one) => one],
    ['calls', (one) => `${one}.0`],
    ['calls', (one) => `1.${one}`],
    ['checkpoints', (one) => `${one}.0`],
    ['messages', (one) => `1.${one}.0`],
    ['messages', (one) => `1.0.${one}`],
    // An id may begin with a dot, and a time may have 16 digits.
    ['pending', (one) => (one === '1.' ? one : `${one.padEnd(one.length > 15 ? 17 : 0, '0')}.call_x`)],
  ];

  it.each(lists)('[A9] of %s are refused that the list never writes (%#)', async (list, cursor) => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const good = ['0', '1'].map((each) => send(`${at}/${list}?cursor=${cursor(each)}`));
    expect((await Promise.all(good)).map(({ status }) => status)).toEqual([200, 200]);
    for (const each of numbers) {
      const found = await codeOf(await send(`${at}/${list}?cursor=${cursor(each)}`));
      expect([list, cursor(each), ...found]).toEqual([list, cursor(each), 400, 'invalid_cursor']);
    }
  });

  it('[A9] of the directory are refused that its lists never write', async () => {
    const written = (place: string) => Buffer.from(place).toString('base64url');
    const good = written('[1,"Top","x"]');
    expect((await send(`/directory/roots?cursor=${good}`)).status).toBe(200);
    const wrong = ['[-1,"Top","x"]', '[1.5,"Top","x"]', '[1, "Top","x"]', '[1e0,"Top","x"]', '[1,"Top","x",2]', '[]'];
    for (const cursor of [...wrong.map(written), `${good}=`, `${good}%20`, `!${good}`, ''])
      expect([cursor, ...(await codeOf(await send(`/directory/roots?cursor=${cursor}`)))]).toEqual([
        cursor,
        400,
        'invalid_cursor',
      ]);
    for (const cursor of ['nothing', 'TOP', '', '1'])
      expect([cursor, ...(await codeOf(await send(`/directory/agents?cursor=${cursor}`)))]).toEqual([
        cursor,
        400,
        'invalid_cursor',
      ]);
  });
});

describe('addresses', () => {
  it.each([
    '/agents',
    '/agents/',
    '/agents/top',
    '/agents/top/',
    '/agents/Top/x/status',
    '/agents/TOP/x/status',
    '/agents/top_/x/status',
    '/agents/sub/x/status',
    '/agents/top/7/status',
    '/agents/top/7~3/status',
    '/agents/top/a%2Fb/status',
    '/agents/top/a%00b/status',
    '/agents/top/%E2%82%AC/status',
    '/agents/top/a b/status',
    '/agents/top/a%20b/status',
    `/agents/top/${'x'.repeat(129)}/status`,
    `/agents/top/${'x'.repeat(10_240)}/status`,
    `/agents/${'x'.repeat(10_240)}/x/status`,
    '/agents/top/x/sub/sub/1~1/status',
    '/agents/top/x/sub/leaf',
    '/agents/top/x/sub',
    '/agents/top/x/sub/Leaf/1~1/status',
    '/agents/top/x/sub/leaf/a%2Fb/status',
  ])('[A24] %# is refused as no address', async (path) => {
    const found = await codeOf(await send(path));
    expect(found).toEqual([400, 'invalid_address']);
  });

  it.each([
    'ann@example.com',
    'auth0|6531',
    '12345',
    'team/7',
    'team%2F7',
    'Zo%C3%AB',
    'Zoë',
    '%F0%9F%A6%8A',
    'a%20b',
    '7~3',
    'x'.repeat(129),
  ])('[X37] with the name %j say how to make a name', async (name) => {
    const body = await problemIn(await send(`/agents/top/${name}/status`));
    expect(body.status).toBe(name === 'team/7' ? 404 : 400);
    expect(body.detail).toContain('`rootNameOf` of "offshoot/access" turns any string into a name.');
  });

  it('[X37] of copies with such a name say so too', async () => {
    const at = address();
    expect((await post(`${at}/start`, { message: told({ text: 'x' }) })).status).toBe(202);
    for (const name of ['ann@example.com', '12345']) {
      const answer = await post(`${at}/fork`, { name });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('`rootNameOf`');
    }
  });

  it('[A24] are no routes, also at an agent that is there', async () => {
    const at = address();
    expect((await post(`${at}/start`, { message: told({ text: 'x' }) })).status).toBe(202);
    expect((await send(`${at}/status`)).status).toBe(200);
    const below = ['nothing', 'status/more', 'files/a/b', 'variables'].map((path) => `${at}/${path}`);
    for (const path of [...below, '/nothing', '/directory', '/directory/nothing']) {
      const body = await problemIn(await send(path));
      expect({ path, ...body }).toMatchObject({ path, status: 404, code: 'not_found' });
      expect(body.detail, path).toContain('There is no such route.');
      expect(String(body.detail).includes('Write %2F for each slash'), path).toBe(path.endsWith('files/a/b'));
    }
  });

  it('[A24] of agents that this Worker does not have say so', async () => {
    const body = await problemIn(await send('/agents/unknown/x/status'));
    expect(body).toMatchObject({ status: 404, code: 'not_found' });
    expect(body.detail).not.toContain('There is no such route.');
  });

  it('[A24, A21] that are refused wake nothing', async () => {
    const name = `n${crypto.randomUUID()}`;
    for (const path of [
      `/agents/top/${name}/nothing`,
      `/agents/top/${name}/sub/sub/1~1/status`,
      `/agents/top/${name}%2F/status`,
      `/agents/Top/${name}/status`,
    ])
      await send(path);
    await send(`/agents/top/${name}/status`, { method: 'POST' });
    await post(`/agents/top/${name}/start`, { wrong: 1 });
    expect(await isMade(`/agents/top/${name}`)).toBe(false);
  });

  it('[A24] never lead out of their place by dots', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    for (const path of [`${at}/../x/status`, `${at}/%2e%2e/x/status`, `${at}/sub/leaf/../1~1/status`])
      expect([400, 404, 405]).toContain((await send(path)).status);
  });

  it('[A24] a file called sub/child is a file', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    await send(`${at}/files/sub%2Fleaf%2Fchild`, { method: 'PUT', body: 'x' });
    expect(await (await send(`${at}/files/sub%2Fleaf%2Fchild`)).text()).toBe('x');
    expect((await get(`${at}/children`)).body.items).toEqual([]);
  });
});

describe('methods', () => {
  it('[A25] that a route does not take are refused, with those that it takes', async () => {
    const response = await send(`${address()}/status`, { method: 'POST' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await codeOf(response)).toEqual([405, 'method_not_allowed']);
    const files = await send(`${address()}/files/a`, { method: 'PATCH' });
    expect(files.headers.get('allow')).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
    expect((await send(`${address()}`)).headers.get('allow')).toBe('DELETE, OPTIONS');
    for (const path of ['/healthz', '/openapi.json', '/directory/roots'])
      expect((await send(path, { method: 'DELETE' })).status).toBe(405);
  });

  it('[A121] of the bare address of an agent are refused with the route that reads it', async () => {
    const at = address();
    const detailOf = async (response: Response) => (await response.json<{ detail: string }>()).detail;
    expect(await detailOf(await send(at))).toBe(`This route takes DELETE, OPTIONS. Read an agent at ${at}/status.`);
    const status = await send(`${at}/status`, { method: 'POST' });
    expect(await detailOf(status)).toBe('This route takes GET, HEAD, OPTIONS.');
  });

  it.each([
    ['POST', '/agents/top/start', 'missing: /agents/top/{name}/start, with any name for "top".'],
    ['GET', '/agents/top/status', 'missing: /agents/top/{name}/status, with any name for "top".'],
    ['POST', '/agents/top/one/sub/leaf/messages', 'missing: /agents/top/one/sub/leaf/{name}/messages, with any name'],
    ['POST', '/agents/top/one/star', 'no such route. Did you mean /agents/top/one/start? See'],
    [
      'GET',
      '/agents/top/one/sub/leaf/1~1/statsu',
      'no such route. Did you mean /agents/top/one/sub/leaf/1~1/status? See',
    ],
    ['GET', '/agents/top/ann/smith', 'If the name has a slash, replace that'],
    ['GET', '/agents/top/none/status', 'Start it with POST /agents/top/none/start.'],
    ['GET', '/agents/top/none/sub/leaf/1~1/status', 'GET /agents/top/none/tree lists'],
  ])('[A124] %s %s is answered with what was probably meant', async (method, path, says) => {
    const { detail } = await problemIn(await send(path, { method }));
    expect(detail).toContain(says);
  });

  it('[A25] HEAD answers as GET without a body, OPTIONS with what is allowed', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const head = await send(`${at}/status`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/json', '']);
    const stream = await send(`${at}/stream`, { method: 'HEAD' });
    expect([stream.status, await stream.text()]).toEqual([200, '']);
    expect((await send(`${address()}/status`, { method: 'HEAD' })).status).toBe(404);
    const options = await send(`${at}/messages`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, GET, HEAD, OPTIONS']);
    expect((await send('/healthz', { method: 'HEAD' })).status).toBe(200);
  });
});

describe('the contract', () => {
  type Operation = JsonObject & { 'x-offshoot-verb'?: string; responses: Record<string, JsonObject> };
  type Paths = Record<string, Record<string, Operation>>;
  const document = async (): Promise<{ openapi: string; paths: Paths }> =>
    JSON.parse(await (await send('/openapi.json')).text());
  const filled = (path: string, at: string) =>
    path
      .replace('/agents/{class}/{name}', at)
      .replace('{thread}', encodeURIComponent(at.slice('/agents/'.length)))
      .replace('{subClass}', 'leaf')
      .replace('{subName}', '1~1')
      .replace('{path}', 'a.md');

  it('[A27] describes the header traceparent where a run can begin', async () => {
    const { paths } = await document();
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        const traced = JSON.stringify(operation).includes('"name":"traceparent","in":"header"');
        expect([path, method, traced]).toEqual([path, method, method === 'post']);
      }
  });

  it('[A27] F89: describes every route, and each described route is there', async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe('3.1.0');
    const at = address();
    await post(`${at}/start`, {
      message: told({ calls: [{ name: 'subagent__leaf', input: { steps: [{ text: 'l' }] } }] }),
      wait: true,
    });
    await send(`${at}/files/a.md`, { method: 'PUT', body: 'x' });
    await send(`${at}/sub/leaf/1~1/files/a.md`, { method: 'PUT', body: 'x' });
    const deletions: string[] = [];
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (method === 'delete') {
          deletions.push(path);
          continue;
        }
        const init =
          method === 'post' ? { headers: json, body: '{"nonsense":1}' } : method === 'put' ? { body: 'x' } : {};
        const response = await send(filled(path, at), { method: method.toUpperCase(), ...init });
        // A body that makes no sense is refused, but by the route.
        // No sub-agent waits for variables here.
        const found = path.includes('/variables/') ? 404 : 200;
        expect([method, path, response.status]).toEqual([method, path, method === 'post' ? 400 : found]);
        expect(Object.keys(operation.responses)).toContain(String(response.status));
        await response.body?.cancel();
      }
    }
    for (const path of deletions.sort((a, b) => b.length - a.length)) {
      // Whoever takes back a token or a message that is not there has mistaken its id.
      const status = path.includes('/tokens/') || path.includes('/messages/') ? 404 : 204;
      expect([path, (await send(filled(path, at), { method: 'DELETE' })).status]).toEqual([path, status]);
    }
  });

  it('[A27] names a verb once for each method and path, with its input, its output and its errors', async () => {
    const { paths } = await document();
    const start = paths['/agents/{class}/{name}/start']?.post;
    expect(start).toMatchObject({
      'x-offshoot-verb': 'start',
      requestBody: {
        content: {
          'application/json': {
            schema: { properties: { message: { anyOf: [{ type: 'string' }, { type: 'array' }] } } },
          },
        },
      },
    });
    expect(Object.keys(start?.responses ?? {})).toEqual(
      expect.arrayContaining(['202', '400', '401', '409', '413', '415', '422', '503']),
    );
    const verbs = Object.entries(paths)
      .filter(([path]) => path.startsWith('/agents/{class}/{name}') && !path.includes('{subClass}'))
      .flatMap(([, operations]) => Object.values(operations).map((operation) => operation['x-offshoot-verb']));
    expect(verbs.length).toBe(new Set(verbs).size);
    expect(verbs).toEqual(
      expect.arrayContaining([
        'start',
        'send',
        'status',
        'tree',
        'runs',
        'calls',
        'logs',
        'state',
        'limits',
        'messages',
        'stream',
        'children',
        'usage',
        'schedules',
        'files',
        'readFile',
        'writeFile',
        'removeFile',
        'remove',
      ]),
    );
    const text = JSON.stringify(paths);
    for (const reference of text.matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/g))
      expect(['Problem', 'Chunk']).toContain(reference[1]);
  });

  it('[A27] says that it is up, and what to do', async () => {
    expect((await get('/healthz')).body).toEqual({
      ok: true,
      name: 'offshoot',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect((await get('/')).body).toMatchObject({ name: 'offshoot', api: '/openapi.json' });
  });
});

describe('access', () => {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it('[X1] F87: is closed on any host but this machine until it is configured', async () => {
    const worker = other({});
    for (const host of ['localhost', '127.0.0.1:8787', '[::1]:8787', 'app.localhost'])
      expect((await worker(`http://${host}/directory/agents`)).status).toBe(200);
    for (const host of ['example.com', '10.0.0.1', 'localhost.example.com', '127.0.0.1.example.com', '128.0.0.1']) {
      for (const path of [
        '/agents/top/x/status',
        '/directory/agents',
        '/directory/roots',
        '/openapi.json',
        '/',
        '/agents/unknown/x/y',
      ]) {
        expect(await codeOf(await worker(`http://${host}${path}`))).toEqual([503, 'auth_not_configured']);
      }
      expect((await worker(`http://${host}/healthz`)).status).toBe(200);
    }
    expect((await other({}, { OFFSHOOT_TOKEN: '' })('http://example.com/directory/agents')).status).toBe(503);
  });

  it('[X2] takes the bearer secret, on this machine too', async () => {
    const worker = other({}, { OFFSHOOT_TOKEN: 'secret-1' });
    for (const host of ['example.com', 'localhost']) {
      expect((await worker(`http://${host}/directory/agents`, bearer('secret-1'))).status).toBe(200);
      for (const token of ['secret-2', 'secret-', 'secret-11', ''])
        expect(await codeOf(await worker(`http://${host}/directory/agents`, bearer(token)))).toEqual([
          401,
          'unauthorized',
        ]);
      const without = await worker(`http://${host}/agents/top/x/status`);
      expect(without.headers.get('www-authenticate')).toBe('Bearer');
      expect(await codeOf(without)).toEqual([401, 'unauthorized']);
    }
    expect(await codeOf(await worker('http://example.com/agents/unknown/x/y'))).toEqual([401, 'unauthorized']);
  });

  it('[X3] asks authorize with the address and the action, before anything wakes', async () => {
    const asked: object[] = [];
    const authorize: WorkerOptions['authorize'] = (_request, question) => {
      asked.push(question);
      return question.action === 'read' ? { subject: 'reader' } : { refused: 'forbidden', detail: 'Readers only.' };
    };
    const worker = other({ authorize });
    const at = address();
    const refused = await worker(`http://example.com${at}/start`, {
      method: 'POST',
      headers: json,
      body: '{"message":"x"}',
    });
    expect(await refused.json()).toMatchObject({ status: 403, code: 'forbidden', detail: 'Readers only.' });
    expect(await isMade(at)).toBe(false);
    await worker(`http://example.com${at}/sub/leaf/1~1/status`);
    expect(await isMade(at)).toBe(true);
    await worker(`http://example.com${at}`, { method: 'DELETE' });
    await worker('http://example.com/directory/roots');
    expect(asked).toEqual([
      { address: at, action: 'write' },
      { address: `${at}/sub/leaf/1~1`, action: 'read' },
      { address: at, action: 'admin' },
      { address: '/directory', action: 'read' },
    ]);
  });

  it('[X3] keeps idempotency keys of callers apart', async () => {
    const authorize: WorkerOptions['authorize'] = (request) => ({ subject: request.headers.get('x-user') ?? 'nobody' });
    const worker = other({ authorize });
    const at = address();
    const say = async (user: string) => {
      const init = {
        method: 'POST',
        headers: { ...json, 'x-user': user, 'idempotency-key': 'k' },
        body: '{"content":"hello"}',
      };
      return (await objectIn(await worker(`${HOST}${at}/messages`, init))).messageId;
    };
    const [a, b] = [await say('a'), await say('b')];
    expect(a).not.toBe(b);
    expect(await say('a')).toBe(a);
  });

  it('[X3] refuses a grant without a subject', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const subject of ['', 'x'.repeat(129)])
      expect((await other({ authorize: () => ({ subject }) })(`${HOST}/directory/agents`)).status).toBe(500);
  });
});

describe('putting a Worker together', () => {
  it('[A30] says which line is missing, with the first request', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ask = async (worker: ReturnType<typeof createWorker>, found: object) =>
      objectIn(await worker.fetch(new Request(`${HOST}/healthz`), {}, { exports: found }));
    const all = served;
    const known = Object.fromEntries(
      ['Top', 'Middle', 'Leaf', 'Tiny', 'Form', 'OffshootDirectory'].map((name) => [name, all[name]]),
    );
    expect((await ask(createWorker({ agents }), known)).ok).toBe(true);
    expect(await ask(createWorker({ agents }), {})).toMatchObject({
      ...{ status: 503, code: 'misconfigured', title: 'The Worker is misconfigured.' },
      detail: expect.stringMatching(/^The Worker is misconfigured\.\n- .*\bTop\b.*\n- .*\bMiddle\b/),
    });
    expect((await ask(createWorker({ agents }), { ...known, Leaf: undefined })).detail).toContain(
      'export class Leaf extends AgentObject.of(',
    );
    expect((await ask(createWorker({ agents }), { ...known, Leaf: {} })).detail).toContain(
      '"Leaf": { "type": "durable-object", "storage": "sqlite" }',
    );
    expect((await ask(createWorker({ agents }), { ...known, OffshootDirectory: undefined })).detail).toContain(
      "export { OffshootDirectory } from 'offshoot/worker'",
    );
    expect((await ask(createWorker({ agents: [Top, Middle] }), known)).detail).toContain(
      'The agent "middle" uses "leaf", which the Worker does not list.',
    );
    const tools = [createSubAgentTool(() => undefined as never, z.object({}), { name: 'nobody' })];
    const boss = AgentObject.of(defineAgent({ name: 'boss', systemPrompt: 'Work.', model: noModel, tools }));
    expect((await ask(createWorker({ agents: [boss] }), known)).detail).toMatch(
      /"boss".*subagent__nobody.*defineAgent/,
    );
    expect(logged).toHaveBeenCalledTimes(6);
  });

  it('[A30] refuses two agents of one class, and what is no agent', () => {
    expect(() => createWorker({ agents: [Top, Top] })).toThrow('"top" is listed twice');
    expect(() => createWorker({ agents: [class Nothing {} as never] })).toThrow('AgentObject.of(definition)');
  });
});

// The last one: the Worker that it makes lists an agent that no other test has.
describe('a class in another form than its own', () => {
  const agent2 = defineAgent({ name: 'agent2', systemPrompt: 'Work.', model: puppet });

  it.each([
    ['GET', '/agents/agent-2/x/status', {}],
    ['POST', '/agents/agent-2/x/start', {}],
    ['GET', '/agents/agent2/x/sub/leaf-1/7~3/status', {}],
    ['GET', '/agents/agent-2/x', { upgrade: 'websocket' }],
  ])('[AD2] is not found, and nobody is asked: %s %s', async (method, path, headers) => {
    const asked: string[] = [];
    const authorize: WorkerOptions['authorize'] = (_request, { address: where }) => {
      asked.push(where);
      return where.startsWith('/agents/agent2/') ? { refused: 'forbidden' } : { subject: 'eve' };
    };
    const worker = createWorker({ agents: [AgentObject.of(agent2)], authorize });
    const ask = (to: string) =>
      worker.fetch(
        new Request(`${HOST}${to}`, { method, headers }),
        {},
        { exports: { ...served, Agent2: Reflect.get(served, 'Top') } },
      );
    expect([(await ask(path)).status, asked]).toEqual([404, []]);
    expect((await ask('/agents/agent2/x/status')).status).toBe(403);
    expect(asked).toEqual(['/agents/agent2/x']);
  });
});
