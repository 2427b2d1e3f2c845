/**
 * The models of an agent that has several: which one a step asks, and when the next is asked in its place.
 *
 * A run stays with the model that answered: another one would have none of the provider's cache, and none of the thinking
 * that the provider has sealed. The next run begins with the first again.
 *
 * Decides: when the next model is asked; which model a step asks.
 * Keeps FM3, FM4, FM5.
 */
import type { Failure } from '../../../protocol/errors';
import type { Draft } from '../draft';
import type { Rules } from '../rules';
import type { AgentState, Fallback, Step } from '../state';

type Worker = Pick<AgentState, 'session'>;
type Asking = Pick<Step, 'side' | 'fallback'>;

/** Identifies the list of models that a step has: each side has its own, and each agent that a session is handed to. */
const listOf = ({ session }: Worker, { side }: Pick<Step, 'side'>): string => side ?? session.active ?? '';

/** The failures of the models that are not asked any more, in order. */
export function passedOver(state: Worker, step: Asking): readonly Failure[] {
  return step.fallback?.passedOver[listOf(state, step)] ?? [];
}

/** The model that a step asks, by its place in the list. A definition that has become shorter has its last one asked. */
export function modelAt(state: Worker, step: Asking, models: number): number {
  return Math.min(passedOver(state, step).length, models - 1);
}

/** The number of failures of the model that is asked now, in this step. */
function triesOf({ failures, fallback }: Pick<Step, 'failures' | 'fallback'>): number {
  return failures.length - (fallback?.failures ?? 0);
}

/** The models that the step before has passed over, for the next one of the same turn. */
export function passedBefore(last: Step | undefined, turn: number): { readonly fallback?: Fallback } {
  if (last?.fallback === undefined || last.turn !== turn) return {};
  return { fallback: { ...last.fallback, failures: 0 } };
}

/** True where the failures of that code have the next model asked in place of the one that a step asks. */
export function leadsOn(state: Worker, step: Asking, code: Failure['code'], models: Rules['models']): boolean {
  const at = modelAt(state, step, models.length);
  return at + 1 < models.length && models[at]?.includes(code) === true;
}

/**
 * The state of a failed step from which the next model is asked; undefined where none is. A rate limit is not
 * waited for, and what no further try can mend is not tried; of others the tries come first. `isSpent`: none is left.
 */
function ledOn(
  state: Worker,
  step: Step,
  error: Failure,
  { models, limits }: Pick<Rules, 'models' | 'limits'>,
  isSpent: boolean,
): Fallback | undefined {
  if (!leadsOn(state, step, error.code, models)) return undefined;
  const waits = error.retryable && error.code !== 'model_rate_limited';
  if (waits && !isSpent && triesOf(step) <= limits.modelRetries) return undefined;
  const known = step.fallback?.passedOver ?? {};
  const passed = { ...known, [listOf(state, step)]: [...passedOver(state, step), error] };
  return { passedOver: passed, failures: step.failures.length };
}

/** Has a step ask the next of its models, at once, where a failure leads on to it. */
export function asksNext(
  draft: Draft,
  step: Extract<Step, { phase: 'model' }>,
  { error, at, isSpent = false }: { readonly error: Failure; readonly at: number; readonly isSpent?: boolean },
  rules: Rules,
): boolean {
  const { refusals: _refusals, unasked: _unasked, ...asking } = step;
  const failed = { ...asking, failures: [...step.failures, error] };
  const fallback = ledOn(draft.state, failed, error, rules, isSpent);
  if (fallback === undefined) return false;
  const next = { ...failed, fallback, attempt: step.attempt + 1, notBefore: at };
  const nextModel = modelAt(draft.state, next, rules.models.length);
  draft.emit({ type: 'step_discarded', reason: error.code, retryAt: at, nextModel });
  draft.setStep({ ...next, spent: draft.state.spent });
  return true;
}
