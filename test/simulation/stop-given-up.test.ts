/** Stops on their way to agents that hear nothing from their root for long: nobody below them works on unnoticed. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { isAbandoned, type TreeNode } from '../../src/core/tree/node';
import { child, slowTool } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, question } from '../support/trees';

type Network = NonNullable<TreeOptions['network']>;

const hang = (count: number) => Array.from({ length: count }, () => child('kid', 'Hang.'));

/** Two parents of three each. One of each works, in a model call that never ends; the others wait. */
function twoWards(): TreeParts {
  const kid = agentOf('kid');
  const below = [createSubAgentTool(kid, question, { placement: 'object' })];
  const ward = agentOf('ward', { tools: below, outputSchema: answer });
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

/** A parent of two that hang. */
function twoKids(): TreeParts {
  const kid = agentOf('kid');
  return {
    agents: [agentOf('top', { tools: [createSubAgentTool(kid, question)] }), kid],
    scripts: { top: [{ calls: hang(2) }], kid: () => ({ hang: true }) },
  };
}

/** The answer of the root to who withdraws sub-agents takes so long, in ms. */
function slowQueue(ms: number) {
  const slow: { tree?: Tree } = {};
  const network: Network = async (_address, call, perform) => {
    const { tree } = slow;
    if (tree && call.kind === 'root' && call.request.withdraw.length > 0)
      await new Promise<void>((resolve) => void tree.time.environment.timer(ms, () => resolve()));
    return perform();
  };
  return { slow, network };
}

const statuses = (tree: Tree, type: string): string[] =>
  tree.nodes.filter(({ agentType }) => agentType === type).map(({ status }) => status);
const givenUp = (tree: Tree): TreeNode[] => tree.nodes.filter((node) => isAbandoned(node) && node.lastChunk > 0);

const isWard = (address: string): boolean => /\/ward\/[^/]+$/.test(address);
const loseWards = ({ world }: Tree): void => {
  for (const address of world.addresses().filter(isWard)) world.evict(address);
};

describe('a stop reaches those that work within 500 ms, and gives nobody up, although', () => {
  it.each<[string, number, (tree: Tree) => void]>([
    // That is longer than anybody may be silent.
    ['the root says after 20 s who never began', 20_000, () => undefined],
    // What has just come into memory answers its parent when the root has heard of it.
    ['it says so after 10 s, and their parents were lost from memory', 10_000, loseWards],
  ])('[SP9, SP14, SP16] %s', async (_name, ms, before) => {
    const { slow, network } = slowQueue(ms);
    await withTree(twoWards, { network }, async (tree) => {
      await tree.start();
      await tree.time.pass(3_000);
      before(tree);
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

  it('[SP9, SP16] the start of another has no answer', async () => {
    const starts: string[] = [];
    const slow: { tree?: Tree } = {};
    const network: Network = async (address, call, perform) => {
      if (call.kind !== 'agent' || call.path.length > 0 || call.message.type !== 'assign') return perform();
      // The first never arrives. The answer of the second comes after the stop.
      if (starts.push(address) === 1) return new Promise(() => undefined);
      const answered = await perform();
      await new Promise<void>((resolve) => void slow.tree?.time.environment.timer(1_000, () => resolve()));
      return answered;
    };
    await withTree(twoKids, { network }, async (tree) => {
      slow.tree = tree;
      await tree.start();
      await tree.time.pass(900);
      expect([starts.length, tree.port.working]).toEqual([2, 1]);
      expect(tree.stop('interrupt')).toBe(true);
      await tree.time.pass(500);
      expect([tree.port.working, tree.ended]).toEqual([0, false]);
      await tree.finish();
      expect(statuses(tree, 'kid').sort()).toEqual(['interrupted', 'queued']);
    });
  });
});

/** A parent of so many that hang, two of them at once, with a tool beside them that takes 10 s. */
function slowWard(tree: Tree, count = 2): TreeParts {
  const kid = agentOf('kid');
  const tools = [createSubAgentTool(kid, question), slowTool(tree, 10_000)];
  const ward = agentOf('ward', { tools, outputSchema: answer });
  const limits = { maxConcurrentChildren: 2 };
  return {
    agents: [agentOf('top', { tools: [createSubAgentTool(ward, question)], limits }), ward, kid],
    scripts: {
      top: [{ calls: [child('ward')] }],
      ward: () => ({ calls: [...hang(count), { name: 'slow' }] }),
      kid: () => ({ hang: true }),
    },
  };
}

/** No stop reaches an agent of that type. `others`: what else becomes of a message. */
const deafTo =
  (name: string, others: Network = (_address, _call, perform) => perform()): Network =>
  async (address, call, perform) => {
    const isStop = call.kind === 'agent' && call.path.length === 0 && call.message.type === 'stop';
    if (isStop && address.split('/').at(-2) === name) throw new Error('unreachable');
    return others(address, call, perform);
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

it('[SP17, SP13] that does not reach an agent leaves nobody at work who was just starting below it, and makes nobody who waits for a slot', () => {
  const sent = new Set<string>();
  const slow: { tree?: Tree } = {};
  const network = deafTo('ward', async (address, call, perform) => {
    const said = call.kind === 'agent' && call.path.length === 0 ? call.message.type : '';
    const slot = address.split('/').at(-1);
    if (!address.includes('/sub/kid/') || (said !== 'assign' && said !== 'stop')) return perform();
    sent.add(`${said} ${slot}`);
    // The start of the second arrives 2 s after its parent has heard that it was given up.
    if (said === 'assign' && slot === '2~1')
      await new Promise<void>((resolve) => void slow.tree?.time.environment.timer(12_000, () => resolve()));
    return perform();
  });
  return withTree(
    (tree) => slowWard(tree, 3),
    { network },
    async (tree) => {
      slow.tree = tree;
      await tree.start();
      await tree.time.pass(3_000);
      expect([tree.port.working, [...sent]]).toEqual([1, ['assign 1~1', 'assign 2~1']]);
      tree.stop('interrupt');
      await tree.time.pass(8_000);
      expect([tree.port.working, statuses(tree, 'ward')]).toEqual([0, ['failed']]);
      await tree.time.pass(4_000);
      expect([tree.port.working, [...sent]]).toEqual([0, ['assign 1~1', 'assign 2~1', 'stop 1~1', 'stop 2~1']]);
      expect(tree.world.addresses().some((address) => address.endsWith('/3~1'))).toBe(false);
    },
  );
});
