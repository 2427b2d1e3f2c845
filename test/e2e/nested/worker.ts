/** Three levels of agents with methods of their own, each of which tells which life in memory answers. */
import { type Connection, callable, type WSMessage } from 'agents';
import { z } from 'zod';
import { createSubAgentTool, defineAgent, defineTool } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const script = z.object({ steps: z.array(z.unknown()) });
const systemPrompt = 'Do what you are told.';
const model = scriptedModel((request) => stepOf(request), { record: false });
const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({ of: z.array(z.string()) }),
  outputSchema: z.object({ picked: z.string() }),
  execute: 'client',
});

// Exported beside the class of the same name, as an app does that shares its definitions.
export const twig = defineAgent({ name: 'twig', systemPrompt, model, tools: [pick] });
export const branch = defineAgent({
  name: 'branch',
  systemPrompt,
  model,
  tools: [pick, createSubAgentTool(twig, script)],
});
export const trunk = defineAgent({
  name: 'trunk',
  systemPrompt,
  model,
  tools: [pick, createSubAgentTool(branch, script)],
});

export class Twig extends AgentObject.of(twig) {
  readonly life = crypto.randomUUID();
  @callable()
  lived(): string {
    return this.life;
  }
  override onMessage(connection: Connection, message: WSMessage): void {
    connection.send(`twig heard ${String(message)}`);
  }
}
export class Branch extends AgentObject.of(branch) {
  readonly life = crypto.randomUUID();
  @callable()
  lived(): string {
    return this.life;
  }
}
export class Trunk extends AgentObject.of(trunk) {
  readonly life = crypto.randomUUID();
  @callable()
  lived(): string {
    return this.life;
  }
}
export { OffshootDirectory };

export default createWorker({ agents: [Trunk, Branch, Twig] });
