/**
 * Asks the conditions of `stopWhen` about the step that has just been closed, bounded in time, and reports the answer
 * as an event.
 *
 * Keeps ST7.
 */
import type { Effect } from '../../core/agent/owed-effects';
import { currentStep, type RepliedStep } from '../../core/agent/state';
import type { StopCondition, StopFacts } from '../../core/definition/hooks/stop-when';
import { failureOf, OffshootError } from '../../protocol/errors';
import { bounded } from './bounded-body';
import { Facts } from './closed-step';
import type { StoppableAgent } from './performer';

/** Asks them; one that says anything but `true` does not end the run. */
export async function performStopWhen(
  agent: StoppableAgent,
  effect: Extract<Effect, { kind: 'stop_when' }>,
  signal: AbortSignal,
): Promise<void> {
  const { environment, seat } = agent;
  const step = currentStep(agent.state);
  if (step?.phase !== 'calls') return;
  const ms = seat.rules.limits.hookTimeoutMs;
  const late = () => new OffshootError('invalid_definition', `it did not end within ${ms} ms.`);
  const closed = new Facts(step, (id) => stepOf(agent, id));
  let answer: { readonly stops: boolean; readonly error?: ReturnType<typeof failureOf> };
  try {
    const controller = new AbortController();
    const stops = await bounded(environment, { ms, late, signal, controller }, () =>
      anyOf(seat.definition.stopWhen, closed),
    );
    answer = { stops: stops === true };
  } catch (thrown) {
    answer = { stops: false, error: failureOf(thrown, 'invalid_definition') };
  }
  if (signal.aborted) return;
  const { owed, epoch } = effect;
  const facts = { at: environment.now(), token: environment.token(), id: owed, epoch };
  agent.apply({ type: 'stop_when_said', ...facts, ...answer });
}

async function anyOf(conditions: readonly StopCondition[], facts: StopFacts): Promise<boolean> {
  const said: readonly unknown[] = await Promise.all(conditions.map(async (condition) => condition(facts)));
  return said.includes(true);
}

function stepOf({ deps: { store } }: StoppableAgent, id: number): RepliedStep {
  const [step] = store.steps({ after: id - 1, upTo: id });
  if (step?.phase === 'calls') return step;
  throw new OffshootError('internal', 'A step of the turn is missing.');
}
