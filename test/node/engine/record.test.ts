/** A root's record over a real store: what is owed there, and what a change of it leaves as it is. */
import { expect, it } from 'vitest';
import type { Session } from '../../../src/core/agent/state';
import { type Limits, limitsOf } from '../../../src/core/definition/limits';
import type { AtOnce } from '../../../src/core/ports/agent-store';
import { totalSpent } from '../../../src/core/tree/budget';
import type { ChildNode, TreeNode } from '../../../src/core/tree/node';
import type { WaitingCall } from '../../../src/core/tree/pending';
import type { RootDeps } from '../../../src/engine/root/deps';
import { TreeRecord } from '../../../src/engine/root/record';
import type { Chunk } from '../../../src/protocol/chunks';
import { NO_USAGE } from '../../../src/protocol/usage';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../../src/store/migrations';
import { transact } from '../../../src/store/storage';
import { SqlTreeStore } from '../../../src/store/tree-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { chunks } from '../../contract/stores-support';
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

/** A record over a real store, and all that it holds. */
function recordOf(nodes: readonly TreeNode[], limits: Partial<Limits> = {}) {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const store = new SqlTreeStore(storage);
  const transaction = <Result>(body: () => AtOnce<Result>): Result => transact(storage, body);
  const { environment } = new VirtualTime();
  const problems: string[] = [];
  const told = { ...environment, report: (problem: string) => void problems.push(problem) };
  const deps = { environment: told, store, transaction, limits: limitsOf(limits) } as unknown as RootDeps;
  const record = new TreeRecord(deps);
  for (const node of nodes) record.put(node);
  const heldBy = (one: TreeRecord) => ({
    nodes: [...one.index.all()].sort((a, b) => a.id - b.id),
    unerased: one.unerased,
    open: one.waiting.open(),
  });
  return {
    ...{ record, store, problems },
    /** Makes a change, and compares all that is in memory with what an object reads that begins now. */
    changed(change: (record: TreeRecord) => void) {
      record.write(() => void change(record));
      const held = heldBy(record);
      expect(held).toEqual(heldBy(new TreeRecord(deps)));
      return held;
    },
    held: () => heldBy(record),
  };
}

const ENDED = { schedule: STANDS.ended, status: 'completed' } as const;
const spent = (modelCalls: number) => ({ usage: { ...NO_USAGE, modelCalls } });
/** A companion in an object of its own with two below it, and one beside it. */
const FAMILY = [
  rootNode({
    ...spent(1),
    top: { ...NO_FACTS, lastId: 9, pendingRemovals: [`${childNode(2).address}/sub/leaf/8~1`, OWED] },
  }),
  childNode(2, { ...ENDED, ...spent(2), lifetime: 'named', placement: 'object' }),
  childNode(3, {
    ...spent(4),
    parentId: 2,
    depth: 3,
    placement: 'object',
    address: `${childNode(2).address}/sub/leaf/3~1`,
  }),
  childNode(4, { ...spent(8), parentId: 3, depth: 4, address: `${childNode(2).address}/sub/leaf/3~1/sub/leaf/4~1` }),
  childNode(5, { ...ENDED, ...spent(16), lifetime: 'named' }),
];
const ids = ({ nodes }: { readonly nodes: readonly TreeNode[] }) => nodes.map(({ id }) => id);
const callOf = (toolCallId: string): WaitingCall => ({
  ...{ toolCallId, stepId: 1, kind: 'approval', toolName: 'pay', requestedAt: 5 },
});
const askedBy = (toolCallId: string): Chunk => ({
  ...{ agentId: 's', agentType: 'a', address: '/agents/a/x', runId: 'r', step: 1, attempt: 1, timestamp: 5 },
  ...{ type: 'tool_approval_request', toolCallId, toolName: 'pay', arguments: {}, inputHash: 'x' },
});

it('[TR1, RT1] a tree begins with its root, which has done nothing', () => {
  const { changed, record } = recordOf([]);
  const session = { sessionId: 's_root', address: '/agents/top/one', agentType: 'top', createdAt: 7 } as Session;
  const { nodes } = changed(() => record.found(session));
  expect(nodes).toEqual([
    {
      ...{ kind: 'root', id: 1, sessionId: 's_root', address: '/agents/top/one', agentType: 'top', depth: 1, turn: 0 },
      ...{ schedule: { phase: 'idle' }, status: 'idle', statusText: '', lastChunk: 0, sequence: 0, usage: NO_USAGE },
      ...{ timeoutMs: limitsOf({}).maxWallMs, createdAt: 7, top: NO_FACTS },
    },
  ]);
});

it('[RT1, OP6, TR8] who leaves takes all below with it, leaves what it spent, and what of it is to be erased', () => {
  const { changed, record } = recordOf(FAMILY);
  const before = totalSpent(record.index);
  record.waiting.update(4, [callOf('c')], [askedBy('c')]);
  record.waiting.update(5, [callOf('d')], [askedBy('d')]);
  expect(record.committed()).toBe(false);
  const after = changed(() => record.remove(FAMILY[1] as ChildNode));
  expect(ids(after)).toEqual([1, 5]);
  expect(totalSpent(record.index)).toEqual(before);
  // The object that lies below the removed one is erased by the root; what was owed below it goes with it.
  expect(after.unerased).toMatchObject([{ id: 3, sessionId: 's_3' }]);
  expect(after.unerased.map(({ address }) => address)).toEqual([FAMILY[2]?.address]);
  expect([...record.pendingRemovals].sort()).toEqual([OWED, childNode(2).address].sort());
  expect(record.self()?.top).toMatchObject({ removedSessions: { [childNode(2).address]: 's_2' }, lastId: 9 });
  expect([...record.index.deleted]).toEqual(['s_2']);
  expect(after.open.map(({ node }) => node)).toEqual([5]);
  // It is said once that somebody has left.
  expect([record.committed(), record.committed()]).toEqual([true, false]);
  const [object] = after.unerased;
  if (object === undefined) throw new TypeError('One is to be erased.');
  const again = changed(() => record.erased([], [object], 1_000));
  expect(again.unerased).toEqual([{ ...object, tries: { since: 1_000, attempts: 1, nextAt: 2_000 } }]);
  expect(changed(() => record.erased(again.unerased, [], 1_000)).unerased).toEqual([]);
});

it('[OP6, OP13] a removal is owed until it is done, and one that comes to nothing keeps its tries', () => {
  const { changed, record } = recordOf(FAMILY);
  const [below, owed] = record.pendingRemovals as [string, string];
  changed(() => record.removedInVain([owed], 1_000));
  const tries = { [owed]: { since: 1_000, attempts: 1, nextAt: 2_000 } };
  expect(record.self()?.top).toMatchObject({ removalTries: tries, pendingRemovals: [below, owed] });
  const before = record.self();
  changed(() => record.dropRemovals(new Set(['/agents/top/one/sub/leaf/7~1'])));
  expect(record.self()).toBe(before);
  changed(() => record.dropRemovals(new Set([below])));
  expect(record.self()?.top).toMatchObject({ removalTries: tries, pendingRemovals: [owed] });
  changed(() => record.dropRemovals(new Set([owed])));
  expect(record.pendingRemovals).toEqual([]);
  const none = recordOf([]);
  none.changed(() => {
    none.record.removedInVain([owed], 1_000);
    none.record.dropRemovals(new Set([owed]));
    none.record.oweRemovals([], [FAMILY[1] as ChildNode]);
    none.record.note({ reported: 'x' });
    none.record.beginTurn(1, []);
  });
  expect(none.record.pendingRemovals).toEqual([]);
});

it('[SP8, RT1] who is given up ends with all at work below, without their calls, and who had ended keeps its end', () => {
  const { changed, record } = recordOf([
    ...FAMILY.slice(0, 1),
    childNode(2),
    ...FAMILY.slice(2, 4),
    childNode(6, { ...ENDED, parentId: 2, depth: 3, address: `${childNode(2).address}/sub/leaf/6~1` }),
    childNode(5),
  ]);
  record.waiting.update(4, [callOf('c')], [askedBy('c')]);
  const all = ['s_2', 's_5', 's_none', 's_root'];
  const after = changed(() => record.end(all, 500, ({ sessionId }) => sessionId !== 's_5'));
  const stands = after.nodes.map(({ id, status, schedule }) => [
    id,
    status,
    schedule.phase === 'ended' ? schedule.end : schedule.phase,
  ]);
  const gone = { by: 'abandoned', at: 500 };
  expect(stands).toEqual([
    [1, 'running', 'working'],
    [2, 'failed', gone],
    [3, 'failed', gone],
    [4, 'failed', gone],
    [5, 'running', 'working'],
    [6, 'completed', { by: 'itself', at: 1 }],
  ]);
  expect(after.open).toEqual([]);
  // One that never began takes with it who was below it from the beginning, unless that has objects already.
  const queued = childNode(2, { lastChunk: 0, schedule: STANDS.queued, status: 'queued' });
  const below = (placement: 'facet' | 'object') =>
    childNode(3, { parentId: 2, depth: 3, along: true, placement, address: `${queued.address}/sub/leaf/3~1` });
  for (const placement of ['facet', 'object'] as const) {
    const unbegun = recordOf([rootNode(), queued, below(placement), childNode(5)]);
    const left = ids(unbegun.changed(() => unbegun.record.end(['s_2'], 500, () => true)));
    expect(left).toEqual(placement === 'facet' ? [1, 2, 5] : [1, 2, 3, 5]);
  }
  const waits = recordOf([rootNode(), queued, below('facet'), childNode(5)]);
  expect(ids(waits.changed(() => waits.record.forgetBelow(2)))).toEqual([1, 2, 3, 5]);
});

it('[TR8, W7, BU8] a turn begins with all as it was but its clock, its tasks and what was spent before', () => {
  const { changed, record, store } = recordOf(FAMILY, { keepRuns: 100 });
  const openTasks = [{ tasks: [{ childId: 5, task: 1 }], need: 1 }];
  const before = record.self();
  const { nodes } = changed(() => record.beginTurn(2, openTasks));
  const top = { ...before?.top, usageAtTurnStart: { ...NO_USAGE, modelCalls: 31 } };
  const timeoutMs = limitsOf({}).maxWallMs;
  expect(nodes).toEqual([
    { ...before, turn: 2, timeoutMs, schedule: { phase: 'idle' }, top, openTasks },
    ...FAMILY.slice(1),
  ]);
  expect(store.turns()).toEqual([{ turn: 2, first: 1 }]);
});

it('[CR1] who was kept with a run leaves when that has told its end, and not before it rests itself', () => {
  const kept = { task: { removal: 'after_run' } } as const;
  const { changed, record } = recordOf([
    rootNode(),
    childNode(2, { ...ENDED, ...kept }),
    childNode(3, kept),
    childNode(4, ENDED),
  ]);
  const end: Chunk = Object.assign({}, askedBy('c'), { type: 'run_completed' as const, output: null });
  changed(() => record.leaveAfter(rootNode(), [end]));
  expect(ids(changed(() => record.letGo()))).toEqual([1, 3, 4]);
  expect(ids(changed(() => record.letGo()))).toEqual([1, 3, 4]);
});

it('[RT1] a change that fails leaves everything as it was, in memory as in the rows, and the failure is told or thrown', () => {
  for (const tells of [true, false]) {
    const { record, problems, held } = recordOf(FAMILY);
    record.waiting.update(5, [callOf('d')], [askedBy('d')]);
    const before = held();
    const fails = () => {
      record.remove(FAMILY[1] as ChildNode);
      record.waiting.update(5);
      throw new Error('The disk is full.');
    };
    if (tells) expect(record.write(fails, () => 'told')).toBe('told');
    else expect(() => record.write(fails)).toThrow('The disk is full.');
    expect(held()).toEqual(before);
    expect([record.committed(), problems.length]).toEqual([false, tells ? 1 : 0]);
  }
});

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

it('[W7, TR8, OP6] what is older than the turns that are kept leaves the log, and who lived for them the record', () => {
  const old = (id: number, turn: number, facts: Parameters<typeof childNode>[1] = {}) =>
    childNode(id, { ...ENDED, task: { turn }, ...facts });
  const inner = { parentId: 2, depth: 3, address: `${childNode(2).address}/sub/leaf/7~1` };
  const nodes = [
    rootNode(),
    childNode(2, { ...ENDED, lifetime: 'named' }),
    old(3, 1),
    old(4, 2),
    childNode(5, { task: { turn: 1 } }),
    old(7, 1, inner),
  ];
  const { changed, record, store } = recordOf(nodes, { keepRuns: 2 });
  for (const turn of [1, 2, 3]) {
    changed(() => record.beginTurn(turn, []));
    changed(() => void record.log.append(1, turn * 3, chunks(turn)));
    record.committed();
    const first = turn === 3 ? 2 : 1;
    expect([record.log.first, record.log.last]).toEqual([first, (turn * (turn + 1)) / 2]);
    expect(store.turns().map((one) => one.turn)).toEqual(turn === 3 ? [2, 3] : turn === 2 ? [1, 2] : [1]);
  }
  // Who has ended with the first turn is gone, its object owed where nobody who goes clears it away.
  const after = changed(() => undefined);
  expect(ids(after)).toEqual([1, 2, 4, 5]);
  expect([record.pendingRemovals, record.self()?.top.removedSessions]).toEqual([
    [inner.address],
    { [inner.address]: 's_7' },
  ]);
});

it('[W7] a turn that is larger than the log may be leaves it with the next one', () => {
  const row = chunks(10);
  const sizes = recordOf([rootNode()]);
  sizes.changed(() => void sizes.record.log.append(1, 1, row));
  const size = sizes.store.size(1, 11);
  for (const [keepLogBytes, first] of [
    [size, 1],
    [size - 1, 11],
  ] as const) {
    const { changed, record } = recordOf([rootNode()], { keepLogBytes, keepRuns: 100 });
    changed(() => record.beginTurn(1, []));
    changed(() => void record.log.append(1, 1, row));
    record.committed();
    changed(() => record.beginTurn(2, []));
    record.committed();
    expect(record.log.first).toBe(first);
  }
});
