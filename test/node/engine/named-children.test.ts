/** The count of the children that have names: after any change of one of them, it is what counting all rows gives. */
import { expect, it } from 'vitest';
import type { Child } from '../../../src/core/agent/children/child';
import { SqlAgentStore } from '../../../src/store/agent-store';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../../src/store/migrations';
import { nodeStorage } from '../../../src/testing/node-storage';
import { childRecord, state } from '../../contract/stores-support';

const RECORD = `key = '["named"]'`;
const result = { success: true, value: 1 } as const;

/** Each way that a child's row counts: with the tree or with one of two runs, alive, terminated or gone. */
const WAYS: readonly Partial<Child>[] = [{}, { ofRun: 1 }, { ofRun: 2 }].flatMap((kept): Partial<Child>[] => [
  kept,
  { ...kept, state: { is: 'ended', result, session: 'terminated' } },
  { ...kept, state: { is: 'ended', result, gone: true } },
]);

it('[CO13, CO14, CO31, CR4, SO5] is that of the rows as they are, from any way that one counts to any other', () => {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  const store = new SqlAgentStore(storage);
  store.create(state());
  const put = (id: number, name: string, way: Partial<Child>) =>
    store.write([
      { put: 'child', child: childRecord(id, 'Leaf', name, { lifetime: 'named', name, ...way }), reuses: false },
    ]);
  const told = () => [store.countLasting(), store.namesAhead()];
  /** As the rows alone say it. */
  const counted = () => {
    const rows = storage.sql.exec(`SELECT key, body, answer, expires_at FROM receipts WHERE ${RECORD}`).toArray();
    storage.sql.exec(`DELETE FROM receipts WHERE ${RECORD}`);
    const all = told();
    for (const { key, body, answer, expires_at } of rows)
      storage.sql.exec(
        'INSERT INTO receipts (key, body, answer, expires_at) VALUES (?, ?, ?, ?)',
        key,
        body,
        answer,
        expires_at,
      );
    expect(rows).toHaveLength(1);
    return all;
  };
  put(1, 'bob', { ofRun: 1 });
  for (const [from, before] of WAYS.entries())
    for (const [to, after] of WAYS.entries()) {
      // A child that is released does not come again.
      const id = 2 + from * WAYS.length + to;
      for (const way of [before, after]) {
        put(id, 'leaf-999', way);
        expect([from, to, told()]).toEqual([from, to, counted()]);
        expect(told()).toMatchObject([{ count: 2 }, ['leaf-999']]);
      }
      store.release([id]);
      expect([from, to, told()]).toEqual([from, to, counted()]);
      expect(told()).toEqual([{ count: 1, ofRun: [{ name: 'bob', ofRun: 1 }] }, []]);
    }
});
