import { t as ModelFromEnv } from "./shared/index.js";
import { n as ModelProvider } from "./shared/provider.js";
import { t as anthropic } from "./shared/anthropic.js";
import { t as openai } from "./shared/openai.js";
import { t as openaiCompatible } from "./shared/openai-compatible.js";
import { n as workersAi } from "./shared/workers-ai.js";
/** The providers that `OFFSHOOT_MODEL` may name. */
export declare const MODEL_PROVIDERS: readonly ModelProvider[];
/**
 * The model that the environment names: `OFFSHOOT_MODEL` (`provider/model`), or else the `AI` binding. Use it as the
 * `model` of an agent.
 * @throws OffshootError `invalid_definition` for a wrong or missing setting, with what to set
 * @example
 * const planner = defineAgent({ name: 'planner', systemPrompt: 'Plan a call.', model: defaultModel });
 */
export declare const defaultModel: ModelFromEnv;
export { anthropic, openai, openaiCompatible, workersAi };