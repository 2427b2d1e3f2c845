/** Variables that a sub-agent waits for, by the routes of its own agent and of its thread, over HTTP; and whose a tree is. */
import { env } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/protocol/json';
import { type Authorize, createWorker, routeOffshootRequest } from '../../src/worker';
import { address, get, HOST, post, send } from '../support/api';
import { CLERKS_KEY } from '../support/keeper';
import { asks, calls, told } from '../support/puppet';
import { Clerk, Keeper, Leaf, Middle, Top } from '../support/worker';

const agents = [Keeper, Clerk, Top, Middle, Leaf];
const KEY = { KEY: CLERKS_KEY };

beforeAll(() => {
  Object.assign(env, { ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64') });
  return () => void Reflect.deleteProperty(env, 'ENCRYPTION_KEY');
});

/** A keeper whose call for a clerk was refused, and what it was told. */
async function asked() {
  const at = address('keeper');
  const message = told(asks(['look', {}]), { text: 'Seen.' });
  const create = asks(['subagent_create', { agent: 'clerk', message, name: 'Ann' }]);
  const body = { message: told(create, { text: 'It waits.' }), wait: true };
  expect((await post(`${at}/start`, body)).status).toBe(200);
  const { items } = (await get(`${at}/calls`)).body;
  const text = JSON.stringify(items);
  const [, id = ''] = /"request_id":"([^"]+)"/.exec(text) ?? [];
  expect(text).toContain('"code":"subagent_env_required"');
  const thread = at.slice('/agents/'.length);
  return { at, id, thread, route: `/threads/${encodeURIComponent(thread)}/variables/${id}` };
}

const json = async (response: Response): Promise<JsonObject> => await response.json();

/** A Worker over the same objects that knows callers by their header: Ada owns what she names, everybody else nothing. */
function owned(owner: (at: string) => boolean, more: Partial<Parameters<typeof createWorker>[0]> = {}) {
  const authorize: Authorize = (request, { address: at }) => {
    const caller = request.headers.get('x-caller');
    if (caller === null) return { refused: 'unauthorized' };
    return caller === 'ada' && owner(at) ? { subject: 'ada' } : { refused: 'forbidden' };
  };
  const worker = createWorker({ agents, authorize, ...more });
  return (path: string, caller?: string, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json', ...(caller === undefined ? {} : { 'x-caller': caller }) };
    return worker.fetch(new Request(`${HOST}${path}`, { ...init, headers }), env, { exports });
  };
}

describe('the variables of a thread', () => {
  it('[SA33, SAT1] are told by their names, by the thread and by the address alike, and never a value', async () => {
    const { at, id, thread, route } = await asked();
    const wanted = {
      request_id: id,
      parent_thread_id: thread,
      agent_name: 'clerk',
      registry_agent_name: 'clerk',
      required: ['KEY'],
      missing: ['KEY'],
      expires_at: expect.any(Number),
    };
    for (const path of [route, `/threads/${thread}/variables/${id}`, `${at}/variables/${id}`]) {
      const { status, body } = await get(path);
      expect([status, body], path).toEqual([200, wanted]);
    }
    expect((await send(route, { method: 'HEAD' })).status).toBe(200);
    const options = await send(route, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
    expect((await send(route, { method: 'PUT', body: '' })).status).toBe(405);
  });

  it('[SA33] are shown to their owner alone: 401 without credentials, 403 to a stranger', async () => {
    const { at, route } = await asked();
    const fetch = owned((address) => address === at);
    const statuses = async (init?: RequestInit) =>
      Promise.all([undefined, 'eve', 'ada'].map(async (caller) => (await fetch(route, caller, init)).status));
    expect(await statuses()).toEqual([401, 403, 200]);
    expect(await statuses({ method: 'POST', body: '{"env":{}}' })).toEqual([401, 403, 400]);
  });

  it('[SA33] are not found at an unknown thread, at another one, or by an unknown request; and are nothing else', async () => {
    const { id, thread } = await asked();
    const other = await asked();
    for (const path of [
      `/threads/keeper%2Fnobody/variables/${id}`,
      `/threads/${other.thread}/variables/${id}`,
      `/threads/nothing%2Fone/variables/${id}`,
      `/threads/${thread}/variables/v_unknown`,
      `/threads/${thread}/files/variables/${id}`,
      `/threads/${thread}/status`,
      `/threads/${thread}/variables`,
    ]) {
      const { status, body } = await get(path);
      expect([status, body.code], path).toEqual([404, 'not_found']);
    }
    expect((await get(`/threads/keeper/variables/${id}`)).body.code).toBe('invalid_address');
  });

  it('[SA34] refuse what is not JSON, no object, too little or too much, and wait on', async () => {
    const { route } = await asked();
    const headers = { 'content-type': 'application/json' };
    const broken = await send(route, { method: 'POST', headers, body: '{' });
    expect([broken.status, (await json(broken)).code]).toEqual([400, 'invalid_json']);
    for (const body of [
      {},
      { env: [] },
      { env: 'KEY' },
      { env: {} },
      { env: { KEY: null } },
      { env: { ...KEY, B: '' } },
    ]) {
      const { status, body: problem } = await post(route, body);
      expect([status, problem.code], JSON.stringify(body)).toEqual([400, 'invalid_request']);
      expect(JSON.stringify(problem)).not.toContain(CLERKS_KEY);
    }
    expect((await post(route, { env: {} })).body.detail).toContain('Still missing: KEY');
    expect((await get(route)).body.missing).toEqual(['KEY']);
  });

  it('[SA34, SAT1] begin the sub-agent, which reads them; once, and the request is gone', async () => {
    const { at, id, route } = await asked();
    const taken = await post(route, { env: KEY });
    expect(taken).toMatchObject({ status: 200, body: { request_id: id, status: 'success' } });
    const child = String(taken.body.address);
    expect(taken.body.reference).toMatch(/^[0-9a-f-]{36}$/);
    expect(taken.body.child_thread_id).toBe(child.slice('/agents/'.length));
    await send(`${child}/stream?from=1`).then((response) => response.text());
    expect(JSON.stringify((await get(`${child}/calls`)).body)).toContain('"hasKey":true');
    expect(child.startsWith(`${at}/sub/clerk/`)).toBe(true);
    for (const again of [await post(route, { env: KEY }), await get(route)])
      expect([again.status, again.body.code]).toEqual([404, 'not_found']);
    expect(JSON.stringify((await get(`${at}/messages`)).body)).not.toContain(CLERKS_KEY);
  });

  it('[SA34] are text, also where a number or a truth value was sent', async () => {
    const { route } = await asked();
    expect((await post(route, { env: { KEY: 5 } })).status).toBe(200);
    const { route: other } = await asked();
    expect((await post(other, { env: { KEY: true } })).status).toBe(200);
    const { route: third } = await asked();
    expect((await post(third, { env: { KEY: { a: 1 } } })).status).toBe(400);
  });

  it('[SA35] are gone once the agent that asked was ended for good, and not found once it is deleted', async () => {
    const { at, route } = await asked();
    expect((await post(`${at}/terminate`, {})).status).toBeLessThan(300);
    for (const refused of [await get(route), await post(route, { env: KEY })])
      expect([refused.status, refused.body.code]).toEqual([410, 'gone']);
    expect((await send(at, { method: 'DELETE' })).status).toBe(204);
    for (const refused of [await get(route), await post(route, { env: KEY })]) expect(refused.status).toBe(404);
  });

  it('[SAQ3] lie where the Worker has them, below its base path, and are described there', async () => {
    const { id, thread } = await asked();
    const worker = createWorker({ agents, basePath: '/v1', threadsPath: '/api/threads' });
    const fetch = (path: string) => worker.fetch(new Request(`${HOST}${path}`), env, { exports });
    const path = `/v1/api/threads/${encodeURIComponent(thread)}/variables/${id}`;
    expect((await fetch(path)).status).toBe(200);
    expect((await fetch(path.replace('/api', ''))).status).toBe(404);
    const { paths } = await json(await fetch('/v1/openapi.json'));
    expect(isObject(paths) && Object.keys(paths)).toContain('/api/threads/{thread}/variables/{path}');
    const route = (at: string) => routeOffshootRequest(new Request(`${HOST}${at}`), env, { exports }, worker);
    expect((await route(path))?.status).toBe(200);
    expect(await route('/v1/api/threads/other/one/variables/x')).toBe(null);
    expect(await route('/api/threads')).toBe(null);
  });

  it.each(['', 'threads', '/threads/', '/th reads', '/agents', '/agents/x', '/directory/x', '/healthz'])(
    '[SAQ3] do not lie at "%s"',
    (threadsPath) => {
      expect(() => createWorker({ agents, threadsPath })).toThrow(/threadsPath/);
    },
  );
});

describe('the owner of a root', () => {
  it('[SAW13] reads the agents below it at every depth, and a stranger none', async () => {
    const at = address();
    const script = told(calls('middle', [calls('leaf', [{ text: 'Deep.' }]), { text: 'Mid.' }]), { text: 'Top.' });
    expect((await post(`${at}/start`, { message: script, wait: true })).status).toBe(200);
    const { items: middles } = (await get(`${at}/children`)).body;
    const middle = String(middles[0]?.address);
    const { items: leaves } = (await get(`${middle}/children`)).body;
    const leaf = String(leaves[0]?.address);
    expect(leaf.startsWith(`${middle}/sub/leaf/`)).toBe(true);
    const fetch = owned((below) => below === at || below.startsWith(`${at}/`));
    for (const path of ['messages', 'files', 'status', 'stream?from=1', 'calls'].map((part) => `${leaf}/${part}`)) {
      const answers = await Promise.all([fetch(path, 'ada'), fetch(path, 'eve'), fetch(path)]);
      expect(
        answers.map(({ status }) => status),
        path,
      ).toEqual([200, 403, 401]);
      for (const { body } of answers) await body?.cancel();
    }
  });
});
