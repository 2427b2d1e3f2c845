/**
 * What objects of one tree say to each other. Every message may arrive twice; every answer is data.
 *
 * Keeps CT2, RT1.
 */

import type { TaskKey } from '../core/agent/children/child';
import type { Look } from '../core/agent/children/child-standing';
import type { ControlsOver } from '../core/agent/controls';
import { taskMessage } from '../core/agent/delivery';
import type { AgentEvent, AskedMessage, NewSession } from '../core/agent/events';
import type { Mail } from '../core/agent/inbound';
import type { ChildNeed } from '../core/agent/state';
import type { RemoteRow } from '../core/ports/agent-store';
import { type Admission, type AdmissionRequest, OVER_ABOVE } from '../core/tree/admission';
import type { Grant } from '../core/tree/budget';
import type { AsksFirst, Lease } from '../core/tree/lease';
import type { Batch } from '../core/tree/merge';
import type { AskedTurn, EndedTurn, RestingTurn, TurnAnswer } from '../core/tree/models/turns';
import type { Level } from '../protocol/address';
import { boundedText, type Failure, failure, failureOf } from '../protocol/errors';
import type { Json } from '../protocol/json';
import { NO_USAGE } from '../protocol/usage';
import type { Environment } from './environment';

/** An event without what only its receiver can add: its time, and randomness. */
type Sent<Event> = Event extends unknown ? Omit<Event, 'at' | 'token'> : never;

/** What an object tells another one that is an event there as it is: of its own run, or of a child of its. */
export type EventMessage = Sent<
  Extract<
    AgentEvent,
    {
      type:
        | 'child_settled'
        | 'child_waits'
        | 'child_stop'
        | 'child_resume'
        | 'child_decided'
        | 'resume'
        | 'mail'
        | 'stop'
        | 'expire';
    }
  >
>;

type MessageOf<Type extends EventMessage['type']> = Extract<EventMessage, { type: Type }>;

/** What a child tells its parent, by way of the root: its outcome, or that its run waits for a person or goes on. */
export type Delivery = (MessageOf<'child_settled'> & { readonly runId: string }) | MessageOf<'child_waits'>;

/** To its parent: a child that rests was ended for good, or deleted, and why. */
export type ChildGoneMessage = Omit<Sent<Extract<AgentEvent, { type: 'child_gone' }>>, 'atRest'>;

/** Gives a child its task: its session where it has none yet, and the run of the task, in one transaction of the child. */
export interface AssignMessage {
  readonly type: 'assign';
  readonly session: NewSession;
  /** Missing where what it is told is all of its task. */
  readonly input?: Json;
  readonly mail?: readonly Mail[];
  /** The child needed this before it begins. */
  readonly first?: ChildNeed;
  /** The child has begun before, so an empty store means that it is lost. */
  readonly begun: boolean;
  readonly task: TaskKey;
  readonly runId: string;
  /** What the child may spend to begin with. */
  readonly lease?: Lease;
  /** Values of variables for its whole child graph, sealed, by name. */
  readonly variables?: { readonly [name: string]: string };
  /** Who asked for the run above, and in which trace. */
  readonly actor?: string;
  readonly traceparent?: string;
}

/** A message of a capability, which that alone understands; so it does with the `body` of the answer. */
export interface CapabilityMessage {
  readonly type: 'capability';
  readonly capability: string;
  readonly message: object;
}

/** From an object to an agent below it, or to itself. */
export type AgentMessage =
  | EventMessage
  | AssignMessage
  | CapabilityMessage
  | ChildGoneMessage
  /** Tell a child of yours, as a person asks: once for the key and its body. */
  | ({ readonly type: 'tell'; readonly asked?: { readonly key: string; readonly body: string } } & AskedMessage)
  /** A person takes back what they have sent to a child of yours. */
  | { readonly type: 'take_back'; readonly name: string; readonly messageId: string }
  /** What a person may ask of a child of yours by way of you; `name` is its segment. Nothing comes of asking. */
  | { readonly type: 'controls'; readonly task: TaskKey; readonly name: string }
  /** Go on with what you owe; `sessionId` is whom the root means. */
  | { readonly type: 'wake'; readonly sessionId: string }
  /** The time of scheduled effects of yours has come. */
  | { readonly type: 'effects_due'; readonly sessionId: string }
  /** You have the turn at a model that you asked for. */
  | { readonly type: 'model_turn'; readonly sessionId: string; readonly id: string }
  /** Ask for a turn before these requests to models. */
  | { readonly type: 'ask_first'; readonly sessionId: string; readonly asksFirst: AsksFirst }
  /** These children of yours have a concurrency slot now. */
  | { readonly type: 'admitted'; readonly childIds: readonly number[] }
  /** Remove these children of yours with their stores, and free their slots. */
  | { readonly type: 'remove'; readonly segments: readonly LeavingSegment[] }
  /**
   * Your object is about to be removed: what you owe elsewhere is owed by whoever says this. `isLast`: also where somebody
   * inside of you does not say what that is. Whoever says this waits for so long, in ms.
   */
  | { readonly type: 'leave'; readonly isLast?: true; readonly withinMs?: number };

/** A message that an agent has told a child, and whether that has begun anything with it. */
export interface Told {
  readonly messageId: string;
  readonly delivery: 'queued' | 'started';
}

/** The rest of an agent that has nothing under way: it ends with the next message, whenever that comes. */
export const NEWS = Number.MAX_SAFE_INTEGER;

/** What an agent answers. `absent`: no session is here. */
export type AgentAnswer =
  /**
   * `flush`: the agent was stopped by its parent and has ended; its parent relays all that it has still to say.
   * `endsWithinMs`: it was, and has not ended yet; it may take so long from now.
   * `sent`: what it has told a child of its, as a person asked.
   * `told`: it was woken, and its parent has acknowledged the end of its last run: it has nothing for it.
   * `effectAt`: asked about what is due of it, or told to remove children, when the next of that is, in ms since 1970; woken,
   *   until when it does nothing by itself, or `NEWS`.
   * `owesElsewhere`: some of it is owed to agents elsewhere that have left (RM18).
   * `owed`: what it owed elsewhere, when it was told to leave.
   * `stay`: the addresses of children that it was told to remove, and that are there still.
   * `controls`: what a person may ask of the child that was meant.
   * `body`: the answer to a message of a capability.
   */
  | {
      readonly answer: 'done';
      readonly flush?: RootRequest;
      readonly endsWithinMs?: number;
      readonly sent?: Told;
      readonly told?: true;
      readonly effectAt?: number;
      readonly owesElsewhere?: true;
      readonly owed?: readonly RemoteRow[];
      readonly stay?: readonly string[];
      readonly controls?: ControlsOver;
      readonly body?: object;
    }
  | { readonly answer: 'absent' }
  | { readonly answer: 'refused'; readonly error: Failure };

/** From an agent to its root: everything that it has to say, in one call. */
export interface RootRequest {
  readonly sessionId: string;
  readonly batches: readonly Batch[];
  readonly admit: readonly AdmissionRequest[];
  readonly deliver: readonly Delivery[];
  /** Asks what the sender may spend. */
  readonly lease?: true;
  /** Asks for a turn at a model, reports its end, or that the sender does nothing before a time. */
  readonly turn?: AskedTurn | EndedTurn | RestingTurn;
  /** Asks how these children of the sender stand, by their session ids. */
  readonly look?: readonly string[];
  /** Children that will not start: they leave the queue. */
  readonly withdraw: readonly string[];
  /** Children that are gone: they hold no place any more. */
  readonly lost: readonly string[];
  /** What children of the sender gave it to take to the root. */
  readonly relayed?: readonly RootRequest[];
}

/**
 * What the root answers. Batches up to `merged` (the sender's own number) are in the log. `refused`: the root is there and
 * nothing of the request was kept; `why` says what its transaction failed with.
 */
export interface RootAnswer {
  readonly merge: 'merged' | 'gone' | 'refused';
  /** With `gone`: the sender is in no record, so nobody will ever ask for it or erase it (OP10). */
  readonly unknown?: true;
  readonly why?: string;
  readonly merged: number;
  readonly admissions: readonly Admission[];
  /** The session ids that were still queued, and now have ended. */
  readonly withdrawn: readonly string[];
  readonly grant?: Grant;
  readonly turn?: TurnAnswer;
  /** Those of the children that the sender asked about which are in the record. */
  readonly looks?: readonly Look[];
  /** The answers to the requests that were relayed, in their order. */
  readonly relayed?: readonly RootAnswer[];
}

/** One level of a way down: a child of this class in this slot. */
export interface Segment {
  readonly className: string;
  readonly addressClass: string;
  readonly name: string;
}

/**
 * Who is to leave a place. Without a session it is whoever is there. `isLast`: whatever it does not say (RM20). `isAgain`:
 * it was tried before in vain, which was reported.
 */
export interface LeavingSegment extends Segment {
  readonly sessionId?: string;
  readonly isLast?: true;
  readonly isAgain?: true;
}

/** The segment of one level of an address. */
export function segmentOf({ className, addressClass, name }: Level): Segment {
  return { className, addressClass, name };
}

/** The answer to one who is given up, and whom the record keeps. */
export const GIVEN_UP: RootAnswer = { merge: 'gone', merged: 0, admissions: [], withdrawn: [] };

/** The answer to one who is no part of the tree any more. */
export const GONE: RootAnswer = { ...GIVEN_UP, unknown: true };

/** Why a request was refused is told with so many characters. */
const MAX_WHY = 500;

/** Whether the root has a request to its last chunk. */
export function isMerged({ batches }: RootRequest, answer: RootAnswer | undefined): boolean {
  const last = batches.at(-1);
  if (answer?.merge !== 'merged') return false;
  return last === undefined || answer.merged >= last.first + last.chunks.length - 1;
}

/** The answer to a request whose transaction failed: nothing of it was kept. */
export function refusal(error: unknown): RootAnswer {
  return { ...GIVEN_UP, merge: 'refused', why: boundedText(failureOf(error).message, MAX_WHY) };
}

/** The event that a message is, where it has come. */
export function eventOf<Message extends EventMessage>(
  message: Message,
  environment: Environment,
): Message & { readonly at: number; readonly token: string } {
  return { ...message, at: environment.now(), token: environment.token() };
}

/** Stops a root's run whose time is up. */
export function overdueRoot(timeoutMs: number): EventMessage {
  const error = failure('run_timeout', `The run worked for ${timeoutMs} ms, its time limit.`);
  return { type: 'stop', verb: 'abort', reason: error.message, error };
}

/** To its parent: the time of this child is up. */
export function overdueChild(task: TaskKey, timeoutMs: number): EventMessage {
  const error = failure('child_timeout', `The sub-agent did not finish within ${timeoutMs} ms and was stopped.`);
  return { type: 'child_stop', task, error };
}

/** To its parent: this child works on although an agent above it is over for good. */
export function strayChild(task: TaskKey, why: keyof typeof OVER_ABOVE): EventMessage {
  return { type: 'child_stop', task, error: failure('terminated', OVER_ABOVE[why]), verb: 'terminate' };
}

/** To its parent: this child is gone with its store. */
export function lostChild(task: TaskKey): EventMessage {
  return endedChild(
    task,
    failure('subagent_lost', 'The sub-agent is gone, and so is its work. Call it again if you still need the result.'),
  );
}

/** To its parent: nobody works on this task any more, and this is how it failed. */
export function endedChild(task: TaskKey, error: Failure): EventMessage {
  return { type: 'child_settled', task, outcome: { status: 'failed', error }, usage: NO_USAGE };
}

/** The first event of a task, at the child that has it. */
export function firstEvent(
  { task, runId, input, actor, traceparent, mail }: AssignMessage,
  environment: Environment,
): Extract<AgentEvent, { type: 'start' }> {
  return {
    type: 'start',
    at: environment.now(),
    token: environment.token(),
    runId,
    task,
    ...(input === undefined ? {} : { input }),
    ...(actor === undefined ? {} : { actor }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(mail ? { mail } : {}),
    messages: input === undefined ? [] : [taskMessage(input, environment.token())],
  };
}
