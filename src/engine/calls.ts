/** What objects of this Worker call on each other. */
import type { AgentAnswer, AgentMessage, Hop, Post, PostAnswer } from './messages';
import type { Failure } from '../core/errors';
import type { Json } from '../core/json';

/** A call of a verb on its way to the agent that it is for. */
export interface VerbCall {
  readonly kind: 'verb';
  readonly path: readonly Hop[];
  readonly verb: string;
  readonly input: Json;
  /** Who asks, as the access check named them; idempotency keys are kept apart by it. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** Bytes that come with the call. */
  readonly bytes?: ReadableStream<Uint8Array>;
}

/** The answer to a verb: its output (and `bytes` where it is a file or a stream), or a failure as data. */
export type VerbAnswer =
  | { readonly ok: true; readonly body: Json; readonly status?: number; readonly bytes?: ReadableStream<Uint8Array> }
  | { readonly ok: false; readonly error: Failure };

/** What a root tells the directory of its class. */
export interface RootReport {
  readonly name: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** When it had its latest event, in ms since 1970. */
  readonly lastActivity: number;
  readonly status: string;
  readonly displayName?: string;
  readonly tags: readonly string[];
}

/** A root that is deleted, and what its deletion was asked with. */
export interface Burial {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
}

/** What the directory of a class does for its roots. Both may be called again with the same. */
export interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  bury(burial: Burial): Promise<void>;
}

/** Why a root that held nothing was taken from memory; a call that was lost with it changed nothing and can be made again. */
export const NOTHING_HERE = 'offshoot: there was nothing here';

/** Everything that one object says to another. */
export type ObjectCall =
  | { readonly kind: 'post'; readonly post: Post }
  | { readonly kind: 'agent'; readonly path: readonly Hop[]; readonly message: AgentMessage }
  | VerbCall;

/** The answer to each kind of call. */
export type ObjectAnswer<Call extends ObjectCall> = Call extends { kind: 'post' }
  ? PostAnswer
  : Call extends { kind: 'agent' }
    ? AgentAnswer
    : VerbAnswer;

/** The surface of an agent's object: two methods, both for the host alone. */
export interface ObjectStub {
  offshoot<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>>;
  /** Prepares the store of a template. */
  offshootPrepare(): Promise<void>;
  fetch(request: Request): Promise<Response>;
}
