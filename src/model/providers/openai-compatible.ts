/** `offshoot/models/openai-compatible`: any server that speaks OpenAI's protocol, by `@ai-sdk/openai-compatible`. */
import type { ModelProvider } from '../provider';
import { baseSetting, setting, wrong } from '../settings';

const NAME = 'openai-compatible';

/**
 * `OFFSHOOT_MODEL=openai-compatible/…` at `OFFSHOOT_BASE_URL`, with the key `OFFSHOOT_API_KEY` if the server needs one.
 * @example
 * const model = modelFromEnv([openaiCompatible]);
 */
export const openaiCompatible: ModelProvider = {
  name: NAME,
  keys: ['OFFSHOOT_API_KEY'],
  choose(env, model, named) {
    const { baseURL } = baseSetting(env);
    if (baseURL === undefined)
      throw wrong(`OFFSHOOT_MODEL is "${named}", so OFFSHOOT_BASE_URL must say where its API is.`);
    const apiKey = setting(env, 'OFFSHOOT_API_KEY');
    return {
      model,
      baseURL,
      async load() {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
        const key = apiKey === undefined ? {} : { apiKey };
        return createOpenAICompatible({ name: NAME, baseURL, includeUsage: true, ...key })(model);
      },
    };
  },
};
