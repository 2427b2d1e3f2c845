import { defineAgent, modelFromEnv, scriptedModel } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';

/** Works by rules, in place of a language model. */
const offline = scriptedModel(({ message }) => ({
  finish: { answer: message.includes('swarm') ? 'Bees swarm in May.' : 'Nobody knows.' },
}));

export const researcher = defineAgent({
  name: 'researcher',
  systemPrompt: 'Answer the question.',
  model: modelFromEnv([anthropic], { otherwise: offline }),
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ answer: z.string() }),
});
