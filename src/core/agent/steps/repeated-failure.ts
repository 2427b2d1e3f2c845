/**
 * Steps that come to nothing, one after the other, and in ways that come again. Each was paid for, and the next would be as well.
 *
 * Decides: when two steps fail in the same way.
 * Keeps ST15, ST22, ST23.
 */

import { shortHash } from '../../../protocol/content/short-hash';
import { failure } from '../../../protocol/errors';
import type { Rules } from '../rules';
import type { Call, FailedRow, Outcome, RepliedStep, Step } from '../state';

type RowRules = Pick<Rules, 'limits' | 'finishTools' | 'sides'>;

/** The key of a text in place of the call that would end the run. */
const NO_CALL = 'no call';

/** Failures that take turns end a run once one of them has come so many times as often as one in a row may. */
const IN_TURNS = 2;
/** So many of them may take turns. */
const TURNS = 4;

/** True for a text where only a call ends the run. */
const isWordsAlone = ({ calls, finishReason }: RepliedStep, { finishTools, sides }: RowRules): boolean =>
  calls.length === 0 && finishReason !== 'paused' && finishTools.length > 0 && sides === undefined;

/** Identifies a step that came to nothing: all of its calls have failed, or it has none where one was due. */
function keyOf(step: RepliedStep, rules: RowRules): string | undefined {
  const { calls } = step;
  if (isWordsAlone(step, rules)) return NO_CALL;
  const failed = calls.flatMap((call) => {
    const result = call.settled?.result;
    return result === undefined || result.success
      ? []
      : [[call.name, inputOf(call), result.error.code, result.error.message]];
  });
  return failed.length === 0 || failed.length < calls.length ? undefined : shortHash(JSON.stringify(failed));
}

/** The arguments of a call; a refused call has none, since its failure says what is wrong with them. */
const inputOf = ({ plan, input }: Call): Call['input'] => (plan.kind === 'refused' ? null : input);

/** The failures of a row of failed steps, with that of the last one. */
function rowOf(step: RepliedStep, rules: RowRules): FailedRow | undefined {
  const key = keyOf(step, rules);
  return key === undefined
    ? undefined
    : [...(step.failedRow ?? []), key].slice(-TURNS * IN_TURNS * rules.limits.maxSameFailures);
}

/** The row that a step follows which begins in the same turn. */
export function failedBefore(
  last: Step | undefined,
  turn: number,
  rules: RowRules,
): { readonly failedRow?: FailedRow } {
  const failedRow = last?.phase === 'calls' && last.turn === turn ? rowOf(last, rules) : undefined;
  return failedRow === undefined ? {} : { failedRow };
}

/** The end of a run in whose last row of failed steps one failure has come as often as it may. */
export function endOfFailures(step: RepliedStep, rules: RowRules): Outcome | undefined {
  const row = rowOf(step, rules) ?? [];
  const last = row.at(-1);
  const { maxSameFailures: most } = rules.limits;
  const inRow = row.length - 1 - row.findLastIndex((key) => key !== last);
  const inAll = row.filter((key) => key === last).length;
  if (last === undefined || (inRow < most && inAll < most * IN_TURNS)) return undefined;
  const times = inRow < most ? `${inAll} times` : inRow === 1 ? '1 time' : `${inRow} times in a row`;
  if (step.finishReason === 'length') {
    const advice = 'Raise the output limit of the model, or ask for less in one call.';
    const message = `The reply was cut off at the output limit of the model ${times}, before its calls were complete. ${advice}`;
    return { status: 'failed', error: failure('output_limit', message) };
  }
  if (isWordsAlone(step, rules)) {
    const message = `The model replied with text ${times}, but the output needs a call of ${rules.finishTools.join(' or ')}.`;
    return { status: 'failed', error: failure('repeated_failure', message) };
  }
  const [call] = step.calls;
  const result = call?.settled?.result;
  const why = result?.success === false ? result.error.message : '';
  const message = `The model called "${call?.name ?? ''}" ${times} and failed in the same way: ${why}`;
  return { status: 'failed', error: failure('repeated_failure', message) };
}
