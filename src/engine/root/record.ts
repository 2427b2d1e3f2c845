/**
 * The root's record of its tree: the agents, the log and the calls that wait, in memory and in their rows.
 *
 * Keeps RT1, TR8.
 *
 * Whatever changes here is written in the same transaction. Where that is rolled back, memory is read from the rows again.
 */
import type { Awaits, Session } from '../../core/agent/state';
import type { AtOnce } from '../../core/ports/agent-store';
import { totalSpent } from '../../core/tree/budget';
import { abandoned } from '../../core/tree/clocks';
import {
  type ChildNode,
  dropsThoseBelow,
  isEndedUnbegun,
  isInTree,
  isLive,
  type RemovedNode,
  ROOT_ID,
  type RootNode,
  type TopFacts,
  type TreeNode,
} from '../../core/tree/node';
import {
  aboveThose,
  failedAgain,
  removalsOwed,
  removedInVain,
  toErase,
  withoutAgents,
} from '../../core/tree/removed-agents';
import { departing, forgettable, leavingAfter, retain } from '../../core/tree/retention';
import { TreeIndex } from '../../core/tree/tree-index';
import { isWithin } from '../../protocol/address';
import type { Chunk } from '../../protocol/chunks';
import { NO_USAGE } from '../../protocol/usage';
import type { RootDeps } from './deps';
import { TreeLog } from './log';
import { WaitingCalls } from './waiting-calls';

/** The record. Methods that change it are called inside a transaction, but for `write` and what says otherwise. */
export class TreeRecord {
  index: TreeIndex;
  readonly log: TreeLog;
  readonly waiting: WaitingCalls;
  #released = false;
  /** Agents that were removed with one above them, whose objects of their own are still to be erased. */
  #unerased = new Map<number, RemovedNode>();

  constructor(readonly deps: RootDeps) {
    this.index = new TreeIndex(this.#nodes());
    this.waiting = new WaitingCalls(deps.store, (problem) => deps.environment.report(problem));
    this.log = new TreeLog(deps.store);
  }

  /** The root's own node; there once its session is. */
  self(): RootNode | undefined {
    return this.index.root();
  }

  /** The nodes of the record as its rows have them; those of removed agents are kept apart. */
  #nodes(): TreeNode[] {
    const rows = this.deps.store.nodes();
    this.#unerased = new Map(rows.flatMap((row) => (isInTree(row) ? [] : [[row.id, row]])));
    return rows.filter(isInTree);
  }

  put(node: TreeNode): void {
    this.deps.store.put(node);
    this.index.set(node);
  }

  /** One transaction. Where it fails, what is in memory is what was kept before; the failure is the caller's, or told. */
  write<Result>(body: () => AtOnce<Result>, told?: (error: unknown) => Result): Result {
    try {
      return this.deps.transaction(body);
    } catch (error) {
      this.reload();
      if (told === undefined) throw error;
      this.deps.environment.report('A report of an agent could not be accepted.', error);
      return told(error);
    }
  }

  /** After a transaction that was rolled back: the rows are the truth. Leases are in memory alone, and stay. */
  reload(): void {
    this.log.rolledBack();
    this.#released = false;
    this.index = new TreeIndex(this.#nodes(), this.index.held, this.index.deleted);
    this.waiting.reload();
  }

  /** After a commit; whether agents have left the record since the last one. */
  committed(): boolean {
    this.log.committed();
    const released = this.#released;
    this.#released = false;
    return released;
  }

  /** The first node of a tree, in the transaction that creates its session. */
  found(session: Session): void {
    this.put({
      kind: 'root',
      id: ROOT_ID,
      sessionId: session.sessionId,
      address: session.address,
      agentType: session.agentType,
      depth: 1,
      turn: 0,
      schedule: { phase: 'idle' },
      status: 'idle',
      statusText: '',
      lastChunk: 0,
      sequence: 0,
      usage: NO_USAGE,
      timeoutMs: this.deps.limits.maxWallMs,
      createdAt: session.createdAt,
      top: {
        retired: {},
        removed: { turn: 0, count: 0 },
        lastId: ROOT_ID,
        usageAtTurnStart: NO_USAGE,
        pendingRemovals: [],
      },
    });
    // Rows of agents below may come before that of the root: the index has each parent before its children.
    this.index = new TreeIndex(this.#nodes());
  }

  /** A new turn of the root begins, in its transaction, with the tasks that are open then. What retention does not keep goes (W7). */
  beginTurn(turn: number, openTasks: readonly Awaits[]): void {
    const self = this.self();
    if (self === undefined) return;
    const { store, limits } = this.deps;
    const begins = { turn, first: this.log.last + 1 };
    const turns = [...store.turns(), begins];
    const ended = turns
      .slice(0, -1)
      .map((one, index) => ({ ...one, size: store.size(one.first, turns[index + 1]?.first ?? one.first) }));
    const kept = retain(ended, begins, limits);
    store.beginTurn(turn, begins.first);
    const timeoutMs = limits.maxWallMs;
    const top = { ...self.top, usageAtTurnStart: totalSpent(this.index) };
    // Its clock begins anew, and runs from when it says that it works.
    this.put({ ...self, turn, timeoutMs, schedule: { phase: 'idle' }, top, openTasks });
    if (kept === undefined) return;
    this.log.compact(kept);
    const gone = forgettable(this.index, kept.turn);
    // The objects below an agent that goes go with it, and the root clears away its own children.
    const ids = new Set(gone.map(({ id }) => id));
    const left = gone.filter(({ parentId }) => parentId !== ROOT_ID && !ids.has(parentId));
    this.forget(gone);
    if (left.length > 0) this.oweRemovals(this.pendingRemovals, left);
  }

  /** Takes agents out of the record. What they send from then on is answered with `gone`. */
  forget(gone: readonly ChildNode[]): void {
    const self = this.self();
    if (self === undefined || gone.length === 0) return;
    this.put(withoutAgents(this.index, self, gone));
    for (const node of aboveThose(this.index, gone)) this.put(node);
    this.deps.store.removeNodes(gone.map(({ id }) => id));
    for (const node of toErase(gone)) this.#keepUnerased(node);
    for (const { id } of gone) {
      this.waiting.drop(id);
      this.index.remove(id);
    }
    this.#released = true;
  }

  /** Removed agents whose objects are still to be erased, though nobody above them is there to do it (OP6). */
  get unerased(): readonly RemovedNode[] {
    return [...this.#unerased.values()];
  }

  /** The objects of these are erased; those of the others are tried again. */
  erased(gone: readonly RemovedNode[], others: readonly RemovedNode[], now: number): void {
    this.deps.store.removeNodes(gone.map(({ id }) => id));
    for (const { id } of gone) this.#unerased.delete(id);
    for (const node of others) this.#keepUnerased({ ...node, tries: failedAgain(node.tries, now) });
  }

  #keepUnerased(node: RemovedNode): void {
    this.deps.store.put(node);
    this.#unerased.set(node.id, node);
  }

  /** Takes an agent with all below it out of the record for good: from this commit on its object is owed to go. */
  remove({ id, address, sessionId }: ChildNode): void {
    this.index.deleted.add(sessionId);
    this.forget(this.index.subtree(id).filter((node) => node.kind === 'child'));
    // What lies below goes with it.
    const others = this.pendingRemovals.filter((other) => !isWithin(other, address));
    this.oweRemovals(others, [{ address, sessionId }]);
  }

  /** Children that were kept with a run of their parent leave, once that has told its end and they rest (CR1). */
  leaveAfter(parent: TreeNode, chunks: readonly Chunk[]): void {
    for (const node of leavingAfter(this.index, parent, chunks)) this.put(node);
  }

  /** Takes those who leave out of the record, where they rest. */
  letGo(): void {
    if (this.index.toRemove.size === 0) return;
    for (const node of departing(this.index)) this.remove(node);
  }

  /** Owes the removal of these objects beside that of the others. */
  oweRemovals(others: readonly string[], more: readonly Pick<ChildNode, 'address' | 'sessionId'>[]): void {
    const top = this.self()?.top;
    if (top === undefined) return;
    const removedSessions = { ...top.removedSessions };
    for (const { address, sessionId } of more) removedSessions[address] = sessionId;
    this.note(removalsOwed({ ...top, removedSessions }, [...others, ...more.map(({ address }) => address)]));
  }

  /** No removal of an object is owed at these addresses any more. */
  dropRemovals(addresses: ReadonlySet<string>): void {
    const pendingRemovals = this.pendingRemovals.filter((address) => !addresses.has(address));
    const top = this.self()?.top;
    if (top && pendingRemovals.length < this.pendingRemovals.length) this.note(removalsOwed(top, pendingRemovals));
  }

  /** The removals at these addresses came to nothing: they are tried again. */
  removedInVain(addresses: readonly string[], now: number): void {
    const top = this.self()?.top;
    if (top) this.note(removedInVain(top, addresses, now));
  }

  /** The addresses of agents that left the record, while their objects may still be there. */
  get pendingRemovals(): readonly string[] {
    return this.self()?.top.pendingRemovals ?? [];
  }

  /** Writes facts of the root alone. */
  note(facts: Partial<TopFacts>): void {
    const self = this.self();
    if (self) this.put({ ...self, top: { ...self.top, ...facts } });
  }

  /** Agents end here with all below them, without a word of their own; those that `which` does not name are passed over. */
  end(sessions: readonly string[], now: number, which: (node: ChildNode) => boolean): void {
    for (const sessionId of sessions) {
      const node = this.index.childBySession(sessionId);
      if (node === undefined || !which(node)) continue;
      for (const below of this.index.subtree(node.id)) {
        if (below.kind === 'root' || !isLive(below)) continue;
        this.waiting.update(below.id);
        this.put(abandoned(below, now, below.id !== node.id));
      }
      this.forgetBelow(node.id);
    }
  }

  /** A child that never begins takes with it the agents that were below it from the beginning. */
  forgetBelow(id: number): void {
    const node = this.index.get(id);
    if (node?.kind !== 'child' || !isEndedUnbegun(node)) return;
    const below = this.index.subtree(id).filter((one): one is ChildNode => one.kind === 'child' && one.id !== id);
    if (dropsThoseBelow(node, below)) this.forget(below);
  }
}
