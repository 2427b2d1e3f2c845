import { defineDualAgent, definePrompt, defineTool, modelFromEnv, scriptedModel } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';

/** Works by rules, in place of a language model: both sides ask it, one step each. */
const offline = scriptedModel(({ step, prompt }) => {
  if (step === 1) return { text: 'Rain fals.' };
  if (step === 2) return { text: 'It is spelt "falls".' };
  if (step === 3) return { text: 'Rain falls.' };
  const isRight = JSON.stringify(prompt).includes('Rain falls.');
  return isRight ? { calls: [{ name: 'approve', input: { text: 'Rain falls.' } }] } : { text: 'Once more.' };
});
const model = modelFromEnv([anthropic], { otherwise: offline });

const approve = defineTool({
  name: 'approve',
  description: 'Approves the text and ends the work.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: () => 'Approved.',
});

export const pair = defineDualAgent({
  name: 'pair',
  maxSessionTurns: 8,
  sideA: {
    label: 'Author',
    prompt: definePrompt({ name: 'drafting', prompt: 'Write what you are asked for.', model, includeChat: true }),
  },
  sideB: {
    label: 'Reviewer',
    prompt: definePrompt({
      name: 'reviewing',
      prompt: 'Approve it, or say what to mend.',
      model,
      includeChat: true,
      tools: [approve],
    }),
    sessionStop: { name: 'approve', messageProperty: 'text' },
  },
});
