/**
 * The chunk of a committed step.
 *
 * Keeps ST11, FM6.
 */
import type { BodyOf } from '../../../protocol/chunks';
import { beginningOf } from '../../../protocol/content/cut';
import type { AgentState, RepliedStep } from '../state';
import { passedOver } from './fallback';

/** Characters of a failure's message that the chunk has. */
const MAX_REASON = 200;

/** Says that a step is committed, which model replied, and why those before it in the list did not. */
export function committed({ session }: Pick<AgentState, 'session'>, step: RepliedStep): BodyOf<'step_committed'> {
  const { finishReason, usage, model, responseId } = step;
  const passed = passedOver({ session }, step).map(({ code, message }) => ({
    code,
    message: beginningOf(message, MAX_REASON),
  }));
  return {
    type: 'step_committed',
    finishReason,
    usage,
    checkpointId: `${session.sessionId}.${step.id}`,
    model,
    ...(responseId === undefined ? {} : { responseId }),
    ...(passed.length === 0 ? {} : { passedOver: passed }),
  };
}
