/** `offshoot/models/workers-ai`: models of the binding `AI` by the package `workers-ai-provider`. */
import type { WorkersAISettings } from 'workers-ai-provider';
import type { ChosenModel, ModelProvider } from '../provider';
import { wrong } from '../settings';

/** The default model of the Workers AI binding: it supports reasoning, tool calls and long prompts. */
export const DEFAULT_WORKERS_AI_MODEL = '@cf/moonshotai/kimi-k2.7-code';

type Binding = NonNullable<WorkersAISettings['binding']>;

function bindingOf(env: object): Binding | undefined {
  const binding: unknown = (env as Partial<Record<string, unknown>>).AI;
  if (binding === undefined || binding === null) return undefined;
  if (isBinding(binding)) return binding;
  throw wrong('AI is set, but it is not a Workers AI binding: it has no method run.');
}

function isBinding(value: unknown): value is Binding {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

function chosen(binding: Binding, model: string): ChosenModel {
  return {
    model,
    async load() {
      const { createWorkersAI } = await import('workers-ai-provider');
      return createWorkersAI({ binding })(model);
    },
  };
}

/**
 * `OFFSHOOT_MODEL=workers-ai/@cf/…` with the `AI` binding; `DEFAULT_WORKERS_AI_MODEL` if no model is named.
 * @example
 * const model = modelFromEnv([workersAi, anthropic]);
 */
export const workersAi: ModelProvider = {
  name: 'workers-ai',
  keys: [],
  choose(env, model, named) {
    const binding = bindingOf(env);
    if (!binding)
      throw wrong(
        `OFFSHOOT_MODEL is "${named}", but there is no binding AI: add "ai": { "binding": "AI" } to wrangler.jsonc.`,
      );
    return chosen(binding, model);
  },
  offer(env) {
    const binding = bindingOf(env);
    if (!binding) return undefined;
    const why = 'the binding AI is configured and OFFSHOOT_MODEL is not set';
    return { ...chosen(binding, DEFAULT_WORKERS_AI_MODEL), why };
  },
};
