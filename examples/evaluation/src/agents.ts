import { defineAgent, modelFromEnv, scriptedModel } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';

/** Works by rules, in place of a language model. */
const offline = scriptedModel(({ message }) => ({
  finish: {
    team: /invoice|refund|paid/i.test(message) ? 'billing' : /crash|error/i.test(message) ? 'technical' : 'sales',
    urgent: /now|today|down/i.test(message),
  },
}));

export const triage = defineAgent({
  name: 'triage',
  systemPrompt: 'Name the team that answers the message, and whether it is urgent.',
  model: modelFromEnv([anthropic], { otherwise: offline }),
  outputSchema: z.object({ team: z.enum(['billing', 'technical', 'sales']), urgent: z.boolean() }),
});
