/**
 * Asks of one request, tried before any of them is done.
 *
 * CH8, AU11. Where an agent would refuse one of several, none is done.
 */
import type { AllowedAsk } from '../gateway/doors/door';
import { type Failure, refuseWith } from '../protocol/errors';

/** Codes of answers that this very request, or somebody else, has given before, or that came too late. */
const IS_OVER: readonly string[] = ['already_answered', 'late_answer'];

/** True where an answer cannot count any more, which is no fault of its client. */
export const isOver = ({ code }: Failure): boolean => IS_OVER.includes(code);

/**
 * Tries several asks; one alone refuses by itself. `passes` says which refusals count as none.
 * @throws OffshootError as the first agent that would refuse
 */
export async function tryAll(
  asks: readonly AllowedAsk[],
  passes: (error: Failure) => boolean | Promise<boolean> = isOver,
): Promise<void> {
  if (asks.length < 2) return;
  const answers = await Promise.all(asks.map((ask) => ask.ask({ isTrial: true })));
  for (const answer of answers) if (!answer.ok && !(await passes(answer.error))) refuseWith(answer.error);
}
