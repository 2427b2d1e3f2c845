/**
 * What `stopWhen` is given: conditions of the AI SDK are taken as they are, and so are those that look at one step alone.
 *
 * Keeps DF14, ST14.
 */
import type { Json } from '../../../protocol/json';
import type { ModelReply } from '../model-port';
import type { AuthorsFunction } from '../types';

/** A summary of the step that has just been closed. */
export interface StepFacts {
  /** From 1, within the turn. */
  readonly step: number;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly success: boolean; readonly result: Json }[];
}

/**
 * A call of a step, in the AI SDK's form. Its input is typed as any JSON, like the input of the AI SDK's dynamic tools.
 */
export interface StepToolCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: Json;
  dynamic: true;
}

/** A result of a call. */
export interface StepToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  input: Json;
  output: Json;
  dynamic: true;
}

/** The failure of a call; `error` is `{ code, message, … }`. */
export interface StepToolError {
  type: 'tool-error';
  toolCallId: string;
  toolName: string;
  input: Json;
  error: unknown;
  dynamic: true;
}

/** Thinking of the model. */
export interface StepReasoning {
  type: 'reasoning';
  text: string;
}

/** A part of a step's content, in the order of the reply; the results follow. */
export type StepPart = { type: 'text'; text: string } | StepReasoning | StepToolCall | StepToolResult | StepToolError;

/** Tokens, as the AI SDK names them. */
export interface StepUsage {
  inputTokens: number;
  inputTokenDetails: { noCacheTokens: number; cacheReadTokens: number; cacheWriteTokens: number | undefined };
  outputTokens: number;
  outputTokenDetails: { textTokens: number; reasoningTokens: number };
  totalTokens: number;
}

/**
 * A closed step with those members of the AI SDK's `StepResult` that a session keeps. Other members have the type
 * `never`; reading one throws an OffshootError `invalid_definition` that names it.
 */
export interface ClosedStep {
  /** From 0, as the AI SDK counts. */
  readonly stepNumber: number;
  readonly model: { readonly provider: string; readonly modelId: string };
  readonly content: StepPart[];
  readonly text: string;
  readonly reasoning: StepReasoning[];
  readonly reasoningText: string | undefined;
  readonly toolCalls: StepToolCall[];
  /** Always empty: all calls are dynamic ones. */
  readonly staticToolCalls: never[];
  readonly dynamicToolCalls: StepToolCall[];
  /** Of the calls that succeeded; failures are in `content`. */
  readonly toolResults: StepToolResult[];
  readonly staticToolResults: never[];
  readonly dynamicToolResults: StepToolResult[];
  readonly finishReason: Exclude<ModelReply['finishReason'], 'paused'>;
  readonly usage: StepUsage;
  readonly callId: never;
  readonly toolsContext: never;
  readonly runtimeContext: never;
  readonly files: never;
  readonly sources: never;
  readonly rawFinishReason: never;
  readonly performance: never;
  readonly warnings: never;
  readonly request: never;
  readonly response: never;
  readonly providerMetadata: never;
}

/** The argument of a condition: the step that has just been closed, and all steps of the turn up to it. */
export interface StopFacts extends StepFacts {
  /** All steps; the last one has just been closed. Each is read on access. */
  readonly steps: ClosedStep[];
}

/**
 * Returns, or resolves with, whether a run ends with the step that has just been closed: `({ text }) => …`, or the AI
 * SDK's `isStepCount(20)` and `hasToolCall('publish')`. It may be called again after a crash.
 * @example
 * const enough: StopCondition = ({ text, steps }) => text.includes('DONE') || steps.length >= 10;
 */
export type StopCondition = AuthorsFunction<[facts: StopFacts], boolean | PromiseLike<boolean>>;
