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
  readonly idempotencyKey?: string;
}

/** The answer to a verb: its output, or a failure as data. */
export type VerbAnswer = { readonly ok: true; readonly body: Json; readonly status?: number } | { readonly ok: false; readonly error: Failure };

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
