/**
 * The model that the current step asks, and the report for people where another one than the first is asked.
 *
 * Keeps FM3, FM6.
 */
import type { Rules } from '../../core/agent/rules';
import { currentStep } from '../../core/agent/state';
import { modelAt, passedOver } from '../../core/agent/steps/fallback';
import type { AgentDefinition } from '../../core/definition/definition';
import type { ModelPort } from '../../core/definition/model-port';
import type { ModelAgent } from '../perform/performer';

/** The agent that works, with its rules. */
interface Working {
  readonly definition: AgentDefinition;
  readonly rules: Pick<Rules, 'models'>;
}

/** The model that the current step asks, by its place among those of its agent. */
function placeNow({ state }: ModelAgent, models: number): number {
  const step = currentStep(state);
  return step === undefined ? 0 : modelAt(state, step, models);
}

/** The port of that model. */
export async function askedModel(agent: ModelAgent, { definition, rules }: Working): Promise<ModelPort> {
  return agent.deps.model(definition, placeNow(agent, rules.models.length));
}

/** Calls `change`, and reports where the next model is asked after it. */
export function reportingFallback(agent: ModelAgent, { definition, rules }: Working, change: () => void): void {
  const models = rules.models.length;
  const before = placeNow(agent, models);
  change();
  const step = currentStep(agent.state);
  const now = placeNow(agent, models);
  if (step === undefined || now <= before) return;
  const why = passedOver(agent.state, step).at(-1);
  agent.environment.report(
    `Agent "${definition.name}": model ${now + 1} of ${models} is used in place of model ${before + 1}, which failed with \`${why?.code}\`: ${why?.message}`,
  );
}
