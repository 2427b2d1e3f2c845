/** Agents in a root's record, for tests of what the root decides about them. */

import type { ChildNode, NodeTask, RootNode, Schedule } from '../../src/core/tree/node';
import { NO_USAGE } from '../../src/protocol/usage';

/** How an agent may stand, with times that no clock reaches. */
export const STANDS = {
  queued: { phase: 'queued', timeLeft: 60_000, place: 1 },
  working: { phase: 'working', deadline: 1_000_000_000 },
  waiting: { phase: 'waiting', timeLeft: 60_000 },
  ended: { phase: 'ended', timeLeft: 60_000, end: { by: 'itself', at: 1 } },
} as const satisfies { readonly [phase: string]: Schedule };

/** What the record of a root holds before anything has happened in its tree. */
export const NO_FACTS: RootNode['top'] = {
  retired: {},
  removed: { turn: 0, count: 0 },
  lastId: 1,
  usageAtTurnStart: NO_USAGE,
  pendingRemovals: [],
};

/** A root at work in its first turn. */
export function rootNode(facts: Partial<RootNode> = {}): RootNode {
  return {
    kind: 'root',
    id: 1,
    sessionId: 's_root',
    address: '/agents/top/one',
    agentType: 'top',
    depth: 1,
    turn: 1,
    schedule: STANDS.working,
    status: 'running',
    statusText: '',
    lastChunk: 1,
    sequence: 1,
    usage: NO_USAGE,
    timeoutMs: 86_400_000,
    createdAt: 0,
    top: NO_FACTS,
    ...facts,
  };
}

/** Facts of a child's record, and of its task. */
export type NodeFacts = Partial<Omit<ChildNode, 'task'>> & { readonly task?: Partial<NodeTask> };

/** A child of the root, at work on the call of its own. */
export function childNode(id: number, { task, ...facts }: NodeFacts = {}): ChildNode {
  return {
    kind: 'child',
    id,
    parentId: 1,
    sessionId: `s_${id}`,
    address: `/agents/top/one/sub/leaf/${id}~1`,
    agentType: 'leaf',
    depth: 2,
    childId: id,
    task: { number: 1, callId: `c_${id}`, turn: 1, await: 'step', timeoutMs: 60_000, ...task },
    createdInTurn: task?.turn ?? 1,
    runNumber: 1,
    lifetime: 'call',
    placement: 'facet',
    schedule: STANDS.working,
    status: 'running',
    statusText: '',
    lastChunk: 1,
    sequence: 1,
    usage: NO_USAGE,
    createdAt: 0,
    ...facts,
  };
}
