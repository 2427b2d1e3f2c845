/**
 * Reports the settings that a model did not take: of each agent, model and setting once.
 *
 * Keeps M82.
 */
import type { AgentDefinition } from '../../core/definition/definition';
import type { ModelReply } from '../../core/definition/model-port';
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
  const known = reported.get(definition) ?? new Set();
  reported.set(definition, known);
  for (const { setting, text } of warnings) {
    const key = `${model} ${setting}`;
    if (known.has(key) || known.size >= MAX_KNOWN) continue;
    known.add(key);
    environment.report(`Agent "${definition.name}" asks ${model} for \`${setting}\`: ${text}`);
  }
}
