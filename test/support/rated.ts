/** An agent whose requests to its model are limited by a binding of the Worker. */
import { defineAgent, scriptedModel } from '../../src/index';

/** Its model, which counts what it was asked. */
export const ratedModel = scriptedModel(() => ({ text: 'Said.' }));

export const rated = defineAgent({
  name: 'rated',
  systemPrompt: 'Say it.',
  model: ratedModel,
  modelRateLimit: (env) => (env as unknown as { readonly MODEL_RATE: RateLimit }).MODEL_RATE,
});
