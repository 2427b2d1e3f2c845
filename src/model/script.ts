/** The language of scripted models: what an answer is, how it fails, and what the model was asked. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ErrorCode } from '../protocol/errors';
import type { Json } from '../protocol/json';

/** A call that a scripted step makes. */
export interface ScriptCall {
  readonly name: string;
  readonly input?: Json;
  /** The raw text of the arguments, in place of `input`: for arguments that are not JSON. */
  readonly rawInput?: string;
  /** The provider's id; may repeat. Default: `call_<step>_<n>`, or `call_<call>_<n>` with `by: 'call'`. */
  readonly id?: string;
}

/** The failure of a step: a provider's HTTP status, or one of Offshoot's codes. Default: status 500. */
export interface ScriptFailure {
  readonly status?: number;
  readonly code?: ErrorCode;
  readonly message: string;
  /** Default: determined by the status or code. */
  readonly retryable?: boolean;
}

/** One answer. Thinking comes first, then text, then calls. */
export interface ScriptStep {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptCall[];
  /** A call of `__finish__` with this input, after the other calls. */
  readonly finish?: Json;
  /** Tokens; omitted fields come from `DEFAULT_SCRIPT_USAGE`. */
  readonly usage?: Partial<ScriptUsage>;
  /** Default: `tool-calls` with calls, else `stop`. */
  readonly finishReason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';
  /** The model's name in the answer. */
  readonly model?: string;
  /** Wait before the answer, in ms. */
  readonly delayMs?: number;
  /** Wait before each piece of text, thinking or arguments, in ms. */
  readonly chunkDelayMs?: number;
  /** Characters of a piece. Default 32. */
  readonly chunkSize?: number;
  /** A failure in place of the answer, or after `failAfterChunks` pieces of it. */
  readonly fail?: ScriptFailure;
  /** After this many pieces the answer fails with `fail`; without `fail`, the stream ends. */
  readonly failAfterChunks?: number;
  /** Never finishes after the last piece: until it is aborted, or not even then. */
  readonly hang?: 'until-aborted' | 'forever';
  /**
   * Ignores the abort, like a provider that keeps working and billing: waits last their full time, and a hang
   * `until-aborted` continues to the end of the answer with its tokens. Only a reader that stops reading ends it.
   * Default false.
   */
  readonly ignoreAbort?: boolean;
}

/** Tokens of a scripted answer. */
export interface ScriptUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

/** What a step costs that does not say. */
export const DEFAULT_SCRIPT_USAGE: ScriptUsage = {
  inputTokens: 10,
  outputTokens: 5,
  cachedTokens: 0,
  reasoningTokens: 0,
};

/** A request to a scripted model. Outside Offshoot's own loop the names are empty, and `step` counts the calls. */
export interface ScriptRequest {
  readonly agentType: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The step of the turn, from 1. A resume and a retry continue the count. */
  readonly step: number;
  readonly attempt: number;
  /** The number of the call of this script, from 1. */
  readonly call: number;
  readonly prompt: LanguageModelV4Prompt;
  /**
   * The text of the last message from a caller, a parent or another agent; empty if there is none. A notice from Offshoot
   * counts only where it began the turn.
   */
  readonly message: string;
  /** The tool results after that message, in order. */
  readonly results: readonly ScriptResult[];
  /** The texts of the notices from Offshoot after that message, in order: a changed approval, an ended task, a reminder. */
  readonly notices: readonly string[];
  readonly tools: readonly LanguageModelV4FunctionTool[];
}

/** The result of a tool as a scripted model reads it. */
export interface ScriptResult {
  /** The name of the tool. */
  readonly name: string;
  /** The value; for a failed call, its error. */
  readonly value: Json;
  /** True if the call failed or was denied. */
  readonly failed: boolean;
}

/** The second argument of a script function. */
export interface ScriptContext {
  /** Aborts when the answer is no longer wanted. Outside Offshoot's own loop it may never abort. */
  readonly abortSignal: AbortSignal;
}

/** A function that returns the answer to a request. */
export type ScriptFunction = (request: ScriptRequest, context: ScriptContext) => ScriptStep | PromiseLike<ScriptStep>;

/** A list of answers or functions, in order; or one function for all requests. */
export type Script = readonly (ScriptStep | ScriptFunction)[] | ScriptFunction;

/** Options of a scripted model. */
export interface ScriptOptions {
  /**
   * The way to pick an answer from a list. `step` (default): by the step of the turn. Then a repeated attempt gets the
   * same answer, a retry continues, and concurrent runs do not race. `call`: by the number of the call.
   */
  readonly by?: 'step' | 'call';
  /** Whether `requests` is kept. Default true. */
  readonly record?: boolean;
  /** Default `scripted`. */
  readonly modelId?: string;
}
