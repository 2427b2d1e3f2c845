/**
 * Refusals of an agent that has not begun, or never will: nothing is asked of it.
 *
 * Decides: why an agent that is about to begin, or ended before it had begun, is not asked.
 * Keeps A26, A82.
 */
import { type Failure, failure } from '../../../protocol/errors';
import type { Child } from '../../agent/children/child';
import type { TreeNode } from '../node';

/** Why an agent that ended before it began is not asked anything: it has nothing to report, and asking again brings nothing. */
export function neverBegan(): Failure {
  return failure(
    'never_began',
    'This agent ended before it began, so it has no data. Only a new task from its parent starts it.',
  );
}

/** Why a child is not asked that its parent has and the record does not: it is about to begin, or ended before that. */
export function notInRecord({ state }: Pick<Child, 'state'>): Failure {
  if (state.is !== 'ended') return failure('unavailable', 'This agent is about to begin. Try again.');
  return state.gone ? failure('gone') : neverBegan();
}

/** Why an agent that has not begun is not asked anything: it has yet to begin, or has ended without. */
export function whyUnbegun({ schedule }: TreeNode): Failure {
  // Of one that was withdrawn its parent has the last word, and may let it begin.
  if (schedule.phase === 'ended' && schedule.end.by !== 'withdrawn') return neverBegan();
  return failure('unavailable', 'This agent has not begun yet. Try again when it runs.');
}
