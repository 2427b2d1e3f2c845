/**
 * An agent in the root's record of its tree: the root itself, or a child.
 *
 * Keeps TR8, TR11.
 */

import type { SessionStatus } from '../../protocol/status';
import type { Usage } from '../../protocol/usage';
import type { StopVerb } from '../agent/runs/stop-verb';
import type { Awaits } from '../agent/state';
import type { Relationship } from '../definition/definition';
import type { Budget } from '../definition/limits';
import type { Progress } from './progress';
import type { Tries } from './tries';

/** The lifetime of a child: for one call, or beyond its tasks, under a name. */
export type Lifetime = Relationship['lifetime'];

/** The delivery of a task's result: to the call that began it, or as a notice to the parent. */
export type Awaiting = Relationship['await'];

/** The id of the root's own node. */
export const ROOT_ID = 1;

/** The end of an agent, as far as the root knows. */
export type End =
  /** Its run ended, at this time in ms since 1970. */
  | { readonly by: 'itself'; readonly at: number }
  /** It was lost, or abandoned together with an ancestor or its call. Its own reports are no longer accepted. */
  | { readonly by: 'abandoned'; readonly at: number }
  /** It was abandoned before it began. The end of its parent's call decides; until then, its state does not change. */
  | { readonly by: 'withdrawn' };

/** A stop that a remote agent has not acknowledged, so it is sent again. Times are in ms since 1970. */
export interface StopOwed {
  readonly verb: StopVerb;
  /** The local run that it stops. */
  readonly runId: string;
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}

/**
 * The work state of an agent. `timeLeft` is the rest of its `timeoutMs` while its clock is paused, in ms. `deadline` is
 * the end of its time, in ms since 1970.
 */
export type Schedule =
  /** A root before its first run. */
  | { readonly phase: 'idle' }
  /** It is waiting for a concurrency slot. `place`: its place in the queue; a later one is higher. */
  | { readonly phase: 'queued'; readonly timeLeft: number; readonly place: number }
  | { readonly phase: 'working'; readonly deadline: number }
  /** Its run is waiting for a person, and holds no slot. */
  | { readonly phase: 'waiting'; readonly timeLeft: number }
  | { readonly phase: 'ended'; readonly timeLeft: number; readonly end: End };

/** The usage of agents, by type. */
export type UsageByType = { readonly [agentType: string]: Usage };

/** The time of a child's removal: after the run of its parent that it was kept with, or, as that has ended, once it is idle. */
export type Removal = 'after_run' | 'when_idle';

/** A task, as the parent of a child requests it. */
export interface RequestedTask {
  /** From 1, over the life of the child. */
  readonly number: number;
  /** The call that began it. */
  readonly callId: string;
  readonly await: Awaiting;
  /** The time for it, in ms. */
  readonly timeoutMs: number;
  /** The budget for the child and its descendants. */
  readonly budget?: Budget;
  /** If the child fails, its parent waits for a person. */
  readonly onFailure?: 'wait';
  /** Absent if the child stays as long as the tree. */
  readonly removal?: Removal;
}

/** The task of a child, in the record. A further task replaces all of it. */
export interface NodeTask extends RequestedTask {
  /** The root's turn in which it began. */
  readonly turn: number;
  /** The child has waited for a person, or for a child that did, so its parent need not ask for its status. */
  readonly hasWaited?: true;
}

/** The facts that the root records about every agent. */
interface AgentFacts {
  readonly id: number;
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  /** Level in the tree; the root is 1. */
  readonly depth: number;
  readonly schedule: Schedule;
  /** Its status, as it is shown. */
  readonly status: SessionStatus;
  readonly statusText: string;
  /** The number of its chunks in the log, which is its own number of the last one. */
  readonly lastChunk: number;
  /** The sequence of that chunk in the log; 0 before the first. */
  readonly sequence: number;
  /** When it wrote that chunk, in ms since 1970. */
  readonly lastAt?: number;
  readonly usage: Usage;
  /** The progress of its newest run; absent before its first. */
  readonly progress?: Progress;
  /** It was created together with an ancestor, and exists even before its first chunk. */
  readonly along?: true;
  /** The open tasks of its own children, as its last chunks reported them, with the number that it awaits. */
  readonly openTasks?: readonly Awaits[];
  /**
   * The time of its next scheduled effect or retry to a remote agent, as last reported, in ms since 1970. Absent if
   * there is none.
   */
  readonly effectAt?: number;
  /** It still has requests for remote agents that have left the tree. */
  readonly owesElsewhere?: true;
  readonly createdAt: number;
}

/** The root itself, with what the record holds of the whole tree. */
export interface RootNode extends AgentFacts {
  readonly kind: 'root';
  /** The turn that it is in. */
  readonly turn: number;
  /** The time for a run, in ms. */
  readonly timeoutMs: number;
  readonly top: TopFacts;
}

/** An agent below the root. */
export interface ChildNode extends AgentFacts {
  readonly kind: 'child';
  readonly parentId: number;
  /** Its number at its parent. */
  readonly childId: number;
  /** Its current or last task. */
  readonly task: NodeTask;
  /** The root's turn in which it was created. */
  readonly createdInTurn: number;
  readonly lifetime: Lifetime;
  readonly placement: Relationship['placement'];
  /** The number of its run in its session, from 1. */
  readonly runNumber: number;
  /** It has something for its parent that may not have arrived, and no working agent would ask for it. */
  readonly undelivered?: true;
  /** The usage of removed agents below it. */
  readonly retired?: UsageByType;
  /** Only for a remote agent. */
  readonly stopOwed?: StopOwed;
}

/** One agent of the tree. */
export type TreeNode = RootNode | ChildNode;

/** An agent that is no part of the tree any more. Its row stays until its object is erased. */
export interface RemovedNode {
  readonly kind: 'removed';
  readonly id: number;
  readonly sessionId: string;
  readonly address: string;
  readonly placement: 'object';
  /** Absent before the first failed attempt to erase it. */
  readonly tries?: Tries;
}

/** A row of the record. */
export type TreeRow = TreeNode | RemovedNode;

/** What the record of the root holds beside its own agent. */
export interface TopFacts {
  /** What agents spent that are no longer in the record. */
  readonly retired: UsageByType;
  /** How many sub-agents that this turn created have left the record: they were created all the same. */
  readonly removed: { readonly turn: number; readonly count: number };
  /** The highest id that was ever given, so that none is given twice. */
  readonly lastId: number;
  /** What the whole tree had spent when the turn began. */
  readonly usageAtTurnStart: Usage;
  /** The addresses of agents that left the record, were deleted or not kept under one that is, while their objects may still be there. */
  readonly pendingRemovals: readonly string[];
  /** Which session each of them had, by its address: another one may have begun in its place since. */
  readonly removedSessions?: Readonly<Record<string, string>>;
  /** Those of them whose removal came to nothing so far, by their addresses. */
  readonly removalTries?: Readonly<Record<string, Tries>>;
  /** What the directory was told last, as the text of `reportedText`. */
  readonly reported?: string;
  /** The tree is being deleted. */
  readonly removing?: Removing;
}

/** The deletion of a tree: what it was asked with, and its tries where some of its agents did not answer, or it failed. */
export interface Removing {
  readonly key?: string;
  readonly tries?: Tries;
}

/** True for an agent of the tree. */
export function isInTree(row: TreeRow): row is TreeNode {
  return row.kind !== 'removed';
}

/** The node of an agent that is known to be below the root. @throws TypeError for the root itself */
export function asChild(node: TreeNode): ChildNode {
  if (node.kind === 'child') return node;
  throw new TypeError("The root of a tree is nobody's child.");
}

/** The time for a root's run or a child's task, in ms. */
export function timeFor(node: TreeNode): number {
  return node.kind === 'root' ? node.timeoutMs : node.task.timeoutMs;
}

/** Whether an agent has work or waits for some. */
export function isLive({ schedule: { phase } }: TreeNode): boolean {
  return phase !== 'ended' && phase !== 'idle';
}

/** Whether an agent has ever done anything: then its object exists, or did. */
export function hasBegun({ lastChunk, along }: TreeNode): boolean {
  return lastChunk > 0 || along === true;
}

/** Whether an agent has ended without a word of its own. */
export function isAbandoned({ schedule }: TreeNode): boolean {
  return schedule.phase === 'ended' && schedule.end.by !== 'itself';
}

/** Whether an agent has ended with nothing done: only a newer request of its parent lets it begin. */
export function isEndedUnbegun(node: TreeNode): boolean {
  return node.schedule.phase === 'ended' && !hasBegun(node);
}

type Placed = Pick<ChildNode, 'placement'>;

/** True where a child, or an agent that is below it from its beginning, is in an object of its own. */
export function hasObjects(child: Placed, below: readonly Placed[]): boolean {
  return [child, ...below].some(({ placement }) => placement === 'object');
}

/**
 * True where the agents below a child that has ended unbegun leave the record with it. A withdrawn child may begin later:
 * what is in objects exists already then, and the rest is prepared anew.
 */
export function dropsThoseBelow(child: ChildNode, below: readonly ChildNode[]): boolean {
  const isWithdrawn = child.schedule.phase === 'ended' && child.schedule.end.by === 'withdrawn';
  return !(isWithdrawn && hasObjects(child, below));
}

/** Whether an agent is interrupted, or was taken out of the queue before it began: it goes on when its parent lets it. */
export function isHalted(node: TreeNode): boolean {
  return node.status === 'interrupted' || (isAbandoned(node) && !hasBegun(node));
}

/** Whether an agent failed under a parent that waits for a person then; the parent knows whether it still does. */
export function isWaitedFor(node: TreeNode): node is ChildNode {
  const { status, schedule } = node;
  const failed = schedule.phase === 'ended' && status === 'failed' && !isAbandoned(node);
  return failed && node.kind === 'child' && node.task.onFailure === 'wait';
}

/** Whether the task that an agent had last has ended, as far as the root can tell: it is not to go on, or to be tried again. */
export function hasEndedTask(node: ChildNode): boolean {
  return !isLive(node) && !isHalted(node) && !isWaitedFor(node) && !isEndedAsWaitedFor(node);
}

/** Whether an agent was ended for good under such a parent, which may still wait for it: it failed right before. */
export function isEndedAsWaitedFor(node: TreeNode): node is ChildNode {
  const { status, schedule } = node;
  return (
    schedule.phase === 'ended' && status === 'terminated' && node.kind === 'child' && node.task.onFailure === 'wait'
  );
}

/** The place of an agent in the queue; 0 for one that is in none. */
export function placeOf({ schedule }: TreeNode): number {
  return schedule.phase === 'queued' ? schedule.place : 0;
}

/** Whether an agent waits for its slot, to begin or to go on, or never began: then its parent alone can stop it. */
export function isYetToBegin(node: TreeNode): boolean {
  return !hasBegun(node) || node.schedule.phase === 'queued';
}

/** When an agent ended, in ms since 1970; undefined where it has not, or its parent has the last word. */
export function endedAt({ schedule }: TreeNode): number | undefined {
  return schedule.phase === 'ended' && schedule.end.by !== 'withdrawn' ? schedule.end.at : undefined;
}

/** Whether a sub-agent is listed beyond its tree: it stays, or lives elsewhere. */
export function staysOrIsElsewhere({ lifetime, placement }: ChildNode): boolean {
  return lifetime === 'named' || placement === 'remote';
}
