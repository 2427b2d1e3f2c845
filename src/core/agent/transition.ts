/**
 * The one entry of the core: an event goes to its machine, then the step goes on as far as it can.
 *
 * Decides: which machine takes an event.
 * Keeps SE3, SE4.
 */

import { onAnswer, onExpire } from './answer';
import { onToolSettled, openCall } from './call';
import type { Transition } from './changes';
import { onCancelMail, onMail, onMailRefused, onMailTaken } from './child-messages';
import { onContextCompacted } from './context/compacted';
import { onCopied } from './copy';
import { changeCustom } from './custom-state';
import { onChildDecided, onChildRespawn, onChildResume, onChildSettled, onChildStop, onChildWaits } from './delegation';
import { onCancelMessage, onOutcomeAcknowledged, onSpentLate, onWaitAcknowledged, owesWait } from './delivery';
import { Draft, refuse } from './draft';
import { endLeft } from './end-with-run';
import { onChildGone } from './ended-at-rest';
import type { AgentEvent } from './events';
import { onHookBroke, onHookDone, onResultHooks, requestBy } from './hooks';
import { onActivated } from './immediate-subagents';
import { onChildFork } from './person-copy';
import { onChildMessage } from './person-message';
import { onRecover } from './recovery';
import type { Rules } from './rules';
import { errandOf, onErrand } from './scheduled-effects';
import { onResume, onRetry, onSend, onStart } from './start-and-resume';
import { type AgentState, currentStep } from './state';
import { suspensionOf, waitsOf } from './status';
import { advance, onModelProgress, onModelReplied } from './step';
import { onModelFailed, onModelRests } from './steps/model-failure';
import { onStopWhenSaid } from './steps/stop-when';
import { onStop, stopFor } from './stop';
import { onThreadEnds, onThreadMessage, onThreadTells, onThreadUpdates, type ThreadEvent } from './thread';
import { onChildDeferred } from './variables-given';

/**
 * Applies one event to a state. Pure: the same state, event and rules give the same answer.
 * A refusal changes nothing and says why.
 * @param rulesOf what a session of that state works by: asked for the event, and again for what goes on after it
 */
export function transition(state: AgentState, event: AgentEvent, rulesOf: (state: AgentState) => Rules): Transition {
  const draft = new Draft(state);
  const answer = handle(draft, event, rulesOf(state));
  if (!answer.ok) return answer;
  if ('token' in event) {
    advance(draft, rulesOf, event);
    endLeft(draft, event, rulesOf(draft.state));
    showWait(draft, state);
    owesWait(draft);
  }
  return draft.done();
}

function handle(draft: Draft, event: AgentEvent, rules: Rules): Transition {
  switch (event.type) {
    case 'start':
      return onStart(draft, event, rules);
    case 'copied':
      return onCopied(draft, event);
    case 'send':
      return onSend(draft, event, rules);
    case 'resume':
      return onResume(draft, event, rules);
    case 'retry':
      return onRetry(draft, event, rules);
    case 'mail':
      return onMail(draft, event);
    case 'mail_refused':
      return onMailRefused(draft, event);
    case 'mail_taken':
      return onMailTaken(draft, event);
    case 'context_compacted':
      return onContextCompacted(draft, event, rules);
    case 'activated':
      return onActivated(draft, event, rules);
    case 'model_progress':
      return onModelProgress(draft, event, rules);
    case 'model_replied':
      return onModelReplied(draft, event, rules);
    case 'model_failed':
      return onModelFailed(draft, event, rules);
    case 'model_rests':
      return onModelRests(draft, event);
    case 'tool_settled':
      return onToolSettled(draft, event, rules);
    case 'answer':
      return onAnswer(draft, event, rules);
    case 'expire':
      return onExpire(draft, event, rules);
    case 'stop_when_said':
      return onStopWhenSaid(draft, event);
    case 'hook_done':
      return onHookDone(draft, event, rules, (error) => stopFor(draft, { ...event, error }, rules));
    case 'stop':
      return onStop(draft, event, rules);
    case 'recover':
      return onRecover(draft, event, rules);
    case 'child_settled':
      return onChildSettled(draft, event, rules);
    case 'child_stop':
      return onChildStop(draft, event, rules);
    case 'child_decided':
      return onChildDecided(draft, event, rules);
    case 'child_fork':
      return onChildFork(draft, event, rules);
    case 'child_message':
      return onChildMessage(draft, event, rules);
    case 'child_deferred':
      return onChildDeferred(draft, event, rules);
    case 'child_gone':
    case 'child_waits':
    case 'child_resume':
    case 'child_respawn':
      return onNewsOfChild(draft, event);
    case 'errand_scheduled':
    case 'errand_removed':
    case 'errand_begun':
    case 'errand_done':
      return onErrand(draft, event, rules, (body) => fromBody(draft, body, () => undefined));
    case 'cancel_message':
      return onCancelMessage(draft, event);
    case 'cancel_mail':
      return onCancelMail(draft, event);
    case 'spent_late':
      return onSpentLate(draft, event);
    case 'outcome_acknowledged':
      return onOutcomeAcknowledged(draft, event);
    case 'wait_acknowledged':
      return onWaitAcknowledged(draft, event);
    default:
      return onOwnCode(draft, event, rules);
  }
}

/** What is told of a child, and changes its record alone. */
function onNewsOfChild(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'child_gone' | 'child_waits' | 'child_resume' | 'child_respawn' }>,
): Transition {
  switch (event.type) {
    case 'child_gone':
      return onChildGone(draft, event);
    case 'child_waits':
      return onChildWaits(draft, event);
    case 'child_resume':
      return onChildResume(draft, event);
    case 'child_respawn':
      return onChildRespawn(draft, event);
  }
}

/** What code of the agent does to its session, or a child of it. */
function onOwnCode(
  draft: Draft,
  event: ThreadEvent | Extract<AgentEvent, { type: 'custom_changed' | 'emitted' | 'hook_broke' | 'result_hooks' }>,
  rules: Rules,
): Transition {
  switch (event.type) {
    case 'custom_changed':
      return fromBody(draft, event, () => {
        changeCustom(draft, event.custom);
        draft.emit({ type: 'state_patch', patch: event.patch });
      });
    case 'emitted':
      return fromBody(draft, event, () => draft.emit(event.chunk));
    case 'hook_broke':
      return fromBody(draft, event, () => onHookBroke(draft, event));
    case 'result_hooks':
      return fromBody(draft, event, () => onResultHooks(draft, event));
    case 'thread_message': {
      const { by, epoch } = event;
      const queue = () => onThreadMessage(draft, event, rules);
      return by === undefined || epoch === undefined ? queue() : ofCode(draft, { by, epoch }, queue);
    }
    case 'thread_updates':
      return orAbove(draft, event, ofBody, () => onThreadUpdates(draft, event, rules));
    case 'thread_tells':
      return orAbove(draft, event, ofCode, () => onThreadTells(draft, event, rules));
    case 'thread_ends':
      return orAbove(draft, event, ofCode, () => onThreadEnds(draft, event, rules));
  }
}

/** What an agent above does belongs to no body of this session, so nothing but the end of the session ends its time. */
function orAbove(
  draft: Draft,
  { by, epoch }: { readonly by: string; readonly epoch?: number },
  own: typeof ofCode,
  apply: () => Transition,
): Transition {
  if (epoch !== undefined) return own(draft, { by, epoch }, apply);
  return draft.state.session.terminated ? refuse('terminated', 'The session was ended for good.') : apply();
}

/** What any body does: that of an effect belongs to no run, and is waited for as long as the effect is not done. */
function ofCode(draft: Draft, event: { by: string; epoch: number }, apply: () => Transition): Transition {
  return errandOf(draft.state, event.by) ? apply() : ofBody(draft, event, apply);
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
    if (found.call.settled) return refuse('superseded', 'The call has its result already.');
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
