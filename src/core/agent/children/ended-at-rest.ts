/**
 * A child that rests was ended for good, or deleted, by a person: nothing of it is open that would tell its parent so.
 *
 * CO30. Its record says so from now on, and its parent's model is told once, by a message that begins no turn.
 */
import { mintId } from '../../../protocol/ids';
import type { Transition } from '../changes';
import { acceptMessage } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import { timedEnd } from '../standard-agents/subagent-registry';
import { hasForgotten, isLasting } from './child';
import { hasLeft } from './child-retention';

/** A child is no more, or takes nothing any more. */
export function onChildGone(draft: Draft, event: Extract<AgentEvent, { type: 'child_gone' }>): Transition {
  const { atRest: child, task, error, at, token } = event;
  const { state } = draft;
  if (child?.task.number !== task.task || state.children.has(task.childId))
    return refuse('superseded', 'This belongs to a task that is open, or to another one.');
  if (child.state.is !== 'ended' || !isLasting(child) || hasForgotten(child)) return draft.done();
  const { result } = child.state;
  const deleted = error.code === 'deleted';
  const facts = deleted ? { gone: true as const } : { session: 'terminated' as const };
  const ended = { ...child.state, result: { success: false, error }, ...facts } as const;
  draft.setChild(timedEnd({ ...child, state: ended }, at));
  draft.dropFromOpen(child.childId);
  const isTold = !result.success && result.error.code === error.code;
  if (isTold || state.session.terminated || hasLeft(child, state)) return draft.done();
  const what = `${deleted ? 'was deleted' : 'was terminated'} while it was idle: ${error.message}`;
  const content = `The sub-agent ${child.name ?? child.agentType} ${what}`;
  const messageId = mintId('message', token, child.childId);
  acceptMessage(draft, { messageId, role: 'user', content, from: 'offshoot' }, at);
  return draft.done();
}
