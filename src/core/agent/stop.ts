/**
 * The stop machine: a stop is a committed record of one run. Its way through a tree is drawn in docs/flows.md.
 *
 * SP4. From its commit on a stop leaves no model call owed, and no body or child begins.
 * SP5. An interrupt leaves open what has no result: that is where a resume goes on. Other stops settle at once what is
 *     not under way, and the rest when it ends.
 * SP6. Bodies that had begun have a short time to end by themselves, and a success within it counts (decision 5).
 * SP7. A stronger stop takes the place of a weaker one, never the other way.
 * SP8. A stop for another run is refused, and changes nothing; one from the parent for a run that it has not begun yet
 *     lets that run begin stopped.
 * SP9. Children are asked with the same verb and awaited, so that a stop leaves none behind.
 * SP10. A session at rest is ended by `terminate` alone.
 * SP11. A stop drops the hooks that are owed, and a step's end is announced once.
 */

import { type Failure, failure } from '../protocol/errors';
import { childRunId, entryOfRun } from '../protocol/ids';
import { runningTools, settleCall, unrunFacts } from './call';
import type { Transition } from './changes';
import { acceptMessage } from './delivery';
import { type Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import { awaitsHook, withoutHooks } from './hooks';
import type { Rules } from './rules';
import { finish, takeRun, takeUp, tryAgain } from './run';
import {
  type ActiveRun,
  type Call,
  currentStep,
  type Outcome,
  openCalls,
  type RepliedStep,
  STOP_CODES,
  STOP_VERBS,
  type StopRecord,
} from './state';

type StopEvent = Extract<AgentEvent, { type: 'stop' }>;

const WORDS = { interrupt: 'interrupting', abort: 'aborting', terminate: 'terminating' } as const;

/** A stop arrives. Asking again is harmless: the first record stays, unless the new one is stronger. */
export function onStop(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run } = draft.state;
  if (run === undefined) return draft.done();
  if (event.runId !== undefined && event.runId !== run.runId) return otherRun(draft, event, rules);
  if (run.phase === 'ended') return atRest(draft, event, rules);
  if (run.stop && STOP_VERBS.indexOf(run.stop.verb) >= STOP_VERBS.indexOf(event.verb)) return draft.done();
  stopRun(draft, recordOf(draft, run, event, rules), rules);
  return draft.done();
}

type Cause = Pick<StopRecord, 'verb' | 'reason' | 'at' | 'error'>;

/** The record of a stop: the bodies that had begun at the first one keep their time to end. */
export function recordOf(draft: Draft, run: ActiveRun, event: Cause, rules: Rules): StopRecord {
  const step = currentStep(draft.state);
  const running = step?.phase === 'calls' ? runningTools(step, rules) : [];
  const begun = running.map(({ callId }) => callId).filter((callId) => !awaitsHook(run, callId));
  return {
    verb: event.verb,
    reason: event.reason,
    at: event.at,
    ...(event.error ? { error: event.error } : {}),
    bodies: run.stop?.bodies ?? begun,
  };
}

/** Stops the active run for a cause of its own: it fails with this error. */
export function stopFor(draft: Draft, { error, at }: { error: Failure; at: number }, rules: Rules): void {
  const { run } = draft.state;
  if (run?.phase !== 'active') return;
  stopRun(draft, recordOf(draft, run, { verb: 'abort', reason: error.message, at, error }, rules), rules);
}

/** Records a stop of the active run, and settles what it does not have to wait for. */
export function stopRun(draft: Draft, stop: StopRecord, rules: Rules): void {
  const { run, session } = draft.state;
  if (run?.phase !== 'active') return;
  draft.setRun({ ...withoutHooks(run), stop });
  draft.emit({
    type: 'subagent_status',
    subSessionId: session.sessionId,
    status: WORDS[stop.verb],
    statusText: stop.reason,
  });
  settleUnbegun(draft, stop, rules);
}

/** A stop from the parent for a run that has not begun here, and now never does: it begins stopped. */
function otherRun(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run, session } = draft.state;
  const goesOn = run?.phase === 'ended' && GOES_ON.has(run.outcome.status) && session.terminated === undefined;
  const entryOf = (runId: string): number => entryOfRun(session.sessionId, runId);
  const first = run?.phase === 'active' && entryOf(run.runId) === 0 && event.runId !== undefined;
  // A run that the first release began has an id which its parent did not give.
  if (first && event.byParent === true && entryOf(event.runId ?? '') === 1)
    return onStop(draft, { ...event, runId: run.runId }, rules);
  const ahead = event.runId !== undefined && run !== undefined && entryOf(event.runId) > entryOf(run.runId);
  if (event.byParent !== true || event.runId === undefined || !goesOn || !ahead)
    return refuse('run_superseded', 'Another run has taken its place; look at the status for its id.');
  const taking = { runId: event.runId, at: event.at };
  if (run.outcome.status === 'failed') tryAgain(draft, run, taking, rules);
  else takeUp(draft, run, taking, rules);
  if (event.message) acceptMessage(draft, event.message, event.at);
  return onStop(draft, event, rules);
}

/** How a run ended that its parent may go on with. */
const GOES_ON: ReadonlySet<Outcome['status']> = new Set(['interrupted', 'failed']);

/** A session at rest: only the end of the session means something to it. What was interrupted is closed in a last run. */
function atRest(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run, session } = draft.state;
  if (event.verb !== 'terminate' || session.terminated || run?.phase !== 'ended') return draft.done();
  if (run.outcome.status === 'interrupted') {
    const runId = session.parent
      ? childRunId(session.sessionId, entryOfRun(session.sessionId, run.runId) + 1)
      : `r_${event.token}`;
    takeUp(draft, run, { runId, at: event.at }, rules);
    return onStop(draft, { ...event, runId }, rules);
  }
  if (run.outcome.status === 'failed' && run.outcome.failureReason === 'parent_suspended') {
    // Its parent is about to start it anew, and has to hear that it must not.
    const runId = childRunId(session.sessionId, entryOfRun(session.sessionId, run.runId) + 1);
    takeRun(draft, { runId, at: event.at }, rules, { tries: run });
    return onStop(draft, { ...event, runId }, rules);
  }
  endSession(draft, event.reason, event.at);
  draft.emit({
    type: 'subagent_status',
    subSessionId: session.sessionId,
    status: 'terminated',
    statusText: event.reason,
  });
  return draft.done();
}

/** Ends a session for good. */
function endSession(draft: Draft, reason: string, at: number): void {
  draft.setSession({ ...draft.state.session, terminated: { at, reason } });
}

/** The failure that a stop gives to calls. */
export function stopFailure(stop: StopRecord): Failure {
  if (stop.error) return stop.error;
  return failure(STOP_CODES[stop.verb], stop.reason);
}

/** Under a stop that is no interrupt, everything has its result at once that is not under way. */
function settleUnbegun(draft: Draft, stop: StopRecord, rules: Rules): void {
  let step = currentStep(draft.state);
  if (stop.verb === 'interrupt' || step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    if (isUnderWay(call, stop)) continue;
    const facts = { at: stop.at, startedAt: step.repliedAt, ...unrunFacts(call) };
    const error = call.stand?.is === 'failed' ? call.stand.error : stopFailure(stop);
    step = settleCall(draft, step, call, { success: false, error }, facts, rules);
  }
}

/** Whether a stop has to wait for an open call: for a body that had begun, or for a child that has not ended. */
function isUnderWay(call: Call, stop: StopRecord): boolean {
  const { plan, stand } = call;
  if (plan.kind !== 'child') return stop.bodies.includes(call.callId) && stand?.is !== 'halted';
  if (stand?.is === 'respawning' || stand?.is === 'failed') return false;
  // A child that was interrupted is at rest; the end of its session is still to be told to it.
  return stand?.is !== 'interrupted' || stop.verb === 'terminate';
}

/** The open calls that a stopped run waits for. */
export function underWay(step: RepliedStep, stop: StopRecord): Call[] {
  return openCalls(step).filter((call) => isUnderWay(call, stop));
}

/** How a run ends that was stopped. */
function stopOutcome(stop: StopRecord): Outcome {
  switch (stop.verb) {
    case 'interrupt':
      return { status: 'interrupted', reason: stop.reason, ...(stop.superseded ? { superseded: true } : {}) };
    case 'terminate':
      return { status: 'terminated', reason: stop.reason };
    case 'abort': {
      const error = stopFailure(stop);
      return { status: 'failed', error, failureReason: error.code };
    }
  }
}

/** Ends a stopped run once nothing of it is under way any more. */
export function advanceStopped(draft: Draft, run: ActiveRun, stop: StopRecord, rules: Rules, at: number): void {
  const step = currentStep(draft.state);
  if (step?.phase === 'calls') {
    if (underWay(step, stop).length > 0) return;
    const checkpointId = `${draft.state.session.sessionId}.${step.id}`;
    if (stop.verb !== 'interrupt' && run.stepClosed !== step.id)
      draft.emit({ type: 'step_committed', finishReason: step.finishReason, usage: step.usage, checkpointId });
  }
  if (stop.verb === 'terminate') endSession(draft, stop.reason, at);
  finish(draft, run, stopOutcome(stop), at, rules);
}
