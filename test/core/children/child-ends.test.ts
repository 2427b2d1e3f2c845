/** What becomes of a child that tells an end: each way in which it may stand, each end and each stop, by the promises. */
import { expect, it } from 'vitest';
import type { Transition } from '../../../src/core/agent/changes';
import { type Child, type ChildState, keyOf, runIdOf } from '../../../src/core/agent/children/child';
import { onChildSettled } from '../../../src/core/agent/children/delegation';
import { Draft } from '../../../src/core/agent/draft';
import type { AgentState, Outcome, StopRecord } from '../../../src/core/agent/state';
import { failure } from '../../../src/protocol/errors';
import { childRunId } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Machine, planned } from '../../support/machine';

const machine = new Machine();
machine.start();
machine.reply({
  calls: [planned.tool(), { ...planned.child(), lifetime: 'named', await: 'notice', deliver: 'notice' }],
});
const STATE = machine.state;
const CHILD: Child = { ...machine.child(1), runNumber: 4, spentBefore: { ...NO_USAGE, modelCalls: 2 } };
const KNOWN = { ...NO_USAGE, modelCalls: 1 };
const MESSAGE = { messageId: 'm_9', role: 'user', content: 'Again', from: 'caller' } as const;

const timeUp = failure('child_timeout', 'Its time is up.');
const stopping = (verb: 'interrupt' | 'abort' | 'terminate', cause: 'stop' | 'parent_suspended', goesOn = false) =>
  ({ is: 'stopping', verb, cause, error: timeUp, message: MESSAGE, ...(goesOn ? { goesOn } : {}) }) as ChildState;
const STATES: readonly ChildState[] = [
  { is: 'working', message: MESSAGE, says: 'so far' },
  { is: 'waiting' },
  ...(['interrupt', 'abort', 'terminate'] as const).flatMap((verb) => [
    stopping(verb, 'stop'),
    stopping(verb, 'stop', true),
  ]),
  stopping('interrupt', 'parent_suspended'),
  stopping('abort', 'parent_suspended'),
  { is: 'interrupted', cause: 'stop', usage: KNOWN },
  { is: 'failed', error: failure('model_error', 'First.'), usage: KNOWN },
  { is: 'respawning', usage: KNOWN },
  { is: 'respawning', fresh: true },
];

const error = failure('model_error', 'No.');
const OUTCOMES: readonly Outcome[] = [
  { status: 'completed', output: 'done', completionReason: 'text' },
  { status: 'failed', error },
  { status: 'failed', error, failureReason: 'parent_suspended' },
  { status: 'failed', error, failureReason: 'aborted' },
  { status: 'failed', error: failure('subagent_lost', 'Gone.') },
  { status: 'failed', error: failure('terminated', 'Takes no task.') },
  { status: 'interrupted', reason: 'So.' },
  { status: 'terminated', reason: 'So.' },
];
/** Its own word of the run that is meant; of one that never began; what is said of it by others; and an older run. */
const WORDS = {
  own: { runId: runIdOf(CHILD) },
  unbegun: { runId: runIdOf(CHILD), unbegun: true },
  others: {},
} as const;
const OLD = { runId: childRunId(CHILD.sessionId, 3) };
const STOPS = [undefined, 'interrupt', 'abort', 'terminate'] as const;
const DONE = { text: 'some' };

type Row = {
  readonly state: ChildState;
  readonly outcome: Outcome;
  readonly word: keyof typeof WORDS;
  readonly stop: (typeof STOPS)[number];
  readonly rule: 'result' | 'wait';
};

const withDone = (of: typeof error) => ({ ...of, details: { done: DONE } });

/** How it stands after that; undefined where nothing changes. */
function expected({ state, outcome, word, stop, rule }: Row): ChildState | undefined {
  const isOwn = word === 'own';
  const { status } = outcome;
  const reason = outcome.status === 'failed' ? outcome.failureReason : undefined;
  if (state.is === 'interrupted' && status === 'interrupted') return undefined;
  if (state.is === 'respawning' && (status === 'interrupted' || reason === 'parent_suspended')) return undefined;
  if (state.is === 'failed' && status === 'failed' && isOwn) return undefined;
  const verb = state.is === 'stopping' ? state.verb : undefined;
  const forWait = state.is === 'stopping' && state.cause === 'parent_suspended';
  const hasToClose = isOwn && status === 'interrupted';
  // A session that is to end for good has still to say its last words.
  if (verb === 'terminate' && hasToClose) return undefined;
  const stopEnds = stop === 'abort' || (stop === 'terminate' && !hasToClose);
  const ownStopEnds = (verb === 'abort' || verb === 'terminate') && !forWait;
  const usage = { ...NO_USAGE, modelCalls: 7 };
  if (!stopEnds && !ownStopEnds) {
    if (status === 'interrupted') {
      const message = !isOwn && 'message' in state ? { message: MESSAGE } : {};
      if (state.is === 'stopping' && state.goesOn && stop === undefined) return { is: 'working', ...message };
      return {
        is: 'interrupted',
        cause: forWait && stop === undefined ? 'parent_suspended' : 'stop',
        usage,
        ...message,
      };
    }
    if (reason === 'parent_suspended') return { is: 'respawning', usage };
    if (outcome.status === 'failed' && rule === 'wait' && isOwn && reason !== 'aborted')
      return { is: 'failed', error: withDone(outcome.error), usage };
  }
  const tooLate = ownStopEnds && !(verb === 'terminate' && status === 'completed');
  const said =
    outcome.status === 'failed'
      ? outcome.error
      : outcome.status === 'completed'
        ? undefined
        : failure(outcome.status, `The sub-agent leaf was ${outcome.status}: So.`);
  const byStop = stop && status === 'interrupted';
  const codes = { interrupt: 'interrupted', abort: 'aborted', terminate: 'terminated' } as const;
  const failed = tooLate ? timeUp : byStop ? failure(codes[stop], 'Enough.') : said;
  const isLost = word === 'others' && outcome.status === 'failed' && outcome.error.code === 'subagent_lost';
  const isRefused = !isOwn && outcome.status === 'failed' && outcome.error.code === 'terminated';
  const before =
    state.is === 'failed'
      ? { session: 'failed' as const }
      : state.is === 'respawning'
        ? state.fresh
          ? { gone: true as const }
          : { session: 'failed' as const }
        : {};
  const session = isOwn ? { session: status } : isRefused ? { session: 'terminated' as const } : {};
  const known = isLost ? { gone: true as const } : {};
  return {
    is: 'ended',
    result: failed ? { success: false, error: withDone(failed) } : { success: true, value: 'done' },
    ...(isOwn || isRefused || isLost ? { ...session, ...known } : before),
  };
}

const rows = STATES.flatMap((state) =>
  OUTCOMES.flatMap((outcome) =>
    (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((word) =>
      STOPS.flatMap((stop) => (['result', 'wait'] as const).map((rule): Row => ({ state, outcome, word, stop, rule }))),
    ),
  ),
).filter(
  ({ outcome: { status }, word, rule }) =>
    (rule === 'result' || status === 'failed') && (word !== 'unbegun' || status === 'interrupted'),
);

/** The state of the parent with the child so, and its run stopped so. */
function stateOf({ state, stop, rule }: Omit<Row, 'outcome' | 'word'>): AgentState {
  const { run } = STATE;
  if (run?.phase !== 'active') throw new Error('No run is at work.');
  const record: StopRecord | undefined = stop && { verb: stop, reason: 'Enough.', at: 1, bodies: [] };
  const child = { ...CHILD, terms: { ...CHILD.terms, onFailure: rule }, state };
  return {
    ...STATE,
    children: new Map([[child.childId, child]]),
    run: { ...run, ...(record ? { stop: record } : {}) },
  };
}

it('[DG3, DG7, DG10, DG22, CS1, CS2, CS6, CS8, SP10, CO3] is said by how it stood, its word, and who has stopped it', () => {
  for (const row of rows) {
    const { state, outcome, word } = row;
    const before = stateOf(row);
    const usage = { ...NO_USAGE, modelCalls: 9 };
    const facts = { at: 5, token: 'token00000000077', task: keyOf(CHILD), outcome, usage, done: DONE };
    const tell = (by: object): Transition =>
      onChildSettled(new Draft(before), { type: 'child_settled', ...facts, ...by }, machine.rules);
    const old = tell(OLD);
    const told = tell(WORDS[word]);
    const what = JSON.stringify(row);
    if (!old.ok || !told.ok) throw new Error(`It is refused: ${what}`);
    expect(old.state, what).toBe(before);
    const next = expected(row);
    if (next === undefined) {
      expect(told.state.children.get(CHILD.childId)?.state, what).toEqual(state);
      continue;
    }
    const put = told.changes.findLast((change) => change.put === 'child');
    if (put?.put !== 'child') throw new Error(`Nothing is kept: ${what}`);
    const { child } = put;
    const { notice, ...now } = { notice: undefined, ...child.state };
    expect(now, what).toEqual(next);
    const ends = next.is === 'ended';
    const unbegun = outcome.status === 'interrupted' && word !== 'own' && !ends;
    // It is shown once that a task has ended: also of one that was failed for the wait of its parent.
    const isShown = state.is !== 'respawning' && (ends || next.is === 'respawning');
    expect(
      {
        notice: notice !== undefined,
        open: told.state.children.has(CHILD.childId),
        runNumber: child.runNumber,
        firstRun: child.task.firstRun,
        begun: child.begun === true,
        spent: child.spentBefore?.modelCalls,
        shown: told.chunks.filter(({ body }) => body.type === 'subagent_end').length,
      },
      what,
    ).toEqual({
      ...{ notice: ends, open: !ends, runNumber: next.is === 'working' ? 5 : 4, begun: word === 'own' },
      ...{ firstRun: unbegun ? 5 : CHILD.task.firstRun, spent: ends ? 9 : 2, shown: isShown ? 1 : 0 },
    });
  }
});
