/**
 * The root's half of a tree: its record, its log, its queue and its one alarm.
 *
 * RT1. One transaction for everything that a post brings; its answer is given after the commit.
 * RT2. The alarm is derived from the record: a lease of 5 s while anybody works, or the next deadline. Who waits for a
 *     person has none but that of the answer.
 * RT3. The alarm only rings: who works in silence is told to go on, which is harmless when it does already.
 */

import type { PendingCall } from '../core/agent/answer';
import type { Session } from '../core/agent/state';
import type { Limits } from '../core/definition/limits';
import type { TreeStore } from '../core/ports/tree-store';
import { isWithin } from '../core/protocol/address';
import type { Chunk } from '../core/protocol/chunks';
import { failure } from '../core/protocol/errors';
import { NO_USAGE } from '../core/protocol/usage';
import { type Admission, admit, nextAdmissions } from '../core/tree/admission';
import { type Grant, leaseFor, totalSpent } from '../core/tree/budget';
import { givenUp, nextDeadline, overdue, withStatus } from '../core/tree/clock';
import { hold } from '../core/tree/lease';
import { closedUnbegun, merge, statusTextOf } from '../core/tree/merge';
import { isLive, reportOf, type TopFacts, type TreeNode } from '../core/tree/node';
import { nextExpiry, type PendingRow, pendingChanges, type WaitingCall } from '../core/tree/pending';
import { retain } from '../core/tree/retention';
import { aboveThose, withoutAgents } from '../core/tree/retirement';
import { TreeIndex } from '../core/tree/tree-index';
import type { Environment } from './environment';
import { DirectoryFeed } from './feed';
import { TreeLog } from './log';
import type { AgentAnswer, AgentMessage, Post, PostAnswer, Told } from './messages';
import { GONE, overdueRoot, refusal } from './messages';
import type { ChunkSink, SenderFacts } from './outbox';

/** While anybody works the alarm rings at least this often, in ms. */
const LEASE_MS = 5_000;
/** Who has been silent for so long, in ms, is rung: with the lease less than the 10 s after which the platform drops what is idle. */
const SILENCE_MS = 2_500;
/** Chunks of one post that share a row of the log. */
const ROW_CHUNKS = 64;

/** What the root's half reaches. */
export interface RootSurroundings {
  readonly environment: Environment;
  readonly store: TreeStore;
  transaction<Result>(body: () => Result): Result;
  /** Sends a message to an agent of the tree by its address. Throws when it cannot be reached. */
  ring(address: string, message: AgentMessage): Promise<AgentAnswer>;
  /** Sets the one alarm, in ms since 1970; an earlier one that is set stays. */
  arm(time: number): void;
  /** Tells the directory how the root stands, where there is one. */
  report?(self: TreeNode): Promise<void>;
  /** Agents were taken out of the record: their objects may go, and their slots be used again. */
  released(): void;
  readonly limits: Limits;
}

/** The root's half of a tree, in memory. */
export class RootRuntime {
  tree: TreeIndex;
  readonly log: TreeLog;
  /** Calls that wait for a person now, by id. */
  #pending: Map<string, PendingRow>;
  /** Those of them whose owner was rung because their time is up. */
  readonly #rung = new Set<string>();
  readonly #heard = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  readonly #feed: DirectoryFeed | undefined;
  #armed = 0;
  #released = false;

  constructor(readonly around: RootSurroundings) {
    this.tree = new TreeIndex(around.store.nodes());
    this.#pending = this.#openPending();
    this.log = new TreeLog(around.store);
    const { report } = around;
    this.#feed = report ? new DirectoryFeed(this, report) : undefined;
  }

  /** The root's own record; created with its session. */
  self(): TreeNode | undefined {
    return this.tree.get(1);
  }

  /** The first record of a tree; call it inside the transaction that creates the session. */
  found(session: Session): void {
    this.#put({
      id: 1,
      parentId: 0,
      sessionId: session.sessionId,
      address: session.address,
      agentType: session.agentType,
      callId: '',
      generation: 0,
      depth: 1,
      turn: 0,
      place: 'ended',
      status: 'idle',
      statusText: '',
      number: 0,
      sequence: 0,
      usage: NO_USAGE,
      timeoutMs: 0,
      deadline: 0,
      createdAt: session.createdAt,
      endedAt: 0,
    });
  }

  #openPending(): Map<string, PendingRow> {
    return new Map(this.around.store.openPending().map((row) => [row.toolCallId, row]));
  }

  #put(node: TreeNode): void {
    this.around.store.put(node);
    this.tree.set(node);
  }

  /** The root agent's own way for chunks: straight into the log, in the same transaction. */
  sink(): ChunkSink {
    const runtime = this;
    return {
      keep: (chunks, facts) => runtime.#keepOwn(chunks, facts),
      flush: () => runtime.changed(),
      abandon: () => runtime.#reload(),
      get number() {
        return runtime.self()?.number ?? 0;
      },
    };
  }

  #keepOwn(chunks: readonly Chunk[], { status, usage, pending }: SenderFacts): void {
    const self = this.self();
    if (self === undefined) return;
    const sequence = this.log.append(1, self.number + 1, chunks);
    this.#put({
      ...withStatus(self, status, this.around.environment.now()),
      usage,
      statusText: statusTextOf(self, chunks),
      number: self.number + chunks.length,
      sequence,
    });
    if (chunks.length > 0) this.#waits(self.id, pending, chunks);
    this.#closeUnbegun(chunks);
  }

  #closeUnbegun(chunks: readonly Chunk[]): void {
    for (const node of closedUnbegun(this.tree, chunks, this.around.environment.now())) this.#put(node);
  }

  /** What of an agent waits for a person now; call it inside a transaction. */
  #waits(node: number, now: readonly WaitingCall[] = [], chunks: readonly Chunk[] = []): void {
    if (this.#pending.size === 0 && now.length === 0) return;
    const open = [...this.#pending.values()].filter((row) => row.node === node);
    for (const row of pendingChanges(node, open, now, chunks)) {
      this.around.store.putPending(row);
      if (row.open) this.#pending.set(row.toolCallId, row);
      else {
        this.#pending.delete(row.toolCallId);
        this.#rung.delete(row.toolCallId);
      }
    }
  }

  /** The calls at or below an agent that wait for a person, the one that has waited longest first. */
  pending(node: TreeNode): { readonly node: TreeNode; readonly item: PendingCall }[] {
    const below = new Map(this.tree.subtree(node.id).map((one) => [one.id, one]));
    const found = [...this.#pending.values()].flatMap(({ node: id, item }) => {
      const owner = below.get(id);
      return owner ? [{ node: owner, item }] : [];
    });
    return found.sort((one, other) => one.item.requestedAt - other.item.requestedAt);
  }

  /** The agent that a call belongs to which waits for a person, or did. */
  ownerOf(toolCallId: string): { readonly node: TreeNode; readonly item: PendingCall } | undefined {
    const row = this.#pending.get(toolCallId) ?? this.around.store.pending(toolCallId);
    const node = row && this.tree.get(row.node);
    return node ? { node, item: row.item } : undefined;
  }

  /** What an agent may spend before it asks again. */
  lease(sessionId: string): Grant {
    const node = this.tree.bySession(sessionId);
    if (node === undefined) return { ok: false, error: failure('superseded') };
    const grant = leaseFor(this.tree, node, this.around.limits);
    if (grant.ok) hold(this.tree, sessionId, grant.lease, node.usage);
    return grant;
  }

  /** The oldest turn of the root whose log is there, whole. */
  get oldestTurn(): number | undefined {
    return this.around.store.turns()[0]?.turn;
  }

  /** A new turn of the root begins; call it inside its transaction. What retention does not keep goes (W7). */
  beginTurn(turn: number): void {
    const self = this.self();
    if (self === undefined) return;
    const { store, limits } = this.around;
    const begins = { turn, first: this.log.last + 1 };
    const turns = [...store.turns(), begins];
    const ended = turns
      .slice(0, -1)
      .map((one, index) => ({ ...one, size: store.size(one.first, turns[index + 1]?.first ?? one.first) }));
    const kept = retain(ended, begins, limits);
    store.beginTurn(turn, begins.first);
    this.#put({
      ...self,
      turn,
      timeoutMs: limits.maxWallMs,
      deadline: 0,
      timeLeft: limits.maxWallMs,
      top: { ...self.top, before: totalSpent(this.tree) },
    });
    if (kept === undefined) return;
    this.log.compact(kept);
    this.forget([...this.tree.all()].filter((node) => node.id !== 1 && node.turn < kept.turn && !isLive(node)));
  }

  /** Takes agents out of the record; call it inside a transaction. What they send from then on is answered with `gone`. */
  forget(gone: readonly TreeNode[]): void {
    const self = this.self();
    if (self === undefined || gone.length === 0) return;
    this.#put(withoutAgents(this.tree, self, gone));
    for (const node of aboveThose(this.tree, gone)) this.#put(node);
    this.around.store.removeNodes(gone.map(({ id }) => id));
    for (const { id } of gone) {
      this.#waits(id);
      this.around.store.dropPending(id);
      this.tree.remove(id);
    }
    this.#released = true;
  }

  /** Takes an agent with all below it out of the record for good: from this commit on its object is owed to go. */
  leave({ id, address }: TreeNode, inTransaction?: () => void): void {
    this.#write(() => {
      this.forget(this.tree.subtree(id));
      const self = this.self();
      // What lies below goes with it.
      const others = this.leaving.filter((other) => !isWithin(other, address));
      if (self) this.#put({ ...self, top: { ...self.top, leaving: [...others, address] } });
      inTransaction?.();
    });
    this.changed();
  }

  /** The addresses of deleted agents whose objects may still be there. */
  get leaving(): readonly string[] {
    return this.self()?.top?.leaving ?? [];
  }

  /** Whether an address belongs to a deleted agent, or lies below one, whose object may still be there. */
  isLeaving(address: string): boolean {
    return this.leaving.some((left) => isWithin(address, left));
  }

  /** The object of a deleted agent is gone. */
  left(address: string): void {
    this.note({ leaving: this.leaving.filter((other) => other !== address) });
  }

  /** Writes facts of the root alone, in a transaction of its own. */
  note(facts: TopFacts): void {
    const self = this.self();
    if (self) this.#write(() => this.#put({ ...self, top: { ...self.top, ...facts } }));
    this.changed();
  }

  /** Whether the directory does not know yet how the root stands. */
  owesReport(): boolean {
    const self = this.self();
    if (self === undefined || this.#feed === undefined || self.top?.removing) return false;
    return self.top?.reported !== reportOf(self);
  }

  /** After a commit: readers are told, those whose turn has come are rung, the alarm is set. */
  changed(): void {
    this.log.committed();
    for (const watcher of [...this.#watchers]) watcher();
    if (this.#released) this.around.released();
    this.#released = false;
    this.#feed?.tell();
    this.#arm();
  }

  /** Called after each change of the record; gives back how to stop it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Waits until a condition holds, which is looked at after each change, but at most so long; whether it holds. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (holds: boolean): void => {
        stop();
        cancel();
        resolve(holds);
      };
      const stop = this.watch(() => condition() && settle(true));
      const cancel = this.around.environment.timer(ms, () => settle(false));
    });
  }

  /** Everything that an agent has to say, in one transaction (RT1). */
  async post(post: Post): Promise<PostAnswer> {
    const { environment } = this.around;
    const now = environment.now();
    this.#heard.set(post.sessionId, now);
    const answer = this.#write(() => this.#take(post, now), refusal);
    if (answer.merge === 'refused') return answer;
    this.changed();
    environment.committed?.('post');
    this.#admitWaiting();
    if (answer.merge !== 'gone') {
      for (const told of post.tell) await this.#tell(post.sessionId, told);
      if (post.tell.length > 0) this.#toldAll(post.sessionId);
    }
    return answer;
  }

  /** One transaction. Where it fails, what is in memory is what was kept before; the failure is the caller's, or told. */
  #write<Result>(body: () => Result, told?: (error: unknown) => Result): Result {
    try {
      return this.around.transaction(body);
    } catch (error) {
      this.#reload();
      if (told === undefined) throw error;
      this.around.environment.report('What an agent has to say could not be taken.', error);
      return told(error);
    }
  }

  /** After a transaction that was rolled back: the rows are the truth. */
  #reload(): void {
    this.log.rolledBack();
    this.#released = false;
    this.tree = new TreeIndex(this.around.store.nodes(), this.tree.held);
    this.#pending = this.#openPending();
  }

  #take(post: Post, now: number): PostAnswer {
    const sender = this.tree.bySession(post.sessionId);
    if (sender === undefined) return GONE;
    const merged = this.#merge(post, now);
    if (merged === undefined) return GONE;
    const carried = post.carried ? { carried: this.#carried(sender, post.carried, now) } : {};
    this.#withdraw(post.withdraw, now);
    this.#end(post.lost, now, isLive);
    const parent = this.tree.get(sender.id) ?? sender;
    if (post.tell.length > 0) this.#owesWord(parent);
    // An agent that has ended may not grow the tree any more; what it asks for is left over from before.
    const admit =
      parent.place === 'ended' ? [] : post.admit.filter(({ sessionId }) => !post.withdraw.includes(sessionId));
    const admissions = admit.length === 0 ? [] : this.admit(parent, admit, now);
    const grant = post.lease ? { grant: this.lease(post.sessionId) } : {};
    return { merge: 'merged', merged, admissions, withdrawn: this.#unbegun(post.withdraw), ...grant, ...carried };
  }

  /** The ends of children that were handed to their parent: the sessions whose last chunk is in the log now. */
  #carried(parent: TreeNode, posts: readonly Post[], now: number): string[] {
    const whole = posts.filter((post) => {
      if (this.tree.bySession(post.sessionId)?.parentId !== parent.id) return false;
      const last = post.batches.at(-1);
      const number = this.#merge(post, now);
      return number !== undefined && (last === undefined || number >= last.first + last.chunks.length - 1);
    });
    return whole.map(({ sessionId }) => sessionId);
  }

  /** Those of these sessions that never began and never will; the same answer whenever it is asked for. */
  #unbegun(sessions: readonly string[]): string[] {
    return sessions.filter((sessionId) => {
      const node = this.tree.bySession(sessionId);
      return node === undefined || (node.place === 'ended' && node.number === 0);
    });
  }

  /** The number up to which the sender's chunks are in the log; undefined when it is no part of the tree. */
  #merge(post: Post, now: number): number | undefined {
    const before = this.tree.bySession(post.sessionId)?.number ?? 0;
    const chunks: Chunk[] = [];
    let gone = false;
    let told = false;
    for (const batch of post.batches) {
      const merged = merge(this.tree, batch, now);
      gone ||= merged.answer === 'gone';
      if (merged.answer === 'gone' || merged.node === undefined) continue;
      this.tree.set(merged.node);
      told ||= merged.chunks.length === 0;
      if (merged.chunks.length > 0) this.#waits(merged.node.id, batch.pending, batch.chunks);
      chunks.push(...merged.chunks);
    }
    const node = this.tree.bySession(post.sessionId);
    if (node && chunks.length > 0) this.#append(node, before + 1, chunks);
    else if (node && told) this.#put(node);
    this.#closeUnbegun(chunks);
    return gone ? undefined : (node?.number ?? 0);
  }

  /** Chunks that came in one post share rows: a row is read as a whole, so it holds so many at most. */
  #append(node: TreeNode, number: number, chunks: readonly Chunk[]): void {
    let { sequence } = node;
    for (let at = 0; at < chunks.length; at += ROW_CHUNKS)
      sequence = this.log.append(node.id, number + at, chunks.slice(at, at + ROW_CHUNKS));
    this.#put({ ...node, sequence });
  }

  /** Children leave the queue: one that was to go on is interrupted as before, one that never began is given up. */
  #withdraw(sessions: readonly string[], now: number): void {
    this.#end(sessions, now, (node) => node.place === 'queued' && node.number === 0);
    for (const sessionId of sessions) {
      const node = this.tree.bySession(sessionId);
      if (node?.place === 'queued') this.#put({ ...node, place: 'ended', status: 'interrupted', endedAt: now });
    }
  }

  #end(sessions: readonly string[], now: number, which: (node: TreeNode) => boolean): void {
    for (const sessionId of sessions) {
      const node = this.tree.bySession(sessionId);
      if (node === undefined || !which(node)) continue;
      for (const below of this.tree.subtree(node.id)) {
        if (!isLive(below)) continue;
        this.#waits(below.id);
        this.#put(givenUp(below, now, below.id !== node.id));
      }
    }
  }

  /** Places for children; call it inside a transaction. */
  admit(parent: TreeNode, requests: Post['admit'], now: number): Admission[] {
    const { answers, nodes } = admit(this.tree, parent, requests, this.around.limits, now);
    for (const node of nodes) this.#put(node);
    return answers;
  }

  /** Gives free places to those that wait, and rings their parents. */
  #admitWaiting(): void {
    const now = this.around.environment.now();
    const admitted = nextAdmissions(this.tree, this.around.limits, now);
    if (admitted.length === 0) return;
    this.#write(() => {
      for (const node of admitted) this.#put(node);
    });
    this.changed();
    this.around.environment.committed?.('admit');
    const byParent = new Map<number, string[]>();
    for (const node of admitted) byParent.set(node.parentId, [...(byParent.get(node.parentId) ?? []), node.callId]);
    for (const [parentId, callIds] of byParent) {
      const parent = this.tree.get(parentId);
      if (parent) this.#ring(parent, { kind: 'admitted', callIds });
    }
  }

  /**
   * A child has a word for its parent; call it inside a transaction. A parent that works asks its children again after a
   * crash, but for those that it knows to wait; one that rests asks nobody: then the child is rung until it was heard.
   */
  #owesWord(child: TreeNode): void {
    const parent = this.tree.get(child.parentId);
    if (parent === undefined || child.tells || (parent.place === 'working' && child.waited === undefined)) return;
    this.#put({ ...child, tells: true });
  }

  #toldAll(sessionId: string): void {
    const child = this.tree.bySession(sessionId);
    if (child?.tells === undefined) return;
    const { tells: _tells, ...facts } = child;
    this.#write(() => this.#put(facts));
    this.changed();
  }

  /** Hands on what a child tells its parent; a parent that does not want it any more needs not to be told again. */
  async #tell(sessionId: string, told: Told): Promise<void> {
    const child = this.tree.bySession(sessionId);
    const parent = child && this.tree.get(child.parentId);
    if (parent) await this.around.ring(parent.address, told);
  }

  #ring(node: TreeNode, message: AgentMessage): void {
    this.around.ring(node.address, message).catch((error: unknown) => {
      this.around.environment.report(`The agent ${node.address} could not be rung; the alarm tries again.`, error);
    });
  }

  /** The alarm has rung: whose time is up is stopped, who is silent is told to go on. */
  async alarm(): Promise<void> {
    this.#armed = 0;
    this.#feed?.tell();
    const now = this.around.environment.now();
    for (const node of overdue(this.tree, now)) {
      const parent = this.tree.get(node.parentId);
      const { callId, generation, timeoutMs } = node;
      if (parent) this.#ring(parent, { kind: 'overdue', callId, generation, timeoutMs });
      else this.#ring(node, overdueRoot(timeoutMs));
    }
    for (const node of this.#expired(now)) this.#ring(node, { kind: 'expire' });
    for (const node of [...this.tree.telling.values()]) if (node.place !== 'working') this.#wake(node);
    for (const node of [...this.tree.at('working').values()]) {
      if (now - (this.#heard.get(node.sessionId) ?? 0) >= SILENCE_MS) this.#wake(node);
    }
    try {
      this.#admitWaiting();
    } finally {
      this.#arm();
    }
  }

  /** The agents with a call whose time to be answered is up. */
  #expired(now: number): Set<TreeNode> {
    const owners = new Set<TreeNode>();
    for (const { node, item } of this.#pending.values()) {
      const owner = this.tree.get(node);
      if (owner === undefined || item.expiresAt === undefined || item.expiresAt > now) continue;
      owners.add(owner);
      this.#rung.add(item.toolCallId);
    }
    return owners;
  }

  #wake(node: TreeNode): void {
    this.around.ring(node.address, { kind: 'wake', sessionId: node.sessionId }).then(
      (answer) => {
        if (answer.answer === 'absent') this.#absent(node);
      },
      (error: unknown) =>
        this.around.environment.report(`The agent ${node.address} could not be woken; the alarm tries again.`, error),
    );
  }

  /** Nobody is where an agent should work: if it had begun it is lost, else its parent begins it again. */
  #absent(node: TreeNode): void {
    const parent = this.tree.get(node.parentId);
    if (parent === undefined) return;
    const { callId, generation } = node;
    const message =
      node.number === 0
        ? ({ kind: 'admitted', callIds: [callId] } as const)
        : ({ kind: 'lost', callId, generation } as const);
    const heard = (answer: AgentAnswer): void => {
      // It leaves the record after its parent has heard of it, so that the alarm tries again until then.
      const begun = (this.tree.get(node.id)?.number ?? 0) > 0;
      if (message.kind === 'lost' || (answer.answer === 'absent' && !begun)) this.#drop(node);
      if (message.kind === 'lost') this.#toldAll(node.sessionId);
    };
    this.around
      .ring(parent.address, message)
      .then(heard)
      .catch((error: unknown) =>
        this.around.environment.report(
          `The agent ${node.address} could not be given up; the alarm tries again.`,
          error,
        ),
      );
  }

  /** An agent that is gone, or that nobody wants, ends here with all below it. */
  #drop(node: TreeNode): void {
    this.#write(() => this.#end([node.sessionId], this.around.environment.now(), isLive));
    this.changed();
    this.around.environment.committed?.('drop');
    this.#admitWaiting();
  }

  #arm(): void {
    const now = this.around.environment.now();
    const { tree } = this;
    const owing = tree.telling.size > 0 || this.owesReport() || this.leaving.length > 0;
    const busy = owing || tree.at('working').size > 0;
    const moment = { now, leaseMs: LEASE_MS };
    const answers = nextExpiry(this.#pending.values(), this.#rung, moment) ?? Number.POSITIVE_INFINITY;
    const lease = busy ? now + LEASE_MS : Number.POSITIVE_INFINITY;
    const time = Math.min(lease, answers, nextDeadline(this.tree, now) ?? Number.POSITIVE_INFINITY);
    if (time === Number.POSITIVE_INFINITY) return;
    if (this.#armed > now && this.#armed <= time) return;
    this.#armed = time;
    this.around.arm(time);
  }
}
