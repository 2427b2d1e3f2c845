/** An agent whose sub-agent needs a variable of its own, for tests in workerd. */
import { z } from 'zod';
import { defineAgent, defineDualAgent, definePrompt, defineTool } from '../../src/index';
import { puppet } from './puppet';

/** What a test gives the clerk as KEY. */
export const CLERKS_KEY = 'canary-7d20';

const look = defineTool({
  name: 'look',
  description: 'Looks whether it was given the key.',
  inputSchema: z.object({}),
  replay: 'safe',
  variables: [{ name: 'KEY', type: 'secret', required: true, scoped: true }],
  execute: async (_input, context) => ({ hasKey: (await context.variable('KEY')) === CLERKS_KEY }),
});

const prompt = (name: string, more: Partial<Parameters<typeof definePrompt>[0]> = {}) =>
  definePrompt({ name, prompt: 'Do what you are told.', model: puppet, includeChat: true, ...more });

export const clerk = defineDualAgent({
  name: 'clerk',
  exposeAsTool: true,
  toolDescription: 'Works with a key.',
  maxSessionTurns: 1,
  sideA: { prompt: prompt('clerk_a', { tools: [look] }) },
  sideB: { prompt: prompt('clerk_b') },
});
const resumable = { name: 'clerk', blocking: false, resumable: { receives_messages: 'side_a' } } as const;
export const keeper = defineAgent({
  name: 'keeper',
  prompt: prompt('keeper_own', { tools: [resumable], agents: [clerk] }),
});
