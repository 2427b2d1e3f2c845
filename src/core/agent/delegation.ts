/**
 * The delegation machine: a child that works on a call.
 *
 * DG1. The ref (call, slot, generation, session id) is committed before the child exists.
 * DG10. A call that a child works on is settled by that child's committed outcome, or when the child is lost; a stop
 *     asks the child first and waits for its end, so the child's chunks always come before the end of the call. A child
 *     that was interrupted, or failed for its parent's wait, leaves its call open until it goes on or is started anew.
 * DG22. So does one that failed where its tool says that a person decides: until that tries it again, or gives it up.
 * DG3. An outcome of another generation is refused, one of an earlier run of the child changes nothing.
 * CS8. An end that is told twice is taken once, and keeps its cause.
 */

import { type Failure, failure } from '../protocol/errors';
import { entryOfRun, mintId } from '../protocol/ids';
import { byteLength, isObject, type JsonObject } from '../protocol/json';
import type { CallResult } from '../protocol/messages';
import { openCall, settleCall } from './call';
import { entryOf, messageFor, waitsForPerson, whenParentResumes } from './cascade';
import type { Transition } from './changes';
import { type ChildPlan, childClosed, childOpened, resultOf, slotName } from './delegation-calls';
import { type Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import type { Rules } from './rules';
import type { Call, RepliedStep, Stand, StopRecord } from './state';
import { stopFailure } from './stop';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type Delegation = {
  /** The stop of the parent's run; an interrupted one has none any more, and takes what its children tell. */
  readonly stop: StopRecord | undefined;
  readonly step: RepliedStep;
  readonly call: Call;
  readonly plan: ChildPlan;
};

function openDelegation(draft: Draft, event: { callId: string; generation: number }): Delegation | Transition {
  const { run } = draft.state;
  const interrupted = run?.phase === 'ended' && run.outcome.status === 'interrupted';
  if (run?.phase !== 'active' && !interrupted) return refuse('superseded', 'The run that asked for this has ended.');
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.plan.kind !== 'child' || call.plan.generation !== event.generation) {
    return refuse('superseded', 'This outcome belongs to another delegation.');
  }
  return { stop: run.phase === 'active' ? run.stop : undefined, step, call, plan: call.plan };
}

/** Whether an event speaks of an earlier run of the child, which was taken up since. */
function isOlder({ call, plan }: Delegation, runId: string | undefined): boolean {
  // A run that the first release began has an id which its parent did not give.
  const entry = runId === undefined ? 0 : entryOfRun(plan.sessionId, runId);
  return entry > 0 && entry < entryOf(call);
}

/** A child has ended (or is lost). */
export function onChildSettled(draft: Draft, event: Event<'child_settled'>, rules: Rules): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  if (found.call.settled || isOlder(found, event.runId) || isKnown(found.call, event)) return draft.done();
  const { step, call, plan } = found;
  const stand = standAfter(found, event);
  if (stand === undefined) {
    const result = within(resultFor(found, event), plan, rules);
    settleCall(draft, step, call, result, { at: event.at, startedAt: step.repliedAt, usage: event.usage }, rules);
    return draft.done();
  }
  if (stand.is === 'respawning') {
    const error = failure('parent_suspended', 'Its parent waits for a person; it is started anew when that goes on.');
    childClosed(draft, call, plan, { success: false, error }, event.usage);
  }
  draft.stand(step, call, { stand });
  return draft.done();
}

/** Whether an end that left the call open comes a second time. */
function isKnown({ stand }: Call, { outcome, runId }: Event<'child_settled'>): boolean {
  // Without a run it is not its own word: it is gone.
  if (stand?.is === 'failed') return outcome.status === 'failed' && runId !== undefined;
  const reason = outcome.status === 'failed' ? outcome.failureReason : undefined;
  const action = whenParentResumes(outcome.status, reason);
  const leavesOpen = action === 'resume' || action === 'respawn';
  return (stand?.is === 'interrupted' && action === 'resume') || (stand?.is === 'respawning' && leavesOpen);
}

/** How the call stands that a child's end leaves open; undefined where the end is the result. */
function standAfter(delegation: Delegation, event: Event<'child_settled'>): Stand | undefined {
  const { stop, call, plan } = delegation;
  const { outcome, usage, runId } = event;
  const { stand } = call;
  const entry = entryOf(call);
  if (stop && stop.verb !== 'interrupt') return undefined;
  const paused = stand?.is === 'stopping' && stand.error.code === 'parent_suspended';
  if (stand?.is === 'stopping' && stand.verb === 'abort' && !paused) return undefined;
  const reason = outcome.status === 'failed' ? outcome.failureReason : undefined;
  // One that is gone, or never began, can not be tried again.
  switch (whenParentResumes(outcome.status, reason, runId === undefined ? 'result' : plan.onFailure)) {
    case 'resume': {
      // The message goes with a run: where none has begun, with the next.
      const kept = runId === undefined ? messageFor(call) : {};
      return { is: 'interrupted', entry, cause: paused && !stop ? 'parent_suspended' : 'stop', usage, ...kept };
    }
    case 'wait': {
      const result = resultFor(delegation, event);
      return result.success ? undefined : { is: 'failed', entry, error: result.error, usage };
    }
    case 'respawn':
      return { is: 'respawning', entry, usage };
    default:
      return undefined;
  }
}

/** A child's output is held to the limit of any result: the model reads it, and it stays in the transcript. */
function within(result: CallResult, { agentType }: ChildPlan, { limits }: Rules): CallResult {
  const bytes = result.success ? byteLength(JSON.stringify(result.value)) : 0;
  if (bytes <= limits.maxToolResultBytes) return result;
  const what = `The result of the sub-agent ${agentType} has ${bytes} bytes, more than ${limits.maxToolResultBytes}.`;
  const error = failure('tool_result_too_large', `${what} Ask it for less, or to write it to a file.`);
  return { success: false, error };
}

/** The result of the call; where the child did not complete, with what it had done by then. */
function resultFor(delegation: Delegation, event: Event<'child_settled'>): CallResult {
  const result = outcomeFor(delegation, event);
  if (result.success || event.done === undefined) return result;
  const { details } = result.error;
  const known = isObject(details ?? null) ? (details as JsonObject) : {};
  return { success: false, error: { ...result.error, details: { ...known, done: event.done } } };
}

function outcomeFor({ stop, call, plan }: Delegation, { outcome }: Event<'child_settled'>): CallResult {
  const { stand } = call;
  // What its time was up for comes too late.
  if (stand?.is === 'stopping' && stand.verb === 'abort' && stand.error.code !== 'parent_suspended')
    return { success: false, error: stand.error };
  if (outcome.status === 'interrupted' && stop) return { success: false, error: stopFailure(stop) };
  return resultOf(outcome, plan.agentType);
}

/** A child is to be stopped (its time is up): committed first, then told; its call is settled when it has ended. */
export function onChildStop(draft: Draft, event: Event<'child_stop'>, rules: Rules): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { stop, step, call } = found;
  const { verb = 'abort', error } = event;
  const atRest = call.stand?.is === 'interrupted' && verb === 'interrupt';
  if (call.settled || stop || atRest || draft.state.run?.phase !== 'active') return draft.done();
  // The first reason stays, unless the new stop is stronger.
  if (call.stand?.is === 'stopping' && (call.stand.verb === 'abort' || verb === 'interrupt')) return draft.done();
  if (call.stand?.is === 'failed') {
    if (verb === 'abort') giveUp(draft, found, call.stand.error, event.at, rules);
    return draft.done();
  }
  if (call.stand?.is === 'respawning') {
    // It has ended: there is nobody to be asked.
    if (verb === 'abort')
      settleCall(draft, step, call, { success: false, error }, { at: event.at, startedAt: step.repliedAt }, rules);
    return draft.done();
  }
  draft.stand(step, call, { stand: { is: 'stopping', entry: entryOf(call), verb, error, ...messageFor(call) } });
  return draft.done();
}

/** A child's run waits for a person, or goes on again. */
export function onChildWaits(draft: Draft, event: Event<'child_waits'>): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.settled || isOlder(found, event.runId)) return draft.done();
  const waits = call.stand?.is === 'waiting';
  const free = call.stand === undefined || call.stand.is === 'working' || waits;
  if (!free || waits === event.waits) return draft.done();
  draft.stand(step, call, { stand: { is: event.waits ? 'waiting' : 'working', entry: entryOf(call) } });
  return draft.done();
}

/** A child that was interrupted goes on, because somebody resumes it. */
export function onChildResume(draft: Draft, event: Event<'child_resume'>): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { stop, step, call } = found;
  if (draft.state.run?.phase !== 'active')
    return refuse('superseded', 'Its parent is interrupted: resume that, and this one goes on with it.');
  if (stop) return refuse('already_running', 'Its parent is being stopped.');
  if (call.settled || call.stand?.is !== 'interrupted')
    return refuse('not_resumable', 'Only a sub-agent that was interrupted can be resumed.');
  if (call.stand.cause === 'parent_suspended' && waitsForPerson(draft.state))
    return refuse('awaiting_input', 'It goes on with its parent, which waits for a person: answer what is pending.');
  draft.stand(step, call, { stand: { is: 'working', entry: entryOf(call) + 1, ...messageFor(call) } });
  return draft.done();
}

/** A person has decided about a child that failed: the first decision counts. */
export function onChildDecided(draft: Draft, event: Event<'child_decided'>, rules: Rules): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { stop, step, call, plan } = found;
  const { stand, settled } = call;
  if (event.decision === 'give_up') {
    if (settled) return draft.done();
    if (stand?.is !== 'failed')
      return refuse('run_superseded', 'It works, or is tried again: look at its status for the run that is meant.');
    giveUp(draft, found, stand.error, event.at, rules);
    return draft.done();
  }
  if (settled) return refuse('not_retryable', 'Its call has its result: its parent goes on without it.');
  if (stop) return refuse('already_running', 'Its parent is being stopped.');
  if (stand?.is !== 'failed') return refuse('already_running', 'It works, or is about to.');
  if (draft.state.run?.phase !== 'active')
    return refuse('owned_by_parent', 'Its parent is interrupted: resume that, then try this one again.');
  if ((plan.onParentSuspend ?? 'continue') !== 'continue' && waitsForPerson(draft.state))
    return refuse('awaiting_input', 'It works when its parent does, which waits for a person: answer what is pending.');
  const message = event.message ? { message: event.message } : {};
  draft.stand(step, call, { stand: { is: 'working', entry: entryOf(call) + 1, ...message } });
  return draft.done();
}

/** The failure of a child that nobody tries again is the result of its call. */
function giveUp(draft: Draft, { step, call }: Delegation, error: Failure, at: number, rules: Rules): void {
  settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt }, rules);
}

/** A child is started anew: in the same slot, as its next generation. */
export function onChildRespawn(draft: Draft, event: Event<'child_respawn'>): Transition {
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  const { step, call } = found;
  const { run } = draft.state;
  if (call.plan.kind !== 'child' || call.stand?.is !== 'respawning') return draft.done();
  // It is not due any more; whoever goes on asks again.
  if (run?.phase !== 'active' || run.stop || waitsForPerson(draft.state)) return draft.done();
  const generation = call.plan.generation + 1;
  const parent = call.plan.address.slice(0, call.plan.address.lastIndexOf('/'));
  const plan: ChildPlan = {
    ...call.plan,
    generation,
    sessionId: mintId('session', event.token),
    address: `${parent}/${slotName(call.plan.slot, generation)}`,
  };
  const { stand: _stand, ...facts } = call;
  const anew = { ...facts, plan };
  draft.stand(step, anew, { stand: { is: 'working', entry: 1 } });
  draft.setCall(step, { ...anew, stand: { is: 'working', entry: 1 } }, true);
  childOpened(draft, step, anew, plan);
  return draft.done();
}
