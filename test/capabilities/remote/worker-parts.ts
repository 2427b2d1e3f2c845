/** Parents in the tests' Worker whose child is a root of the same Worker, by a service binding and over HTTP. */
import { createRemoteSubAgentTool, defineRemoteAgent, type RemoteAgentTransport } from '../../../src/index';
import { HttpRemoteAgentTransport, ServiceBindingTransport } from '../../../src/remote';
import { AgentObject } from '../../../src/worker';
import { bindings, served } from '../../support/bindings';
import { parentOf } from '../../support/placed';
import { answer, question } from '../../support/trees';

function parentBy(name: string, transport: () => RemoteAgentTransport) {
  const facts = { description: 'Works in a root.', outputSchema: answer, remoteAgentType: 'Far', transport };
  return parentOf(name, {
    tools: [
      createRemoteSubAgentTool('far', { ...facts, inputSchema: question }),
      createRemoteSubAgentTool('later', { ...facts, inputSchema: question, background: true }),
    ],
    persistentAgents: [{ agent: defineRemoteAgent(facts) }],
  });
}

const byBinding = parentBy('by-binding', () => new ServiceBindingTransport({ binding: bindings.RPC }));
const byHttp = parentBy(
  'by-http',
  () =>
    new HttpRemoteAgentTransport({
      url: 'http://localhost',
      allowLoopback: true,
      fetch: (input, init) => served.default.fetch(new Request(input, init)),
    }),
);

export class ByBinding extends AgentObject.of(byBinding) {}
export class ByHttp extends AgentObject.of(byHttp) {}
