/** The places of any tree's rows, against a plain reading of who is below whom. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Row } from '../../../src/console/data/tree/outline';
import { MOST_ALIKE, placed } from '../../../src/console/data/tree/placed';
import { NO_USAGE } from '../../../src/protocol/usage';
import { always } from '../../support/sizes';

/** A tree of so many agents is shown unfolded. */
const SMALL = 100;
const idOf = (index: number) => `id${index}`;

const anyAgent = fc.record({
  parent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat() }),
  agentType: fc.constantFrom('a', 'a', 'a', 'b'),
  status: fc.constantFrom(...Array<string>(9).fill('completed'), 'running', 'failed', 'idle', 'suspended_client_tool'),
  waiting: fc.nat(30).map((n) => Number(n === 0)),
  byHand: fc.constantFrom(undefined, undefined, undefined, true, false),
});

const anyTree = fc
  .constantFrom(2, 22, 40, SMALL, SMALL + 1, SMALL + 20)
  .chain((size) =>
    fc.tuple(
      fc.array(anyAgent, { minLength: size, maxLength: size }),
      fc.nat(size - 1),
      fc.constantFrom(undefined, true, false),
    ),
  )
  .map(([agents, selected, group]) => {
    const rows = agents.map(({ parent, agentType, status, waiting }, index): Row => {
      const facts = { agentId: idOf(index), address: `/agents/${index}`, agentType, status, waiting };
      const rest = { from: 1, last: 2, step: 1, usage: NO_USAGE, unpriced: false, recoveries: 0, discarded: 0 };
      const words = { activity: '', task: '', tools: [], rounds: 0 };
      return { ...facts, ...rest, ...words, ...(index === 0 ? {} : { parentId: idOf(parent % index) }) };
    });
    const byHand = new Map(
      agents.flatMap(({ byHand }, index) => (byHand === undefined ? [] : [[idOf(index), byHand] as const])),
    );
    if (group !== undefined) byHand.set('id0*a', group);
    return { rows, byHand, selected: `/agents/${selected}` };
  });

const stirs = ({ status, waiting }: Row) =>
  waiting > 0 || ['running', 'failed', 'suspended_client_tool'].includes(status);

/** A plain reading of a tree: each row with its level, its place among its siblings, and what a fold of it hides. */
function read({ rows, byHand, selected }: { rows: Row[]; byHand: ReadonlyMap<string, boolean>; selected: string }) {
  const below = (id: string | undefined) => rows.filter(({ parentId }) => parentId === id);
  const allBelow = (id: string): string[] => below(id).flatMap(({ agentId }) => [agentId, ...allBelow(agentId)]);
  const isWanted = (row: Row) => row.address === selected;
  const hasBelow = (row: Row, fits: (other: Row) => boolean) => {
    const ids = allBelow(row.agentId);
    return rows.some((other) => ids.includes(other.agentId) && fits(other));
  };
  const out: unknown[] = [];
  const agent = (row: Row, level: number, place: number, siblings: number) => {
    const children = below(row.agentId);
    const byItself = rows.length <= SMALL || hasBelow(row, (other) => stirs(other) || isWanted(other));
    const isOpen = byHand.get(row.agentId) ?? byItself;
    const hidden = isOpen ? [] : allBelow(row.agentId).toSorted();
    out.push([row.agentId, level, place, siblings, children.length, isOpen, hidden]);
    if (isOpen) list(row.agentId, children, level + 1);
  };
  const list = (parent: string, children: readonly Row[], level: number) => {
    const isGrouped = ({ agentType }: Row) =>
      children.filter((other) => other.agentType === agentType).length > MOST_ALIKE;
    const entries = children.filter(
      (row) => !isGrouped(row) || children.find(({ agentType }) => agentType === row.agentType) === row,
    );
    for (const [index, row] of entries.entries()) {
      if (!isGrouped(row)) {
        agent(row, level, index + 1, entries.length);
        continue;
      }
      const members = children.filter(({ agentType }) => agentType === row.agentType);
      const id = `${parent}*${row.agentType}`;
      const isOpen = byHand.get(id) ?? false;
      out.push([id, level, index + 1, entries.length, members.length, isOpen]);
      const isAlone = (other: Row) => other.waiting > 0 || isWanted(other);
      for (const [place, member] of members.entries())
        if (isOpen || isAlone(member) || hasBelow(member, isAlone)) agent(member, level + 1, place + 1, members.length);
    }
  };
  list('', below(undefined), 1);
  return out;
}

it('[CN13, CN102] any tree has its rows where a plain reading of it has them, and a fold hides all below it', async () => {
  const holds = fc.property(anyTree, (tree) => {
    const out = placed(tree.rows, { byHand: tree.byHand, opened: new Set() }, tree.selected);
    const places = out.map(({ id, level, place, siblings, childCount, isExpanded, ...each }) => {
      const hidden = each.kind === 'agent' ? [each.hidden.map(({ agentId }) => agentId).toSorted()] : [];
      return [id, level, place, siblings, childCount, isExpanded, ...hidden];
    });
    expect(places).toEqual(read(tree));
  });
  await always(holds, 60);
});
