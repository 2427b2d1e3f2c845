/** What objects of one tree say to each other. Every message may arrive twice; every answer is data. */

import type { TaskKey } from '../core/agent/child';
import type { NewSession } from '../core/agent/events';
import type { NewMessage } from '../core/agent/inbound';
import type { Outcome, StopVerb } from '../core/agent/state';
import type { Level } from '../core/protocol/address';
import { boundedText, type Failure, failure, failureOf } from '../core/protocol/errors';
import type { Json, JsonObject } from '../core/protocol/json';
import type { Usage } from '../core/protocol/usage';
import type { Admission, AdmissionRequest } from '../core/tree/admission';
import type { Grant } from '../core/tree/budget';
import type { Lease } from '../core/tree/lease';
import type { Batch } from '../core/tree/merge';

/** A child's outcome on its way to its parent. */
export interface SettledMessage {
  readonly kind: 'child_settled';
  readonly task: TaskKey;
  readonly outcome: Outcome;
  readonly usage: Usage;
  readonly runId: string;
  /** What it had done, where it did not complete. */
  readonly done?: JsonObject;
}

/** On the same way: the child's run waits for a person, or goes on again. */
export interface WaitsMessage {
  readonly kind: 'child_waits';
  readonly task: TaskKey;
  readonly runId: string;
  readonly waits: boolean;
}

/** What a child tells its parent. */
export type Told = SettledMessage | WaitsMessage;

/** Gives a child its task: its session where it has none yet, and the run of the task, in one transaction of the child. */
export interface AssignMessage {
  readonly kind: 'assign';
  readonly session: NewSession;
  readonly input: Json;
  /** The child has begun before, so an empty store means that it is lost. */
  readonly begun: boolean;
  readonly task: TaskKey;
  readonly runId: string;
  /** What the child may spend to begin with. */
  readonly lease?: Lease;
  /** Who asked for the run above. */
  readonly actor?: string;
}

/** Lets a child go on that was interrupted, or try again that failed. */
export interface ResumeMessage {
  readonly kind: 'resume';
  readonly task: TaskKey;
  readonly runId: string;
  readonly message?: NewMessage;
  /** Who asked for the run above. */
  readonly actor?: string;
}

/** From an object to an agent below it, or to itself. */
export type AgentMessage =
  | AssignMessage
  | ResumeMessage
  | Told
  /** Stop your run; `runId` is the one that is meant, and `task` what it is for, where the parent asks. */
  | {
      readonly kind: 'stop';
      readonly verb: StopVerb;
      readonly reason: string;
      readonly runId?: string;
      readonly task?: TaskKey;
      readonly error?: Failure;
      /** Came with the run that is meant, where that has not begun. */
      readonly message?: NewMessage;
    }
  /** The time of some answers may be up. */
  | { readonly kind: 'expire' }
  /** Let this child of yours go on, which was interrupted. */
  | { readonly kind: 'resume_child'; readonly task: TaskKey }
  /** This child of yours, which failed and is waited for, is to try again, or is given up. */
  | {
      readonly kind: 'decide_child';
      readonly task: TaskKey;
      readonly decision: 'retry' | 'give_up';
      readonly message?: NewMessage;
    }
  /** Go on with what you owe; `sessionId` is whom the root means. */
  | { readonly kind: 'wake'; readonly sessionId: string }
  /** These children of yours have a place now. */
  | { readonly kind: 'admitted'; readonly childIds: readonly number[] }
  /** The time of this child of yours is up. */
  | { readonly kind: 'overdue'; readonly task: TaskKey; readonly timeoutMs: number }
  /** This child of yours is gone with its store. */
  | { readonly kind: 'lost'; readonly task: TaskKey }
  /** Stop this child of yours (`abort` by default), or settle its call where it is `lost` already. */
  | {
      readonly kind: 'drop';
      readonly task: TaskKey;
      readonly error: Failure;
      readonly lost: boolean;
      readonly verb?: 'interrupt' | 'abort';
    }
  /** Remove this child of yours with its store, and free its slot. */
  | { readonly kind: 'remove'; readonly segment: Segment };

/** What an agent answers. `absent`: no session is here. */
export type AgentAnswer =
  /** `end`: the agent was stopped by its parent and has ended; its parent takes to the root what it has to say. */
  | { readonly answer: 'done'; readonly end?: Post }
  | { readonly answer: 'absent' }
  | { readonly answer: 'refused'; readonly error: Failure };

/** From an agent to its root: everything that it has to say, in one call. */
export interface Post {
  readonly sessionId: string;
  readonly batches: readonly Batch[];
  readonly admit: readonly AdmissionRequest[];
  readonly tell: readonly Told[];
  /** Asks what the sender may spend. */
  readonly lease?: true;
  /** Children that will not start: they leave the queue. */
  readonly withdraw: readonly string[];
  /** Children that are gone: they hold no place any more. */
  readonly lost: readonly string[];
  /** What children of the sender gave it to take to the root. */
  readonly relayed?: readonly Post[];
}

/**
 * What the root answers. Batches up to `merged` (the sender's own number) are in the log. `refused`: the root is there and
 * nothing of the post was kept; `why` says what its transaction failed with.
 */
export interface PostAnswer {
  readonly merge: 'merged' | 'gone' | 'refused';
  readonly why?: string;
  readonly merged: number;
  readonly admissions: readonly Admission[];
  /** The session ids that were still queued, and now have ended. */
  readonly withdrawn: readonly string[];
  readonly grant?: Grant;
  /** The answers to the posts that were relayed, in their order. */
  readonly relayed?: readonly PostAnswer[];
}

/** One level of a way down: a child of this class in this slot. */
export interface Segment {
  readonly className: string;
  readonly addressClass: string;
  readonly name: string;
}

/** The segment of one level of an address. */
export function segmentOf({ className, addressClass, name }: Level): Segment {
  return { className, addressClass, name };
}

/** The answer to one who is no part of the tree any more. */
export const GONE: PostAnswer = { merge: 'gone', merged: 0, admissions: [], withdrawn: [] };

/** Why a post was refused is told with so many characters. */
const MAX_WHY = 500;

/** Whether the root has a post to its last chunk. */
export function isMerged({ batches }: Post, answer: PostAnswer | undefined): boolean {
  const last = batches.at(-1);
  if (answer?.merge !== 'merged') return false;
  return last === undefined || answer.merged >= last.first + last.chunks.length - 1;
}

/** The answer to a post whose transaction failed: nothing of it was kept. */
export function refusal(error: unknown): PostAnswer {
  return { ...GONE, merge: 'refused', why: boundedText(failureOf(error).message, MAX_WHY) };
}

/** Stops a root's run whose time is up. */
export function overdueRoot(timeoutMs: number): AgentMessage {
  const error = failure('run_timeout', `The run worked for ${timeoutMs} ms, as long as it may.`);
  return { kind: 'stop', verb: 'abort', reason: error.message, error };
}
