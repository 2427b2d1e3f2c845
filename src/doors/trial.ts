/**
 * Asks of one request, tried before any of them is done.
 *
 * CH8, AU11. Where an agent would refuse one of several, none is done.
 */
import type { AllowedAsk, DoorAnswer } from '../gateway/doors/door';
import { type Failure, refuseWith } from '../protocol/errors';
import { isObject } from '../protocol/json';

/** Codes of answers that this very request, or somebody else, has given before, or that came too late. */
const IS_OVER: readonly string[] = ['already_answered', 'late_answer'];

/** True where an answer cannot count any more, which is no fault of its client. */
export const isOver = ({ code }: Failure): boolean => IS_OVER.includes(code);

/**
 * Tries asks; their answers. `passes` says which refusals count as none.
 * @throws OffshootError as the first agent that would refuse
 */
export async function tryAll(
  asks: readonly AllowedAsk[],
  passes: (error: Failure) => boolean | Promise<boolean> = isOver,
): Promise<readonly DoorAnswer[]> {
  const answers = await Promise.all(asks.map((ask) => ask.ask({ isTrial: true })));
  for (const answer of answers) if (!answer.ok && !(await passes(answer.error))) refuseWith(answer.error);
  return answers;
}

/** The id of a message in the answer to `send`: a trial has that of the message only where it was sent before. */
export function messageIdIn(answer: DoorAnswer | undefined): string | undefined {
  const body = answer?.ok ? answer.body : undefined;
  return isObject(body) && typeof body.messageId === 'string' ? body.messageId : undefined;
}
