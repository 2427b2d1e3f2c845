/** The one entry of the core: an event goes to its machine, then the step goes on as far as it can. */

import { onChildSettled, onChildStop, onToolSettled, openCall } from './call';
import type { Transition } from './changes';
import { onTold } from './delivery';
import { Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import { onRecover } from './recovery';
import type { Rules } from './rules';
import { onSend, onStart } from './run';
import type { AgentState } from './state';
import { advance, onModelFailed, onModelProgress, onModelReplied } from './step';
import { onStop } from './stop';

/**
 * Applies one event to a state. Pure: the same state, event and rules give the same answer.
 * A refusal changes nothing and says why.
 */
export function transition(state: AgentState, event: AgentEvent, rules: Rules): Transition {
  const draft = new Draft(state);
  const answer = handle(draft, event, rules);
  if (!answer.ok) return answer;
  if ('token' in event) advance(draft, rules, event);
  return draft.done();
}

function handle(draft: Draft, event: AgentEvent, rules: Rules): Transition {
  switch (event.type) {
    case 'start':
      return onStart(draft, event);
    case 'send':
      return onSend(draft, event, rules);
    case 'model_progress':
      return onModelProgress(draft, event);
    case 'model_replied':
      return onModelReplied(draft, event, rules);
    case 'model_failed':
      return onModelFailed(draft, event, rules);
    case 'tool_settled':
      return onToolSettled(draft, event);
    case 'child_settled':
      return onChildSettled(draft, event);
    case 'child_stop':
      return onChildStop(draft, event);
    case 'custom_changed':
      return fromBody(draft, event, () => {
        draft.state = { ...draft.state, custom: event.custom };
        draft.put({ put: 'custom', custom: event.custom });
        draft.emit({ type: 'state_patch', patch: event.patch });
      });
    case 'emitted':
      return fromBody(draft, event, () => draft.emit(event.chunk));
    case 'stop':
      return onStop(draft, event);
    case 'told':
      return onTold(draft, event);
    case 'recover':
      return onRecover(draft, event, rules);
  }
}

/** What a tool's body does besides its result; refused once its call is settled or superseded. */
function fromBody(draft: Draft, event: { callId: string; epoch: number }, apply: () => void): Transition {
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  if (found.call.settled) return refuse('superseded', 'The call has its result already.');
  if (draft.state.run?.epoch !== event.epoch)
    return refuse('superseded', 'This body belongs to a run that was taken over.');
  apply();
  return draft.done();
}
