/**
 * Admission: who may start, who waits, and who is refused.
 *
 * TR3. At most `maxConcurrentChildren` agents work at once. An agent that waits for its own children lends them its
 *     concurrency slot, so a full tree can always go on (decision 6).
 * TR4. Admission is idempotent by session id.
 */
import type { TaskKey } from '../agent/child';
import type { Budget, Limits } from '../definition/limits';
import { type Failure, failure } from '../protocol/errors';
import { NO_USAGE } from '../protocol/usage';
import { hold, leaseFor, stepsLeft } from './budget';
import { isForOneCall, type Lease } from './lease';
import { ROOT_ID, type TopFacts, type TreeNode } from './node';
import { createdIn } from './retirement';
import type { TreeIndex } from './tree-index';

/** A child that wants to start, or to go on. */
export interface AdmissionRequest {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly callId: string;
  readonly task: TaskKey;
  readonly depth: number;
  readonly timeoutMs: number;
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  /** Which run of its session it asks for, from 1: so asking again is told apart from asking once more. */
  readonly runNumber: number;
  /** The parent's row of the slot still names this child. A deletion would have freed the slot, so one that the root does not know has never begun. */
  readonly placed?: true;
}

/** What the root says to it. */
export type Admission =
  /** `begun`: its chunks are in the log, so it must exist already. */
  | { readonly childId: number; readonly answer: 'start'; readonly begun: boolean; readonly lease?: Lease }
  | { readonly childId: number; readonly answer: 'queued' }
  | { readonly childId: number; readonly answer: 'refused'; readonly error: Failure };

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
    const { childId } = request.task;
    const known = tree.bySession(request.sessionId);
    const again = known !== undefined && comesAgain(known, request);
    if (known && !again) return admittedBefore(known, request, lease);
    const replaces = !again && replacesOne(tree, parent, request);
    const refusal = again ? undefined : whyNotAdmit(request, wasDeleted(top, request), replaces ? 0 : lifetime, limits);
    if (refusal) return { childId, answer: 'refused', error: refusal };
    const starts = free > 0 && (!queue || lends);
    if (!again && !replaces) lifetime++;
    if (starts) free--;
    const fresh = nodes.filter(({ id }) => id >= tree.nextId).length;
    const node = known ? restarted(known) : newNode(tree.nextId + fresh, parent, request, turn, now);
    nodes.push(placed({ ...node, runNumber: request.runNumber }, starts, now));
    if (!starts) return { childId, answer: 'queued' };
    return { childId, answer: 'start', begun: node.number > 0, ...lease(request, node) };
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
function comesAgain(known: TreeNode, { runNumber }: AdmissionRequest): boolean {
  const { status } = known;
  const resumable = known.givenUp ? known.number === 0 : status === 'interrupted' || status === 'failed';
  return known.place === 'ended' && resumable && runNumber > (known.runNumber ?? 1);
}

/** One that is tried again has its whole time once more; one that is resumed has what is left of it. */
function restarted(known: TreeNode): TreeNode {
  if (known.status !== 'failed' || known.givenUp) return known;
  const { timeLeft: _timeLeft, ...facts } = known;
  return facts;
}

/** The answer to whoever asks again (TR4). */
function admittedBefore(known: TreeNode, request: AdmissionRequest, lease: LeaseOf): Admission {
  const { childId } = request.task;
  if (known.place === 'queued') return { childId, answer: 'queued' };
  if (known.givenUp) {
    const error = failure('subagent_lost', 'The sub-agent was given up. Call it again if you still need the result.');
    return { childId, answer: 'refused', error };
  }
  return { childId, answer: 'start', begun: known.number > 0, ...lease(request, known) };
}

/** Whether a child takes the place of the one before it in the same call: it is started anew, and is no further child. */
function replacesOne(tree: TreeIndex, parent: TreeNode, { task }: AdmissionRequest): boolean {
  return task.task > 1 && tree.children(parent.id).some((node) => node.task.childId === task.childId);
}

/** Whether a child that is not in the record was deleted, and did not just never come into it. */
function wasDeleted(top: TopFacts | undefined, { address, runNumber, placed: hasPlace }: AdmissionRequest): boolean {
  if (runNumber === 1) return false;
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
