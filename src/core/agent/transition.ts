/**
 * The one entry of the core: an event goes to its machine, then the step goes on as far as it can.
 *
 * Decides: which machine takes an event.
 * Keeps SE3, SE4.
 */

import { onAnswer, onExpire } from './calls/answer';
import { onToolSettled, openCall } from './calls/call';
import { type CapabilityMachine, type KernelAnswers, missingCapability, onCapability } from './capability';
import type { Transition } from './changes';
import { onCancelMail, onMail, onMailRefused, onMailTaken } from './children/child-messages';
import { onChildReach } from './children/child-reach';
import {
  onChildDecided,
  onChildRespawn,
  onChildResume,
  onChildrenSettled,
  onChildSettled,
  onChildStop,
  onChildWaits,
} from './children/delegation';
import { endLeft } from './children/end-with-run';
import { onChildGone } from './children/ended-at-rest';
import { onChildMessage } from './children/person-message';
import { onContextCompacted } from './context/compacted';
import { changeCustom } from './custom-state';
import { onCancelMessage, onOutcomeAcknowledged, onSpentLate, onWaitAcknowledged, owesWait } from './delivery';
import { Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import { onHookBroke, onHookDone, onResultHooks, requestBy } from './hooks/hooks';
import type { Rules } from './rules';
import { onRecover } from './runs/recovery';
import { onResume, onRetry, onSend, onStart } from './runs/start-and-resume';
import { suspensionOf, waitsOf } from './runs/status';
import { onStop, stopFor } from './runs/stop';
import { onActivated } from './standard-agents/immediate-subagents';
import { onThreadEnds, onThreadMessage, onThreadTells, onThreadUpdates } from './standard-agents/thread';
import { onChildDeferred } from './standard-agents/variables-given';
import { type AgentState, currentStep } from './state';
import { onModelAsked, onModelFailed, onModelRests } from './steps/model-failure';
import { advance, onModelProgress, onModelReplied } from './steps/step';
import { onStopWhenSaid } from './steps/stop-when';

/**
 * Applies one event to a state. Pure: the same state, event and rules give the same answer.
 * A refusal changes nothing and says why.
 * @param rulesOf the rules of a session of that state: asked for the event, and again for the steps after it
 * @param capabilities those of this version
 */
export function transition(
  state: AgentState,
  event: AgentEvent,
  rulesOf: (state: AgentState) => Rules,
  capabilities: readonly CapabilityMachine[] = [],
): Transition {
  const missing = BEGINNINGS.has(event.type) ? missingCapability(capabilities, state) : undefined;
  if (missing) return { ok: false, refused: missing };
  const draft = new Draft(state);
  const answer = rowOf(event)(draft, event, rulesOf(state), capabilities);
  if (!answer.ok) return answer;
  const { token } = 'token' in event ? event : {};
  if (token !== undefined) {
    const moment = { at: event.at, token };
    advance(draft, rulesOf, moment);
    endLeft(draft, moment, rulesOf(draft.state));
    showWait(draft, state);
    owesWait(draft);
  }
  return draft.done();
}

/** The events that a session with rows of a missing capability does not take (CB3). */
const BEGINNINGS: ReadonlySet<AgentEvent['type']> = new Set(['start', 'send', 'resume', 'retry']);

/** Takes one kind of event. */
type Row<Event> = (draft: Draft, event: Event, rules: Rules, capabilities: readonly CapabilityMachine[]) => Transition;

/** The machine of each kind of event. */
const ROWS: { readonly [Type in AgentEvent['type']]: Row<Extract<AgentEvent, { type: Type }>> } = {
  start: onStart,
  send: onSend,
  resume: onResume,
  retry: onRetry,
  mail: onMail,
  mail_refused: onMailRefused,
  mail_taken: onMailTaken,
  cancel_message: onCancelMessage,
  cancel_mail: onCancelMail,
  context_compacted: onContextCompacted,
  activated: onActivated,
  model_progress: onModelProgress,
  model_replied: onModelReplied,
  model_failed: onModelFailed,
  model_rests: onModelRests,
  model_asked: onModelAsked,
  tool_settled: onToolSettled,
  answer: onAnswer,
  expire: onExpire,
  stop_when_said: onStopWhenSaid,
  hook_done: (draft, event, rules) =>
    onHookDone(draft, event, rules, (error) => stopFor(draft, { ...event, error }, rules)),
  stop: onStop,
  recover: onRecover,
  spent_late: onSpentLate,
  outcome_acknowledged: onOutcomeAcknowledged,
  wait_acknowledged: onWaitAcknowledged,
  // Children.
  child_reach: onChildReach,
  child_settled: onChildSettled,
  children_settled: onChildrenSettled,
  child_stop: onChildStop,
  child_decided: onChildDecided,
  child_message: onChildMessage,
  child_deferred: onChildDeferred,
  child_gone: onChildGone,
  child_waits: onChildWaits,
  child_resume: onChildResume,
  child_respawn: onChildRespawn,
  // Code of the agent, or of one above it.
  custom_changed: (draft, event) =>
    fromBody(draft, event, () => {
      changeCustom(draft, event.custom);
      draft.emit({ type: 'state_patch', patch: event.patch });
    }),
  emitted: (draft, event) => fromBody(draft, event, () => draft.emit(event.chunk)),
  hook_broke: (draft, event) => fromBody(draft, event, () => onHookBroke(draft, event)),
  result_hooks: (draft, event) => fromBody(draft, event, () => onResultHooks(draft, event)),
  thread_message: (draft, event, rules, capabilities) => {
    const { by, epoch } = event;
    const queue = () => onThreadMessage(draft, event, rules);
    return by === undefined || epoch === undefined ? queue() : ofCode(draft, { by, epoch }, queue, capabilities);
  },
  thread_updates: (draft, event, rules) => orAbove(draft, event, ofBody, () => onThreadUpdates(draft, event, rules)),
  thread_tells: (draft, event, rules, capabilities) =>
    orAbove(draft, event, ofCode, () => onThreadTells(draft, event, rules), capabilities),
  thread_ends: (draft, event, rules, capabilities) =>
    orAbove(draft, event, ofCode, () => onThreadEnds(draft, event, rules), capabilities),
  capability: (draft, event, rules, capabilities) => {
    const mayBody: KernelAnswers['mayBody'] = (body) => fromBody(draft, body, () => undefined);
    return onCapability(capabilities, draft, event, { rules, mayBody });
  },
};

/** The machine of an event. */
function rowOf<Event extends AgentEvent>({ type }: Event): Row<Event> {
  // Each row takes the events of its key.
  return ROWS[type] as Row<Event>;
}

/** What an agent above does belongs to no body of this session, so nothing but the end of the session ends its time. */
function orAbove(
  draft: Draft,
  { by, epoch }: { readonly by: string; readonly epoch?: number },
  own: typeof ofCode,
  apply: () => Transition,
  capabilities: readonly CapabilityMachine[] = [],
): Transition {
  if (epoch !== undefined) return own(draft, { by, epoch }, apply, capabilities);
  return draft.state.session.terminated ? refuse('terminated', 'The session was terminated.') : apply();
}

/** Applies an act of a body that is still waited for. The bodies of a capability belong to no run. */
function ofCode(
  draft: Draft,
  event: { by: string; epoch: number },
  apply: () => Transition,
  capabilities: readonly CapabilityMachine[],
): Transition {
  const isOfCapability = capabilities.some((one) => one.ownsBody?.(draft.state, event.by) === true);
  return isOfCapability ? apply() : ofBody(draft, event, apply);
}

/** What the body of a tool or a hook does besides its result; refused once it is settled or superseded. */
function fromBody(draft: Draft, event: { by: string; epoch: number }, apply: () => void): Transition {
  return ofBody(draft, event, () => {
    apply();
    return draft.done();
  });
}

function ofBody(draft: Draft, event: { by: string; epoch: number }, apply: () => Transition): Transition {
  const { run } = draft.state;
  const hook = run?.phase === 'active' && run.hooks?.owed.some(({ id }) => id === event.by);
  if (!hook && !asksFor(draft.state, event.by)) {
    const found = openCall(draft, event.by);
    if ('ok' in found) return found;
    if (found.call.settled) return refuse('superseded', 'The call already has its result.');
  }
  if (run?.phase !== 'active' || run.epoch !== event.epoch)
    return refuse('superseded', 'This body belongs to a run that was taken over.');
  return apply();
}

/** Whether hooks of a request that is awaited do something. */
function asksFor(state: AgentState, by: string): boolean {
  const step = currentStep(state);
  const { run } = state;
  return run?.phase === 'active' && run.stop === undefined && step?.phase === 'model' && by === requestBy(run, step);
}

/** Shows that the run now waits for a person, that it waits for something else, or that it goes on. */
function showWait(draft: Draft, before: AgentState): void {
  const status = suspensionOf(draft.state);
  const was = before.run?.runId === draft.state.run?.runId ? suspensionOf(before) : undefined;
  if (status === undefined) {
    if (was !== undefined && draft.state.run?.phase === 'active') draft.emit({ type: 'unsuspended' });
    return;
  }
  const waits = waitsOf(draft.state);
  const same = was === status && JSON.stringify(waits) === JSON.stringify(waitsOf(before));
  if (!same) draft.emit({ type: 'suspended', status, ...waits });
}
