/**
 * What the agents at and below one come to.
 *
 * Keeps A8, A83.
 */
import type { ChildNode, TreeNode } from './node';

/** The sub-agents below an agent by status, and the last sequence at or below it. */
export interface Below {
  readonly childCounts: {
    readonly running: number;
    readonly queued: number;
    readonly waiting: number;
    readonly total: number;
  };
  readonly lastSequence: number;
}

/** Of an agent with nobody below it, which has said nothing. */
export const NOBODY: Below = { childCounts: { running: 0, queued: 0, waiting: 0, total: 0 }, lastSequence: 0 };

function withChild(below: Below, { schedule: { phase } }: ChildNode, its: Below): Below {
  const { running, queued, waiting, total } = below.childCounts;
  return {
    childCounts: {
      running: running + its.childCounts.running + (phase === 'working' ? 1 : 0),
      queued: queued + its.childCounts.queued + (phase === 'queued' ? 1 : 0),
      waiting: waiting + its.childCounts.waiting + (phase === 'waiting' ? 1 : 0),
      total: total + its.childCounts.total + 1,
    },
    lastSequence: Math.max(below.lastSequence, its.lastSequence),
  };
}

/**
 * What the agents at and below each agent of a subtree come to, by id. The subtree has each parent before its children,
 * so one pass from its end is enough.
 */
export function belowEach(subtree: readonly TreeNode[]): ReadonlyMap<number, Below> {
  const sums = new Map<number, Below>();
  for (const node of subtree.toReversed()) {
    const sum = sums.get(node.id) ?? NOBODY;
    const own = { ...sum, lastSequence: Math.max(sum.lastSequence, node.sequence) };
    sums.set(node.id, own);
    if (node.kind === 'child') sums.set(node.parentId, withChild(sums.get(node.parentId) ?? NOBODY, node, own));
  }
  return sums;
}
