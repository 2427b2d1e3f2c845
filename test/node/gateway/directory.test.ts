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
    expect(store.roots({ limit: 10 })).toEqual([{ ...report('a', 1), status: 'completed', displayName: 'A' }]);
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
    const names = (after?: { createdAt: number; name: string }) =>
      store.roots({ limit: 2, ...(after ? { after } : {}) }).map(({ name }) => name);
    expect(names()).toEqual(['d', 'a']);
    expect(names({ createdAt: 2, name: 'a' })).toEqual(['b', 'c']);
    expect(names({ createdAt: 2, name: 'c' })).toEqual(['e']);
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
