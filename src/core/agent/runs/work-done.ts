/**
 * What an agent had done by the end of a run that did not complete: data for the model of its parent, which may use it
 * or give the rest to another. It is made of committed steps alone, so it is the same however often it is told
 * (decision 26).
 *
 * Decides: how much a parent's model is told of work that was broken off.
 * Keeps DG21.
 */
import { boundedText } from '../../../protocol/errors';
import { replyText, type Step } from '../state';

/** How many steps back are looked at, the last one included. */
export const MAX_STEPS_TOLD = 50;
/** How much of the last text is told, in characters. */
const MAX_TEXT_TOLD = 2_000;
/** How many calls are told, the last ones, and how much of each one's arguments and result, in characters of JSON. */
const MAX_CALLS_TOLD = 20;
const MAX_ARGUMENTS_TOLD = 200;
const MAX_RESULT_TOLD = 300;

/** What an agent that did not complete had done, as its parent is told. */
type WorkDone = {
  readonly lastText?: string;
  readonly callsSucceeded: number;
  readonly calls: readonly { readonly tool: string; readonly arguments: string; readonly result: string }[];
};

/**
 * The last text that an agent said and the calls that succeeded, oldest first; undefined where there is neither. Long
 * texts are cut with a mark, and `callsSucceeded` counts those that are not listed, too.
 */
export function workDone(steps: readonly Step[]): WorkDone | undefined {
  const replied = steps.filter((step) => step.phase === 'calls');
  const text = replied.map(replyText).findLast((each) => each.trim() !== '');
  const calls = replied.flatMap((step) =>
    step.calls.flatMap(({ plan, name, input, answer, settled }) => {
      if ((plan.kind === 'immediate' && plan.ends) || settled?.result.success !== true) return [];
      const given = JSON.stringify(answer?.input ?? input);
      const result = JSON.stringify(settled.result.value);
      return [
        { tool: name, arguments: boundedText(given, MAX_ARGUMENTS_TOLD), result: boundedText(result, MAX_RESULT_TOLD) },
      ];
    }),
  );
  if (text === undefined && calls.length === 0) return undefined;
  return {
    ...(text === undefined ? {} : { lastText: boundedText(text, MAX_TEXT_TOLD) }),
    callsSucceeded: calls.length,
    calls: calls.slice(-MAX_CALLS_TOLD),
  };
}
