import { n as ModelProvider } from "../shared/provider.js";
/**
 * `OFFSHOOT_MODEL=openai/…` with the key `OPENAI_API_KEY`; `OFFSHOOT_BASE_URL` sends it to another address.
 * @example
 * const model = modelFromEnv([openai]);
 */
export declare const openai: ModelProvider;