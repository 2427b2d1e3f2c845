/** A Worker of another team: an agent that works for whoever asks it. */
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory, OffshootRpc } from '../../../src/worker';
import { stepOf } from '../../support/told';

/** Takes a moment, so that there is one to be killed in. */
const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: async ({ text }, context) => {
    await scheduler.wait(5);
    context.emit(`found ${text}`);
    return { found: text };
  },
});
const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  outputSchema: z.object({ picked: z.string() }),
  execute: 'client',
});

const helper = defineAgent({
  name: 'helper',
  systemPrompt: 'Do what you are told.',
  model: scriptedModel((request) => stepOf(request), { record: false }),
  tools: [look, pick],
  inputSchema: z.object({ steps: z.array(z.unknown()) }),
  limits: { maxToolReplays: 100, maxSteps: 100 },
});

export class Helper extends AgentObject.of(helper) {}
export { OffshootDirectory, OffshootRpc };

export default createWorker({ agents: [Helper] });
