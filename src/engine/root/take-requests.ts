/**
 * What agents ask of their root, taken into the record: the root's side of the flows that design/flows.md draws.
 *
 * RT1. One transaction for everything that a request brings; its answer is given after the commit. Everything here is
 *     called inside of it, but for `lease`.
 * RT4. What children handed to their parent is merged with what the parent says itself.
 * RT5. What a parent relays is taken as if its child had sent it.
 */

import { type Admission, admit, mayAsk, replacedBy } from '../../core/tree/admission';
import { type Grant, hold, leaseFor } from '../../core/tree/budget';
import { looksAt } from '../../core/tree/child-standings';
import { interruptedInQueue, scheduleAt } from '../../core/tree/clocks';
import { childDescribed, closedBy, lastAtOf, merge, statusTextOf, withDuesOf } from '../../core/tree/merge';
import { type ChildNode, hasBegun, isAbandoned, isEndedUnbegun, isLive, type TreeNode } from '../../core/tree/node';
import { progressAfter } from '../../core/tree/progress';
import type { Chunk } from '../../protocol/chunks';
import { failure } from '../../protocol/errors';
import { runNumberOf } from '../../protocol/ids';
import type { SenderStatus } from '../outbox';
import { GIVEN_UP, GONE, type RootAnswer, type RootRequest } from '../tree-messages';
import type { TreeRecord } from './record';

/** Chunks of one request that share a row of the log. */
const ROW_CHUNKS = 64;

/** Takes requests. */
export class RootRequests {
  constructor(readonly record: TreeRecord) {}

  /** Everything that an agent below the root has to say. */
  take(request: RootRequest, now: number): RootAnswer {
    const { index } = this.record;
    const sender = index.bySession(request.sessionId);
    if (sender === undefined) return GONE;
    const merged = this.#merge(request, now);
    if (merged === undefined) return GIVEN_UP;
    const relayed = request.relayed ? { relayed: this.#relayed(sender, request.relayed, now) } : {};
    this.#withdraw(request.withdraw, now);
    this.record.end(request.lost, now, isLive);
    this.#endUnbegun(sender, request, now);
    this.#oweEnds(sender, request);
    const parent = index.get(sender.id) ?? sender;
    if (request.deliver.length > 0 && parent.kind === 'child') this.#oweDelivery(parent);
    const wanted = request.admit.filter(
      (admission) => mayAsk(parent, admission) && !request.withdraw.includes(admission.sessionId),
    );
    this.record.letGo();
    const admissions = wanted.length === 0 ? [] : this.#admit(parent, wanted, now);
    const grant = request.lease ? { grant: this.lease(request.sessionId) } : {};
    const looks = request.look ? { looks: looksAt(index, sender.id, request.look, this.record.waiting.open()) } : {};
    const withdrawn = this.#unbegun(request.withdraw);
    return { merge: 'merged', merged, admissions, withdrawn, ...grant, ...looks, ...relayed };
  }

  /** What the root's own agent commits: straight into the log. */
  keepOwn(chunks: readonly Chunk[], { status, usage, pending, openTasks, consults, ...dues }: SenderStatus): void {
    const { record } = this;
    const self = record.self();
    if (self === undefined) return;
    const now = record.deps.environment.now();
    const sequence = record.log.append(self.id, self.lastChunk + 1, chunks);
    const { openTasks: _before, ...facts } = withDuesOf(self, dues);
    record.put({
      ...facts,
      schedule: scheduleAt(self, status, now, consults),
      status,
      usage,
      ...(openTasks ? { openTasks } : {}),
      statusText: statusTextOf(self, chunks),
      ...progressAfter(self.progress, chunks),
      lastChunk: self.lastChunk + chunks.length,
      ...lastAtOf(chunks),
      sequence,
    });
    if (chunks.length > 0) record.waiting.update(self.id, pending, chunks);
    this.#tell(chunks, now);
    record.leaveAfter(self, chunks);
    record.letGo();
  }

  /** What an agent may spend before it asks again; set aside in memory alone. */
  lease(sessionId: string): Grant {
    const { index, deps } = this.record;
    const node = index.bySession(sessionId);
    if (node === undefined) return { ok: false, error: failure('superseded') };
    const grant = leaseFor(index, node, deps.limits);
    if (grant.ok) hold(index, sessionId, grant.lease, node.usage);
    return grant;
  }

  /** Takes into the record what a parent's chunks say of its children. */
  #tell(chunks: readonly Chunk[], now: number): void {
    for (const chunk of chunks) {
      const child = childDescribed(this.record.index, chunk);
      if (child) this.record.put(child);
    }
    for (const node of closedBy(this.record.index, chunks, now)) {
      this.record.put(node);
      this.record.forgetBelow(node.id);
    }
  }

  /** What a parent relays. Whoever is no child of it is no part of the tree for it. */
  #relayed(parent: TreeNode, requests: readonly RootRequest[], now: number): RootAnswer[] {
    const isChild = ({ sessionId }: RootRequest) => this.record.index.childBySession(sessionId)?.parentId === parent.id;
    return requests.map((request) => (isChild(request) ? this.take(request, now) : GONE));
  }

  /** Those of these sessions that never began and never will; the same answer whenever it is asked for. */
  #unbegun(sessions: readonly string[]): string[] {
    return sessions.filter((sessionId) => {
      const node = this.record.index.bySession(sessionId);
      return node === undefined || isEndedUnbegun(node);
    });
  }

  /** The number up to which the sender's chunks are in the log; undefined when it is no part of the tree. */
  #merge(request: RootRequest, now: number): number | undefined {
    const { index, waiting } = this.record;
    const before = index.bySession(request.sessionId)?.lastChunk ?? 0;
    const chunks: Chunk[] = [];
    let gone = false;
    let told = false;
    for (const batch of request.batches) {
      const merged = merge(index, batch, now);
      gone ||= merged.answer === 'gone';
      if (merged.answer === 'gone' || merged.node === undefined) continue;
      index.set(merged.node);
      told ||= merged.chunks.length === 0;
      if (merged.chunks.length > 0) waiting.update(merged.node.id, batch.pending, batch.chunks);
      chunks.push(...merged.chunks);
    }
    const node = index.bySession(request.sessionId);
    if (node && chunks.length > 0) this.#append(node, before + 1, chunks);
    else if (node && told) this.record.put(node);
    this.#tell(chunks, now);
    if (node) this.record.leaveAfter(node, chunks);
    return gone ? undefined : (node?.lastChunk ?? 0);
  }

  /** Chunks that came in one request share rows: a row is read as a whole, so it holds so many at most. */
  #append(node: TreeNode, number: number, chunks: readonly Chunk[]): void {
    let { sequence } = node;
    for (let at = 0; at < chunks.length; at += ROW_CHUNKS)
      sequence = this.record.log.append(node.id, number + at, chunks.slice(at, at + ROW_CHUNKS));
    this.record.put({ ...node, sequence });
  }

  /** Children leave the queue: one that was to go on is interrupted as before, one that never began is abandoned. */
  #withdraw(sessions: readonly string[], now: number): void {
    this.record.end(sessions, now, (node) => node.schedule.phase === 'queued' && !hasBegun(node));
    for (const sessionId of sessions) {
      const node = this.record.index.childBySession(sessionId);
      if (node?.schedule.phase === 'queued') this.record.put(interruptedInQueue(node, now));
    }
  }

  #admit(parent: TreeNode, requests: RootRequest['admit'], now: number): Admission[] {
    const { answers, nodes } = admit(this.record.index, parent, requests, this.record.deps.limits, now);
    const replaced = replacedBy(this.record.index, nodes);
    for (const node of nodes) this.record.put(node);
    this.record.forget(replaced);
    // What was in the place of one that begins anew was cleared away by its parent before.
    this.record.dropRemovals(new Set(nodes.map(({ address }) => address)));
    return answers;
  }

  /**
   * A parent has given children up, and tells their ends next. One at rest asks nobody after a crash in between: then it is
   * told of them, until it has told their ends. Of those that leave the queue it says itself how they end.
   */
  #oweEnds({ id }: TreeNode, { lost, withdraw }: RootRequest): void {
    const { index } = this.record;
    if (index.get(id)?.schedule.phase === 'working') return;
    for (const sessionId of lost) {
      const node = index.childBySession(sessionId);
      if (node?.parentId !== id || !isAbandoned(node) || withdraw.includes(sessionId)) continue;
      if (!node.undelivered) this.record.put({ ...node, undelivered: true });
    }
  }

  /** A child tells that its run never began: as one that left the queue it begins when its parent goes on (R17). */
  #endUnbegun({ sessionId }: TreeNode, { deliver }: RootRequest, now: number): void {
    const node = this.record.index.childBySession(sessionId);
    // One that was told before its parent went on says nothing of the run that has begun since.
    const isMeant = deliver.some(
      (one) => one.type === 'child_settled' && one.unbegun && runNumberOf(sessionId, one.runId) === node?.runNumber,
    );
    if (isMeant) this.record.end([sessionId], now, (one) => isLive(one) && !hasBegun(one));
  }

  /**
   * A child has something for its parent. A parent that works asks its children again after a crash, but for those that
   * it knows to wait; one that rests asks nobody: then the child is woken until it was delivered.
   */
  #oweDelivery(child: ChildNode): void {
    const parent = this.record.index.parentOf(child);
    if (parent === undefined || child.undelivered) return;
    if (parent.schedule.phase === 'working' && child.task.hasWaited === undefined) return;
    this.record.put({ ...child, undelivered: true });
  }
}
