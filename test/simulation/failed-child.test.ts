/** A tree with sub-agents that failed and are waited for, from the failure to its end. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { failsFirst } from '../support/control';
import { withTree } from '../support/harness';
import { AGAIN } from '../support/people';
import { agentOf, question } from '../support/trees';

describe('a tree', () => {
  it('[DG23, DG24] goes on with its parents when somebody decides, and what was spent counts once', async () => {
    await withTree(failsFirst, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const kid = '/agents/top/one/sub/kid/1~1';
      const [one, two] = [`${kid}/sub/leaf/1~1`, `${kid}/sub/leaf/2~1`];
      const at = () => tree.nodes.map(({ status }) => status);
      expect(at()).toEqual(['suspended_awaiting_children', 'suspended_awaiting_children', 'failed', 'failed']);
      expect(tree.pending).toEqual([]);
      expect(tree.world.object(tree.address).tree?.tree.slotsTaken()).toBe(0);
      const said = await Promise.all([tree.decide(one, 'retry', AGAIN), tree.decide(two, 'give_up')]);
      expect(said.map(({ answer }) => answer)).toEqual(['done', 'done']);
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      expect(tree.nodes.find(({ address }) => address === one)).toMatchObject({ status: 'completed', runNumber: 2 });
      const { step } = tree.state(kid);
      expect(step?.id).toBe(2);
      const [called] = tree.store(kid).steps({});
      const usages =
        called?.phase === 'calls'
          ? called.calls.flatMap(({ plan, settled }) => (plan.kind === 'task' ? [settled?.usage?.modelCalls] : []))
          : [];
      expect(usages).toEqual([tree.state(one).spent.modelCalls, tree.state(two).spent.modelCalls]);
    });
  });

  it('[DG22] takes `onFailure` of the two kinds alone', () => {
    const leaf = agentOf('leaf');
    const make = (onFailure: 'wait') => createSubAgentTool(leaf, question, { onFailure });
    expect(() => make('wait')).not.toThrow();
    expect(() => make('later' as 'wait')).toThrow('`onFailure` must be one of result, wait.');
  });
});
