import { abortAllDurableObjects, listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type * as z from 'zod';
import { failure } from '../../../src/protocol/errors';
import type { JsonObject } from '../../../src/protocol/json';
import { checked } from '../../../src/verbs/input';
import { type VERB, VERBS } from '../../../src/verbs/table';
import type { VerbName, VerbTypes } from '../../../src/verbs/verb-types';
import { OffshootRpc, type RpcCaller } from '../../../src/worker';
import { address, get, open, Reader, send } from '../../support/api';
import { bindings, served } from '../../support/bindings';
import { calls, openGate, told } from '../../support/puppet';
import { tablesFound } from '../../support/worker';

const MiB = 1_048_576;
/** The binding, as another Worker has it. */
const rpc = bindings.RPC;

const tops = bindings.TOP;
/** Its objects have no sub-agents: the test runner cannot list objects that have. */
const forms = bindings.FORM;

/** Whether each takes the other, and neither has a key that the other lacks. */
type Same<One, Other> = [One, Other] extends [Other, One]
  ? [keyof One, keyof Other] extends [keyof Other, keyof One]
    ? true
    : false
  : false;

/** The verbs whose types say anything else than their schemas. */
type Differing = {
  [Name in VerbName]: [
    Same<z.input<(typeof VERB)[Name]['input']>, VerbTypes[Name]['input']>,
    Same<z.output<(typeof VERB)[Name]['output']>, VerbTypes[Name]['output']>,
    Same<NonNullable<(typeof VERB)[Name]['bytes']>, VerbTypes[Name]['bytes']>,
  ] extends [true, true, true]
    ? never
    : Name;
}[VerbName];

type Anything = (
  ...given: unknown[]
) => Promise<{ ok: true; body: JsonObject } | { ok: false; code: string; detail: string }>;

/** A method by the name of its verb, untyped. */
const method = (name: string): Anything => Reflect.get(rpc, name);

/** An entrypoint of a Worker that exports other things. */
const entrypoint = (found: object) => new OffshootRpc({ exports: found } as unknown as ExecutionContext, env);

async function ended(agent = 'top'): Promise<string> {
  const at = address(agent);
  await good(rpc.start(at, { message: told(calls('leaf', [{ text: 'l' }])), wait: true }));
  return at;
}

type Success<Answer> = Extract<Answer, { readonly ok: true }>;
const isSuccess = <Answer extends object>(answer: Answer): answer is Success<Answer> =>
  'ok' in answer && answer.ok === true;

/** The answer, which must not be a failure. */
async function good<Asked extends PromiseLike<object>>(asked: Asked): Promise<Success<Awaited<Asked>>> {
  const answer = await asked;
  expect(answer).toMatchObject({ ok: true });
  if (!isSuccess(answer)) throw new TypeError('A failure says that it is one.');
  return answer;
}

/** The code of the failure, which the answer must be. */
async function codeOf(asked: PromiseLike<object>): Promise<string> {
  const answer = await asked;
  expect(answer).toMatchObject({ ok: false, code: expect.any(String) });
  return 'code' in answer ? String(answer.code) : '';
}

async function textOf({ bytes }: { bytes: ReadableStream<Uint8Array> }): Promise<string> {
  return new Response(bytes).text();
}

/** Bytes that come in pieces. */
function pieces(count: number, size: number): ReadableStream<Uint8Array> {
  let given = 0;
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      if (given === count) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(given++));
    },
  });
}

afterEach(() => void vi.restoreAllMocks());

describe('arguments that no JSON could bring', () => {
  const text = 'x';
  const call = () => {
    throw new Error('called');
  };
  /** Each is handed on in the place of an address, of an input and of a caller. */
  const hostile: [string, () => unknown][] = [
    ['null', () => null],
    ['a number', () => 7],
    ['a large integer', () => 2n ** 70n],
    ['a function', () => call],
    ['a binding', () => rpc],
    ['a stream', () => new ReadableStream({ start: (controller) => controller.close() })],
    ['a request', () => new Request('http://localhost/x')],
    ['headers', () => new Headers({ agent: 'top', name: 'x' })],
    ['bytes', () => new Uint8Array(8)],
    ['a date', () => new Date(0)],
    ['a map', () => new Map([['agent', 'top']])],
    ['an error', () => new Error('x')],
    ['an expression', () => /x/],
    ['a list', () => ['/agents/top/x']],
    ['a function inside', () => ({ agent: 'top', name: call, message: call, subject: call })],
    ['a binding inside', () => ({ agent: 'top', name: rpc, message: rpc, subject: rpc })],
    ['a prototype as a key', () => JSON.parse('{"__proto__":{"agent":"top","name":"x"},"message":"m","subject":"s"}')],
    ['a constructor', () => ({ agent: 'constructor', name: 'x', constructor: text, message: text, subject: text })],
    [
      'a circle',
      () => {
        const circle: Record<string, unknown> = { agent: 'top', name: 'x', message: text, subject: text };
        circle.sub = circle;
        circle.metadata = circle;
        circle.deadline = circle;
        return circle;
      },
    ],
    ['a deep list', () => ({ metadata: deep(400), sub: deep(400), deadline: deep(400), message: text })],
    ['a huge text', () => 'x'.repeat(2 * MiB)],
    ['a huge list', () => ({ agent: 'top', name: 'x', message: text, tags: Array(MiB).fill('t'), subject: text })],
  ];
  const deep = (levels: number): unknown => {
    let made: unknown = text;
    for (let level = 0; level < levels; level++) made = [made];
    return made;
  };
  /** What the platform itself does not hand over never arrives. */
  const codeAt = async (asked: () => ReturnType<Anything>): Promise<string> => {
    try {
      const answer = await asked();
      return answer.ok ? 'accepted' : answer.code;
    } catch (error) {
      return error instanceof Error && error.name === 'DataCloneError' ? 'not handed over' : `thrown: ${String(error)}`;
    }
  };
  const REFUSED = ['invalid_request', 'invalid_address', 'invalid_input', 'not_found', 'payload_too_large'];

  it.each(hostile)('[Y3, Y4, Y8] are refused in any place, and nothing is made: %s', async (_what, made) => {
    const places = async () => (await listDurableObjectIds(forms)).length;
    const before = await places();
    const at = address('form');
    const good = { input: { q: 'x' } };
    for (const [where, asked] of [
      ['address', () => method('start')(made(), good)],
      ['input', () => method('start')(at, made())],
      ['value', () => method('start')(at, { ...good, metadata: { made: made() }, message: made() })],
      ['caller', () => method('start')(at, good, made())],
      ['bytes', () => method('writeFile')(at, { path: 'a', size: 1 }, made() === null ? undefined : { made: made() })],
      ['path', () => method('writeFile')(at, { path: made(), size: 1 }, new Uint8Array(1))],
    ] as const) {
      const code = await codeAt(asked);
      expect([where, code], code).toEqual([where, [...REFUSED, 'not handed over'].includes(code) ? code : 'refused']);
    }
    expect(await places()).toBe(before);
  });

  it.each([
    '/agents/form/x/sub/form/1~1/../../..',
    '/agents/form/../form/x',
    '/agents/form/x%2F..%2Fy',
    '/agents/form/x?y=1',
    '/agents/form/x#y',
    '//agents/form/x',
    '/agents//form/x',
    'http://localhost/agents/form/x',
    '/agents/form/x/',
    '/agents/form/\u0000',
    '/agents/form/x\n',
    '/agents/__proto__/x',
    '/agents/constructor/x',
    '/agents/offshoot-directory/x',
    '/agents/library/x',
    '/agents/form-1/x',
    '',
  ])('[Y2, Y8] are no addresses: %j', async (where) => {
    const before = (await listDurableObjectIds(forms)).length;
    for (const name of ['start', 'status', 'remove', 'interrupt'])
      expect([name, await codeAt(() => method(name)(where, name === 'start' ? { input: { q: 'x' } } : {}))]).toEqual([
        name,
        expect.stringMatching(/^(invalid_address|not_found)$/),
      ]);
    expect((await listDurableObjectIds(forms)).length).toBe(before);
  });

  it.each(VERBS.map(({ name }) => name))('[Y3] that are missing are an answer: %s', async (name) => {
    expect(REFUSED).toContain(await codeAt(() => method(name)()));
    expect(REFUSED).toContain(await codeAt(() => method(name)(undefined, undefined, undefined, undefined, {})));
  });
});

describe('methods', () => {
  it('[Y1] are the verbs of the table and nothing else', async () => {
    const names = VERBS.map(({ name }): string => name);
    expect(Object.getOwnPropertyNames(OffshootRpc.prototype).sort()).toEqual(['constructor', ...names].sort());
    // A type is for whoever calls, and says what the schemas say.
    expectTypeOf<Differing>().toBeNever();
  });

  it.each(VERBS.filter((verb) => !('bytes' in verb && verb.bytes)))(
    '[Y1, Y4] $name checks its input by the schema of HTTP',
    async (verb) => {
      const at = await ended();
      const given = { nonsense: 1 };
      const answer = await method(verb.name)(at, given);
      expect(answer).toMatchObject({ ok: false, status: 400, code: 'invalid_request' });
      expect(() => checked(verb.input, given)).toThrow(answer.ok ? 'a refusal' : answer.detail);
    },
  );

  it.each(VERBS.filter(({ method, path }) => method === 'GET' && path !== 'stream' && !path.includes('{')))(
    '[Y1] $name answers what HTTP does, at the root and below',
    async ({ name, path }) => {
      const at = await ended();
      for (const of of [at, `${at}/sub/leaf/1~1`]) {
        const { status, body } = await get(`${of}/${path}`);
        const answer = await method(name)(of);
        if (status === 200) expect(answer).toEqual({ ok: true, status, body });
        else expect(answer).toMatchObject({ ok: false, status, code: body.code });
      }
    },
  );

  it('[Y1] start, send and remove do what they say, with the status of HTTP', async () => {
    const at = address();
    const first = await good(rpc.start(at, { message: told({ text: 'one' }), tags: ['a'], wait: true }));
    expect(first).toMatchObject({ status: 200, body: { status: 'completed', tags: ['a'], run: { output: 'one' } } });
    expect(await good(rpc.start(at, { message: told({ gate: at, text: 'two' }) }))).toMatchObject({
      status: 202,
      body: { address: at, status: 'running' },
    });
    expect((await good(rpc.send(at, { content: 'by the way' }))).body.delivery).toBe('queued');
    openGate(at);
    expect(await good(rpc.remove(at))).toEqual({ ok: true, status: 204, body: {} });
    expect(await codeOf(rpc.status(at))).toBe('not_found');
  });

  it('[A124] at an address without an agent are refused with the method that helps, and with no path', async () => {
    const at = address();
    const detailOf = async (where: string) => {
      const given = await method('status')(where);
      return given.ok ? 'accepted' : given.detail;
    };
    expect(await detailOf(at)).toContain('Start it with `start`.');
    const below = `There is no such sub-agent, or its root was never started. \`tree\` of ${at} lists`;
    expect(await detailOf(`${at}/sub/leaf/1~1`)).toContain(below);
    expect(await detailOf('/agents/nothing/x')).toBe('There is no agent "nothing" in this Worker.');
  });

  it('[Y9] are answered without asking who may: the binding is the right', async () => {
    const at = await ended();
    const overHttp = await served.default.fetch(`http://example.com${at}/status`);
    expect(overHttp.status).toBe(503);
    expect((await good(rpc.status(at))).body.status).toBe('completed');
    for (const { name } of VERBS) {
      const answer = await method(name)(at, {});
      expect([name, answer.ok ? '' : answer.code]).toEqual([name, expect.not.stringMatching(/^(forbidden|.*auth.*)$/)]);
    }
  });
});

describe('addresses', () => {
  it.each(['ann@example.com', 'auth0|6531', '12345', 'team/7', 'Zoë', '🦊', 'a b'])(
    '[X37] with the name %j say how to make a name, as a text and in parts',
    async (name) => {
      for (const where of [`/agents/top/${name}`, { agent: 'top', name }]) {
        const answer = await rpc.status(where, {});
        expect(answer).toMatchObject({ ok: false, status: 400 });
        expect(JSON.stringify(answer)).toContain('`rootNameOf` of');
      }
    },
  );

  it('[Y2] are a text or parts, with the class in either of its two forms', async () => {
    const at = await ended();
    const name = at.split('/').at(-1) ?? '';
    const leaf = `${at}/sub/leaf/1~1`;
    for (const of of [
      leaf,
      { agent: 'top', name, sub: [{ agent: 'leaf', name: '1~1' }] },
      { agent: 'Top', name, sub: [{ agent: 'Leaf', name: '1~1' }] },
    ])
      expect((await good(rpc.status(of))).body.address).toBe(leaf);
    expect((await good(rpc.status({ agent: 'top', name }))).body.address).toBe(at);
  });

  it.each([
    ['/agents/form', 'invalid_address'],
    ['agents/form/x', 'invalid_address'],
    ['/agents/form/x/status', 'invalid_address'],
    ['/agents/form/x%2F', 'invalid_address'],
    ['/agents/form/x?y', 'invalid_address'],
    ['/agents/form/x/sub/leaf', 'invalid_address'],
    ['/agents/nothing/x', 'not_found'],
    ['/agents/offshoot-directory/Form', 'not_found'],
    [{ agent: 'form' }, 'invalid_request'],
    [{ agent: 'form', name: 'x/sub/leaf/1~1' }, 'invalid_request'],
    [{ agent: 'form/x', name: 'x' }, 'invalid_request'],
    [{ agent: 'form', name: '..' }, 'invalid_address'],
    [{ agent: 'to p', name: 'x' }, 'invalid_address'],
    [{ agent: 'form', name: 'x', sub: 'leaf' }, 'invalid_request'],
    [{ agent: 'form', name: 'x', below: [] }, 'invalid_request'],
    [undefined, 'invalid_request'],
  ])('[Y2, Y8] %j is refused with %s and makes nothing', async (at, expected) => {
    const before = (await listDurableObjectIds(forms)).length;
    expect(await codeOf(method('send')(at, { content: 'x' }))).toBe(expected);
    expect((await listDurableObjectIds(forms)).length).toBe(before);
  });
});

describe('failures', () => {
  it('[A60, Y3] of who comes while a run goes on tells which one', async () => {
    const at = address();
    const gate = crypto.randomUUID();
    const { body } = await good(rpc.start(at, { message: told({ gate, text: 'ok' }) }));
    expect(await rpc.start(at, { message: 'x' })).toMatchObject({
      ok: false,
      code: 'already_running',
      details: { status: 'running', runId: 'runId' in body && body.runId },
    });
    openGate(gate);
  });

  it('[Y3] are data with the fields of a problem document, and nothing is thrown', async () => {
    const at = address();
    const failed = await rpc.status(at);
    const { requestId: _theirs, detail, ...overHttp } = (await get(`${at}/status`)).body;
    expect(failed).toEqual({
      ...{ ok: false, ...overHttp, requestId: expect.any(String), retryable: false },
      // A caller by RPC reads which method to call where others read a path.
      detail: expect.stringContaining(String(detail).split('.')[0] ?? ''),
    });
    await good(rpc.start(at, { message: told({ gate: at, text: 'x' }) }));
    expect(await rpc.start(at, { message: 'y' })).toMatchObject({ ok: false, status: 409, code: 'already_running' });
    expect(await codeOf(rpc.status(`${at}/sub/leaf/1~1`))).toBe('not_found');
    expect(await codeOf(rpc.children(at, { cursor: 'none' }))).toBe('invalid_cursor');
    openGate(at);
  });

  it('[Y3] of our own say nothing of what happened; the log has it, with the id and the trace', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const secret = new Error('the database password is 1234');
    const all = served;
    const broken = entrypoint({
      ...all,
      Top: {
        idFromName: () => undefined,
        getByName: (name: string) => ({
          async offshoot() {
            if (name === 'throws') throw secret;
            return { ok: false, error: failure('not_found') };
          },
        }),
      },
      OffshootDirectory: {
        idFromName: () => undefined,
        getByName: () => ({ wasDeleted: () => Promise.reject(secret) }),
      },
    });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const caller: RpcCaller = { subject: 'me', idempotencyKey: 'k', traceparent };
    const answers = [
      await broken.status('/agents/top/throws', {}, caller),
      await broken.remove('/agents/top/x', {}, caller),
    ];
    expect(answers).toMatchObject([
      { ok: false, code: 'unavailable', retryable: true },
      { ok: false, code: 'internal', detail: 'Look for the request id in the log of the server.', retryable: false },
    ]);
    expect(JSON.stringify(answers)).not.toContain('password');
    const ids = answers.map((answer) => (answer.ok ? '' : answer.requestId));
    expect(logged.mock.calls).toEqual(ids.map((id) => [`offshoot rpc ${id} ${traceparent}:`, secret]));
  });

  it('[Y10] of a Worker that lacks something say which line to add', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const answer = await entrypoint({}).status('/agents/top/x');
    expect(answer).toMatchObject({
      ok: false,
      code: 'misconfigured',
      detail: expect.stringContaining('extends AgentObject.of('),
    });
    expect(logged).toHaveBeenCalledTimes(1);
  });
});

describe('inputs', () => {
  const cycle: { [key: string]: unknown } = {};
  cycle.again = cycle;
  const deep = (levels: number): unknown => (levels === 0 ? 0 : [deep(levels - 1)]);
  const wide = () => {
    let shared: unknown = 0;
    for (let level = 0; level < 30; level++) shared = [shared, shared];
    return shared;
  };

  it.each<[string, unknown, string]>([
    ['a date', { at: new Date(0) }, 'invalid_request'],
    ['a map', { at: new Map() }, 'invalid_request'],
    ['bytes', { at: new Uint8Array(1) }, 'invalid_request'],
    ['a number that is none', { at: Number.NaN }, 'invalid_request'],
    ['a big integer', { at: 1n }, 'invalid_request'],
    ['a hole', { at: [undefined] }, 'invalid_request'],
    ['a function', { at: () => 1 }, 'invalid_request'],
    ['a cycle', cycle, 'invalid_request'],
    ['101 levels', deep(99), 'invalid_request'],
    ['parts shared without end', wide(), 'payload_too_large'],
    ['a long empty array', new Array(2 * MiB), 'payload_too_large'],
    ['more than 1 MB', 'x'.repeat(MiB), 'payload_too_large'],
  ])('[Y4, Y8] refuse %s', async (_what, metadata, expected) => {
    const at = address();
    expect(await codeOf(method('start')(at, { message: told({ text: 'x' }), metadata: { metadata } }))).toBe(expected);
    expect(await codeOf(rpc.status(at))).toBe('not_found');
  });

  it('[Y4] take what is plain, and a property that is undefined is not there', async () => {
    const at = address();
    const metadata = { list: [1, 'two', null, true, { three: 3 }], none: undefined };
    const input = { message: told({ text: 'x' }), displayName: undefined, metadata, wait: true };
    const { body } = await good(method('start')(at, input));
    expect(body).toMatchObject({ metadata: { list: [1, 'two', null, true, { three: 3 }] } });
    expect(body.metadata).not.toHaveProperty('none');
    expect(await codeOf(method('start')(at, { message: 'x', metadata: JSON.parse('{"__proto__": 1}') }))).toBe(
      'invalid_request',
    );
    expect(await codeOf(method('status')(at, null))).toBe('invalid_request');
  });

  it('[Y4] may be 100 levels deep', async () => {
    const metadata = { metadata: deep(98) };
    expect((await good(rpc.start(address(), { message: told({ text: 'x' }), metadata }))).status).toBe(202);
  });

  it('[Y4] are checked by the schemas of the agent', async () => {
    const at = address('form');
    expect(await codeOf(rpc.start(at, { input: { q: '' } }))).toBe('invalid_input');
    await good(rpc.start(at, { input: { q: 'why' } }));
    expect((await good(rpc.state(at))).body).toEqual({
      state: { q: 'why', seen: 0 },
      asOfSequence: expect.any(Number),
    });
  });
});

describe('the caller', () => {
  const me: RpcCaller = { subject: 'me', idempotencyKey: 'k' };

  it('[Y5] who repeats a call with its key gets the first acceptance again, another subject does not', async () => {
    const at = address();
    const input = { content: 'hello' };
    const first = await good(rpc.send(at, input, me));
    expect(await good(rpc.send(at, input, me))).toEqual(first);
    await abortAllDurableObjects();
    expect(await good(rpc.send(at, input, me))).toEqual(first);
    expect(await codeOf(rpc.send(at, { content: 'other' }, me))).toBe('idempotency_conflict');
    const { messageId } = (await good(rpc.send(at, input, { ...me, subject: 'you' }))).body;
    expect(messageId).not.toBe(first.body.messageId);
    expect((await good(rpc.send(at, input, { subject: 'me' }))).body.messageId).not.toBe(first.body.messageId);
  });

  it('[Y5] who repeats the deletion of a root gets the first answer again', async () => {
    const at = await ended();
    const first = await good(rpc.remove(at, {}, me));
    expect(await good(rpc.remove(at, {}, me))).toEqual(first);
    expect(await codeOf(rpc.remove(at, {}, { subject: 'me' }))).toBe('not_found');
    expect(await codeOf(rpc.remove(at, {}, { ...me, subject: 'you' }))).toBe('not_found');
  });

  it('[Y5] shares the keys of the same subject over HTTP', async () => {
    const at = address();
    const local: RpcCaller = { subject: 'local', idempotencyKey: 'k' };
    const first = await good(rpc.send(at, { content: 'hello' }, local));
    const overHttp = await send(`${at}/messages`, {
      method: 'POST',
      body: '{"content":"hello"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    });
    expect(await overHttp.json()).toEqual(first.body);
  });

  it('[Y5, A81] who names a trace begins a run in it', async () => {
    const at = address();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await good(rpc.start(at, { message: told({ text: 'x' }), wait: true }, { ...me, traceparent }));
    expect((await good(rpc.status(at))).body.run).toMatchObject({ traceparent });
  });

  it('[Y6] whose deadline has passed gets a failure, and nothing is called', async () => {
    const at = address();
    const late = await rpc.start(at, { message: told({ text: 'x' }) }, { subject: 'me', deadline: Date.now() });
    expect(late).toMatchObject({ ok: false, code: 'deadline_exceeded', detail: expect.stringContaining('deadline') });
    expect(await codeOf(rpc.status(at))).toBe('not_found');
    await good(rpc.start(at, { message: told({ text: 'x' }) }, { subject: 'me', deadline: Date.now() + 60_000 }));
  });

  it.each([
    { subject: '' },
    { subject: 'x'.repeat(129) },
    { subject: 'me', idempotencyKey: '' },
    { subject: 'me', idempotencyKey: 'x'.repeat(257) },
    { subject: 'me', deadline: 'soon' },
    { subject: 'me', traceparent: 'x' },
    { subject: 'me', traceparent: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` },
    { subject: 'me', role: 'admin' },
    { idempotencyKey: 'k' },
    'me',
    null,
  ])('[Y5, Y8] is refused as %j, and nothing is called', async (caller) => {
    const at = address();
    expect(await codeOf(method('start')(at, { message: told({ text: 'x' }) }, caller))).toBe('invalid_request');
    expect(await codeOf(rpc.status(at))).toBe('not_found');
  });

  it('[Y5] may have a subject of 128 and a key of 256 characters', async () => {
    const caller = { subject: 's'.repeat(128), idempotencyKey: 'k'.repeat(256) };
    const at = address();
    const first = await good(rpc.send(at, { content: 'x' }, caller));
    expect(await good(rpc.send(at, { content: 'x' }, caller))).toEqual(first);
  });
});

describe('bytes', () => {
  it('[Y7] stream gives the events of HTTP, and closes when they do', async () => {
    const at = await ended();
    const overHttp = await (await send(`${at}/stream`)).text();
    const { bytes } = await good(rpc.stream(at));
    expect(await textOf({ bytes })).toBe(overHttp);
    expect(overHttp).toContain('event: end');
    const later = new Reader(new Response((await good(rpc.stream(`${at}/sub/leaf/1~1`, { from: 5 }))).bytes));
    const same = await open(`${at}/sub/leaf/1~1/stream?from=5`);
    await Promise.all([later, same].map((reader) => reader.until(() => false)));
    expect(later.events.length).toBeGreaterThan(1);
    expect(later.events).toEqual(same.events);
  });

  it('[Y7] stream is live: an event comes while the run goes on, and a reader may leave', async () => {
    const at = address();
    await good(rpc.start(at, { message: told({ gate: at, text: 'late' }) }));
    const reader = new Reader(new Response((await good(rpc.stream(at))).bytes));
    await reader.until((events) => events.some(({ event }) => event === 'up-to-date'));
    expect(reader.chunks.some(({ chunk }) => chunk.type === 'run_completed')).toBe(false);
    const leaving = new Reader(new Response((await good(rpc.stream(at, { follow: true }))).bytes));
    await leaving.until((events) => events.length > 0);
    await leaving.cancel();
    openGate(at);
    await reader.until(() => false);
    expect(reader.chunks.at(-1)?.chunk.type).toBe('run_completed');
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });

  it('[Y7] files go in as buffers and come out as bytes, whole or in part', async () => {
    const at = await ended();
    const text = new TextEncoder().encode('0123456789');
    const written = await good(rpc.writeFile(at, { path: 'a/b.md', mediaType: 'text/markdown' }, text));
    expect(written).toMatchObject({ status: 201, body: { path: 'a/b.md', size: 10, mediaType: 'text/markdown' } });
    const read = await good(rpc.readFile(at, { path: 'a/b.md' }));
    expect(read.body).toMatchObject({ size: 10, offset: 0, length: 10, part: 'whole', etag: written.body.etag });
    expect(await textOf(read)).toBe('0123456789');
    expect(await textOf(await good(rpc.readFile(at, { path: 'a/b.md', offset: 2, length: 3 })))).toBe('234');
    const again = await good(rpc.writeFile(at, { path: 'a/b.md', ifMatch: written.body.etag }, text.slice().buffer));
    expect(again.status).toBe(200);
    expect(await codeOf(rpc.writeFile(at, { path: 'a/b.md', ifMatch: 'older' }, text))).toBe('file_changed');
    expect((await good(rpc.writeFile(at, { path: 'none' }, new ArrayBuffer(0)))).body.size).toBe(0);
    expect((await good(rpc.removeFile(at, { path: 'a/b.md' }))).status).toBe(204);
    expect(await codeOf(rpc.readFile(at, { path: 'a/b.md' }))).toBe('not_found');
  });

  it('[Y7] files are streamed in and out, at a sub-agent too', async () => {
    const at = await ended();
    for (const of of [at, `${at}/sub/leaf/1~1`]) {
      const size = 40 * MiB;
      expect((await good(rpc.writeFile(of, { path: 'big', size }, pieces(320, MiB / 8)))).body.size).toBe(size);
      const { bytes } = await good(rpc.readFile(of, { path: 'big' }));
      let seen = 0;
      for await (const piece of bytes) seen += piece.byteLength;
      expect(seen).toBe(size);
    }
  });

  it('[Y7] that cannot be taken are refused: without their size, of another size, or no bytes', async () => {
    const at = await ended();
    expect(await codeOf(rpc.writeFile(at, { path: 'a' }, pieces(1, 10)))).toBe('length_required');
    expect(await codeOf(rpc.writeFile(at, { path: 'a', size: 9 }, pieces(1, 10)))).toMatch(
      /invalid_request|payload_too_large/,
    );
    expect(await codeOf(rpc.writeFile(at, { path: 'a', size: 9 }, new ArrayBuffer(10)))).toMatch(
      /invalid_request|payload_too_large/,
    );
    expect(await codeOf(rpc.writeFile(address(), { path: 'a', size: 10 }, pieces(1, 10)))).toBe('not_found');
    for (const bytes of [undefined, 'text', 7, {}])
      expect(await codeOf(method('writeFile')(at, { path: 'a', size: 1 }, bytes))).toBe('invalid_request');
    expect((await good(rpc.files(at))).body.items).toEqual([]);
  });
});

describe('asking', () => {
  it('[Y8] makes nothing, and leaves nothing behind', async () => {
    const at = address();
    const id = tops.idFromName(at.split('/').at(-1) ?? '').toString();
    for (const verb of VERBS.filter(
      ({ action, method: by, path }) => action === 'read' && by === 'GET' && !path.includes('{'),
    )) {
      expect(await codeOf(method(verb.name)(at)), verb.name).toBe('not_found');
      // Each finds an empty storage: the one before it left nothing.
      expect(tablesFound.get(id)).toBe(0);
    }
    expect(await codeOf(rpc.readFile(at, { path: 'a' }))).toBe('not_found');
    expect(await codeOf(rpc.status(`${at}/sub/leaf/1~1`))).toBe('not_found');
    expect(tablesFound.get(id)).toBe(0);
  });

  it('[Y8] for a sub-agent that is not there makes none', async () => {
    const at = await ended();
    for (const below of ['leaf/9~1', 'middle/1~1', 'leaf/x'])
      expect(await codeOf(rpc.status(`${at}/sub/${below}`))).toBe('not_found');
    expect((await good(rpc.tree(at))).body.nodes).toHaveLength(1);
    expect(await codeOf(rpc.status(`${at}/sub/leaf/1~2`))).toBe('not_found');
  });
});
