/** Stops on their way to agents that hear nothing from their root for long: nobody below them works on unnoticed. */
import { expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { isAbandoned, type TreeNode } from '../../src/core/tree/node';
import { child, slowTool } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, question } from '../support/trees';

type Network = NonNullable<TreeOptions['network']>;

const hang = (count: number) => Array.from({ length: count }, () => child('kid', 'Hang.'));

/** Two parents of three each. One of each works, in a model call that never ends; the others wait. */
function twoWards(): TreeParts {
  const kid = agentOf('kid');
  const ward = agentOf('ward', { tools: [createSubAgentTool(kid, question)], outputSchema: answer });
  const tools = [createSubAgentTool(ward, question)];
  return {
    agents: [agentOf('top', { tools, limits: { maxConcurrentChildren: 2 } }), ward, kid],
    scripts: {
      top: [{ calls: [child('ward'), child('ward')] }],
      ward: () => ({ calls: hang(3) }),
      kid: () => ({ hang: true }),
    },
  };
}

/** The answer of the root to who withdraws sub-agents takes 20 s: longer than anybody may be silent. */
function slowQueue() {
  const slow: { tree?: Tree } = {};
  const network: Network = async (_address, call, perform) => {
    const { tree } = slow;
    if (tree && call.kind === 'root' && call.request.withdraw.length > 0)
      await new Promise<void>((resolve) => void tree.time.environment.timer(20_000, () => resolve()));
    return perform();
  };
  return { slow, network };
}

const statuses = (tree: Tree, type: string): string[] =>
  tree.nodes.filter(({ agentType }) => agentType === type).map(({ status }) => status);
const givenUp = (tree: Tree): TreeNode[] => tree.nodes.filter((node) => isAbandoned(node) && node.lastChunk > 0);

it('[SP9, SP14, SP16] reaches those that work within 500 ms, although the root is slow to say who never began, and gives nobody up', async () => {
  const { slow, network } = slowQueue();
  await withTree(twoWards, { network }, async (tree) => {
    await tree.start();
    await tree.time.pass(3_000);
    expect(tree.port.working).toBe(2);
    slow.tree = tree;
    expect(tree.stop('interrupt')).toBe(true);
    await tree.time.pass(600);
    expect([tree.port.working, tree.ended]).toEqual([0, false]);
    await tree.time.until(() => tree.ended);
    await tree.time.pass(60_000);
    expect([statuses(tree, 'ward'), givenUp(tree)]).toEqual([['interrupted', 'interrupted'], []]);
    expect(statuses(tree, 'kid').sort()).toEqual(['interrupted', 'interrupted', ...Array(4).fill('queued')]);
  });
});

/** A parent of two that hang, with a tool beside them that takes 10 s. */
function slowWard(tree: Tree): TreeParts {
  const kid = agentOf('kid');
  const tools = [createSubAgentTool(kid, question), slowTool(tree, 10_000)];
  const ward = agentOf('ward', { tools, outputSchema: answer });
  return {
    agents: [agentOf('top', { tools: [createSubAgentTool(ward, question)] }), ward, kid],
    scripts: {
      top: [{ calls: [child('ward')] }],
      ward: () => ({ calls: [...hang(2), { name: 'slow' }] }),
      kid: () => ({ hang: true }),
    },
  };
}

/** No stop reaches an agent of that type. */
const deafTo =
  (name: string): Network =>
  async (address, call, perform) => {
    const isStop = call.kind === 'agent' && call.path.length === 0 && call.message.type === 'stop';
    if (isStop && address.split('/').at(-2) === name) throw new Error('unreachable');
    return perform();
  };

it('[SP17, SP9] that does not reach an agent ends those below it once that hears that it was given up', () =>
  withTree(slowWard, { network: deafTo('ward') }, async (tree) => {
    await tree.start();
    await tree.time.pass(3_000);
    expect(tree.port.working).toBe(2);
    expect(tree.stop('interrupt')).toBe(true);
    await tree.time.pass(5_000);
    expect([tree.outcome.status, statuses(tree, 'ward'), tree.port.working]).toEqual(['interrupted', ['failed'], 2]);
    // Its tool ends, and the root answers that nobody waits for it.
    await tree.time.pass(5_000);
    expect(tree.port.working).toBe(0);
    const kids = tree.addresses.filter((address) => address.includes('/sub/kid/'));
    expect(kids.map((address) => tree.state(address).run)).toEqual(
      kids.map(() => expect.objectContaining({ phase: 'ended' })),
    );
    await tree.time.drain();
    expect(statuses(tree, 'kid')).toEqual(['failed', 'failed']);
  }));
