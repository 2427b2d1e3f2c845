import { n as ModelProvider } from "./provider.js";
/** The model of the Workers AI binding when nothing names one: it reasons, calls tools and reads long prompts. */
declare const DEFAULT_WORKERS_AI_MODEL = "@cf/moonshotai/kimi-k2.7-code";
/**
 * `OFFSHOOT_MODEL=workers-ai/@cf/…` with the binding `AI`; where nothing names a model, `DEFAULT_WORKERS_AI_MODEL`.
 * @example
 * const model = modelFromEnv([workersAi, anthropic]);
 */
declare const workersAi: ModelProvider;
export { workersAi as n, DEFAULT_WORKERS_AI_MODEL as t };