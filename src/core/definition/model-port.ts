/**
 * The port to a model. The core decides what is asked and what the answer means; an adapter asks.
 *
 * Keeps M1.
 */
import type { Json, JsonObject } from '../../protocol/json';
import type { FurtherPart, Message, ReasoningPart, SourcePart, TextPart } from '../../protocol/messages';
import type { SideName } from '../../protocol/sides';
import type { Usage } from '../../protocol/usage';
import type { ModelSettings, ProviderOptions } from './settings/settings';

/** A tool, in the form that the model sees. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: that of an object. */
  readonly inputSchema: JsonObject;
  /** Asks the provider for arguments that fit the schema exactly, if it can. */
  readonly strict?: boolean;
  /** Example arguments. */
  readonly inputExamples?: readonly { readonly input: JsonObject }[];
  /** Options for a single provider, by its name. */
  readonly providerOptions?: ProviderOptions;
}

/** A tool that the provider runs itself. Other providers do not have it. */
export interface ProviderToolSpec {
  /** Its name in calls. */
  readonly name: string;
  /** The provider's id for it: `anthropic.web_search_20250305`. */
  readonly id: string;
  /** Its settings. */
  readonly args: JsonObject;
}

/** One request to a model. Owned by the caller; an adapter must not change it. */
export interface ModelRequest {
  /** The definition's name; scripted models route by it. */
  readonly agentType: string;
  /** The side that acts, if the agent has two sides. */
  readonly side?: SideName;
  readonly sessionId: string;
  /** The address of the root of its tree. */
  readonly root?: string;
  readonly runId: string;
  /** The step within the run, from 1; 0 for a summary of older messages (`context.compact`). */
  readonly step: number;
  /** The number of replies of the failed runs that this run retries; 0 if omitted. */
  readonly repliesBefore?: number;
  /** The attempt, from 1; a repeated request of the same step has the next number. */
  readonly attempt: number;
  /** The trace (W3C) of the run, if there is one. */
  readonly traceparent?: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Its settings; the provider's defaults if omitted. */
  readonly settings?: ModelSettings;
  /** Tools that the provider runs itself; none if omitted. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Time until the first chunk, in ms; after it the call fails with `model_timeout`. */
  readonly firstChunkMs: number;
  /** Time between two chunks, in ms; after it the call fails in the same way. */
  readonly stallMs: number;
}

/**
 * A piece of a reply while it streams. `part` is the block that it continues: all blocks of a reply, including calls,
 * are numbered from 0 in the order in which they began. `index` numbers only the tool calls, also from 0.
 */
export type ModelDelta =
  | { readonly type: 'text' | 'thinking'; readonly part: number; readonly delta: string }
  | {
      readonly type: 'provider_call';
      readonly part: number;
      readonly id: string;
      readonly toolName: string;
      readonly input: Json;
    }
  | {
      readonly type: 'provider_result';
      readonly part: number;
      readonly id: string;
      readonly toolName: string;
      readonly result: Json;
      readonly success: boolean;
    }
  | { readonly type: 'source'; readonly part: number; readonly source: SourcePart }
  | { readonly type: 'tool_arg_start'; readonly index: number; readonly toolName: string }
  | { readonly type: 'tool_arg_delta'; readonly index: number; readonly delta: string };

/** A call that the model made. `malformed` has the text of arguments that are not valid JSON. */
export interface ReplyCall {
  readonly type: 'tool-call';
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly malformed?: string;
  readonly providerMetadata?: JsonObject;
}

/** A file that the model made, as it came. `data` is base64. */
export interface MadeFile {
  readonly type: 'made-file';
  readonly mediaType: string;
  readonly data: string;
  readonly providerMetadata?: JsonObject;
}

/** A part of a reply as it is kept: files are among those of the agent. */
export type KeptPart = TextPart | ReasoningPart | ReplyCall | FurtherPart;

/** A whole reply. */
export interface ModelReply {
  readonly content: readonly (KeptPart | MadeFile)[];
  /** `paused`: the provider has more to run, and continues with the next request. */
  readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'paused' | 'error' | 'other';
  readonly usage: Usage;
  /** `provider/model`, as the provider names them. */
  readonly model: string;
  /** The provider's id of the reply, if it sent one. */
  readonly responseId?: string;
  /** Notes for people on the request: files and tools that were omitted, each once. */
  readonly notes?: readonly string[];
  /** Settings that the provider did not accept unchanged. */
  readonly warnings?: readonly SettingWarning[];
}

/** A setting that a provider did not accept unchanged, and its effect, in words that follow its name. */
export interface SettingWarning {
  readonly setting: string;
  readonly text: string;
}

/** A reply whose files are kept. */
export type KeptReply = Omit<ModelReply, 'content'> & { readonly content: readonly KeptPart[] };

/**
 * A model.
 *
 * `call` asks once; repeating is the core's decision. It may throw an `OffshootError` whose failure says whether a
 * further attempt can help; anything else it throws counts as `model_error`, not retryable. When `signal` aborts it
 * must settle soon; the caller does not wait for it. `onDelta` is called in order and never after it has settled.
 * Calling it twice with one request asks twice.
 */
export interface ModelPort {
  /**
   * The AI SDK's name of its provider, up to the first dot; undefined if unknown. All agents of a tree with one
   * provider share its rate limit. It may be called at any time, and sends no request.
   */
  provider?(): PromiseLike<string | undefined> | string | undefined;
  call(
    request: ModelRequest,
    options: {
      signal: AbortSignal;
      onDelta: (delta: ModelDelta) => void;
      /** Reads a file of the agent for a model that sees its own files; undefined if the file has changed. */
      readFile?: (path: string, etag: string) => Promise<Uint8Array | undefined>;
      /** Called at most once, after an abort or a failure, if the usage of that model call becomes known later. */
      onLateUsage?: (usage: Usage, model: string) => void;
    },
  ): Promise<ModelReply>;
}
