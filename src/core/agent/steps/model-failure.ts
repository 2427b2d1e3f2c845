/**
 * A model call that failed: asked again after a wait, or the end of the run.
 *
 * Decides: whether a model call is tried again, and how long it waits before that. The numbers themselves are limits.
 * Keeps ST4, ST9, ST20, ST21.
 */

import { boundedText, type Failure, MAX_ERROR_TEXT } from '../../../protocol/errors';
import type { Transition } from '../changes';
import type { Draft } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';
import { endAfterHooks } from '../runs/run';
import type { Step } from '../state';
import { chanceOf } from './chance';
import { asksNext, triesOf } from './fallback';
import type { Refusals } from './refusals';
import { fenced } from './step';

type ModelFailed = Extract<AgentEvent, { type: 'model_failed' }>;
type AskingStep = Extract<Step, { phase: 'model' }>;

/** Waits are longer by up to this part, so that those who failed together do not come again together. */
const JITTER = 0.25;
/** So many refusals of a step are kept with their words. */
const MAX_KEPT = 8;

/** True for a failure that time mends: the provider's rate limit, or its overload. */
function isRefusal({ code, retryable }: Failure): boolean {
  return retryable && (code === 'model_rate_limited' || code === 'model_overloaded');
}

/** Takes the failure of a model call. */
export function onModelFailed(draft: Draft, event: ModelFailed, rules: Rules): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  const { run, step } = now;
  if (asksNext(draft, step, event, rules)) return draft.done();
  const next = isRefusal(event.error) ? afterRefusal(step, event, rules) : afterFailure(step, event, rules);
  if (next.end) {
    if (asksNext(draft, step, { error: next.end, at: event.at, isSpent: true }, rules)) return draft.done();
    draft.setStep({ ...step, ...next.facts });
    endAfterHooks(draft, run, { status: 'failed', error: next.end }, event.at, rules);
    return draft.done();
  }
  draft.emit({ type: 'step_discarded', reason: event.error.code, retryAt: next.retryAt });
  draft.setStep({ ...step, ...next.facts, attempt: step.attempt + 1, notBefore: next.retryAt, unasked: true });
  return draft.done();
}

/** Takes the time before which a step sends no request: its wait for a turn is committed, and its patience begins. */
export function onModelRests(draft: Draft, event: Extract<AgentEvent, { type: 'model_rests' }>): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  const { step } = now;
  const refusals = step.refusals ?? { since: event.at, count: 0 };
  draft.setStep({ ...step, notBefore: event.until, refusals, unasked: true });
  return draft.done();
}

/** Takes the end of the wait of a step: from then on a crash may cut its request off. */
export function onModelAsked(draft: Draft, event: Extract<AgentEvent, { type: 'model_asked' }>): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  const { unasked: _unasked, ...step } = now.step;
  draft.setStep(step);
  return draft.done();
}

type Facts = Pick<AskingStep, 'failures' | 'refusals'>;
type Next = { readonly facts: Facts } & (
  | { readonly end: Failure; readonly retryAt?: never }
  | { readonly end?: never; readonly retryAt: number }
);

/** A failure that is counted: so many further attempts, after growing waits. */
function afterFailure(step: AskingStep, { error, at, token }: ModelFailed, { limits }: Rules): Next {
  const failures = [...step.failures, error];
  const counted = triesOf({ ...step, failures }).filter((one) => !isRefusal(one)).length;
  if (!error.retryable || counted > limits.modelRetries) return { facts: { failures }, end: error };
  const own = limits.modelRetryBaseMs * 2 ** (counted - 1);
  return { facts: { failures }, retryAt: at + waitFor(error, own, token, limits) };
}

/** A refusal that is waited out: as often as there is time for, from the first one on. */
function afterRefusal(step: AskingStep, { error, at, token, waitingSince }: ModelFailed, { limits }: Rules): Next {
  const { retryAfterMs } = error;
  const { since, count } = step.refusals ?? { since: waitingSince ?? at, count: 0 };
  const refusals = {
    since,
    count: count + (waitingSince === undefined ? 1 : 0),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(error.code === 'model_overloaded' ? { overloaded: true as const } : {}),
  };
  const before = step.fallback?.failures ?? 0;
  const ofThis = lastFew([...step.failures.slice(before), error]);
  const facts = { failures: [...step.failures.slice(0, before), ...ofThis], refusals };
  const retryAt = at + waitFor(error, ownWait(refusals, limits), token, limits);
  if (retryAt <= since + limits.modelPatienceMs) return { facts, retryAt };
  // A turn that never came has no words of the provider.
  const said = (waitingSince === undefined ? undefined : step.failures.findLast(isRefusal)) ?? error;
  return { facts, end: { ...said, message: impatient(said, refusals, at) } };
}

/** At a rate limit the tree decides how fast requests follow; an overload is asked about ever more rarely. */
function ownWait({ overloaded, count }: Refusals, { modelRetryBaseMs, modelRetryAfterMs }: Rules['limits']): number {
  if (!overloaded) return modelRetryBaseMs;
  return Math.max(modelRetryBaseMs, Math.min(modelRetryBaseMs * 2 ** (count - 1), modelRetryAfterMs));
}

/** Failures with the last few refusals among them: a limit may be met hundreds of times. */
function lastFew(failures: readonly Failure[]): Failure[] {
  const oldest = failures.find(isRefusal);
  const many = failures.filter(isRefusal).length > MAX_KEPT;
  return many ? failures.filter((one) => one !== oldest) : [...failures];
}

/** The wait, in ms: as long as the provider asks for, within a limit, and never less than our own. */
function waitFor({ retryAfterMs = 0 }: Failure, own: number, token: string, limits: Rules['limits']): number {
  const wait = Math.max(own, Math.min(retryAfterMs, limits.modelRetryAfterMs));
  return Math.round(wait * (1 + JITTER * chanceOf(token)));
}

/** The provider's words, how long and how often it was asked, and what to do. */
function impatient({ message }: Failure, { since, count }: Refusals, at: number): string {
  const tries = count === 1 ? 'once' : `${count} times`;
  const said = ` It refused ${tries}, over ${Math.round((at - since) / 1_000)} s (\`modelPatienceMs\`).`;
  const advice =
    ' Do not repeat the same request at once: finish with what you have, or ask for fewer things at a time.';
  return boundedText(message, MAX_ERROR_TEXT - said.length - advice.length) + said + advice;
}
