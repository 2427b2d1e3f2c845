/** `offshoot/models/openai`: models of OpenAI by the package `@ai-sdk/openai`. */
import { type ModelProvider, withOptions } from '../provider';
import { baseSetting, keyFor } from '../settings';

/**
 * `OFFSHOOT_MODEL=openai/…` with the key `OPENAI_API_KEY`; `OFFSHOOT_BASE_URL` sets another base URL.
 * @example
 * const model = modelFromEnv([openai]);
 */
export const openai: ModelProvider = {
  name: 'openai',
  keys: ['OPENAI_API_KEY'],
  choose(env, model, named) {
    const apiKey = keyFor(env, named, 'OPENAI_API_KEY');
    const base = baseSetting(env);
    return {
      model,
      ...base,
      async load() {
        const { createOpenAI } = await import('@ai-sdk/openai');
        // The transcript is kept here: the provider needs no copy, and a run must not depend on how long it keeps one.
        return withOptions(createOpenAI({ apiKey, ...base })(model), { openai: { store: false } });
      },
    };
  },
};
