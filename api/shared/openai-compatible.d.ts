import { n as ModelProvider } from "./provider.js";
/**
 * `OFFSHOOT_MODEL=openai-compatible/…` at `OFFSHOOT_BASE_URL`, with the key `OFFSHOOT_API_KEY` if the server needs one.
 * @example
 * const model = modelFromEnv([openaiCompatible]);
 */
declare const openaiCompatible: ModelProvider;
export { openaiCompatible as t };