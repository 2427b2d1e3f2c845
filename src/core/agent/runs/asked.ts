/**
 * What a turn of a session was asked with, for lists of sessions and of runs.
 *
 * DL11. A turn was asked with the first message of a caller that no step of an older turn has seen: what others have
 *       written before it, such as notices of the framework, is none. One that resumes another was asked as that was.
 */
import type { InboundMessage } from '../inbound';
import type { AgentState, Run } from '../state';

/** The id of the last step of an older turn; 0 where there is none. A resumed turn has the numbers of its chain. */
export function lastStepBefore({ run, step }: Pick<AgentState, 'run' | 'step'>): number {
  if (step === undefined) return 0;
  return step.turn === run?.turn ? step.id - step.number : step.id;
}

/** The message that asked, of those that came after what that step saw. */
export function askedWith(messages: readonly InboundMessage[]): InboundMessage | undefined {
  return messages.find(({ from }) => from === 'caller');
}

/**
 * The message that a run was asked with, of those that came after what older turns have seen: of a sub-agent, its
 * parent's. What came after its end has asked for another one.
 */
export function askedOf(run: Run, messages: readonly InboundMessage[]): InboundMessage | undefined {
  const end = run.phase === 'ended' ? run.endedAt : Number.POSITIVE_INFINITY;
  return messages.find(({ from, at }) => (from === 'caller' || from === 'parent') && at <= end);
}
