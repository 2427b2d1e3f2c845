/** Resuming while the root has not heard yet that the agent was interrupted. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineTool } from '../../../src/core/definition/define-tool';
import { segmentOf } from '../../../src/engine/tree-messages';
import { parseAddress } from '../../../src/protocol/address';
import { answerVerb } from '../../../src/verbs/table';
import { type Tree, type TreeOptions, withTree } from '../../support/harness';
import { agentOf, question } from '../../support/trees';

const pick = defineTool({
  name: 'pick',
  description: 'A person picks one.',
  inputSchema: z.object({}),
  execute: 'client',
});

function parts() {
  const worker = agentOf('worker', { tools: [pick] });
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question)] });
  return {
    agents: [top, worker] as const,
    scripts: {
      top: [{ calls: [{ name: 'subagent__worker', input: { q: 'a' } }] }, { text: 'done' }],
      worker: [{ calls: [{ name: 'pick', input: {} }] }, { text: 'w' }],
    },
  };
}

function ask(tree: Tree, verb: string, at: string) {
  const path = parseAddress(at).below.map(segmentOf);
  for (const address of tree.world.addresses()) Object.assign(tree.world.object(address).ports, { verb: answerVerb });
  return answerVerb(tree.world.object(tree.address), { kind: 'verb', path, verb, input: {}, caller: 'a' });
}

describe('resuming a sub-agent', () => {
  it('[A33] waits until the root has heard that it was interrupted', async () => {
    const held: (() => void)[] = [];
    let holding = false;
    const network: NonNullable<TreeOptions['network']> = async (_address, call, perform) => {
      if (holding && call.kind === 'root') await new Promise<void>((resolve) => held.push(resolve));
      return perform();
    };
    await withTree(parts, { network }, async (tree) => {
      await tree.start();
      const worker = `${tree.address}/sub/worker/1~1`;
      const status = (address: string) => tree.nodes.find((node) => node.address === address)?.status;
      await tree.time.until(() => status(tree.address) === 'suspended_awaiting_children');
      holding = true;
      // As a parent stops it: who asks over the API is answered after the root has heard.
      tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'interrupt', reason: 'Enough.' }), worker);
      let said: object | undefined;
      const resuming = ask(tree, 'resume', worker).then((answer) => {
        said = answer;
      });
      await tree.time.settle();
      expect([said, status(worker)]).toEqual([undefined, 'suspended_client_tool']);
      holding = false;
      for (const release of held) release();
      await resuming;
      expect(said).toMatchObject({ ok: true, body: { address: worker } });
      await tree.time.until(() => tree.store(worker).runs({}).length === 2);
    });
  });
});
