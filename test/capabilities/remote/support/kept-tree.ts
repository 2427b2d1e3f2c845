/** The tree with a remote agent whose stores are kept for each format. What a kept store needs of it stays. */
import { expect } from 'vitest';
import { createRemoteSubAgentTool } from '../../../../src/capabilities/remote/define';
import type { RemoteAgentTransport } from '../../../../src/core/definition/remote-transport';
import { ask, code } from '../../../support/asks';
import type { KeptTree } from '../../../support/kept-formats';
import { agentOf, answer, noteTool, question, toolResults } from '../../../support/trees';
import { elsewhere } from './elsewhere';

/** A root whose sub-agent is another root, which waits for a person. */
export const apart: KeptTree = {
  name: 'elsewhere',
  parts(tree) {
    const tool = createRemoteSubAgentTool('far', {
      description: 'Works elsewhere.',
      inputSchema: question,
      outputSchema: answer,
      remoteAgentType: 'Far',
      transport: (env: { readonly transport: RemoteAgentTransport }) => env.transport,
    });
    const careful = noteTool(tree, { name: 'careful', requireApproval: true });
    const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [careful] });
    return {
      agents: [agentOf('top', { tools: [tool] }), far],
      scripts: {
        top: [{ calls: [{ name: 'subagent__far', input: { q: 'a' } }] }, { text: 'Done.' }],
        far: [{ calls: [{ name: 'careful', input: { text: 'c' } }] }, { finish: { answer: 'far' } }],
      },
      env: { transport: elsewhere(tree) },
    };
  },
  async fill(tree) {
    await tree.start();
    await tree.time.pass(20_000);
    expect(tree.pending.map(({ item }) => item.toolName)).toEqual(['careful']);
  },
  async finish(tree) {
    await tree.time.pass(20_000);
    for (const { toolCallId } of tree.pending) {
      const yesToIt = { kind: 'approval-response', toolCallId, approved: true };
      expect(code(await ask(tree, 'submit', yesToIt, toolCallId))).toBe('ok');
    }
    await tree.time.until(() => tree.ended);
    await tree.time.pass(20_000);
    expect(tree.nodes.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(toolResults(tree)).toEqual([{ success: true, value: { answer: 'far' } }]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
  },
};
