import { E as Json, O as JsonObject, b as ErrorCode, g as Usage, x as Failure } from "./chunks.js";
import { E as SessionStatus, g as TextPart, h as SourcePart, l as Message, p as ReasoningPart, r as CallResult, s as FurtherPart, t as SideName, v as UserPart } from "./sides.js";
import { n as RootDocuments } from "./documents.js";
import "./readings.js";
import * as z$1 from "zod";
/** A message of a session: a received one, or a reply of its model (`assistant`, whose content is its text). */
interface HookedMessage {
  readonly messageId: string;
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly UserPart[];
  /** The author: `agent` is the session's own code, or its model if the role is `assistant`. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly metadata?: Json;
  /** The side that it is for, if the agent has two sides. */
  readonly to?: SideName;
  /** Shown only to the model. */
  readonly silent?: true;
  /** The paths of its files. */
  readonly files?: readonly string[];
  /** The calls of a reply. */
  readonly calls?: readonly {
    readonly toolName: string;
    readonly input: Json;
  }[];
}
/** The fields of a message that can be changed. */
interface MessageChanges {
  readonly content?: HookedMessage['content'];
  readonly metadata?: Json;
}
/** A child in the form of a Standard Agents registry entry. `createdAt` is in microseconds since 1970. */
interface SubagentRegistryEntry {
  readonly reference: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly resumable: boolean;
  readonly blocking: boolean;
  readonly threadName?: string;
  readonly spawnGroupId?: string;
  readonly createdAt: number;
  /** Its last progress text (`sessionStatus`) while it works; otherwise its lifecycle. */
  readonly status: string;
  /** Its state, independent of its progress text. */
  readonly lifecycle: 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';
}
/** A message for a session. */
interface QueueMessageInput {
  /** The role. In a session with two sides, `user` addresses the first side and `assistant` the second. */
  readonly role: 'user' | 'assistant';
  /** The text: at least one character, at most `maxMessageBytes`. */
  readonly content: string;
  /** The side that it is for, if `role` does not determine it. */
  readonly side?: 'side_a' | 'side_b';
  /** Shows the message only to the model, not to people. `false` by default. */
  readonly silent?: boolean;
  /** Your own JSON, stored with the message; at most 16 KB. */
  readonly metadata?: Json;
}
/** A message with files of the session whose code queues it. */
interface QueueFilesInput extends QueueMessageInput {
  /**
   * Paths of files of the session whose code queues the message, at most 20. A child gets copies of them with the
   * message, as they are now, under its own paths.
   */
  readonly attachments?: readonly string[];
}
/** A session that takes messages. */
interface MessageQueue<Input extends QueueMessageInput = QueueMessageInput> {
  /** The thread's id: the address of its agent without `/agents/`, as in the routes of threads. */
  readonly threadId: string;
  /**
   * Resolves once the message is durable. A working session reads it before its next step. An idle root starts a turn;
   * an idle child reads it when its parent gives it work. Code that runs again after a crash queues nothing twice, as
   * long as it queues in the same order.
   * @throws OffshootError `terminated`, `inbox_full`, `invalid_input`, `payload_too_large`, `gone`; once the call is no
   *   longer awaited, `stale_epoch` or the code of the stop
   */
  queueMessage(input: Input): Promise<void>;
}
/** Actions of an agent's code on a session below it, as if that session's own code did them. */
interface ThreadBelow {
  /** Terminates the session and all agents below it. A session that has already ended does not change. */
  terminate(): Promise<void>;
  /**
   * Its child with that reference in its own registry; null if there is none. @throws OffshootError `gone`,
   * `unavailable`
   */
  getChildThread(reference: string): Promise<DescendantThread | null>;
  /**
   * Changes one of its messages, as `updateMessage` in its own code does, even while it is idle. Its own hooks for
   * changes are called.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`, `gone`, `unavailable`
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
}
/** A descendant below a direct child. */
interface DescendantThread extends MessageQueue, ThreadBelow {
  /** Its registry entry at the time of the request. */
  readonly entry: SubagentRegistryEntry;
  /** When it was terminated, in microseconds since 1970, as known at the time of the request; null if it was not. */
  readonly terminated: number | null;
}
/** A child of the session, with the actions that its parent may take. */
interface ChildThread extends MessageQueue<QueueFilesInput>, ThreadBelow {
  /** Its current registry entry, read at each access. */
  readonly entry: SubagentRegistryEntry;
  /**
   * When its parent terminated it, or learned that somebody did, in microseconds since 1970; null if it was not
   * terminated.
   */
  readonly terminated: number | null;
}
/**
 * The parent of the session. A child can only send it messages and read its status. Files are returned at the end of a
 * session.
 */
interface ParentThread extends MessageQueue {
  /** Its status at the time of the request. */
  readonly status: SessionStatus;
  /** The entry of this session in the parent's registry at that time; null if it has none. */
  readonly entry: SubagentRegistryEntry | null;
}
/**
 * The session for which the code runs.
 * @example
 * const tell = (thread: ThreadState, reference: string) =>
 *   thread.getChildThread(reference).then((child) => child?.queueMessage({ role: 'user', content: 'Hurry.' }));
 */
interface ThreadState extends MessageQueue<QueueFilesInput> {
  /** The current registry, read at each access, in the order in which the children began. */
  readonly children: readonly SubagentRegistryEntry[];
  /** When the session was terminated, in microseconds since 1970; null if it was not. */
  readonly terminated: number | null;
  /** The session's own child with that reference; null if there is none. */
  getChildThread(reference: string): Promise<ChildThread | null>;
  /** The parent; null for a root, and if the parent is gone. @throws OffshootError `unavailable` */
  getParentThread(): Promise<ParentThread | null>;
  /**
   * Changes the content or metadata of a received message for all later requests. It must be one of the newest 1,000; a
   * step may have read it already. Resolves once the change is durable. A summary made from the old text does not
   * change.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`; once the call is no longer awaited, `stale_epoch`
   *   or the code of the stop
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
  /**
   * Terminates the session and all agents below it; its data stays readable. A session that has already ended does not
   * change.
   */
  terminate(): Promise<void>;
}
/**
 * The context of a tool. `State` is the part of the agent's custom state that the tool needs, `Env` the part of the
 * Worker's environment. A tool that specifies neither works with every agent.
 *
 * After a stop or a timeout, `abortSignal` aborts. Once the result is no longer awaited, `updateState`, `emit` and
 * `emitCustom` throw an OffshootError (`stale_epoch`, `interrupted`, `aborted` or `terminated`) and change nothing.
 * @example
 * const countOf = (context: ToolContext<{ count: number }>): number => context.getState().count;
 */
interface ToolContext<State = unknown, Env = unknown> extends CapabilityContext {
  /** Returns the agent's last committed custom state. */
  getState(): State;
  /**
   * Changes the custom state; the change is committed before it returns, and appears as a `state_patch` chunk. Return
   * the whole state: the agent's `stateSchema` parses it, and its output is stored.
   * @throws OffshootError `invalid_input` for a value that is not JSON or does not fit, `payload_too_large`; the state
   *   then does not change
   */
  updateState(change: (state: State) => State): void;
  /** Sets the status line of the agent (`statusText`); longer than 1,000 characters, it is cut. */
  emit(statusText: string): void;
  /**
   * Sends a `custom` chunk. @throws OffshootError `invalid_input` for data that is not JSON, or a name of more than 128
   * characters
   */
  emitCustom(name: string, data: Json): void;
  /** Aborts when the call is stopped, timed out or superseded. */
  readonly abortSignal: AbortSignal;
  /** The idempotency key, the same for every execution of this call. Pass it to the services that you call. */
  readonly idempotencyKey: string;
  /** The decision that allowed the call, if it needed approval. */
  readonly approval?: {
    readonly at: number;
    readonly actor?: string;
    readonly reason?: string;
  };
  /**
   * The caller who started the run, as the access check named them. For a sub-agent, the caller of the run above; for a
   * resumed run, the caller who resumed it. Absent if unknown.
   */
  readonly caller?: string;
  /** The trace of the run (W3C `traceparent`). Pass it on in that header. Absent if the caller sent none. */
  readonly traceparent?: string;
  /** The agent that makes the call: the name of its definition, its session, its address and the run. */
  readonly agent: {
    readonly type: string;
    readonly sessionId: string;
    readonly address: string;
    readonly runId: string;
  };
  /** The agent's persistent files. */
  readonly files: ToolFiles;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  /**
   * The value of a variable, undefined if there is none. It comes from the session, or else the agent's `env`, the
   * agents above, or the Worker's own variables, in this order. After this call, the value of a `secret` is replaced by
   * its name in everything that the code returns or writes.
   * @throws OffshootError `no_encryption_key` for a value that can no longer be decrypted, `unavailable`, `gone`
   */
  variable(name: string): Promise<string | undefined>;
  /** The session of the call: its children, its parent and its queue. */
  readonly thread: ThreadState;
  /** Adds the costs of this call at other services. */
  recordUsage(usage: {
    inputTokens?: number;
    outputTokens?: number;
    costUsd?: number;
  }): void;
}
/** Methods that capabilities add to the context of tools, hooks and effects. */
interface CapabilityContext {
  /**
   * Schedules an effect of the agent (`defineEffect`), and resolves with its id once it is committed. It runs `delayMs`
   * from now (at once by default, at most a year), even if the agent is busy or idle then, and no model sees it. A tool
   * that is repeated after a crash schedules its effects under the same ids.
   * @throws OffshootError `unknown_effect`, `invalid_input` for arguments or a delay that do not fit, `payload_too_large`,
   *   `too_many_effects`, `terminated`
   */
  scheduleEffect(name: string, args: unknown, delayMs?: number): Promise<string>;
  /** The agent's pending effects, or those with that name, earliest first. */
  getScheduledEffects(name?: string): Promise<readonly ScheduledEffect[]>;
  /** Cancels an effect, even while it runs (its signal aborts); false if none has that id. */
  removeScheduledEffect(id: string): Promise<boolean>;
}
/** A pending effect. Times are in ms since 1970. */
interface ScheduledEffect {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
  readonly scheduledAt: number;
  /** When it runs, or is tried again. */
  readonly dueAt: number;
  /** The number of tries so far. */
  readonly tries: number;
}
/**
 * The context of an effect. An effect belongs to no run: it has no stream to write to, and nothing waits for it.
 * @example
 * const isRepeated = ({ attempt }: EffectContext): boolean => attempt > 1;
 */
interface EffectContext<State = unknown, Env = unknown> extends Pick<ToolContext<State, Env>, 'getState' | 'files' | 'env' | 'variable' | 'thread' | 'recordUsage' | 'scheduleEffect' | 'getScheduledEffects' | 'removeScheduledEffect'> {
  /** Aborts when the effect is cancelled, takes too long, or its agent is terminated. */
  readonly abortSignal: AbortSignal;
  /** The idempotency key, the same for every try of this effect. Pass it to the services that you call. */
  readonly idempotencyKey: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
  readonly agent: Pick<ToolContext['agent'], 'type' | 'sessionId' | 'address'>;
}
/**
 * A file without its bytes. `updatedAt` is in ms since 1970. `version`, which the model reads, is the first 16 digits
 * of the `etag` over HTTP: the SHA-256 of the content in hex.
 */
interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly version: string;
  readonly updatedAt: number;
}
/** A range of bytes, from 0. The defaults are the beginning and the end of the file. */
interface ToolFileRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}
/**
 * The files of an agent: those that its tools, its model and people wrote; with `inheritWorkspace`, those of its
 * parent. Paths are relative. Reading or removing a missing file throws an `OffshootError` `not_found`; a range that
 * begins past the end, `invalid_request`.
 */
interface ToolFiles {
  list(prefix?: string): Promise<readonly ToolFileInfo[]>;
  /** The file's metadata; undefined if there is no such file. */
  stat(path: string): Promise<ToolFileInfo | undefined>;
  /** The bytes, whole or a part. @throws `payload_too_large` for more than `maxReadBytes` (16 MiB by default) */
  read(path: string, range?: ToolFileRange): Promise<Uint8Array>;
  /** The same, decoded as UTF-8. Invalid bytes, such as a character that the range splits, become U+FFFD. */
  readText(path: string, range?: ToolFileRange): Promise<string>;
  /**
   * A stream of a file of any size, in pieces of at most 1 MiB that are read on demand. It stays at the version that
   * was opened. Read it to the end or cancel it.
   */
  stream(path: string, range?: ToolFileRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Writes a file, completely or not at all. A stream can be up to `maxFileBytes` long; `size` is its exact number of
   * bytes. `ifVersion` overwrites only that version; null only creates a new file. Use it if others work on the same
   * files.
   * @throws `file_changed` if the version is not `ifVersion`, `payload_too_large`, `too_many_files`
   */
  write(path: string, content: string | Uint8Array | ReadableStream<Uint8Array>, options?: {
    mediaType?: string;
    ifVersion?: string | null;
    size?: number;
  }): Promise<ToolFileInfo>;
  /** Removes a file; with `ifVersion`, only that version. @throws `not_found`, `file_changed` */
  remove(path: string, options?: {
    ifVersion?: string;
  }): Promise<void>;
}
declare global {
  namespace Cloudflare {
    /** The bindings and variables of the Worker, declared by `wrangler types`. */
    interface Env {}
  }
}
/** The key under which a definition carries its types. */
declare const TYPES: unique symbol;
/** The types of an agent; an omitted one is unknown. */
interface AgentTypes {
  /** The input of a start. */
  readonly input?: unknown;
  /** The output of a run. */
  readonly output?: unknown;
  /** The custom state. */
  readonly state?: unknown;
  /** The initial custom state that a start may pass. */
  readonly initialState?: unknown;
  /** The bindings and variables that the agent and its children need. */
  readonly env?: unknown;
}
/** The types of a tool; an omitted one is unknown. */
interface ToolTypes {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly state?: unknown;
  readonly env?: unknown;
  readonly finishes?: boolean;
}
/**
 * A function of the app, stored together with functions of other types. Its arguments come from its schemas, which the
 * compiler cannot check at the call.
 */
type AuthorsFunction<Arguments extends readonly unknown[], Result> = {
  run(...given: Arguments): Result;
}['run'];
/** The type of a value after a JSON round trip: a Date becomes a string. */
type JsonOf<T> = unknown extends T ? Json : T extends Json | undefined ? T : T extends {
  toJSON(): infer Written;
} ? JsonOf<Written> : T extends object ? { [Key in keyof T]: JsonOf<T[Key]>; } : never;
declare const RESULT_DOES_NOT_FIT: unique symbol;
/** No value has this type: it makes the compiler keep the literal type of `{ kind: 'a' }`. */
interface FitsOutputSchema {
  readonly [RESULT_DOES_NOT_FIT]: never;
}
interface Fields extends FitsOutputSchema {
  readonly [key: string]: Literal;
}
type Literal = ('' & FitsOutputSchema) | (0 & FitsOutputSchema) | (true & FitsOutputSchema) | (false & FitsOutputSchema) | (readonly Literal[] & FitsOutputSchema) | Fields;
/** The same for what is awaited. Its last signature keeps `new Promise((resolve) => …)` from being taken for one. */
interface LiteralLater extends FitsOutputSchema {
  then(onfulfilled: (value: Literal) => unknown): unknown;
  then(onfulfilled: null): unknown;
}
/** The result of a function or its promise, with literal types preserved. */
type Result<Output> = Output | PromiseLike<Output> | Literal | LiteralLater;
/** One of the types that a definition carries. */
type Carried<Definition, Key extends keyof AgentTypes | keyof ToolTypes> = Definition extends {
  readonly [TYPES]?: infer Types;
} ? NonNullable<Types> extends { readonly [K in Key]: infer Known; } ? Known : unknown : unknown;
/** The `input` of a start of an agent. */
type InputOf<Definition> = Carried<Definition, 'input'>;
/** The output of an agent's run. */
type OutputOf<Definition> = Carried<Definition, 'output'>;
/** The custom state of an agent, or the part of it that a tool needs. */
type StateOf<Definition> = Carried<Definition, 'state'>;
/** The `state` that a start of an agent may pass. */
type InitialStateOf<Definition> = Carried<Definition, 'initialState'>;
/** The part of the Worker's environment that an agent or a tool needs. */
type EnvOf<Definition> = Carried<Definition, 'env'>;
/** Whether a tool ends the run. */
type FinishesOf<Definition> = Carried<Definition, 'finishes'>;
/**
 * Whether this Worker has the bindings that an agent needs; unknown until `wrangler types` has generated their types.
 */
type Bound<Needed> = [keyof Cloudflare.Env] extends [never] ? unknown : [Cloudflare.Env] extends [Needed] ? unknown : 'A tool of this agent, or of one below it, needs a binding or a variable that this Worker does not have.';
/** The context of a `compact` function. */
interface CompactContext<State = unknown, Env = unknown> extends Pick<ToolContext<State, Env>, 'abortSignal' | 'agent' | 'env' | 'getState' | 'recordUsage'> {
  /** The digest of the messages, which is used without the function. */
  readonly digest: string;
  /** The maximum size of the summary in estimated tokens; a longer one is cut. */
  readonly maxTokens: number;
}
/**
 * Returns a summary that replaces messages: text. The first message is the last summary, if there is one. If the
 * function throws, returns no text or takes longer than `timeoutMs`, the failure is reported, and the digest is used.
 * After a crash it may be called again for the same messages.
 */
type CompactFunction<State = unknown, Env = unknown> = AuthorsFunction<[messages: readonly Message[], context: CompactContext<State, Env>], string | PromiseLike<string>>;
/** The author of the summary: rules (`digest`), the agent's own model, or your function. */
type Compact<State = unknown, Env = unknown> = 'digest' | 'model' | CompactFunction<State, Env>;
/** Options that limit the conversation in a request. */
interface ContextOptions<State = unknown, Env = unknown> {
  /**
   * The maximum size of a request (system prompt, tools and messages) in estimated tokens; at least 1,000. Beyond it, a
   * summary replaces older messages. Leave room for the reply in the model's window.
   */
  readonly maxTokens: number;
  /** Tokens of the newest messages that stay unchanged: less than `maxTokens`; half of it by default. */
  readonly keepRecentTokens?: number;
  /** The author of the summary; `digest` by default. */
  readonly compact?: Compact<State, Env>;
  /** How long `compact` may take, in ms; 1 minute by default. */
  readonly timeoutMs?: number;
}
/** The tool of a hook's payload. */
interface HookedTool {
  readonly name: string;
  readonly toolCallId: string;
}
/** The end of a run, as `onRunSettled` gets it. */
type RunEnding<Output = Json> = {
  readonly status: 'completed';
  readonly output: Output;
} | {
  readonly status: 'failed';
  readonly error: Failure;
  readonly failureReason?: string;
} | {
  readonly status: 'interrupted' | 'terminated';
  readonly reason: string;
};
/** The payload of each hook. Times are in ms. */
interface HookPayloads<Input = Json, Output = Json> {
  /** A run begins, including a resume or a retry (`resumedFrom`). `input` is the input of the start, if it has one. */
  readonly onAgentStart: {
    readonly turn: number;
    readonly input?: Input;
    readonly resumedFrom?: string;
  };
  readonly onAgentComplete: {
    readonly output: Output;
    readonly durationMs: number;
  };
  readonly onAgentFail: {
    readonly error: Failure;
    readonly failureReason?: string;
    readonly durationMs: number;
  };
  /**
   * A run is about to end in any way. This is its last hook, called at least once for each run and status. A stop that
   * arrives at this point changes the end, and the hook is called for that end as well. An error here cannot fail the
   * run.
   */
  readonly onRunSettled: {
    readonly durationMs: number;
  } & RunEnding<Output>;
  /** Before a model call. */
  readonly onStepStart: {
    readonly step: number;
  };
  /** After the last call of the step has its result. */
  readonly onStepEnd: {
    readonly step: number;
    readonly text: string;
    readonly finishReason: string;
    readonly usage: Usage;
  };
  /** Before a tool runs, or a client gets the call. */
  readonly beforeTool: {
    readonly tool: HookedTool;
    readonly input: Json;
  };
  readonly afterTool: {
    readonly tool: HookedTool;
    readonly input: Json;
    readonly result: CallResult;
    readonly durationMs: number;
  };
  /** A sub-agent's call has its result. */
  readonly onChildSettled: {
    readonly agentType: string;
    readonly toolCallId: string;
    readonly sessionId: string;
    readonly address: string;
    readonly result: CallResult;
  };
}
/** The name of a hook. */
type HookName = keyof HookPayloads;
/** The context of a hook: that of a tool, with facts about the run. */
interface HookContext<State = unknown, Env = unknown> extends ToolContext<State, Env> {
  readonly parentSessionId?: string;
  /** The current step of the run, from 1; 0 before the first. */
  readonly stepCount: number;
  readonly tags: readonly string[];
  readonly metadata?: Json;
}
/** The function of a hook. The run continues when it has ended. */
type HookBody<Name extends HookName = HookName, State = unknown, Env = unknown, Input = Json, Output = Json> = AuthorsFunction<[payload: HookPayloads<Input, Output>[Name], context: HookContext<State, Env>], unknown>;
/**
 * A hook: a function, or a function with `failRun: true`, which fails the run with `hook_failed` if the function throws
 * or takes too long (`hookTimeoutMs`). Without `failRun`, such a failure is reported, and the run continues.
 */
type Hook<Body = HookBody> = Body | {
  readonly run: Body;
  readonly failRun?: boolean;
};
/**
 * The hooks of an agent, typed by its schemas.
 * @example
 * const hooks: AgentHooks = { onStepEnd: ({ step, usage }) => console.log(step, usage.inputTokens) };
 */
type AgentHooks<State = unknown, Env = unknown, Input = Json, Output = Json> = { readonly [Name in HookName]?: Hook<HookBody<Name, State, Env, Input, Output>>; };
/** The tool that a model must call: `required` for any, `{ tool }` for one of the agent's `tools`. */
type ToolChoice = 'auto' | 'none' | 'required' | {
  readonly tool: string;
};
/** The amount of reasoning before an answer, if the model supports it. */
interface ReasoningOptions {
  /** The effort, as the provider defines it; the provider's default if omitted. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
}
/** Options for single providers, by the provider's name. */
interface ProviderOptions {
  readonly [provider: string]: JsonObject;
}
/**
 * Settings of a model. The default of each is the provider's. A setting that a provider does not support is omitted
 * from its requests, and one warning says so.
 */
interface ModelSettings {
  /** The randomness of the reply, from 0 to 2 (Anthropic: to 1). Set this or `topP`, not both. */
  readonly temperature?: number;
  /** Samples from the most probable tokens with this total probability: above 0, at most 1. */
  readonly topP?: number;
  /** Samples from this many of the most probable tokens, from 1 to 1,000. */
  readonly topK?: number;
  /** The maximum number of tokens in one reply, from 1 to 1,000,000. Thinking counts if the provider counts it. */
  readonly maxOutputTokens?: number;
  /** Strings before which a reply ends: at most 16, of 1 to 256 characters. */
  readonly stopSequences?: readonly string[];
  /** A whole number. The same seed asks for the same reply, as far as the provider supports it. */
  readonly seed?: number;
  /** From -2 to 2. Above 0, tokens that have already appeared are less probable. */
  readonly presencePenalty?: number;
  /** From -2 to 2. Above 0, tokens are less probable the more often they have appeared. */
  readonly frequencyPenalty?: number;
  /** The amount of reasoning. */
  readonly reasoning?: ReasoningOptions;
  /**
   * The tool that the model must call. With `auto` (default) the model chooses. `required` and `{ tool }` apply until a
   * step of the turn has made such a call. `required` applies longer if only a call can end the run.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * `false` asks the provider for at most one call per reply. To control how several calls run, use
   * `maxConcurrentCalls`, and `parallelToolCalls` of a prompt.
   */
  readonly parallelToolCalls?: boolean;
  /**
   * Headers of each request: at most 20, with values of at most 2,048 characters. Headers with a key, and those that
   * HTTP itself needs, are refused: a key belongs to the model.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Options for single providers, by the provider's name: at most 65,536 bytes as JSON. They override Offshoot's own.
   */
  readonly providerOptions?: ProviderOptions;
  /**
   * `true` (default) asks the provider to cache the beginning of requests: with breakpoints for Anthropic, with a key
   * of the session for OpenAI.
   */
  readonly promptCache?: boolean;
  /**
   * `true` sends agent, root, run and step in the metadata header of AI Gateway (`cf-aig-metadata`). By default this is
   * on if the model's URL is a gateway's.
   */
  readonly gatewayMetadata?: boolean;
}
/** The return value of a hook: settings of one step, which override the definition's. */
interface StepSettings {
  readonly settings: ModelSettings;
}
/** A tool's call with its result. */
interface HookedResult {
  readonly tool: HookedTool;
  readonly input: Json;
  readonly result: CallResult;
}
/** The payload of each hook of Standard Agents. */
interface StandardHookPayloads {
  /** The session is about to begin its first run. */
  readonly after_thread_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    readonly parentSessionId?: string;
  };
  /** A sub-agent of the session was created; it may already work. */
  readonly after_subagent_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    /** Its name if it is persistent; its reference if a prompt names it. */
    readonly name?: string;
    readonly toolCallId: string;
  };
  /** Before a model request; returns settings for it, which override the definition's. */
  readonly prepare_step: {
    /** From 1, within the turn. */
    readonly step: number;
    /** From 1; a repeated request is a new attempt. */
    readonly attempt: number;
    readonly settings: ModelSettings;
  };
  /** The system prompt of a request; returns the text that is sent. */
  readonly after_system_message: {
    readonly system: string;
  };
  /** The conversation of a request; returns the messages to send. */
  readonly filter_messages: {
    readonly messages: readonly Message[];
  };
  /** All messages of a request, just before it is sent; returns the messages to send. */
  readonly prefilter_llm_history: {
    readonly messages: readonly Message[];
  };
  /** A message is about to be added to the conversation; may return other `content` or `metadata` for it. */
  readonly before_create_message: {
    readonly message: HookedMessage;
  };
  readonly after_create_message: {
    readonly message: HookedMessage;
  };
  /** A message of the conversation is about to be changed; may return other changes. */
  readonly before_update_message: {
    readonly message: HookedMessage;
    readonly changes: MessageChanges;
  };
  readonly after_update_message: {
    readonly message: HookedMessage;
  };
  /** A result is about to be stored; may return another one to store. */
  readonly before_store_tool_result: HookedResult;
  /** A tool has succeeded; may return another result. */
  readonly after_tool_call_success: HookedResult;
  /** A tool has failed; may return another result. */
  readonly after_tool_call_failure: HookedResult;
}
/** The return value of each hook. `undefined` or `null` changes nothing. */
interface StandardHookAnswers {
  readonly after_thread_created: unknown;
  readonly after_subagent_created: unknown;
  readonly prepare_step: StepSettings;
  readonly after_system_message: string;
  readonly filter_messages: readonly Message[];
  readonly prefilter_llm_history: readonly Message[];
  /** Its other fields must not change. */
  readonly before_create_message: MessageChanges;
  readonly after_create_message: unknown;
  readonly before_update_message: MessageChanges;
  readonly after_update_message: unknown;
  readonly before_store_tool_result: CallResult;
  readonly after_tool_call_success: CallResult;
  readonly after_tool_call_failure: CallResult;
}
/** The name of a Standard Agents hook. */
type StandardHookName = keyof StandardHookPayloads;
/** A hook of Standard Agents, as `defineHook` returns it. */
interface HookDefinition {
  readonly hook: StandardHookName;
  readonly id: string;
  readonly execute: AuthorsFunction<[payload: StandardHookPayloads[StandardHookName], context: HookContext], unknown>;
}
/** Options of `defineHook`. */
interface HookOptions<Name extends StandardHookName = StandardHookName> {
  /** The point at which it is called. */
  hook: Name;
  /** Its name in the log: lower-case words joined by `_`, at most 64 characters, unique within an agent. */
  id: string;
  /**
   * Its function, which has `hookTimeoutMs`. If it throws, takes longer or returns an invalid value, nothing changes,
   * and `hook_failed` and the log report it.
   */
  execute: (payload: StandardHookPayloads[Name], context: HookContext) => StandardHookAnswers[Name] | null | undefined | PromiseLike<StandardHookAnswers[Name] | null | undefined>;
}
/** The options of any hook: its name determines the payload and the return value. */
type AnyHookOptions = { readonly [Name in StandardHookName]: HookOptions<Name>; }[StandardHookName];
/**
 * Defines a hook of Standard Agents, for the `hooks` of agents and prompts. Several hooks with one name are called in
 * order; each gets the value that the previous one returned.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const redact = defineHook({
 *   hook: 'before_store_tool_result',
 *   id: 'redact_account',
 *   execute: ({ result }) =>
 *     result.success && typeof result.value === 'string'
 *       ? { success: true, value: result.value.replaceAll(/\d{10}/g, '[account]') }
 *       : result,
 * });
 */
declare function defineHook(options: AnyHookOptions): HookDefinition;
/** The `hooks` option: hooks by name, or a list that may also have hooks made by `defineHook`. */
type HooksOption<Hooks = AgentHooks> = Hooks | readonly (Hooks | HookDefinition)[];
/** The name of a hook of either kind. */
type AnyHookName = HookName | StandardHookName;
/** A hook of either kind, as it is called. */
interface AnyHook {
  readonly hook: AnyHookName;
  /** The id of a hook made by `defineHook`. */
  readonly id?: string;
  readonly run: AuthorsFunction<[payload: HookPayloads[HookName] | StandardHookPayloads[StandardHookName], context: HookContext], unknown>;
  /** Whether its failure fails the run. */
  readonly failRun: boolean;
}
/** A tool, in the form that the model sees. */
interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: that of an object. */
  readonly inputSchema: JsonObject;
  /** Asks the provider for arguments that fit the schema exactly, if it can. */
  readonly strict?: boolean;
  /** Example arguments. */
  readonly inputExamples?: readonly {
    readonly input: JsonObject;
  }[];
  /** Options for a single provider, by its name. */
  readonly providerOptions?: ProviderOptions;
}
/** A tool that the provider runs itself. Other providers do not have it. */
interface ProviderToolSpec {
  /** Its name in calls. */
  readonly name: string;
  /** The provider's id for it: `anthropic.web_search_20250305`. */
  readonly id: string;
  /** Its settings. */
  readonly args: JsonObject;
}
/** One request to a model. Owned by the caller; an adapter must not change it. */
interface ModelRequest {
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
type ModelDelta = {
  readonly type: 'text' | 'thinking';
  readonly part: number;
  readonly delta: string;
} | {
  readonly type: 'provider_call';
  readonly part: number;
  readonly id: string;
  readonly toolName: string;
  readonly input: Json;
} | {
  readonly type: 'provider_result';
  readonly part: number;
  readonly id: string;
  readonly toolName: string;
  readonly result: Json;
  readonly success: boolean;
} | {
  readonly type: 'source';
  readonly part: number;
  readonly source: SourcePart;
} | {
  readonly type: 'tool_arg_start';
  readonly index: number;
  readonly toolName: string;
} | {
  readonly type: 'tool_arg_delta';
  readonly index: number;
  readonly delta: string;
};
/** A call that the model made. `malformed` has the text of arguments that are not valid JSON. */
interface ReplyCall {
  readonly type: 'tool-call';
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly malformed?: string;
  readonly providerMetadata?: JsonObject;
}
/** A file that the model made, as it came. `data` is base64. */
interface MadeFile {
  readonly type: 'made-file';
  readonly mediaType: string;
  readonly data: string;
  readonly providerMetadata?: JsonObject;
}
/** A part of a reply as it is kept: files are among those of the agent. */
type KeptPart = TextPart | ReasoningPart | ReplyCall | FurtherPart;
/** A whole reply. */
interface ModelReply {
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
interface SettingWarning {
  readonly setting: string;
  readonly text: string;
}
/**
 * A model.
 *
 * `call` asks once; repeating is the core's decision. It may throw an `OffshootError` whose failure says whether a
 * further attempt can help; anything else it throws counts as `model_error`, not retryable. When `signal` aborts it
 * must settle soon; the caller does not wait for it. `onDelta` is called in order and never after it has settled.
 * Calling it twice with one request asks twice.
 */
interface ModelPort {
  /**
   * The AI SDK's name of its provider, up to the first dot; undefined if unknown. All agents of a tree with one
   * provider share its rate limit. It may be called at any time, and sends no request.
   */
  provider?(): PromiseLike<string | undefined> | string | undefined;
  call(request: ModelRequest, options: {
    signal: AbortSignal;
    onDelta: (delta: ModelDelta) => void;
    /** Reads a file of the agent for a model that sees its own files; undefined if the file has changed. */
    readFile?: (path: string, etag: string) => Promise<Uint8Array | undefined>;
    /** Called at most once, after an abort or a failure, if the usage of that model call becomes known later. */
    onLateUsage?: (usage: Usage, model: string) => void;
  }): Promise<ModelReply>;
}
/** A summary of the step that has just been closed. */
interface StepFacts {
  /** From 1, within the turn. */
  readonly step: number;
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    readonly success: boolean;
    readonly result: Json;
  }[];
}
/**
 * A call of a step, in the AI SDK's form. Its input is typed as any JSON, like the input of the AI SDK's dynamic tools.
 */
interface StepToolCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: Json;
  dynamic: true;
}
/** A result of a call. */
interface StepToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  input: Json;
  output: Json;
  dynamic: true;
}
/** The failure of a call; `error` is `{ code, message, … }`. */
interface StepToolError {
  type: 'tool-error';
  toolCallId: string;
  toolName: string;
  input: Json;
  error: unknown;
  dynamic: true;
}
/** Thinking of the model. */
interface StepReasoning {
  type: 'reasoning';
  text: string;
}
/** A part of a step's content, in the order of the reply; the results follow. */
type StepPart = {
  type: 'text';
  text: string;
} | StepReasoning | StepToolCall | StepToolResult | StepToolError;
/** Tokens, as the AI SDK names them. */
interface StepUsage {
  inputTokens: number;
  inputTokenDetails: {
    noCacheTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number | undefined;
  };
  outputTokens: number;
  outputTokenDetails: {
    textTokens: number;
    reasoningTokens: number;
  };
  totalTokens: number;
}
/**
 * A closed step with those members of the AI SDK's `StepResult` that a session keeps. Other members have the type
 * `never`; reading one throws an OffshootError `invalid_definition` that names it.
 */
interface ClosedStep {
  /** From 0, as the AI SDK counts. */
  readonly stepNumber: number;
  readonly model: {
    readonly provider: string;
    readonly modelId: string;
  };
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
interface StopFacts extends StepFacts {
  /** All steps; the last one has just been closed. Each is read on access. */
  readonly steps: ClosedStep[];
}
/**
 * Returns, or resolves with, whether a run ends with the step that has just been closed: `({ text }) => …`, or the AI
 * SDK's `isStepCount(20)` and `hasToolCall('publish')`. It may be called again after a crash.
 * @example
 * const enough: StopCondition = ({ text, steps }) => text.includes('DONE') || steps.length >= 10;
 */
type StopCondition = AuthorsFunction<[facts: StopFacts], boolean | PromiseLike<boolean>>;
/**
 * Every limit in one object: name, unit and default. An agent may lower or raise what its definition names;
 * the limits of a whole tree are those of its root.
 */
interface Limits {
  /** Steps (model calls) of a run and its resumes. */
  readonly maxSteps: number;
  /** Tool calls of one step that execute at once; the others are queued. */
  readonly maxConcurrentCalls: number;
  /** Sub-agents of a whole tree that work at once; others are queued. */
  readonly maxConcurrentChildren: number;
  /** Sub-agents of one parent that are alive (queued, running or waiting) at once. */
  readonly maxChildren: number;
  /** Companions and persistent sub-agents (Standard Agents) of one agent; each counts until it is terminated. */
  readonly maxCompanions: number;
  /** Sub-agents that one run of the root may create in total. */
  readonly maxTreeChildren: number;
  /** Levels of a tree, including the root. */
  readonly maxDepth: number;
  /** Time limit for one execution of a tool, in ms. */
  readonly toolTimeoutMs: number;
  /** Time limit for a sub-agent's whole run, in ms, not counting waits for people. */
  readonly childTimeoutMs: number;
  /** How long a parent tries to start a sub-agent that it cannot reach, in ms; then the sub-agent is lost. */
  readonly childReachMs: number;
  /** How long a stop waits for a sub-agent that needs longer to end, in ms; then the sub-agent is lost. */
  readonly childStopMs: number;
  /** Time until the model's first chunk, in ms. */
  readonly modelFirstChunkMs: number;
  /** Time between two chunks of the model, in ms. */
  readonly modelStallMs: number;
  /** Further attempts of a model call after a retryable error. Rate limits and overload have `modelPatienceMs`. */
  readonly modelRetries: number;
  /** How long a step waits for a rate-limited or overloaded provider, in ms, from the first refusal. */
  readonly modelPatienceMs: number;
  /** Model requests of a whole tree at once; the others are queued. */
  readonly maxConcurrentModelCalls: number;
  /** Steps in a row that fail in the same way, or that reply with text although the agent has an `outputSchema`; then the run fails. */
  readonly maxSameFailures: number;
  /** Wait before the first retry, in ms; doubled each time, except for rate limits and overload. */
  readonly modelRetryBaseMs: number;
  /** Longest wait before a retry that a provider may ask for, in ms; longer waits are shortened to this. */
  readonly modelRetryAfterMs: number;
  /** Recoveries of a run after crashes without a committed step in between. */
  readonly maxRecoveries: number;
  /** Executions of a `replay: 'safe'` call, including the first. */
  readonly maxToolReplays: number;
  /** JSON of a tool's result or arguments, of the custom state or of a custom chunk's data, in bytes of UTF-8. */
  readonly maxToolResultBytes: number;
  /** A message to a companion, in bytes of UTF-8. */
  readonly maxMessageBytes: number;
  /** Bytes of a file that a tool may read at once; a stream has no such limit. */
  readonly maxReadBytes: number;
  /** A file of an agent, in bytes. */
  readonly maxFileBytes: number;
  /** Files that an agent may keep. */
  readonly maxFiles: number;
  /** Bytes of a file that one `workspace_read_file` returns. */
  readonly maxWorkspaceReadBytes: number;
  /** Bytes of files that one call of `workspace_search_files` covers; the next call continues. */
  readonly maxWorkspaceSearchBytes: number;
  /** Tokens (input and output) that one run and its resumes may use, not counting sub-agents. */
  readonly maxTokens: number;
  /** US dollars that one run and its resumes may spend, not counting sub-agents; only known prices count. */
  readonly maxCostUsd: number;
  /** Time limit for a root's run, in ms, not counting waits for people. */
  readonly maxWallMs: number;
  /** Tokens that a root run and all agents below it may use. */
  readonly maxTreeTokens: number;
  /** US dollars that a root run and all agents below it may spend. */
  readonly maxTreeCostUsd: number;
  /** Model calls of a root run and all agents below it. */
  readonly maxTreeSteps: number;
  /** Time that a tool has to end by itself after a stop, in ms; then it is cut off. */
  readonly stopGraceMs: number;
  /** Time limit for one hook, in ms. */
  readonly hookTimeoutMs: number;
  /** Queued starts (`onConcurrentStart`); more are refused. */
  readonly maxQueuedStarts: number;
  /** Messages that wait for an agent's next step; more are refused. */
  readonly maxInbox: number;
  /** Sub-agents of one agent that wait for variables. */
  readonly maxVariableRequests: number;
  /** How long a sub-agent waits for variables, in ms. */
  readonly variableRequestMs: number;
  /** Pending scheduled effects of one agent; more are refused. */
  readonly maxScheduledEffects: number;
  /** Arguments of a scheduled effect as JSON, in bytes of UTF-8. */
  readonly maxEffectBytes: number;
  /** Tries of a scheduled effect that fails; then it is abandoned. */
  readonly maxEffectTries: number;
  /** Newest root runs whose log and ended sub-agents are kept in full. */
  readonly keepRuns: number;
  /** Bytes of log that are kept in full. */
  readonly keepLogBytes: number;
}
/** The maximum that an agent and everything below it may spend. An omitted field sets no limit. */
interface Budget {
  /** Input and output tokens. */
  readonly maxTokens?: number;
  /** US dollars; needs known prices. */
  readonly maxCostUsd?: number;
  /** Model calls. */
  readonly maxSteps?: number;
  /** Working time of the agent, in ms, without waits for people. */
  readonly maxWallMs?: number;
}
/** The defaults, which docs/guarantees.md lists; each has a test at its edge. */
declare const DEFAULT_LIMITS: Limits;
/** A variable that an agent or a tool needs. */
interface VariableDefinition {
  /** A letter or `_`, then letters, digits and `_`; at most 128 characters. */
  readonly name: string;
  /** The type. The value of a `secret` is redacted from everything that the code which read it returns or writes. */
  readonly type: 'text' | 'secret';
  /** Whether it must have a value. `false` by default. */
  readonly required?: boolean;
  /** Whether each sub-agent needs its own value, instead of inheriting its parent's. `false` by default. */
  readonly scoped?: boolean;
  /** Its purpose, for the person who sets its value. */
  readonly description?: string;
}
/** The key under which a tool refers to a relationship of its agent. */
declare const RELATIONSHIP: unique symbol;
/** Effect on a running child when its parent suspends for a person. */
type ParentSuspendRule = 'continue' | 'pause' | 'respawn';
/** Effect of a failed child on its call: the failure is the result, or a person decides whether to retry the child. */
type FailureRule = 'result' | 'wait';
/** Effect of the end of a background task while the parent is idle: its message waits, or starts a turn. */
type IdleRule = 'keep' | 'wake';
/** How long a companion is kept: as long as its tree, or as the parent's run that started it. */
type RetentionRule = 'tree' | 'run';
/** Whether the call that gives a companion a task waits for its end. */
type CompanionMode = 'blocking' | 'non-blocking';
/** A companion of an agent. */
interface Companion {
  readonly mode: CompanionMode;
  readonly description: string;
  readonly relationship: Relationship;
}
/** Rules for the workspace tools of an agent's model. */
interface WorkspaceOptions {
  /** Removes the tools that change files. `false` by default. */
  readonly readOnly?: boolean;
  /** Requires a person's approval for each change of a file. `false` by default. */
  readonly requireApproval?: boolean;
}
/**
 * The files of a child: its own, kept with its session (`session`) or removed when its next task begins
 * (`per-invocation`); or its parent's (`inherited`), which its model may only read (`inherited-read`).
 */
type ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read';
/**
 * The relationship of a parent and a child, to which every kind of sub-agent is compiled. Each field is a difference
 * between kinds. `createSubAgentTool` makes children that live for one call; those of `persistentAgents` have names and
 * persist.
 */
interface Relationship {
  /** `call`: it lives for one task. `named`: it has a name among its parent's children, and outlives its tasks. */
  readonly lifetime: 'call' | 'named';
  /** `step`: the call that begins a task waits for its end. `notice`: it returns once the child has its task. */
  readonly await: 'step' | 'notice';
  /**
   * How the result of a task reaches the parent's model: as the result of the call, as a separate message, or as one in
   * the form of Standard Agents.
   */
  readonly deliver: 'result' | 'notice' | 'envelope';
  /** Where it runs: in its parent's object, in a separate one, or remotely, behind the transport of its tool. */
  readonly placement: 'facet' | 'object' | 'remote';
  readonly workspace: ChildWorkspace;
  /** It may return files with the end of a task. */
  readonly returnsFiles?: true;
  /** Its tasks may name other agents that it can read until the task ends. */
  readonly mayRead?: true;
  /** The name of a named child, from the arguments of the call; the agent's name with a number if omitted. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** Effect of a failed child on the call. */
  readonly onFailure: FailureRule;
  /** Effect of the end of a background task while the parent is idle. */
  readonly onIdle: IdleRule;
  /** How long a named child is kept; without effect on a child that lives for one call. */
  readonly retention: RetentionRule;
  /** The budget for the child and its descendants. */
  readonly budget?: Budget;
  /** Time of the child's whole run, in ms; the child's `childTimeoutMs` by default. */
  readonly timeoutMs?: number;
}
/** The context of a `requireApproval` function. */
interface ApprovalContext<State = unknown, Env = unknown> {
  /** The custom state of the agent. */
  readonly state: State;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  readonly agent: ToolContext['agent'];
}
/**
 * Whether a call needs approval: always, never, or as a function of its input decides. A function that throws, or
 * returns anything but `false`, requires the approval. It may be called again for the same call after a crash.
 */
type RequireApproval<Input = unknown, State = unknown, Env = unknown> = boolean | AuthorsFunction<[input: Input, context: ApprovalContext<State, Env>], boolean | PromiseLike<boolean>>;
/** Further fields of a tool that the model sees, in addition to its description and schema. */
type ShownTool = Pick<ToolSpec, 'strict' | 'providerOptions'> & {
  /** Example inputs. */
  readonly inputExamples?: readonly Json[];
};
/** A tool of any types. */
interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z$1.core.$ZodType;
  readonly outputSchema?: z$1.core.$ZodType | undefined;
  /** Further fields that the model sees, in addition to its description and schema. */
  readonly shown?: ShownTool;
  /** The function, if the tool runs on the server. */
  readonly execute?: AuthorsFunction<[input: unknown, context: ToolContext], unknown>;
  /** Whether an execution that a crash cut off may run again (with the same key, at most 3 times in total). */
  readonly replay: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether its result ends the run and is the run's output. */
  readonly finishWith: boolean;
  /** Where the call is executed: by its function on the server, or by the client, whose result is awaited. */
  readonly runsAt: 'server' | 'client';
  /** Whether a person must approve a call before it executes. */
  readonly requireApproval: RequireApproval;
  /** How long a person may take to answer, in ms; no limit if omitted. */
  readonly answerWithinMs?: number;
  /** The variables that `execute` reads. */
  readonly variables?: readonly VariableDefinition[];
  /** The tools that `execute` calls; this tool then needs their variables, too. */
  readonly uses?: readonly AnyTool[];
  /** The relationship that executes the call, if a child does. */
  readonly [RELATIONSHIP]?: Relationship;
}
/**
 * A tool, as `defineTool` returns it. `Types` has its types: `input` and `output` of `execute`; `state` and `env`,
 * which `execute` needs from its agent; `finishes`, whether it ends the run.
 */
interface ToolDefinition<Types extends ToolTypes = ToolTypes> extends AnyTool {
  /** Exists only for the compiler, never at run time. */
  readonly [TYPES]?: Types;
}
/** An effect, as `defineEffect` returns it: code that runs later. */
interface EffectDefinition {
  readonly name: string;
  readonly description: string;
  /** The schema of its arguments; any JSON if omitted. */
  readonly schema?: z$1.core.$ZodType;
  /** Time of one try, in ms; the agent's `toolTimeoutMs` if omitted. */
  readonly timeoutMs?: number;
  readonly execute: AuthorsFunction<[args: unknown, context: EffectContext], unknown>;
}
/** Options of a resumable sub-agent of a prompt. */
interface ResumableOptions {
  /** The side that gets the parent's messages, including the first one. That side acts next. */
  readonly receives_messages: SideName;
  /** Sub-agents of this entry that may exist at once; terminated ones do not count. No limit by default. */
  readonly maxInstances?: number;
}
/** Where a child of this Worker lives: in its parent's object, or in one of its own. */
type ChildPlacement = Exclude<Relationship['placement'], 'remote'>;
/** Options with which a prompt uses an agent with two sides. Property names refer to arguments of the call. */
interface SubagentToolConfig {
  /** The agent's name: one of the prompt's `agents`, with two sides and `exposeAsTool`. */
  readonly name: string;
  /** Whether the call waits for its end; otherwise the result arrives as a message. `true` by default. */
  readonly blocking?: boolean;
  /** The argument that becomes its first message; by default all arguments, as JSON. */
  readonly initUserMessageProperty?: string;
  /** The argument with the paths of files that it gets; none by default. */
  readonly initAttachmentsProperty?: string;
  /** The argument with its display name; none by default. */
  readonly initAgentNameProperty?: string;
  /** Whether it starts when the prompt becomes active, before the first step. `false` by default. */
  readonly immediate?: boolean;
  /** The variable that switches it on (`true`, `1` or `yes`); always on by default. */
  readonly optional?: string;
  /** Whether it persists after its end and takes further messages. `false` by default. */
  readonly resumable?: false | ResumableOptions;
  /** The maximum that one such sub-agent and everything below it may spend in all its sessions; no limit by default. */
  readonly budget?: Budget;
  /** Time of one session, in ms; `childTimeoutMs` of the agent by default. */
  readonly timeoutMs?: number;
  /**
   * Where it runs: in the object of the agent that calls it (`facet`, the default), or in a separate one (`object`).
   */
  readonly placement?: ChildPlacement;
}
/** An agent that a prompt uses as a child, as it is compiled. */
interface SubagentEntry {
  readonly config: SubagentToolConfig & Required<Pick<SubagentToolConfig, 'blocking' | 'immediate' | 'resumable'>>;
  /** The agent's name; also the name of its tool if it does not persist. */
  readonly name: string;
  /** Its description for the model. */
  readonly description: string;
  readonly relationship: Relationship;
}
/** An agent with one side that takes over a session. */
interface Handoff {
  readonly name: string;
  /** Its description for the model. */
  readonly description: string;
  readonly agent: AgentDefinition;
}
/** A prompt, as `definePrompt` returns it: instructions, model and tools. */
interface PromptDefinition {
  readonly name: string;
  readonly toolDescription: string;
  readonly prompt: AgentDefinition['systemPrompt'];
  readonly model: ModelSource;
  /** All its models, if it has several; `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  readonly tools: readonly AnyTool[];
  /** The tools that the provider runs itself; none if omitted. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** The agents that it uses as children, in the order of `tools`. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that may take over its session. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  readonly includeChat: boolean;
  readonly includePastTools: boolean;
  readonly parallelToolCalls: boolean;
  readonly settings: ModelSettings;
  readonly requiredSchema?: z$1.core.$ZodType;
  readonly variables: readonly VariableDefinition[];
  readonly env: Readonly<Record<string, string>>;
  readonly recentImageThreshold: number;
  readonly hooks: readonly AnyHook[];
}
/** A tool whose successful call ends a session or reports its progress. */
interface SessionBinding {
  readonly name: string;
  /** The argument that is the payload; the tool's result by default. */
  readonly messageProperty?: string;
  /** The argument with the paths of files to return with the end; none by default. Not for `sessionStatus`. */
  readonly attachmentsProperty?: string;
}
/** One side of an agent that has two, as it is compiled. */
interface Side {
  /** The name of this side that the other side reads; `Side A` or `Side B` by default. */
  readonly label: string;
  /** The definition for its steps: the agent with the prompt of this side. */
  readonly definition: AgentDefinition;
  /** Whether a reply without calls passes the turn to the other side. */
  readonly stopOnResponse: boolean;
  /** The tool whose successful call passes the turn to the other side. */
  readonly stopTool?: string;
  /** The argument of that call that the other side reads; by default the text of the reply and the result. */
  readonly stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. */
  readonly maxSteps?: number;
  readonly sessionStop?: SessionBinding;
  readonly sessionFail?: SessionBinding;
  readonly sessionStatus?: SessionBinding;
}
/**
 * Prices of a model, in US dollars per million tokens. Cached tokens are part of the input, reasoning tokens of the
 * output.
 */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache; the price of `input` by default. */
  readonly cached?: number;
  /**
   * Input written to the provider's cache. Without it the price of `input` applies, and the call counts in
   * `unpricedCalls`, because writes often cost more.
   */
  readonly cacheWrite?: number;
  /** Reasoning tokens of the output; the price of `output` by default. */
  readonly reasoning?: number;
}
/** Effect of a start during a run: it is refused, it is queued, or it interrupts that run first. */
type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';
/**
 * Effect of a person's message while approvals of the agent are pending: it is queued behind them, or it denies them,
 * with its text as the reason that the model reads.
 */
type PendingMessageRule = 'queue' | 'deny';
/**
 * A limit of requests by key: a rate-limit binding of Cloudflare (`ratelimits` in wrangler.jsonc), or an equivalent.
 * `limit` counts one request and resolves with whether it may be sent. If it throws, the request is sent.
 */
interface RateLimiter {
  limit(request: {
    key: string;
  }): PromiseLike<{
    readonly success: boolean;
  }>;
}
/** An AI SDK model (`LanguageModel`), of any supported version. */
interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: AuthorsFunction<[options: never], PromiseLike<object>>;
}
/** An AI SDK model, or a function that receives the Worker's environment and returns one, or a promise of one. */
type AiModelSource<Env = unknown> = AiModel | AuthorsFunction<[env: Env], AiModel | PromiseLike<AiModel>>;
/** A model of an agent: an AI SDK model, or one that implements Offshoot's own interface. */
type ModelSource<Env = unknown> = (ModelPort & NoFunction) | AiModelSource<Env>;
/** One of several models, with the errors that lead to the next one. */
interface ModelChoice<Env = unknown> {
  readonly model: ModelSource<Env>;
  /**
   * The error codes that lead to the next model. By default `model_rate_limited`, `model_overloaded`,
   * `model_unavailable`, `model_timeout`, `model_bad_reply`, `model_unauthorized` and `model_error`;
   * `context_too_large` and `model_refused` only if they are listed here.
   */
  readonly on?: readonly ErrorCode[];
}
/** The models of an agent, in the order in which they are tried: 1 to 8. */
type GivenModels<Env = unknown> = readonly (ModelSource<Env> | ModelChoice<Env>)[];
/** A model of an agent, with the errors that lead to the next one. */
interface ModelEntry {
  readonly model: ModelSource;
  readonly on: readonly ErrorCode[];
}
/** Excludes functions, which also have a `call`. */
interface NoFunction {
  readonly apply?: never;
}
/**
 * An agent, as `defineAgent` returns it. `Types` has its types: the `input` of a start, the `output` of its runs,
 * `state` and `env`. An agent that uses itself needs this annotation:
 * `const solver: AgentDefinition<{ input: { task: string }; output: string }> = defineAgent({ … })`.
 */
interface AgentDefinition<Types extends AgentTypes = AgentTypes> {
  readonly name: string;
  /** `PascalCase(name)`: the class to export. */
  readonly className: string;
  /** `kebab-case(name)`: the class segment of addresses. */
  readonly addressClass: string;
  readonly description: string;
  readonly systemPrompt: string | AuthorsFunction<[context: {
    readonly state: unknown;
  }], string>;
  readonly model: ModelSource;
  /** All its models, if it has several; `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  /** The settings of its requests. */
  readonly settings: ModelSettings;
  readonly tools: readonly AnyTool[];
  /** The tools among them that the provider runs itself; none if omitted. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Every kind of child that it may have, each once; its tools refer to these. */
  readonly relationships: readonly Relationship[];
  /** Its companions, which its model starts with `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z$1.core.$ZodType;
  readonly outputSchema?: z$1.core.$ZodType;
  /** Asks providers that support it for an output that fits the schema exactly. */
  readonly strictOutput?: boolean;
  readonly stateSchema?: z$1.core.$ZodType;
  readonly limits: Partial<Limits>;
  /** How much of the conversation a request contains; all of it if omitted. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  readonly onMessageWhilePending: PendingMessageRule;
  /** The documents of the root at an address; they are deleted with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: readonly AnyHook[];
  /** The rules of its model's workspace tools. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be a root; otherwise it works only for other agents. */
  readonly root: boolean;
  /** The price of the model, or a function of `provider/model`; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The Worker's limit of requests to a provider, for all roots together. */
  readonly modelRateLimit?: AuthorsFunction<[env: unknown], RateLimiter>;
  /** The run ends after a step if any of these returns true. */
  readonly stopWhen: readonly StopCondition[];
  /** The prompt that provided its system prompt, model and tools, if there was one. */
  readonly prompt?: PromptDefinition;
  /** The agents that its prompts use as children. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that may take over its session. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  /** Its sides, if it has two; its own system prompt, model and tools are then those of the first. */
  readonly sides?: Readonly<Record<SideName, Side>>;
  /** With two sides: the maximum number of turns of a session; no limit if omitted. */
  readonly maxSessionTurns?: number;
  /** Its title for people. */
  readonly title?: string;
  /** Example messages that the console offers. */
  readonly examples: readonly string[];
  /** Whether prompts may name it. */
  readonly exposeAsTool: boolean;
  /** Its description for the model of a prompt that names it; `description` by default. */
  readonly toolDescription?: string;
  readonly variables: readonly VariableDefinition[];
  /** Values of variables, for the agent and its sub-agents. */
  readonly env: Readonly<Record<string, string>>;
  /** The effects that its tools and hooks may schedule. */
  readonly effects: readonly EffectDefinition[];
  /** Exists only for the compiler, never at run time. */
  readonly [TYPES]?: Types;
}
export { ModelRequest as $, MessageQueue as $t, SubagentEntry as A, CompactFunction as At, StepPart as B, OutputOf as Bt, RateLimiter as C, HookContext as Ct, RetentionRule as D, RunEnding as Dt, ResumableOptions as E, HookedTool as Et, Budget as F, EnvOf as Ft, StepUsage as G, EffectContext as Gt, StepToolCall as H, StateOf as Ht, DEFAULT_LIMITS as I, FinishesOf as It, KeptPart as J, ToolFileInfo as Jt, StopCondition as K, ScheduledEffect as Kt, Limits as L, InitialStateOf as Lt, ToolDefinition as M, AgentTypes as Mt, WorkspaceOptions as N, AuthorsFunction as Nt, SessionBinding as O, Compact as Ot, VariableDefinition as P, Bound as Pt, ModelReply as Q, DescendantThread as Qt, ClosedStep as R, InputOf as Rt, PromptDefinition as S, HookBody as St, RequireApproval as T, HookPayloads as Tt, StepToolError as U, ToolTypes as Ut, StepReasoning as V, Result as Vt, StepToolResult as W, CapabilityContext as Wt, ModelDelta as X, ToolFiles as Xt, MadeFile as Y, ToolFileRange as Yt, ModelPort as Z, ChildThread as Zt, ModelEntry as _, ReasoningOptions as _t, ApprovalContext as a, ThreadState as an, AnyHookName as at, PendingMessageRule as b, AgentHooks as bt, Companion as c, HookDefinition as ct, EffectDefinition as d, StandardHookAnswers as dt, ParentThread as en, ProviderToolSpec as et, FailureRule as f, StandardHookName as ft, ModelChoice as g, ProviderOptions as gt, IdleRule as h, ModelSettings as ht, AnyTool as i, ThreadBelow as in, AnyHook as it, SubagentToolConfig as j, ContextOptions as jt, Side as k, CompactContext as kt, CompanionMode as l, HookOptions as lt, Handoff as m, defineHook as mt, AiModel as n, QueueMessageInput as nn, SettingWarning as nt, ChildPlacement as o, HookedMessage as on, HooksOption as ot, GivenModels as p, StandardHookPayloads as pt, StopFacts as q, ToolContext as qt, AiModelSource as r, SubagentRegistryEntry as rn, ToolSpec as rt, ChildWorkspace as s, MessageChanges as sn, AnyHookOptions as st, AgentDefinition as t, QueueFilesInput as tn, ReplyCall as tt, ConcurrentStartRule as u, HookedResult as ut, ModelSource as v, StepSettings as vt, Relationship as w, HookName as wt, Price as x, Hook as xt, ParentSuspendRule as y, ToolChoice as yt, StepFacts as z, JsonOf as zt };