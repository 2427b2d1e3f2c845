/** What a message to a remote agent waits behind, as its sender is answered here. */
import { expect, it } from 'vitest';
import { createRemoteSubAgentTool } from '../../../src/capabilities/remote/define';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeParts } from '../../support/harness';
import { agentOf, noteTool, question } from '../../support/trees';
import { elsewhere } from './support/elsewhere';

/** A root, a remote agent, and one that is remote from there; both ask a person. */
function parts(tree: Tree): TreeParts {
  const remote = (name: string) =>
    createRemoteSubAgentTool(name, {
      description: 'Works elsewhere.',
      inputSchema: question,
      remoteAgentType: name,
      transport: (env: { readonly transport: RemoteAgentTransport }) => env.transport,
    });
  const gate = noteTool(tree, { name: 'gate', requireApproval: true });
  const ask = (name: string) => ({ name: `subagent__${name}`, input: { q: 'x' } });
  return {
    agents: [
      agentOf('top', { tools: [remote('middle')] }),
      agentOf('middle', { inputSchema: question, tools: [remote('far'), gate] }),
      agentOf('far', { inputSchema: question, tools: [gate] }),
    ],
    scripts: {
      top: [{ calls: [ask('middle')] }, { text: 'Done.' }],
      middle: [{ calls: [ask('far'), { name: 'gate', input: { text: 'b' } }] }, { text: 'Done.' }],
      far: [{ calls: [{ name: 'gate', input: { text: 'c' } }] }, { text: 'Done.' }],
    },
    env: { transport: elsewhere(tree) },
  };
}

it('[AN9, RM13] a message lists each call that waits at or below its agent once, under its address here', async () => {
  const tree = new Tree(parts);
  await tree.start();
  const middle = `${tree.address}/sub/middle/1~1`;
  const far = `${middle}/sub/far/1~1`;
  await tree.time.until(() => tree.pending.length === 2);
  await tree.time.until(() => tree.nodes.every(({ status }) => status !== 'running'));
  const root = tree.world.object(tree.address);
  for (const [address, waiting] of [
    [tree.address, [far, middle]],
    [middle, [far, middle]],
  ] as const) {
    const { behind = [] } = await tree.soon(command(root, address, 'send', { content: 'Go on.' }, { caller: 'ann' }));
    expect(behind.map((one) => one.address).sort(), address).toEqual([...waiting].sort());
    const known = (await tree.soon(command(root, address, 'pending', {}))).items;
    expect(behind.map(({ toolCallId }) => toolCallId).sort()).toEqual(known.map(({ toolCallId }) => toolCallId).sort());
  }
  tree.close();
});
