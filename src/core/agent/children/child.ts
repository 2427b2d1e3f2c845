/**
 * A child, as its parent keeps it: one record, and one union for how it stands (decision 31).
 *
 * Decides: how a child stands: at work, paused by whom, at its end.
 * Keeps DG25, DG27, CO25.
 *
 * - A tool call refers to a task of a child, never to the child's state; a task has a number, and one end.
 * - `TaskKey` is the one fence: whatever is said of another task of the child is void.
 */

import { parseSlot } from '../../../protocol/address';
import type { Failure } from '../../../protocol/errors';
import { childRunId, runNumberOf } from '../../../protocol/ids';
import type { Json } from '../../../protocol/json';
import type { CallResult } from '../../../protocol/messages';
import type { SideName } from '../../../protocol/sides';
import { lessUsage, type Usage } from '../../../protocol/usage';
import type { ChildWorkspace, ParentSuspendRule, Relationship } from '../../definition/definition';
import type { Budget } from '../../definition/limits';
import type { Brought, Mail, NewMessage } from '../inbound';
import { isResumable, type StopVerb } from '../runs/stop-verb';
import type { Placement } from './placement';

/** A task of a child. Every message about a child contains it, so that messages about earlier tasks are refused. */
export interface TaskKey {
  /** From 1, over the session of the parent. */
  readonly childId: number;
  /** From 1, over the life of the child. A restart has the next number. */
  readonly task: number;
}

/** Who asked for something, and in which trace (W3C). */
export interface AskedBy {
  readonly actor: string;
  readonly traceparent?: string;
}

/** Whom a child may read while its task is open: its parent, and children of that by their names. */
export interface Readable {
  readonly parent?: true;
  readonly names: readonly string[];
}

/** What a child was asked to do: the task that is open, or the last one. */
export interface Task {
  readonly number: number;
  /** The call that began it, and its step. */
  readonly callId: string;
  readonly stepId: number;
  /** Whether that call holds it. Who else awaits it is said by the calls. */
  readonly await: Relationship['await'];
  readonly deliver: Relationship['deliver'];
  /** The run of the child's session that it begins with: later ones go on with it. */
  readonly firstRun: number;
  /** The arguments, where no step keeps them until the child has them. */
  readonly input?: Json;
  /** Who asked for it, and in which trace, where that was a person; else it is asked for as its parent's run is. */
  readonly by?: AskedBy;
  /** It is what the child is told: there are no arguments. */
  readonly told?: true;
  /** Whom it reads meanwhile. */
  readonly reads?: Readable;
  /** The number of the child's run for which its parent last said that it cannot be reached, until it is. */
  readonly unreached?: number;
}

/** Why a child stands still: somebody has stopped it, or its parent waits for a person. */
export type StillCause = 'stop' | 'parent_suspended';

/**
 * How a child stands as far as its parent knows. A `message` came with a retry, and goes to the child with the run that
 * begins next. `says` is its last word on how far its run is.
 */
export type ChildState =
  | { readonly is: 'working'; readonly message?: NewMessage; readonly says?: string }
  /** Its run waits for a person. */
  | { readonly is: 'waiting'; readonly says?: string }
  | {
      readonly is: 'stopping';
      readonly verb: StopVerb;
      readonly error: Failure;
      /** The wait of its parent, or the agent that stopped it. */
      readonly cause: StillCause;
      readonly message?: NewMessage;
      /** It was told something since: once it has stopped it goes on with that. */
      readonly goesOn?: true;
    }
  /** It goes on from its ledger. `parent_suspended`: it was interrupted by its parent, until that goes on. */
  | {
      readonly is: 'interrupted';
      readonly cause: StillCause;
      /** What it had spent on its task by then. */
      readonly usage?: Usage;
      readonly message?: NewMessage;
    }
  /** It failed, and a person decides: it tries again, or this is the end of its task. */
  | { readonly is: 'failed'; readonly error: Failure; readonly usage?: Usage }
  /**
   * It is started anew: it was failed because its parent suspended, until that goes on; or (`fresh`) its name was given a
   * task after its last session had failed, which nobody has yet.
   */
  | { readonly is: 'respawning'; readonly usage?: Usage; readonly fresh?: true }
  /**
   * Its task has ended. Only of a child that outlives its task, or of one that its call did not hold. `gone`: with its
   * store. `session`: how its own run ended, where it told so.
   */
  | {
      readonly is: 'ended';
      readonly result: CallResult;
      readonly gone?: true;
      readonly session?: 'completed' | 'failed' | 'interrupted' | 'terminated';
      /** The id of the message that told of it. */
      readonly notice?: string;
      /** How many messages to it were seen by no step. */
      readonly unread?: number;
      /** The files that came with it. */
      readonly brought?: Brought;
    };

/** What the registry of a parent keeps of a child by a `SubagentEntry`, set when it is made. */
export interface Registered {
  /** Its stable address for its parent's model: a UUID, and the name of one that stays. */
  readonly reference: string;
  /** The prompt whose entry it was made by. */
  readonly prompt: string;
  readonly title?: string;
  readonly description: string;
  readonly resumable: boolean;
  /** The side of it that messages of its parent are for, where that is said. */
  readonly receives?: SideName;
  readonly blocking: boolean;
  /** What its parent's model called it. */
  readonly threadName?: string;
  /** The step whose calls made it; missing where no call did. */
  readonly spawnGroupId?: string;
  /** In ms since 1970. */
  readonly createdAt: number;
  /** Its parent has ended it for good: whatever it says afterwards does not change that. */
  readonly terminated?: true;
  /** When that was, or when its parent heard that somebody else did so, in ms since 1970. */
  readonly terminatedAt?: number;
}

/** The terms of a child's task. */
export interface TaskTerms {
  /** The time for it, in ms. */
  readonly timeoutMs: number;
  readonly onParentSuspend: ParentSuspendRule;
  readonly onFailure: Relationship['onFailure'];
  /** Only if its end begins a turn. */
  readonly onIdle?: 'wake';
  readonly budget?: Budget;
  /** Calls that end the session of the child may name files that come with that. */
  readonly brings?: true;
}

/** The files that a child works on, and what its session may do. */
export interface ChildSetup {
  /** It may hand files over with the end of a task. */
  readonly givesFiles?: true;
  /** Its tasks may name others that it reads. */
  readonly mayRead?: true;
  /** Absent if the files are its own. */
  readonly workspace?: Exclude<ChildWorkspace, 'session'>;
}

/** The messages of a parent to its child, numbered from 1 over the life of the child. */
export interface Mailbox {
  /** In order: those that the child has not taken, and with `taken` those before, too. */
  readonly messages: readonly Mail[];
  /** The number of the last message ever. */
  readonly last: number;
  /** The last message that the child has taken. Only if a new session may take its place, which gets all messages again. */
  readonly taken?: number;
}

/** A child. */
export interface Child {
  /** From 1, over the session of its parent. */
  readonly childId: number;
  readonly sessionId: string;
  readonly agentType: string;
  readonly address: string;
  readonly lifetime: Relationship['lifetime'];
  /** What its parent calls it; unique among the children of the parent that have names. */
  readonly name?: string;
  /** Only of one by a `SubagentEntry`. */
  readonly registered?: Registered;
  /** Values of variables that its session begins with, sealed, by name: for its whole child graph. */
  readonly variables?: { readonly [name: string]: string };
  readonly placement: Placement;
  /** The terms of its task. A task that its parent gives it has all terms of its own. */
  readonly terms: TaskTerms;
  /** Fixed when its session begins. */
  readonly setup: ChildSetup;
  /** It goes with that run of its parent (its `chainTurn`); missing where it is kept with the tree. */
  readonly ofRun?: number;
  readonly task: Task;
  /** Its session has begun: that is known from an end of its own, or because it came with the memory of its parent. */
  readonly begun?: true;
  /** Which run of its session is meant: raised by each further task, resume and retry. */
  readonly runNumber: number;
  /** Absent before the first message of its parent. */
  readonly mailbox?: Mailbox;
  /** What its session had spent by the end of the task before, where there was one. */
  readonly spentBefore?: Usage;
  readonly state: ChildState;
}

/** The key of the task of a child that is open, or was last. */
export function keyOf({ childId, task }: { readonly childId: number; readonly task: Pick<Task, 'number'> }): TaskKey {
  return { childId, task: task.number };
}

/** The run of a child that is meant. */
export function runIdOf({ sessionId, runNumber }: Child): string {
  return childRunId(sessionId, runNumber);
}

/** Whether a run is an earlier one than the one that is meant, or none of the child's session. */
export function isOlderRun({ sessionId, runNumber }: Child, runId: string | undefined): boolean {
  return runId !== undefined && runNumberOf(sessionId, runId) < runNumber;
}

/** What came with a retry and has not gone to the child yet. */
export function messageFor({ state }: Child): { readonly message?: NewMessage } {
  return 'message' in state && state.message ? { message: state.message } : {};
}

/** What a child has spent on its task, from what its session has spent. */
export function spentOnTask({ spentBefore }: Child, spent: Usage): Usage {
  return spentBefore === undefined ? spent : lessUsage(spent, spentBefore);
}

/** The same, where it is known what the session has spent; else what was known when it came to rest. */
export function usageOf(child: Child, spent: Usage | undefined): Usage | undefined {
  if (spent !== undefined) return spentOnTask(child, spent);
  return 'usage' in child.state ? child.state.usage : undefined;
}

/** Whether a child stands still, or is about to, until its parent or a person lets it go on (`companion__stopChild`: `pause`). */
export function isPaused({ state }: Pick<Child, 'state'>): boolean {
  if (state.is === 'interrupted') return state.cause === 'stop';
  if (state.is !== 'stopping' || state.goesOn) return false;
  return isResumable(state.verb) && state.cause === 'stop';
}

/** Whether a child's task is open. */
export function isOpen({ state }: Child): boolean {
  return state.is !== 'ended';
}

/** Whether a child has no memory any more: it was ended for good, or is gone with its store. */
export function hasForgotten({ state }: Pick<Child, 'state'>): boolean {
  return state.is === 'ended' && (state.gone === true || state.session === 'terminated');
}

/** Whether the end of a task is told by a message of its own. */
export function isNotified({ task }: Child): boolean {
  switch (task.deliver) {
    case 'result':
      return false;
    case 'notice':
    case 'envelope':
      return true;
  }
}

/** Whether a child has a name, and stays when its task has ended. */
export function isLasting({ lifetime }: Pick<Child, 'lifetime'>): boolean {
  switch (lifetime) {
    case 'call':
      return false;
    case 'named':
      return true;
  }
}

/** What the lifetime of a child is called on the wire. */
export function modeOf({ lifetime }: Pick<Child, 'lifetime'>): 'ephemeral' | 'persistent' {
  switch (lifetime) {
    case 'call':
      return 'ephemeral';
    case 'named':
      return 'persistent';
  }
}

/**
 * Whether the call that begins a task holds it: it awaits that task alone, so its result is the task's end, and whatever
 * settles the call ends the task. Calls that await what others began hold nothing.
 */
export function isHeldByCall({ await: awaiting }: Pick<Relationship, 'await'>): boolean {
  switch (awaiting) {
    case 'step':
      return true;
    case 'notice':
      return false;
  }
}

/** The slot that a child takes; undefined for one whose address has a name. */
export function slotOf({ segment }: Placement): { slot: number; generation: number } | undefined {
  return parseSlot(segment);
}

/** The address segment of a child that lives for one call: slot and generation. */
export function slotName(slot: number, generation: number): string {
  return `${slot}~${generation}`;
}
