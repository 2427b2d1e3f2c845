/** The digest of what lists over all roots have of a tree. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, rootNode } from '../support/nodes';

const failed = (runId: string, endedAt: number) => ({
  progress: { runId, startedAt: 1, endedAt, step: 1, recoveries: 0, error: { code: 'x', message: 'No.' } },
});
const someNode = fc.record({ id: fc.integer({ min: 2, max: 12 }), runId: fc.constantFrom('a', 'b'), at: fc.nat(3) });

it('[A28, A85] depends on how the agents stand alone: not on the way there, nor on how often it was told', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(someNode, fc.integer({ min: 2, max: 12 })), { maxLength: 60 }), (changes) => {
      const index = new TreeIndex([rootNode()]);
      for (const change of changes) {
        if (typeof change === 'number') index.remove(change);
        else {
          const { id, runId, at } = change;
          index.set(childNode(id, { status: 'failed', ...(at === 0 ? {} : failed(runId, at)) }));
        }
      }
      const anew = new TreeIndex([...index.all()].reverse());
      expect(anew.listed.digest).toBe(index.listed.digest);
      expect(anew.listed.all().length).toBe(index.listed.all().length);
      expect(
        index
          .children(1)
          .map(({ id }) => id)
          .sort(),
      ).toEqual([...index.allChildren()].map(({ id }) => id).sort());
      expect(anew.childCounts()).toEqual(index.childCounts());
      index.set(childNode(20, failed('z', 9)));
      expect(index.listed.digest).not.toBe(anew.listed.digest);
    }),
  );
});
