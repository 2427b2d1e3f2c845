import { describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../../src/store/directory-store';
import { nodeStorage } from '../../../src/testing/node-storage';

const DAY = 86_400_000;

function directory() {
  const clock = { now: 1_000_000 };
  const storage = nodeStorage();
  return { clock, storage, store: new DirectoryStore(storage, () => clock.now) };
}
const report = (name: string, createdAt: number, more: object = {}) => ({
  name,
  sessionId: `s_${name}_${createdAt}`,
  createdAt,
  lastActivity: createdAt,
  status: 'running',
  tags: [],
  pending: [],
  failures: [],
  children: [],
  ...more,
});

describe('a directory', () => {
  it('[A28] that holds nothing writes nothing when it is read', () => {
    const { store, storage } = directory();
    expect([store.roots({ limit: 10 }), store.wasDeleted('a', 'k')]).toEqual([[], false]);
    expect(storage.sql.exec('SELECT * FROM sqlite_master').toArray()).toEqual([]);
  });

  it('[A28] takes the same report again, and the newest of a session', () => {
    const { store } = directory();
    store.report(report('a', 1));
    store.report(report('a', 1));
    store.report(report('a', 1, { status: 'completed', displayName: 'A' }));
    const { pending: _pending, failures: _failures, children: _children, ...listed } = report('a', 1);
    expect(store.roots({ limit: 10 })).toEqual([{ ...listed, status: 'completed', displayName: 'A' }]);
  });

  it('[A111, A112] lists every root at work, however many there are, and those with agents at work below them', () => {
    const { store } = directory();
    const counts = { running: 0, queued: 0, waiting: 1, total: 1 };
    for (let at = 0; at < 25; at++) store.report(report(`n${at}`, at % 3));
    store.report(report('waits', 0, { status: 'suspended_client_tool', childCounts: counts }));
    store.report(report('ended', 0, { status: 'completed' }));
    const consults = { status: 'suspended_awaiting_children', childCounts: { ...counts, running: 1 } };
    store.report(report('consults', 9, consults));
    store.report(report('left', 8, { status: 'completed', childCounts: { ...counts, queued: 1 } }));
    const names = [...store.working(10)].map(({ name }) => name);
    expect(names).toHaveLength(27);
    expect(new Set(names).size).toBe(27);
    expect(names.slice(-2)).toEqual(['left', 'consults']);
    expect([...store.working()].map(({ name }) => name)).toEqual(names);
  });

  it('[A29] is not misled by what arrives late', () => {
    const { store } = directory();
    store.report(report('a', 1));
    store.recordDeletion({ name: 'a', sessionId: 's_a_1' });
    store.report(report('a', 1, { status: 'completed' }));
    expect(store.roots({ limit: 10 })).toEqual([]);
    store.report(report('a', 5));
    store.report(report('a', 1, { status: 'completed' }));
    expect(store.roots({ limit: 10 })).toMatchObject([{ sessionId: 's_a_5', status: 'running' }]);
  });

  it('[A20, A52] knows a deletion by its own key and by each that had begun something there, all of them for 24 h', () => {
    for (const own of [undefined, 'own']) {
      const { store, clock } = directory();
      store.report(report('a', 1));
      store.recordDeletion({
        ...{ name: 'a', sessionId: 's_a_1', begun: ['k', 'l'] },
        ...(own === undefined ? {} : { key: own }),
      });
      const known = () => ['own', 'k', 'l', 'other'].filter((key) => store.wasDeleted('a', key));
      expect(known()).toEqual([...(own === undefined ? [] : [own]), 'k', 'l']);
      clock.now += DAY - 1;
      expect(known()).toContain('l');
      clock.now += 1;
      expect(known()).toEqual([]);
    }
  });

  it('[A20, A29] forgets a deletion and its key after 24 h', () => {
    const { store, clock, storage } = directory();
    store.report(report('a', 1));
    store.recordDeletion({ name: 'a', sessionId: 's_a_1', key: 'k' });
    expect([store.wasDeleted('a', 'k'), store.wasDeleted('b', 'k'), store.wasDeleted('a', 'l')]).toEqual([
      true,
      false,
      false,
    ]);
    clock.now += DAY - 1;
    expect(store.wasDeleted('a', 'k')).toBe(true);
    clock.now += 1;
    expect(store.wasDeleted('a', 'k')).toBe(false);
    clock.now += 1;
    store.recordDeletion({ name: 'b', sessionId: 's_b', key: 'k' });
    expect(storage.sql.exec('SELECT name FROM roots').toArray()).toEqual([{ name: 'b' }]);
    expect(storage.sql.exec('SELECT key FROM deletions').toArray()).toHaveLength(1);
  });

  it('[A52] remembers for 24 h what had begun at a root that was deleted', () => {
    const { store, clock } = directory();
    store.report(report('a', 1));
    store.recordDeletion({ name: 'a', sessionId: 's_a_1', begun: ['k', 'l'] });
    expect(['k', 'l', 'm'].map((key) => store.wasDeleted('a', key))).toEqual([true, true, false]);
    expect(store.wasDeleted('b', 'k')).toBe(false);
    clock.now += DAY;
    expect(store.wasDeleted('a', 'k')).toBe(false);
  });

  it('[A28] lists newest first after a place, also where times are the same', () => {
    const { store } = directory();
    for (const [name, at] of [
      ['b', 2],
      ['a', 2],
      ['c', 2],
      ['d', 3],
      ['e', 1],
    ] as const)
      store.report(report(name, at));
    const names = (after?: { at: number; key: string }) =>
      store.roots({ limit: 2, ...(after ? { after } : {}) }).map(({ name }) => name);
    expect(names()).toEqual(['d', 'a']);
    expect(names({ at: 2, key: 'a' })).toEqual(['b', 'c']);
    expect(names({ at: 2, key: 'c' })).toEqual(['e']);
  });
});

/** Something of a tree of the root. */
const call = (toolCallId: string, requestedAt: number, toolName = 'publish') => ({
  ...{ toolCallId, requestedAt, toolName, kind: 'approval' as const },
  ...{ address: '/agents/top/a', agentType: 'top' },
});
const failed = (runId: string, at: number, code = 'model_error') => ({
  ...{ runId, at, code, message: 'No.', pattern: 'No.' },
  ...{ address: '/agents/top/a', agentType: 'top' },
});
const NONE = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, toolCalls: 0 };
const stays = (sessionId: string, lastActivity: number, more: object = {}) => ({
  ...{ sessionId, lastActivity, agentType: 'scout', name: sessionId, address: `/agents/top/a/sub/scout/${sessionId}` },
  ...{ mode: 'persistent' as const, placement: 'facet' as const, status: 'completed' as const },
  ...{ task: 1, usage: NONE, createdAt: 1, ...more },
});
const items = <Item>(found: readonly { readonly item: Item }[]): Item[] => found.map(({ item }) => item);

describe('what a directory lists of trees', () => {
  it('[A84] what waits is what the root told last, oldest first, by its fields, after a place', () => {
    const { store } = directory();
    store.report(report('a', 1, { pending: [call('c1', 5), call('c2', 3, 'send')] }));
    store.report(report('b', 2, { pending: [call('c3', 3)] }));
    expect(items(store.pending({ limit: 10 })).map(({ toolCallId }) => toolCallId)).toEqual(['c2', 'c3', 'c1']);
    const [first] = store.pending({ limit: 1 });
    if (first === undefined) throw new Error('Nothing is listed.');
    expect(items(store.pending({ limit: 1, after: first })).map(({ toolCallId }) => toolCallId)).toEqual(['c3']);
    expect(items(store.pending({ limit: 10, where: { toolName: 'send' } }))).toEqual([call('c2', 3, 'send')]);
    store.report(report('a', 1, { pending: [call('c2', 3, 'send')] }));
    expect(items(store.pending({ limit: 10 })).map(({ toolCallId }) => toolCallId)).toEqual(['c2', 'c3']);
    store.recordDeletion({ name: 'b', sessionId: 's_b_2' });
    expect(items(store.pending({ limit: 10 })).map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    store.report(report('a', 9));
    expect(store.pending({ limit: 10 })).toEqual([]);
  });

  it('[A85, A89] failed runs stay told, newest first, with their causes, 10,000 for 30 days', () => {
    const { store, clock } = directory();
    clock.now = 100 * DAY;
    const now = clock.now;
    store.report(
      report('a', 1, { failures: [failed('r1', now - 31 * DAY), failed('r2', now - 2), failed('r3', now, 'x')] }),
    );
    store.report(report('a', 1, { failures: [failed('r2', now - 2)] }));
    expect(items(store.errors({ limit: 10 })).map(({ runId }) => runId)).toEqual(['r3', 'r2']);
    expect(items(store.errors({ limit: 10, since: now })).map(({ runId }) => runId)).toEqual(['r3']);
    expect(store.causes(0)).toEqual([
      { code: 'model_error', agentType: 'top', pattern: 'No.', count: 1, lastAt: now - 2 },
      { code: 'x', agentType: 'top', pattern: 'No.', count: 1, lastAt: now },
    ]);
    const many = Array.from({ length: 10_000 }, (_, at) => failed(`m${at}`, now + 1 + at));
    store.report(report('a', 1, { failures: many.slice(0, 9_999) }));
    expect(store.causes(0).reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    store.report(report('a', 1, { failures: many.slice(9_999) }));
    expect(store.causes(0).reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    expect(items(store.errors({ limit: 10, where: { code: 'x' } }))).toEqual([]);
  });

  it('[A89] of what a root tells again only what has changed is written', () => {
    const { store, storage, clock } = directory();
    const written = (tells: object): number => {
      const total = () => Number(storage.sql.exec('SELECT total_changes() AS n').toArray()[0]?.n);
      const before = total();
      store.report(report('a', 1, tells));
      return total() - before;
    };
    const failures = Array.from({ length: 150 }, (_, at) => failed(`r${at}`, clock.now + at));
    const [calls, kids] = [[call('c1', 1, 'send')], [stays('Ada', 3)]];
    const root = 1;
    // Without a child in it, the first report also makes the tables.
    written({});
    expect(written({ failures, pending: calls, children: kids })).toBe(root + 152);
    expect(written({ failures, pending: calls, children: kids })).toBe(root);
    const again = [...failures, failed('new', clock.now)];
    expect(written({ failures: again, pending: [], children: [stays('Ada', 4)] })).toBe(root + 1 + 1 + 1);
    expect(items(store.errors({ limit: 200 }))).toHaveLength(151);
  });

  it('[A85] causes of one code are told apart by what their messages have in common, the 200 most frequent', () => {
    const { store, clock } = directory();
    const now = clock.now;
    const alike = (id: string, pattern: string) => ({ ...failed(id, now), pattern });
    store.report(report('a', 1, { failures: [alike('r1', 'It broke.'), alike('r2', 'It hung.')] }));
    store.report(report('b', 1, { failures: [alike('r3', 'It hung.')] }));
    expect(store.causes(0).map(({ pattern, count }) => [pattern, count])).toEqual([
      ['It hung.', 2],
      ['It broke.', 1],
    ]);
    expect(items(store.errors({ limit: 10, where: { pattern: 'It broke.' } })).map(({ runId }) => runId)).toEqual([
      'r1',
    ]);
    store.report(report('c', 1, { failures: Array.from({ length: 300 }, (_, at) => alike(`m${at}`, `Words ${at}.`)) }));
    expect(store.causes(0)).toHaveLength(200);
    expect(store.causes(0)[0]).toMatchObject({ pattern: 'It hung.', count: 2 });
    // What is asked for is looked for among all, also one that is too rare to be listed.
    const rare = { pattern: 'Words 299.' };
    expect(store.causes(0, rare).map(({ pattern, count }) => [pattern, count])).toEqual([['Words 299.', 1]]);
  });

  it('[A86] sub-agents are the last told, by their fields, a text, and whether they owe a stop', () => {
    const { store } = directory();
    const stopOwed = { verb: 'abort', runId: 'r', since: 1, attempts: 2, nextAt: 9 };
    store.report(report('a', 1, { children: [stays('Ada', 3), stays('bob', 4, { placement: 'remote', stopOwed })] }));
    expect(items(store.children({ limit: 10 })).map(({ name }) => name)).toEqual(['bob', 'Ada']);
    expect(items(store.children({ limit: 10, q: 'aDA' })).map(({ name }) => name)).toEqual(['Ada']);
    expect(items(store.children({ limit: 10, owing: true }))).toMatchObject([{ name: 'bob', stopOwed }]);
    expect(items(store.children({ limit: 10, where: { placement: 'facet' } })).map(({ name }) => name)).toEqual([
      'Ada',
    ]);
  });

  it('[A87] roots are found by a text, by several statuses, and in order of their activity', () => {
    const { store } = directory();
    store.report(report('a', 1, { title: 'How stops travel', status: 'failed', lastActivity: 9 }));
    store.report(report('b', 2, { tags: ['Stops'], status: 'completed' }));
    store.report(report('c', 3, { status: 'idle', usage: NONE, pendingCount: 2 }));
    const names = (query: object) => store.roots({ limit: 10, ...query }).map(({ name }) => name);
    expect(names({ q: 'STOPS' })).toEqual(['b', 'a']);
    expect(names({ q: '%' })).toEqual([]);
    expect(names({ statuses: ['failed', 'idle'] })).toEqual(['c', 'a']);
    expect(names({ by: 'lastActivity' })).toEqual(['a', 'c', 'b']);
    expect(names({ by: 'lastActivity', after: { at: 9, key: 'a' } })).toEqual(['c', 'b']);
    expect(store.roots({ limit: 1 })).toMatchObject([{ usage: NONE, pendingCount: 2 }]);
  });
});

describe('the places of a caller', () => {
  it('[A65] are free again when no root came within 60 s, or it is gone, and are kept where one did', () => {
    const { store, clock } = directory();
    const limits = { perCaller: 2 };
    expect([store.claim('a', limits).ok, store.claim('b', limits).ok]).toEqual([true, true]);
    store.hold('a');
    clock.now += 59_999;
    expect(store.claim('c', limits).ok).toBe(false);
    clock.now += 1;
    expect([store.claim('c', limits).ok, store.claim('d', limits).ok]).toEqual([true, false]);
    // One whose root was slow to tell holds it all the same.
    store.hold('b');
    store.giveBack('c');
    store.hold('c');
    expect(store.claim('d', limits).ok).toBe(false);
    store.giveBack('a');
    store.giveBack('a');
    expect([store.claim('d', limits).ok, store.claim('e', limits).ok]).toEqual([true, false]);
  });

  it('[A65] of any minute are as many as allowed, and the wait is until the first of them is over', () => {
    const { store, clock } = directory();
    const limits = { perMinute: 2 };
    store.claim('a', limits);
    store.giveBack('a');
    clock.now += 20_000;
    store.claim('b', limits);
    clock.now += 10_000;
    expect(store.claim('c', limits)).toMatchObject({ ok: false, retryAfterMs: 30_000 });
    clock.now += 29_999;
    expect(store.claim('c', limits)).toMatchObject({ ok: false, retryAfterMs: 1 });
    clock.now += 1;
    expect([store.claim('c', limits).ok, store.claim('d', limits)]).toMatchObject([true, { retryAfterMs: 20_000 }]);
  });
});
