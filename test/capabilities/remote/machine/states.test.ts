/**
 * Every state of a remote child by tables: what each of its two states says, and whole records after each step, so that a
 * field that is added is compared too.
 */
import { describe, expect, it } from 'vitest';
import {
  hasPendingCleanup,
  lateStart,
  removalAgain,
  removed,
  stillToStop,
  withoutStart,
} from '../../../../src/capabilities/remote/machine/cleanup';
import {
  ended,
  failedHere,
  failureByFault,
  failureByRefusal,
  failureFrom,
  isStoppedAtRest,
  outcomeOf,
  outputFailed,
  stoppedAtRest,
  unwanted,
} from '../../../../src/capabilities/remote/machine/ends';
import {
  bodyOfResume,
  bodyOfStart,
  mailFactsOf,
  messageInDoubt,
  messageOfResume,
  messageOfStart,
  messageResumed,
  nextMessage,
  withMessage,
} from '../../../../src/capabilities/remote/machine/messages';
import {
  begunAs,
  chainOf,
  continuedRun,
  dueAt,
  firstRun,
  following,
  followingUnanswered,
  isInDoubt,
  isSent,
  isToBegin,
  isUnheard,
  isUnknown,
  lastOf,
  nextRun,
  refusedStart,
  saying,
  startOf,
  startSent,
} from '../../../../src/capabilities/remote/machine/run';
import type {
  LocalTask,
  PlacedRun,
  RemoteMessage,
  RemoteRun,
  RemoteStop,
  RemoteTask,
} from '../../../../src/capabilities/remote/machine/state';
import {
  adopted,
  begunThere,
  endsWithoutRest,
  isAwaited,
  isForgotten,
  isKnownThere,
  isTakenFromQueue,
  isWithoutStart,
  startToStop,
  stoppedByStatus,
  withStopSent,
} from '../../../../src/capabilities/remote/machine/stop';
import type { Outcome } from '../../../../src/core/agent/state';
import type { Came } from '../../../../src/core/definition/remote-transport';
import { failure } from '../../../../src/protocol/errors';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { atWork, refused, SINCE, textOf, unsent } from '../perform/child';

const start = { key: 'r_here', at: SINCE };
const chain = { start, sessionId: 's_there', chainRunId: 'r_there' };
const REMOTE: { readonly [is in RemoteTask['is']]: RemoteTask & { readonly is: is } } = {
  unsent: { is: 'unsent' },
  starting: { is: 'starting', start },
  stopped: { is: 'stopped', start },
  begun: { is: 'begun', ...chain },
  to_resume: { is: 'to_resume', ...chain },
  resuming: { is: 'resuming', ...chain },
};
const STATES = Object.values(REMOTE);
const outcome: Outcome = { status: 'interrupted', reason: 'Enough.' };
const LOCAL: readonly LocalTask[] = [
  { is: 'active', isWaitReported: true },
  { is: 'ended', outcome, isAcknowledged: false },
  { is: 'unwanted' },
];
const pending: RemoteStop = { verb: 'abort', reason: 'Enough.', since: 1, attempts: 1, nextAt: 9 };
const taken: RemoteStop = { ...pending, settled: 'taken' };

/** A child in whose record every field has something to lose. */
const full: PlacedRun = {
  ...saying(atWork, [textOf(atWork, 'One')], SINCE),
  ...{ caller: { actor: 'ada', traceparent: 'tp' }, memory: 's_before', cursor: 7, step: 3, attempt: 2, skips: false },
  messages: { taken: 2, waiting: [{ key: 'm.1', text: 'Go', role: 'user' }] },
  usage: { ...atWork.usage, inputTokens: 5 },
  held: { waiting: [], replies: { '/agents/x/1': 3 }, logBytes: 9 },
};
const given = { task: { childId: 1, task: 2 }, runId: 'r_next', actor: 'bob', traceparent: 'tq' };

/** The states of the other side for which something holds, with a session of earlier tasks and without. */
function holds(says: (run: PlacedRun) => boolean) {
  const { memory: _memory, ...first } = full;
  const of = (run: PlacedRun) => STATES.filter((remote) => says({ ...run, remote })).map(({ is }) => is);
  return [of(first), of(full)];
}

/** The same for something that it says of each. */
function holdsAs<Said>(says: (run: PlacedRun) => Said): Said[][] {
  const { memory: _memory, ...first } = full;
  return [first, full].map((run) => STATES.map((remote) => says({ ...run, remote })));
}

describe('what is known of a remote task', () => {
  it('[RM22, RM24, RM25] in each state of the other side, with tasks before it and without', () => {
    const sent = ['starting', 'stopped', 'begun', 'resuming'];
    expect(holds(isSent)).toEqual([sent, sent]);
    const begins = ['unsent', 'starting', 'to_resume', 'resuming'];
    expect(holds(isToBegin)).toEqual([begins, begins]);
    expect(holds(isInDoubt)).toEqual([['starting', 'stopped'], []]);
    expect(holds(isUnknown)).toEqual([[], ['unsent', 'starting', 'stopped']]);
    expect(holds(isKnownThere)).toEqual([['begun'], ['begun']]);
    for (const remote of STATES) {
      const hasChain = 'sessionId' in remote;
      expect(chainOf({ remote })).toEqual(hasChain ? chain : undefined);
      expect(startOf({ remote })).toEqual(remote.is === 'unsent' ? undefined : start);
    }
  });

  it('[RM25] an answer to a stop waits for that of a start or a resume that may be under way', () => {
    const told: Came = { ok: true, body: { status: 'running' } };
    expect(holds((run) => isAwaited(run, told))).toEqual([
      ['to_resume', 'resuming'],
      ['unsent', 'starting', 'stopped', 'to_resume', 'resuming'],
    ]);
    const all = ['unsent', 'starting', 'stopped', 'to_resume', 'resuming'];
    expect(holds((run) => isAwaited(run, refused(404)))).toEqual([all, all]);
  });

  it('[RM8, RM12] a stop that was taken leaves nothing to send of a start or a resume', () => {
    const after: { readonly [is: string]: RemoteTask['is'] } = {
      starting: 'stopped',
      to_resume: 'begun',
      resuming: 'begun',
    };
    for (const remote of STATES)
      expect(following({ ...full, remote })).toEqual({
        ...full,
        remote: { ...remote, is: after[remote.is] ?? remote.is },
      });
    // Its first message may have gone with what let it continue, and with nothing else.
    for (const remote of STATES) {
      const [first] =
        followingUnanswered({ ...full, remote }).is === 'placed'
          ? messagesOf(followingUnanswered({ ...full, remote }))
          : [];
      expect(first?.sent, remote.is).toEqual(remote.is === 'resuming' ? { by: 'resume', key: full.runId } : undefined);
    }
  });
});

const messagesOf = (run: RemoteRun): readonly RemoteMessage[] => (run.is === 'placed' ? run.messages.waiting : []);

describe('a whole record after a step', () => {
  it('[RM2, RM10] the next task keeps all but what is of the task before, and its session remembers that', () => {
    const { memory: _memory, ...first } = full;
    const task = {
      ...{ task: given.task, runId: 'r_next', caller: { actor: 'bob', traceparent: 'tq' }, startedAt: SINCE + 5 },
      ...{ remote: REMOTE.unsent, local: { is: 'active', isWaitReported: false }, status: 'running', skips: true },
      held: { waiting: [], replies: {}, logBytes: 0 },
    };
    for (const local of LOCAL)
      expect(nextRun({ ...full, local, status: 'completed', stop: pending }, given, SINCE + 5)).toEqual({
        ...full,
        ...task,
      });
    expect(nextRun(first, given, SINCE + 5)).toEqual({ ...first, ...task, memory: 's_there' });
    expect(nextRun({ ...first, remote: REMOTE.starting }, given, SINCE + 5)).toEqual({ ...first, ...task });
    const { actor: _actor, traceparent: _traceparent, ...unnamed } = given;
    expect(nextRun(first, unnamed, SINCE)).toMatchObject({ caller: {} });
    expect(nextRun(first, unnamed, SINCE).caller).toEqual({});
  });

  it('[RM2] a child begins with nothing sent, taken or said, and its start is under way under the key of its run', () => {
    const child = {
      ...{ sessionId: 's_1', address: '/agents/top/one/sub/far/1~1', agentType: 'far', transport: 'far' },
      ...{ root: { className: 'Top', name: 'one' }, addressClass: 'far', name: 'r-1' },
    };
    const begun = {
      ...child,
      ...{
        is: 'placed',
        task: given.task,
        runId: 'r_next',
        caller: { actor: 'bob', traceparent: 'tq' },
        startedAt: SINCE,
      },
      ...{ remote: REMOTE.unsent, local: { is: 'active', isWaitReported: false }, status: 'running', skips: false },
      ...{ cursor: 0, last: 0, kept: [], step: 0, attempt: 0, usage: NO_USAGE, messages: { waiting: [] } },
      held: { waiting: [], replies: {}, logBytes: 0 },
    };
    expect(firstRun(child, given, SINCE)).toEqual(begun);
    const sent = { is: 'starting', start: { key: full.runId, at: SINCE + 7 } };
    expect(startSent(full, SINCE + 7)).toEqual({ ...full, remote: sent });
  });

  it('[RM12] a run that continues keeps all but its stop and its end', () => {
    for (const remote of STATES)
      for (const local of LOCAL)
        expect(continuedRun({ ...full, remote, local, status: 'interrupted', stop: taken }, 'r_next', {})).toEqual({
          ...full,
          ...{ runId: 'r_next', local: { is: 'active', isWaitReported: false }, status: 'running' },
          remote: 'sessionId' in remote ? { is: 'to_resume', ...chain } : REMOTE.unsent,
        });
  });

  it('[RM51, RM86] a start that waits there keeps its message, to be sent again; one that works has it', () => {
    const message: RemoteMessage = { key: 'm.1', text: 'Go', role: 'user' };
    const answered = { start, sessionId: 's_there', runId: 'r_there' };
    const without = { ...full, messages: { taken: 2, waiting: [] } };
    for (const status of ['queued', 'running', undefined])
      expect(
        begunAs({ ...full, remote: REMOTE.starting }, { ...answered, ...(status ? { status } : {}) }, message),
      ).toEqual({
        ...without,
        remote: { ...REMOTE.begun, ...(status === 'queued' ? { queuedMessage: message } : {}) },
      });
    expect(begunAs(full, { ...answered, status: 'queued' }, undefined)).toEqual({ ...full, remote: REMOTE.begun });
  });

  it('[RM18, RM62] one that leaves its place keeps its names, its caller and its stop, and nothing else', () => {
    const { sessionId, agentType, transport, addressClass, name, runId, caller, remote } = full;
    const names = { sessionId, agentType, transport, addressClass, name, runId, caller, remote, memory: 's_before' };
    const removal = { since: SINCE, attempts: 0, nextAt: SINCE };
    const placed = { ...full, local: LOCAL[1] ?? { is: 'unwanted' }, stop: pending } as const;
    const gone = { ...names, is: 'removed', isStray: false, removal, stop: pending };
    expect(removed(placed, 'It left.', SINCE)).toEqual(gone);
    expect(removed({ ...full, local: { is: 'unwanted' } }, 'It left.', SINCE)).toEqual({
      ...gone,
      stop: { verb: 'abort', reason: 'It left.', ...removal },
    });
    const late = {
      ...gone,
      sessionId: 's_1.r-1',
      isStray: true,
      stop: { ...removal, verb: 'abort', reason: expect.any(String) },
    };
    const { memory: _memory, ...unremembered } = late;
    // It had ended here, and nobody knows so there: it is stopped all the same.
    const { stop: _stop, ...ended1 } = placed;
    expect(lateStart(ended1, SINCE)).toEqual(unremembered);
    const { memory: _before, ...first } = ended1;
    expect(lateStart(first, SINCE)).toEqual({ ...unremembered, isStray: false });
    const removedRun = removed(placed, 'It left.', SINCE);
    expect(removed(removedRun, 'Once more.', SINCE + 1)).toBe(removedRun);
  });

  it('[RM18] a removal is tried for a day, and a child is cleaned up as long as its stop or its removal is pending', () => {
    const removal = { since: SINCE, attempts: 0, nextAt: SINCE };
    const { stop: _stop, ...gone } = removed({ ...full, local: { is: 'unwanted' } }, 'It left.', SINCE);
    const day = SINCE + 86_400_000;
    expect(removalAgain(gone, day - 1)).toEqual({ ...gone, removal: { ...removal, attempts: 1, nextAt: day + 999 } });
    expect(removalAgain(gone, day)).not.toHaveProperty('removal');
    const { removal: _removal, ...rest } = gone;
    expect([gone, rest, { ...rest, stop: pending }, { ...rest, stop: taken }].map(hasPendingCleanup)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(hasPendingCleanup({ ...full, stop: pending })).toBe(false);
  });

  it('[RM8, RM24] the stop of a task stays pending apart from the next one where it may have begun by its start', () => {
    expect(holds((run) => stillToStop({ ...run, stop: pending }) !== undefined)).toEqual([
      ['begun', 'resuming'],
      ['starting', 'stopped', 'begun', 'resuming'],
    ]);
    expect(holds((run) => stillToStop({ ...run, stop: taken }) !== undefined)).toEqual([[], []]);
    const still = stillToStop({ ...full, stop: pending });
    expect(still).toMatchObject({ is: 'removed', isStray: true, sessionId: 's_1.r_here', stop: pending });
    expect(still).not.toHaveProperty('removal');
  });

  it('[RM22] one that begins under another name has ended here, unless it had before', () => {
    const asked = { ...full, remote: REMOTE.starting, stop: pending };
    const other = { ...asked, name: 'r-2', cursor: 0, skips: false, remote: REMOTE.unsent, stop: taken };
    const [, atRest = full.local] = LOCAL;
    expect(withoutStart({ ...asked, skips: true, local: atRest }, pending, 'r-2', SINCE)).toEqual({
      ...other,
      local: atRest,
    });
    const { kept, last, local, status, held, ...rest } = withoutStart(asked, pending, 'r-2', SINCE);
    expect({ ...full, ...rest }).toEqual({
      ...other,
      ...{ kept: full.kept, last: 1, local: full.local, status: 'running', held: full.held },
    });
    expect([kept.length, last, local.is, status, held.replies]).toEqual([2, 2, 'ended', 'failed', {}]);
  });
});

describe('the end of a remote task', () => {
  const error = failure('subagent_failed', 'It broke.');
  const ENDS: readonly (readonly [there: Parameters<typeof outcomeOf>[0], here: Outcome, says: object])[] = [
    [
      { status: 'completed', output: { a: 1 } },
      { status: 'completed', output: { a: 1 }, completionReason: 'finish' },
      { type: 'run_completed', output: { a: 1 } },
    ],
    [
      { status: 'completed' },
      { status: 'completed', output: null, completionReason: 'finish' },
      { type: 'run_completed', output: null },
    ],
    [
      { status: 'failed', error },
      { status: 'failed', error, failureReason: error.code },
      { type: 'run_failed', error, failureReason: error.code },
    ],
    [
      { status: 'interrupted', reason: 'Wait.' },
      { status: 'interrupted', reason: 'Wait.' },
      { type: 'run_interrupted', reason: 'Wait.' },
    ],
    [
      { status: 'terminated', reason: 'Over.' },
      { status: 'terminated', reason: 'Over.' },
      { type: 'run_terminated', reason: 'Over.' },
    ],
  ];

  it('[RM9, RM12] each is taken as it was said there, and said here where its log has not said it', () => {
    for (const [there, here, says] of ENDS) {
      expect(outcomeOf(there)).toEqual(here);
      const { agentType, address, step, attempt } = full;
      const chunk = {
        ...says,
        agentId: 's_1',
        agentType,
        address,
        runId: 'r_here',
        step,
        attempt,
        timestamp: SINCE + 1,
      };
      const settled = { ...full, local: { is: 'ended', outcome: here, isAcknowledged: false }, stop: taken };
      const held = { ...full.held, replies: {} };
      const after = ended({ ...full, stop: pending }, here, SINCE + 1);
      expect(after).toEqual({
        ...settled,
        ...{ status: here.status, held, last: 2 },
        kept: [...full.kept, { first: 2, chunks: [chunk], status: here.status, usage: full.usage }],
      });
      // Its log has said so: nothing more is said.
      const { status } = here;
      expect(ended({ ...full, status, stop: pending }, here, SINCE + 1)).toEqual({ ...settled, status });
      const givenUp: RemoteStop = { ...pending, settled: 'given_up' };
      expect(ended({ ...full, status, stop: givenUp }, here, SINCE + 1)).toMatchObject({ stop: givenUp });
      expect(ended({ ...full, local: { is: 'unwanted' } }, here, SINCE)).toMatchObject({
        local: { isAcknowledged: true },
      });
    }
    for (const status of ['running', 'suspended_client_tool', 'queued']) expect(outcomeOf({ status })).toBeUndefined();
    for (const status of ['interrupted', 'terminated'])
      expect(outcomeOf({ status })).toMatchObject({ reason: `It was ${status} on its server.` });
  });

  it('[RM9] a code that this release does not know is kept in a failure of its own, and so is a refusal', () => {
    expect(failureFrom('model_refused', 'No.', true)).toEqual(failure('model_refused', 'No.', true));
    const newer = 'n'.repeat(101);
    expect(failureFrom(newer, 'No.', true)).toEqual(failure('subagent_failed', 'No.', true, { code: 'n'.repeat(100) }));
    const refusal = { ok: false, code: 'forbidden', title: 'No.', status: 403 } as const;
    expect(failureByRefusal(refusal)).toMatchObject({
      code: 'subagent_failed',
      retryable: false,
      details: { code: 'forbidden', status: 403 },
    });
    expect(failureByRefusal({ ...refusal, detail: 'Not you.' }).message).toContain('Not you.');
    for (const status of [404, 410])
      expect(failureByRefusal({ ...refusal, status })).toMatchObject({ code: 'subagent_lost' });
    const fault = new TypeError('No.');
    expect(failureByFault(full, fault, undefined)).toMatchObject({
      code: 'subagent_failed',
      retryable: false,
      details: { remote: 'remote_unreachable' },
    });
    const silent = failureByFault(full, fault, 5_000);
    expect(silent).toMatchObject({
      code: 'subagent_lost',
      message: expect.stringContaining('It did not answer for 5000 ms'),
    });
  });

  it('[RM6, RM8] one that fails here, or that nobody wants, is stopped there where something of it was sent', () => {
    const stopped = (run: RemoteRun) => (run.stop ? [run.stop.verb, run.stop.reason] : undefined);
    for (const remote of STATES) {
      const isThere = ['starting', 'stopped', 'begun', 'resuming'].includes(remote.is);
      const failed = failedHere({ ...full, remote }, error, SINCE);
      expect(stopped(failed), remote.is).toEqual(isThere ? ['abort', error.message] : undefined);
      expect(failed).toMatchObject({ status: 'failed', local: { outcome: { failureReason: error.code } } });
      expect(stopped(unwanted({ ...full, remote }, 'No.', SINCE)), remote.is).toEqual(
        isThere ? ['abort', 'No.'] : undefined,
      );
      const [, atRest = full.local] = LOCAL;
      const left = unwanted({ ...full, remote, local: atRest }, 'No.', SINCE);
      expect(left).toEqual({ ...full, remote, kept: [], last: 0, local: { ...atRest, isAcknowledged: true } });
    }
    // A batch without chunks has no number.
    const without = saying(saying(atWork, [], SINCE), [textOf(atWork, 'One')], SINCE);
    expect(
      unwanted(
        {
          ...without,
          last: 5,
          kept: without.kept.map((batch) => ({ ...batch, first: batch.chunks.length === 0 ? 2 : 5 })),
        },
        'No.',
        SINCE,
      ).last,
    ).toBe(4);
    const rest = (status: PlacedRun['status'], stop?: RemoteStop) =>
      isStoppedAtRest({ ...full, status, ...(stop ? { stop } : {}) });
    expect([
      rest('interrupted', pending),
      rest('interrupted', taken),
      rest('interrupted'),
      rest('running', pending),
    ]).toEqual([true, false, false, false]);
  });

  it('[RM8, RM12] the stop of one at rest is for one that was interrupted, and for no other end', () => {
    const ends: readonly Outcome[] = [
      { status: 'completed', output: null, completionReason: 'finish' },
      { status: 'failed', error },
      { status: 'terminated', reason: 'Over.' },
    ];
    const stop = { verb: 'terminate', reason: 'Enough.', runId: 'r_next' } as const;
    for (const end of ends) {
      const run: PlacedRun = {
        ...full,
        status: end.status,
        local: { is: 'ended', outcome: end, isAcknowledged: true },
      };
      expect(stoppedAtRest(run, stop, SINCE)).toBe(run);
    }
    const rests: PlacedRun = {
      ...full,
      status: 'interrupted',
      local: { is: 'ended', outcome, isAcknowledged: true },
      stop: taken,
    };
    expect(stoppedAtRest(rests, stop, SINCE)).toEqual({
      ...rests,
      ...{ runId: 'r_next', local: { is: 'active', isWaitReported: false } },
      stop: { verb: 'terminate', reason: 'Enough.', since: SINCE, attempts: 0, nextAt: SINCE },
    });
    const invalid = outputFailed('x');
    expect(invalid).toMatchObject({
      status: 'failed',
      error: { code: 'output_invalid' },
      failureReason: 'output_invalid',
    });
  });

  it('[RM36] the rest of a log is waited for during five seconds after a hard stop was taken', () => {
    const within = (ms: number, stop: RemoteStop = taken) => endsWithoutRest({ ...full, stop }, SINCE, SINCE + ms);
    expect([within(4_999), within(5_000)]).toEqual([false, true]);
    expect([within(5_000, pending), within(5_000, { ...taken, verb: 'interrupt' })]).toEqual([false, false]);
  });
});

describe('the facts of a remote child for its root', () => {
  it('[RM8, RM21] it is looked after when its stop is, its removal, or its wait for a person', () => {
    const waits = { ...full, status: 'suspended_client_tool' } as const;
    const removal = { since: 1, attempts: 1, nextAt: 7 };
    const { removal: _removal, ...gone } = removed(full, 'It left.', SINCE);
    expect([
      dueAt({ ...waits, stop: pending }, SINCE),
      dueAt({ ...waits, stop: taken }, SINCE),
      dueAt(waits, SINCE),
      dueAt({ ...waits, local: LOCAL[1] ?? waits.local }, SINCE),
      dueAt(full, SINCE),
      dueAt({ ...gone, stop: pending, removal }, SINCE),
      dueAt({ ...gone, stop: taken, removal }, SINCE),
      dueAt({ ...gone, stop: taken }, SINCE),
    ]).toEqual([9, SINCE + 60_000, SINCE + 60_000, undefined, undefined, 9, 7, undefined]);
  });

  it('[RM3, RM8] a batch has its status, its usage, and what waits or is pending of it', () => {
    const call = { toolCallId: 'c_1', toolName: 'pay', stepId: 1, kind: 'approval', requestedAt: 1 } as const;
    const facts = (run: PlacedRun) => saying(run, [], SINCE).kept.at(-1);
    const plain = { first: 2, chunks: [], status: 'running', usage: full.usage };
    expect(facts(full)).toEqual(plain);
    expect(facts({ ...full, held: { ...full.held, waiting: [call] } })).toEqual({ ...plain, pending: [call] });
    const stopOwed = { verb: 'abort', runId: 'r_here', since: 1, attempts: 1, nextAt: 9 };
    expect(facts({ ...full, stop: pending })).toEqual({ ...plain, effectAt: 9, stopOwed });
    // The first try is under way.
    expect(facts({ ...full, stop: { ...pending, attempts: 0 } })).toEqual({ ...plain, effectAt: 9 });
    expect(facts({ ...full, stop: taken })).toEqual(plain);
    expect([isUnheard(unsent), isUnheard(full)]).toEqual([true, false]);
    const text = textOf(full, 'x');
    const batch = { ...plain, status: 'running' } as const;
    const lasts = [
      [],
      [{ ...batch, first: 4 }],
      [
        { ...batch, first: 4, chunks: [text, text] },
        { ...batch, first: 6 },
      ],
      [{ ...batch, first: 4, chunks: [text, text] }],
    ].map(lastOf);
    expect(lasts).toEqual([0, 3, 5, 5]);
  });
});

describe('a message of its parent', () => {
  const first: RemoteMessage = { key: 'm.1', text: 'Go', role: 'user', to: 'side_b' };
  const second: RemoteMessage = { key: 'm.2', text: 'On', role: 'user' };
  const having = (taken: number | undefined, ...waiting: readonly RemoteMessage[]): PlacedRun => ({
    ...full,
    messages: { waiting, ...(taken === undefined ? {} : { taken }) },
  });

  it('[RM11] begins a task without arguments, and goes with nothing else that begins one', () => {
    const rows: readonly (readonly [PlacedRun, input: 'args' | null, object])[] = [
      [having(2, first, second), null, { message: 'Go', to: 'side_b' }],
      [having(2, second), null, { message: 'On' }],
      [having(2), null, { message: expect.stringMatching(/\w/) }],
      [having(2, first), 'args', { input: 'args' }],
      [having(undefined, first), null, { input: null }],
      [having(undefined), 'args', { input: 'args' }],
    ];
    for (const [run, input, body] of rows) {
      expect(bodyOfStart(run, input)).toEqual(body);
      const goes = messageOfStart(run, input);
      expect(goes).toBe(input === null && run.messages.taken !== undefined ? run.messages.waiting[0] : undefined);
    }
    expect([bodyOfResume(first), bodyOfResume(undefined)]).toEqual([{ message: 'Go' }, {}]);
    expect([having(2, first, second), having(undefined, first)].map(mailFactsOf)).toEqual([
      { taken: 2, unseen: 2 },
      undefined,
    ]);
  });

  it('[RM11, RM90] is in doubt as long as what brought it is, and goes with a resume unless it was sent to the run', () => {
    const send = { ...first, sent: { by: 'send', chainRunId: 'r_there' } } as const;
    const refusedOnce = { ...first, sent: { ...send.sent, isRefused: true } } as const;
    const resume = { ...first, sent: { by: 'resume', key: 'r_x' } } as const;
    const runs = [first, send, refusedOnce, resume].map((one) => having(2, one, second));
    expect(runs.map(messageInDoubt)).toEqual([undefined, send, undefined, resume]);
    expect(runs.map(messageOfResume)).toEqual([first, undefined, undefined, resume]);
    const resumed = runs.map((run) => messageResumed(run).messages);
    expect(resumed).toEqual([
      { taken: 2, waiting: [{ ...first, sent: { by: 'resume', key: 'r_here' } }, second] },
      ...runs.slice(1).map((run) => run.messages),
    ]);
    expect(messageInDoubt(having(2))).toBeUndefined();
  });

  it('[RM11] is sent to a task at work, once', () => {
    const works = having(2, second);
    for (const remote of STATES)
      for (const local of LOCAL)
        expect(nextMessage({ ...works, remote, local })).toBe(
          remote.is === 'begun' && local.is === 'active' ? second : undefined,
        );
    expect(nextMessage({ ...works, stop: taken })).toBeUndefined();
    expect(nextMessage({ ...works, status: 'completed' })).toBeUndefined();
    const message = { messageId: 'm.3', role: 'user', content: 'More', from: 'parent' } as const;
    const more = withMessage(works, message);
    expect(more.messages).toEqual({ taken: 2, waiting: [second, { key: 'm.3', text: 'More', role: 'user' }] });
    expect(withMessage(more, message)).toBe(more);
    const toOne = withMessage(works, { ...message, to: 'side_b' }).messages.waiting.at(-1);
    expect(toOne).toEqual({ key: 'm.3', text: 'More', role: 'user', to: 'side_b' });
  });
});

describe('the answer to a stop', () => {
  const named = { runId: 'r_there' };
  const answered = (body: object): Came => ({ ok: true, body: { status: 'running', ...body } });

  it('[RM25] a side has forgotten a start that it answered where it knows no run of it', () => {
    const rows = [answered({ begun: false }), answered({ begun: false, ...named }), answered({}), refused(404)];
    expect(rows.map((came) => isForgotten(full, came))).toEqual([true, false, false, false]);
    expect(isForgotten({ ...full, remote: REMOTE.starting }, answered({ begun: false }))).toBe(false);
  });

  it('[RM19, RM22, RM24, RM25] says whether its task has begun there, in each state', () => {
    const never = answered({ begun: false });
    const says = (came: Came, knew = false) =>
      holdsAs((run) => begunThere(run, came, knew)).map((states) => states.join(' '));
    // unsent, starting, stopped, begun, to_resume, resuming: without tasks before it, and with some.
    expect(says(answered({}))).toEqual([
      'never yet yet since since since',
      'unknown unknown unknown since since since',
    ]);
    expect(says(never)).toEqual(['never yet yet since since since', 'never never never since since since']);
    expect(says(refused(404))).toEqual(['never yet yet since since since', 'yet yet yet since since since']);
    expect(says(never, true)).toEqual(['never yet yet before before before', 'never never never before before before']);
  });

  it('[RM24, RM25] makes a further task known that has begun there, also of one that has left its place', () => {
    const came = answered({ begun: true, runId: 'r_9' });
    const remote = { is: 'begun', start, sessionId: 's_before', chainRunId: 'r_9' };
    const asked = { ...full, remote: REMOTE.starting };
    expect(adopted(asked, came, 'args')).toEqual({ ...asked, remote });
    expect(adopted(asked, came, null)).toEqual({ ...asked, remote, messages: { taken: 2, waiting: [] } });
    const gone = removed(asked, 'It left.', SINCE);
    expect(adopted(gone, came, null)).toEqual({ ...gone, remote });
    for (const run of [asked, gone]) {
      const { memory: _memory, ...first } = run;
      expect(adopted(first, came, null)).toBe(first);
    }
    expect(adopted(full, came, null)).toBe(full);
    for (const run of [
      { ...asked, stop: pending },
      { ...gone, stop: pending },
    ]) {
      const { stop: _stop, ...rest } = run;
      expect(refusedStart(run)).toEqual({ ...rest, remote: REMOTE.unsent });
    }
    // What is stray is stopped by its start alone.
    const stray = { ...gone, isStray: true };
    expect([gone, stray].map((run) => isWithoutStart(run, refused(400)))).toEqual([true, false]);
  });

  it('[RM25, RM86] leaves nothing begun where the start never will, and what was queued there is first again', () => {
    const queuedMessage: RemoteMessage = { key: 'm.0', text: 'First', role: 'user' };
    const never = answered({ begun: false, ...named });
    for (const memory of ['s_before', undefined]) {
      const { memory: _memory, ...first } = { ...full, remote: { ...REMOTE.begun, queuedMessage } };
      const sent = withStopSent({ ...first, ...(memory ? { memory } : {}) }, taken, never, SINCE);
      expect(sent).toMatchObject({ remote: REMOTE.unsent, memory: memory ?? 's_there', local: { is: 'ended' } });
      const waiting = [queuedMessage, ...full.messages.waiting];
      expect(sent).toMatchObject({ messages: { taken: 2, waiting } });
    }
    // One that had ended keeps its end.
    const [, atRest = full.local] = LOCAL;
    const ended1 = { ...full, remote: REMOTE.starting, local: atRest };
    expect(withStopSent(ended1, taken, never, SINCE)).toEqual({ ...ended1, stop: taken, remote: REMOTE.stopped });
    const again = { ...pending, attempts: 2 };
    expect(withStopSent(ended1, again, never, SINCE)).toEqual({ ...ended1, stop: again });
  });

  it('[RM25] by the status: another session is none, another run has taken its place, the same is to be stopped', () => {
    const counts = { epoch: 1, turn: 1, chainTurn: 1, resumes: 0, startedAt: 1, step: 1 };
    const status = (sessionId: string, chainRunId: string): Came => ({
      ok: true,
      body: {
        ...{ sessionId, agentType: 'far', address: '/agents/far/r-1', status: 'running', lastSequence: 0 },
        run: { runId: 'r_any', status: 'running', chainRunId, ...counts },
        childCounts: { running: 0, queued: 0, waiting: 0, total: 0 },
        ...{ usage: atWork.usage, tags: [], pending: [] },
        controls: {
          ...{ start: true, send: true, interrupt: true, abort: true, terminate: true },
          ...{ resume: true, retry: true, submit: true, fork: true, remove: true },
        },
      },
    });
    expect(stoppedByStatus(full, status('s_other', 'r_there'))).toMatchObject({
      ok: false,
      code: 'not_found',
      status: 404,
    });
    expect(stoppedByStatus(full, status('s_there', 'r_other'))).toEqual({ ok: true, body: { status: 'running' } });
    expect(stoppedByStatus(full, status('s_there', 'r_there'))).toBeUndefined();
    expect(stoppedByStatus({ ...full, remote: REMOTE.starting }, status('s_there', 'r_other'))).toBeUndefined();
    for (const came of [refused(503), refused(404), refused(410)]) expect(stoppedByStatus(full, came)).toBe(came);
    for (const came of [refused(403), answered({})]) expect(stoppedByStatus(full, came)).toBeUndefined();
  });

  it('[RM25] a start that was taken out of a queue there ends as interrupted by a stop that is not answered yet', () => {
    const error = failure('interrupted', 'x');
    const end = (failureReason: string): Outcome => ({ status: 'failed', error, failureReason });
    const of = (stop: RemoteStop, outcome1: Outcome) => isTakenFromQueue({ ...full, stop }, outcome1);
    expect([
      of(pending, end('interrupted')),
      of(taken, end('interrupted')),
      of(pending, end('aborted')),
      of(pending, outcome),
    ]).toEqual([true, false, false, false]);
  });

  it('[RM18, RM25] what is stray keeps its start for ever, and has made nothing where that never began', () => {
    const gone = removed({ ...full, remote: REMOTE.starting, stop: pending }, 'It left.', SINCE);
    const late = SINCE + 86_400_000;
    expect([startToStop(gone, late), startToStop({ ...gone, isStray: true }, late)]).toEqual([undefined, 'r_here']);
    const settled = { ...gone, stop: taken, remote: REMOTE.stopped };
    const never = answered({ begun: false });
    const { removal: _removal, ...nothing } = { ...settled, isStray: true };
    expect(withStopSent(gone, taken, never, SINCE)).toEqual(settled);
    expect(withStopSent({ ...gone, isStray: true }, taken, never, SINCE)).toEqual(nothing);
    expect(withStopSent({ ...gone, isStray: true }, taken, answered({}), SINCE)).toEqual({ ...settled, isStray: true });
    const again = { ...pending, attempts: 2 };
    expect(withStopSent(gone, again, refused(503), SINCE)).toEqual({ ...gone, stop: again });
  });
});
