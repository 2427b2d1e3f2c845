/** Signed tokens and tickets, as people have them: made, shown, taken back, over HTTP and sockets. */
import { evictDurableObject } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { secretsOf } from '../../../src/access/auth';
import { type Claims, signed } from '../../../src/access/signed';
import { PASS_HEADER } from '../../../src/engine/object/object-calls';
import type { JsonObject } from '../../../src/protocol/json';
import type { Action } from '../../../src/protocol/shown/actions';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { VERBS } from '../../../src/verbs/table';
import { MAX_TOKENS } from '../../../src/verbs/tokens';
import { createWorker } from '../../../src/worker';
import { address, del, get, HOST, post, problemIn, send, socketIn } from '../../support/api';
import { bindings } from '../../support/bindings';
import { openGate, told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';
import { items, publishes, threeAtGate, threeLevels, waiting, yes } from '../standing';

const KEY = 'a-key-of-the-tests-alone-0123456789abcdef';
const HOUR = 3_600;
const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager];

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** A root that has answered once. */
async function root(): Promise<string> {
  const at = address();
  await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
  return at;
}

/** A token for these actions. */
async function token(at: string, actions: readonly Action[], more: JsonObject = {}, headers = {}) {
  const made = await post(`${at}/tokens`, { actions: [...actions], ttlSeconds: HOUR, ...more }, headers);
  expect(made.status).toBe(201);
  return made.body;
}

/** The status and the code of what comes back. */
async function outcome(method: string, path: string, headers: Record<string, string>, body?: JsonObject) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await send(path, { method, headers: { 'content-type': 'application/json', ...headers }, ...json });
  const text = await response.text();
  return [response.status, text.startsWith('{') ? JSON.parse(text).code : undefined];
}

/** Opens a socket; its closing code comes later. */
async function socket(path: string, headers: Record<string, string> = {}) {
  const response = await send(path, { headers: { upgrade: 'websocket', ...headers } });
  if (response.status !== 101) return { status: response.status, code: (await problemIn(response)).code };
  const opened = socketIn(response);
  const found: { status: number; code?: string; closed?: number; socket: WebSocket } = { status: 101, socket: opened };
  opened.accept();
  opened.addEventListener('close', ({ code }) => {
    found.closed = code;
  });
  return found;
}

describe('a signed token', () => {
  it('[TK1, TK2] does at and below its address what it says, and nothing else anywhere', async () => {
    const { at, middle } = await threeLevels({ text: 'l' });
    const other = await root();
    const { token: text } = await token(middle, ['read']);
    const mine = bearer(text);
    expect(await outcome('GET', `${middle}/status`, mine)).toEqual([200, undefined]);
    expect(await outcome('GET', `${middle}/sub/leaf/1~1/messages`, mine)).toEqual([200, undefined]);
    for (const path of [`${at}/status`, `${other}/status`, '/directory/roots', '/', '/openapi.json'])
      expect([path, ...(await outcome('GET', path, mine))]).toEqual([path, 403, 'forbidden']);
    expect(await outcome('POST', `${middle}/terminate`, mine, {})).toEqual([403, 'forbidden']);
    expect(await outcome('GET', `${middle}x/status`, mine)).toEqual([403, 'forbidden']);
    expect((await get('/healthz', mine)).status).toBe(200);
  });

  it('[TK1] is asked before `authorize`, whose say it needs not', async () => {
    const at = await root();
    const { token: text } = await token(at, ['read']);
    const asked: string[] = [];
    const worker = createWorker({
      agents,
      authorize(_request, { action }) {
        asked.push(action);
        return { refused: 'unauthorized' };
      },
    });
    const ask = (headers: Record<string, string>) =>
      worker.fetch(
        new Request(`http://agents.example${at}/status`, { headers }),
        { OFFSHOOT_SIGNING_KEY: KEY },
        { exports },
      );
    expect((await ask(bearer(text))).status).toBe(200);
    expect(asked).toEqual([]);
    expect((await ask({})).status).toBe(401);
    expect(asked).toEqual(['read']);
  });

  it('[TK1] is refused when anything of it was changed, or another key has signed it', async () => {
    const at = await root();
    const { token: text, id, expiresAt } = await token(at, ['read']);
    const [payload = '', mac = ''] = text.slice('ofs_'.length).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toEqual({ id, at, may: ['read'], exp: expiresAt });
    const more = Buffer.from(JSON.stringify({ ...claims, may: ['read', 'admin'] })).toString('base64url');
    const forged = [
      `ofs_${more}.${mac}`,
      `ofs_${payload}.${mac.slice(0, -2)}`,
      `ofs_${payload}.`,
      `ofs_${payload}`,
      `ofs_${payload}.${mac}.${mac}`,
      'ofs_',
      `ofs_${'x'.repeat(10_000)}.${mac}`,
      await signed(claims, 'another-key-that-this-server-has-not-000000'),
    ];
    for (const each of forged)
      expect([each.slice(0, 20), ...(await outcome('GET', `${at}/status`, bearer(each)))]).toEqual([
        each.slice(0, 20),
        401,
        'unauthorized',
      ]);
    expect(await outcome('GET', `${at}/status`, bearer(text))).toEqual([200, undefined]);
  });

  it('[TK2] counts until its time is up, which is 1 s to 30 days', async () => {
    const at = await root();
    const over: Claims = { id: 't_over', at, may: ['read'], exp: Date.now() - 1 };
    expect(await outcome('GET', `${at}/status`, bearer(await signed(over, KEY)))).toEqual([401, 'unauthorized']);
    for (const [ttlSeconds, status] of [
      [0, 400],
      [1, 201],
      [2_592_000, 201],
      [2_592_001, 400],
      [1.5, 400],
    ] as const)
      expect([ttlSeconds, (await post(`${at}/tokens`, { actions: ['read'], ttlSeconds })).status]).toEqual([
        ttlSeconds,
        status,
      ]);
  });

  it('[TK3] is neither made nor taken without a key of 32 characters; any of several keys verifies', async () => {
    const at = await root();
    const { token: text } = await token(at, ['read']);
    const worker = createWorker({ agents });
    const ask = async (env: object) => {
      const request = new Request(`${HOST}${at}/status`, { headers: bearer(text) });
      const response = await worker.fetch(request, env, { exports });
      return [response.status, (await problemIn(response)).code];
    };
    for (const key of [undefined, '', 'x'.repeat(31), `${KEY},short`])
      expect([key, ...(await ask({ OFFSHOOT_SIGNING_KEY: key }))]).toEqual([key, 503, 'signing_not_configured']);
    const newer = 'n'.repeat(32);
    expect(await ask({ OFFSHOOT_SIGNING_KEY: newer })).toEqual([401, 'unauthorized']);
    expect(await ask({ OFFSHOOT_SIGNING_KEY: `${newer}, ${KEY}` })).toEqual([200, undefined]);
    expect(secretsOf({ OFFSHOOT_SIGNING_KEY: 7, OFFSHOOT_TOKEN: 'x' })).toEqual({ token: 'x', signingKey: undefined });
  });

  it('[TK4] is taken back at once, with those that were made by it, also after the root was lost from memory', async () => {
    const at = await root();
    const first = await token(at, ['read', 'share']);
    const second = await token(at, ['read'], {}, bearer(first.token));
    expect(await outcome('GET', `${at}/status`, bearer(second.token))).toEqual([200, undefined]);
    expect((await del(`${at}/tokens/${first.id}`)).status).toBe(204);
    for (const each of [first, second])
      expect(await outcome('GET', `${at}/status`, bearer(each.token))).toEqual([401, 'unauthorized']);
    await evictDurableObject(bindings.TOP.getByName(at.split('/')[3] ?? ''));
    for (const each of [first, second])
      expect(await outcome('GET', `${at}/status`, bearer(each.token))).toEqual([401, 'unauthorized']);
    const kept = await items(`${at}/tokens`);
    expect(kept.map(({ id, revokedAt }) => [id, revokedAt !== undefined]).sort()).toEqual(
      [
        [first.id, true],
        [second.id, false],
      ].sort(),
    );
    expect((await del(`${at}/tokens/t_none`)).body.code).toBe('not_found');
  });

  it('[TK4] of a root that was deleted counts for nothing at its successor', async () => {
    const at = await root();
    const { token: text } = await token(at, ['read', 'write']);
    await del(at);
    await post(`${at}/start`, { message: told({ text: 'y' }), wait: true });
    expect(await outcome('GET', `${at}/status`, bearer(text))).toEqual([401, 'unauthorized']);
  });

  it('[TK4] closes the socket that it has opened when it is taken back', async () => {
    const at = await root();
    const first = await token(at, ['read', 'share']);
    const made = await token(at, ['read'], {}, bearer(first.token));
    const opened = await socket(at, { 'sec-websocket-protocol': `offshoot, ${made.token}` });
    const other = await socket(at);
    expect([opened.status, other.status]).toEqual([101, 101]);
    await del(`${at}/tokens/${first.id}`);
    await vi.waitFor(() => expect(opened).toMatchObject({ closed: 4401 }));
    expect(other).not.toHaveProperty('closed');
    if ('socket' in other) other.socket.close();
  });

  it('[TK5] for one call shows it, answers it, and does nothing else', async () => {
    const { at, leaf } = await threeLevels(publishes('l'), { text: 'l' });
    const [item] = await waiting(at, 1);
    const toolCallId = String(item?.toolCallId);
    const mine = bearer((await token(at, ['read', 'answer'], { toolCallId })).token);
    for (const { name, method, path } of VERBS) {
      if (name === 'pending' || name === 'submit' || name === 'fork' || name === 'createToken') continue;
      const where = `${at}${path === '' ? '' : `/${path.replace('{path}', 'a.md')}`}`;
      const body = method === 'POST' ? { POST: {} }.POST : undefined;
      const [status, code] = await outcome(method, where, { ...mine, 'content-length': '0' }, body);
      expect([name, status === 403 || status === 400 || status === 411, code]).toEqual([
        name,
        true,
        expect.any(String),
      ]);
      expect([name, code]).not.toEqual([name, undefined]);
    }
    expect(await outcome('GET', `${at}/status`, mine)).toEqual([403, 'forbidden']);
    expect(await outcome('GET', `${at}/stream`, mine)).toEqual([403, 'forbidden']);
    const other = { toolCallId: 'c_other', kind: 'approval-response', approved: true };
    expect(await outcome('POST', `${at}/tool-results`, mine, other)).toEqual([403, 'forbidden']);
    expect(await socket(at, { 'sec-websocket-protocol': `offshoot, ${mine.authorization?.slice(7)}` })).toMatchObject({
      status: 403,
    });
    expect((await get(`${at}/pending`, mine)).body.items.map((one) => one.toolCallId)).toEqual([toolCallId]);
    expect(await outcome('POST', `${at}/tool-results`, mine, yes(toolCallId))).toEqual([202, undefined]);
    expect((await get(`${leaf}/audit`)).body.items.map(({ actor }) => actor)).toContainEqual(
      expect.stringMatching(/^token:t_/),
    );
  });

  it('[TK5] for one call is made for a call that waits there, for `read` and `answer` alone', async () => {
    const { at, middle } = await threeLevels(publishes('l'), { text: 'l' });
    const [item] = await waiting(at, 1);
    const toolCallId = String(item?.toolCallId);
    const ask = async (where: string, body: JsonObject) => {
      const made = await post(`${where}/tokens`, { ttlSeconds: 60, ...body });
      return [made.status, made.body.code];
    };
    expect(await ask(middle, { actions: ['answer'], toolCallId })).toEqual([201, undefined]);
    expect(await ask(middle, { actions: ['answer'], toolCallId: 'c_none' })).toEqual([404, 'unknown_tool_call']);
    expect(await ask(await root(), { actions: ['answer'], toolCallId })).toEqual([404, 'unknown_tool_call']);
    expect(await ask(at, { actions: ['answer', 'stop'], toolCallId })).toEqual([400, 'invalid_request']);
  });

  it('[TK6] gives no right that its maker has not, and ends no later', async () => {
    const at = await root();
    const maker = await token(at, ['read', 'share'], { ttlSeconds: 100 });
    const mine = bearer(maker.token);
    expect(await outcome('POST', `${at}/tokens`, mine, { actions: ['read', 'stop'], ttlSeconds: 60 })).toEqual([
      403,
      'forbidden',
    ]);
    const later = await token(at, ['read'], { ttlSeconds: HOUR }, mine);
    expect(later.expiresAt).toBe(maker.expiresAt);
    const reader = bearer((await token(at, ['read'])).token);
    expect(await outcome('POST', `${at}/tokens`, reader, { actions: ['read'], ttlSeconds: 60 })).toEqual([
      403,
      'forbidden',
    ]);
    expect(await outcome('GET', `${at}/tokens`, reader)).toEqual([403, 'forbidden']);
  });

  it('[TK7] is given once for a key, and its text is in no list and no audit', async () => {
    const at = await root();
    const key = { 'idempotency-key': 'once' };
    const first = await token(at, ['read'], { label: 'For Ann' }, key);
    expect(await token(at, ['read'], { label: 'For Ann' }, key)).toEqual(first);
    const other = await post(`${at}/tokens`, { actions: ['stop'], ttlSeconds: HOUR }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    const listed = await get(`${at}/tokens`);
    expect(listed.body.items).toEqual([
      expect.objectContaining({ id: first.id, actions: ['read'], label: 'For Ann', createdBy: 'local', ticket: false }),
    ]);
    const audit = await get(`${at}/audit`);
    for (const shown of [listed.body, audit.body]) expect(JSON.stringify(shown)).not.toContain('ofs_');
  });

  it('[TK7, X34] is one of as many as are free beside those of its caller, who may take them back', async () => {
    const at = await root();
    const make = (headers = {}) => post(`${at}/tokens`, { actions: ['read', 'share'], ttlSeconds: HOUR }, headers);
    const some = await Promise.all(Array.from({ length: MAX_TOKENS / 2 - 1 }, () => make()));
    expect(new Set(some.map(({ status }) => status))).toEqual(new Set([201]));
    const last = await make();
    expect([last.status, (await make()).body.code]).toEqual([201, 'too_many_tokens']);
    await del(`${at}/tokens/${some[0]?.body.id}`);
    expect([(await make()).status, (await make()).body.code]).toEqual([201, 'too_many_tokens']);
    // Whoever has one of them has a share of the rest, with all that it makes.
    const their = bearer(last.body.token);
    const made = await make(their);
    expect(made.status).toBe(201);
    const more = bearer(made.body.token);
    const rest = await Promise.all(Array.from({ length: MAX_TOKENS / 4 - 1 }, () => make(more)));
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([201]));
    for (const headers of [their, more]) expect((await make(headers)).body.code).toBe('too_many_tokens');
  });

  it('[TK4] of a root that was deleted counts for nothing at the next one, also when its key is used again', async () => {
    const at = await root();
    const key = { 'idempotency-key': 'one' };
    const { token: old } = await token(at, ['read', 'admin'], {}, key);
    expect((await del(at)).status).toBe(204);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).status).toBe(404));
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const { token: next } = await token(at, ['read'], {}, key);
    expect(await outcome('GET', `${at}/status`, bearer(next))).toEqual([200, undefined]);
    expect(await outcome('GET', `${at}/status`, bearer(old))).toEqual([401, 'unauthorized']);
  });
});

describe('a ticket', () => {
  it('[TK8] opens one socket, once, and is no token', async () => {
    const at = await root();
    const made = await post(`${at}/tickets`, {});
    expect(made.status).toBe(201);
    const { token: text, expiresAt } = made.body;
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await outcome('GET', `${at}/status`, bearer(text))).toEqual([401, 'unauthorized']);
    expect(await outcome('GET', `${at}/status?ticket=${text}`, {})).toEqual([400, 'invalid_request']);
    const opened = await socket(`${at}?ticket=${text}`);
    if (!('socket' in opened)) throw new Error(`No socket: ${opened.status}.`);
    const frames: string[] = [];
    opened.socket.addEventListener('message', ({ data }) => frames.push(String(data)));
    opened.socket.send(JSON.stringify({ type: 'offshoot.call', id: '1', verb: 'status', body: {} }));
    opened.socket.send(JSON.stringify({ type: 'offshoot.call', id: '2', verb: 'terminate', body: {} }));
    await vi.waitFor(() => expect(frames.filter((frame) => frame.includes('offshoot.result'))).toHaveLength(2));
    expect(frames.find((frame) => frame.includes('"1"'))).toContain('"ok":true');
    expect(frames.find((frame) => frame.includes('"2"'))).toContain('forbidden');
    expect(frames.join()).not.toContain('ofs_');
    expect(await socket(`${at}?ticket=${text}`)).toMatchObject({ status: 401, code: 'unauthorized' });
    const { token: reader } = await token(at, ['read']);
    expect(await socket(`${at}?ticket=${reader}`)).toMatchObject({ status: 401, code: 'unauthorized' });
    opened.socket.close();
  });

  it('[X44, TK10] reaches no handler of the agent at any level, and neither does a secret or a pass', async () => {
    const requests: Request[] = [];
    for (const { prototype } of [Top, Leaf])
      vi.spyOn(prototype, 'onConnect').mockImplementation((_, { request }) => void requests.push(request));
    const { at, leaf, gate } = await threeAtGate();
    const sockets: WebSocket[] = [];
    onTestFinished(() => {
      vi.restoreAllMocks();
      for (const each of sockets) each.close();
      openGate(gate);
    });
    for (const level of [at, leaf]) {
      const { token: ticket } = (await post(`${level}/tickets`, {})).body;
      const { token: reader } = await token(level, ['read']);
      const opened = [
        await socket(`${level}?ticket=${ticket}&mine=1`, {
          ...{ 'x-mine': '1', 'cf-access-jwt-assertion': 'ofs_access' },
          cookie: 'CF_Authorization=ofs_access; a=1; CF_Authorization=ofs_more; b=2',
        }),
        await socket(`${level}?mine=1`, { ...bearer(reader), 'x-mine': '1' }),
        await socket(`${level}?mine=1`, { 'sec-websocket-protocol': `offshoot, ${reader}`, 'x-mine': '1' }),
      ];
      sockets.push(...opened.flatMap((each) => ('socket' in each ? [each.socket] : [])));
      expect(opened.map(({ status }) => status)).toEqual([101, 101, 101]);
      expect(requests[0]?.headers.get('cookie')).toBe('a=1; b=2');
      for (const { url, headers } of requests.splice(0, 3)) {
        const { searchParams } = new URL(url);
        expect([searchParams.get('mine'), headers.get('x-mine')]).toEqual(['1', '1']);
        expect(searchParams.has('ticket')).toBe(false);
        const secret = ['authorization', 'sec-websocket-protocol', PASS_HEADER].filter((name) => headers.has(name));
        expect([level, secret, JSON.stringify([url, ...headers]).includes('ofs_')]).toEqual([level, [], false]);
      }
    }
  });

  it('[TK7, TK8] counts for 60 s where it opens nothing, and then as a socket alone', async () => {
    const at = await root();
    const reader = bearer((await token(at, ['read'])).token);
    const ticket = async () => (await post(`${at}/tickets`, {}, reader)).body;
    for (let n = 0; n < 20; n++) {
      const { token: text, id } = await ticket();
      const opened = await socket(`${at}?ticket=${text}`);
      if (!('socket' in opened)) throw new Error(`No socket: ${opened.status}.`);
      const known = async () => (await get(`${at}/tokens?limit=500`)).body.items.map(({ id: one }) => one);
      expect(await known()).toContain(id);
      opened.socket.close();
      await vi.waitFor(async () => expect(await known()).not.toContain(id));
      expect(await socket(`${at}?ticket=${text}`)).toMatchObject({ status: 401 });
    }
  });

  it('[X34] holds sockets and streams with its maker: one token leaves some for everybody else', async () => {
    const at = await root();
    const reader = bearer((await token(at, ['read'])).token);
    const sockets: WebSocket[] = [];
    const open = async (path: string, headers = {}) => {
      const opened = await socket(path, headers);
      if ('socket' in opened) sockets.push(opened.socket);
      return 'code' in opened ? opened.code : opened.status;
    };
    const byTicket = async () => open(`${at}?ticket=${(await post(`${at}/tickets`, {}, reader)).body.token}`);
    for (let n = 0; n < WIRE_LIMITS.maxSockets / 2; n++) expect(await byTicket()).toBe(101);
    expect([await byTicket(), await open(at, reader)]).toEqual(['too_many_sockets', 'too_many_sockets']);
    expect(await open(at)).toBe(101);
    const streams: Response[] = [];
    const stream = async (headers = {}) => {
      const answer = await send(`${at}/stream?follow=1`, { headers });
      if (answer.ok) streams.push(answer);
      return answer.ok ? answer.status : (await problemIn(answer)).code;
    };
    for (let n = 0; n < WIRE_LIMITS.maxStreams / 2; n++) expect(await stream(reader)).toBe(200);
    expect([await stream(reader), await stream()]).toEqual(['too_many_streams', 200]);
    await streams[0]?.body?.cancel();
    await vi.waitFor(async () => expect(await stream(reader)).toBe(200));
    await Promise.all(streams.slice(1).map(({ body }) => body?.cancel()));
    for (const one of sockets) one.close();
  });

  it('[TK8] ends with the token that it was made by', async () => {
    const at = await root();
    const maker = await token(at, ['read']);
    const made = await post(`${at}/tickets`, {}, bearer(maker.token));
    const opened = await socket(`${at}?ticket=${made.body.token}`);
    expect(opened.status).toBe(101);
    await del(`${at}/tokens/${maker.id}`);
    await vi.waitFor(() => expect(opened).toMatchObject({ closed: 4401 }));
  });
});

describe('who asks', () => {
  it('[TK9] is told with what they may do', async () => {
    const at = await root();
    const all = ['read', 'write', 'answer', 'stop', 'share', 'admin'];
    expect((await get('/directory/me')).body).toEqual({ subject: 'local', address: '/directory', actions: all });
    expect((await get(`/directory/me?address=${at}`)).body).toMatchObject({ address: at, actions: all });
    const { token: text, id, expiresAt } = await token(at, ['read', 'stop']);
    const me = { subject: `token:${id}`, address: at, actions: ['read', 'stop'], expiresAt };
    expect((await get('/directory/me', bearer(text))).body).toEqual(me);
    expect((await get(`/directory/me?address=${await root()}`, bearer(text))).body.code).toBe('forbidden');
    expect((await get('/directory/me', bearer('ofs_x.y'))).body.code).toBe('unauthorized');
    expect((await get('/directory/me?address=nonsense')).status).toBe(400);
  });
});
