/**
 * The delegation machine: children and their tasks (decision 31). A delegation is drawn in design/flows.md.
 *
 * Decides: when a task ends; what a retry, a giving up or a respawn of a child does.
 *
 * DG1. The record (child, task, session id, address) is committed before the child exists.
 * DG10. A task is ended by the child's committed outcome, or when the child is lost; a stop asks the child first and
 *     waits for its end, so the child's chunks always come before the end of its call. A child that was interrupted, or
 *     failed for its parent's wait, leaves its task open until it goes on or is started anew.
 * DG22. So does one that failed where its tool says that a person decides: until that tries it again, or gives it up
 *     (decision 26).
 * DG3. What is said of another task is refused, what is said of an earlier run of the child changes nothing.
 * CS8. An end that is told twice is taken once, and keeps its cause.
 */

import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import { isObject } from '../../../protocol/json';
import type { CallResult } from '../../../protocol/messages';
import type { FailureRule } from '../../definition/definition';
import { receive } from '../calls/enclosures';
import type { Transition } from '../changes';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';
import { stopFailure, takesPlaceOf } from '../runs/stop';
import { endsSession, isResumable, type StopVerb } from '../runs/stop-verb';
import { type AgentState, currentStep, type Outcome, type StopRecord } from '../state';
import { callsAwaiting, replanned } from './await';
import { isRespawnDue, resumed, waitsForPerson, whenParentResumes } from './cascade';
import {
  type Child,
  type ChildState,
  isHeldByCall,
  isOlderRun,
  messageFor,
  slotName,
  slotOf,
  spentOnTask,
  type TaskKey,
} from './child';
import { withoutMail } from './child-messages';
import { resultOf, taskClosed, taskOpened } from './task';
import { endTask } from './task-end';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** What a child's end says, whenever it is taken. */
export type ChildEnd = Omit<Event<'child_settled'>, 'at' | 'token'>;

/** A child whose task is open, under a stop of its parent's run or under none. */
interface Delegation {
  readonly child: Child;
  readonly stop: StopRecord | undefined;
}

function openTask({ state }: { readonly state: AgentState }, key: TaskKey): Delegation | undefined {
  const child = state.children.get(key.childId);
  if (child?.task.number !== key.task) return undefined;
  return { child, stop: state.run?.phase === 'active' ? state.run.stop : undefined };
}

const over = (): Transition => refuse('superseded', 'This belongs to a task that has ended, or to another one.');

/** A child has ended (or is lost). */
export function onChildSettled(draft: Draft, event: Event<'child_settled'>, rules: Rules): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined) return over();
  if (isOlderRun(found.child, event.runId) || isKnown(found.child, event)) return draft.done();
  const child = hasOwnWord(event) ? { ...found.child, begun: true as const } : found.child;
  const state = stateAfter(found, event);
  if (state === undefined) {
    const { at, token, usage: spent } = event;
    const gone = isGone(event) ? { gone: true as const } : {};
    const session = sessionOf(event);
    const mail = event.mail ? { mail: event.mail } : {};
    const { brought } = event;
    if (brought && 'files' in brought) receive(draft, child.sessionId, brought.files);
    const facts = { ...gone, ...session, ...mail, ...(brought ? { brought } : {}) };
    endTask(draft, child, resultFor(found, event), { at, token, spent, ...facts }, rules);
    return draft.done();
  }
  if (state === child.state) return draft.done();
  if (state.is === 'respawning') {
    const error = failure(
      'parent_suspended',
      'Its parent waits for a person; this sub-agent is started again when the parent continues.',
    );
    taskClosed(draft, child, { success: false, error }, state.usage);
  }
  const isRespawned = state.is === 'respawning';
  const told = event.mail && !isRespawned ? withoutMail(child, event.mail.taken) : child;
  // What never began begins with the run that goes on.
  const begins = state.is === 'interrupted' && !hasOwnWord(event);
  const task = begins ? { ...child.task, firstRun: child.runNumber + 1 } : child.task;
  const rested = { ...told, task, state };
  const goesOn = child.state.is === 'stopping' && child.state.goesOn && state.is === 'interrupted' && !found.stop;
  draft.setChild(goesOn ? resumed(rested) : rested);
  return draft.done();
}

/** Several have ended: a stop of many costs the parent one draft, not one for each. */
export function onChildrenSettled(draft: Draft, { ends }: Event<'children_settled'>, rules: Rules): Transition {
  const taken = ends.map((end) => onChildSettled(draft, end, rules));
  return taken.some(({ ok }) => ok) ? draft.done() : (taken[0] ?? draft.done());
}

/** Whether an end that left the task open comes a second time: total over how the child stands since. */
function isKnown({ state }: Child, end: ChildEnd): boolean {
  const { outcome } = end;
  switch (state.is) {
    case 'interrupted':
      return outcome.status === 'interrupted';
    case 'respawning':
      return outcome.status === 'interrupted' || failedForParent(outcome);
    case 'failed':
      // Without a run it is not its own word: it is gone.
      return outcome.status === 'failed' && hasOwnWord(end);
    case 'working':
    case 'waiting':
    case 'stopping':
    case 'ended':
      return false;
  }
}

/** Whether a child is gone with its store. One that was refused, or never began, without a word of its own, is not. */
const isGone = ({ outcome, runId }: ChildEnd): boolean =>
  runId === undefined &&
  outcome.status === 'failed' &&
  (outcome.error.code === 'subagent_lost' || outcome.error.code === 'deleted');

/** Whether an end is the child's own: of a run that began. */
const hasOwnWord = ({ runId, unbegun }: ChildEnd): boolean => runId !== undefined && unbegun === undefined;

/** How the session of a child ended, where that is known: by its own word, or because it takes no task any more. */
function sessionOf(end: ChildEnd): { readonly session?: Outcome['status'] } {
  const { outcome } = end;
  if (hasOwnWord(end)) return { session: outcome.status };
  const isRefused = outcome.status === 'failed' && outcome.error.code === 'terminated';
  return isRefused ? { session: 'terminated' } : {};
}

const failedForParent = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && outcome.failureReason === 'parent_suspended';

/** Whether a child is being stopped because its parent waits. */
const isForWait = (state: ChildState): boolean => state.is === 'stopping' && state.cause === 'parent_suspended';

/** Whether a child came to rest before a stop reached it that closes it in a last run: the words of that come first. */
const isStillToClose = ({ verb }: { readonly verb: StopVerb }, end: ChildEnd): boolean =>
  endsSession(verb) && end.outcome.status === 'interrupted' && hasOwnWord(end);

/** How a child stands whose end leaves its task open; undefined where the task ends with it. */
function stateAfter(delegation: Delegation, event: ChildEnd): ChildState | undefined {
  const { stop, child } = delegation;
  const { outcome } = event;
  const { state } = child;
  if (state.is === 'stopping' && isStillToClose(state, event)) return state;
  if (stop && !isResumable(stop.verb) && !isStillToClose(stop, event)) return undefined;
  const paused = isForWait(state);
  if (state.is === 'stopping' && !isResumable(state.verb) && !paused) return undefined;
  const reason = outcome.status === 'failed' ? outcome.failureReason : undefined;
  const usage = spentOnTask(child, event.usage);
  // One that is gone, or never began, can not be tried again.
  const rule: FailureRule = hasOwnWord(event) ? child.terms.onFailure : 'result';
  switch (whenParentResumes(outcome.status, reason, rule)) {
    case 'resume': {
      // The message goes with a run: where none has begun, with the next.
      const kept = hasOwnWord(event) ? {} : messageFor(child);
      return { is: 'interrupted', cause: paused && !stop ? 'parent_suspended' : 'stop', usage, ...kept };
    }
    case 'wait': {
      const result = resultFor(delegation, event);
      return result.success ? undefined : { is: 'failed', error: result.error, usage };
    }
    case 'respawn':
      return { is: 'respawning', usage };
    case 'start':
    case 'drain':
    case 'settle_lost':
      return undefined;
  }
}

/**
 * The result that the end of a child is for the call that holds its task, as far as is known before it is taken; undefined
 * where the task stays open without one.
 */
export function resultToCome(state: AgentState, event: ChildEnd): CallResult | undefined {
  const found = openTask({ state }, event.task);
  if (found === undefined || isOlderRun(found.child, event.runId) || isKnown(found.child, event)) return undefined;
  const after = stateAfter(found, event);
  return after === undefined || after.is === 'failed' ? resultFor(found, event) : undefined;
}

/** The end of the task for the parent's model; where the child did not complete, with what it had done by then. */
function resultFor(delegation: Delegation, event: ChildEnd): CallResult {
  if (event.result) return event.result;
  const result = outcomeFor(delegation, event);
  if (result.success || event.done === undefined) return result;
  const { details } = result.error;
  const known = isObject(details) ? details : {};
  return { success: false, error: { ...result.error, details: { ...known, done: event.done } } };
}

function outcomeFor({ stop, child }: Delegation, { outcome }: ChildEnd): CallResult {
  const { state } = child;
  // What its time was up for comes too late.
  const tooLate = state.is === 'stopping' && !isResumable(state.verb) && !isForWait(state);
  // One that completed before the end of its session came has completed.
  if (tooLate && !(endsSession(state.verb) && outcome.status === 'completed'))
    return { success: false, error: state.error };
  if (outcome.status === 'interrupted' && stop) return { success: false, error: stopFailure(stop) };
  return resultOf(outcome, child.agentType);
}

/** A child is to be stopped (its time is up): committed first, then told; its task ends when it has ended. */
export function onChildStop(draft: Draft, event: Event<'child_stop'>, rules: Rules): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined) return over();
  const { stop, child } = found;
  if (stop || (draft.state.run?.phase !== 'active' && isHeldByCall(child.task))) return draft.done();
  stopTask(draft, child, event, rules);
  return draft.done();
}

/** Why a task is to be stopped. */
interface TaskStop {
  /** `abort` by default. */
  readonly verb?: StopVerb;
  readonly error: Failure;
  readonly at: number;
  readonly token: string;
}

/** Stops a task that is open, unless it is stopped so already; where nobody works on it, it ends at once. */
export function stopTask(draft: Draft, child: Child, why: TaskStop, rules: Rules): void {
  const { verb = 'abort', error } = why;
  const { state } = child;
  switch (state.is) {
    case 'failed':
      if (!isResumable(verb)) endTask(draft, child, { success: false, error: state.error }, why, rules);
      return;
    case 'respawning':
      // It has ended: there is nobody to be asked.
      if (!isResumable(verb)) {
        const session = endsSession(verb) ? { session: 'terminated' as const } : {};
        endTask(draft, child, { success: false, error }, { ...why, ...session }, rules);
      }
      return;
    case 'interrupted':
      if (isResumable(verb)) return;
      break;
    case 'stopping':
      // The first reason stays, unless the new stop takes its place.
      if (!takesPlaceOf({ verb, error }, state)) return;
      break;
    case 'ended':
      return;
    case 'working':
    case 'waiting':
      break;
  }
  draft.setChild({ ...child, state: { is: 'stopping', verb, error, cause: 'stop', ...messageFor(child) } });
}

/** A child's run waits for a person, or goes on again, or says how far it is. */
export function onChildWaits(draft: Draft, event: Event<'child_waits'>): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined) return over();
  const { child } = found;
  const { state } = child;
  if (isOlderRun(child, event.runId) || (state.is !== 'working' && state.is !== 'waiting')) return draft.done();
  const { waits, says } = event;
  const isKnown = (state.is === 'waiting') === waits;
  if (isKnown && state.says === says) return draft.done();
  const { says: _before, ...rest } = isKnown ? state : { is: waits ? ('waiting' as const) : ('working' as const) };
  draft.setChild({ ...child, state: { ...rest, ...(says === undefined ? {} : { says }) } });
  return draft.done();
}

/** A child that was interrupted goes on, because somebody resumes it. */
export function onChildResume(draft: Draft, event: Event<'child_resume'>): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined) return over();
  const { stop, child } = found;
  if (draft.state.run?.phase !== 'active' && isHeldByCall(child.task))
    return refuse('superseded', 'Its parent is interrupted: resume the parent, and this sub-agent continues with it.');
  if (stop) return refuse('already_running', 'Its parent is being stopped.');
  if (child.state.is !== 'interrupted') return refuse('not_resumable', 'Only an interrupted sub-agent can be resumed.');
  if (child.state.cause === 'parent_suspended' && waitsForPerson(draft.state))
    return refuse(
      'awaiting_input',
      'It continues with its parent, which waits for a person: answer the pending calls.',
    );
  draft.setChild(resumed(child));
  return draft.done();
}

/** A person has decided about a child that failed: the first decision counts. */
export function onChildDecided(draft: Draft, event: Event<'child_decided'>, rules: Rules): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined && draft.state.run?.phase !== 'active') return over();
  if (event.decision === 'give_up') {
    if (found === undefined) return draft.done();
    const { child } = found;
    if (child.state.is !== 'failed')
      return refuse('run_superseded', 'It is working or being retried: read its status for the current run.');
    endTask(draft, child, { success: false, error: child.state.error }, event, rules);
    return draft.done();
  }
  if (found === undefined)
    return refuse('not_retryable', 'Its call already has a result: the parent continues without it.');
  const { stop, child } = found;
  if (stop) return refuse('already_running', 'Its parent is being stopped.');
  if (child.state.is !== 'failed') return refuse('already_running', 'It is working, or about to start.');
  if (draft.state.run?.phase !== 'active' && isHeldByCall(child.task))
    return refuse('owned_by_parent', 'Its parent is interrupted: resume the parent, then retry this sub-agent.');
  if (child.terms.onParentSuspend !== 'continue' && waitsForPerson(draft.state))
    return refuse(
      'awaiting_input',
      'It works only while its parent does, and the parent waits for a person: answer the pending calls.',
    );
  const message = event.message ? { message: event.message } : {};
  draft.setChild({ ...child, runNumber: child.runNumber + 1, state: { is: 'working', ...message } });
  return draft.done();
}

/** A child is started anew: in the same place, with a session of its own and the next task (decision 18). */
export function onChildRespawn(draft: Draft, event: Event<'child_respawn'>): Transition {
  const found = openTask(draft, event.task);
  if (found === undefined) return over();
  const { child } = found;
  // Where it is not due any more, whoever goes on asks again.
  if (child.state.is !== 'respawning' || !isRespawnDue(draft.state, child.state)) return draft.done();
  const anew = inItsPlace(child, mintId('session', event.token));
  draft.setChild(anew);
  // Who awaits the child's task awaits the one that takes its place.
  for (const call of callsAwaiting(draft.state, event.task)) {
    const step = currentStep(draft.state);
    const plan = replanned(call.plan, event.task, anew);
    if (step?.phase === 'calls') draft.setCall(step, { ...call, plan }, true);
  }
  taskOpened(draft, anew);
  return draft.done();
}

/** The child that comes where another one was. */
function inItsPlace({ spentBefore: _spent, begun: _begun, ...child }: Child, sessionId: string): Child {
  const { placement, address, state, task, mailbox } = child;
  // A task that nobody has yet is still that task.
  const number = state.is === 'respawning' && state.fresh ? task.number : task.number + 1;
  const slot = slotOf(placement);
  const segment = slot ? slotName(slot.slot, slot.generation + 1) : placement.segment;
  return {
    ...child,
    ...(mailbox ? { mailbox: { messages: mailbox.messages, last: mailbox.last } } : {}),
    sessionId,
    address: `${address.slice(0, address.lastIndexOf('/'))}/${segment}`,
    placement: { ...placement, segment },
    task: { ...task, number, firstRun: 1 },
    runNumber: 1,
    state: { is: 'working' },
  };
}
