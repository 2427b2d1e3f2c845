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
  /** Options for one provider alone, by its name. */
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

/** One question to a model. Owned by the caller; an adapter must not change it. */
export interface ModelRequest {
  /** The definition's name; scripted models route by it. */
  readonly agentType: string;
  /** Whose step it is, where the agent has two sides. */
  readonly side?: SideName;
  readonly sessionId: string;
  /** The address of the root of its tree. */
  readonly root?: string;
  readonly runId: string;
  /** From 1, within the run; 0 where it is asked for a summary of older messages (`context.compact`). */
  readonly step: number;
  /** Replies that the failed runs have which this one tries again; none where it is missing. */
  readonly repliesBefore?: number;
  /** From 1; a repeated question of the same step has the next number. */
  readonly attempt: number;
  /** The trace (W3C) of the run, if there is one. */
  readonly traceparent?: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Its settings; the provider's defaults where this is missing. */
  readonly settings?: ModelSettings;
  /** Tools that a provider runs itself; none where it is missing. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Until the first chunk, and between two chunks, in ms; past it the call fails with `model_timeout`. */
  readonly firstChunkMs: number;
  readonly stallMs: number;
}

/**
 * A piece of a reply while it streams. `part` is the block that it continues: the blocks of a reply, its calls among
 * them, count from 0 in the order in which they began. `index` numbers its tool calls alone, also from 0.
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

/** A call as the model asked for it. `malformed` holds the text of arguments that are no JSON, or not read as what they say. */
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
  /** `paused`: the provider has more to run, and continues where it is asked again. */
  readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'paused' | 'error' | 'other';
  readonly usage: Usage;
  /** `provider/model`, as the provider names them. */
  readonly model: string;
  /** The provider's id of the reply, where it gave one. */
  readonly responseId?: string;
  /** Notes for people on the request: files and tools that were omitted, each once. */
  readonly notes?: readonly string[];
  /** Settings that the provider did not take as they are. */
  readonly warnings?: readonly SettingWarning[];
}

/** A setting that a provider does not take as it is, and what became of it, as words that follow its name. */
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
   * The provider that it asks, as the AI SDK names it: what follows its first dot is left out, and all agents of a tree that
   * ask one provider share what it allows. Undefined where it cannot be said. It may be called at any time, and does not ask.
   */
  provider?(): PromiseLike<string | undefined> | string | undefined;
  call(
    request: ModelRequest,
    options: {
      signal: AbortSignal;
      onDelta: (delta: ModelDelta) => void;
      /** Reads a file of the agent for a model that is shown its own; undefined where it is not what it was. */
      readFile?: (path: string, etag: string) => Promise<Uint8Array | undefined>;
      /** Called at most once, after an abort or a failure, where it comes to light what the call of that model spent all the same. */
      onLateUsage?: (usage: Usage, model: string) => void;
    },
  ): Promise<ModelReply>;
}
