import { n as ModelProvider } from "./provider.js";
/**
 * `OFFSHOOT_MODEL=anthropic/…` with the key `ANTHROPIC_API_KEY`; `OFFSHOOT_BASE_URL` sets another base URL.
 * @example
 * const model = modelFromEnv([anthropic]);
 */
declare const anthropic: ModelProvider;
export { anthropic as t };