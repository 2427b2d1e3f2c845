/** `offshoot/models/anthropic`: models of Anthropic by the package `@ai-sdk/anthropic`. */
import { type ModelProvider, withOptions } from '../provider';
import { baseSetting, keyFor } from '../settings';

/**
 * `OFFSHOOT_MODEL=anthropic/…` with the key `ANTHROPIC_API_KEY`; `OFFSHOOT_BASE_URL` sets another base URL.
 * @example
 * const model = modelFromEnv([anthropic]);
 */
export const anthropic: ModelProvider = {
  name: 'anthropic',
  keys: ['ANTHROPIC_API_KEY'],
  choose(env, model, named) {
    const apiKey = keyFor(env, named, 'ANTHROPIC_API_KEY');
    const base = baseSetting(env);
    return {
      model,
      ...base,
      async load() {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        // A long thought without a word is no stall: pings show that the model is at work.
        return withOptions(createAnthropic({ apiKey, ...base })(model), { anthropic: { includePings: true } });
      },
    };
  },
};
