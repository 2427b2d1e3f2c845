/** The routes within an app that has routes of its own. */

import { env, exports } from 'cloudflare:workers';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { isObject, type JsonObject } from '../../../src/protocol/json';
import { createWorker, routeOffshootRequest } from '../../../src/worker';
import { address, HOST } from '../../support/api';
import { told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Nest, Tiny, Top } from '../../support/worker';

const agents = [Top, Middle, Leaf, Nest, Tiny, Form, Line, Eager];
const context = { exports, waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** An app with a middleware, a route and a 404 of its own. */
function ownApp(seen: string[]) {
  const app = new Hono();
  app.use(async (c, next) => {
    seen.push(c.req.path);
    if (c.req.header('x-banned') !== undefined) return c.text('banned by the app', 418);
    await next();
    c.header('x-own', 'yes');
    return undefined;
  });
  app.get('/mine', (c) => c.text('mine'));
  app.notFound((c) => c.text('nothing of mine', 404));
  return app;
}

function mounted(seen: string[] = []): Fetch {
  const app = ownApp(seen).route('/v1/ai', createWorker({ agents }).app);
  return async (path, init) => app.fetch(new Request(`${HOST}${path}`, init), env, context);
}

function tenants(): Fetch {
  const app = ownApp([]).route('/t/:tenant/ai', createWorker({ agents }).app);
  return async (path, init) => app.fetch(new Request(`${HOST}${path}`, init), env, context);
}

function based(): Fetch {
  const offshoot = createWorker({ agents, basePath: '/v1/ai' });
  return (path, init) => offshoot.fetch(new Request(`${HOST}${path}`, init), env, context);
}

const json = async (response: Response): Promise<JsonObject> => await response.json();

async function started(fetch: Fetch, base: string, at: string): Promise<JsonObject> {
  const body = JSON.stringify({ message: told({ text: 'Hi' }) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}${at}/start`, { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  return json(response);
}

describe.each([
  ['by its option', based, '/v1/ai'],
  ['by an app that mounts it', mounted, '/v1/ai'],
  ['by an app, with a parameter', tenants, '/t/J%C3%B6rg/ai'],
])('a base path %s', (_how, make, base) => {
  it('[A78] is before every link, and before no address', async () => {
    const [fetch, at] = [make(), address()];
    const answer = await started(fetch, base, at);
    expect(answer).toMatchObject({ address: at, streamUrl: `${base}${at}/stream?from=1` });
    const stream = await (await fetch(String(answer.streamUrl))).text();
    expect(stream).toContain('run_completed');
    const status = await json(await fetch(`${base}${at}/status`));
    expect(status).toMatchObject({ address: at, status: 'completed' });
    const welcome = await json(await fetch(base));
    expect(welcome).toMatchObject({ agents: `${base}/directory/agents`, api: `${base}/openapi.json` });
    expect((await fetch(String(welcome.agents))).status).toBe(200);
    const { servers, paths } = await json(await fetch(String(welcome.api)));
    expect(servers).toEqual([{ url: base }]);
    expect(isObject(paths) && Object.keys(paths)).toContain('/agents/{class}/{name}/start');
  });

  it('[A78] is part of no file, and of its part that is asked for', async () => {
    const [fetch, at] = [make(), address()];
    await started(fetch, base, at);
    const headers = { 'content-length': '5' };
    const put = await fetch(`${base}${at}/files/a%2Fb.md`, { method: 'PUT', headers, body: 'hello' });
    expect([put.status, await json(put)]).toMatchObject([201, { path: 'a/b.md', size: 5 }]);
    const part = await fetch(`${base}${at}/files/a%2Fb.md`, { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'el']);
  });

  it('[A78] is before the links of a socket, which calls and reads as anywhere', async () => {
    const [fetch, at] = [make(), address()];
    await started(fetch, base, at);
    const opened = await fetch(`${base}${at}`, { headers: { upgrade: 'websocket' } });

    expect(opened.status).toBe(101);
    const frames: JsonObject[] = [];
    opened.webSocket?.addEventListener('message', ({ data }) => {
      const frame = String(data);
      if (frame.includes('"offshoot.')) frames.push(JSON.parse(frame));
    });
    opened.webSocket?.accept();
    opened.webSocket?.send(JSON.stringify({ type: 'offshoot.subscribe' }));
    await vi.waitFor(() => expect(frames.some(({ type }) => type === 'offshoot.up-to-date')).toBe(true));
    const body = { message: told({ text: 'Again' }) };
    opened.webSocket?.send(JSON.stringify({ type: 'offshoot.call', id: 1, verb: 'start', body }));
    await vi.waitFor(() => expect(frames.some(({ type }) => type === 'offshoot.result')).toBe(true));
    const result = frames.find(({ type }) => type === 'offshoot.result');
    expect(result).toMatchObject({ ok: true, body: { address: at } });
    expect(JSON.stringify(result)).toMatch(new RegExp(`"streamUrl":"${base}${at}/stream\\?from=\\d+"`));
    opened.webSocket?.close();
  });

  it('[A78, A124] is before each path that a refusal advises', async () => {
    const [fetch, at] = [make(), address()];
    const adviceFor = async (path: string, method = 'GET') => {
      const { detail } = await json(await fetch(`${base}${path}`, { method }));
      return String(detail);
    };
    const nobody = '/agents/top/nobody';
    expect(await adviceFor(`${nobody}/status`)).toContain(`Start it with POST ${base}${nobody}/start.`);
    expect(await adviceFor(`${nobody}/stream`)).toContain(`Start it with POST ${base}${nobody}/start.`);
    expect(await adviceFor(`${nobody}/sub/leaf/1~1/status`)).toContain(` GET ${base}${nobody}/tree lists`);
    expect(await adviceFor('/agents/nothing/x/status')).toContain(` See ${base}/directory/agents for`);
    expect(await adviceFor(`${nobody}/statsu`)).toContain(`Did you mean ${base}${nobody}/status? See ${base}/openapi`);
    expect(await adviceFor('/agents/top/status')).toContain(`missing: ${base}/agents/top/{name}/status,`);
    expect(await adviceFor(nobody)).toContain(`Read an agent at ${base}${nobody}/status.`);
    await started(fetch, base, at);
    const opened = await fetch(`${base}${at}`, { headers: { upgrade: 'websocket' } });
    const frames: string[] = [];
    opened.webSocket?.addEventListener('message', ({ data }) => frames.push(String(data)));
    opened.webSocket?.accept();
    opened.webSocket?.send(JSON.stringify({ type: 'offshoot.call', id: 1, verb: 'none' }));
    const advice = `See x-offshoot-verb in ${base}/openapi.json`;
    await vi.waitFor(() => expect(frames.some((frame) => frame.includes(advice))).toBe(true));
    opened.webSocket?.close();
  });

  it('[A78] changes nothing about who may do what, and who is asked', async () => {
    const asked: unknown[] = [];
    const at = address();
    const authorize = (request: Request, question: object) => {
      asked.push({ ...question, path: new URL(request.url).pathname });
      return { refused: 'forbidden' as const };
    };
    const offshoot = createWorker({ agents, authorize, basePath: make === based ? base : '' });
    const app =
      make === based ? offshoot.app : new Hono().route(make === mounted ? base : '/t/:tenant/ai', offshoot.app);
    const refused = await app.fetch(new Request(`${HOST}${base}${at}/status`), env, context);
    expect([refused.status, (await json(refused)).code]).toEqual([403, 'forbidden']);
    expect(asked).toEqual([{ address: at, action: 'read', path: `${base}${at}/status` }]);
    const foreign = await make()(`${base}${at}/start`, { method: 'POST', headers: { origin: 'https://evil.example' } });
    expect([foreign.status, (await json(foreign)).code]).toEqual([403, 'forbidden']);
  });
});

describe('an app with routes of its own', () => {
  it('[A79] F150: keeps them beside its agents, and its middleware and its 404, also where its pages come from elsewhere', async () => {
    const seen: string[] = [];
    const fetch = mounted(seen);
    expect(await (await fetch('/mine')).text()).toBe('mine');
    const { streamUrl } = await started(fetch, '/v1/ai', address());
    expect(await (await fetch(String(streamUrl))).text()).toContain('run_completed');
    seen.splice(1);
    const nothing = await fetch('/v1/ai/nothing', { method: 'POST', headers: { origin: 'https://evil.example' } });
    expect([nothing.status, await nothing.text()]).toEqual([404, 'nothing of mine']);
    const banned = await fetch('/v1/ai/healthz', { headers: { 'x-banned': '1' } });
    expect([banned.status, await banned.text()]).toEqual([418, 'banned by the app']);
    const health = await fetch('/v1/ai/healthz');
    expect([health.status, health.headers.get('x-own')]).toEqual([200, 'yes']);
    expect(seen).toEqual(['/mine', '/v1/ai/nothing', '/v1/ai/healthz', '/v1/ai/healthz']);
  });

  it.each(['', '/ai'])('[A79] is told null for what is not ours, below "%s"', async (basePath) => {
    const offshoot = createWorker({ agents, basePath });
    const route = (path: string, init?: RequestInit) =>
      routeOffshootRequest(new Request(`${HOST}${path}`, init), env, context, offshoot);
    const at = address();
    for (const path of ['/mine', `${basePath}/mine`, `${basePath}/agents`, `${basePath}/agents/other/one`, '/aix'])
      expect([path, await route(path, { method: 'POST', headers: { origin: 'https://evil.example' } })]).toEqual([
        path,
        null,
      ]);
    const ours = [`${basePath}/healthz`, `${basePath}/directory/agents`, `${basePath}/openapi.json`];
    for (const path of ours) expect([path, (await route(path))?.status]).toEqual([path, 200]);
    expect((await route(`${basePath}${at}/status`))?.status).toBe(404);
    expect((await route(`${basePath}${at}/nothing`))?.status).toBe(404);
    if (basePath !== '') expect(await route(`${at}/status`)).toBe(null);
  });

  it.each(['ai', '/ai/', '/', '/a b', '/../ai', '//ai', '/ai?x', '/:tenant'])(
    '[A78] has no base path "%s"',
    (basePath) => {
      expect(() => createWorker({ agents, basePath })).toThrow(/basePath must be a path like "\/ai"/);
    },
  );
});
