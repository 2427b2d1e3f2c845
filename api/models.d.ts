import { a as ModelFromEnv } from "./shared/index.js";
import { n as ModelProvider } from "./shared/provider.js";
import { anthropic } from "./models/anthropic.js";
import { openai } from "./models/openai.js";
import { openaiCompatible } from "./models/openai-compatible.js";
import { workersAi } from "./models/workers-ai.js";
/** The providers that `OFFSHOOT_MODEL` may name. */
export declare const MODEL_PROVIDERS: readonly ModelProvider[];
/**
 * The model that the environment names: `OFFSHOOT_MODEL` (`provider/model`), else the binding `AI`. Use it as the
 * `model` of an agent.
 * @throws OffshootError `invalid_definition` for a wrong setting, or where none is set, saying what to set
 * @example
 * const planner = defineAgent({ name: 'planner', systemPrompt: 'Plan a call.', model: defaultModel });
 */
export declare const defaultModel: ModelFromEnv;
export { anthropic, openai, openaiCompatible, workersAi };