/**
 * The root's record of its tree in memory, with what its decisions count. That is who holds a concurrency slot, who
 * lends it to others while it waits (TR7, TR10), who is in the queue, and whose task is open (TR11).
 *
 * Decides: who lends a concurrency slot, and how many are taken.
 */
import type { Usage } from '../../protocol/usage';
import { isSameTask } from '../agent/children/await';
import { keyOf } from '../agent/children/child';
import type { Awaits } from '../agent/state';
import type { Lease } from './lease';
import { ListedNodes } from './listed-nodes';
import {
  type ChildNode,
  hasEndedTask,
  isAbandoned,
  isLive,
  placeOf,
  ROOT_ID,
  type RootNode,
  type Schedule,
  type TreeNode,
} from './node';
import { takesFurtherTasks } from './relationship-rules';
import type { Below } from './subtree-sums';

/** The phases of agents that are live. */
type LivePhase = Exclude<Schedule['phase'], 'idle' | 'ended'>;

/** The nodes of a tree by id, session and address, with the counts that decisions need. Changed only through `set` and `remove`. */
export class TreeIndex {
  readonly #nodes = new Map<number, TreeNode>();
  readonly #bySession = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  /** The latest record of each child, by its parent and its number there. */
  readonly #byChild = new Map<string, number>();
  readonly #live: { readonly [Phase in LivePhase]: Map<number, TreeNode> } = {
    queued: new Map(),
    working: new Map(),
    waiting: new Map(),
  };
  readonly #undelivered = new Map<number, ChildNode>();
  readonly #toRemove = new Map<number, ChildNode>();
  readonly #withEffects = new Map<number, TreeNode>();
  /** The agents that lists over all roots have something of. */
  readonly listed = new ListedNodes();
  readonly #children = new Map<number, Map<number, ChildNode>>();
  #lastAt = 0;
  #lastId = 0;
  #lastPlace = 0;

  /**
   * What is kept in memory alone, and outlives a record that is read anew.
   * @param held the leases that are set aside, by session
   * @param deleted the sessions that were deleted: a request which was on its way may still ask for one
   */
  constructor(
    nodes: Iterable<TreeNode> = [],
    readonly held: Map<string, { readonly lease: Lease; readonly at: Usage }> = new Map(),
    readonly deleted: Set<string> = new Set(),
  ) {
    for (const node of nodes) this.set(node);
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  /** For who comes to the queue next. */
  get nextPlace(): number {
    return this.#lastPlace + 1;
  }

  get(id: number): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  /** The root's own node; there once its session is. */
  root(): RootNode | undefined {
    const node = this.#nodes.get(ROOT_ID);
    return node?.kind === 'root' ? node : undefined;
  }

  bySession(sessionId: string): TreeNode | undefined {
    return this.#nodes.get(this.#bySession.get(sessionId) ?? 0);
  }

  /** The same where it is a child. */
  childBySession(sessionId: string): ChildNode | undefined {
    const node = this.bySession(sessionId);
    return node?.kind === 'child' ? node : undefined;
  }

  byAddress(address: string): TreeNode | undefined {
    return this.#nodes.get(this.#byAddress.get(address) ?? 0);
  }

  /** The parent of a child; a root has none. */
  parentOf(node: TreeNode): TreeNode | undefined {
    return node.kind === 'child' ? this.#nodes.get(node.parentId) : undefined;
  }

  all(): IterableIterator<TreeNode> {
    return this.#nodes.values();
  }

  /** All but the root. */
  *allChildren(): Generator<ChildNode> {
    for (const node of this.#nodes.values()) if (node.kind === 'child') yield node;
  }

  /** The agents in a phase, in no order that would outlive this memory. */
  at(phase: LivePhase): ReadonlyMap<number, TreeNode> {
    return this.#live[phase];
  }

  /** The agents that have something for their parents. */
  get undelivered(): ReadonlyMap<number, ChildNode> {
    return this.#undelivered;
  }

  /** When an agent of the tree wrote its latest chunk, in ms since 1970; 0 where none has. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** The agents that were kept with a run which has ended: each is removed once it is idle. */
  get toRemove(): ReadonlyMap<number, ChildNode> {
    return this.#toRemove;
  }

  /** The agents with scheduled effects, which may be done: nobody ended them or an agent above them for good. */
  *withEffects(): Generator<TreeNode & { readonly effectAt: number }> {
    for (const node of this.#withEffects.values()) {
      const { effectAt } = node;
      // What is owed to an agent elsewhere is owed whatever became of those here.
      const isOwed = node.owesElsewhere || (node.kind === 'child' && node.stopOwed !== undefined);
      if (effectAt !== undefined && (isOwed || !this.#isOver(node))) yield { ...node, effectAt };
    }
  }

  /** Whether an agent was ended for good, or one above it: nothing begins below it any more. */
  isEnded(node: TreeNode): boolean {
    if (node.status === 'terminated') return true;
    const parent = this.parentOf(node);
    return parent !== undefined && this.isEnded(parent);
  }

  /** Why nothing below an agent is given work any more, if that is so. */
  whyOver(node: TreeNode): 'ended' | 'past' | undefined {
    if (this.isEnded(node)) return 'ended';
    return this.#isPast(node) ? 'past' : undefined;
  }

  /** Whether an agent lived for one call that has its result, or one above it did: nobody hears of the ends below it. */
  #isPast(node: TreeNode): boolean {
    if (node.kind === 'root') return false;
    if (!takesFurtherTasks(node) && hasEndedTask(node) && !this.hasOpenTask(node)) return true;
    const parent = this.parentOf(node);
    return parent !== undefined && this.#isPast(parent);
  }

  /**
   * Those at work, in the queue or waiting that nobody stops although an agent above them was ended for good, or lived for
   * one call that has its result: their own parents are at rest, so no stop reaches these.
   */
  strays(): ChildNode[] {
    const live = [...Object.values(this.#live)].flatMap((nodes) => [...nodes.values()]);
    return live.filter((node): node is ChildNode => {
      const parent = this.parentOf(node);
      return node.kind === 'child' && parent !== undefined && !isLive(parent) && this.whyOver(parent) !== undefined;
    });
  }

  #isOver(node: TreeNode): boolean {
    if (node.status === 'terminated' || isAbandoned(node)) return true;
    const parent = this.parentOf(node);
    return parent !== undefined && this.#isOver(parent);
  }

  children(id: number): ChildNode[] {
    return [...(this.#children.get(id)?.values() ?? [])];
  }

  /** The node and everything below it; each parent before its children. */
  subtree(id: number): TreeNode[] {
    const members = new Set([id]);
    const found: TreeNode[] = [];
    for (const node of this.#nodes.values()) {
      if (!members.has(node.id) && !(node.kind === 'child' && members.has(node.parentId))) continue;
      members.add(node.id);
      found.push(node);
    }
    return found;
  }

  /** All agents below the root by how they stand. */
  childCounts(): Below['childCounts'] {
    const root = this.root();
    const at = (phase: LivePhase): number => this.#live[phase].size - (root?.schedule.phase === phase ? 1 : 0);
    const [running, queued, waiting] = [at('working'), at('queued'), at('waiting')];
    return { running, queued, waiting, total: this.#nodes.size - (root ? 1 : 0) };
  }

  /** A child by its number at its parent: where one was started anew, the one that came last. */
  childOf(parentId: number, childId: number): ChildNode | undefined {
    const node = this.#nodes.get(this.#byChild.get(`${parentId} ${childId}`) ?? 0);
    return node?.kind === 'child' ? node : undefined;
  }

  /** Whether an agent waits for live children of its own, and lends them its concurrency slot (TR10). */
  lends(node: TreeNode): boolean {
    return node.kind === 'child' && (node.openTasks ?? []).some((awaits) => this.#isWaiting(node, awaits));
  }

  #isWaiting({ id }: ChildNode, { tasks, need }: Awaits): boolean {
    let ended = 0;
    let live = false;
    for (const { childId, task } of tasks) {
      const child = this.childOf(id, childId);
      if (child === undefined || child.task.number < task) continue;
      live ||= child.task.number === task && isLive(child);
      if (child.task.number > task || hasEndedTask(child)) ended++;
    }
    return live && ended < need;
  }

  /** Whether the task of a child is open: its parent has told of no end of it, and may still go on (TR11). */
  hasOpenTask(node: ChildNode): boolean {
    const parent = this.parentOf(node);
    if (parent === undefined || !this.#mayGoOn(parent)) return false;
    return (parent.openTasks ?? []).some(({ tasks }) => tasks.some((key) => isSameTask(key, keyOf(node))));
  }

  #mayGoOn(node: TreeNode): boolean {
    if (node.kind === 'root' || isLive(node)) return true;
    const parent = this.parentOf(node);
    const lasts = takesFurtherTasks(node) && !isAbandoned(node) && parent !== undefined && this.#mayGoOn(parent);
    return lasts || this.hasOpenTask(node);
  }

  /** Agents that hold a concurrency slot: they work, and do not just wait for children of their own. */
  slotsTaken(): number {
    let count = 0;
    for (const node of this.at('working').values()) if (node.kind === 'child' && !this.lends(node)) count++;
    return count;
  }

  set(node: TreeNode): void {
    const before = this.#nodes.get(node.id);
    this.#toPhase(node, before);
    this.#lastPlace = Math.max(this.#lastPlace, placeOf(node));
    if (node.kind === 'child' && node.undelivered) this.#undelivered.set(node.id, node);
    else this.#undelivered.delete(node.id);
    if (node.kind === 'child' && node.task.removal === 'when_idle') this.#toRemove.set(node.id, node);
    else this.#toRemove.delete(node.id);
    if (node.effectAt === undefined) this.#withEffects.delete(node.id);
    else this.#withEffects.set(node.id, node);
    this.listed.set(node);
    this.#lastAt = Math.max(this.#lastAt, node.lastAt ?? 0);
    this.#nodes.set(node.id, node);
    this.#bySession.set(node.sessionId, node.id);
    this.#name(this.#byAddress, node.address, node.id);
    if (node.kind === 'child') {
      this.#name(this.#byChild, `${node.parentId} ${node.childId}`, node.id);
      this.#siblingsOf(node).set(node.id, node);
    }
    this.#lastId = Math.max(this.#lastId, node.id, node.kind === 'root' ? node.top.lastId : 0);
  }

  remove(id: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    const { phase } = node.schedule;
    if (isLivePhase(phase)) this.#live[phase].delete(id);
    this.#undelivered.delete(id);
    this.#toRemove.delete(id);
    this.listed.delete(id);
    this.#withEffects.delete(id);
    this.#nodes.delete(id);
    this.held.delete(node.sessionId);
    this.#bySession.delete(node.sessionId);
    this.#forget(this.#byAddress, node.address, id);
    if (node.kind === 'child') {
      this.#forget(this.#byChild, `${node.parentId} ${node.childId}`, id);
      const siblings = this.#siblingsOf(node);
      siblings.delete(id);
      if (siblings.size === 0) this.#children.delete(node.parentId);
    }
  }

  #siblingsOf({ parentId }: ChildNode): Map<number, ChildNode> {
    const siblings = this.#children.get(parentId) ?? new Map<number, ChildNode>();
    this.#children.set(parentId, siblings);
    return siblings;
  }

  /** A child that is started anew may have the address of the one before it: the name means the later one. */
  #name(names: Map<string, number>, name: string, id: number): void {
    if ((names.get(name) ?? 0) <= id) names.set(name, id);
  }

  #forget(names: Map<string, number>, name: string, id: number): void {
    if (names.get(name) === id) names.delete(name);
  }

  #toPhase(node: TreeNode, before: TreeNode | undefined): void {
    const { phase } = node.schedule;
    const left = before?.schedule.phase;
    if (left !== undefined && left !== phase && isLivePhase(left)) this.#live[left].delete(node.id);
    if (isLivePhase(phase)) this.#live[phase].set(node.id, node);
  }
}

function isLivePhase(phase: Schedule['phase']): phase is LivePhase {
  return phase !== 'idle' && phase !== 'ended';
}
