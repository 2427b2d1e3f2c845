/** The contract of placements for a remote child. */
import { expect, it } from 'vitest';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../../src/capabilities/remote/define';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { type Place, SCENARIOS } from '../../contract/delegation';
import { inWorker, played, TASK_MS } from '../../support/played';
import { answer, question } from '../../support/trees';
import { elsewhere } from './support/elsewhere';

const remote: Place = (tree) => {
  const facts = {
    description: 'Works in another Worker.',
    outputSchema: answer,
    remoteAgentType: 'Far',
    transport: (env: { readonly transport: RemoteAgentTransport }) => env.transport,
  };
  const task = { ...facts, inputSchema: question, timeoutMs: TASK_MS };
  return {
    tools: [createRemoteSubAgentTool('far', task), createRemoteSubAgentTool('later', { ...task, background: true })],
    companion: { agent: defineRemoteAgent(facts), timeoutMs: TASK_MS },
    env: { transport: elsewhere(tree) },
  };
};

it.each(Object.entries(SCENARIOS))(
  '[RM1, RM16] F82, F86, F116: a remote child is seen as a local one: %s',
  async (_name, scenario) => {
    const facet = await played(inWorker('facet'), scenario);
    expect(facet.problems).toEqual([]);
    expect(await played(remote, scenario)).toEqual(facet);
  },
);
