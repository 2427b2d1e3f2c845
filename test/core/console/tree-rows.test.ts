import { describe, expect, it } from 'vitest';
import type { TreeShown } from '../../../src/client';
import type { Row } from '../../../src/console/data/tree/outline';
import { rowsOf, rowsTogether, spendingOf } from '../../../src/console/data/tree/tree-rows';
import { NO_USAGE } from '../../../src/protocol/usage';

const NODE: TreeShown = {
  ...{ sessionId: 's_a', agentType: 'clerk', address: '/agents/clerk/a', name: 'a', mode: 'root', placement: 'facet' },
  ...{ status: 'running', createdAt: 1, step: 0, recoveries: 0, pendingCount: 0, lastSequence: 1, usage: NO_USAGE },
  ...{ childCounts: { running: 0, queued: 0, waiting: 0, total: 0 }, nodes: [] },
};

const row = (agentId: string, inputTokens: number, more: Partial<Row> = {}): Row => ({
  ...{ agentId, agentType: 'clerk', address: `/agents/clerk/${agentId}`, status: 'running', from: 1, last: 2, step: 1 },
  ...{ unpriced: false, waiting: 0, recoveries: 0, discarded: 0, activity: '', task: '', tools: [], rounds: 1 },
  usage: { ...NO_USAGE, inputTokens },
  ...more,
});

describe('a cost of which a part is not known', () => {
  it('[CN82, US7] is told as such, also of an agent whose beginning is no longer in the log', () => {
    const priced = { ...NO_USAGE, modelCalls: 2, costUsd: 0.31 };
    const of = (usage: TreeShown['usage']) => rowsOf({ ...NODE, usage }).map(({ unpriced }) => unpriced);
    expect([of(priced), of({ ...priced, unpricedCalls: 1 }), of({ ...NO_USAGE, modelCalls: 1 }), of(NO_USAGE)]).toEqual(
      [[false], [true], [true], [false]],
    );
  });
});

describe('the row of an agent that the tree shows', () => {
  const WHOLE: Required<Omit<TreeShown, 'stopOwed' | 'callId' | 'generation'>> = {
    ...NODE,
    ...{ mode: 'persistent', placement: 'remote', name: 'ann', status: 'failed', statusText: 'Reading', step: 4 },
    ...{ recoveries: 2, pendingCount: 3, task: 5, createdAt: 10, startedAt: 20, endedAt: 30 },
    error: { code: 'tool_failed', title: 'The tool failed.', message: 'It broke.' },
    usage: { ...NO_USAGE, inputTokens: 7, costUsd: 1 },
  };
  const below = (node: TreeShown): Row | undefined => rowsOf({ ...NODE, sessionId: 's_top', nodes: [node] })[1];
  const ROW: Row = {
    ...{ agentId: 's_a', parentId: 's_top', agentType: 'clerk', address: '/agents/clerk/a', placement: 'remote' },
    ...{
      name: 'ann',
      status: 'failed',
      statusText: 'Reading',
      activity: 'Reading',
      step: 4,
      recoveries: 2,
      waiting: 3,
    },
    ...{ rounds: 5, from: 10, last: 30, error: 'The tool failed.', usage: WHOLE.usage, unpriced: false },
    ...{ discarded: 0, task: '', tools: [] },
  };

  it('[CN91] has what its node says, each field at its place', () => {
    expect(below(WHOLE)).toEqual(ROW);
    const { endedAt: _ended, ...open } = WHOLE;
    expect(below(open)).toEqual({ ...ROW, last: 20 });
    const { startedAt: _started, ...queued } = open;
    expect(below(queued)).toEqual({ ...ROW, last: 10 });
    expect(below({ ...WHOLE, error: { code: 'of_tomorrow', message: 'It broke.' } })?.error).toBe('of_tomorrow');
    expect(below({ ...WHOLE, mode: 'ephemeral' })?.name).toBeUndefined();
    const places = (['facet', 'object', 'remote'] as const).map(
      (placement) => below({ ...WHOLE, placement })?.placement,
    );
    expect(places).toEqual([undefined, 'object', 'remote']);
    expect(rowsOf({ ...WHOLE, placement: 'object' })[0]?.placement).toBeUndefined();
    const bare = { ...ROW, parentId: 's_top', from: 1, last: 1, status: 'running', step: 0, recoveries: 0, waiting: 0 };
    const { error: _e, statusText: _s, name: _n, placement: _p, ...rest } = bare;
    expect(below(NODE)).toEqual({ ...rest, activity: '', rounds: 0, usage: NO_USAGE });
  });
});

describe('what agents have spent', () => {
  it('[CN93] is what the tree says of a reply whose step is open, and what the log says once that is more', () => {
    const spend = spendingOf([row('a', 100, { unpriced: true }), row('b', 5)]);
    const log = [row('a', 0, { activity: 'It asks.' }), row('b', 7), row('c', 1)];
    const shown = spend(log);
    expect(shown.map(({ usage, unpriced, activity }) => [usage.inputTokens, unpriced, activity])).toEqual([
      [100, true, 'It asks.'],
      [7, false, ''],
      [1, false, ''],
    ]);
    // Nothing is drawn anew for a row that says nothing new.
    const again = spend([log[0] ?? row('a', 0), row('b', 8), row('c', 1)]);
    expect(again[0]).toBe(shown[0]);
    expect(spendingOf([])(log)).toBe(log);
  });
});

describe('the agents of a run, by its tree and by its log', () => {
  /** A row of which every field differs by its source; `error` only where it is given. */
  const from = (source: string, agentId: string, number: number, more: Partial<Row> = {}): Row =>
    row(agentId, number, {
      ...{ status: source, from: number, last: number, step: number, waiting: number, recoveries: number },
      ...{ unpriced: number % 2 === 0, discarded: number, activity: source, task: source, tools: [source] },
      ...{ rounds: number, ...more },
    });
  /** As the tree says, which the log does not tell before it was read to its end. */
  const STANDING = ['status', 'usage', 'unpriced', 'waiting', 'step', 'error'] as const;

  it('[CN91] stand as the tree says until the log was read up to it, and in all else as the log says', () => {
    for (const [error, before] of [
      [{}, {}],
      [{ error: 'Now.' }, {}],
      [{}, { error: 'Before.' }],
      [{ error: 'Now.' }, { error: 'Before.' }],
    ] as const) {
      const tree = [from('tree', 'a', 1, error), from('tree', 'b', 1)];
      const log = [from('log', 'c', 2), from('log', 'a', 2, before)];
      const standing = Object.fromEntries(
        STANDING.flatMap((name) => (name in (tree[0] ?? {}) ? [[name, tree[0]?.[name]]] : [])),
      );
      const { error: _error, ...rest } = log[1] ?? from('log', 'a', 2);
      expect(rowsTogether(tree, log, true)).toEqual([{ ...rest, ...standing }, tree[1], log[0]]);
      expect(rowsTogether(tree, log, false)).toEqual([log[1], tree[1], log[0]]);
      expect(rowsTogether([], log, true)).toBe(log);
    }
  });
});
