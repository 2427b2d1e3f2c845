import { E as Json, b as ErrorCode } from "./chunks.js";
import { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
/** A call that a step asks for. */
interface ScriptCall {
  readonly name: string;
  readonly input?: Json;
  /** The arguments' text as it is, in place of `input`: for arguments that are no JSON. */
  readonly rawInput?: string;
  /** The provider's id; may repeat. Default: `call_<step>_<n>`, or `call_<call>_<n>` where calls are counted. */
  readonly id?: string;
}
/** How a step fails: an HTTP status as a provider would answer it, or one of our codes. Neither: status 500. */
interface ScriptFailure {
  readonly status?: number;
  readonly code?: ErrorCode;
  readonly message: string;
  /** Default: what the status or code says. */
  readonly retryable?: boolean;
}
/** One answer. Thinking comes first, then text, then calls. */
interface ScriptStep {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptCall[];
  /** A call of `__finish__` with this input, after the other calls. */
  readonly finish?: Json;
  /** Tokens; what is left out is taken from `DEFAULT_SCRIPT_USAGE`. */
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
  /** Fails in place of the answer, or after `failAfterChunks` pieces of it. */
  readonly fail?: ScriptFailure;
  /** After so many pieces the answer fails with `fail`; without one, the stream ends there. */
  readonly failAfterChunks?: number;
  /** Never finishes once all is said: until it is aborted, or even then. */
  readonly hang?: 'until-aborted' | 'forever';
  /**
   * Ignores its abort, as a provider may that works and bills on: every wait lasts as long as it says, and a hang
   * `until-aborted` goes on to the end of the answer with its tokens. Only a reader that lets go ends it. Default false.
   */
  readonly ignoreAbort?: boolean;
}
/** Tokens of a scripted answer. */
interface ScriptUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}
/** What a scripted model was asked. Outside Offshoot's own loop the names are empty, and `step` counts the calls. */
interface ScriptRequest {
  readonly agentType: string;
  readonly sessionId: string;
  readonly runId: string;
  /** From 1: the step of the turn. A resume and a retry continue the count. */
  readonly step: number;
  readonly attempt: number;
  /** From 1: the how manieth call of this script. */
  readonly call: number;
  readonly prompt: LanguageModelV4Prompt;
  /** The text of the last message of the user; empty where there is none. */
  readonly message: string;
  /** The results of tools behind that message, in their order. */
  readonly results: readonly ScriptResult[];
  readonly tools: readonly LanguageModelV4FunctionTool[];
}
/** The result of a tool as a scripted model reads it. */
interface ScriptResult {
  /** The name of the tool. */
  readonly name: string;
  /** The value; of a failed call its error. */
  readonly value: Json;
  /** True where the call failed or was denied. */
  readonly failed: boolean;
}
/** What a script gets beside the request. */
interface ScriptContext {
  /** Aborts when the answer is no longer wanted. Outside Offshoot's own loop it may never abort. */
  readonly abortSignal: AbortSignal;
}
/** A function that gives the answer to a request. */
type ScriptFunction = (request: ScriptRequest, context: ScriptContext) => ScriptStep | PromiseLike<ScriptStep>;
/** Answers in order, each as it is or by a function, or one function for all requests. */
type Script = readonly (ScriptStep | ScriptFunction)[] | ScriptFunction;
/** How a script is read. */
interface ScriptOptions {
  /**
   * What picks an answer from a list: the step of the turn (default), so that a repeated attempt gets the same answer,
   * a retry continues, and runs beside each other do not race; or the number of the call.
   */
  readonly by?: 'step' | 'call';
  /** Whether `requests` is kept. Default true. */
  readonly record?: boolean;
  /** Default `scripted`. */
  readonly modelId?: string;
}
/** A scripted model, with what it was asked. */
interface ScriptedModel extends LanguageModelV4 {
  /** Copies of all requests, in order; empty with `record: false`. */
  readonly requests: readonly ScriptRequest[];
  /** How often it was asked. */
  readonly calls: number;
}
/**
 * A model that answers by one script, whoever asks. An entry of a list that depends on results is a function.
 * A request past the end of a list fails with `model_error`, which says how long the list is.
 * @example
 * const model = scriptedModel([{ calls: [{ name: 'time_in', input: { zone: 'UTC' } }] }, { text: 'It is time.' }]);
 */
declare function scriptedModel(script: Script, options?: ScriptOptions): ScriptedModel;
/**
 * A model that answers each type of agent by its own script; calls are counted for each type.
 * A request of a type without a script fails with `model_error`, which names those that have one.
 * @example
 * const model = routingScriptedModel({
 *   planner: [{ calls: [{ name: 'subagent__timekeeper', input: { zone: 'UTC' } }] }, { text: 'At ten.' }],
 *   timekeeper: [{ finish: { time: '10:00' } }],
 * });
 */
declare function routingScriptedModel(scripts: Readonly<Record<string, Script>>, options?: ScriptOptions): ScriptedModel;
export { ScriptCall as a, ScriptFunction as c, ScriptResult as d, ScriptStep as f, Script as i, ScriptOptions as l, routingScriptedModel as n, ScriptContext as o, ScriptUsage as p, scriptedModel as r, ScriptFailure as s, ScriptedModel as t, ScriptRequest as u };