/** The call that a root gets for a request, field by field, and which requests of the Worker itself ask for a right. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AccessQuestion } from '../../../src/access/authorize';
import type { ObjectCall, VerbAnswer } from '../../../src/engine/object/object-calls';
import { type AgentAsk, type AgentsOfWorker, askAgent } from '../../../src/gateway/ask-agent';
import { createWorker } from '../../../src/gateway/create-worker';
import { whoAsks } from '../../../src/gateway/me-route';
import { accessProblem, failureFor, problemResponse } from '../../../src/gateway/problem';
import { defineAgent } from '../../../src/index';
import { parseAddress } from '../../../src/protocol/address';
import { failure, OffshootError } from '../../../src/protocol/errors';
import { ACTIONS } from '../../../src/protocol/shown/actions';
import { VERB, VERBS } from '../../../src/verbs/table';
import { noModel } from '../../support/no-model';

const ROOT = '/agents/top/one';
const LEAF = `${ROOT}/sub/leaf/a`;

/** A Worker whose roots answer that, and whose directory knows deletions. */
function workerOf(answer: VerbAnswer = { ok: true, body: {} }, wasDeleted = false) {
  const calls: ObjectCall[] = [];
  const deletions: unknown[] = [];
  const exports = {
    Top: {
      getByName: (name: string) => ({
        async offshoot(call: ObjectCall) {
          calls.push({ ...call, at: name } as never);
          return answer;
        },
      }),
    },
    OffshootDirectory: {
      getByName: (of: string) => ({
        async wasDeleted(...given: unknown[]) {
          deletions.push([of, ...given]);
          return wasDeleted;
        },
      }),
    },
  };
  const worker: AgentsOfWorker = { exports, classes: new Set(['Top']), log: () => undefined };
  return { worker, calls, deletions };
}

const plainAsk = (facts: Partial<AgentAsk> = {}): AgentAsk => ({
  ...{ address: parseAddress(ROOT), verb: VERB.send, input: { content: 'Go' }, caller: 'ann' },
  ...facts,
});
const PLAIN = { kind: 'verb', path: [], verb: 'send', input: { content: 'Go' }, caller: 'ann', at: 'one' };
const bytes = new ReadableStream<Uint8Array>();
const headers = new Headers({ accept: 'x' });
const request = { url: 'https://a.test/agents/top/one/chat', method: 'POST', headers };
const asked = { url: request.url, method: 'POST', headers: [['accept', 'x']] };
const LEVEL = [{ className: 'Leaf', addressClass: 'leaf', name: 'a' }];

/** Asks, each with the fields that the root gets beside the plain call. */
const ASKS: readonly (readonly [string, Partial<AgentAsk>, object])[] = [
  ['nothing more', {}, {}],
  ['a key', { idempotencyKey: 'k' }, { idempotencyKey: 'k' }],
  ['a key of all callers', { idempotencyKey: 'k', sharesKey: true }, { idempotencyKey: 'k', sharesKey: true }],
  ['no key that all share', { sharesKey: true }, {}],
  ['a trace', { traceparent: 't' }, { traceparent: 't' }],
  ['a token', { token: { id: 't_1', endsAt: 1 } }, { token: { id: 't_1', endsAt: 1 } }],
  ['a pause', { pauses: 'again' }, { pauses: 'again' }],
  ['a trial', { isTrial: true }, { isTrial: true, since: expect.anything() }],
  ['bytes of a verb that takes none', { bytes }, {}],
  ['a request to a root', { request }, {}],
  ['an agent below', { address: parseAddress(LEAF), request }, { path: LEVEL, asked }],
  [
    'an agent below without a request',
    { address: parseAddress(LEAF) },
    { path: LEVEL, asked: { url: `https://offshoot.invalid${LEAF}/messages`, method: 'POST', headers: [] } },
  ],
];

describe('what a root is asked', () => {
  it.each(ASKS)('[A65] has %s', async (_what, facts, more) => {
    const { worker, calls } = workerOf();
    await askAgent(worker, plainAsk(facts));
    expect(calls).toEqual([{ ...PLAIN, ...more }]);
    const limited = workerOf();
    await askAgent({ ...limited.worker, newRoots: { perCaller: 1 } }, plainAsk(facts));
    expect(limited.calls).toEqual([{ ...PLAIN, ...more, newRoots: { perCaller: 1 } }]);
  });

  it('[A18, A65] has the key of a request that changes something alone, of 1 to 256 characters', async () => {
    const INPUTS: Record<string, object> = {
      ...{ submit: { kind: 'client-tool-result', toolCallId: 'c', result: 1 }, send: { content: 'Go' } },
      ...{
        start: { message: 'Go' },
        fork: { name: 'b' },
        giveVariables: { path: 'v', env: { K: 'x' } },
        shareDocument: { document: 'a' },
      },
      ...{ createToken: { actions: ['read'], ttlSeconds: 1 }, writeFile: { path: 'a', size: 1 } },
    };
    for (const verb of VERBS) {
      const input = INPUTS[verb.name] ?? (verb.path.includes('{path}') ? { path: 'a' } : {});
      const { worker, calls } = workerOf();
      await askAgent(worker, plainAsk({ verb, input, idempotencyKey: 'k', bytes }));
      const [call] = calls;
      const takesKey = verb.method === 'POST' || verb.method === 'DELETE';
      expect([verb.name, call && 'idempotencyKey' in call]).toEqual([verb.name, takesKey]);
      expect([verb.name, call && 'bytes' in call]).toEqual([verb.name, verb.bytes === 'in']);
      for (const [key, fits] of [
        ['', false],
        ['x'.repeat(256), true],
        ['x'.repeat(257), false],
      ] as const) {
        const outcome = await askAgent(workerOf().worker, plainAsk({ verb, input, idempotencyKey: key })).then(
          () => 'asked',
          (error) => error.failure.code,
        );
        expect([verb.name, key.length, outcome]).toEqual([
          ...[verb.name, key.length, fits || !takesKey ? 'asked' : 'invalid_request'],
        ]);
      }
    }
  });

  it('[A20] a deletion that was answered before is answered again by the directory, where its root is gone, and nothing else', async () => {
    const gone: VerbAnswer = { ok: false, error: failure('not_found') };
    for (const [facts, answer, isAsked] of [
      [{ verb: VERB.remove, input: {}, idempotencyKey: 'k' }, gone, true],
      [{ verb: VERB.remove, input: {} }, gone, false],
      [{ verb: VERB.remove, input: {}, idempotencyKey: 'k', address: parseAddress(LEAF) }, gone, false],
      [{ verb: VERB.abort, input: {}, idempotencyKey: 'k' }, gone, false],
      [{ verb: VERB.remove, input: {}, idempotencyKey: 'k' }, { ok: false, error: failure('gone') }, false],
      [{ verb: VERB.remove, input: {}, idempotencyKey: 'k' }, { ok: true, body: {} }, false],
    ] as const)
      for (const wasDeleted of [true, false]) {
        const { worker, deletions } = workerOf(answer, wasDeleted);
        const given = await askAgent(worker, plainAsk(facts));
        expect(deletions).toEqual(isAsked ? [['Top', 'one', JSON.stringify(['ann', 'k'])]] : []);
        expect(given).toEqual(isAsked && wasDeleted ? { ok: true, body: {}, status: 204 } : answer);
      }
  });
});

describe('a route of the Worker itself', () => {
  const questions: AccessQuestion[] = [];
  let may = true;
  const served = createWorker({
    agents: [defineAgent({ name: 'asked-top', systemPrompt: 'Work.', model: noModel })],
    authorize: (_request, question) => {
      questions.push(question);
      return may ? { subject: 'ann' } : { refused: 'unauthorized' };
    },
    describeModel: () => 'A model.',
  });
  const lists = {
    roots: async () => [],
    pending: async () => [],
    errors: async () => [],
    children: async () => [],
    causes: async () => [],
  };
  const exported = { idFromName: () => null, getByName: () => lists };
  const fetched = (path: string, method: string) => {
    questions.length = 0;
    const context = { exports: { OffshootAgent: exported, OffshootDirectory: exported } };
    return served.fetch(new Request(`https://a.test${path}`, { method }), {}, context);
  };
  const RIGHTS: Readonly<Record<string, string | undefined>> = {
    ...{ '/': '/', '/openapi.json': '/', '/healthz': undefined, '/directory/agents': '/directory' },
    ...{ '/directory/roots': '/directory', '/directory/pending': '/directory', '/directory/errors': '/directory' },
    ...{ '/directory/children': '/directory' },
  };

  it('[X31, X3] asks for the right to read where it says something of the server, for GET and HEAD alike, and takes no other method', async () => {
    for (const [path, address] of Object.entries(RIGHTS)) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const isRead = method === 'GET' || method === 'HEAD';
        for (may of isRead ? [true, false] : [false]) {
          const { status, headers: given } = await fetched(path, method);
          const allowed = method === 'OPTIONS' ? 204 : isRead ? (may || address === undefined ? 200 : 401) : 405;
          expect([path, method, may, status, questions]).toEqual([
            ...[path, method, may, allowed, isRead && address ? [{ address, action: 'read' }] : []],
          ]);
          if (!isRead) expect(given.get('allow')).toBe('GET, HEAD, OPTIONS');
          expect(given.get('www-authenticate')).toBe(allowed === 401 ? 'Bearer' : null);
        }
      }
    }
  });

  it('[A25] says of each route behind an address which methods it takes, and refuses all others with them', async () => {
    may = true;
    const methods = new Map<string, Set<string>>();
    for (const { path, method } of VERBS) methods.set(path, (methods.get(path) ?? new Set()).add(method));
    for (const [path, taken] of methods) {
      if (taken.has('GET')) taken.add('HEAD');
      const at = `/agents/asked-top/one${path === '' ? '' : `/${path.replace('{path}', 'x')}`}`;
      for (const method of ['OPTIONS', ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].filter((one) => !taken.has(one))]) {
        const { status, headers: given } = await fetched(at, method);
        const allowed = given.get('allow')?.split(', ').sort();
        const told = [...taken, 'OPTIONS'].sort();
        expect([at, method, status, allowed]).toEqual([at, method, method === 'OPTIONS' ? 204 : 405, told]);
      }
    }
  });

  it('[A23] takes no query where it takes a body, of any verb', async () => {
    may = true;
    for (const { path } of VERBS.filter(({ method }) => method === 'POST'))
      for (const query of ['x=1', 'message=Go', 'message=Go&x=1']) {
        const response = await fetched(`/agents/asked-top/one/${path.replace('{path}', 'x')}?${query}`, 'POST');
        const { code, detail } = z.object({ code: z.string(), detail: z.string() }).parse(await response.json());
        expect([path, query, code]).toEqual([path, query, 'invalid_request']);
        expect(detail).toContain('not in the query');
      }
  });
});

describe('who asks', () => {
  const asks = async (address: string | undefined, may: readonly string[]) => {
    const questions: AccessQuestion[] = [];
    const authorize = (_request: Request, question: AccessQuestion) => {
      questions.push(question);
      return may.includes(question.action) ? { subject: 'ann' } : { refused: 'forbidden' as const };
    };
    const outcome = await whoAsks(
      new Request('https://a.test/directory/me'),
      { authorize },
      address ? { address } : {},
    ).catch((error) => error.failure.code);
    return { outcome, at: new Set(questions.map((one) => one.address)) };
  };

  it('[TK9] is told each action that is granted at the address, and refused where none is', async () => {
    for (const address of [undefined, '/directory', ROOT, LEAF]) {
      const at = address ?? '/directory';
      const sets = [[...ACTIONS], ...ACTIONS.map((action) => [action]), ACTIONS.filter((action) => action !== 'read')];
      for (const actions of sets)
        expect(await asks(address, actions)).toEqual({
          outcome: { subject: 'ann', address: at, actions },
          at: new Set([at]),
        });
      expect((await asks(address, [])).outcome).toBe('forbidden');
    }
    for (const bad of [`${ROOT}/status`, 'x', '/directory/roots', `${ROOT}/`])
      expect((await asks(bad, [...ACTIONS])).outcome).toBe('invalid_address');
  });
});

describe('an error as an answer', () => {
  it('[A46] says in whole seconds, never fewer, when to try again, and which credentials are missing', () => {
    for (const [ms, seconds] of [
      [undefined, null],
      [0, '0'],
      [1, '1'],
      [999, '1'],
      [1_000, '1'],
      [1_001, '2'],
    ] as const) {
      const error = new OffshootError('unavailable', 'Wait.', ms === undefined ? {} : { retryAfterMs: ms }).failure;
      const response = problemResponse(error, 'r', { allow: 'GET' });
      expect([response.status, response.headers.get('retry-after'), response.headers.get('allow')]).toEqual([
        503,
        seconds,
        'GET',
      ]);
    }
    for (const code of ['unauthorized', 'forbidden', 'auth_not_configured'] as const)
      expect(accessProblem(failure(code), 'r').headers.get('www-authenticate')).toBe(
        code === 'unauthorized' ? 'Bearer' : null,
      );
  });

  it('[A22] is what is known of it; what is not known goes to the log alone', () => {
    const logged: unknown[] = [];
    const unknown = new Error('A secret.');
    expect(failureFor(new OffshootError('gone', 'It went.'), (error) => logged.push(error))).toMatchObject({
      code: 'gone',
      message: 'It went.',
    });
    expect(logged).toEqual([]);
    const { code, message } = failureFor(unknown, (error) => logged.push(error));
    expect([code, message.includes('secret'), logged]).toEqual(['internal', false, [unknown]]);
  });
});
