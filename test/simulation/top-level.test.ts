/** Which objects are top-level, and which are roots. */
import { describe, expect, it } from 'vitest';
import { withTree } from '../support/harness';
import { threeLevels } from '../support/trees';

describe('an object', () => {
  it('[RT2] is top-level where the alarm and the log are, and a root where it has no parent', async () => {
    await withTree(threeLevels, {}, async (tree) => {
      await tree.run();
      const stands = (address: string) => {
        const { isTopLevel, isRoot, tree: record } = tree.world.object(address);
        return { isTopLevel, isRoot, record: record !== undefined };
      };
      const [root, ...below] = [...tree.addresses].sort();
      expect(stands(root ?? '')).toEqual({ isTopLevel: true, isRoot: true, record: true });
      expect(below.length).toBeGreaterThan(1);
      for (const address of below) expect(stands(address)).toEqual({ isTopLevel: false, isRoot: false, record: false });
      // Nobody is there yet: who begins there has no parent.
      expect(stands('/agents/top/nobody')).toEqual({ isTopLevel: true, isRoot: true, record: false });
    });
  });

  it('[RT2] that stands alone and has a parent is top-level, and no root', async () => {
    await withTree(threeLevels, {}, async (tree) => {
      await tree.start();
      const alone = tree.world.object('/agents/leaf/alone');
      const parent = { sessionId: 's_p', address: tree.address, callId: 'c_1', generation: 1 };
      const session = {
        sessionId: 's_c',
        agentType: 'leaf',
        address: '/agents/leaf/alone',
        root: { className: 'Top', name: 'one' },
        depth: 2,
        parent,
        tags: [],
      };
      const message = {
        type: 'assign',
        begun: false,
        task: { childId: 1, task: 1 },
        runId: 'r_c',
        input: {},
        session,
      } as const;
      expect(await alone.call({ kind: 'agent', path: [], message })).toEqual({ answer: 'done' });
      expect({ top: alone.isTopLevel, root: alone.isRoot }).toEqual({ top: true, root: false });
    });
  });
});
