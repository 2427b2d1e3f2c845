import { createSubAgentTool, defineAgent, defineTool } from 'offshoot';
import { chat } from 'offshoot/chat';
import { defaultModel } from 'offshoot/models';
import { serve } from 'offshoot/worker';
import { z } from 'zod';

const refund = defineTool({
  name: 'refund',
  description: 'Pays a customer back.',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  requireApproval: true,
  execute: ({ order, euros }) => `Paid ${euros} euros back for order ${order}.`,
});

const clerk = defineAgent({
  name: 'clerk',
  systemPrompt: 'Pay customers back with `refund`. Say what you paid.',
  model: defaultModel,
  tools: [refund],
  inputSchema: z.object({ task: z.string() }),
});

const support = defineAgent({
  name: 'support',
  systemPrompt: 'Help customers of a book shop. Leave refunds to the clerk.',
  model: defaultModel,
  tools: [createSubAgentTool(clerk)],
});

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([support, clerk], { doors: [chat()] });
