/**
 * The root's half of a tree, as the object that holds it and the verbs of the API see it.
 *
 * Keeps RT1, RT7.
 *
 * Its parts are in `root/`: the record with its rows, the log, the calls that wait, what is taken in of requests, the
 * alarm with whom it wakes, and what the directory is told. What happens after a commit, and in which order, is here:
 * readers first, then objects that may go, then the directory, then the alarm.
 */
import type { PendingCall } from '../../core/agent/calls/answer';
import type { Awaits, Session } from '../../core/agent/state';
import { nextAdmissions } from '../../core/tree/admission';
import type { Grant } from '../../core/tree/budget';
import { reportedText, type TreeReport, treeReport } from '../../core/tree/directory-report';
import { type Dues, withDuesOf } from '../../core/tree/merge';
import {
  type ChildNode,
  isLive,
  type RemovedNode,
  type RootNode,
  type TopFacts,
  type TreeNode,
} from '../../core/tree/node';
import { isLastRemoval, removalAt } from '../../core/tree/removed-agents';
import type { TreeIndex } from '../../core/tree/tree-index';
import { isWithin, parseAddress } from '../../protocol/address';
import type { ChunkSink } from '../outbox';
import {
  type Delivery,
  GONE,
  type LeavingSegment,
  type RootAnswer,
  type RootRequest,
  refusal,
  segmentOf,
} from '../tree-messages';
import { WakeUps } from './alarm';
import type { RootDeps } from './deps';
import { DirectoryFeed } from './directory-feed';
import { Gathering } from './group-requests';
import type { TreeLog } from './log';
import { TreeTurns } from './model-turns';
import { Readers } from './readers';
import { TreeRecord } from './record';
import { RootRequests } from './take-requests';
import { Watchers } from './watchers';

/** Of so many children it is kept at once whether their parent has heard them; the others are asked about again. */
const MAX_HANDED_ON = 1_000;

/** The root's half of a tree, in memory. */
export class RootRuntime {
  readonly #record: TreeRecord;
  readonly #requests: RootRequests;
  /** The children whose last word to their parent was handed on in this life; of others nobody knows. */
  readonly #handedOn = new Set<string>();
  /** The last words of children that the root's agent took itself, by session, until the children send them, too. */
  readonly #taken = new Map<string, readonly Delivery[]>();
  readonly #wakeUps: WakeUps;
  readonly #watchers: Watchers;
  readonly #feed: DirectoryFeed | undefined;
  /** What the directory is to know since the last change, as the text of `reportedText`. */
  #reportable: string | undefined;
  readonly #gathering: Gathering;
  /** Turns at models. */
  readonly turns: TreeTurns;
  #closed = false;
  readonly readers = new Readers();
  /** What is removed or erased now: an alarm that rings meanwhile does not do so again (OP12). */
  readonly atWork = new Set<unknown>();

  constructor(readonly deps: RootDeps) {
    this.#record = new TreeRecord(deps);
    this.#requests = new RootRequests(this.#record);
    this.#wakeUps = new WakeUps(this.#record, {
      owesReport: () => this.owesReport(),
      drop: (node) => this.#drop(node),
      delivered: (sessionId) => this.#delivered(sessionId),
      rescheduled: (node, dues) => this.#rescheduled(node, dues),
    });
    this.#watchers = new Watchers(deps.environment);
    this.#gathering = new Gathering(deps.environment);
    this.turns = new TreeTurns(this.#record);
    const { report } = deps;
    this.#feed = report ? new DirectoryFeed(this, deps.environment, report) : undefined;
  }

  /** The agents of the tree. Another one after a transaction that failed: do not keep it. */
  get tree(): TreeIndex {
    return this.#record.index;
  }

  get log(): TreeLog {
    return this.#record.log;
  }

  /** The root's own node; created with its session. */
  self(): RootNode | undefined {
    return this.#record.self();
  }

  /** The first node of a tree; call it inside the transaction that creates the session. */
  found(session: Session): void {
    this.#record.found(session);
  }

  /** A new turn of the root begins; call it inside its transaction. */
  beginTurn(turn: number, openTasks: readonly Awaits[]): void {
    this.#record.beginTurn(turn, openTasks);
  }

  /** The oldest turn of the root whose log is there, whole. */
  get oldestTurn(): number | undefined {
    return this.deps.store.turns()[0]?.turn;
  }

  /** The root agent's own way for chunks: straight into the log, in the same transaction. */
  sink(): ChunkSink {
    const runtime = this;
    return {
      keep: (chunks, facts) => runtime.#requests.keepOwn(chunks, facts),
      flush: () => runtime.changed(),
      abandon: () => runtime.#record.reload(),
      get number() {
        return runtime.self()?.lastChunk ?? 0;
      },
    };
  }

  /** What an agent may spend before it asks again. */
  lease(sessionId: string): Grant {
    const grant = this.#requests.lease(sessionId);
    const asksFirst = this.turns.granted(sessionId);
    return grant.ok && asksFirst ? { ok: true, lease: { ...grant.lease, asksFirst } } : grant;
  }

  /** The calls at or below an agent that wait for a person, the one that has waited longest first. */
  pending(node: TreeNode): { readonly node: TreeNode; readonly item: PendingCall }[] {
    const below = new Map(this.tree.subtree(node.id).map((one) => [one.id, one]));
    const found = this.#record.waiting.open().flatMap(({ node: id, item }) => {
      const owner = below.get(id);
      return owner ? [{ node: owner, item }] : [];
    });
    return found.sort((one, other) => one.item.requestedAt - other.item.requestedAt);
  }

  /** How many calls of each agent wait for a person, by its id; of most there are none. */
  pendingCounts(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { node } of this.#record.waiting.open()) counts.set(node, (counts.get(node) ?? 0) + 1);
    return counts;
  }

  /** The agent at or below an address that a call belongs to which waits for a person, or did. */
  ownerOf(toolCallId: string, address: string): { readonly node: TreeNode; readonly item: PendingCall } | undefined {
    const isAt = (id: number): boolean => isWithin(this.tree.get(id)?.address ?? '', address);
    const call = this.#record.waiting.find(toolCallId, isAt);
    const node = call && this.tree.get(call.node);
    return node ? { node, item: call.item } : undefined;
  }

  /** Takes an agent with all below it out of the record for good: from this commit on its object is owed to go. */
  remove(node: ChildNode, inTransaction?: () => void): void {
    this.#record.write(() => {
      this.#record.remove(node);
      inTransaction?.();
    });
    this.changed();
  }

  /** The addresses of agents that left the record, while their objects may still be there. */
  get pendingRemovals(): readonly string[] {
    return this.#record.pendingRemovals;
  }

  /** Whether an address belongs to a deleted agent, or lies below one, whose object may still be there. */
  isBeingRemoved(address: string): boolean {
    return this.pendingRemovals.some((removed) => isWithin(address, removed));
  }

  /** Agents that were removed with one above them, whose objects of their own are still to be erased. */
  get unerased(): readonly RemovedNode[] {
    return this.#record.unerased;
  }

  /** The objects of these are erased; those of the others are tried again, ever less often (OP13). */
  erased(gone: readonly RemovedNode[], others: readonly RemovedNode[]): void {
    this.#record.write(() => this.#record.erased(gone, others, this.deps.environment.now()));
    this.changed();
  }

  /** The object of a child of the root, which has left with its turn, could not be removed: its removal is owed (OP13). */
  leftInVain(child: Pick<ChildNode, 'address' | 'sessionId'>): void {
    this.#record.write(() => this.#record.oweRemovals(this.pendingRemovals, [child]));
    this.changed();
  }

  /** The objects of these agents are gone. */
  removed(addresses: readonly string[]): void {
    this.#record.write(() => this.#record.dropRemovals(new Set(addresses)));
    this.changed();
  }

  /** Those whose removal is due now. */
  get dueRemovals(): readonly string[] {
    const now = this.deps.environment.now();
    return this.pendingRemovals.filter((address) => (this.#removalAt(address) ?? now) <= now);
  }

  #removalAt(address: string): number | undefined {
    const top = this.self()?.top;
    return top && removalAt(top, address);
  }

  /** The objects of these agents are there still: their removal is tried again. */
  removedInVain(addresses: readonly string[]): void {
    this.#record.write(() => this.#record.removedInVain(addresses, this.deps.environment.now()));
    this.changed();
  }

  /** Whether the removal of what has left an address was tried in vain. */
  wasTried(address: string): boolean {
    return this.#removalAt(address) !== undefined;
  }

  /** Who has left an address and is to go, as its parent finds it: the session that was there, and whether this is the last try. */
  leaving(address: string): LeavingSegment[] {
    if (!this.pendingRemovals.includes(address)) return [];
    const top = this.self()?.top;
    const sessionId = top?.removedSessions?.[address];
    const isLast = top !== undefined && isLastRemoval(top, address, this.deps.environment.now());
    const facts = {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(isLast ? { isLast } : {}),
      ...(this.wasTried(address) ? { isAgain: true as const } : {}),
    };
    return parseAddress(address)
      .below.slice(-1)
      .map((segment) => ({ ...segmentOf(segment), ...facts }));
  }

  /** Writes facts of the root alone, in a transaction of its own. */
  note(facts: Partial<TopFacts>): void {
    this.#record.write(() => this.#record.note(facts));
    this.changed();
  }

  /** Whether the directory does not know yet how the root stands. */
  owesReport(): boolean {
    const self = this.self();
    if (self === undefined || this.#feed === undefined || self.top.removing) return false;
    return self.top.reported !== this.#reportableOf(self);
  }

  /** Asked for more than once after each change, of a tree that may be wide. */
  #reportableOf(self: RootNode): string {
    this.#reportable ??= reportedText(this.tree, self, this.#record.waiting.open());
    return this.#reportable;
  }

  /** What the directory is told of the tree now, and the text by which that is known again. */
  told(self: RootNode): { report: TreeReport; text: string } {
    return { report: treeReport(this.tree, self, this.#record.waiting.open()), text: this.#reportableOf(self) };
  }

  /** Called after each change of the record; gives back how to stop it. */
  watch(watcher: () => void): () => void {
    return this.#watchers.watch(watcher);
  }

  /** Waits until a condition holds, which is looked at after each change, but at most so long, in ms; whether it holds. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    return this.#watchers.until(condition, ms);
  }

  /** After a commit: readers are told, what may go goes, the directory is told soon, the alarm is set. */
  changed(): void {
    const released = this.#record.committed();
    this.#reportable = undefined;
    this.#watchers.notify();
    if (released) this.deps.released();
    this.#feed?.tell();
    this.#wakeUps.arm();
    this.turns.changed();
  }

  /** The root's own agent does nothing before that time, in ms since 1970. */
  rests(sessionId: string, until: number): void {
    this.#wakeUps.heard(sessionId, this.deps.environment.now(), until);
    this.#wakeUps.arm();
  }

  /** Somebody else than the alarm has woken the root: the platform may have given the alarm up. */
  woken(): void {
    this.#wakeUps.arm();
  }

  /** The tree goes: who asks from now on is no part of it, so that nobody begins unseen while its objects are erased (OP10). */
  close(): void {
    this.#closed = true;
  }

  /** From an agent below the root: taken in one turn with what others say in the same moment (RT6). */
  async takeWithOthers(request: RootRequest): Promise<RootAnswer> {
    await this.#gathering.come(this.tree.at('working').size);
    return this.take(request);
  }

  /** Everything that an agent has to say, in one transaction (RT1). */
  async take(said: RootRequest): Promise<RootAnswer> {
    if (this.#closed) return GONE;
    const { environment } = this.deps;
    const now = environment.now();
    const request = this.#withoutTaken(said);
    this.#heard(request, now);
    const answer = this.#record.write(() => this.#requests.take(request, now), refusal);
    if (answer.merge === 'refused') return answer;
    this.#noteEnds(request);
    this.changed();
    environment.committed?.('request');
    this.#admitWaiting();
    const full = this.turns.answered(request, answer);
    await this.#deliverAll(request, answer);
    return full;
  }

  #heard({ sessionId, deliver, relayed = [], turn }: RootRequest, now: number): void {
    this.#wakeUps.heard(sessionId, now, turn && 'rests' in turn ? turn.rests : undefined);
    if (deliver.length > 0) this.#handedOn.delete(sessionId);
    for (const request of relayed) this.#heard(request, now);
  }

  /** Notes what the root's agent took itself of these children: of that nothing is to be handed on. */
  taken(requests: readonly RootRequest[]): void {
    for (const { sessionId, deliver } of requests) {
      if (this.#taken.size >= MAX_HANDED_ON) this.#taken.clear();
      this.#taken.set(sessionId, deliver);
      this.#isHandedOn(sessionId);
    }
    this.#watchers.notify();
  }

  /** Drops what was taken already: it comes for its acknowledgement. A further word of the child is handed on. */
  #withoutTaken(request: RootRequest): RootRequest {
    const { sessionId, deliver } = request;
    const taken = this.#taken.get(sessionId);
    if (taken === undefined || deliver.length === 0) return request;
    this.#taken.delete(sessionId);
    return JSON.stringify(deliver) === JSON.stringify(taken) ? { ...request, deliver: [] } : request;
  }

  /** Who has ended, as far as the record tells, and is not known to have told its parent (RT7). */
  #noteEnds({ sessionId, relayed = [] }: RootRequest): void {
    const { schedule } = this.tree.childBySession(sessionId) ?? {};
    if (schedule?.phase === 'ended' && !this.#handedOn.has(sessionId)) this.#wakeUps.ended(sessionId);
    for (const request of relayed) this.#noteEnds(request);
  }

  /** Hands on what the sender of a request, and those whom it relays, tell their parents. */
  async #deliverAll({ sessionId, deliver, relayed = [] }: RootRequest, answer: RootAnswer | undefined): Promise<void> {
    if (answer?.merge !== 'merged') return;
    if (deliver.length > 0) {
      for (const delivery of deliver) await this.#deliver(sessionId, delivery);
      this.#delivered(sessionId);
    }
    for (const [at, request] of relayed.entries()) await this.#deliverAll(request, answer.relayed?.[at]);
  }

  /** Hands on what a child tells its parent; a parent that does not want it any more needs not to be told again. */
  async #deliver(sessionId: string, delivery: Delivery): Promise<void> {
    const child = this.tree.childBySession(sessionId);
    const parent = child && this.tree.parentOf(child);
    if (parent === undefined) return;
    this.#wakeUps.disturbed(parent.sessionId);
    await this.deps.send(parent.address, delivery);
  }

  #isHandedOn(sessionId: string): void {
    if (this.#handedOn.size >= MAX_HANDED_ON) this.#handedOn.clear();
    this.#handedOn.add(sessionId);
    this.#wakeUps.told(sessionId);
  }

  #delivered(sessionId: string): void {
    this.#isHandedOn(sessionId);
    const child = this.tree.childBySession(sessionId);
    if (child?.undelivered === undefined) return this.#watchers.notify();
    const { undelivered: _undelivered, ...facts } = child;
    this.#record.write(() => this.#record.put(facts));
    this.changed();
  }

  /** Whether the parent of a child is known to have heard what the child said last. */
  hasHandedOn(sessionId: string): boolean {
    return this.#handedOn.has(sessionId);
  }

  #rescheduled(node: TreeNode, dues: Dues): void {
    this.#record.write(() => this.#record.put(withDuesOf(node, dues)));
    this.changed();
  }

  /** An agent has said that it owes something elsewhere, whatever else is due of it: it is woken for that. */
  owing(address: string, { effectAt, owesElsewhere }: Dues): void {
    const node = this.tree.byAddress(address);
    if (node === undefined || effectAt === undefined || !owesElsewhere) return;
    this.#rescheduled(node, { effectAt: Math.min(effectAt, node.effectAt ?? effectAt), owesElsewhere });
  }

  /** Gives free slots to those that wait, and tells their parents. */
  #admitWaiting(): void {
    const now = this.deps.environment.now();
    const admitted = nextAdmissions(this.tree, this.deps.limits, now);
    if (admitted.length === 0) return;
    this.#record.write(() => {
      for (const node of admitted) this.#record.put(node);
    });
    this.changed();
    this.deps.environment.committed?.('admit');
    const byParent = new Map<number, number[]>();
    for (const node of admitted) byParent.set(node.parentId, [...(byParent.get(node.parentId) ?? []), node.childId]);
    for (const [parentId, childIds] of byParent) {
      const parent = this.tree.get(parentId);
      if (parent) this.#wakeUps.send(parent, { type: 'admitted', childIds });
    }
  }

  /** An agent that is gone, or that nobody wants, ends here with all below it. */
  #drop(node: ChildNode): void {
    this.#record.write(() => {
      this.#record.end([node.sessionId], this.deps.environment.now(), isLive);
      this.#record.letGo();
    });
    this.changed();
    this.deps.environment.committed?.('drop');
    this.#admitWaiting();
  }

  /** The alarm has come. */
  async alarm(): Promise<void> {
    this.#feed?.tell();
    this.turns.changed();
    this.#wakeUps.alarm();
    try {
      this.#admitWaiting();
    } finally {
      this.#wakeUps.arm();
    }
  }
}
