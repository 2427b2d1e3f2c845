/**
 * Admission: who may start, who waits, and who is refused; and the queue's order (`nextAdmissions`): the parent with the
 * fewest at work comes first. Who lends a slot is decided in tree-index.ts, and here only for the moment of asking.
 *
 * Decides: who starts, is queued or refused, and the order of the queue; how deep and how large a tree is.
 *
 * TR3. At most `maxConcurrentChildren` agents work at once. An agent that waits for its own children lends them its
 *     concurrency slot, so a full tree can always go on (decision 6).
 * TR4. Admission is idempotent by session id.
 * TR9. A further task of a child is admitted as work, like the first.
 * TR7. Only a child that its parent waits for makes the parent lend its concurrency slot.
 * TR10. Who waits for whom now is told with what an agent commits, whichever call began the child.
 */

import { isWithin } from '../../protocol/address';
import { type Failure, failure } from '../../protocol/errors';
import type { SessionStatus } from '../../protocol/status';
import { NO_USAGE } from '../../protocol/usage';
import { isSameTask } from '../agent/children/await';
import { isHeldByCall, keyOf } from '../agent/children/child';
import type { Relationship } from '../definition/definition';
import type { Limits } from '../definition/limits';
import { hold, leaseFor, stepsLeft } from './budget';
import { atWork, inQueue, withWholeTime } from './clocks';
import { isForOneCall, type Lease } from './lease';
import {
  type ChildNode,
  hasBegun,
  hasObjects,
  isAbandoned,
  isEndedUnbegun,
  isLive,
  type Lifetime,
  placeOf,
  type RequestedTask,
  ROOT_ID,
  type TreeNode,
} from './node';
import { takesFurtherTasks } from './relationship-rules';
import { createdIn } from './removed-agents';
import type { TreeIndex } from './tree-index';

/** A child that wants to start, or to go on. */
export interface AdmissionRequest {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly depth: number;
  readonly childId: number;
  readonly task: RequestedTask;
  /** Which run of its session it asks for, from 1: so asking again is told apart from asking once more. */
  readonly runNumber: number;
  readonly lifetime: Lifetime;
  readonly placement: Relationship['placement'];
  /** The parent's row of the slot still names this child. A deletion would have freed the slot, so one that the root does not know has never begun. */
  readonly keepsSlot?: true;
  /** Agents that are below it from its beginning, each after its parent. */
  readonly below?: readonly BelowRequest[];
}

/** An agent that is below a child from the beginning of that one, at rest; `parent` is the session of its parent. */
export interface BelowRequest extends Omit<AdmissionRequest, 'below'> {
  readonly parent: string;
  readonly status: SessionStatus;
}

/** Whether a parent may still ask for a child: one that has ended is only left over with what no step awaited. */
export function mayAsk(parent: TreeNode, request: AdmissionRequest): boolean {
  return isLive(parent) || !isHeldByCall(request.task);
}

/** What the root says to it. */
export type Admission =
  /** `begun`: its chunks are in the log, so it must exist already. */
  | { readonly childId: number; readonly answer: 'start'; readonly begun: boolean; readonly lease?: Lease }
  | { readonly childId: number; readonly answer: 'queued' }
  | { readonly childId: number; readonly answer: 'refused'; readonly error: Failure };

/** Messages about work below an agent that was ended for good, or that lived for one call which has its result. */
export const OVER_ABOVE = {
  ended: 'An agent above it was terminated: agents below it take no more work.',
  past: 'An agent above it was created for one call, which now has a result: agents below it take no more work.',
} as const;

/**
 * Decides on children that want to start: start now, wait for a slot, or not at all.
 * @returns an answer for each, and the rows to write. Asking again gives the same answer (TR4).
 */
export function admit(
  tree: TreeIndex,
  parent: TreeNode,
  requests: readonly AdmissionRequest[],
  limits: Limits,
  now: number,
): { answers: Admission[]; nodes: ChildNode[] } {
  const { turn = 0 } = tree.root() ?? {};
  const over = tree.whyOver(parent);
  let created = createdIn(tree);
  let place = tree.nextPlace;
  const slots = freeSlots(tree, parent, limits);
  const nodes: ChildNode[] = [];
  const lease = sharedLease(tree, parent, limits, requests.length);
  const answers = requests.map((request): Admission => {
    const { childId } = request;
    const known = tree.childBySession(request.sessionId);
    if (known && tree.deleted.has(request.sessionId)) return { childId, answer: 'refused', error: failure('deleted') };
    const what = known && whatAgain(known, request);
    const lacking = known ? lackingBelow(tree, known, what, request) : 0;
    if (known && what === undefined && lacking === 0) return admittedBefore(known, request, lease);
    if (over) return { childId, answer: 'refused', error: failure('terminated', OVER_ABOVE[over]) };
    const replaces = !known && replacesOne(tree, parent, request);
    const refusal = known
      ? whyNotMoreBelow(created, lacking, limits)
      : whyNotAdmit(request, wasDeleted(tree, request), replaces ? 0 : created, limits);
    if (refusal) return { childId, answer: 'refused', error: refusal };
    const below = request.below ?? [];
    const fresh = nodes.filter(({ id }) => id >= tree.nextId).length;
    created += lacking;
    if (known && what === undefined) {
      nodes.push(...enterBelow(tree, known, below, tree.nextId + fresh, turn, now));
      return admittedBefore(known, request, lease);
    }
    const starts = slots.take(request);
    if (!known && !replaces) created += 1 + below.length;
    const node =
      known && what ? again(known, what, request, turn) : newNode(tree.nextId + fresh, parent, request, turn, now);
    const asked = { ...node, runNumber: request.runNumber };
    nodes.push(starts ? atWork(asked, now) : inQueue(asked, place++, now));
    if (!hasBegun(node)) nodes.push(...enterBelow(tree, node, below, tree.nextId + fresh + 1, turn, now));
    if (!starts) return { childId, answer: 'queued' };
    return { childId, answer: 'start', begun: hasBegun(node), ...lease(request, node) };
  });
  return { answers, nodes };
}

/** The concurrency slots that are free for the children of an agent. `take` says whether there was one. */
function freeSlots(tree: TreeIndex, parent: TreeNode, limits: Limits): { take(request: AdmissionRequest): boolean } {
  let free = limits.maxConcurrentChildren - tree.slotsTaken();
  const holdsSlot = parent.schedule.phase === 'working' && !tree.lends(parent);
  let lends = false;
  const queue = tree.at('queued').size > 0;
  return {
    take(request) {
      const first = holdsSlot && awaits(parent, request);
      // It waits from now on, whether or not that child begins.
      if (first && !lends) free++;
      lends ||= first;
      // Nobody overtakes the queue but the first children of one that lends its slot.
      const starts = free > 0 && (!queue || first);
      if (starts) free--;
      return starts;
    },
  };
}

/** Whether an agent waits for the task of a child that it asks for: it has told so before it asks. */
function awaits(parent: TreeNode, request: AdmissionRequest): boolean {
  if (parent.kind === 'root') return false;
  return (parent.openTasks ?? []).some(
    ({ tasks, need }) => need > 0 && tasks.some((key) => isSameTask(key, keyOf(request))),
  );
}

type LeaseOf = (request: AdmissionRequest, child: ChildNode) => { readonly lease?: Lease };

/** What new children may spend to begin with, worked out once; one with a budget of its own asks for itself. */
function sharedLease(tree: TreeIndex, parent: TreeNode, limits: Limits, children: number): LeaseOf {
  const granted = leaseFor(tree, parent, limits, children);
  let left = granted.ok && isForOneCall(granted.lease) ? stepsLeft(tree, parent, limits) : Number.POSITIVE_INFINITY;
  return ({ sessionId, task }, child) => {
    if (!granted.ok || task.budget !== undefined || hasBegun(child)) return {};
    const before = tree.held.get(sessionId);
    if (before) return { lease: before.lease };
    // What is left may not be enough for a call of each: the others ask for themselves, and may be refused.
    if (left-- < 1) return {};
    hold(tree, sessionId, granted.lease, child.usage);
    return { lease: granted.lease };
  };
}

/** What a request asks of a child that the record knows: to go on with its task, or to take a further one. */
type Again = 'goes_on' | 'further_task';

/** Undefined where it asks for nothing new. */
function whatAgain(known: ChildNode, { task, runNumber }: AdmissionRequest): Again | undefined {
  if (known.schedule.phase !== 'ended' || runNumber <= known.runNumber) return undefined;
  const lost = isAbandoned(known) && !isEndedUnbegun(known);
  if (lost || known.status === 'terminated') return undefined;
  if (task.number > known.task.number) return takesFurtherTasks(known) ? 'further_task' : undefined;
  const ends = isAbandoned(known) || known.status === 'interrupted' || known.status === 'failed';
  return ends ? 'goes_on' : undefined;
}

/** The record of a child that comes again, before it is scheduled. A task that is tried again has its whole time once more. */
function again(known: ChildNode, what: Again, request: AdmissionRequest, turn: number): ChildNode {
  switch (what) {
    case 'goes_on':
      return known.status === 'failed' && !isAbandoned(known) ? withWholeTime(known) : known;
    case 'further_task': {
      const { removal } = known.task;
      // The run that it was kept with has ended, whatever its parent asks for now.
      const isDue = removal === 'when_idle' ? { removal } : {};
      return withWholeTime({ ...known, task: { ...request.task, ...isDue, turn } });
    }
  }
}

/** The answer to whoever asks again (TR4). */
function admittedBefore(known: ChildNode, request: AdmissionRequest, lease: LeaseOf): Admission {
  const { childId } = request;
  const error = whyNotAgain(known, request);
  if (error) return { childId, answer: 'refused', error };
  if (known.schedule.phase === 'queued') return { childId, answer: 'queued' };
  return { childId, answer: 'start', begun: hasBegun(known), ...lease(request, known) };
}

function whyNotAgain(known: ChildNode, { task }: AdmissionRequest): Failure | undefined {
  if (isAbandoned(known))
    return failure('subagent_lost', 'The sub-agent was abandoned. Call it again if you still need the result.');
  if (task.number === known.task.number) return undefined;
  if (task.number < known.task.number) return failure('superseded', 'The sub-agent has a newer task.');
  if (isLive(known)) return failure('already_running', 'The sub-agent works on another task. Wait for its end.');
  return failure('terminated', 'The sub-agent takes no further task.');
}

/** The named children whose places in the record these take: older sessions under the same names, with all below them. */
export function replacedBy(tree: TreeIndex, nodes: readonly ChildNode[]): ChildNode[] {
  return nodes.flatMap((node) => {
    const older = takesFurtherTasks(node) ? tree.childOf(node.parentId, node.childId) : undefined;
    if (older === undefined || older.sessionId === node.sessionId || isLive(older)) return [];
    return tree.subtree(older.id).filter((one) => one.kind === 'child');
  });
}

/** Whether a child follows one that was started for the same child before it: it is started anew, and is no further child. */
function replacesOne(tree: TreeIndex, parent: TreeNode, { childId, task }: AdmissionRequest): boolean {
  return task.number > 1 && tree.children(parent.id).some((node) => node.childId === childId);
}

/** Whether a child that is not in the record was deleted, and did not just never come into it. */
function wasDeleted(tree: TreeIndex, { sessionId, address, runNumber, keepsSlot }: AdmissionRequest): boolean {
  // A request that was on its way when the child was deleted dies with the object that has noted it.
  if (tree.deleted.has(sessionId)) return true;
  if (runNumber === 1) return false;
  const { pendingRemovals = [] } = tree.root()?.top ?? {};
  return keepsSlot !== true || pendingRemovals.some((removed) => isWithin(address, removed));
}

function whyNotAdmit(
  { depth, below = [] }: AdmissionRequest,
  deleted: boolean,
  created: number,
  limits: Limits,
): Failure | undefined {
  // It does not come back.
  if (deleted) return failure('subagent_lost', 'The sub-agent is gone, and so is its work.');
  if (depth > limits.maxDepth)
    return failure('max_depth', `This tree may have ${limits.maxDepth} levels. Do the work yourself.`);
  return created + below.length < limits.maxTreeChildren ? undefined : tooMany(limits);
}

function whyNotMoreBelow(created: number, lacking: number, limits: Limits): Failure | undefined {
  return lacking === 0 || created + lacking <= limits.maxTreeChildren ? undefined : tooMany(limits);
}

function tooMany(limits: Limits): Failure {
  const advice = `This run has created ${limits.maxTreeChildren} sub-agents, the maximum. Do the rest yourself, or finish with what you have.`;
  return failure('max_tree_children', advice);
}

/**
 * Counts the agents below a prepared child that the record does not know, where a later request may name more of them. A
 * child that has all of them in its own object named them with its first request.
 */
function lackingBelow(tree: TreeIndex, known: ChildNode, what: Again | undefined, request: AdmissionRequest): number {
  const { below = [] } = request;
  if (hasBegun(known) || below.length === 0) return 0;
  if (what === undefined && !(isLive(known) && isSameTask(keyOf(known), keyOf(request)))) return 0;
  if (!hasObjects(known, [...below, ...tree.subtree(known.id).filter((node) => node.kind === 'child')])) return 0;
  return below.filter(({ sessionId }) => !tree.childBySession(sessionId)).length;
}

/** The records of agents that are below a child from its beginning: they exist, and are at rest. */
function enterBelow(
  tree: TreeIndex,
  child: ChildNode,
  requests: readonly BelowRequest[],
  firstId: number,
  turn: number,
  now: number,
): ChildNode[] {
  const known = new Map<string, ChildNode>([[child.sessionId, child]]);
  const nodes: ChildNode[] = [];
  for (const { parent: above, status, ...request } of requests) {
    const parent = known.get(above);
    if (parent === undefined) continue;
    const node =
      tree.childBySession(request.sessionId) ??
      nodeBelow(firstId + nodes.length, parent, { ...request, status }, turn, now);
    known.set(node.sessionId, node);
    if (!tree.childBySession(node.sessionId)) nodes.push(node);
  }
  return nodes;
}

/** The record of one of them. */
function nodeBelow(
  id: number,
  parent: Pick<TreeNode, 'id'>,
  { status, ...request }: Omit<BelowRequest, 'parent'>,
  turn: number,
  now: number,
): ChildNode {
  const schedule = { phase: 'ended', timeLeft: request.task.timeoutMs, end: { by: 'itself', at: now } } as const;
  return { ...newNode(id, parent, request, turn, now), status, along: true, schedule };
}

/** The records of agents that are below a root from its beginning; each parent before its children. @param root its session */
export function recordBelow(root: string, requests: readonly BelowRequest[], now: number): ChildNode[] {
  const ids = new Map([[root, ROOT_ID]]);
  return requests.flatMap(({ parent, ...request }) => {
    const above = ids.get(parent);
    if (above === undefined) return [];
    const id = ROOT_ID + ids.size;
    ids.set(request.sessionId, id);
    return [nodeBelow(id, { id: above }, request, 0, now)];
  });
}

/** The first record of a child, before it is scheduled. */
function newNode(
  id: number,
  parent: Pick<TreeNode, 'id'>,
  request: AdmissionRequest,
  turn: number,
  now: number,
): ChildNode {
  const { sessionId, address, agentType, depth, childId, task, runNumber, lifetime, placement } = request;
  return withWholeTime({
    kind: 'child',
    id,
    parentId: parent.id,
    sessionId,
    address,
    agentType,
    depth,
    childId,
    task: { ...task, turn },
    createdInTurn: turn,
    runNumber,
    lifetime,
    placement,
    schedule: { phase: 'waiting', timeLeft: 0 },
    status: 'queued',
    statusText: '',
    lastChunk: 0,
    sequence: 0,
    usage: NO_USAGE,
    createdAt: now,
  });
}

/**
 * The queued agents that may start now: the parent with the fewest at work goes first, then the one that waited longest,
 * as the record says, so that a queue which is read anew keeps its order.
 */
export function nextAdmissions(tree: TreeIndex, limits: Limits, now: number): ChildNode[] {
  if (tree.at('queued').size === 0) return [];
  let free = limits.maxConcurrentChildren - tree.slotsTaken();
  if (free <= 0) return [];
  const queued = [...tree.at('queued').values()].filter((node) => node.kind === 'child');
  queued.sort((one, other) => placeOf(one) - placeOf(other));
  const working = new Map<number, number>();
  for (const node of tree.at('working').values())
    if (node.kind === 'child') working.set(node.parentId, (working.get(node.parentId) ?? 0) + 1);
  const admitted: ChildNode[] = [];
  while (free > 0 && queued.length > 0) {
    let best = 0;
    queued.forEach((node, index) => {
      const other = queued[best];
      if (other && (working.get(node.parentId) ?? 0) < (working.get(other.parentId) ?? 0)) best = index;
    });
    const [node] = queued.splice(best, 1);
    if (node === undefined) break;
    working.set(node.parentId, (working.get(node.parentId) ?? 0) + 1);
    admitted.push(atWork(node, now));
    free--;
  }
  return admitted;
}
