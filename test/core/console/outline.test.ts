/** What the console says of a run, apart from its page. */
import { describe, expect, it } from 'vitest';
import type { AgentView } from '../../../src/client';
import { placed, type Row, rowOf } from '../../../src/console/data/outline';
import { cost, count, escaped, isDeceptive, said, span } from '../../../src/console/parts/words';
import { NO_USAGE } from '../../../src/protocol/usage';

const agent = (agentId: string, parentId?: string): AgentView => ({
  agentId,
  agentType: agentId,
  address: `/agents/a/${agentId}`,
  ...(parentId === undefined ? {} : { parentId }),
  status: 'running',
  firstAt: 1_000,
  lastAt: 9_000,
  runs: [
    {
      ...{ runId: 'r', turn: 1, chainTurn: 1, startedAt: 1_000, recoveries: [] },
      steps: [{ status: 'open', step: 1, attempt: 1, startedAt: 1_000, parts: [], discarded: [] }],
    },
  ],
  calls: [
    {
      ...{ toolCallId: 'c', toolName: 'publish', runId: 'r', step: 1, status: 'waiting', kind: 'approval' },
      ...{ arguments: {}, startedAt: 3_000, requestedAt: 3_500 },
    },
  ],
  ...{ delegations: [], messages: [], customs: [], statePatches: [], usage: NO_USAGE },
});

describe('the outline of a run', () => {
  const rows: Row[] = [rowOf(agent('root')), rowOf(agent('one', 'root')), rowOf(agent('two', 'one'))];

  it('[CN3] tells a model call from the wait for a person that follows it', () => {
    const [row] = rows;
    expect(row).toMatchObject({ waiting: 1, activity: 'publish', step: 1 });
    expect(row?.spans).toEqual([
      { kind: 'model', from: 1_000, to: 3_000, name: 'step 1' },
      { kind: 'person', from: 3_500, name: 'publish' },
    ]);
  });

  it('[CN3] folds what is folded, and keeps the ancestors of what a filter finds', () => {
    const shown = (folded: string[], filter = '') =>
      placed(rows, new Set(folded), filter).map(({ row, level, dim }) => `${row.agentId} ${level}${dim ? ' dim' : ''}`);
    expect(shown([])).toEqual(['root 1', 'one 2', 'two 3']);
    expect(shown(['one'])).toEqual(['root 1', 'one 2']);
    expect(shown(['one'], 'two')).toEqual(['root 1 dim', 'one 2 dim', 'two 3']);
    expect(shown([], 'nobody')).toEqual([]);
  });

  it('[CN3] says numbers for short, and no cost that is not known', () => {
    expect([999, 1_234, 48_200, 1_300_000].map(count)).toEqual(['999', '1.2k', '48k', '1.3M']);
    expect([400, 12_000, 151_000, 3_840_000, 266_400_000].map(span)).toEqual([
      '0.4s',
      '12s',
      '2:31',
      '1h 04m',
      '3d 2h',
    ]);
    const spent = { ...NO_USAGE, costUsd: 0.314 };
    expect([cost(NO_USAGE, true), cost(spent, false), cost(spent, true)]).toEqual(['-', '$0.31', '$0.31+']);
    expect(said('of a newer server').says).toBe('of a newer server');
  });

  it('[CN4] writes out characters that hide or turn text, and leaves lines as they are', () => {
    const turned = 'pay \u202e05\u200b now\u0000';
    expect([isDeceptive(turned), isDeceptive('two\nlines\tand a tab')]).toEqual([true, false]);
    expect(escaped(turned)).toBe('pay \\u{202e}05\\u{200b} now\\u{0}');
  });
});
