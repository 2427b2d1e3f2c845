/**
 * A tree with an agent in every state that a deploy may meet, and the agent that works for it in other Workers. What its
 * bodies wait for is outside of the Worker: gates, which count who comes.
 */
import { env } from 'cloudflare:workers';
import { z } from 'zod';
import {
  createRemoteSubAgentTool,
  createSubAgentTool,
  defineAgent,
  defineEffect,
  defineTool,
} from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { HttpRemoteAgentTransport } from '../../../src/remote';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const systemPrompt = 'Do what you are told.';
const model = scriptedModel((request) => stepOf(request), { record: false });
const script = z.object({ steps: z.array(z.unknown()) });
const variable = (name: string): string => String(Reflect.get(env, name));

/** Waits at a gate outside. Whoever comes again, after a crash, has the same key. */
async function pass(gate: string, key: string): Promise<void> {
  const answer = await fetch(`${variable('GATES_URL')}/${gate}?key=${encodeURIComponent(key)}`);
  if (!answer.ok) throw new Error(`The gate ${gate} answered ${answer.status}.`);
  await answer.text();
}

const hold = defineTool({
  name: 'hold',
  description: 'Waits at a gate.',
  inputSchema: z.object({ gate: z.string() }),
  replay: 'safe',
  execute: async ({ gate }, context) => {
    context.emitCustom('holds', { gate });
    // Known to either version: whoever has read it has read the chunk before it.
    context.emit(gate);
    await pass(gate, context.idempotencyKey);
    return { passed: gate };
  },
});
const publish = defineTool({
  name: 'publish',
  description: 'Publishes, once a person agrees.',
  inputSchema: z.object({ gate: z.string() }),
  requireApproval: true,
  replay: 'safe',
  execute: async ({ gate }, { idempotencyKey }) => {
    await pass(gate, idempotencyKey);
    return { published: gate };
  },
});
const remind = defineEffect({
  name: 'remind',
  description: 'Passes a gate.',
  schema: z.object({ gate: z.string() }),
  execute: ({ gate }, { idempotencyKey }) => pass(gate, idempotencyKey),
});
const plan = defineTool({
  name: 'plan',
  description: 'Plans an effect.',
  inputSchema: z.object({ gate: z.string(), delayMs: z.number() }),
  replay: 'safe',
  execute: async ({ gate, delayMs }, context) => ({ id: await context.scheduleEffect('remind', { gate }, delayMs) }),
});

const tools = [hold, publish];
const limits = { maxToolReplays: 100, maxSteps: 100 };

/** The way to the Worker that stays at one version. */
const remote = (name: string, way: string) =>
  createRemoteSubAgentTool(name, {
    description: 'Helps, in the Worker of another team.',
    inputSchema: script,
    transport: () => new HttpRemoteAgentTransport({ url: variable(way), allowLoopback: true }),
    remoteAgentType: 'helper',
  });

const older = remote('older', 'OLDER_URL');
const newer = remote('newer', 'NEWER_URL');

const leaf = defineAgent({ name: 'leaf', systemPrompt, model, tools, limits, root: false });
const apart = defineAgent({ name: 'apart', systemPrompt, model, tools, limits, root: false });
const middle = defineAgent({
  ...{ name: 'middle', systemPrompt, model, limits, root: false },
  tools: [hold, publish, createSubAgentTool(leaf, script), createSubAgentTool(apart, script, { placement: 'object' })],
});
/** A version that has no such sub-agent any more. */
const lacksMiddle = Reflect.get(env, 'LACKS') === 'middle';
const scout = defineAgent({ name: 'scout', systemPrompt, model, tools, limits, root: false });
const helper = defineAgent({ name: 'helper', systemPrompt, model, tools, limits, inputSchema: script });
const top = defineAgent({
  ...{ name: 'top', systemPrompt, model, limits },
  tools: [hold, publish, plan, ...(lacksMiddle ? [] : [createSubAgentTool(middle, script)]), older, newer],
  persistentAgents: [{ agent: scout }],
  effects: [remind],
});

export class Top extends AgentObject.of(top) {}
export class Middle extends AgentObject.of(middle) {}
export class Apart extends AgentObject.of(apart) {}
export class Leaf extends AgentObject.of(leaf) {}
export class Scout extends AgentObject.of(scout) {}
export class Helper extends AgentObject.of(helper) {}
export { OffshootDirectory };

export default createWorker({ agents: [Top, Helper, Apart, Leaf, Scout, ...(lacksMiddle ? [] : [Middle])] });
