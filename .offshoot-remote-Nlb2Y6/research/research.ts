// research.ts
import { defineAgent, defineTool, scriptedModel } from 'offshoot';
import { serve } from 'offshoot/worker';
import { z } from 'zod';

const buy = defineTool({
  name: 'buy_report',
  description: 'Buys a report about a subject.',
  inputSchema: z.object({ subject: z.string() }),
  requireApproval: true,
  execute: ({ subject }) => `All there is to know about ${subject}.`,
});

export const researcher = defineAgent({
  name: 'researcher',
  systemPrompt: 'Answer the question from a report that you buy.',
  // A scripted model needs no API key.
  model: scriptedModel([
    { calls: [{ name: 'buy_report', input: { subject: 'bees' } }] },
    { finish: { answer: 'Bees swarm in May.' } },
  ]),
  tools: [buy],
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ answer: z.string() }),
});

export { OffshootAgent, OffshootDirectory, OffshootRpc } from 'offshoot/worker';
export default serve([researcher]);
