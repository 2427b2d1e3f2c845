import { n as ModelProvider } from "./provider.js";
/** The default model of the Workers AI binding: it supports reasoning, tool calls and long prompts. */
declare const DEFAULT_WORKERS_AI_MODEL = "@cf/moonshotai/kimi-k2.7-code";
/**
 * `OFFSHOOT_MODEL=workers-ai/@cf/…` with the `AI` binding; `DEFAULT_WORKERS_AI_MODEL` if no model is named.
 * @example
 * const model = modelFromEnv([workersAi, anthropic]);
 */
declare const workersAi: ModelProvider;
export { workersAi as n, DEFAULT_WORKERS_AI_MODEL as t };