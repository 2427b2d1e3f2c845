/** The record of a tree in memory against a naive reading of its nodes, whatever is set and removed. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasEndedTask, isAbandoned, isLive, type Schedule, type TreeNode } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { childNode, NO_FACTS, rootNode, STANDS } from '../../support/nodes';
import { always } from '../../support/sizes';

const IDS = [2, 3, 4, 5, 6];
/** The parent of each. */
const ABOVE: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 2, 5: 3, 6: 1 };
const SCHEDULES: readonly Schedule[] = [
  { phase: 'queued', timeLeft: 1, place: 4 },
  { phase: 'queued', timeLeft: 1, place: 9 },
  STANDS.working,
  STANDS.working,
  STANDS.waiting,
  STANDS.ended,
  { phase: 'ended', timeLeft: 1, end: { by: 'abandoned', at: 1 } },
];
const stopOwed = { verb: 'abort', runId: 'r', since: 1, attempts: 1, nextAt: 2 } as const;
const key = fc.record({ childId: fc.constantFrom(...IDS), task: fc.constantFrom(1, 2) });
const openTasks = fc.array(fc.record({ tasks: fc.array(key, { maxLength: 3 }), need: fc.nat(2) }), { maxLength: 2 });
const maybe = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { nil: undefined });
const happens = fc.record({
  what: fc.constantFrom('set', 'set', 'set', 'removed'),
  id: fc.constantFrom(1, ...IDS, ...IDS),
  schedule: fc.constantFrom(...SCHEDULES),
  status: fc.constantFrom('running', 'running', 'failed', 'interrupted', 'completed', 'terminated'),
  lifetime: fc.constantFrom('call', 'named'),
  task: fc.record({
    number: fc.constantFrom(1, 2),
    onFailure: maybe(fc.constant('wait')),
    removal: maybe(fc.constantFrom('after_run', 'when_idle')),
  }),
  facts: fc.record(
    {
      ...{ undelivered: fc.constant(true), owesElsewhere: fc.constant(true), stopOwed: fc.constant(stopOwed) },
      ...{ effectAt: fc.nat(9), lastAt: fc.nat(9), openTasks },
    },
    { requiredKeys: [] },
  ),
  lastChunk: fc.nat(1),
  lastId: fc.nat(12),
});
type Happens = typeof happens extends fc.Arbitrary<infer Value> ? Value : never;

function nodeOf({ id, schedule, status, lifetime, task, facts, lastChunk, lastId }: Happens): TreeNode {
  const given = Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined));
  const { undelivered: _undelivered, stopOwed: _owed, ...ofRoot } = facts;
  return id === 1
    ? rootNode({ ...ofRoot, schedule, status, top: { ...NO_FACTS, lastId } } as never)
    : childNode(id, { ...facts, parentId: ABOVE[id], schedule, status, lifetime, lastChunk, task: given } as never);
}

/** All answers of a record, by the words of the promises. */
function naively(nodes: ReadonlyMap<number, TreeNode>) {
  const all = [...nodes.values()];
  const kids = all.filter((node) => node.kind === 'child');
  const parentOf = (node: TreeNode): TreeNode | undefined =>
    node.kind === 'child' ? nodes.get(node.parentId) : undefined;
  const atOrAbove = (node: TreeNode, is: (one: TreeNode) => boolean): boolean => {
    const parent = parentOf(node);
    return is(node) || (parent !== undefined && atOrAbove(parent, is));
  };
  const isOpen = (node: TreeNode): boolean => {
    const parent = parentOf(node);
    if (parent === undefined || node.kind === 'root' || !goesOn(parent)) return false;
    const keys = (parent.openTasks ?? []).flatMap(({ tasks }) => tasks);
    return keys.some(({ childId, task }) => childId === node.childId && task === node.task.number);
  };
  const goesOn = (node: TreeNode): boolean => {
    if (node.kind === 'root' || isLive(node) || isOpen(node)) return true;
    const parent = parentOf(node);
    return node.lifetime === 'named' && !isAbandoned(node) && parent !== undefined && goesOn(parent);
  };
  const isPast = (node: TreeNode): boolean =>
    atOrAbove(node, (one) => one.kind === 'child' && one.lifetime === 'call' && hasEndedTask(one) && !isOpen(one));
  const isTerminated = (node: TreeNode): boolean => atOrAbove(node, ({ status }) => status === 'terminated');
  const whyOver = (node: TreeNode) => (isTerminated(node) ? 'ended' : isPast(node) ? 'past' : undefined);
  const lends = (node: TreeNode): boolean =>
    node.kind === 'child' &&
    (node.openTasks ?? []).some(({ tasks, need }) => {
      const known = tasks.flatMap(({ childId, task }) => {
        const child = kids.find((one) => one.parentId === node.id && one.childId === childId);
        return child && child.task.number >= task ? [{ child, isOld: child.task.number > task }] : [];
      });
      const live = known.filter(({ child, isOld }) => !isOld && isLive(child));
      return live.length > 0 && known.filter(({ child, isOld }) => isOld || hasEndedTask(child)).length < need;
    });
  const at = (phase: string): TreeNode[] => all.filter(({ schedule }) => schedule.phase === phase);
  const ids = (some: readonly TreeNode[]): number[] => some.map(({ id }) => id).toSorted();
  const of = (phase: string): number => kids.filter(({ schedule }) => schedule.phase === phase).length;
  const isOver = (node: TreeNode): boolean => atOrAbove(node, (one) => one.status === 'terminated' || isAbandoned(one));
  const owes = (node: TreeNode): boolean =>
    node.owesElsewhere === true || (node.kind === 'child' && node.stopOwed !== undefined);
  return {
    root: nodes.get(1),
    phases: (['queued', 'working', 'waiting'] as const).map((phase) => ids(at(phase))),
    undelivered: ids(kids.filter((node) => node.undelivered)),
    toRemove: ids(kids.filter(({ task }) => task.removal === 'when_idle')),
    effects: ids(all.filter((node) => node.effectAt !== undefined && (owes(node) || !isOver(node)))),
    listed: ids(kids.filter(({ lifetime }) => lifetime === 'named')),
    strays: ids(
      kids.filter(
        (node) => isLive(node) && all.some((one) => one.id === node.parentId && !isLive(one) && whyOver(one)),
      ),
    ),
    counts: { running: of('working'), queued: of('queued'), waiting: of('waiting'), total: kids.length },
    slots: kids.filter((node) => node.schedule.phase === 'working' && !lends(node)).length,
    each: all.map((node) => ({
      ...{ id: node.id, node, over: whyOver(node), ended: isTerminated(node), lends: lends(node), open: isOpen(node) },
      children: ids(kids.filter(({ parentId }) => parentId === node.id)),
      subtree: ids(all.filter((one) => atOrAbove(one, ({ id }) => id === node.id))),
    })),
  };
}

function told(tree: TreeIndex) {
  const ids = (some: Iterable<TreeNode>): number[] => Array.from(some, ({ id }) => id).toSorted();
  return {
    root: tree.root(),
    phases: (['queued', 'working', 'waiting'] as const).map((phase) => ids(tree.at(phase).values())),
    undelivered: ids(tree.undelivered.values()),
    toRemove: ids(tree.toRemove.values()),
    effects: ids(tree.withEffects()),
    listed: ids(tree.listed.all()),
    strays: ids(tree.strays()),
    counts: tree.childCounts(),
    slots: tree.slotsTaken(),
    each: Array.from(tree.all(), (node) => ({
      ...{ id: node.id, node: tree.bySession(node.sessionId), over: tree.whyOver(node), ended: tree.isEnded(node) },
      ...{ lends: tree.lends(node), open: node.kind === 'child' && tree.hasOpenTask(node) },
      ...{ children: ids(tree.children(node.id)), subtree: ids(tree.subtree(node.id)) },
    })),
  };
}

it('[TR3, TR7, TR10, TR11, TR12, CB4, RM59, SAQ13, CR1] answers by its nodes as they are, in whatever order they came and left', async () => {
  const holds = fc.property(fc.array(happens, { minLength: 6, maxLength: 24, size: 'max' }), (all) => {
    const tree = new TreeIndex();
    const nodes = new Map<number, TreeNode>();
    let [lastAt, lastId, lastPlace] = [0, 0, 0];
    const isBelow = (id: number, top: number): boolean => id === top || isBelowParent(ABOVE[id], top);
    const isBelowParent = (id: number | undefined, top: number): boolean => id !== undefined && isBelow(id, top);
    for (const one of all) {
      const { id } = one;
      // A parent is there before its children, and leaves with all below it.
      if (id !== 1 && !nodes.has(ABOVE[id] ?? 1)) continue;
      if (one.what === 'set') {
        const node = nodeOf(one);
        tree.set(node);
        nodes.set(id, node);
        lastAt = Math.max(lastAt, node.lastAt ?? 0);
        lastId = Math.max(lastId, id, node.kind === 'root' ? node.top.lastId : 0);
        lastPlace = Math.max(lastPlace, node.schedule.phase === 'queued' ? node.schedule.place : 0);
        tree.held.set(node.sessionId, { lease: { tokens: 1, costUsd: 1, steps: 1 }, at: node.usage });
      } else if (id !== 1) {
        for (const gone of [...nodes.values()].filter((node) => isBelow(node.id, id))) {
          tree.remove(gone.id);
          nodes.delete(gone.id);
          const { sessionId, address } = gone;
          expect([tree.bySession(sessionId), tree.byAddress(address), tree.held.has(sessionId)]).toEqual([
            undefined,
            undefined,
            false,
          ]);
        }
      }
    }
    expect(told(tree)).toEqual(naively(nodes));
    expect([tree.lastAt, tree.nextId, tree.nextPlace]).toEqual([lastAt, lastId + 1, lastPlace + 1]);
    for (const node of nodes.values()) {
      expect([tree.get(node.id), tree.byAddress(node.address)]).toEqual([node, node]);
      const isChild = node.kind === 'child';
      expect([tree.childBySession(node.sessionId), tree.parentOf(node)]).toEqual(
        isChild ? [node, nodes.get(node.parentId)] : [undefined, undefined],
      );
      if (isChild) expect(tree.childOf(node.parentId, node.childId)).toBe(node);
    }
    for (const id of IDS)
      if (!nodes.has(id)) expect([tree.get(id), tree.childOf(ABOVE[id] ?? 0, id)]).toEqual([undefined, undefined]);
  });
  await always(holds, 80);
});
