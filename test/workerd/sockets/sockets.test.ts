import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { Buffer } from 'node:buffer';
import { getSubAgentByName } from 'agents';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rootStub } from '../../../src/gateway/objects';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { isObject } from '../../../src/protocol/json';
import { serverFrameSchema } from '../../../src/protocol/wire/frames';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { createWorker } from '../../../src/worker';
import { address, del, get, HOST, post, problemIn, readAll, send, socketIn } from '../../support/api';
import { bindings, served } from '../../support/bindings';
import { deepText } from '../../support/deep';
import { type Frame, type FrameOf, framesOf } from '../../support/frames';
import { present } from '../../support/present';
import { calls, cameTo, openGate, pass, told } from '../../support/puppet';
import { noted } from '../../support/told';
import { Form, Leaf, Middle, Tiny, Top } from '../../support/worker';

const { TOP: namespace, TINY: tinies } = bindings;
const stubOf = (at: string) => namespace.getByName(at.split('/')[3] ?? '');

/** A leaf, as the SDK gives it to another Worker. */
async function bySdk(stub: DurableObjectStub, name: string) {
  return await getSubAgentByName(stub, Leaf, name);
}
/** Frames of ours that are not as they are declared. */
const strange: string[] = [];

/** Where the SDK keeps its connections. */
interface SdkSockets {
  readonly _webSockets: { getConnections(): Iterable<{ uri: string }> };
}

/** A client's side of a socket. */
class Client {
  readonly frames: Frame[] = [];
  readonly texts: string[] = [];
  closed: { code: number } | undefined;

  constructor(readonly socket: WebSocket) {
    socket.accept();
    socket.addEventListener('message', ({ data }) => {
      const text = String(data);
      this.texts.push(text);
      if (!text.startsWith('{')) return;
      const frame = JSON.parse(text);
      this.frames.push(frame);
      if (String(frame.type).startsWith('offshoot.') && !serverFrameSchema.safeParse(frame).success) strange.push(text);
    });
    socket.addEventListener('close', ({ code }) => {
      this.closed = { code };
    });
  }

  of<const Type extends string>(type: Type): FrameOf<Type>[] {
    return framesOf(this.frames, type);
  }

  say(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  get chunks(): SequencedChunk[] {
    return this.of('offshoot.chunk').map(({ sequence, chunk }) => ({ sequence, chunk }));
  }

  async until(condition: () => boolean): Promise<void> {
    await vi.waitFor(() => expect(condition()).toBe(true), { interval: 5 });
  }

  /** Calls a verb. */
  async call(verb: string, body: object = {}, more: object = {}): Promise<FrameOf<'offshoot.result'>> {
    const id = crypto.randomUUID();
    this.say({ type: 'offshoot.call', id, verb, body, ...more });
    await this.until(() => this.of('offshoot.result').some((frame) => frame.id === id));
    return present(this.of('offshoot.result').find((frame) => frame.id === id));
  }
}

async function connect(path: string, headers: Record<string, string> = {}): Promise<Client> {
  const response = await send(path, { headers: { upgrade: 'websocket', ...headers } });
  if (response.webSocket === null)
    throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return new Client(response.webSocket);
}

afterEach(() => {
  vi.restoreAllMocks();
  expect(strange.splice(0), '[W28]').toEqual([]);
});

/** A clock that objects made from now on go by, and that can be set on. */
function setClock(): { ahead: number } {
  const clock = { ahead: 0 };
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + clock.ahead);
  return clock;
}

/** Waits until a root has ended and told its directory so. */
async function settled(at: string): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = (await get('/directory/roots?agent=top&status=completed&limit=500')).body;
    expect(items.map((root) => root.address)).toContain(at);
  });
}

/** Lets a root sleep: a sleep waits for what is under way. */
async function sleep(at: string): Promise<void> {
  await settled(at);
  await evictDurableObject(stubOf(at));
}

/** A root whose three levels wait at a gate. */
async function threeLevels(): Promise<{ at: string; middle: string; leaf: string }> {
  const at = address();
  await post(`${at}/start`, {
    message: told(calls('middle', [calls('leaf', [{ gate: at, text: 'l' }]), { text: 'm' }]), { text: 't' }),
  });
  const middle = `${at}/sub/middle/1~1`;
  const leaf = `${middle}/sub/leaf/1~1`;
  await vi.waitFor(async () => expect((await get(`${leaf}/messages`)).body.items).toHaveLength(1));
  return { at, middle, leaf };
}

describe('subscribing', () => {
  it('[W8] gives the chunks from a sequence on, then live, then says that all was given', async () => {
    const { at } = await threeLevels();
    const client = await connect(at);
    client.say({ type: 'offshoot.subscribe' });
    await client.until(() => client.of('offshoot.up-to-date').length === 1);
    const before = client.chunks.length;
    expect(before).toBeGreaterThan(0);
    openGate(at);
    await client.until(() => client.of('offshoot.status').some(({ status }) => status.status === 'completed'));
    const { chunks } = await readAll(`${at}/stream`);
    expect(client.chunks).toEqual(chunks);
    expect(client.of('offshoot.up-to-date')).toHaveLength(1);
    const last = client.of('offshoot.status').at(-1)?.status;
    expect(last).toEqual((await get(`${at}/status`)).body);
  });

  it('[W8] goes on after a reconnect without gap or repeat', async () => {
    const { at } = await threeLevels();
    const first = await connect(at);
    first.say({ type: 'offshoot.subscribe', from: 1 });
    await first.until(() => first.of('offshoot.up-to-date').length === 1);
    first.socket.close();
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    const second = await connect(at);
    second.say({ type: 'offshoot.subscribe', from: first.chunks.length + 1 });
    await second.until(() => second.of('offshoot.up-to-date').length === 1);
    expect([...first.chunks, ...second.chunks]).toEqual((await readAll(`${at}/stream`)).chunks);
  });

  it('[W8, W4] L45: at a sub-agent gives its subtree alone', async () => {
    const { at, middle } = await threeLevels();
    const client = await connect(middle);
    client.say({ type: 'offshoot.subscribe' });
    openGate(at);
    await client.until(() => client.of('offshoot.status').some(({ status }) => status.status === 'completed'));
    expect(client.chunks).toEqual((await readAll(`${middle}/stream`)).chunks);
    expect(client.of('offshoot.status').at(-1)?.status).toMatchObject({ address: middle, agentType: 'middle' });
  });

  it('[W8, W3] from beyond the end is told to begin anew', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    client.say({ type: 'offshoot.subscribe', from: 999 });
    await client.until(() => client.of('offshoot.up-to-date').length === 1);
    expect(client.of('offshoot.reset')).toEqual([{ type: 'offshoot.reset', from: 1 }]);
    expect(client.chunks[0]).toMatchObject({ sequence: 1 });
  });

  it('[W28] sends each kind of frame as it is declared, and what is none is known as such', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    client.say({ type: 'offshoot.subscribe', from: 999 });
    await client.call('runs');
    await client.call('no-such-verb');
    client.say({ type: 'offshoot.subscribe', from: 'x' });
    const declared = ['chunk', 'reset', 'up-to-date', 'status', 'result', 'error'].map((kind) => `offshoot.${kind}`);
    await client.until(() => declared.every((type) => client.of(type).length > 0));
    for (const frame of declared.flatMap((type) => client.of(type))) {
      const { type, ...rest } = frame;
      const [missing] = Object.keys(rest);
      expect(serverFrameSchema.safeParse({ ...frame, [missing ?? '']: undefined }).success, String(type)).toBe(false);
    }
  });

  it('[W12] goes on after the root has slept', async () => {
    const { at } = await threeLevels();
    const client = await connect(at);
    client.say({ type: 'offshoot.subscribe' });
    await client.until(() => client.of('offshoot.up-to-date').length === 1);
    openGate(at);
    await sleep(at);
    await post(`${at}/start`, { message: told({ text: 'next' }), wait: true });
    await client.until(() =>
      client.chunks.some(({ chunk }) => chunk.type === 'run_completed' && chunk.output === 'next'),
    );
    expect(client.chunks).toEqual((await readAll(`${at}/stream`)).chunks);
    expect((await client.call('status')).body).toMatchObject({ status: 'completed', run: { output: 'next' } });
  });
});

describe('calling', () => {
  it('[A60, W10] who comes while a run goes on is told which one over a socket, too', async () => {
    const at = address();
    const gate = crypto.randomUUID();
    const { runId } = (await post(`${at}/start`, { message: told({ gate, text: 'ok' }) })).body;
    const client = await connect(at);
    expect(await client.call('start', { message: 'x' })).toMatchObject({
      ok: false,
      body: { code: 'already_running', details: { status: 'running', runId } },
    });
    openGate(gate);
    client.socket.close();
  });

  it('[W10] answers any verb as HTTP does', async () => {
    const { at, leaf } = await threeLevels();
    const client = await connect(at);
    for (const verb of [
      'status',
      'tree',
      'runs',
      'calls',
      'logs',
      'state',
      'limits',
      'children',
      'usage',
      'schedules',
      'files',
    ]) {
      const answer = await client.call(verb);
      expect(answer).toMatchObject({ ok: true, body: (await get(`${at}/${verb}`)).body });
    }
    expect((await client.call('tree', { depth: 0 })).body).toMatchObject({ nodes: [] });
    const below = await connect(leaf);
    expect((await below.call('send', { content: 'over the socket' }, { idempotencyKey: 'k' })).body).toMatchObject({
      delivery: 'queued',
    });
    const again = await below.call('send', { content: 'over the socket' }, { idempotencyKey: 'k' });
    expect(again.ok).toBe(true);
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${leaf}/status`)).body.status).toBe('completed'));
    const said = (await get(`${leaf}/messages`)).body.items.filter(({ content }) => content === 'over the socket');
    expect(said).toHaveLength(1);
  });

  it('[W10] starts and deletes', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    expect(await client.call('start', { message: told({ text: 'y' }), wait: true })).toMatchObject({
      ok: true,
      body: { run: { output: 'y' } },
    });
    expect(await client.call('remove')).toMatchObject({ ok: true });
    await client.until(() => client.closed !== undefined);
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it.each([
    ['nothing', {}, 'not_found'],
    ['stream', {}, 'invalid_request'],
    ['readFile', { path: 'a' }, 'invalid_request'],
    ['tree', { depth: -1 }, 'invalid_request'],
    ['send', {}, 'invalid_request'],
    ['send', { content: 'x', more: 1 }, 'invalid_request'],
    ['runs', { cursor: 'x' }, 'invalid_cursor'],
  ])('[W10] answers a bad call of %s with %j as an error', async (verb, body, code) => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    expect(await client.call(verb, body)).toMatchObject({ ok: false, body: { code, title: expect.any(String) } });
    expect((await client.call('status')).ok).toBe(true);
  });

  it('[A81] begins a run in the trace that the call names, and refuses what is none', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const body = { message: told({ text: 'y' }), wait: true };
    expect(await client.call('start', body, { traceparent })).toMatchObject({
      ok: true,
      body: { run: { traceparent } },
    });
    client.say({ type: 'offshoot.call', id: 1, verb: 'start', body, traceparent: 'x' });
    await client.until(() => client.of('offshoot.error').length === 1);
    expect(client.of('offshoot.error')).toMatchObject([{ code: 'invalid_request' }]);
    client.socket.close();
  });

  it('[W11, W10, JS1] takes a call whose body has 100 levels, as over HTTP, and one error answers a deeper one', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    const body = (levels: number) => `{"message":"again","metadata":${deepText(levels - 1)}}`;
    const frame = (id: string, levels: number) =>
      `{"type":"offshoot.call","id":"${id}","verb":"start","body":${body(levels)}}`;
    for (const levels of [101, 2_000, 5_000, 20_000]) client.say(frame('deep', levels));
    client.say(frame('edge', 100));
    await client.until(() => client.of('offshoot.result').length === 1);
    expect(client.of('offshoot.result')).toMatchObject([{ id: 'edge', ok: true }]);
    expect(client.of('offshoot.error').map(({ code }) => code)).toEqual(Array(4).fill('invalid_request'));
    expect((await get(`${at}/runs`)).body.items).toHaveLength(2);
  });

  it('[W11] answers a malformed or oversized frame with one error and changes nothing', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    const bad = [
      { type: 'offshoot.nothing' },
      { type: 'offshoot.subscribe', from: 'x' },
      { type: 'offshoot.subscribe', from: 0 },
      { type: 'offshoot.subscribe', more: 1 },
      { type: 'offshoot.call' },
      { type: 'offshoot.call', id: 1, verb: 2 },
      '{"type":"offshoot.call","id":"1","verb":"send","body":{"content":"x","__proto__":1}}',
    ];
    for (const frame of bad) client.say(frame);
    await client.until(() => client.of('offshoot.error').length === bad.length);
    client.say(
      JSON.stringify({ type: 'offshoot.call', id: 'big', verb: 'send', body: { content: 'x'.repeat(1_100_000) } }),
    );
    await client.until(() => client.of('offshoot.error').length === bad.length + 1);
    expect(client.of('offshoot.error').map(({ code }) => code)).toEqual([
      ...bad.map(() => 'invalid_request'),
      'payload_too_large',
    ]);
    expect((await get(`${at}/messages`)).body.items).toHaveLength(2);
    expect(client.of('offshoot.result')).toEqual([]);
    expect(client.chunks).toEqual([]);
  });

  it('[W16] measures frames in bytes, ours and others', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    const frame = (content: string) =>
      JSON.stringify({ type: 'offshoot.call', id: 'é', verb: 'status', body: {}, more: content });
    const room = 1_048_576 - frame('').length;
    // A frame of ours with a field too many is an error of another kind: it was read.
    client.say(frame('é'.repeat(room / 2)));
    client.say(frame(`x${'é'.repeat(room / 2)}`));
    client.say('é'.repeat(524_288));
    client.say(`x${'é'.repeat(524_288)}`);
    await client.until(() => client.of('offshoot.error').length === 3);
    expect(client.of('offshoot.error').map(({ code }) => code)).toEqual([
      'invalid_request',
      'payload_too_large',
      'payload_too_large',
    ]);
    await client.until(() => client.texts.some((text) => text.startsWith('top heard é')));
    expect(client.texts.filter((text) => text.startsWith('top heard'))).toHaveLength(1);
  });
});

describe("the agent's own frames", () => {
  it('[W13] reach the handlers of the agent at each level, also after everything has slept, and never ours', async () => {
    const { at, middle, leaf } = await threeLevels();
    const clients = [await connect(at), await connect(middle), await connect(leaf)];
    clients.forEach((client, level) => void client.say(`hello ${level}`));
    const heard = ['top heard hello 0', 'middle heard hello 1', 'leaf heard hello 2'];
    for (const [level, client] of clients.entries())
      await client.until(() => client.texts.includes(heard[level] ?? ''));
    for (const client of clients) expect((await client.call('status')).ok).toBe(true);
    for (const client of clients) expect(client.texts.filter((text) => text.includes('heard {'))).toEqual([]);
    openGate(at);
    await sleep(at);
    clients.forEach((client) => void client.say('{"type":"mine"}'));
    for (const [level, client] of clients.entries())
      await client.until(() => client.texts.includes(`${['top', 'middle', 'leaf'][level]} heard {"type":"mine"}`));
  });

  it('[W14] cannot change the state of the SDK, unless the author lets them', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const client = await connect(at);
    client.say({ type: 'cf_agent_state', state: { hacked: true } });
    await client.until(() => client.of('cf_agent_state_error').length === 1);
    const form = address('form');
    await post(`${form}/start`, { message: told({ finish: { answer: 'x' } }), wait: true });
    const [writer, reader] = [await connect(form), await connect(form)];
    writer.say({ type: 'cf_agent_state', state: { mine: true } });
    await reader.until(() => reader.of('cf_agent_state').some(({ state }) => isObject(state) && state.mine === true));
  });

  it('[W21] reach a sub-agent that has the class of its parent, at each level', async () => {
    const at = address('nest');
    await post(`${at}/start`, {
      message: told(
        calls('nest', [calls('nest', [calls('nest', [{ gate: at, text: 'd' }]), { text: 'c' }]), { text: 'b' }]),
        { text: 'a' },
      ),
    });
    const levels = [0, 1, 2, 3].map((depth) => at + '/sub/nest/1~1'.repeat(depth));
    await vi.waitFor(async () => expect((await get(`${levels[3]}/messages`)).body.items).toHaveLength(1), {
      timeout: 10_000,
    });
    for (const [depth, level] of levels.entries()) {
      const client = await connect(level);
      client.say('hello');
      await client.until(() => client.texts.includes(`${depth + 1} heard hello`));
      expect((await client.call('status')).body).toMatchObject({ address: level });
    }
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'), {
      timeout: 10_000,
    });
    expect((await del(at)).status).toBe(204);
  });

  it('[W13] sockets of a sub-agent close when it is deleted', async () => {
    const { at, leaf } = await threeLevels();
    const client = await connect(leaf);
    expect((await del(leaf)).status).toBe(204);
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 1001 });
    openGate(at);
  });

  it('[W24] end with their root without a word in the log, and nothing that they say is handled', async () => {
    const { at, leaf } = await threeLevels();
    const clients = [await connect(at), await connect(leaf)];
    const logged = vi.spyOn(console, 'error');
    const deleted = del(at);
    // As long as they are open they talk; the last of it meets a root that is going.
    await vi.waitFor(
      () => {
        for (const client of clients) if (client.closed === undefined) client.say('still here');
        expect(clients.map(({ closed }) => closed)).toEqual([{ code: 1001 }, { code: 1001 }]);
      },
      { timeout: 20_000, interval: 2 },
    );
    expect((await deleted).status).toBe(204);
    openGate(at);
    expect((await get(`${at}/status`)).status).toBe(404);
    expect(logged.mock.calls.filter((call) => String(call[0]).includes('webSocket'))).toEqual([]);
  });
});

describe('opening', () => {
  const agents = [Top, Middle, Leaf, Tiny, Form];
  const open = (
    worker: ReturnType<typeof createWorker>,
    at: string,
    headers: Record<string, string>,
    settings = {},
    host = HOST,
  ) =>
    worker.fetch(new Request(`${host}${at}`, { headers: { upgrade: 'websocket', ...headers } }), settings, { exports });

  async function root(): Promise<string> {
    const at = address();
    await post(`${at}/start`, { message: told(noted('n'), { text: 'x' }), wait: true });
    return at;
  }

  it('[X4] takes the secret beside `offshoot` among the protocols, and echoes `offshoot` alone', async () => {
    const at = await root();
    const worker = createWorker({ agents });
    const settings = { OFFSHOOT_TOKEN: 'secret' };
    const opened = await open(
      worker,
      at,
      { 'sec-websocket-protocol': 'offshoot, secret' },
      settings,
      'http://example.com',
    );
    expect([opened.status, opened.headers.get('sec-websocket-protocol')]).toEqual([101, 'offshoot']);
    opened.webSocket?.accept();
    opened.webSocket?.close();
    for (const protocol of ['offshoot, wrong', 'secret', 'offshoot', '']) {
      expect(
        (await open(worker, at, { 'sec-websocket-protocol': protocol }, settings, 'http://example.com')).status,
      ).toBe(401);
    }
    expect((await open(worker, at, {}, {}, 'http://example.com')).status).toBe(503);
  });

  it('[X9] is refused to pages of other origins, before anything wakes', async () => {
    const at = await root();
    const worker = createWorker({ agents, allowedOrigins: ['https://app.example'] });
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'https://app.example.evil'])
      expect((await open(worker, at, { origin })).status).toBe(403);
    expect((await open(worker, at, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    for (const headers of [
      { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
    ]) {
      const opened = await open(worker, at, headers);
      expect(opened.status).toBe(101);
      opened.webSocket?.accept();
      opened.webSocket?.close();
    }
  });

  it('[X10] takes a secret that no browser could send as it is', async () => {
    const at = await root();
    const worker = createWorker({ agents });
    const secret = 'a/b+c==ü';
    const encoded = Buffer.from(secret).toString('base64url');
    const ask = (protocol: string) =>
      open(worker, at, { 'sec-websocket-protocol': protocol }, { OFFSHOOT_TOKEN: secret }, 'http://example.com');
    const opened = await ask(`offshoot, base64url.${encoded}`);
    expect([opened.status, opened.headers.get('sec-websocket-protocol')]).toEqual([101, 'offshoot']);
    opened.webSocket?.accept();
    opened.webSocket?.close();
    for (const protocol of [
      `offshoot, ${encoded}`,
      'offshoot, base64url.',
      `offshoot, base64url.${Buffer.from(`${secret}x`).toString('base64url')}`,
    ])
      expect((await ask(protocol)).status).toBe(401);
  });

  /** A worker whose rights change: what may be done now is in the set, and each question is noted. */
  function changing(...actions: string[]) {
    const may = new Set(actions);
    const asked: string[] = [];
    const refused: { how: 'forbidden' | 'unauthorized' } = { how: 'forbidden' };
    const worker = createWorker({
      agents,
      authorize: (request, { action, address: at }) => {
        asked.push(`${action} ${at} ${request.headers.get('x-who')} ${new URL(request.url).searchParams.get('key')}`);
        return may.has(action) ? { subject: `reader of ${at}` } : { refused: refused.how };
      },
    });
    return { may, asked, worker, refused };
  }

  it('[X11] gives a socket what its caller may do at each call, and nothing more', async () => {
    const at = await root();
    const { may, asked, worker } = changing('read');
    const opened = await open(worker, `${at}?key=k`, { 'x-who': 'me' });
    const client = new Client(socketIn(opened));
    expect((await client.call('status')).ok).toBe(true);
    expect(await client.call('send', { content: 'x' })).toMatchObject({ ok: false, body: { code: 'forbidden' } });
    expect(await client.call('remove')).toMatchObject({ ok: false, body: { code: 'forbidden' } });
    may.add('write');
    expect((await client.call('send', { content: 'x' })).ok).toBe(true);
    may.delete('write');
    expect(await client.call('send', { content: 'x' })).toMatchObject({ ok: false, body: { code: 'forbidden' } });
    expect((await client.call('status')).ok).toBe(true);
    // The door is asked with the request that opened the socket, also when the root has slept.
    expect(asked.every((question) => question.endsWith(`${at} me k`))).toBe(true);
    await settled(at);
    await evictDurableObject(stubOf(at));
    asked.length = 0;
    expect((await client.call('status')).ok).toBe(true);
    expect(asked).toEqual([`read ${at} me k`]);
    expect(client.closed).toBeUndefined();
    const none = createWorker({ agents, authorize: () => ({ refused: 'unauthorized' }) });
    expect((await open(none, at, {})).status).toBe(401);
  });

  it('[W40] lets frames of others reach an agent from callers who may write, and from nobody else', async () => {
    const at = await root();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { may, worker } = changing('read');
    const clock = setClock();
    await evictDurableObject(stubOf(at));
    const client = new Client(socketIn(await open(worker, at, {})));
    await client.until(() => client.texts.some((text) => text.includes('cf_agent_mcp_servers')));
    const methods = ['offshootErase', 'setState', 'schedule', '_cf_invokeSubAgent', '__proto__'];
    /** Sends frames of each kind, and gives what came back for them. */
    const say = async () => {
      const { length } = client.texts;
      for (const method of methods) client.say({ type: 'rpc', id: method, method, args: [] });
      client.say({ type: 'cf_agent_state', state: { mine: true } });
      client.socket.send(new TextEncoder().encode('bytes'));
      client.say('mine');
      // Each frame is taken after the one before it.
      await client.until(() =>
        /"forbidden".*"forbidden".*"forbidden"|heard mine/s.test(client.texts.slice(length).join()),
      );
      expect((await client.call('status')).ok).toBe(true);
      return client.texts.slice(length);
    };
    const refused = async () => {
      const texts = await say();
      const frames = texts.map((text) => JSON.parse(text));
      expect(frames.slice(0, 5)).toEqual(
        methods.map((id) => ({ type: 'rpc', id, success: false, error: expect.stringContaining('"write"') })),
      );
      expect(frames.slice(5, 8).map(({ type, code }) => [type, code])).toEqual(
        Array(3).fill(['offshoot.error', 'forbidden']),
      );
    };
    const taken = async () => {
      const texts = await say();
      expect(texts).toContain('top heard mine');
      expect(texts.join()).not.toContain('"forbidden"');
      // A method that is for no caller is for no writer either.
      const answers = texts.filter((text) => text.startsWith('{"')).map((text) => JSON.parse(text));
      const calls = answers.filter(({ type }) => type === 'rpc');
      expect(calls.map(({ success, error }) => [success, error.includes('"write"')])).toEqual(
        Array(methods.length).fill([false, false]),
      );
    };
    await refused();
    may.add('write');
    await taken();
    may.delete('write');
    clock.ahead += WIRE_LIMITS.freshRightMs - 1_000;
    await taken();
    clock.ahead += 1_000;
    await refused();
    expect(client.closed).toBeUndefined();
  });

  it.each([
    ['a call', (client: Client) => client.say({ type: 'offshoot.call', id: '1', verb: 'status' })],
    [
      'a refused call of another right',
      (client: Client) => client.say({ type: 'offshoot.call', id: '1', verb: 'send', body: { content: 'x' } }),
    ],
    ['a subscription', (client: Client) => client.say({ type: 'offshoot.subscribe' })],
    ['a frame of its own', (client: Client) => client.say('mine')],
  ])('[X11] closes a socket that may not read any more with 4403 or 4401 at %s', async (_, act) => {
    const at = await root();
    const { may, worker, refused } = changing('read', 'write');
    for (const [how, code] of [
      ['forbidden', 4403],
      ['unauthorized', 4401],
    ] as const) {
      refused.how = how;
      may.add('read').add('write');
      const client = new Client(socketIn(await open(worker, at, {})));
      may.clear();
      act(client);
      await client.until(() => client.closed !== undefined);
      expect(client.closed).toEqual({ code });
      expect(client.texts.filter((text) => text.includes('heard') || text.includes('offshoot.chunk'))).toEqual([]);
    }
    expect((await get(`${at}/messages`)).body.items).toHaveLength(4);
  });

  it('[X11] sends no chunk to a socket whose right was taken away, also while it says nothing', async () => {
    const clock = setClock();
    const { at } = await threeLevels();
    const { may, worker } = changing('read');
    const client = new Client(socketIn(await open(worker, at, {})));
    client.say({ type: 'offshoot.subscribe' });
    await client.until(() => client.of('offshoot.up-to-date').length === 1);
    may.clear();
    const before = client.chunks.length;
    // What was found to be right stays so for 5 s.
    clock.ahead = 5_000;
    openGate(at);
    await client.until(() => client.closed !== undefined);
    expect([client.closed, client.chunks.length]).toEqual([{ code: 4403 }, before]);
  });

  it('[X11] closes a socket whose right could not be asked for with 1011, and answers its call with an error', async () => {
    const at = await root();
    let broken = false;
    const worker = createWorker({
      agents,
      authorize: () => {
        if (broken) throw new Error('The list of users is not there.');
        return { subject: 'me' };
      },
    });
    const client = new Client(socketIn(await open(worker, at, {})));
    broken = true;
    expect(await client.call('status')).toMatchObject({ ok: false, body: { code: 'internal' } });
    expect(JSON.stringify(client.frames)).not.toContain('list of users');
    client.say('mine');
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 1011 });
  });

  it('[X12] a token among the protocols of anything but a socket counts for nothing', async () => {
    const at = await root();
    const worker = createWorker({ agents });
    const settings = { OFFSHOOT_TOKEN: 'secret' };
    const headers = { 'sec-websocket-protocol': 'offshoot, secret' };
    const ask = (method: string, path: string) =>
      worker.fetch(new Request(`http://example.com${at}${path}`, { method, headers }), settings, {
        exports,
      });
    expect((await ask('GET', '/status')).status).toBe(401);
    expect((await ask('POST', '/terminate')).status).toBe(401);
    expect((await ask('DELETE', '')).status).toBe(401);
  });

  it('[X13] keeps a request of 32,768 characters, and refuses one that is longer', async () => {
    const at = await root();
    const worker = createWorker({ agents });
    const url = `${HOST}${at}`;
    const size = 'upgrade'.length + 'websocket'.length + 'x-long'.length + url.length;
    const ask = (length: number) => open(worker, at, { 'x-long': 'x'.repeat(length) });
    const refused = await ask(32_769 - size);
    expect([refused.status, (await problemIn(refused)).code]).toEqual([400, 'invalid_request']);
    const opened = await ask(32_768 - size);
    const client = new Client(socketIn(opened));
    expect((await client.call('status')).ok).toBe(true);
  });

  it('[X13] what is kept of a request goes with its socket', async () => {
    const at = await root();
    const kept = () =>
      runInDurableObject(stubOf(at), (_, { storage }) => [...storage.kv.list({ prefix: 'offshoot_socket:' })].length);
    const [one, two] = [await connect(at), await connect(at)];
    expect(await kept()).toBe(2);
    one.socket.close();
    await vi.waitFor(async () => expect(await kept()).toBe(1));
    await settled(at);
    await evictDurableObject(stubOf(at));
    two.socket.close();
    await vi.waitFor(async () => expect(await kept()).toBe(0));
  });

  it('[X14] takes no name from its client: sockets of one name do not disturb each other', async () => {
    const { at, leaf } = await threeLevels();
    const named = await connect(`${leaf}?_pk=same&mine=1`);
    const again = await connect(`${leaf}?_pk=same`);
    const long = await connect(`${at}?_pk=${'x'.repeat(300)}&__other=1`);
    for (const client of [named, again, long]) client.say({ type: 'offshoot.subscribe' });
    named.say('a');
    again.say('b');
    await named.until(() => named.texts.includes('leaf heard a'));
    await again.until(() => again.texts.includes('leaf heard b'));
    await long.until(() => long.of('offshoot.up-to-date').length === 1);
    const uris = await runInDurableObject(stubOf(at), (instance) =>
      [...(instance as unknown as SdkSockets)._webSockets.getConnections()].map(({ uri }) => new URL(uri).searchParams),
    );
    expect(uris).toHaveLength(3);
    expect(new Set(uris.map((query) => query.get('_pk'))).size).toBe(3);
    expect(uris.some((query) => query.get('_pk') === 'same' || query.has('__other'))).toBe(false);
    expect(uris.map((query) => query.get('mine'))).toContain('1');
    named.socket.close();
    openGate(at);
    await again.until(() => again.of('offshoot.status').some(({ status }) => status.status === 'completed'));
    expect(again.chunks).toEqual((await readAll(`${leaf}/stream`)).chunks);
  });

  it('[X14] refuses another protocol of frames', async () => {
    const at = await root();
    const refused = await send(`${at}?__agents_transport=capnweb`, { headers: { upgrade: 'websocket' } });
    expect([refused.status, (await problemIn(refused)).code]).toEqual([400, 'invalid_request']);
  });

  it('[W19] refuses one call more than a socket may have under way, and takes more when they have ended', async () => {
    const at = await root();
    const { maxSocketCalls } = WIRE_LIMITS;
    let slow = false;
    const authorize = async () => {
      if (slow) await pass(at);
      return { subject: 'me' };
    };
    const opened = await open(createWorker({ agents, authorize }), at, {});
    const client = new Client(socketIn(opened));
    slow = true;
    for (let id = 0; id <= maxSocketCalls; id++) client.say({ type: 'offshoot.call', id, verb: 'status' });
    await client.until(() => client.of('offshoot.result').length === 1);
    expect(client.of('offshoot.result')).toMatchObject([
      { id: maxSocketCalls, ok: false, body: { code: 'too_many_calls' } },
    ]);
    openGate(at);
    await client.until(() => client.of('offshoot.result').length === maxSocketCalls + 1);
    expect(client.of('offshoot.result').filter(({ ok }) => ok)).toHaveLength(maxSocketCalls);
    expect((await client.call('status')).ok).toBe(true);
  });

  it('[W19] closes a socket that asks on while it has not read 4 MiB, and takes nothing of it any more', async () => {
    const at = await root();
    const client = await connect(at);
    // The runtime of the tests does not tell what waits to be sent; the server's does.
    const unsent = (bytes: number) =>
      runInDurableObject(stubOf(at), (_, state) => {
        for (const socket of state.getWebSockets())
          Object.defineProperty(socket, 'bufferedAmount', { value: bytes, configurable: true });
      });
    await unsent(WIRE_LIMITS.maxUnreadBytes);
    expect((await client.call('status')).ok).toBe(true);
    await unsent(WIRE_LIMITS.maxUnreadBytes + 1);
    client.say({ type: 'offshoot.call', id: 'late', verb: 'send', body: { content: 'late' } });
    client.say('late');
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 1013 });
    expect(client.texts.filter((text) => text.includes('late'))).toEqual([]);
    expect((await get(`${at}/messages`)).body.items).toHaveLength(4);
  });

  it('[W23] closes a socket that sends one frame more than may be under way, and takes more when they are done', async () => {
    const at = await root();
    const { maxSocketFrames } = WIRE_LIMITS;
    const client = await connect(at);
    const heard = () => client.texts.filter((text) => text.startsWith('top heard at')).length;
    const sayMost = (gate: string) => {
      for (let n = 0; n < maxSocketFrames; n++) client.say(`at ${gate} ${n}`);
      return vi.waitFor(() => expect(cameTo(gate)).toBe(maxSocketFrames), { timeout: 20_000 });
    };
    await sayMost(at);
    openGate(at);
    await vi.waitFor(() => expect(heard()).toBe(maxSocketFrames), { timeout: 20_000 });
    await sayMost(`${at}/again`);
    expect(client.closed).toBeUndefined();
    client.say('one more');
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 1013 });
    openGate(`${at}/again`);
    expect(client.texts).not.toContain('top heard one more');
  });

  it('[W23] closes a socket that sends one byte more than may be under way', async () => {
    const at = await root();
    const client = await connect(at);
    const most = WIRE_LIMITS.maxSocketFrameBytes / WIRE_LIMITS.maxFrameBytes;
    const frame = `at ${at} `.padEnd(WIRE_LIMITS.maxFrameBytes, 'x');
    for (let n = 0; n < most; n++) client.say(frame);
    await vi.waitFor(() => expect(cameTo(at)).toBe(most), { timeout: 20_000 });
    expect(client.closed).toBeUndefined();
    client.say('x');
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: 1013 });
    openGate(at);
  });

  it('[W17] shares what may wait to be sent among the sockets of a root', async () => {
    const at = await root();
    const clients: Client[] = [];
    for (let n = 0; n < 8; n++) clients.push(await connect(at));
    const has = (type: string) => clients.filter((client) => client.of(type).length > 0);
    for (const client of clients) client.say({ type: 'offshoot.subscribe' });
    await vi.waitFor(() => expect(has('offshoot.up-to-date')).toHaveLength(8), { timeout: 5_000 });
    const share = WIRE_LIMITS.maxUnsentBytes / clients.length;
    await runInDurableObject(stubOf(at), (_, state) => {
      for (const [index, socket] of state.getWebSockets().entries())
        Object.defineProperty(socket, 'bufferedAmount', { value: index === 0 ? share + 1 : share });
    });
    for (const client of clients) client.frames.length = 0;
    await post(`${at}/start`, { message: told({ text: 'y' }), wait: true });
    await vi.waitFor(() => expect(has('offshoot.chunk')).toHaveLength(7), { timeout: 5_000 });
    for (const client of clients) expect((await client.call('status')).ok).toBe(true);
    expect(has('offshoot.chunk')).toHaveLength(7);
  });

  it('[W18, X34] refuses a caller one socket more than are free beside its own, until one has gone', async () => {
    const at = await root();
    const clients = [];
    for (let n = 0; n < WIRE_LIMITS.maxSockets / 2; n++) clients.push(await connect(at));
    const refused = await send(at, { headers: { upgrade: 'websocket' } });
    expect([refused.status, (await problemIn(refused)).code]).toEqual([429, 'too_many_sockets']);
    clients[0]?.socket.close();
    await vi.waitFor(async () => expect((await connect(at)).closed).toBeUndefined());
    for (const client of clients) client.socket.close();
  });

  it('[X13] a grant cannot be forged, and a pass opens one socket, and not for long', async () => {
    const clock = setClock();
    const at = await root();
    const grant = encodeURIComponent(JSON.stringify({ address: at, caller: 'me', actions: ['read', 'admin'] }));
    // As a Worker would that passes requests on as they are.
    const passed = await stubOf(at).fetch(`${HOST}${at}?offshoot=${grant}`, { headers: { upgrade: 'websocket' } });
    const client = new Client(socketIn(passed));
    client.say({ type: 'offshoot.subscribe' });
    client.say({ type: 'offshoot.call', id: '1', verb: 'remove' });
    await client.until(() => client.of('offshoot.error').length === 2);
    expect(client.of('offshoot.error').map(({ code }) => code)).toEqual(['forbidden', 'forbidden']);
    expect((await get(`${at}/status`)).status).toBe(200);
    // [W13] The agent's own frames are the business of that Worker.
    client.say('hello');
    await client.until(() => client.texts.includes('top heard hello'));
    const stub = stubOf(at);
    const object = rootStub(served, { className: 'Top', name: at.split('/')[3] ?? '' });
    const buy = async () => {
      const answer = await object.offshoot({
        kind: 'socket',
        path: [],
        opening: { authorizer: 0, url: `${HOST}${at}`, headers: [] },
        caller: 'ada',
      });
      return answer.ok ? answer.pass : expect.fail(answer.error.message);
    };
    const use = (pass: string) =>
      stub.fetch(`${HOST}${at}`, { headers: { upgrade: 'websocket', 'x-offshoot-pass': pass } });
    const pass = await buy();
    const first = await use(pass);
    first.webSocket?.accept();
    first.webSocket?.close();
    expect([first.status, (await use(pass)).status]).toEqual([101, 403]);
    const late = await buy();
    clock.ahead = 30_001;
    expect((await use(late)).status).toBe(403);
  });

  it('[X8] no way through the SDK makes a sub-agent', async () => {
    const { at, leaf } = await threeLevels();
    const stub = stubOf(at);
    const children = () =>
      runInDurableObject(stub, (_instance, state) =>
        state.storage.sql.exec('SELECT class, name FROM cf_agents_sub_agents').toArray(),
      );
    const before = await children();
    for (const path of [
      '/sub/leaf/alice',
      '/sub/leaf/slot:9',
      '/sub/middle/slot:1/sub/leaf/alice',
      '/files/sub/leaf/notes.md',
    ]) {
      const answered = await stub.fetch(`${HOST}${at}${path}`);
      expect([path, answered.status]).toEqual([path, 404]);
      const socket = await stub.fetch(`${HOST}${at}${path}`, { headers: { upgrade: 'websocket' } });
      const client = new Client(socketIn(socket));
      await client.until(() => client.closed !== undefined);
      expect([4404, 1000, 1006]).toContain(client.closed?.code);
    }
    const ghost = await bySdk(stub, 'ghost');
    await expect(ghost.offshootPrepare('ghost')).rejects.toThrow('There is no such sub-agent.');
    expect(await children()).toEqual(before);
    openGate(at);
    expect((await get(`${leaf}/status`)).status).toBe(200);
  });

  it('[X8] nor begins one that waits for its turn, though it is in the registry with those beside it', async () => {
    const at = address('tiny');
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, script), { text: 'done' }) });
    await vi.waitFor(() => expect(cameTo(at)).toBe(2));
    const stub = tinies.getByName(at.split('/')[3] ?? '');
    const names = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec('SELECT name FROM cf_agents_sub_agents ORDER BY name').toArray(),
    );
    expect(names).toEqual([{ name: 'slot:1' }, { name: 'slot:2' }, { name: 'slot:3' }]);
    const third = await bySdk(stub, 'slot:3');
    await expect(third.offshootPrepare('slot:3')).rejects.toThrow('There is no such sub-agent.');
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    expect((await get(`${at}/sub/leaf/3~1/messages`)).body.items).toHaveLength(2);
  });
});
