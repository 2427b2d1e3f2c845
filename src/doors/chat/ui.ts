/**
 * The words of AI SDK UI, as far as they are said here. The package `ai` is not loaded: its schemas check these in tests.
 */
import type { Json, JsonObject } from '../../protocol/json';

/** Fields of every chunk of a tool that Offshoot runs. */
interface ToolChunk {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic: true;
  /** True where it runs here. The client runs what has `false`, or nothing. */
  readonly providerExecuted?: boolean;
  readonly toolMetadata?: JsonObject;
}

/** A part of a user's message within an answer. */
export interface SteeringPart {
  readonly type: 'text';
  readonly text: string;
}

/** A chunk that adds a part as it is. */
type PartChunk =
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'steering-message'; readonly id: string; readonly parts: readonly SteeringPart[] };

/** A chunk of some data of ours; one with the same id takes its place, and a transient one is in no message. */
export interface DataChunk {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: Json;
  readonly transient?: true;
}

/** Why an answer ends. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';

/** A chunk of a UI message stream. */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId?: string; readonly messageMetadata?: JsonObject }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'tool-input-start' } & ToolChunk)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: 'tool-input-available'; readonly input: Json } & ToolChunk)
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly approvalDescriptor: JsonObject;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly preliminary?: true;
    }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | PartChunk
  | DataChunk
  | { readonly type: 'message-metadata'; readonly messageMetadata: JsonObject }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'finish'; readonly finishReason: FinishReason };

/** A part of a message; its fields follow its type. */
export type UiPart = JsonObject & { readonly type: string };

/** A message, as `useChat` keeps it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly metadata?: JsonObject;
  readonly parts: readonly UiPart[];
}
