/** Every verb at the local address of a remote agent, and what each refusal of the other side is here. */
import { describe, expect, it } from 'vitest';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { answerAtProxy } from '../../../../src/capabilities/remote/perform/proxy-verbs';
import type { RemoteRunner } from '../../../../src/capabilities/remote/perform/runner';
import { livesElsewhere } from '../../../../src/core/definition/children/elsewhere';
import type { RemoteAgentTransport, RemoteCall } from '../../../../src/core/definition/remote-transport';
import type { Receipt } from '../../../../src/core/ports/agent-store';
import type { RemoteParent } from '../../../../src/engine/children/children-elsewhere';
import type { VerbCall } from '../../../../src/engine/object/object-calls';
import { ERROR_CODES, failure, isErrorCode, OffshootError, shownFailure } from '../../../../src/protocol/errors';
import type { JsonObject } from '../../../../src/protocol/json';
import { VERBS } from '../../../../src/verbs/table';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, SINCE, unsent } from './child';

type There = Awaited<ReturnType<RemoteAgentTransport['call']>>;

const ACCEPTED: There = { ok: true, body: { messageId: 'm_1', delivery: 'queued' } };
const completed = { status: 'completed', output: { n: 1 }, completionReason: 'finish' } as const;
const done = (local: object): PlacedRun =>
  ({ ...atWork, local: { is: 'ended', isAcknowledged: true, ...local } }) as PlacedRun;
const rests = done({ outcome: completed });
const CODES_OF_ACCESS = Object.keys(ERROR_CODES).filter(
  (code) => isErrorCode(code) && ERROR_CODES[code].category === 'access',
);
const ANSWER = { kind: 'approval-response', toolCallId: 's_1.c_1', approved: true };

/** A remote agent, with books of what its side was asked. */
function proxy(run: PlacedRun, answers: readonly (There | Error)[] = [ACCEPTED], hasTransport = true) {
  const calls: RemoteCall[] = [];
  const receipts = new Map<string, Receipt>();
  const changes: PlacedRun[] = [];
  let answered = 0;
  const left = [...answers];
  const far = agentOf('far');
  livesElsewhere(far, {
    label: 'a test',
    async call(request) {
      calls.push(request);
      const said = (left.length > 1 ? left.shift() : left[0]) ?? ACCEPTED;
      if (said instanceof Error) throw said;
      return said;
    },
    async *stream() {},
  });
  const store = {
    transaction: (work: () => unknown) => work(),
    receipt: (key: string) => receipts.get(key),
    addReceipt: (key: string, receipt: Receipt) => receipts.set(key, receipt),
  };
  const { environment } = new VirtualTime();
  const parent = { environment, store, agentBy: () => (hasTransport ? far : undefined) } as unknown as RemoteParent;
  const runner = {
    placed: run,
    answered: () => {
      answered += 1;
    },
    change: (next: PlacedRun) => changes.push(next),
  } as unknown as RemoteRunner & { placed: PlacedRun };
  const ask = (verb: string, input: JsonObject = {}, more: Partial<VerbCall> = {}) =>
    answerAtProxy(parent, runner, { kind: 'verb', path: [], verb, input, caller: 'ada', ...more });
  return { ask, calls, changes, runner, answered: () => answered };
}

describe('a verb at a remote agent', () => {
  const LOCAL = ['status', 'interrupt', 'abort', 'terminate'];
  const OWNED = ['start'];
  const BY_PARENT = ['resume', 'retry'];
  const SENT = [
    'submit',
    'send',
    'state',
    'audit',
    'checkpoints',
    'calls',
    'logs',
    'usage',
    'messages',
    'runs',
    'limits',
  ];
  const INPUTS: Readonly<Record<string, JsonObject>> = { submit: ANSWER, send: { content: 'Go' } };

  it('[RM13, RM37] is answered here, by its parent alone, or on its own side; all others are nowhere', async () => {
    for (const { name } of VERBS) {
      const { ask, calls } = proxy(atWork);
      const answer = await ask(name, INPUTS[name] ?? {});
      const code = answer.ok ? 'ok' : answer.error.code;
      const isOk = LOCAL.includes(name) || SENT.includes(name);
      const refused = OWNED.includes(name) ? 'owned_by_parent' : 'lives_elsewhere';
      const expected = isOk ? 'ok' : BY_PARENT.includes(name) ? 'already_running' : refused;
      expect([name, code, calls.map(({ verb }) => verb)]).toEqual([name, expected, SENT.includes(name) ? [name] : []]);
    }
    expect(
      [...LOCAL, ...OWNED, ...BY_PARENT, ...SENT].filter((one) => !VERBS.some(({ name }) => name === one)),
    ).toEqual([]);
    // Those below it are agents of its own tree.
    const path = [{ addressClass: 'kid', name: 'a' }] as unknown as VerbCall['path'];
    for (const { name } of VERBS)
      expect(await proxy(atWork).ask(name, {}, { path })).toMatchObject({ error: { code: 'lives_elsewhere' } });
  });

  it('[RM13] asks its side on behalf of the caller, with the key and the trace', async () => {
    const { ask, calls } = proxy(atWork);
    await ask('usage', { limit: 7 }, { idempotencyKey: 'k', traceparent: '00-x' });
    await ask('usage', {});
    const plain = { verb: 'usage', agent: { addressClass: 'far', name: 'r-1' }, signal: expect.any(AbortSignal) };
    expect(calls).toEqual([
      { ...plain, body: { limit: 7 }, idempotencyKey: 'k', caller: { subject: 'ada', traceparent: '00-x' } },
      { ...plain, body: {}, caller: { subject: 'ada' } },
    ]);
  });

  it('[RM37] shows what it does: at rest its parent alone lets it continue', async () => {
    const controls = async (run: PlacedRun) => {
      const answer = (await proxy(run).ask('status')) as unknown as { body: { controls: Record<string, unknown> } };
      const said = (one: unknown) => (one === true ? true : Reflect.get(one as object, 'code'));
      return Object.fromEntries(Object.entries(answer.body.controls).map(([name, one]) => [name, said(one)]));
    };
    const stops = (said: unknown) => ({ interrupt: said, abort: said, terminate: said });
    const owned = 'owned_by_parent';
    expect(await controls(atWork)).toEqual({
      ...{ start: owned, send: true, resume: 'already_running', retry: 'already_running', ...stops(true) },
    });
    expect(await controls(rests)).toEqual({
      ...{ start: owned, send: owned, resume: owned, retry: owned, ...stops('nothing_to_stop') },
    });
    for (const verb of ['start', 'resume', 'retry', 'send'])
      expect(await proxy(rests).ask(verb, INPUTS[verb] ?? {})).toMatchObject({ error: { code: owned } });
  });

  it('[RM13, A7] has the status of its run as a local agent would', async () => {
    const error = failure('model_error', 'No.');
    const run = { ...atWork, step: 4, status: 'running', task: { childId: 1, task: 3 } } as PlacedRun;
    const chain = { epoch: 1, turn: 3, chainTurn: 3, chainRunId: 'r_here', resumes: 0 };
    const shown = { runId: 'r_here', ...chain, startedAt: SINCE, step: 4 };
    for (const [more, expected] of [
      [{}, { status: 'running' }],
      [{ caller: { traceparent: '00-x' } }, { status: 'running', traceparent: '00-x' }],
      [
        { status: 'completed', local: { is: 'ended', outcome: completed } },
        { status: 'completed', output: { n: 1 } },
      ],
      [
        { status: 'failed', local: { is: 'ended', outcome: { status: 'failed', error } } },
        { status: 'failed', error: shownFailure(error) },
      ],
      ...(['interrupted', 'terminated'] as const).map(
        (status) =>
          [
            { status, local: { is: 'ended', outcome: { status, reason: 'Why.' } } },
            { status, reason: 'Why.' },
          ] as const,
      ),
    ] as const) {
      const answer = await proxy({ ...run, ...more } as PlacedRun).ask('status');
      expect(answer).toEqual({
        ...{ ok: true },
        body: { tags: [], usage: run.usage, controls: expect.any(Object), run: { ...shown, ...expected } },
      });
    }
  });

  it('[RM13] stops it there with the reason of whoever asks, and at rest nothing', async () => {
    for (const verb of ['interrupt', 'abort', 'terminate']) {
      const { ask, changes } = proxy(atWork);
      const body = { runId: 'r_here', status: atWork.status };
      expect(await ask(verb, { reason: 'Enough.', runId: 'r_here' })).toEqual({ ok: true, status: 202, body });
      await ask(verb);
      expect(changes.map(({ stop }) => [stop?.verb, stop?.reason])).toEqual([
        [verb, 'Enough.'],
        [verb, `A person asked to ${verb} it.`],
      ]);
      const still = proxy(rests);
      expect(await still.ask(verb)).toEqual({ ok: true, status: 200, body: { runId: 'r_here', status: rests.status } });
      expect(still.changes).toEqual([]);
    }
  });

  it('[RM27] answers a call under its remote id, is looked at soon then, and no call of others', async () => {
    const taken = proxy(atWork, [{ ok: true, body: { status: 'running' } }]);
    expect(await taken.ask('submit', ANSWER)).toMatchObject({ ok: true });
    expect(taken.calls).toMatchObject([{ verb: 'submit', body: { ...ANSWER, toolCallId: 'c_1' } }]);
    expect(taken.answered()).toBe(1);
    const refused = proxy(atWork, [{ ok: false, code: 'late_answer', title: 'No.', status: 409 }]);
    expect(await refused.ask('submit', ANSWER)).toMatchObject({ error: { code: 'late_answer' } });
    expect(refused.answered()).toBe(0);
    for (const toolCallId of ['c_1', 's_2.c_1', 's_1'])
      expect(await proxy(atWork).ask('submit', { ...ANSWER, toolCallId })).toMatchObject({
        error: { code: 'unknown_tool_call' },
      });
  });

  it('[RM13] gives a page of its messages with the step that is not in them as a whole', async () => {
    const page: There = { ok: true, body: { items: [], asOfSequence: 9 } };
    const at = { ...atWork, last: 12, step: 3 };
    expect(await proxy(at, [page]).ask('messages')).toMatchObject({
      body: { items: [], number: 12, open: { runId: 'r_here', step: 3 } },
    });
    const answer = await proxy({ ...rests, last: 12 }, [page]).ask('messages');
    expect(answer).toMatchObject({ body: { number: 12 } });
    expect(Object.hasOwn((answer as unknown as { body: object }).body, 'open')).toBe(false);
    expect(Object.keys((await proxy(at, [page]).ask('runs')) as object)).toEqual(['ok', 'body']);
  });
});

describe('what the other side refuses', () => {
  it('[RM26] is refused here: a right that the transport lacks is none that the caller lacks', async () => {
    const said = { title: 'Title.', detail: 'Detail.', status: 400 };
    for (const [there, here] of [
      [{ code: 'not_found' }, { code: 'not_found', message: 'Detail.' }],
      [
        { code: 'not_found', detail: undefined },
        { code: 'not_found', message: 'Title.' },
      ],
      [
        { code: 'inbox_full', details: { a: 1 } },
        { code: 'inbox_full', message: 'Detail.', details: { a: 1 } },
      ],
      ...CODES_OF_ACCESS.map(
        (code) => [{ code }, { code: 'lives_elsewhere', message: expect.stringMatching(/: Detail\.$/u) }] as const,
      ),
      // A code of another version.
      [{ code: 'new_code' }, { code: 'subagent_failed', message: 'Detail.', details: { code: 'new_code' } }],
    ] as const) {
      const refusal = { ok: false, ...said, ...there } as There;
      expect(await proxy(atWork, [refusal]).ask('usage')).toMatchObject({ ok: false, error: here });
    }
  });

  it('[RM13] that it is not reached says whether the request is to be sent again, and how', async () => {
    for (const [verb, key, end] of [
      ['usage', undefined, ' Try again in a moment.'],
      ['usage', 'k', ' Try again in a moment.'],
      ['submit', 'k', ' Your request was not stored: send it again in a moment.'],
      ['send', undefined, ' Your request was not stored: send it again in a moment.'],
      ['send', 'k', ' Your request was not stored: send it again with the same Idempotency-Key in a moment.'],
    ] as const) {
      const { ask } = proxy(atWork, [new OffshootError('unavailable', 'No way.')]);
      const answer = await ask(verb, INPUTS_OF[verb], key === undefined ? {} : { idempotencyKey: key });
      const message = `The remote agent /agents/far/r-1 could not be reached: No way.${end}`;
      expect([verb, key, answer]).toMatchObject([verb, key, { ok: false, error: { code: 'unavailable', message } }]);
    }
    expect(await proxy(atWork, [], false).ask('usage')).toMatchObject({ error: { code: 'subagent_lost' } });
  });
});

const INPUTS_OF = { usage: {}, submit: ANSWER, send: { content: 'Go' } } as const;

describe('a message with a key', () => {
  const key = { idempotencyKey: 'k' };
  const go = { content: 'Go' };
  const no = (code: string, status = 409): There => ({ ok: false, code, title: 'No.', status });
  const late = no('run_superseded');

  it('[RM90] that was taken is answered as at first, and not sent again; another one under it is refused', async () => {
    const { ask, calls } = proxy(atWork);
    const first = await ask('send', go, key);
    expect(first).toEqual({ ok: true, body: { messageId: expect.stringMatching(/m_1$/u), delivery: 'queued' } });
    expect(await ask('send', go, key)).toEqual(first);
    expect(calls.length).toBe(1);
    expect(await ask('send', { content: 'Stop' }, key)).toMatchObject({ error: { code: 'idempotency_conflict' } });
    expect(calls.length).toBe(1);
    // Of another caller, under another key or without one it is another message.
    for (const more of [{ ...key, caller: 'bo' }, { idempotencyKey: 'l' }, {}]) await ask('send', go, more);
    expect(calls.length).toBe(4);
  });

  it('[RM90, RM93] whose answer was lost goes to the same run again; after a refusal its key is free', async () => {
    // What the other side answers first, and whether the same key takes other words after that.
    const rows: readonly (readonly [There | Error, boolean])[] = [
      [new Error('boom'), false],
      [{ ok: true, body: { nothing: 1 } }, false],
      [no('unavailable', 503), false],
      [no('not_found', 404), false],
      [no('gone', 410), false],
      [no('idempotency_conflict'), false],
      [no('forbidden', 403), false],
      [no('inbox_full'), true],
      [no('invalid_request', 400), true],
    ];
    for (const [said, isFree] of rows) {
      const { ask, calls, runner } = proxy(atWork, [said, ACCEPTED]);
      expect(await ask('send', go, key)).toMatchObject({ ok: false });
      const other = await ask('send', { content: 'Stop' }, key);
      expect([said, other.ok, calls.length]).toEqual([said, isFree, isFree ? 2 : 1]);
      if (isFree) continue;
      // Its run has ended since: that run knows whether it took it, for whoever sent it first.
      Object.assign(runner, { placed: rests });
      expect(await ask('send', go, { ...key, traceparent: '00-x' })).toMatchObject({ ok: true });
      expect(calls.map(({ body, caller }) => [body?.runId, caller?.subject])).toEqual([
        ['r_there', 'ada'],
        ['r_there', 'ada'],
      ]);
    }
  });

  it('[RM11, RM52] that came too late there is the next task, unless it is for that run alone', async () => {
    for (const [input, code] of [
      [go, 'owned_by_parent'],
      [{ ...go, runId: 'r_here' }, 'run_superseded'],
    ] as const)
      for (const more of [{}, key])
        expect(await proxy(atWork, [late]).ask('send', input, more)).toMatchObject({ ok: false, error: { code } });
    // What was sent to the same run before and is refused there is not sent to it once more.
    const again = proxy(atWork, [new Error('boom'), late, ACCEPTED]);
    await again.ask('send', go, key);
    expect(await again.ask('send', go, key)).toMatchObject({ error: { code: 'owned_by_parent' } });
    expect(again.calls.length).toBe(2);
    // A later run never had it.
    const next = proxy(atWork, [new Error('boom'), late, ACCEPTED]);
    await next.ask('send', go, key);
    const remote = { ...atWork.remote, chainRunId: 'r_later' };
    Object.assign(next.runner, { placed: { ...atWork, remote } });
    expect(await next.ask('send', go, key)).toMatchObject({ ok: true });
    expect(next.calls.map(({ body }) => body?.runId)).toEqual(['r_there', 'r_there', 'r_later']);
  });

  it('[RM11] is not sent before its run is known there, nor by a trial', async () => {
    const early = proxy(unsent);
    expect(await early.ask('send', go, key)).toMatchObject({ error: { code: 'unavailable' } });
    expect(early.calls).toEqual([]);
    const { ask, calls } = proxy(atWork, [new Error('boom'), ACCEPTED]);
    await ask('send', go, key);
    expect(await ask('send', go, { ...key, isTrial: true })).toMatchObject({ ok: true });
    expect(calls.length).toBe(1);
  });
});
