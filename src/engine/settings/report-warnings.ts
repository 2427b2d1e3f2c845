/**
 * Reports the settings that a model did not take, that it counts no tokens, and that it has no price: of each agent,
 * model and setting once.
 *
 * Keeps M82, US14, BU15.
 */
import type { AgentDefinition } from '../../core/definition/definition';
import type { ModelReply } from '../../core/definition/model-port';
import { countsMoney } from '../../core/definition/price';
import { isUncounted, type Usage } from '../../protocol/usage';
import type { Environment } from '../environment';

/** The most warnings of one agent: a provider may word each of them anew. */
const MAX_KNOWN = 100;

/** The warnings that were reported, by definition. */
const reported = new WeakMap<AgentDefinition, Set<string>>();

/** Reports the warnings of a reply that were not reported of its agent yet. */
export function reportWarnings(
  environment: Pick<Environment, 'report'>,
  definition: AgentDefinition,
  { model, warnings = [] }: Pick<ModelReply, 'model' | 'warnings'>,
): void {
  for (const { setting, text } of warnings)
    reportOnce(environment, definition, `${model} ${setting}`, `asks ${model} for \`${setting}\`: ${text}`);
}

/** Reports a reply without a count of its tokens or a cost, by its usage as it is counted: no budget notices it. */
export function reportUncounted(
  environment: Pick<Environment, 'report'>,
  definition: AgentDefinition,
  { model, usage }: Pick<ModelReply, 'model' | 'usage'>,
): void {
  if (!isUncounted(usage) || usage.costUsd !== undefined) return;
  const advice = 'With `createOpenAICompatible`, set `includeUsage: true`.';
  const text = `asks ${model}, which reports no tokens: token and cost budgets do not count its calls. ${advice}`;
  reportOnce(environment, definition, `${model} tokens`, text);
}

/** Reports a model without a price, where its cost may count. */
export function reportUnpriced(
  environment: Pick<Environment, 'report'>,
  definition: AgentDefinition,
  model: string,
): void {
  if (!countsMoney(definition)) return;
  const text = `asks ${model}, which has no price: cost limits do not count its calls. Add the model to \`price\`.`;
  reportOnce(environment, definition, `${model} price`, text);
}

/** Reports a remote agent whose server does not say what it spent, where that may count. `isWhole`: its task completed. */
export function reportUnpricedRemote(
  environment: Pick<Environment, 'report'>,
  definition: AgentDefinition,
  { modelCalls, costUsd, unpricedCalls = costUsd === undefined ? modelCalls : 0 }: Usage,
  isWhole: boolean,
): void {
  const text = 'so cost limits do not count them. Set `price` for that agent, in its own Worker.';
  if (unpricedCalls > 0)
    reportOnce(environment, definition, 'price there', `reports model calls without a price, ${text}`);
  if (isWhole && modelCalls === 0)
    reportOnce(
      environment,
      definition,
      'usage there',
      'reports no model calls: cost limits do not count any it makes.',
    );
}

function reportOnce(
  environment: Pick<Environment, 'report'>,
  definition: AgentDefinition,
  key: string,
  text: string,
): void {
  const known = reported.get(definition) ?? new Set();
  reported.set(definition, known);
  if (known.has(key) || known.size >= MAX_KNOWN) return;
  known.add(key);
  environment.report(`Agent "${definition.name}" ${text}`);
}
