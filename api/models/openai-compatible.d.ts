import { n as ModelProvider } from "../shared/provider.js";
/**
 * `OFFSHOOT_MODEL=openai-compatible/…` at `OFFSHOOT_BASE_URL`, with the key `OFFSHOOT_API_KEY` if it wants one.
 * @example
 * const model = modelFromEnv([openaiCompatible]);
 */
export declare const openaiCompatible: ModelProvider;