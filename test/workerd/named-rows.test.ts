/** How many rows are read of an agent with many companions, by SQLite's own count. */
import { describe, expect, it } from 'vitest';
import { SqlAgentStore } from '../../src/store/agent-store';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { childRecord, state } from '../contract/stores-support';
import { withObjectStorage } from './storage';

const nameOf = (id: number): string => `companion ${id}`;

/**
 * What was read and written by each part of a turn that consults one of so many companions and begins another one. The
 * last `ofRun` of them are kept with a run.
 */
async function rowsWith(companions: number, ofRun = 0) {
  const rows: Record<string, { read: number; written: number }> = {};
  await withObjectStorage((storage) => {
    let part: string | undefined;
    const cursors: (() => void)[] = [];
    const counting: ObjectStorage = {
      transactionSync: (body) => storage.transactionSync(body),
      sql: {
        exec(query, ...bindings) {
          const cursor = storage.sql.exec(query, ...bindings);
          const of = part;
          if (of !== undefined)
            cursors.push(() => {
              const { read, written } = rows[of] ?? { read: 0, written: 0 };
              rows[of] = { read: read + cursor.rowsRead, written: written + cursor.rowsWritten };
            });
          return cursor;
        },
      },
    };
    migrate(storage, { agent: AGENT_MIGRATIONS });
    const store = new SqlAgentStore(counting);
    store.create(state());
    const put = (id: number, name: string): void => {
      const kept = id > companions - ofRun ? { ofRun: 1 } : {};
      const child = childRecord(id, 'Leaf', name, { lifetime: 'named', name, ...kept });
      store.write([{ put: 'child', child, reuses: false }]);
    };
    for (let id = 1; id <= companions; id++) put(id, nameOf(id));
    const measured = (what: string, work: () => unknown): void => {
      part = what;
      work();
      part = undefined;
    };
    measured('a name', () => store.named(nameOf(companions)));
    measured('a name that nobody has', () => store.named('nobody'));
    measured('how many there are', () => expect(store.countLasting().count).toBe(companions));
    measured('names ahead', () => expect(store.namesAhead()).toEqual([]));
    measured('the next id', () => expect(store.nextChild()).toBe(companions + 1));
    measured('a task of one', () => put(companions, nameOf(companions)));
    measured('one more', () => put(companions + 1, nameOf(companions + 1)));
    measured('one less', () => store.release([1]));
    for (const count of cursors) count();
  });
  return rows;
}

describe('an agent with companions', () => {
  it('[SO5] reads and writes as many rows for one of 1,000 as for one of 10', async () => {
    const few = await rowsWith(10);
    const many = await rowsWith(1_000);
    expect(Object.keys(few)).toHaveLength(8);
    expect(many).toEqual(few);
    for (const [what, { read, written }] of Object.entries(few)) {
      expect(read, what).toBeLessThanOrEqual(12);
      expect(written, what).toBeLessThanOrEqual(4);
    }
  });

  it.each([
    ['one', () => 1],
    ['all', (companions: number) => companions],
  ] as const)('[SO5, CR1] also where %s of them is kept with a run', async (_which, ofRun) => {
    const few = await rowsWith(10, ofRun(10));
    expect(await rowsWith(1_000, ofRun(1_000))).toEqual(few);
    for (const [what, { read }] of Object.entries(few)) expect(read, what).toBeLessThanOrEqual(12);
  });
});
