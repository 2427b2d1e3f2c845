/**
 * Phases of agents, and their clocks.
 *
 * Decides: whose clock runs, and when a child's time is up.
 * Keeps TM2, DG6.
 *
 * WT4. A clock runs while its agent works, and stands while it waits for a person: waiting never counts as stuck. Who
 *     waits for a person holds no concurrency slot either (decision 17).
 */
import { isEnded, type SessionStatus } from '../../protocol/status';
import { type ChildNode, hasBegun, isLive, type Schedule, type TreeNode, timeFor } from './node';
import type { TreeIndex } from './tree-index';

const PHASES: { readonly [Status in SessionStatus]: Schedule['phase'] } = {
  idle: 'idle',
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

/** What an agent has left of its time, in ms. A clock that stands at its very end has a moment left, so that its time is still up. */
function timeLeft(node: TreeNode, now: number): number {
  const { schedule } = node;
  switch (schedule.phase) {
    case 'idle':
      return timeFor(node);
    case 'working':
      return Math.max(1, schedule.deadline - now);
    case 'queued':
    case 'waiting':
    case 'ended':
      return schedule.timeLeft;
  }
}

/** The schedule of an agent that says that it stands so now. @param consults as a batch says it: its clock runs on (CO6) */
export function scheduleAt(node: TreeNode, status: SessionStatus, now: number, consults = false): Schedule {
  const { schedule } = node;
  const phase = consults ? 'working' : PHASES[status];
  switch (phase) {
    case 'idle':
      return { phase };
    case 'working':
      return schedule.phase === 'working' ? schedule : { phase, deadline: now + timeLeft(node, now) };
    case 'queued':
      // Who is in the queue is said by the root alone.
      return schedule;
    case 'waiting':
      return { phase, timeLeft: timeLeft(node, now) };
    case 'ended':
      return schedule.phase === 'ended'
        ? schedule
        : { phase, timeLeft: timeLeft(node, now), end: { by: 'itself', at: now } };
  }
}

/** The record of a child that says that it stands so now. */
export function withStatus(node: ChildNode, status: SessionStatus, now: number, consults = false): ChildNode {
  const schedule = scheduleAt(node, status, now, consults);
  return {
    ...node,
    status,
    schedule,
    ...(schedule.phase === 'waiting' ? { task: { ...node.task, hasWaited: true } } : {}),
  };
}

/** A child that is to work, with what is left of its time, in a concurrency slot. */
export function atWork(node: ChildNode, now: number): ChildNode {
  return { ...node, status: 'running', schedule: { phase: 'working', deadline: now + timeLeft(node, now) } };
}

/** The same in the queue for one. */
export function inQueue(node: ChildNode, place: number, now: number): ChildNode {
  return { ...node, status: 'queued', schedule: { phase: 'queued', timeLeft: timeLeft(node, now), place } };
}

/** The same child with its whole time before it, before it works or is queued. */
export function withWholeTime(node: ChildNode): ChildNode {
  return { ...node, schedule: { phase: 'waiting', timeLeft: timeFor(node) } };
}

/**
 * A child that ends here without a word of its own. Of one that never began its parent has the last word, with the end of
 * its call; until then it is as it was, in no queue.
 * @param withParent the agent above it was abandoned, and has no word any more
 */
export function abandoned(node: ChildNode, now: number, withParent: boolean): ChildNode {
  const { undelivered: _undelivered, ...facts } = node;
  const left = { phase: 'ended', timeLeft: hasBegun(node) ? timeLeft(node, now) : timeFor(node) } as const;
  if (!withParent && !hasBegun(node) && !isEnded(node.status))
    return { ...facts, status: 'queued', schedule: { ...left, end: { by: 'withdrawn' } } };
  return { ...facts, status: 'failed', schedule: { ...left, end: { by: 'abandoned', at: now } } };
}

/** A child that was to go on, and left the queue for it: it is interrupted as before. */
export function interruptedInQueue(node: ChildNode, now: number): ChildNode {
  return {
    ...node,
    status: 'interrupted',
    schedule: { phase: 'ended', timeLeft: timeLeft(node, now), end: { by: 'itself', at: now } },
  };
}

/** A child that never began, and whose call has its end now. What is live of it ends when its parent says that it is lost. */
export function closed(node: ChildNode, now: number): ChildNode {
  const { schedule } = node;
  return {
    ...node,
    status: 'failed',
    schedule: schedule.phase === 'ended' ? { ...schedule, end: { by: 'abandoned', at: now } } : schedule,
  };
}

/** The agents whose time is up. */
export function overdue(tree: TreeIndex, now: number): TreeNode[] {
  return [...tree.at('working').values()].filter(({ schedule }) => deadlineIn(schedule) <= now);
}

/** Whether an agent waits for children alone that the alarm looks after: nobody has to ask how it is. */
export function isLookedAfter(tree: TreeIndex, node: TreeNode): boolean {
  if (node.kind === 'root' || node.status !== 'suspended_awaiting_children') return false;
  return (node.openTasks ?? []).every(
    ({ tasks, need }) =>
      need === 0 ||
      tasks.every(({ childId, task }) => {
        const child = tree.childOf(node.id, childId);
        return child?.task.number === task && isLive(child) && (hasBegun(child) || child.schedule.phase === 'queued');
      }),
  );
}

/** The agents that wait for children up to a time, with the times, in ms since 1970. */
export function waitsUntil(tree: TreeIndex): { readonly id: number; readonly until: number }[] {
  return [...tree.at('working').values(), ...tree.at('waiting').values()].flatMap(({ id, openTasks = [] }) =>
    openTasks.flatMap(({ until }) => (until === undefined ? [] : [{ id, until }])),
  );
}

/** The next deadline, in ms since 1970, if there is one ahead. */
export function nextDeadline(tree: TreeIndex, now: number): number | undefined {
  let next: number | undefined;
  for (const { schedule } of tree.at('working').values()) {
    const deadline = deadlineIn(schedule);
    if (deadline <= now) continue;
    if (next === undefined || deadline < next) next = deadline;
  }
  return next;
}

function deadlineIn(schedule: Schedule): number {
  return schedule.phase === 'working' ? schedule.deadline : Number.POSITIVE_INFINITY;
}
