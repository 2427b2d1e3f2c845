/**
 * Steps that come to nothing in the same way, one after the other. Each was paid for, and the next would be as well.
 *
 * Decides: when two steps fail in the same way.
 * Keeps ST15, ST22.
 */

import { shortHash } from '../../../protocol/content/short-hash';
import { failure } from '../../../protocol/errors';
import type { Rules } from '../rules';
import type { Call, Outcome, RepliedStep, SameFailure, Step } from '../state';

/** The key of a step that says in words what only a call delivers. */
const WORDS = 'words';

/** Identifies a step whose calls have all failed, or that has words where a call is due; undefined for any other. */
function keyOf({ calls, side, finishReason }: RepliedStep, { finishTools }: Rules): string | undefined {
  if (calls.length === 0)
    return finishTools.length > 0 && side === undefined && finishReason !== 'paused' ? WORDS : undefined;
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

/** The failure of a closed step, counted with the steps before it that failed in the same way. */
function sameFailure(step: RepliedStep, rules: Rules): SameFailure | undefined {
  const key = keyOf(step, rules);
  if (key === undefined) return undefined;
  return { key, count: step.sameFailure?.key === key ? step.sameFailure.count + 1 : 1 };
}

/** The same of the step before, for one that begins in the same turn. */
export function failedBefore(
  last: Step | undefined,
  turn: number,
  rules: Rules,
): { readonly sameFailure?: SameFailure } {
  const failed = last?.phase === 'calls' && last.turn === turn ? sameFailure(last, rules) : undefined;
  return failed === undefined ? {} : { sameFailure: failed };
}

/** The end of a run whose steps have failed in the same way as often as they may. */
export function endOfFailures(step: RepliedStep, rules: Rules): Outcome | undefined {
  const failed = sameFailure(step, rules);
  if (failed === undefined || failed.count < rules.limits.maxSameFailures) return undefined;
  const times = `${failed.count} ${failed.count === 1 ? 'time' : 'times in a row'}`;
  if (step.finishReason === 'length') {
    const advice = 'Raise the output limit of the model, or ask for less in one call.';
    const message = `The reply was cut off at the output limit of the model ${times}, before its calls were whole. ${advice}`;
    return { status: 'failed', error: failure('output_limit', message) };
  }
  if (failed.key === WORDS) {
    const tools = rules.finishTools.join(' or ');
    const message = `The model answered in text ${times}, and did not call ${tools}, which delivers the typed output.`;
    return { status: 'failed', error: failure('repeated_failure', message) };
  }
  const [call] = step.calls;
  const result = call?.settled?.result;
  const why = result?.success === false ? result.error.message : '';
  const message = `The model called "${call?.name ?? ''}" ${times} and failed in the same way: ${why}`;
  return { status: 'failed', error: failure('repeated_failure', message) };
}
