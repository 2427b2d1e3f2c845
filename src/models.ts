/**
 * `offshoot/models`: a model by the environment, of any provider that Offshoot knows. Whoever imports this bundles the
 * packages of all of them; `modelFromEnv` with one of `offshoot/models/openai`, `/anthropic`, `/openai-compatible` and
 * `/workers-ai` bundles one.
 */
import { modelFromEnv } from './model/from-env';
import type { ModelProvider } from './model/provider';
import { anthropic } from './model/providers/anthropic';
import { openai } from './model/providers/openai';
import { openaiCompatible } from './model/providers/openai-compatible';
import { workersAi } from './model/providers/workers-ai';

/** The providers that `OFFSHOOT_MODEL` may name. */
export const MODEL_PROVIDERS: readonly ModelProvider[] = [openai, anthropic, openaiCompatible, workersAi];

/**
 * The model that the environment names: `OFFSHOOT_MODEL` (`provider/model`), or else the `AI` binding. Use it as the
 * `model` of an agent.
 * @throws OffshootError `invalid_definition` for a wrong or missing setting, with what to set
 * @example
 * const planner = defineAgent({ name: 'planner', systemPrompt: 'Plan a call.', model: defaultModel });
 */
export const defaultModel = modelFromEnv(MODEL_PROVIDERS);

export { anthropic, openai, openaiCompatible, workersAi };
