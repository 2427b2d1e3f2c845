/** The list of an agent's sub-agents: what the root knows, and the entries of the agent's own registry. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf } from '../support/prompts';
import { agentOf, question } from '../support/trees';

const create = (message: string) => ({
  name: 'subagent_create',
  input: { agent: 'worker', message, name: `the ${message}` },
});
const done = { text: 'Done.' };

/** A lead with three workers, two of them of one step; alone, or below a top that has another child, too. */
const make = (below: boolean) => (): TreeParts => {
  const worker = dualOf('worker', {}, { title: 'Worker' });
  const lead = leadOf([lasting('worker', { initAgentNameProperty: 'name' })], [worker]);
  const leaf = agentOf('leaf');
  const tools = [createSubAgentTool(lead, question), createSubAgentTool(leaf, question)];
  const scripts = {
    lead: [{ calls: [create('one'), create('two')] }, { calls: [create('three')] }, done],
    worker: () => done,
    leaf: () => done,
    top: [
      {
        calls: [
          { name: 'subagent__lead', input: { q: 'x' } },
          { name: 'subagent__leaf', input: { q: 'x' } },
        ],
      },
      done,
    ],
  };
  return { agents: below ? [agentOf('top', { tools }), lead, worker, leaf] : [lead, worker], scripts };
};

const listOf = (tree: Tree, address: string, input: { limit?: number; cursor?: string } = {}) =>
  tree.soon(command(tree.world.object(tree.address), address, 'children', input, { caller: 'ada' }));

describe('the sub-agents of an agent', () => {
  it.for([false, true])(
    '[SA47, SA49] are listed in pages with their entries and how many there are (below another agent: %s)',
    async (below) => {
      await withTree(make(below), {}, async (tree) => {
        await tree.run();
        const address = below ? '/agents/top/one/sub/lead/1~1' : tree.address;
        const first = await listOf(tree, address, { limit: 2 });
        const second = await listOf(tree, address, { limit: 2, cursor: first.cursor ?? '' });
        expect([first.total, second.total, second.cursor]).toEqual([3, 3, undefined]);
        const all = [...first.items, ...second.items];
        expect(all.map(({ entry }) => entry?.threadName)).toEqual(['the one', 'the two', 'the three']);
        for (const { name, mode, createdAt, entry } of all) {
          expect(mode).toBe('persistent');
          expect(entry).toEqual({
            reference: name,
            name: 'worker',
            title: 'Worker',
            description: 'Does what worker does.',
            resumable: true,
            blocking: true,
            threadName: entry?.threadName,
            spawnGroupId: entry?.spawnGroupId,
            createdAt: entry?.createdAt,
            status: 'idle',
            lifecycle: 'idle',
          });
          // One counts in microseconds, and both tell of about the same moment.
          expect(Math.abs((entry?.createdAt ?? 0) / 1_000 - createdAt)).toBeLessThan(1_000);
        }
        const [one, two, three] = all.map(({ entry }) => entry?.spawnGroupId);
        expect([one === two, one === three, typeof one]).toEqual([true, false, 'string']);
      });
    },
  );

  it('[SA47] have no entry where no prompt names them', async () => {
    await withTree(make(true), {}, async (tree) => {
      await tree.run();
      const { items, total } = await listOf(tree, tree.address);
      expect(total).toBe(2);
      expect(items.map((item) => [item.agentType, 'entry' in item])).toEqual([
        ['lead', false],
        ['leaf', false],
      ]);
      expect(await listOf(tree, '/agents/top/one/sub/leaf/1~1')).toEqual({ items: [], total: 0 });
    });
  });

  it('[SA47] are told from the record alone where the agent is gone', async () => {
    await withTree(make(true), {}, async (tree) => {
      await tree.run();
      tree.world.remove('/agents/top/one/sub/lead/1~1');
      const { items, total } = await listOf(tree, '/agents/top/one/sub/lead/1~1');
      expect([items.length, total]).toEqual([3, 3]);
      expect(items.every((item) => !('entry' in item))).toBe(true);
    });
  });
});
