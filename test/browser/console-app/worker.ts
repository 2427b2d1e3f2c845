/** Agents that ask people for all kinds of things, for the console's tests: each does what its message says. */
import { z } from 'zod';
import { webConsole } from '../../../src/console';
import { createSubAgentTool, defineAgent, defineDualAgent, definePrompt, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const script = z.object({ steps: z.array(z.unknown()) });
const systemPrompt = 'Do what you are told.';
const model = scriptedModel((request) => stepOf(request), { record: false });

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  inputSchema: z.object({
    to: z.string(),
    copies: z.array(z.string()).optional(),
    subject: z.string(),
    body: z.string(),
    priority: z.enum(['low', 'high']).optional(),
    tries: z.number().int().optional(),
    sign: z.boolean().optional(),
    footer: z.object({ text: z.string() }).optional(),
  }),
  outputSchema: z.object({ sentTo: z.string() }),
  requireApproval: true,
  replay: 'safe',
  execute: ({ to }) => ({ sentTo: to }),
});

const wipe = defineTool({
  name: 'wipe',
  description: 'Wipes a disk, where a person agrees within ten minutes.',
  inputSchema: z.object({ disk: z.string() }),
  requireApproval: true,
  answerWithinMs: 600_000,
  execute: ({ disk }) => `wiped ${disk}`,
});

const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  outputSchema: z.object({
    picked: z.string(),
    sure: z.boolean(),
    last: z.boolean().optional(),
    kept: z.boolean().default(true),
    share: z.number().optional(),
  }),
  execute: 'client',
});

const breaks = defineTool({
  name: 'breaks',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: (): string => {
    throw new Error('It broke.');
  },
});

/** Its first body writes that it has begun, and never ends; one that comes after it ends at once. */
const hangs = defineTool({
  name: 'hangs',
  description: 'Hangs until the server is killed.',
  inputSchema: z.object({}),
  replay: 'safe',
  async execute(_, { files, abortSignal }) {
    if ((await files.list('began')).length > 0) return 'it goes on';
    await files.write('began', 'now');
    return new Promise<string>((_goOn, stop) => {
      abortSignal.addEventListener('abort', () => stop(abortSignal.reason));
    });
  },
});

const tools = [sendMail, wipe, pick, breaks, hangs];
const junior = defineAgent({ name: 'junior', systemPrompt, model, tools });
const senior = defineAgent({
  name: 'senior',
  systemPrompt,
  model,
  tools: [...tools, createSubAgentTool(junior, script)],
  limits: { maxSteps: 5 },
});
const carrier = { required: true, scoped: true };
/** Works for whoever gives it its variables. */
const courier = defineDualAgent({
  name: 'courier',
  exposeAsTool: true,
  toolDescription: 'Carries parcels.',
  maxSessionTurns: 1,
  sideA: {
    prompt: definePrompt({
      ...{ name: 'courier_a', prompt: systemPrompt, model },
      variables: [
        { ...carrier, name: 'CARRIER_KEY', type: 'secret', description: 'By which the carrier knows us.' },
        { ...carrier, name: 'CARRIER', type: 'text', description: 'Which carrier it goes with.' },
      ],
    }),
  },
  sideB: { prompt: definePrompt({ name: 'courier_b', prompt: systemPrompt, model }) },
});
const sender = defineAgent({
  name: 'sender',
  prompt: definePrompt({
    ...{ name: 'sending', prompt: systemPrompt, model, includeChat: true, includePastTools: true },
    tools: [{ name: 'courier', blocking: false, resumable: { receives_messages: 'side_a' } }],
    agents: [courier],
  }),
});
const clerk = defineAgent({
  name: 'clerk',
  description: 'Does office work.',
  systemPrompt,
  model,
  tools: [...tools, createSubAgentTool(senior, script)],
  persistentAgents: [{ agent: junior }],
  examples: ['Write to Ann'],
  settings: { temperature: 0.25 },
  limits: { maxSteps: 5 },
});

export class Clerk extends AgentObject.of(clerk) {}
export class Senior extends AgentObject.of(senior) {}
export class Junior extends AgentObject.of(junior) {}
export class Sender extends AgentObject.of(sender) {}
export class Courier extends AgentObject.of(courier) {}
export { OffshootDirectory };

export default createWorker({ agents: [Clerk, Senior, Junior, Sender, Courier], doors: [webConsole()] });
