/**
 * The stop machine: a stop is a committed record of one run. Its way through a tree is drawn in design/flows.md.
 *
 * Decides: whether a stop is taken; what it settles at once and what is waited for; the outcome of a stopped run.
 *
 * SP4. From its commit on a stop leaves no model call owed, and no body or child begins.
 * SP5. An interrupt leaves open what has no result: that is where a resume goes on. Other stops settle at once what is
 *     not under way, and the rest when it ends.
 * SP6. Bodies that had begun have a short time to end by themselves, and a success within it counts (decision 5).
 * SP7. A stronger stop takes the place of a weaker one, never the other way.
 * SP8. A stop for another run is refused, and changes nothing; one from the parent for a run that it has not begun yet
 *     lets that run begin stopped.
 * A101. A stop that is for a start stops what that began, and nothing else.
 * SP9. Children are asked with the same verb and awaited, so that a stop leaves none behind.
 * SP10. A session at rest is ended by `terminate` alone.
 * SP11. A stop drops the hooks that are owed, and a step's end is announced once.
 */

import type { Failure } from '../../../protocol/errors';
import { childRunId, runNumberOf } from '../../../protocol/ids';
import { runningTools, settleCall, unrunFacts } from '../calls/call';
import type { Transition } from '../changes';
import type { Child } from '../children/child';
import { takeMail } from '../children/child-messages';
import { endTask } from '../children/task-end';
import { acceptMessage, taskMessage } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent, OfStart } from '../events';
import { awaitsHook, dropHooks } from '../hooks/hooks';
import type { Rules } from '../rules';
import {
  type ActiveRun,
  type AgentState,
  awaitedBy,
  type Call,
  currentStep,
  needOf,
  type Outcome,
  openCalls,
  type RepliedStep,
  type Run,
  type Session,
  type StopRecord,
} from '../state';
import { isDone } from '../steps/closing';
import { committed } from '../steps/committed';
import { firstTryOf } from './lineage';
import { endAfterHooks, resumeRun, retryRun, startAnew, startRun } from './run';
import { endsSession, failureByStop, isResumable, isStronger, type StopVerb, shownAs } from './stop-verb';

type StopEvent = Extract<AgentEvent, { type: 'stop' }>;

/** A stop arrives. Asking again is harmless: the first record stays, unless the new one is stronger. */
export function onStop(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run } = draft.state;
  if (run === undefined) return draft.done();
  // A session is of no start alone.
  if (event.ofStart && !endsSession(event.verb) && !isOfStart(run, event.ofStart)) return stopQueued(draft, event);
  if (event.runId !== undefined && event.runId !== run.runId) return otherRun(draft, event, rules);
  if (run.phase === 'ended') return atRest(draft, event, rules);
  if (run.stop && !takesPlaceOf(event, run.stop)) return draft.done();
  stopRun(draft, { stop: recordOf(draft, run, event, rules), token: event.token }, rules);
  return draft.done();
}

/** The turn that a run's conversation began with: of the run itself, or of what it resumed or tries again. */
const firstTurn = ({ lineage }: Run): number => firstTryOf(lineage).turn;

/** Whether a run is what a start began, or goes on with that. */
export function isOfStart(run: Run, { runId, turn }: OfStart): boolean {
  if (runId === undefined) return false;
  return run.runId === runId || run.lineage.chainRunId === runId || firstTurn(run) === turn;
}

/** A start that waits is stopped: it never begins (EN5). One that does not wait has ended, or never came. */
function stopQueued(draft: Draft, { ofStart, verb, reason }: StopEvent): Transition {
  const start = draft.state.queued.find(({ runId }) => runId === ofStart?.runId);
  if (start && !start.stopped) draft.setQueued({ ...start, stopped: { verb, reason } });
  return draft.done();
}

/** What a stop is for, as far as it decides whether it takes the place of another one. */
interface StopCause {
  readonly verb: StopVerb;
  readonly error?: Failure;
}

/**
 * Whether a stop takes the place of one that is there: a stronger one does (SP7), and one with any other cause that of
 * the parent's wait, because what was failed for that is started anew.
 */
export function takesPlaceOf(stop: StopCause, there: StopCause): boolean {
  if (isStronger(stop.verb, there.verb)) return true;
  return stop.verb === there.verb && isForWait(there) && !isForWait(stop);
}

const isForWait = ({ error }: StopCause): boolean => error?.code === 'parent_suspended';

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
export function stopFor(
  draft: Draft,
  { error, at, token }: { error: Failure; at: number; token: string },
  rules: Rules,
): void {
  const { run } = draft.state;
  if (run?.phase !== 'active') return;
  const stop = recordOf(draft, run, { verb: 'abort', reason: error.message, at, error }, rules);
  stopRun(draft, { stop, token }, rules);
}

/** A stop, with randomness for the ids that it mints. */
type Stop = { readonly stop: StopRecord; readonly token: string };

/** Records a stop of the active run, and settles what it does not have to wait for. */
export function stopRun(draft: Draft, { stop, token }: Stop, rules: Rules): void {
  const { run, session } = draft.state;
  if (run?.phase !== 'active') return;
  draft.setRun({ ...dropHooks(run), stop });
  draft.emit({
    type: 'subagent_status',
    subSessionId: session.sessionId,
    status: shownAs(stop.verb),
    statusText: stop.reason,
  });
  settleUnbegun(draft, { stop, token }, rules);
}

/** Runs of long ago are not remembered here, so one that ended is not told from one that never was. */
const NOT_CURRENT = 'That is not the current run; the status has its id.';

/** A stop from the parent for a run that has not begun here, and now never does: it begins stopped. */
function otherRun(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run, session } = draft.state;
  // Asked again after a crash: the last run that closes the session has begun for it.
  if (event.task !== undefined && endsSession(event.verb) && isEnding(draft.state)) return draft.done();
  const isFurther = event.task !== undefined && event.task.task > (run?.task?.task ?? Number.POSITIVE_INFINITY);
  const isOpen = run?.phase === 'ended' && session.terminated === undefined;
  const goesOn = isOpen && (isFurther || GOES_ON.has(run.outcome.status));
  const number = (runId = ''): number => runNumberOf(session.sessionId, runId);
  const ahead = number(event.runId) > number(run?.runId);
  if (event.task === undefined || event.runId === undefined || !goesOn || !ahead)
    return refuse('run_superseded', NOT_CURRENT);
  const next = { runId: event.runId, at: event.at, task: event.task };
  if (isFurther) startAnew(draft, next, rules, event.input);
  else if (run.outcome.status === 'failed') retryRun(draft, run, next, rules);
  else resumeRun(draft, run, next, rules);
  if (isFurther && event.input !== undefined) acceptMessage(draft, taskMessage(event.input, event.token), event.at);
  if (event.message) acceptMessage(draft, event.message, event.at);
  takeMail(draft, event.mail, event.at);
  return onStop(draft, event, rules);
}

/** Whether a session has ended for good, or is about to. */
function isEnding({ run, session }: AgentState): boolean {
  if (session.terminated !== undefined) return true;
  return run?.phase === 'active' && run.stop !== undefined && endsSession(run.stop.verb);
}

/** How a run ended that its parent may go on with. */
const GOES_ON: ReadonlySet<Outcome['status']> = new Set(['interrupted', 'failed']);

/** A session at rest: only the end of the session means something to it. What was interrupted is closed in a last run. */
function atRest(draft: Draft, event: StopEvent, rules: Rules): Transition {
  const { run, session } = draft.state;
  if (!endsSession(event.verb) || session.terminated || run?.phase !== 'ended') return draft.done();
  if (run.outcome.status === 'interrupted') {
    const runId = session.parent ? nextRunId(session, run) : `r_${event.token}`;
    resumeRun(draft, run, { runId, at: event.at }, rules);
    return onStop(draft, { ...event, runId }, rules);
  }
  if (event.task === undefined && run.outcome.status === 'failed' && run.outcome.failureReason === 'parent_suspended') {
    // Its parent is about to start it anew, and has to hear that it must not; that which asks itself knows.
    const runId = nextRunId(session, run);
    startRun(draft, { runId, at: event.at }, rules, { tries: run });
    return onStop(draft, { ...event, runId }, rules);
  }
  if (draft.state.children.size > 0) {
    // Some work for nobody's step: a last run stops them with it.
    startRun(draft, { runId: `r_${event.token}`, at: event.at }, rules);
    return onStop(draft, { ...event, runId: `r_${event.token}` }, rules);
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

/** The run of a child that comes after the given one. */
function nextRunId({ sessionId }: Session, { runId }: Run): string {
  return childRunId(sessionId, runNumberOf(sessionId, runId) + 1);
}

/** Terminates a session. */
function endSession(draft: Draft, reason: string, at: number): void {
  draft.setSession({ ...draft.state.session, terminated: { at, reason } });
  draft.dropSlices();
}

/** The failure that a stop gives to calls. */
export function stopFailure(stop: StopRecord): Failure {
  if (stop.error) return stop.error;
  return failureByStop(stop.verb, stop.reason);
}

/** Under a stop that is no interrupt, everything has its end at once that is not under way. */
function settleUnbegun(draft: Draft, { stop, token }: Stop, rules: Rules): void {
  if (isResumable(stop.verb)) return;
  let step = currentStep(draft.state);
  const open = step?.phase === 'calls' ? openCalls(step) : [];
  for (const { index } of open) {
    const call = settleAwaited(draft, index, { stop, token }, rules);
    step = currentStep(draft.state);
    if (call === undefined || step?.phase !== 'calls' || isBodyUnderWay(call, stop)) continue;
    const facts = { at: stop.at, startedAt: step.repliedAt, ...unrunFacts(call) };
    settleCall(draft, step, call, { success: false, error: stopFailure(stop) }, facts, rules);
  }
  for (const child of draft.state.children.values())
    if (!isUnderWay(child, stop, draft.state)) endUnbegun(draft, child, stop, token, rules);
}

/** Ends what nobody works on of the tasks that a call awaits; the call, where it is open then and awaits no other. */
function settleAwaited(draft: Draft, index: number, { stop, token }: Stop, rules: Rules): Call | undefined {
  const callNow = (): Call | undefined => {
    const step = currentStep(draft.state);
    const call = step?.phase === 'calls' ? step.calls[index] : undefined;
    return call?.settled ? undefined : call;
  };
  const before = callNow();
  for (const child of before ? awaitedBy(draft.state, before) : [])
    if (!isUnderWay(child, stop, draft.state)) endUnbegun(draft, child, stop, token, rules);
  const call = callNow();
  return call && awaitedBy(draft.state, call).length === 0 ? call : undefined;
}

/** The end of a task on which nobody works: as the child failed, or as the stop says. */
function endUnbegun(draft: Draft, child: Child, stop: StopRecord, token: string, rules: Rules): void {
  const error = child.state.is === 'failed' ? child.state.error : stopFailure(stop);
  endTask(draft, child, { success: false, error }, { at: stop.at, token }, rules);
}

/** Whether a stop has to wait for a tool's body that had begun. */
function isBodyUnderWay({ callId, state }: Call, stop: StopRecord): boolean {
  return stop.bodies.includes(callId) && state?.is !== 'cut_off';
}

/** Whether a stop has to wait for a child that has not ended. */
function isUnderWay(child: Child, stop: StopRecord, agent: AgentState): boolean {
  switch (child.state.is) {
    case 'working':
    case 'waiting':
    case 'stopping':
      return true;
    case 'interrupted':
      // It is at rest; its session is still to end. What was prepared for one that never begins is still to be removed.
      return endsSession(stop.verb) || (!isResumable(stop.verb) && !child.begun && needOf(agent, child) !== undefined);
    case 'respawning':
    case 'failed':
    case 'ended':
      return false;
  }
}

/** The tools of a stopped run whose bodies it waits for. */
export function bodiesUnderWay(step: RepliedStep, stop: StopRecord): Call[] {
  return openCalls(step).filter((call) => call.plan.kind === 'tool' && isBodyUnderWay(call, stop));
}

/** The children that a stopped run waits for. */
export function childrenUnderWay(state: AgentState, stop: StopRecord): Child[] {
  return [...state.children.values()].filter((child) => isUnderWay(child, stop, state));
}

/** The end of a child that never began, or not again: what can be resumed begins when its parent goes on. */
export function unbegunOutcome(verb: StopVerb, error: Failure): Extract<Outcome, { status: 'failed' | 'interrupted' }> {
  if (isResumable(verb)) return { status: 'interrupted', reason: error.message };
  return { status: 'failed', error, failureReason: error.code };
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
  if (childrenUnderWay(draft.state, stop).length > 0) return;
  const step = currentStep(draft.state);
  if (step?.phase === 'calls') {
    if (bodiesUnderWay(step, stop).length > 0) return;
    if (!isResumable(stop.verb) && !isDone(run, step.id, 'committed')) draft.emit(committed(draft.state, step));
  }
  if (endsSession(stop.verb)) endSession(draft, stop.reason, stop.at);
  endAfterHooks(draft, run, stopOutcome(stop), at, rules);
}
