/** A Worker whose agent has sub-agents in another one. */
import { z } from 'zod';
import { createRemoteSubAgentTool, defineAgent } from '../../../src/index';
import { scriptedModel } from '../../../src/model/scripted';
import { HttpRemoteAgentTransport } from '../../../src/remote';
import { AgentObject, createWorker, OffshootDirectory } from '../../../src/worker';
import { stepOf } from '../../support/told';

const helper = createRemoteSubAgentTool('helper', {
  description: 'Helps, in the Worker of another team.',
  inputSchema: z.object({ steps: z.array(z.unknown()) }),
  transport: (env: object) =>
    new HttpRemoteAgentTransport({ url: String(Reflect.get(env, 'ELSEWHERE_URL')), allowLoopback: true }),
  remoteAgentType: 'helper',
});

const boss = defineAgent({
  name: 'boss',
  systemPrompt: 'Do what you are told.',
  model: scriptedModel((request) => stepOf(request), { record: false }),
  tools: [helper],
});

export class Boss extends AgentObject.of(boss) {}
export { OffshootDirectory };

export default createWorker({ agents: [Boss] });
