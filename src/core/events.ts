/** What can happen to an object. Times and randomness come with the event. */
import type { ChunkBody } from './chunks';
import type { Failure } from './errors';
import type { Json } from './json';
import type { CallResult } from './messages';
import type { ModelDelta, ModelReply } from './model';
import type { InboundMessage, Outcome, Session } from './state';
import type { Usage } from './usage';

/** A message on its way in; its id and time are set when it is accepted. */
export type NewMessage = Pick<InboundMessage, 'messageId' | 'role' | 'content' | 'from' | 'metadata'>;

/** A call as the definition understands it, before ids and slots are given out. */
export type PlannedCall = {
  readonly providerId: string;
  readonly name: string;
  readonly input: Json;
} & (
  | {
      readonly kind: 'tool';
      readonly replay: 'never' | 'safe';
      readonly finishWith: boolean;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'child';
      readonly agentType: string;
      readonly className: string;
      readonly addressClass: string;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'finish'; readonly output: Json }
  | { readonly kind: 'refused'; readonly error: Failure }
);

/** The slots that a class has free in this object, lowest first, and the first number never used. */
export interface SlotFacts {
  readonly free: readonly { readonly slot: number; readonly generation: number }[];
  readonly next: number;
}

/** Which model call an event speaks of; anything older is refused. */
export interface ModelFence {
  readonly runId: string;
  readonly epoch: number;
  readonly stepId: number;
  readonly attempt: number;
}

/** What can happen. `at` is ms since 1970; `token` is fresh randomness for the ids that the event mints. */
export type AgentEvent = { readonly at: number } & (
  | {
      readonly type: 'start';
      readonly token: string;
      readonly runId: string;
      readonly messages: readonly NewMessage[];
      readonly input?: Json;
      /** Replaces the custom state. */
      readonly custom?: Json;
      /** Replaces what the session is called. */
      readonly names?: SessionNames;
    }
  | { readonly type: 'send'; readonly token: string; readonly runId: string; readonly message: NewMessage }
  | ({ readonly type: 'model_progress'; readonly deltas: readonly ModelDelta[] } & ModelFence)
  | ({
      readonly type: 'model_replied';
      readonly token: string;
      readonly reply: ModelReply;
      /** The last pieces of its stream, not shown yet. */
      readonly deltas: readonly ModelDelta[];
      readonly calls: readonly PlannedCall[];
      readonly slots: { readonly [className: string]: SlotFacts };
    } & ModelFence)
  | ({ readonly type: 'model_failed'; readonly token: string; readonly error: Failure } & ModelFence)
  | {
      readonly type: 'tool_settled';
      readonly token: string;
      readonly callId: string;
      readonly epoch: number;
      readonly result: CallResult;
      readonly startedAt: number;
      readonly usage?: Usage;
    }
  | {
      readonly type: 'child_settled';
      readonly token: string;
      readonly callId: string;
      readonly generation: number;
      readonly outcome: Outcome;
      readonly usage: Usage;
    }
  | { readonly type: 'child_stop'; readonly callId: string; readonly generation: number; readonly error: Failure }
  | {
      readonly type: 'custom_changed';
      readonly callId: string;
      readonly epoch: number;
      readonly custom: Json;
      readonly patch: readonly Json[];
    }
  | {
      readonly type: 'emitted';
      readonly callId: string;
      readonly epoch: number;
      readonly chunk: Extract<ChunkBody, { type: 'custom' | 'subagent_status' }>;
    }
  | {
      readonly type: 'stop';
      readonly token: string;
      readonly verb: 'abort' | 'terminate';
      readonly reason: string;
      readonly runId?: string;
    }
  | { readonly type: 'told'; readonly runId: string }
  | { readonly type: 'recover'; readonly token: string; readonly reason: string }
);

/** What a session is called; what is missing stays as it is. */
export type SessionNames = Partial<Pick<Session, 'displayName' | 'tags' | 'metadata'>>;

/** What an object is created with: everything of its session but the time. */
export type NewSession = Omit<Session, 'createdAt'>;
