/**
 * Messages and calls of copies between objects of this Worker, each with the type of its answer.
 *
 * Keeps CP12, CP44.
 */
import type { Change } from '../../core/agent/changes';
import type { Child } from '../../core/agent/children/child';
import type { Placement } from '../../core/agent/children/placement';
import type { KnownChildren } from '../../core/agent/events';
import type { RootLocation, Session, SessionNames, SessionWorkspace } from '../../core/agent/state';
import type { ChildRef } from '../../core/ports/child-transport';
import type { BelowRequest } from '../../core/tree/admission';
import type { NewRootLimits } from '../../core/tree/root-claims';
import type { CapabilityAnswer, CapabilityCall } from '../../engine/object/object-calls';
import type { AgentAnswer, CapabilityMessage } from '../../engine/tree-messages';
import type { Each } from '../../engine/versions/known-calls';
import type { Json } from '../../protocol/json';
import type { SessionStatus } from '../../protocol/status';
import type { PlannedCopy } from './plan';
import { COPIES, type CopiedSession } from './source';

/** The original of a session that comes along, and the files that its parent has now. */
export interface AlongWith {
  readonly was: string;
  readonly workspace?: SessionWorkspace;
}

/**
 * What is below a copy comes along with it: it becomes the copy's own, and the answer says who it is (CP12). With `rests`
 * the one that is told becomes that session too; without, it will with its first task. With `planned` it does in any case, up
 * to where that says: it has facets of the copy, those in objects are there.
 */
export interface ComeAlongMessage {
  readonly type: 'come_along';
  readonly session: CopiedSession;
  readonly rests?: AlongWith;
  readonly planned?: readonly PlannedCopy[];
}

/**
 * An agent above is copied, or (without `rests`) this one itself: what is its copy to have of this agent, and of those below
 * it who come along? Nothing changes.
 */
export interface PlanCopyMessage {
  readonly type: 'plan_copy';
  readonly session: CopiedSession;
  readonly rests?: AlongWith;
  readonly request: Omit<BelowRequest, 'status'>;
  readonly placement: Placement;
  /** At most so many come along. */
  readonly most: number;
}

/** It sends what was planned to the object of the new root, or to that of the copy of a companion, for the last on the way. */
export interface SendCopyMessage {
  readonly type: 'send_copy';
  readonly copy: string;
  readonly to: RootLocation | ChildRef;
  /** Empty where that object is its copy. */
  readonly way: readonly ChildRef[];
  readonly planned: PlannedCopy;
}

/** Who asks for a copy of a root, for the receipt that stays at the copy. */
export interface CopyBy {
  readonly caller: string;
  /** The key of the receipt, and a digest of the request. */
  readonly receipt?: { readonly key: string; readonly body: string };
  readonly newRoots?: NewRootLimits;
}

/** The message of a copied agent to the object of its copy; `format` is that of the rows that follow. */
export type CopyAsk =
  /** Whether the copy is there already, or something else is. */
  | { readonly op: 'look'; readonly by: CopyBy }
  /** The copy of a root begins: its session, and who comes along, each after its parent. */
  | {
      readonly op: 'begin';
      readonly format: number;
      readonly by: CopyBy;
      readonly session: string;
      readonly below: readonly BelowRequest[];
    }
  /**
   * That of one who comes along does. `children`: or that of a companion, which has these; the record of the tree that it
   * is in has everybody by then.
   */
  | { readonly op: 'enter'; readonly format: number; readonly children?: readonly Child[] }
  /** A portion of its memory, named anew. */
  | { readonly op: 'rows'; readonly rows: readonly Change[] }
  /** A file; its bytes come beside it. */
  | { readonly op: 'file'; readonly path: string; readonly mediaType: string; readonly size: number }
  /** How long ago something of it came there last, in ms: the answer's body. */
  | { readonly op: 'heard' }
  /** That was all of one who comes along. */
  | { readonly op: 'rest'; readonly session: CopiedSession; readonly custom: Json }
  /** That was all: the copy is there from here on, with all who come along. */
  | {
      readonly op: 'end';
      readonly session: Pick<Session, 'sessionId' | 'customStep' | 'active'> &
        SessionNames &
        Pick<CopiedSession, 'copyOf'>;
      readonly custom: Json;
      readonly resume: boolean;
    }
  | { readonly op: 'drop' };

/** A root or a companion is copied into this object, or one below that into the last on the way. */
export interface CopyCall extends CapabilityCall {
  readonly capability: typeof COPIES;
  /** Which try of which copy it is. */
  readonly copy: string;
  /** From here down to where the copy is to be. */
  readonly way: readonly ChildRef[];
  /** It has come by an object above on that way. */
  readonly passed?: true;
  readonly ask: CopyAsk;
}

/** A person copies a child of the agent that this is for. */
export interface ForkMessage {
  readonly type: 'fork';
  /** Of the child. */
  readonly name: string;
  readonly newName: string;
  /** The first task of the copy. */
  readonly message: string;
  readonly checkpoint?: string;
  /** The request: one that comes again has the same text. */
  readonly asked: string;
}

/** The event of the same: the copy has its first task without a call. */
export type ForkEvent = { readonly children: KnownChildren } & Omit<ForkMessage, 'asked'>;

/** Each message of copies, with the body of its answer. */
interface Messages {
  readonly come_along: {
    readonly message: ComeAlongMessage;
    /** `along`: who is there now. `needsPlan`: somebody below is in an object, so that the copy is to be planned. */
    readonly body: {
      readonly along?: { readonly status: SessionStatus; readonly below: readonly BelowRequest[] };
      readonly needsPlan?: true;
    };
  };
  readonly plan_copy: {
    readonly message: PlanCopyMessage;
    /** The copy's share of the agent and of those below it, each after its parent. */
    readonly body: { readonly planned: readonly PlannedCopy[] };
  };
  readonly send_copy: { readonly message: SendCopyMessage; readonly body: Record<never, never> };
  readonly fork: { readonly message: ForkMessage; readonly body: Record<never, never> };
}

/** A message of copies. */
export type CopyMessage = Messages[keyof Messages]['message'];

const MESSAGES: Each<CopyMessage['type']> = { come_along: true, plan_copy: true, send_copy: true, fork: true };

const OPS: Each<CopyAsk['op']> = {
  ...{ look: true, begin: true, enter: true, rows: true, file: true, heard: true, rest: true, end: true, drop: true },
};

/** Names the part of a call or message of copies that only a newer version knows. */
export function unknownIn(sent: CapabilityCall | CapabilityMessage): string | undefined {
  // Only copies send calls and messages of this name.
  if ('kind' in sent) {
    const { ask } = sent as CopyCall;
    return Object.hasOwn(OPS, ask.op) ? undefined : `the part of a copy "${ask.op}"`;
  }
  const { type } = sent.message as CopyMessage;
  return Object.hasOwn(MESSAGES, type) ? undefined : `the message of copies "${type}"`;
}

/** A message of copies, as objects send it. */
export function ofCopies(message: CopyMessage): CapabilityMessage {
  return { type: 'capability', capability: COPIES, message };
}

/** The body of an answer to a message of that type; undefined for any other answer. */
export function bodyOf<Type extends keyof Messages>(
  _type: Type,
  answer: AgentAnswer | undefined,
): Messages[Type]['body'] | undefined {
  // Only the capability itself answers its messages.
  return answer?.answer === 'done' ? ((answer.body ?? {}) as Messages[Type]['body']) : undefined;
}

/** An answer with the body for a message of that type. */
export function answerTo<Type extends keyof Messages>(_type: Type, body: Messages[Type]['body']): AgentAnswer {
  return { answer: 'done', body };
}

/** A call of copies, as objects send it. */
export function copyCall(call: Omit<CopyCall, 'kind' | 'capability'>): CopyCall {
  return { kind: 'capability', capability: COPIES, ...call };
}

/** The answer to a call; with a `body` the copy is there. */
export type CopyAnswer = CapabilityAnswer;
