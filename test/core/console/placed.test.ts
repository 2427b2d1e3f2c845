/** The rows of a run's tree in their places. */
import { describe, expect, it } from 'vitest';
import { waitOf } from '../../../src/console/data/reconnect';
import type { Row } from '../../../src/console/data/tree/outline';
import { MOST_ALIKE, Places, placed, togetherOf } from '../../../src/console/data/tree/placed';
import { NO_USAGE } from '../../../src/protocol/usage';

const row = (agentId: string, parentId?: string, more: Partial<Row> = {}): Row => ({
  ...{ agentId, agentType: agentId.split('-')[0] ?? agentId, address: `/agents/a/${agentId}`, status: 'completed' },
  ...{ from: 1_000, last: 2_000, step: 1, usage: { ...NO_USAGE, inputTokens: 10 }, unpriced: false, waiting: 0 },
  ...{ recoveries: 0, discarded: 0, activity: '', task: '', tools: [], rounds: 0 },
  ...(parentId === undefined ? {} : { parentId }),
  ...more,
});

const folds = (byHand: Record<string, boolean> = {}) => ({
  byHand: new Map(Object.entries(byHand)),
  opened: new Set<string>(),
});

const shown = (rows: readonly Row[], by = folds(), selected = '/agents/a/root', filter = '') =>
  placed(rows, by, selected, filter).map((each) => {
    if (each.kind === 'group') return `${each.level} ${each.agentType}×${each.members.length}`;
    return `${each.level} ${each.row.agentId}${each.dim ? ' dim' : ''}`;
  });

const workers = (count: number, more: (index: number) => Partial<Row> = () => ({})) =>
  Array.from({ length: count }, (_, index) => row(`worker-${index}`, 'root', more(index)));

describe('the rows of a tree', () => {
  const small = [row('root'), row('one', 'root'), row('two', 'one'), row('three', 'root')];

  it('[CN13] stand in the order in which the agents began, whatever becomes of them (check 19)', () => {
    expect(shown(small)).toEqual(['1 root', '2 one', '3 two', '2 three']);
    const later = small.map((each) => ({
      ...each,
      status: each.agentId === 'three' ? 'running' : 'failed',
      last: 9_000,
    }));
    expect(shown(later)).toEqual(shown(small));
  });

  it('[CN13] are folded by hand, and no live change folds what was unfolded by itself (check 20)', () => {
    expect(shown(small, folds({ one: false }))).toEqual(['1 root', '2 one', '2 three']);
    const many = [...small, ...Array.from({ length: 200 }, (_, index) => row(`type${index}`, 'three'))];
    const by = folds();
    const running = many.map((each) => (each.agentId === 'two' ? { ...each, status: 'running' } : each));
    expect(shown(running, by)).toEqual(['1 root', '2 one', '3 two', '2 three']);
    expect(shown(many, by)).toEqual(['1 root', '2 one', '3 two', '2 three']);
    expect(shown(many)).toEqual(['1 root']);
  });

  it('[CN13] of a large tree are unfolded on the way to what is selected, runs, waits or failed', () => {
    const deep = [
      row('root'),
      ...Array.from({ length: 150 }, (_, index) => row(`type${index}`, index < 5 ? 'root' : `type${index % 5}`)),
    ];
    expect(shown(deep)).toEqual(['1 root']);
    expect(shown(deep, folds(), '/agents/a/type7')).toContain('3 type7');
    for (const more of [{ status: 'running' }, { waiting: 1 }, { status: 'failed' }])
      expect(shown(deep.map((each) => (each.agentId === 'type9' ? { ...each, ...more } : each)))).toContain('3 type9');
  });

  it('[CN13, CN102] of more than 20 siblings of one type are one, with its counts (check 21)', () => {
    expect(shown([row('root'), ...workers(MOST_ALIKE)])).toHaveLength(MOST_ALIKE + 1);
    const rows = [
      row('root'),
      ...workers(180, (index) => ({
        status: index < 12 ? 'running' : index < 15 ? 'failed' : index === 15 ? 'suspended_client_tool' : 'completed',
        waiting: index === 15 ? 1 : 0,
      })),
    ];
    expect(shown(rows)).toEqual(['1 root', '2 worker×180', '3 worker-15']);
    const [, group] = placed(rows, folds(), '/agents/a/root');
    expect(group).toMatchObject({
      counts: { waiting: 1, running: 12, failed: 3, interrupted: 0, terminated: 0, idle: 0, completed: 164 },
      childCount: 180,
      isExpanded: false,
    });
    expect(shown(rows, folds({ 'root*worker': true }))).toHaveLength(182);
    expect(shown(rows, folds(), '/agents/a/worker-99')).toContain('3 worker-99');
  });

  it('[CN102] count each status under its own word, and each agent once', () => {
    const statuses = ['interrupted', 'terminated', 'idle', 'completed', 'failed', 'running', 'suspended_client_tool'];
    const rows = [row('root'), ...workers(28, (index) => ({ status: statuses[index % 7] ?? '', waiting: index % 2 }))];
    const [, group] = placed(rows, folds(), '/agents/a/root');
    expect(group).toMatchObject({
      counts: { waiting: 4, running: 4, failed: 4, interrupted: 4, terminated: 4, idle: 4, completed: 4 },
    });
  });

  it('[CN13] that a filter finds stay with their ancestors, which are dimmed (check 22)', () => {
    const rows = [
      row('root'),
      row('one', 'root', { task: 'Compare the budgets', tools: ['search_library'] }),
      row('two', 'one', { status: 'failed', error: 'The model is overloaded.' }),
      row('three', 'root', { status: 'suspended_client_tool', waiting: 1 }),
    ];
    const found = (filter: string) => shown(rows, folds({ root: false }), '/agents/a/root', filter);
    expect(found('budgets')).toEqual(['1 root dim', '2 one']);
    expect(found('tool:search')).toEqual(['1 root dim', '2 one']);
    expect(found('status:failed')).toEqual(['1 root dim', '2 one dim', '3 two']);
    expect(found('has:error')).toEqual(found('status:failed'));
    expect(found('type:three')).toEqual(['1 root dim', '2 three']);
    expect(found('is:waiting')).toEqual(['1 root dim', '2 three']);
    expect(found('status:waiting')).toEqual(['1 root dim', '2 three']);
    expect(found('is:waiting budgets')).toEqual([]);
  });

  it('[CN13] sum what is below them, and a folded one has the times of all of it', () => {
    const [root, one] = placed(small, folds({ one: false }), '/agents/a/root');
    expect(root?.kind === 'agent' && root.usage.inputTokens).toBe(40);
    expect(one?.kind === 'agent' && [one.usage.inputTokens, one.hidden.map(({ agentId }) => agentId)]).toEqual([
      20,
      ['two'],
    ]);
    const times = [
      row('a', 'x'),
      row('b', 'x', { from: 1_500, last: 3_000 }),
      row('c', 'x', { from: 5_000, status: 'running' }),
    ];
    expect(togetherOf(times)).toEqual([
      { kind: 'below', from: 1_000, to: 3_000, name: '2 agents' },
      { kind: 'below', from: 5_000, name: '1 agent' },
    ]);
  });
});

describe('rows that change', () => {
  const many = [
    row('root', undefined, { status: 'running' }),
    ...Array.from({ length: 30 }, (_, index) => row(`type${index}`, 'root', { status: 'running' })),
    ...Array.from({ length: 30 }, (_, index) => row(`leaf-${index}`, 'type1', { status: 'running' })),
    row('deep', 'leaf-7', { status: 'running' }),
  ];
  const spends = (input: number) => ({ usage: { ...NO_USAGE, inputTokens: input } });
  const changed = (rows: readonly Row[], agentId: string, more: Partial<Row>) =>
    rows.map((each) => (each.agentId === agentId ? { ...each, ...more } : each));
  const root = '/agents/a/root';

  it('[CN64] are where all of them would be placed anew, whatever has changed', () => {
    const by = folds({ type4: false });
    const places = new Places();
    let rows: readonly Row[] = many;
    let at = root;
    const holds = (filter = '') => expect(places.of(rows, by, at, filter)).toEqual(placed(rows, by, at, filter));
    holds();
    const changes: [agentId: string, more: Partial<Row>][] = [
      ['type3', { activity: 'It reads.' }],
      ['type3', spends(500)],
      ['leaf-9', { ...spends(70), activity: 'It writes.' }],
      ['deep', { ...spends(90), unpriced: true }],
      ['type5', { status: 'failed', error: 'It broke.' }],
      ['leaf-3', { waiting: 1 }],
      ['leaf-3', { waiting: 0 }],
    ];
    for (const [agentId, more] of changes) {
      rows = changed(rows, agentId, more);
      holds();
    }
    rows = [...rows, row('late', 'type2')];
    holds();
    for (const next of ['/agents/a/leaf-20', '/agents/a/type2', root]) {
      at = next;
      holds();
    }
    rows = changed(rows, 'type3', { task: 'Look for budgets' });
    holds('budgets');
    rows = changed(rows, 'type3', { task: 'Look for limits' });
    holds('budgets');
    holds();
  });

  it('[CN64] leave all others the same objects, so that none of those is drawn again', () => {
    const flat = many.filter(({ agentId }) => agentId.startsWith('type') || agentId === 'root');
    const [by, places] = [folds(), new Places()];
    const first = places.of(flat, by, root, '');
    const second = places.of(changed(flat, 'type3', { activity: 'It reads.' }), by, root, '');
    expect(second.flatMap((each, index) => (each === first[index] ? [] : [each.id]))).toEqual(['type3']);
    const third = places.of(
      changed(flat, 'type3', { activity: 'It reads.', ...spends(900) }),
      by,
      '/agents/a/type9',
      '',
    );
    expect(third.flatMap((each, index) => (each === second[index] ? [] : [each.id]))).toEqual(['root', 'type3']);
  });
});

describe('a server that is gone', () => {
  it('[CN19] is asked after half a second, then twice as long up to 15 s, never all pages at once', () => {
    expect([0, 1, 2, 5, 6, 99].map((tries) => waitOf(tries, 1))).toEqual([500, 1_000, 2_000, 15_000, 15_000, 15_000]);
    expect([waitOf(0, 0), waitOf(0, 0.5), waitOf(9, 0)]).toEqual([250, 375, 7_500]);
  });
});
