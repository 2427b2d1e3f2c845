import { n as ModelProvider } from "../shared/provider.js";
/** The model of the Workers AI binding when nothing names one: it reasons, calls tools and reads long prompts. */
export declare const DEFAULT_WORKERS_AI_MODEL = "@cf/moonshotai/kimi-k2.7-code";
/**
 * `OFFSHOOT_MODEL=workers-ai/@cf/…` with the binding `AI`; where nothing names a model, `DEFAULT_WORKERS_AI_MODEL`.
 * @example
 * const model = modelFromEnv([workersAi, anthropic]);
 */
export declare const workersAi: ModelProvider;