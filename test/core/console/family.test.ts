/** Who is below whom and what they have spent, against a plain reading of all rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Family } from '../../../src/console/data/tree/family';
import type { Row } from '../../../src/console/data/tree/outline';
import { NO_USAGE } from '../../../src/protocol/usage';
import { present } from '../../support/present';

/** What may differ between two moments of one agent. */
interface Now {
  readonly tokens: number;
  readonly costUsd: number | undefined;
  readonly unpriced: boolean;
  readonly status: string;
  readonly waiting: number;
  readonly activity: string;
}

interface Drawn {
  /** The place of its parent among those before it; others have none that is known, or name themselves. */
  readonly parent: number | 'none' | 'unknown' | 'itself';
  readonly moments: readonly Now[];
}

const MOMENTS = 3;
const now: fc.Arbitrary<Now> = fc.record({
  tokens: fc.nat({ max: 3 }),
  costUsd: fc.constantFrom(undefined, 1, 2),
  unpriced: fc.boolean(),
  status: fc.constantFrom('running', 'completed'),
  waiting: fc.nat({ max: 1 }),
  activity: fc.constantFrom('a', 'b'),
});
const drawn: fc.Arbitrary<Drawn> = fc.record({
  parent: fc.oneof(
    { weight: 5, arbitrary: fc.nat({ max: 8 }) },
    { weight: 1, arbitrary: fc.constantFrom('none' as const, 'unknown' as const, 'itself' as const) },
  ),
  // Few moments differ, so that many rows stay the same objects.
  moments: fc
    .tuple(now, fc.array(fc.option(now, { nil: undefined }), { minLength: MOMENTS, maxLength: MOMENTS }))
    .map(([first, others]) => {
      const all = [first];
      for (const one of others) all.push(one ?? all.at(-1) ?? first);
      return all;
    }),
});

function parentOf({ parent }: Drawn, at: number): string | undefined {
  if (typeof parent === 'number') return at === 0 ? undefined : `s_${parent % at}`;
  return { none: undefined, unknown: 's_gone', itself: `s_${at}` }[parent];
}

/** The rows at each moment; one that stays as it was is the same object. */
function rowsOf(agents: readonly Drawn[]): Row[][] {
  const made = new Map<string, Row>();
  return Array.from({ length: MOMENTS + 1 }, (_, moment) =>
    agents.map((agent, at): Row => {
      const { tokens, costUsd, unpriced, status, waiting, activity } = present(agent.moments[moment]);
      const parentId = parentOf(agent, at);
      const priced = costUsd === undefined ? {} : { costUsd };
      const row: Row = {
        ...{ agentId: `s_${at}`, agentType: 'worker', address: `/agents/worker/${at}`, status, waiting, activity },
        ...(parentId === undefined ? {} : { parentId }),
        ...{ from: at, last: at, step: 1, recoveries: 0, discarded: 0, task: '', tools: [], rounds: 0, unpriced },
        usage: { ...NO_USAGE, inputTokens: tokens, modelCalls: tokens, ...priced },
      };
      const key = JSON.stringify(row);
      const known = made.get(key) ?? row;
      made.set(key, known);
      return known;
    }),
  );
}

/** All that are at or below an agent, by looking at every row. */
function atOrBelow(rows: readonly Row[], agentId: string): Row[] {
  const found = new Set([agentId]);
  for (const _ of rows) for (const row of rows) if (row.parentId && found.has(row.parentId)) found.add(row.agentId);
  return rows.filter((row) => found.has(row.agentId));
}

const isKnown = (rows: readonly Row[], { agentId, parentId }: Row): boolean =>
  parentId !== agentId && rows.some((row) => row.agentId === parentId);

/** What a family says of all its rows. */
const saidBy = (family: Family) => ({
  tops: family.tops,
  topRows: family.topRows(),
  rows: family.rows.map((row) => ({
    row: family.row(row.agentId),
    above: family.above(row),
    below: family.below(row.agentId),
    inputTokens: family.spent(row).usage.inputTokens,
    modelCalls: family.spent(row).usage.modelCalls,
    costUsd: family.spent(row).usage.costUsd ?? 0,
    unpriced: family.spent(row).unpriced,
  })),
});

/** The same, read from the rows alone. */
function readFrom(rows: readonly Row[]): ReturnType<typeof saidBy> {
  const sum = (some: readonly Row[], of: (row: Row) => number) => some.reduce((total, row) => total + of(row), 0);
  const topRows = rows.filter((row) => !isKnown(rows, row));
  return {
    ...{ tops: topRows.map(({ agentId }) => agentId), topRows },
    rows: rows.map((row) => {
      const all = atOrBelow(rows, row.agentId);
      return {
        row,
        above: isKnown(rows, row) ? rows.find(({ agentId }) => agentId === row.parentId) : undefined,
        below: rows.filter((one) => one.parentId === row.agentId && one !== row),
        inputTokens: sum(all, ({ usage }) => usage.inputTokens),
        modelCalls: sum(all, ({ usage }) => usage.modelCalls),
        costUsd: sum(all, ({ usage }) => usage.costUsd ?? 0),
        unpriced: all.some(({ unpriced }) => unpriced),
      };
    }),
  };
}

/** What has changed between two moments, read from the rows alone. */
function changeOf(before: readonly Row[], after: readonly Row[]) {
  const differs = (of: (row: Row) => unknown) =>
    after.filter((row, at) => JSON.stringify(of(row)) !== JSON.stringify(before[at] && of(before[at])));
  const spenders = differs(({ usage, unpriced }) => [usage, unpriced]);
  const spent = after.filter((row) => atOrBelow(after, row.agentId).some((one) => spenders.includes(one)));
  const ids = (rows: readonly Row[]) => rows.map(({ agentId }) => agentId).sort();
  return {
    agents: [...new Set([...ids(differs((row) => row)), ...ids(spent)])].sort(),
    spent: ids(spent),
    stands: differs(({ status, waiting }) => [status, waiting]).length > 0,
  };
}

const families = fc.array(drawn, { minLength: 1, maxLength: 9 });

describe('the agents of a tree', () => {
  it('[CN13, CN64] are a family whose sums are those of all rows, also after each change', () => {
    fc.assert(
      fc.property(families, (agents) => {
        const moments = rowsOf(agents);
        const [first = []] = moments;
        const family = new Family(first);
        expect(saidBy(family)).toEqual(readFrom(first));
        for (const [at, rows] of moments.slice(1).entries()) {
          const change = family.becomes(rows);
          const { agents: changed, spent, stands } = changeOf(moments[at] ?? [], rows);
          expect(change && [[...change.agents].sort(), [...change.spent].sort(), change.stands]).toEqual([
            ...[changed, spent, stands],
          ]);
          expect(saidBy(family)).toEqual(readFrom(rows));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('[CN64] are another family where one came, went or has another parent, and stay what they were', () => {
    fc.assert(
      fc.property(families, fc.nat(), (agents, at) => {
        const [rows = []] = rowsOf(agents);
        const family = new Family(rows);
        const said = saidBy(family);
        const place = at % rows.length;
        const turned = rows.map((row, index) => (index === place ? { ...row, parentId: 's_other' } : row));
        const renamed = rows.map((row, index) => (index === place ? { ...row, agentId: 's_other' } : row));
        for (const others of [rows.slice(1), [...rows, { ...present(rows[0]), agentId: 's_new' }], turned, renamed])
          expect(family.becomes(others)).toBeUndefined();
        expect(saidBy(family)).toEqual(said);
      }),
      { numRuns: 100 },
    );
  });
});
