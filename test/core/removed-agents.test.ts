/** What stays counted of agents that leave the record of their root. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spentBelow, totalSpent } from '../../src/core/tree/budget';
import { aboveThose, createdIn, withoutAgents } from '../../src/core/tree/removed-agents';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { NO_USAGE } from '../../src/protocol/usage';
import { childNode, rootNode } from '../support/nodes';

/** A child of one of those before it. */
const child = fc.record({
  parent: fc.nat(),
  agentType: fc.constantFrom('leaf', 'scout', '__proto__'),
  modelCalls: fc.integer({ min: 0, max: 9 }),
  createdInTurn: fc.integer({ min: 1, max: 2 }),
});
/** Of those that leave at once, with all below them; several times, one after the other. */
const leaving = fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });

it('[US6, BU10, TR5] who leaves the record stays counted at each agent that was above it, and at the whole tree', () => {
  fc.assert(
    fc.property(fc.array(child, { minLength: 1, maxLength: 10 }), leaving, (children, departures) => {
      const nodes = children.map(({ parent, modelCalls, ...facts }, at) =>
        childNode(at + 2, { ...facts, parentId: (parent % (at + 1)) + 1, usage: { ...NO_USAGE, modelCalls } }),
      );
      const tree = new TreeIndex([rootNode(), ...nodes]);
      const sums = () =>
        [...tree.all()].map((node) => [node.id, spentBelow(tree, node), totalSpent(tree).modelCalls] as const);
      const before = new Map(sums().map(([id, ...spent]) => [id, spent]));
      const created = createdIn(tree);
      for (const departure of departures) {
        const ids = departure.map((which) => (which % nodes.length) + 2).filter((id) => tree.get(id));
        const all = new Set(ids.flatMap((id) => tree.subtree(id).map((node) => node.id)));
        const gone = [...tree.allChildren()].filter(({ id }) => all.has(id));
        const root = tree.root();
        if (root === undefined) throw new TypeError('There is no root.');
        tree.set(withoutAgents(tree, root, gone));
        for (const node of aboveThose(tree, gone)) tree.set(node);
        for (const { id } of gone) tree.remove(id);
        for (const [id, ...spent] of sums()) expect(spent).toEqual(before.get(id));
        expect(createdIn(tree)).toBe(created);
        expect(tree.nextId).toBe(nodes.length + 2);
      }
    }),
  );
});
