/** The order of a tree of agents: each has one place, below its parent where that is known. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orderOf } from '../../../src/react/tree-order';

const ids = ['a', 'b', 'c', 'd', 'e'];

it('[CN13] each agent has one place: below its parent, or at the top where that is itself or unknown', () => {
  const agent = (agentId: string) =>
    fc.record({ agentId: fc.constant(agentId), parentId: fc.constantFrom(undefined, 'gone', ...ids) });
  const agents = fc
    .tuple(fc.subarray(ids), fc.tuple(...ids.map(agent)))
    .map(([present, all]) =>
      all
        .filter(({ agentId }) => present.includes(agentId))
        .map(({ agentId, parentId }) => ({ agentId, ...(parentId === undefined ? {} : { parentId }) })),
    );
  fc.assert(
    fc.property(agents, (all) => {
      const { tops, below } = orderOf(all);
      const known = (id: string | undefined) => all.some(({ agentId }) => agentId === id);
      const isTop = ({ agentId, parentId }: (typeof all)[number]) => parentId === agentId || !known(parentId);
      expect(tops).toEqual(all.filter(isTop).map(({ agentId }) => agentId));
      for (const parent of ['gone', ...ids]) {
        const own = all.filter((one) => one.parentId === parent && !isTop(one)).map(({ agentId }) => agentId);
        expect(below.get(parent) ?? []).toEqual(own);
      }
    }),
    { numRuns: 200 },
  );
});
