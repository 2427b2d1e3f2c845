/** Events of AG-UI 1.0, as the door writes them. A test holds them against the schemas of `@ag-ui/core`. */
import type { Json } from '../../protocol/json';

/** The version of the protocol. */
export const AGUI_VERSION = '1.0';

/** A call, as a message of the assistant has it; its arguments are JSON. */
export interface AguiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of a transcript. */
export type AguiMessage =
  | { readonly id: string; readonly role: 'user' | 'system'; readonly content: string }
  | {
      readonly id: string;
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly AguiToolCall[];
    }
  | { readonly id: string; readonly role: 'tool'; readonly toolCallId: string; readonly content: string }
  | { readonly id: string; readonly role: 'reasoning'; readonly content: string };

/** A question to a person. */
export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly toolCallId?: string;
  readonly responseSchema?: { readonly [key: string]: Json };
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly subagentRunId?: string;
  readonly metadata?: { readonly [key: string]: Json };
}

/** Tokens of one model. */
export interface TokenUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
}

/** The outcome of a run that did not fail. */
export type Outcome =
  | { readonly type: 'success' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] }
  | { readonly type: 'cancelled' };

/** Events of the work of an agent: without `subagentRunId` of the root. */
interface Owned {
  readonly subagentRunId?: string;
}

/** Events of the work of an agent. */
export type OwnedEvent = Owned &
  (
    | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
    | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
    | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
    | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }
    | { readonly type: 'REASONING_START' | 'REASONING_END' | 'REASONING_MESSAGE_END'; readonly messageId: string }
    | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
    | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
    | {
        readonly type: 'TOOL_CALL_START';
        readonly toolCallId: string;
        readonly toolCallName: string;
        readonly parentMessageId: string;
      }
    | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
    | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
    | {
        readonly type: 'TOOL_CALL_RESULT';
        readonly messageId: string;
        readonly toolCallId: string;
        readonly content: string;
        readonly role: 'tool';
      }
    | { readonly type: 'CUSTOM'; readonly name: string; readonly value: Json }
  );

/** Every event. */
export type AguiEvent =
  | OwnedEvent
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly parentRunId?: string;
      readonly protocolVersion: typeof AGUI_VERSION;
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      readonly outcome: Outcome;
      readonly result?: Json;
      readonly usage?: readonly TokenUsage[];
    }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: Json }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly Json[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AguiMessage[] }
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly result?: Json;
      readonly outcome:
        | { readonly type: 'success' }
        | { readonly type: 'suspended'; readonly interruptIds: readonly string[] };
    }
  | {
      readonly type: 'SUBAGENT_ERROR';
      readonly subagentRunId: string;
      readonly message: string;
      readonly code: string;
    };
