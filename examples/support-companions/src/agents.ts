import { defineAgent, defineTool, modelFromEnv } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';
import { offline } from './offline';

const model = modelFromEnv([anthropic], { otherwise: offline });

const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks an order up by its number.',
  inputSchema: z.object({ order: z.string() }),
  replay: 'safe',
  execute: ({ order }) => ({ order, status: order === '7' ? 'on its way' : 'delivered', euros: 20 }),
});

export const orders = defineAgent({
  name: 'orders',
  description: 'Knows where orders are.',
  systemPrompt: 'Answer the question about an order. Remember which order the customer speaks of.',
  model,
  tools: [findOrder],
});

export const billing = defineAgent({
  name: 'billing',
  description: 'Knows what orders cost.',
  systemPrompt: 'Answer the question about money. Look the order up first.',
  model,
  tools: [findOrder],
});

export const desk = defineAgent({
  name: 'desk',
  systemPrompt: 'Hand each question to the companion "orders" or "billing", and pass its answer on.',
  model,
  persistentAgents: [{ agent: orders }, { agent: billing }],
});
