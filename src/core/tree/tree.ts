/**
 * The root's record of its tree, and what it decides: who may start, who waits, what enters the log, what is due.
 *
 * TR1. A chunk is in the log once: an object's chunks are merged by its own numbers, in order.
 * TR2. Cause before effect: an agent's chunks go along with what it asks for, and are merged before it is answered. So
 *     `subagent_start` is in the log before the child is admitted, and a child's last chunk before its parent is told.
 * WT4. A clock runs while its agent works, and stands while it waits for a person: waiting never counts as stuck.
 * TR3. At most `maxConcurrentChildren` agents work at once. An agent that waits for its own children lends them its
 *     place, so a full tree can always go on.
 * TR4. Admission is idempotent by session id.
 */

import type { SessionStatus } from '../agent/state';
import type { Budget, Limits } from '../definition/limits';
import type { Chunk } from '../protocol/chunks';
import { type Failure, failure } from '../protocol/errors';
import { statusTextAfter } from '../protocol/status-text';
import { addUsage, NO_USAGE, type Usage, usageBy } from '../protocol/usage';
import { hold, isForOneCall, type Lease, leaseFor, stepsLeft } from './budget';
import type { WaitingCall } from './pending';

/** One agent of the tree. Row 1 is the root itself. */
export interface TreeNode {
  readonly id: number;
  readonly parentId: number;
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly callId: string;
  readonly generation: number;
  readonly depth: number;
  /** The root's turn in which it was created. */
  readonly turn: number;
  /** `waiting`: its run waits for a person, and holds no place. */
  readonly place: 'queued' | 'working' | 'waiting' | 'ended';
  readonly status: SessionStatus;
  readonly statusText: string;
  /** The number of its last chunk in the log, and the sequence of that chunk (0: none yet). */
  readonly number: number;
  readonly sequence: number;
  readonly usage: Usage;
  /** How long it may work, in ms, and until when, in ms since 1970 (0: not started). */
  readonly timeoutMs: number;
  readonly deadline: number;
  /** What is left of that time while it does not work, in ms. */
  readonly timeLeft?: number;
  /** How often it was begun: by its start, and by each resume or retry. */
  readonly entry?: number;
  /** What it may spend with everything below it. */
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  readonly createdAt: number;
  readonly endedAt: number;
  /** It did not end by itself: it was lost, or left the queue. */
  readonly givenUp?: true;
  /** It has something for its parent that may not have come there, while nobody at work would ask for it. */
  readonly tells?: true;
  /** It has waited for a person, or for a child that did: its parent need not ask it how it stands. */
  readonly waited?: true;
  /** What agents below it spent that have left the record, by type. The root's is in `top`. */
  readonly retired?: { readonly [agentType: string]: Usage };
  /** The same as a sum, of those that left before types were kept. */
  readonly below?: Usage;
  /** What the root alone keeps. */
  readonly top?: TopFacts;
}

/** What the record of the root holds beside its own agent. */
export interface TopFacts {
  /** What agents spent that are no longer in the record, by type. */
  readonly retired?: { readonly [agentType: string]: Usage };
  /** How many sub-agents of this turn have left the record: they were created all the same. */
  readonly left?: { readonly turn: number; readonly count: number };
  /** The highest id that was ever given, so that none is given twice. */
  readonly lastId?: number;
  /** What the whole tree had spent when the turn began. */
  readonly before?: Usage;
  /** What the directory was told last. */
  readonly reported?: string;
  /** The tree is being deleted; `key` is what the deletion was asked with. */
  readonly removing?: { readonly key?: string };
  /** The addresses of agents that left the record because they were deleted, while their objects may still be there. */
  readonly leaving?: readonly string[];
}

/** Chunks on their way to the log, with what the root keeps of their sender. */
export interface Batch {
  readonly sessionId: string;
  /** The sender's own number of the first chunk. */
  readonly first: number;
  readonly chunks: readonly Chunk[];
  readonly status: SessionStatus;
  readonly usage: Usage;
  /** What of the sender waits for a person now. */
  readonly pending?: readonly WaitingCall[];
}

/** A child that wants to start, or to go on. */
export interface AdmissionRequest {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly callId: string;
  readonly generation: number;
  readonly depth: number;
  readonly timeoutMs: number;
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  /** From 1; raised by each resume or retry, so that asking again is told apart from asking once more. */
  readonly entry: number;
  /** Its parent has it in its place: it was not deleted, so if the root does not know it, it never began. */
  readonly placed?: true;
}

/** What the root says to it. */
export type Admission =
  /** `begun`: its chunks are in the log, so it must exist already. */
  | { readonly callId: string; readonly answer: 'start'; readonly begun: boolean; readonly lease?: Lease }
  | { readonly callId: string; readonly answer: 'queued' }
  | { readonly callId: string; readonly answer: 'refused'; readonly error: Failure };

/** What the root says to a batch. `gone`: the sender is no part of this tree any more and must stop. */
export type Merge =
  | {
      readonly answer: 'merged';
      readonly number: number;
      readonly chunks: readonly Chunk[];
      readonly first: number;
      readonly node?: TreeNode;
    }
  | { readonly answer: 'gone' };

/** Whether an agent has work or waits for some. */
export function isLive(node: TreeNode): boolean {
  return node.place !== 'ended';
}

const ROOT_ID = 1;

/** The nodes of a tree by id and session, with the counts that decisions need. Changed only through `set`. */
export class TreeIndex {
  readonly #nodes = new Map<number, TreeNode>();
  readonly #bySession = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  readonly #liveChildren = new Map<number, number>();
  readonly #live = {
    queued: new Map<number, TreeNode>(),
    working: new Map<number, TreeNode>(),
    waiting: new Map<number, TreeNode>(),
  };
  readonly #telling = new Map<number, TreeNode>();
  #lastId = 0;

  /** @param held the leases that are set aside, by session; kept in memory alone */
  constructor(
    nodes: Iterable<TreeNode> = [],
    readonly held: Map<string, { readonly lease: Lease; readonly at: Usage }> = new Map(),
  ) {
    for (const node of nodes) this.set(node);
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  get(id: number): TreeNode | undefined {
    return this.#nodes.get(id);
  }

  bySession(sessionId: string): TreeNode | undefined {
    return this.#nodes.get(this.#bySession.get(sessionId) ?? 0);
  }

  byAddress(address: string): TreeNode | undefined {
    return this.#nodes.get(this.#byAddress.get(address) ?? 0);
  }

  all(): IterableIterator<TreeNode> {
    return this.#nodes.values();
  }

  /** The agents that wait for a place, have one, or wait for a person, in the order in which they came to it. */
  at(place: 'queued' | 'working' | 'waiting'): ReadonlyMap<number, TreeNode> {
    return this.#live[place];
  }

  /** The agents that have something for their parents. */
  get telling(): ReadonlyMap<number, TreeNode> {
    return this.#telling;
  }

  children(id: number): TreeNode[] {
    return [...this.#nodes.values()].filter((node) => node.parentId === id);
  }

  /** The node and everything below it. */
  subtree(id: number): TreeNode[] {
    const members = new Set([id]);
    const found: TreeNode[] = [];
    for (const node of this.#nodes.values()) {
      if (!members.has(node.id) && !members.has(node.parentId)) continue;
      members.add(node.id);
      found.push(node);
    }
    return found;
  }

  liveChildren(id: number): number {
    return this.#liveChildren.get(id) ?? 0;
  }

  /** Agents that hold a place: they work, and do not just wait for children of their own. */
  working(): number {
    let count = 0;
    for (const node of this.at('working').values())
      if (node.id !== ROOT_ID && this.liveChildren(node.id) === 0) count++;
    return count;
  }

  set(node: TreeNode): void {
    const before = this.#nodes.get(node.id);
    this.#count(node.parentId, (isLive(node) ? 1 : 0) - (before && isLive(before) ? 1 : 0));
    this.#place(node, before);
    if (node.tells) this.#telling.set(node.id, node);
    else this.#telling.delete(node.id);
    this.#nodes.set(node.id, node);
    this.#bySession.set(node.sessionId, node.id);
    this.#byAddress.set(node.address, node.id);
    this.#lastId = Math.max(this.#lastId, node.id, node.top?.lastId ?? 0);
  }

  remove(id: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#count(node.parentId, isLive(node) ? -1 : 0);
    if (node.place !== 'ended') this.#live[node.place].delete(id);
    this.#telling.delete(id);
    this.#nodes.delete(id);
    this.held.delete(node.sessionId);
    this.#bySession.delete(node.sessionId);
    this.#byAddress.delete(node.address);
  }

  #place(node: TreeNode, before: TreeNode | undefined): void {
    if (before && before.place !== 'ended' && before.place !== node.place) this.#live[before.place].delete(node.id);
    if (node.place !== 'ended') this.#live[node.place].set(node.id, node);
  }

  #count(parentId: number, by: number): void {
    if (by !== 0) this.#liveChildren.set(parentId, this.liveChildren(parentId) + by);
  }
}

/** How many sub-agents the root's run has created so far, those included that have left the record. */
export function createdIn(tree: TreeIndex): number {
  const { turn = 0, top } = tree.get(ROOT_ID) ?? {};
  let count = leftIn(turn, top);
  for (const node of tree.all()) if (node.id !== ROOT_ID && node.turn === turn) count++;
  return count;
}

/**
 * Decides on children that want to start: start now, wait for a place, or not at all.
 * @returns an answer for each, and the rows to write. Asking again gives the same answer (TR4).
 */
export function admit(
  tree: TreeIndex,
  parent: TreeNode,
  requests: readonly AdmissionRequest[],
  limits: Limits,
  now: number,
): { answers: Admission[]; nodes: TreeNode[] } {
  const { turn = 0, top } = tree.get(ROOT_ID) ?? {};
  let lifetime = createdIn(tree);
  const lends = parent.id !== ROOT_ID && parent.place === 'working' && tree.liveChildren(parent.id) === 0;
  let free = limits.maxConcurrentChildren - tree.working() + (lends ? 1 : 0);
  const queue = tree.at('queued').size > 0;
  const nodes: TreeNode[] = [];
  const lease = sharedLease(tree, parent, limits, requests.length);
  const answers = requests.map((request): Admission => {
    const { callId } = request;
    const known = tree.bySession(request.sessionId);
    const again = known !== undefined && comesAgain(known, request);
    if (known && !again) return admittedBefore(known, request, lease);
    const replaces = !again && replacesOne(tree, parent, request);
    const refusal = again ? undefined : whyNotAdmit(request, wasDeleted(top, request), replaces ? 0 : lifetime, limits);
    if (refusal) return { callId, answer: 'refused', error: refusal };
    const starts = free > 0 && (!queue || lends);
    if (!again && !replaces) lifetime++;
    if (starts) free--;
    const fresh = nodes.filter(({ id }) => id >= tree.nextId).length;
    const node = known ? restarted(known) : newNode(tree.nextId + fresh, parent, request, turn, now);
    nodes.push(placed({ ...node, entry: request.entry }, starts, now));
    if (!starts) return { callId, answer: 'queued' };
    return { callId, answer: 'start', begun: node.number > 0, ...lease(request, node) };
  });
  return { answers, nodes };
}

type LeaseOf = (request: AdmissionRequest, child: TreeNode) => { readonly lease?: Lease };

/** What new children may spend to begin with, worked out once; one with a budget of its own asks for itself. */
function sharedLease(tree: TreeIndex, parent: TreeNode, limits: Limits, children: number): LeaseOf {
  const granted = leaseFor(tree, parent, limits, children);
  let left = granted.ok && isForOneCall(granted.lease) ? stepsLeft(tree, parent, limits) : Number.POSITIVE_INFINITY;
  return ({ sessionId, budget }, { number, usage }) => {
    if (!granted.ok || budget !== undefined || number > 0) return {};
    const before = tree.held.get(sessionId);
    if (before) return { lease: before.lease };
    // What is left may not be enough for a call of each: the others ask for themselves, and may be refused.
    if (left-- < 1) return {};
    hold(tree, sessionId, granted.lease, usage);
    return { lease: granted.lease };
  };
}

/** Whether an agent that has ended, or was withdrawn before it began, is to go on. */
function comesAgain(known: TreeNode, { entry }: AdmissionRequest): boolean {
  const { status } = known;
  const resumable = known.givenUp ? known.number === 0 : status === 'interrupted' || status === 'failed';
  return known.place === 'ended' && resumable && entry > (known.entry ?? 1);
}

/** One that is tried again has its whole time once more; one that is resumed has what is left of it. */
function restarted(known: TreeNode): TreeNode {
  if (known.status !== 'failed' || known.givenUp) return known;
  const { timeLeft: _timeLeft, ...facts } = known;
  return facts;
}

/** The answer to whoever asks again (TR4). */
function admittedBefore(known: TreeNode, request: AdmissionRequest, lease: LeaseOf): Admission {
  const { callId } = request;
  if (known.place === 'queued') return { callId, answer: 'queued' };
  if (known.givenUp) {
    const error = failure('subagent_lost', 'The sub-agent was given up. Call it again if you still need the result.');
    return { callId, answer: 'refused', error };
  }
  return { callId, answer: 'start', begun: known.number > 0, ...lease(request, known) };
}

/** Whether a child takes the place of the one before it in the same call: it is started anew, and is no further child. */
function replacesOne(tree: TreeIndex, parent: TreeNode, { callId, generation }: AdmissionRequest): boolean {
  return generation > 1 && tree.children(parent.id).some((node) => node.callId === callId);
}

/** Whether a child that is not in the record was deleted, and did not just never come into it. */
function wasDeleted(top: TopFacts | undefined, { address, entry, placed: hasPlace }: AdmissionRequest): boolean {
  if (entry === 1) return false;
  return hasPlace !== true || (top?.leaving ?? []).some((left) => `${address}/`.startsWith(`${left}/`));
}

function whyNotAdmit(
  { depth }: AdmissionRequest,
  deleted: boolean,
  lifetime: number,
  limits: Limits,
): Failure | undefined {
  // It does not come back.
  if (deleted) return failure('subagent_lost', 'The sub-agent is gone, and its work with it.');
  if (depth > limits.maxDepth)
    return failure('max_depth', `This tree may have ${limits.maxDepth} levels. Do the work yourself.`);
  if (lifetime < limits.maxTreeChildren) return undefined;
  const advice = `This run has created ${limits.maxTreeChildren} sub-agents, all that it may. Do the rest yourself, or finish with what you have.`;
  return failure('max_tree_children', advice);
}

/** An agent that has a place begins to work, with what is left of its time; another one waits in the queue. */
function placed(node: TreeNode, starts: boolean, now: number): TreeNode {
  const { givenUp: _givenUp, timeLeft = node.timeoutMs, ...facts } = node;
  if (!starts) return { ...facts, place: 'queued', status: 'queued', deadline: 0, endedAt: 0, timeLeft };
  return { ...facts, place: 'working', status: 'running', deadline: now + timeLeft, endedAt: 0 };
}

function newNode(id: number, parent: TreeNode, request: AdmissionRequest, turn: number, now: number): TreeNode {
  const { placed: _placed, ...facts } = request;
  return {
    ...facts,
    id,
    parentId: parent.id,
    turn,
    place: 'queued',
    status: 'queued',
    statusText: '',
    number: 0,
    sequence: 0,
    usage: NO_USAGE,
    deadline: 0,
    createdAt: now,
    endedAt: 0,
  };
}

/** The queued agents that may start now: the parent with the fewest at work goes first, then the one that waited longest. */
export function nextAdmissions(tree: TreeIndex, limits: Limits, now: number): TreeNode[] {
  if (tree.at('queued').size === 0) return [];
  let free = limits.maxConcurrentChildren - tree.working();
  if (free <= 0) return [];
  const queued = [...tree.at('queued').values()];
  const atWork = new Map<number, number>();
  for (const node of tree.at('working').values()) atWork.set(node.parentId, (atWork.get(node.parentId) ?? 0) + 1);
  const admitted: TreeNode[] = [];
  while (free > 0 && queued.length > 0) {
    let best = 0;
    queued.forEach((node, place) => {
      const other = queued[best];
      if (other && (atWork.get(node.parentId) ?? 0) < (atWork.get(other.parentId) ?? 0)) best = place;
    });
    const [node] = queued.splice(best, 1);
    if (node === undefined) break;
    atWork.set(node.parentId, (atWork.get(node.parentId) ?? 0) + 1);
    admitted.push(placed(node, true, now));
    free--;
  }
  return admitted;
}

const ENDED: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'interrupted', 'terminated']);

/** Whether a status is an end. */
export function isEnded(status: SessionStatus): boolean {
  return ENDED.has(status);
}

/** The status text of an agent after these chunks of it; empty where it has none. */
export function statusTextOf({ statusText }: TreeNode, chunks: readonly Chunk[]): string {
  return chunks.reduce<string | undefined>(statusTextAfter, statusText === '' ? undefined : statusText) ?? '';
}

/** Decides what of a batch enters the log (TR1, TR2), and what the root now knows of its sender. */
export function merge(tree: TreeIndex, batch: Batch, now: number): Merge {
  const node = tree.bySession(batch.sessionId);
  if (node === undefined) return { answer: 'gone' };
  const skip = node.number + 1 - batch.first;
  if (skip < 0) return { answer: 'merged', number: node.number, chunks: [], first: node.number + 1 };
  const chunks = batch.chunks.slice(skip);
  // A batch without chunks tells what came to light after the last of them.
  if (batch.chunks.length === 0 && skip === 0 && !node.givenUp)
    return {
      answer: 'merged',
      number: node.number,
      chunks,
      first: node.number + 1,
      node: { ...node, usage: batch.usage },
    };
  if (chunks.length === 0) return { answer: 'merged', number: node.number, chunks, first: node.number + 1 };
  if (node.givenUp) return { answer: 'gone' };
  const number = batch.first + batch.chunks.length - 1;
  // One that waits for a place to go on may still tell of what it spent before.
  const begins = chunks.some(({ type }) => type === 'run_started');
  const stays = node.place === 'queued' && isEnded(batch.status) && !begins;
  const next: TreeNode = {
    ...(stays ? node : withStatus(node, batch.status, now)),
    number,
    statusText: statusTextOf(node, chunks),
    usage: batch.usage,
  };
  return { answer: 'merged', number, chunks, first: node.number + 1, node: next };
}

/**
 * An agent that ends here without a word of its own. Of one that never began its parent has the last word, with the end of
 * its call; until then it is as it was, in no queue.
 * @param withParent the agent above it was given up, and has no word any more
 */
export function givenUp(node: TreeNode, now: number, withParent: boolean): TreeNode {
  const { tells: _tells, ...facts } = node;
  const ended = { ...facts, place: 'ended' as const, givenUp: true as const };
  if (!withParent && node.number === 0 && !isEnded(node.status))
    return { ...ended, status: 'queued', deadline: 0, endedAt: 0 };
  return { ...ended, status: 'failed', endedAt: now };
}

/** The records of agents that never began and whose calls are closed by these chunks of their parent. */
export function closedUnbegun(tree: TreeIndex, chunks: readonly Chunk[], now: number): TreeNode[] {
  return chunks.flatMap((chunk): TreeNode[] => {
    const node = chunk.type === 'subagent_end' ? tree.bySession(chunk.subSessionId) : undefined;
    if (node === undefined || node.number > 0) return [];
    return [{ ...node, status: 'failed', endedAt: node.place === 'ended' ? now : 0 }];
  });
}

const PLACES: { readonly [Status in SessionStatus]: TreeNode['place'] } = {
  idle: 'ended',
  queued: 'queued',
  running: 'working',
  suspended_client_tool: 'waiting',
  suspended_awaiting_children: 'waiting',
  suspended_step_partial: 'waiting',
  interrupted: 'ended',
  completed: 'ended',
  failed: 'ended',
  terminated: 'ended',
};

/** The record of an agent that stands so now: its place, and its clock (WT4). */
export function withStatus(node: TreeNode, status: SessionStatus, now: number): TreeNode {
  const place = PLACES[status];
  const { deadline, timeLeft: kept, ...facts } = node;
  const endedAt = place !== 'ended' ? 0 : node.place === 'ended' ? node.endedAt : now;
  // An agent without a time of its own has no clock.
  const timeLeft = deadline > 0 ? Math.max(1, deadline - now) : kept;
  if (place === 'working') {
    const runs = deadline > 0 ? deadline : timeLeft === undefined ? 0 : now + timeLeft;
    return { ...facts, place, status, endedAt, deadline: runs };
  }
  const stands = timeLeft === undefined ? {} : { timeLeft };
  const waited = place === 'waiting' ? { waited: true as const } : {};
  return { ...facts, place, status, endedAt, deadline: 0, ...stands, ...waited };
}

/** What a directory knows of a root, as a text that changes when there is something to tell. */
export function reportOf({ status, turn }: TreeNode): string {
  return `${turn} ${status}`;
}

/** The record of the root once these agents are taken out of it: what they spent stays counted, their ids stay used. */
export function withoutAgents(tree: TreeIndex, root: TreeNode, gone: readonly TreeNode[]): TreeNode {
  const { turn, top } = root;
  const retired = usageBy(
    gone.map(({ agentType, usage }) => [agentType, usage] as const),
    top?.retired,
  );
  const count = leftIn(turn, top) + gone.filter((node) => node.turn === turn).length;
  const left = count > 0 ? { left: { turn, count } } : {};
  return { ...root, top: { ...top, retired, ...left, lastId: tree.nextId - 1 } };
}

const leftIn = (turn: number, top: TopFacts | undefined): number => (top?.left?.turn === turn ? top.left.count : 0);

/** The records of the agents that stay above those that go: what was spent below them is still theirs to answer for. */
export function aboveThose(tree: TreeIndex, gone: readonly TreeNode[]): TreeNode[] {
  const ids = new Set(gone.map(({ id }) => id));
  const above = new Map<number, TreeNode>();
  for (const left of gone) {
    let at = tree.get(left.parentId);
    while (at && ids.has(at.id)) at = tree.get(at.parentId);
    if (at === undefined || at.id === ROOT_ID) continue;
    const node = above.get(at.id) ?? at;
    const spent = [[left.agentType, left.usage] as const, ...Object.entries(left.retired ?? {})];
    const below = left.below ? { below: addUsage(node.below ?? NO_USAGE, left.below) } : {};
    above.set(at.id, { ...node, retired: usageBy(spent, node.retired), ...below });
  }
  return [...above.values()];
}

/** The agents whose time is up. */
export function overdue(tree: TreeIndex, now: number): TreeNode[] {
  return [...tree.at('working').values()].filter((node) => node.deadline > 0 && node.deadline <= now);
}

/** The next deadline, in ms since 1970, if there is one ahead. */
export function nextDeadline(tree: TreeIndex, now: number): number | undefined {
  let next: number | undefined;
  for (const node of tree.at('working').values()) {
    if (node.deadline <= now) continue;
    if (next === undefined || node.deadline < next) next = node.deadline;
  }
  return next;
}
