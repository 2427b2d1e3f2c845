/** A root's record over a real store: what is owed there, and what a change of it leaves as it is. */
import { expect, it } from 'vitest';
import { limitsOf } from '../../../src/core/definition/limits';
import type { AtOnce } from '../../../src/core/ports/agent-store';
import type { ChildNode } from '../../../src/core/tree/node';
import type { RootDeps } from '../../../src/engine/root/deps';
import { TreeRecord } from '../../../src/engine/root/record';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../../src/store/migrations';
import { transact } from '../../../src/store/storage';
import { SqlTreeStore } from '../../../src/store/tree-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';
import { VirtualTime } from '../../support/virtual-time';

const OWED = '/agents/top/one/sub/leaf/9~1';
const TRIES = { since: 1, attempts: 2, nextAt: 3 };

/** A record that owes a removal already, of a root with a companion that has two agents of an earlier turn below it. */
function recordThatOwes() {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const store = new SqlTreeStore(storage);
  const transaction = <Result>(body: () => AtOnce<Result>): Result => transact(storage, body);
  const { environment } = new VirtualTime();
  const deps = { environment, store, transaction, limits: limitsOf({ keepRuns: 1 }) } as unknown as RootDeps;
  const record = new TreeRecord(deps);
  const ended = { schedule: STANDS.ended, status: 'completed' } as const;
  const below = (id: number): ChildNode =>
    childNode(id, { ...ended, parentId: 2, depth: 3, address: `/agents/top/one/sub/leaf/2~1/sub/leaf/${id}~1` });
  const owes = { pendingRemovals: [OWED], removedSessions: { [OWED]: 's_9' }, removalTries: { [OWED]: TRIES } };
  transaction(() => {
    for (const node of [
      rootNode({ top: { ...NO_FACTS, ...owes } }),
      childNode(2, { ...ended, lifetime: 'named' }),
      ...[below(3), below(4)],
    ])
      record.put(node);
    store.beginTurn(1, 1);
  });
  return { record, again: () => new TreeRecord(deps), transaction };
}

it.each([
  ['a turn begins', (record: TreeRecord) => record.beginTurn(2, []), [3, 4]],
  ['an agent is deleted', (record: TreeRecord) => record.remove(record.index.get(3) as ChildNode), [3]],
  ['one with others below it is deleted', (record: TreeRecord) => record.remove(record.index.get(2) as ChildNode), [2]],
] as const)('[OP6] when %s, the removals that were owed before stay owed, with their tries', (_when, change, leave) => {
  const { record, again, transaction } = recordThatOwes();
  const addresses = leave.map((id) => record.index.get(id)?.address);
  transaction(() => change(record));
  for (const each of [record, again()]) {
    expect([...each.pendingRemovals].sort()).toEqual([OWED, ...addresses].sort());
    expect(each.self()?.top).toMatchObject({ removedSessions: { [OWED]: 's_9' }, removalTries: { [OWED]: TRIES } });
    for (const id of leave) expect(each.index.get(id)).toBeUndefined();
  }
});
