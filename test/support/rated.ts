/** An agent whose requests to its model are limited by a binding of the Worker. */
import { defineAgent, scriptedModel } from '../../src/index';

interface Limiter {
  limit(request: { key: string }): Promise<{ readonly success: boolean }>;
}

function limiterIn(env: object): Limiter {
  const entries = Object.entries<Limiter>({ ...env });
  const found = entries.find(([name]) => name === 'MODEL_RATE')?.[1];
  if (found === undefined) throw new Error('The Worker has no binding MODEL_RATE.');
  return found;
}

/** Its model, which counts what it was asked. */
export const ratedModel = scriptedModel(() => ({ text: 'Said.' }));

export const rated = defineAgent({
  name: 'rated',
  systemPrompt: 'Say it.',
  model: ratedModel,
  modelRateLimit: (env) => limiterIn(env),
});
