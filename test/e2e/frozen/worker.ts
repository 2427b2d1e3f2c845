/** An agent with a tool whose body never gives the process back. */
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';

const freeze = defineTool({
  name: 'freeze',
  description: 'Blocks the event loop for ever.',
  inputSchema: z.object({}),
  replay: 'safe',
  execute: (_, { idempotencyKey }) => {
    // No turn of the event loop lies between this line and the end of the process: nothing else is written any more.
    console.error(`a body begins: ${idempotencyKey};`);
    for (;;);
  },
});

const model = scriptedModel(
  ({ step }) => (step === 1 ? { calls: [{ name: 'freeze', input: {} }] } : { text: 'It goes on.' }),
  { record: false },
);
const keeper = defineAgent({ name: 'keeper', systemPrompt: 'Hold on.', model, tools: [freeze] });

export class Keeper extends AgentObject.of(keeper) {}
export { OffshootDirectory };

export default createWorker({ agents: [Keeper] });
