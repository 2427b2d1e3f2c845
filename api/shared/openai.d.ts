import { n as ModelProvider } from "./provider.js";
/**
 * `OFFSHOOT_MODEL=openai/…` with the key `OPENAI_API_KEY`; `OFFSHOOT_BASE_URL` sets another base URL.
 * @example
 * const model = modelFromEnv([openai]);
 */
declare const openai: ModelProvider;
export { openai as t };