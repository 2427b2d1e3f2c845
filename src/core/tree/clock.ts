/**
 * How an agent stands, and its clock.
 *
 * WT4. A clock runs while its agent works, and stands while it waits for a person: waiting never counts as stuck. Who
 *     waits for a person holds no concurrency slot either (decision 17).
 */
import { isEnded, type SessionStatus } from '../protocol/status';
import type { TreeNode } from './node';
import type { TreeIndex } from './tree-index';

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
