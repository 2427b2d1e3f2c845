import { n as RootDocuments } from "./documents.js";
import { g as JsonObject, m as Json } from "./chunks.js";
import { C as TextPart, M as Failure, S as ReasoningPart, b as Message, d as Usage, h as CallResult, i as SessionStatus, j as ErrorCode, p as SideName, v as FilePart } from "./status.js";
import { r as RemoteAgentTransport } from "./remote-transport.js";
import { n as ModelProvider } from "./provider.js";
import * as z$1 from "zod";
import { LanguageModelV2, LanguageModelV3, LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
/** A message of a session: one that came, or a reply of its model (`assistant`, whose content is its text). */
interface HookedMessage {
  readonly messageId: string;
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly (TextPart | FilePart)[];
  /** Who wrote it: `agent` is the session's own code, or with the role `assistant` its model. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly metadata?: Json;
  /** The side that it is for, where the agent has two. */
  readonly to?: SideName;
  /** It is for the model alone. */
  readonly silent?: true;
  /** The paths of the files that came with it. */
  readonly files?: readonly string[];
  /** What a reply calls. */
  readonly calls?: readonly {
    readonly toolName: string;
    readonly input: Json;
  }[];
}
/** What may be changed of a message. */
interface MessageChanges {
  readonly content?: HookedMessage['content'];
  readonly metadata?: Json;
}
/** A child as Standard Agents have it in a registry. `createdAt` is in microseconds since 1970. */
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
  /** How it stands; what it says of itself is told apart, by the tool `subagents` and in the tree. */
  readonly status: 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';
}
/** A message for a session. */
interface QueueMessageInput {
  /** Whose word it is to a session of two sides: the user's is for the first side, the assistant's for the second. */
  readonly role: 'user' | 'assistant';
  /** At least one character; at most `maxMessageBytes`. */
  readonly content: string;
  /** The side that it is for, where `role` does not say it. */
  readonly side?: 'side_a' | 'side_b';
  /** It is for the model, and not shown to people who read along. `false` by default. */
  readonly silent?: boolean;
  /** Kept with it; at most 16 KB. */
  readonly metadata?: Json;
}
/** A message with files of the session whose code queues it. */
interface QueueFilesInput extends QueueMessageInput {
  /**
   * Paths of files of the session whose code queues it, at most 20, `[]` for none: a child has copies of them as they are
   * now, under paths of its own, with the message.
   */
  readonly attachments?: readonly string[];
}
/** A session that takes messages. */
interface MessageQueue<Input extends QueueMessageInput = QueueMessageInput> {
  /** Its id: the address of its agent without `/agents/`, as the routes of threads take it. */
  readonly threadId: string;
  /**
   * Resolves when the message would survive a crash. A session at work sees it before its next step; one at rest takes a turn
   * (one below another: where its parent gives it work). A body that runs again after a crash queues nothing twice, as long
   * as it queues in the same order.
   * @throws OffshootError `terminated`, `inbox_full`, `invalid_input`, `payload_too_large`, `gone`; once nobody waits for
   *   the body any more `stale_epoch` or how it was stopped
   */
  queueMessage(input: Input): Promise<void>;
}
/** A child of the session, as its parent may treat it. */
interface ChildThread extends MessageQueue<QueueFilesInput> {
  /** As it stands when it is read. */
  readonly entry: SubagentRegistryEntry;
  /** When its parent has ended it for good, or heard that somebody did, in microseconds since 1970; null where it lives. */
  readonly terminated: number | null;
  /** Ends it for good, with all below it. One that has ended stays as it is. */
  terminate(): Promise<void>;
}
/** The parent of the session, as a child may treat it: it can be told something, and nothing else. Files go up with the end of a session. */
interface ParentThread extends MessageQueue {
  /** How it stood when it was asked for. */
  readonly status: SessionStatus;
  /** What its registry told then of the session that asked; null where that is in no registry. */
  readonly entry: SubagentRegistryEntry | null;
}
/**
 * The session that a body works for.
 * @example
 * const tell = (thread: ThreadState, reference: string) =>
 *   thread.getChildThread(reference).then((child) => child?.queueMessage({ role: 'user', content: 'Hurry.' }));
 */
interface ThreadState extends MessageQueue<QueueFilesInput> {
  /** Its registry as it is when it is read, in the order in which they began. */
  readonly children: readonly SubagentRegistryEntry[];
  /** When it was ended for good, in microseconds since 1970; null where that has not happened. */
  readonly terminated: number | null;
  /** The child of that reference; null where none of its own has it. */
  getChildThread(reference: string): Promise<ChildThread | null>;
  /** Null for a root, and where the parent is gone. @throws OffshootError `unavailable` */
  getParentThread(): Promise<ParentThread | null>;
  /**
   * Changes what a message says that came to the session, or its metadata, for all later requests: one of the newest 1,000,
   * whether a step has seen it or not. Resolves when that would survive a crash; a summary that was made of it stays.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`; once nobody waits for the body any more `stale_epoch` or
   *   how it was stopped
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
  /** Ends the session for good, with all below it; its memory stays readable. One that has ended stays as it is. */
  terminate(): Promise<void>;
}
/**
 * What a tool's body may use. `State` is what the body needs of the custom state of its agent, `Env` what it needs of the
 * Worker's environment; a tool that says neither is for every agent.
 *
 * After a stop, or once the body's time is up, `abortSignal` aborts; when its result is not waited for any more,
 * `updateState`, `emit` and `emitCustom` throw an OffshootError (`stale_epoch`, `interrupted`, `aborted` or
 * `terminated`) and change nothing.
 * @example
 * const countOf = (context: ToolContext<{ count: number }>): number => context.getState().count;
 */
interface ToolContext<State = unknown, Env = unknown> {
  /** The agent's custom state, as committed last. */
  getState(): State;
  /**
   * Changes the custom state; committed before it returns, shown as a `state_patch` chunk. Give back all of it: the
   * `stateSchema` of the agent checks it, and what that makes of it is kept.
   * @throws OffshootError `invalid_input` for what is no JSON or does not fit, `payload_too_large`; the state stays as it was
   */
  updateState(change: (state: State) => State): void;
  /** Shows free text about what the agent does now (`statusText`); past 1,000 characters it is cut. */
  emit(statusText: string): void;
  /** Sends a `custom` chunk. @throws OffshootError `invalid_input` for data that are no JSON or a name over 128 characters */
  emitCustom(name: string, data: Json): void;
  /** Aborts when the call is stopped, timed out or superseded. */
  readonly abortSignal: AbortSignal;
  /** The same for every body of this call: give it to whatever you call. */
  readonly idempotencyKey: string;
  /** What a person agreed to, where the call needed it. */
  readonly approval?: {
    readonly at: number;
    readonly actor?: string;
    readonly reason?: string;
  };
  /**
   * Who asked for the run, as the access check named them: of a sub-agent who asked for the run above it, of a resumed
   * run who resumed it. Missing where nobody is known.
   */
  readonly caller?: string;
  /**
   * The trace that the run belongs to (W3C `traceparent`): send it on as that header. Missing where who asked for the run
   * named none.
   */
  readonly traceparent?: string;
  /** The agent whose body it is: the name of its definition, its session, its address and the run. */
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
   * The value of a variable: what the session was given, else what the agent brings along (`env`), else what the agents
   * above were given, else the Worker's own; undefined where there is none. In what the body says and in the files that it
   * writes from then on, the name of a `secret` stands for its value.
   * @throws OffshootError `no_encryption_key` for a value that cannot be opened any more, `unavailable`, `gone`
   */
  variable(name: string): Promise<string | undefined>;
  /** The session that the body works for: its children, its parent and its queue. */
  readonly thread: ThreadState;
  /** Adds what this call spent elsewhere. */
  recordUsage(usage: {
    inputTokens?: number;
    outputTokens?: number;
    costUsd?: number;
  }): void;
  /**
   * Schedules an effect of the agent (`defineEffect`) and gives its id; committed before it resolves. It is done `delayMs`
   * from now (at once by default, at most a year), whatever the agent does then, and no model hears of it. A body that is
   * repeated schedules the same ones under the same ids.
   * @throws OffshootError `unknown_effect`, `invalid_input` for arguments or a delay that do not fit, `payload_too_large`,
   *   `too_many_effects`, `terminated`
   */
  scheduleEffect(name: string, args: unknown, delayMs?: number): Promise<string>;
  /** The effects of the agent that are not done yet, all or those of that name; the earliest first. */
  getScheduledEffects(name?: string): Promise<readonly ScheduledEffect[]>;
  /** Takes an effect back, also while it is being done (its signal aborts); false where there is none of that id. */
  removeScheduledEffect(id: string): Promise<boolean>;
}
/** An effect that is not done yet. Times are in ms since 1970. */
interface ScheduledEffect {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
  readonly scheduledAt: number;
  /** When it is done, or tried again. */
  readonly dueAt: number;
  /** How often it was begun. */
  readonly tries: number;
}
/**
 * What the body of an effect may use. It has no part in a run: there is no stream to write to, and nobody waits for it.
 * @example
 * const isRepeated = ({ attempt }: EffectContext): boolean => attempt > 1;
 */
interface EffectContext<State = unknown, Env = unknown> extends Pick<ToolContext<State, Env>, 'getState' | 'files' | 'env' | 'variable' | 'thread' | 'recordUsage' | 'scheduleEffect' | 'getScheduledEffects' | 'removeScheduledEffect'> {
  /** Aborts when the effect is taken back, takes too long, or its agent is ended for good. */
  readonly abortSignal: AbortSignal;
  /** The same for every try of this effect: give it to whatever you call. */
  readonly idempotencyKey: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
  readonly agent: Pick<ToolContext['agent'], 'type' | 'sessionId' | 'address'>;
}
/** What a file is, without its bytes. `updatedAt` is in ms since 1970, `etag` the SHA-256 of the content in hex. */
interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly etag: string;
  readonly updatedAt: number;
}
/** Bytes of a file, from 0; what is missing means from the beginning, and to the end. */
interface ToolFileRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}
/**
 * The files that an agent works on, as its tools see them: those that its tools and its model wrote, and those that people
 * put there; with `inheritWorkspace` those of its parent. Paths are relative; reading or removing a missing file is an `OffshootError` `not_found`, a range that begins behind the end
 * `invalid_request`.
 */
interface ToolFiles {
  list(prefix?: string): Promise<readonly ToolFileInfo[]>;
  /** What the file is; undefined where there is none. */
  stat(path: string): Promise<ToolFileInfo | undefined>;
  /** The bytes, whole or a part. @throws `payload_too_large` for more than `maxReadBytes` (16 MiB by default) */
  read(path: string, range?: ToolFileRange): Promise<Uint8Array>;
  /** The same as text of UTF-8; what is none, such as a character that the range cuts, becomes U+FFFD. */
  readText(path: string, range?: ToolFileRange): Promise<string>;
  /**
   * The bytes in pieces of at most 1 MiB, each read when it is asked for, of a file of any size. It stays the version
   * that it was opened as. Read it to the end or cancel it.
   */
  stream(path: string, range?: ToolFileRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Writes a file, whole or not at all. A stream may have any number of bytes up to `maxFileBytes`; `size` says how many it
   * must have. `ifMatch` writes only over that version (its `etag`), or with null only where there is no file yet: others
   * may work on the same files.
   * @throws `superseded` when `ifMatch` does not hold, `payload_too_large`, `too_many_files`
   */
  write(path: string, content: string | Uint8Array | ReadableStream<Uint8Array>, options?: {
    mediaType?: string;
    ifMatch?: string | null;
    size?: number;
  }): Promise<ToolFileInfo>;
  /** Removes a file, with `ifMatch` only that version of it. @throws `not_found`, `superseded` */
  remove(path: string, options?: {
    ifMatch?: string;
  }): Promise<void>;
}
declare global {
  namespace Cloudflare {
    /** The bindings and variables of the Worker; `wrangler types` writes what is in it. */
    interface Env {}
  }
}
/** The key under which a definition carries its types. */
declare const TYPES: unique symbol;
/** The types of an agent; one that is left out is not known. */
interface AgentTypes {
  /** What a start takes. */
  readonly input?: unknown;
  /** What a run ends with. */
  readonly output?: unknown;
  /** The custom state. */
  readonly state?: unknown;
  /** What a start may give as the custom state. */
  readonly initialState?: unknown;
  /** The bindings and variables that the agent and its children need. */
  readonly env?: unknown;
}
/** The types of a tool; one that is left out is not known. */
interface ToolTypes {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly state?: unknown;
  readonly env?: unknown;
  readonly finishes?: boolean;
}
/**
 * A function of an author, as it is kept beside others whose types differ: what it takes is what its schemas make, which
 * the compiler cannot see any more where it is called.
 */
type AuthorsFunction<Arguments extends readonly unknown[], Result> = {
  run(...given: Arguments): Result;
}['run'];
/** What becomes of a value that is written as JSON and read again: a Date is a text. */
type JsonOf<T> = unknown extends T ? Json : T extends Json | undefined ? T : T extends {
  toJSON(): infer Written;
} ? JsonOf<Written> : T extends object ? { [Key in keyof T]: JsonOf<T[Key]>; } : never;
declare const RESULT_DOES_NOT_FIT: unique symbol;
/** Nothing is of these: they are there so that the compiler keeps `{ kind: 'a' }` as it is written. */
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
/** What a body gives, at once or later, with its literals as they are written. */
type Result<Output> = Output | PromiseLike<Output> | Literal | LiteralLater;
/** One of the types that a definition carries. */
type Carried<Definition, Key extends keyof AgentTypes | keyof ToolTypes> = Definition extends {
  readonly [TYPES]?: infer Types;
} ? NonNullable<Types> extends { readonly [K in Key]: infer Known; } ? Known : unknown : unknown;
/** What a start of an agent takes as `input`. */
type InputOf<Definition> = Carried<Definition, 'input'>;
/** What a run of an agent ends with. */
type OutputOf<Definition> = Carried<Definition, 'output'>;
/** The custom state of an agent, or what a tool needs of it. */
type StateOf<Definition> = Carried<Definition, 'state'>;
/** What a start of an agent may give as `state`. */
type InitialStateOf<Definition> = Carried<Definition, 'initialState'>;
/** What an agent or a tool needs of the Worker's environment. */
type EnvOf<Definition> = Carried<Definition, 'env'>;
/** Whether a tool ends the run. */
type FinishesOf<Definition> = Carried<Definition, 'finishes'>;
/** What a `compact` function is given beside the messages. */
interface CompactContext<State = unknown, Env = unknown> extends Pick<ToolContext<State, Env>, 'abortSignal' | 'agent' | 'env' | 'getState' | 'recordUsage'> {
  /** The digest of the messages, as it would stand there without the function. */
  readonly digest: string;
  /** What the summary may have, in tokens by the estimate; a longer one is cut. */
  readonly maxTokens: number;
}
/**
 * Gives the summary that takes the place of messages: text. The first of them is the last summary, where there is one.
 * One that throws, gives no text or takes longer than `timeoutMs` is told of, and the digest takes its place. After a
 * crash it may be asked again for the same messages.
 */
type CompactFunction<State = unknown, Env = unknown> = AuthorsFunction<[messages: readonly Message[], context: CompactContext<State, Env>], string | PromiseLike<string>>;
/** Who summarises: rules (`digest`), the agent's own model, or a function of the author. */
type Compact<State = unknown, Env = unknown> = 'digest' | 'model' | CompactFunction<State, Env>;
/** The context of an agent's model. */
interface ContextOptions<State = unknown, Env = unknown> {
  /**
   * What a request may have at most: system prompt, tools and messages, in tokens, by an estimate; at least 1,000. Past
   * it older messages are replaced by a summary. Leave room for the reply below the window of the model.
   */
  readonly maxTokens: number;
  /** What of the newest messages is kept word for word, in tokens; half of `maxTokens` by default, and less than it. */
  readonly keepRecentTokens?: number;
  /** Who summarises; `digest` by default. */
  readonly compact?: Compact<State, Env>;
  /** How long `compact` may take, in ms; 1 minute by default. */
  readonly timeoutMs?: number;
}
/** The tool that a hook speaks of. */
interface HookedTool {
  readonly name: string;
  readonly toolCallId: string;
}
/** How a run ends, as `onRunSettled` is told. */
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
/** What each hook is told. Times in ms. */
interface HookPayloads<Input = Json, Output = Json> {
  /** A run begins; also one that resumes or tries again (`resumedFrom`). `input` is what its start was given, if that. */
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
   * A run is about to end, however: the last that it is told, at least once for each run and status. A stop that comes
   * meanwhile makes another end of it, which is told as well. What throws here cannot fail the run.
   */
  readonly onRunSettled: {
    readonly durationMs: number;
  } & RunEnding<Output>;
  /** Before the model is asked. */
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
  /** Before a tool's body runs, or a client is asked for its result. */
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
/** What a hook may use: what a tool may, and what it needs to say where it stands. */
interface HookContext<State = unknown, Env = unknown> extends ToolContext<State, Env> {
  readonly parentSessionId?: string;
  /** The step that the run is in, from 1; 0 before the first. */
  readonly stepCount: number;
  readonly tags: readonly string[];
  readonly metadata?: Json;
}
/** A hook's body. The run goes on when it has ended. */
type HookBody<Name extends HookName = HookName, State = unknown, Env = unknown, Input = Json, Output = Json> = AuthorsFunction<[payload: HookPayloads<Input, Output>[Name], context: HookContext<State, Env>], unknown>;
/**
 * A hook: its body, or its body with `failRun: true`, which fails the run with `hook_failed` when the body throws or
 * takes too long (`hookTimeoutMs`). Without it such a hook is reported, and the run goes on.
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
/** A tool's call with its result. */
interface HookedResult {
  readonly tool: HookedTool;
  readonly input: Json;
  readonly result: CallResult;
}
/** What each hook of Standard Agents is told. */
interface StandardHookPayloads {
  /** The session begins: before its first run does anything. */
  readonly after_thread_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    readonly parentSessionId?: string;
  };
  /** A sub-agent of the session was made; it may be at work by now. */
  readonly after_subagent_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    /** What it is called, where it stays; its reference, where a prompt names it. */
    readonly name?: string;
    readonly toolCallId: string;
  };
  /** The system prompt of a request; gives the one that is sent. */
  readonly after_system_message: {
    readonly system: string;
  };
  /** The conversation of a request; gives the one that is sent. */
  readonly filter_messages: {
    readonly messages: readonly Message[];
  };
  /** All messages of a request as the model is about to be sent them; gives those that are sent. */
  readonly prefilter_llm_history: {
    readonly messages: readonly Message[];
  };
  /** A message is about to become part of the conversation; gives it with another `content` or other `metadata`. */
  readonly before_create_message: {
    readonly message: HookedMessage;
  };
  readonly after_create_message: {
    readonly message: HookedMessage;
  };
  /** A message of the conversation is about to be changed; gives what is changed instead. */
  readonly before_update_message: {
    readonly message: HookedMessage;
    readonly changes: MessageChanges;
  };
  readonly after_update_message: {
    readonly message: HookedMessage;
  };
  /** A result is about to be kept; gives the one that is kept. */
  readonly before_store_tool_result: HookedResult;
  /** A tool has succeeded; gives the result that it has instead. */
  readonly after_tool_call_success: HookedResult;
  /** A tool has failed; gives the result that it has instead. */
  readonly after_tool_call_failure: HookedResult;
}
/** What a hook may give. With nothing (`undefined` or `null`) all stays as it was. */
interface StandardHookAnswers {
  readonly after_thread_created: unknown;
  readonly after_subagent_created: unknown;
  readonly after_system_message: string;
  readonly filter_messages: readonly Message[];
  readonly prefilter_llm_history: readonly Message[];
  /** What else it holds must be as it was. */
  readonly before_create_message: MessageChanges;
  readonly after_create_message: unknown;
  readonly before_update_message: MessageChanges;
  readonly after_update_message: unknown;
  readonly before_store_tool_result: CallResult;
  readonly after_tool_call_success: CallResult;
  readonly after_tool_call_failure: CallResult;
}
/** The name of one of them. */
type StandardHookName = keyof StandardHookPayloads;
/** A hook of Standard Agents, as `defineHook` returns it. */
interface HookDefinition {
  readonly hook: StandardHookName;
  readonly id: string;
  readonly execute: AuthorsFunction<[payload: StandardHookPayloads[StandardHookName], context: HookContext], unknown>;
}
/** What `defineHook` takes. */
interface HookOptions<Name extends StandardHookName = StandardHookName> {
  /** When it is called. */
  hook: Name;
  /** What it is known by in the log: words in lower case with `_` between them, at most 64 characters; each once for an agent. */
  id: string;
  /**
   * What it does, within `hookTimeoutMs`. One that throws, takes longer or gives what does not fit is shown by `hook_failed`
   * and in the log, and all stays as it was.
   */
  execute: (payload: StandardHookPayloads[Name], context: HookContext) => StandardHookAnswers[Name] | null | undefined | PromiseLike<StandardHookAnswers[Name] | null | undefined>;
}
/** The same for whichever hook: what it is told and may give follows from its name. */
type AnyHookOptions = { readonly [Name in StandardHookName]: HookOptions<Name>; }[StandardHookName];
/**
 * Defines a hook of Standard Agents, for the `hooks` of agents and prompts. Several of one name are called in the order of
 * the list, each with what the one before it gave.
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
/** Hooks as people write them: by name, or a list of such and of what `defineHook` made. */
type HooksOption<Hooks = AgentHooks> = Hooks | readonly (Hooks | HookDefinition)[];
/** The name of a hook of either kind. */
type AnyHookName = HookName | StandardHookName;
/** A hook of either kind, as it is called. */
interface AnyHook {
  readonly hook: AnyHookName;
  /** Of one that `defineHook` made. */
  readonly id?: string;
  readonly run: AuthorsFunction<[payload: HookPayloads[HookName] | StandardHookPayloads[StandardHookName], context: HookContext], unknown>;
  /** Whether its failure is that of the run. */
  readonly failRun: boolean;
}
/**
 * Every limit in one object: name, unit and default. An agent may lower or raise what its definition names;
 * the limits of a whole tree are those of its root.
 */
interface Limits {
  /** Steps (model calls) of one turn. */
  readonly maxSteps: number;
  /** Tool bodies of one step that run at once; the others wait for their turn. */
  readonly maxConcurrentCalls: number;
  /** Sub-agents of a whole tree that work at once; others are queued. */
  readonly maxConcurrentChildren: number;
  /** Sub-agents of one parent that are alive (queued, running or waiting) at once. */
  readonly maxChildren: number;
  /** Companions of one agent, whatever they do. */
  readonly maxCompanions: number;
  /** Sub-agents that one root run may create in all. */
  readonly maxTreeChildren: number;
  /** Levels of a tree, the root included. */
  readonly maxDepth: number;
  /** A tool body, in ms. */
  readonly toolTimeoutMs: number;
  /** A sub-agent's whole run, in ms, without waits for people. */
  readonly childTimeoutMs: number;
  /** How long it is tried to begin a sub-agent that cannot be reached, in ms; then it is lost. */
  readonly childReachMs: number;
  /** How long a stop waits at most for a sub-agent that says it takes longer to end, in ms; then it is lost. */
  readonly childStopMs: number;
  /** Until the model's first chunk, in ms. */
  readonly modelFirstChunkMs: number;
  /** Between two chunks of the model, in ms. */
  readonly modelStallMs: number;
  /** Further attempts after a retryable model error. */
  readonly modelRetries: number;
  /** Steps in a row whose calls all fail in the same way; then the run fails. */
  readonly maxSameFailures: number;
  /** Wait before the first further attempt, in ms; doubled each time. */
  readonly modelRetryBaseMs: number;
  /** The longest wait that a provider may ask for before a further attempt, in ms; one that asks for more is asked after this. */
  readonly modelRetryAfterMs: number;
  /** Recoveries of a run after a crash, without a step committed in between. */
  readonly maxRecoveries: number;
  /** Bodies of a `replay: 'safe'` call, the first included. */
  readonly maxToolReplays: number;
  /** JSON text of a tool's result or arguments, of the custom state, or of a custom chunk's data, in bytes of UTF-8. */
  readonly maxToolResultBytes: number;
  /** A message to a companion, in bytes of UTF-8. */
  readonly maxMessageBytes: number;
  /** Bytes of a file that a tool may read at once; a stream may have any number. */
  readonly maxReadBytes: number;
  /** A file of an agent, in bytes. */
  readonly maxFileBytes: number;
  /** Files that an agent may keep. */
  readonly maxFiles: number;
  /** Bytes of a file that `workspace_read_file` gives at once. */
  readonly maxWorkspaceReadBytes: number;
  /** Bytes of files that one call of `workspace_search_files` looks through; the next call goes on. */
  readonly maxWorkspaceSearchBytes: number;
  /** Tokens (input and output) that one run may use itself, with what it resumes. */
  readonly maxTokens: number;
  /** US dollars that one run may spend itself, where prices are known. */
  readonly maxCostUsd: number;
  /** How long a root's run may work, in ms, without waits for people. */
  readonly maxWallMs: number;
  /** Tokens that a root run may use with all agents below it. */
  readonly maxTreeTokens: number;
  /** US dollars that a root run may spend with all agents below it. */
  readonly maxTreeCostUsd: number;
  /** Model calls of a root run with all agents below it. */
  readonly maxTreeSteps: number;
  /** How long a tool's body has to end by itself after a stop, in ms; then it is cut off. */
  readonly stopGraceMs: number;
  /** A hook, in ms. */
  readonly hookTimeoutMs: number;
  /** Starts that wait for the run before them (`onConcurrentStart`); a further one is refused. */
  readonly maxQueuedStarts: number;
  /** Messages that wait for an agent's next step; a further one is refused. */
  readonly maxInbox: number;
  /** Sub-agents of one agent that wait for variables. */
  readonly maxVariableRequests: number;
  /** How long one waits for variables, in ms. */
  readonly variableRequestMs: number;
  /** Scheduled effects of one agent that are not done; a further one is refused. */
  readonly maxScheduledEffects: number;
  /** JSON text of the arguments of a scheduled effect, in bytes of UTF-8. */
  readonly maxEffectBytes: number;
  /** How often a scheduled effect is tried that fails; then it is given up. */
  readonly maxEffectTries: number;
  /** Root runs whose log stays whole, and whose ended sub-agents stay in the record. */
  readonly keepRuns: number;
  /** Bytes of log that stay whole. */
  readonly keepLogBytes: number;
}
/** What an agent may spend with everything below it; what is missing is not limited by it. */
interface Budget {
  /** Input and output tokens. */
  readonly maxTokens?: number;
  /** US dollars, where prices are known. */
  readonly maxCostUsd?: number;
  /** Model calls. */
  readonly maxSteps?: number;
  /** Working time of the agent, in ms, without waits for people. */
  readonly maxWallMs?: number;
}
/** The defaults, as docs/guarantees.md gives them to users; each has a test at its edge. */
declare const DEFAULT_LIMITS: Limits;
/** A tool as a model sees it. */
interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
}
/** Whether a model has to call tools. */
type ToolChoice = 'auto' | 'none' | 'required';
/** How much a model thinks before it answers, where it can. */
interface ReasoningOptions {
  /** As the provider understands it; its own default where it is missing. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
}
/** One question to a model. Owned by the caller; an adapter must not change it. */
interface ModelRequest {
  /** The definition's name; scripted models route by it. */
  readonly agentType: string;
  /** Whose step it is, where the agent has two sides. */
  readonly side?: SideName;
  readonly sessionId: string;
  readonly runId: string;
  /** From 1, within the run; 0 where it is asked for a summary of older messages (`context.compact`). */
  readonly step: number;
  /** From 1; a repeated question of the same step has the next number. */
  readonly attempt: number;
  /** The trace that the run belongs to (W3C), where there is one. */
  readonly traceparent?: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Whether the model has to call a tool; it chooses by default. */
  readonly toolChoice?: ToolChoice;
  readonly reasoning?: ReasoningOptions;
  /** Until the first chunk, and between two chunks, in ms; past it the call fails with `model_timeout`. */
  readonly firstChunkMs: number;
  readonly stallMs: number;
}
/**
 * A piece of a reply while it streams. `part` is the block that it continues: the blocks of a reply, its calls among
 * them, count from 0 in the order in which they began. `index` numbers its tool calls alone, also from 0.
 */
type ModelDelta = {
  readonly type: 'text' | 'thinking';
  readonly part: number;
  readonly delta: string;
} | {
  readonly type: 'tool_arg_start';
  readonly index: number;
  readonly toolName: string;
} | {
  readonly type: 'tool_arg_delta';
  readonly index: number;
  readonly delta: string;
};
/** A call as the model asked for it. `malformed` holds the text of arguments that are no JSON. */
interface ReplyCall {
  readonly type: 'tool-call';
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly malformed?: string;
  readonly providerMetadata?: JsonObject;
}
/** A whole reply. */
interface ModelReply {
  readonly content: readonly (TextPart | ReasoningPart | ReplyCall)[];
  readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  readonly usage: Usage;
  /** `provider/model`, as the provider names them. */
  readonly model: string;
  /** The provider's id of the reply, where it gave one. */
  readonly responseId?: string;
  /** What people are told of the request: files and tools that it did not have. Each is there once. */
  readonly notes?: readonly string[];
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
  call(request: ModelRequest, options: {
    signal: AbortSignal;
    onDelta: (delta: ModelDelta) => void;
    /** Called at most once, after an abort, where it comes to light what the call spent all the same. */
    onLateUsage?: (usage: Usage) => void;
  }): Promise<ModelReply>;
}
/** What a step that has just been closed is in short. */
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
/** A call of a step, as the AI SDK has it. To the compiler its input is any JSON, as that of a dynamic tool is there. */
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
 * A closed step with the members of the AI SDK's `StepResult` that a session keeps. Reading one of those that it does not
 * keep (of the type `never` here) throws an OffshootError `invalid_definition` that names it.
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
  /** None: all calls are among the dynamic ones. */
  readonly staticToolCalls: never[];
  readonly dynamicToolCalls: StepToolCall[];
  /** Of the calls that succeeded; failures are in `content`. */
  readonly toolResults: StepToolResult[];
  readonly staticToolResults: never[];
  readonly dynamicToolResults: StepToolResult[];
  readonly finishReason: ModelReply['finishReason'];
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
/** What a condition is given: the step that has just been closed, and all steps of the turn up to it. */
interface StopFacts extends StepFacts {
  /** The last one is the step that has just been closed. Each is read when it is looked at. */
  readonly steps: ClosedStep[];
}
/**
 * Whether a run ends with the step that has just been closed, at once or later: `({ text }) => …` as well as
 * `isStepCount(20)` and `hasToolCall('publish')` of the AI SDK. It may be asked again after a crash.
 * @example
 * const enough: StopCondition = ({ text, steps }) => text.includes('DONE') || steps.length >= 10;
 */
type StopCondition = AuthorsFunction<[facts: StopFacts], boolean | PromiseLike<boolean>>;
/** A variable that an agent or a tool asks for. */
interface VariableDefinition {
  /** A letter or `_`, then letters, digits and `_`; at most 128 characters. */
  readonly name: string;
  /** `secret`: what a body has read of it is struck out of all that the body says. */
  readonly type: 'text' | 'secret';
  /** Whether it has to be there. `false` by default. */
  readonly required?: boolean;
  /** Whether each sub-agent that asks for it has a value of its own, in place of its parent's. `false` by default. */
  readonly scoped?: boolean;
  /** What it is for: whoever is asked for its value reads this. */
  readonly description?: string;
}
/** The key under which a tool refers to a relationship of its agent. */
declare const RELATIONSHIP: unique symbol;
/** What becomes of a running child when its parent suspends for a person. */
type ParentSuspendRule = 'continue' | 'pause' | 'respawn';
/** What becomes of a call whose child fails: the failure is its result, or a person decides whether the child tries again. */
type FailureRule = 'result' | 'wait';
/** What the end of a task that no call awaits does where the parent is at rest: its message waits, or begins a turn. */
type IdleRule = 'keep' | 'wake';
/** How long a child with a name is kept: with its tree, or with the run of its parent that began it. */
type RetentionRule = 'tree' | 'run';
/** Whether whoever gives a companion a task waits for the end of it. */
type CompanionMode = 'blocking' | 'non-blocking';
/** A companion as an agent has it. */
interface Companion {
  readonly mode: CompanionMode;
  readonly description: string;
  readonly relationship: Relationship;
}
/** What the model of an agent may do with its files, by the tools of its workspace. */
interface WorkspaceOptions {
  /** Only to look: there is no tool that changes a file. `false` by default. */
  readonly readOnly?: boolean;
  /** A person must agree to each change of a file. `false` by default. */
  readonly requireApproval?: boolean;
}
/**
 * Which files a child works on: its own, which stay with its session (`session`) or are removed when a further task begins
 * (`per-invocation`), or those that its parent works on (`inherited`).
 */
type ChildWorkspace = 'session' | 'per-invocation' | 'inherited';
/**
 * How a parent and a child relate: the one vocabulary that every kind of sub-agent is compiled to.
 * Each field says what may vary between kinds. `createSubAgentTool` makes children that live for one call; those of
 * `persistentAgents` are told apart by names, and stay.
 */
interface Relationship {
  /** `call`: it lives for one task. `named`: it has a name among its parent's children, and outlives its tasks. */
  readonly lifetime: 'call' | 'named';
  /** `step`: the call that begins a task awaits its end. `notice`: it does not; it says that the child has its task. */
  readonly await: 'step' | 'notice';
  /**
   * How the end of a task comes to the parent's model: as the result of the call, as a message of its own, or as one in the
   * words of Standard Agents.
   */
  readonly deliver: 'result' | 'notice' | 'envelope';
  /** Where it lives: in its parent's object, in one of its own, or elsewhere, behind the transport of its tool. */
  readonly placement: 'facet' | 'object' | 'remote';
  readonly workspace: ChildWorkspace;
  /** It may hand files of its own over with the end of a task. */
  readonly returnsFiles?: true;
  /** Its tasks may name other agents that it reads meanwhile. */
  readonly mayRead?: true;
  /** What a named child is called, from the arguments of the call; the agent's name with a number where it is missing. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** What becomes of the call when the child fails. */
  readonly onFailure: FailureRule;
  /** What the end of a task that no call awaits does where the parent is at rest. */
  readonly onIdle: IdleRule;
  /** How long a named child is kept; one that lives for one call goes with its turn whatever this says. */
  readonly retention: RetentionRule;
  /** What the child may spend with everything below it. */
  readonly budget?: Budget;
  /** The child's whole run, in ms; the child's `childTimeoutMs` by default. */
  readonly timeoutMs?: number;
}
/** What a `requireApproval` function is given beside the input. */
interface ApprovalContext<State = unknown, Env = unknown> {
  /** The custom state of the agent. */
  readonly state: State;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  readonly agent: ToolContext['agent'];
}
/**
 * Whether a call needs a person's yes: always, never, or as a function of its input says. A function that throws, or
 * answers anything but `false`, asks for the approval. It may be asked again for the same call after a crash.
 */
type RequireApproval<Input = unknown, State = unknown, Env = unknown> = boolean | AuthorsFunction<[input: Input, context: ApprovalContext<State, Env>], boolean | PromiseLike<boolean>>;
/** A tool, whatever its types. */
interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z$1.ZodType;
  readonly outputSchema?: z$1.ZodType | undefined;
  /** The body, where it runs on the server. */
  readonly execute?: AuthorsFunction<[input: unknown, context: ToolContext], unknown>;
  /** Whether a body that a crash cut off may run again (same key, at most 3 times). */
  readonly replay: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether its result ends the run and is the run's output. */
  readonly finishWith: boolean;
  /** Who works on the call: its body on the server, or the client, whose answer is awaited for as long as it takes. */
  readonly runsAt: 'server' | 'client';
  /** Whether a person must agree before the body runs. */
  readonly requireApproval: RequireApproval;
  /** How long a person may take to answer, in ms; as long as it takes where it is missing. */
  readonly answerWithinMs?: number;
  /** The variables that its body reads. */
  readonly variables?: readonly VariableDefinition[];
  /** The tools that its body calls: what they ask for, it asks for too. */
  readonly uses?: readonly AnyTool[];
  /** Which of its agent's relationships works on the call, where a child does. */
  readonly [RELATIONSHIP]?: Relationship;
}
/**
 * A tool, as `defineTool` returns it. `Types` is what the compiler knows of it: `input`, what its body gets; `output`,
 * what its body gives; `state` and `env`, which its body needs of its agent; `finishes`, whether it ends the run.
 */
interface ToolDefinition<Types extends ToolTypes = ToolTypes> extends AnyTool {
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}
/** Work for later, as `defineEffect` returns it. */
interface EffectDefinition {
  readonly name: string;
  readonly description: string;
  /** What it is scheduled with; any JSON where it is missing. */
  readonly schema?: z$1.ZodType;
  /** One try, in ms; the agent's `toolTimeoutMs` where it is missing. */
  readonly timeoutMs?: number;
  readonly execute: AuthorsFunction<[args: unknown, context: EffectContext], unknown>;
}
/** How a resumable sub-agent of a prompt is treated. */
interface ResumableOptions {
  /** The side of the sub-agent that messages of its parent are for, the first one too: that side acts next. */
  readonly receives_messages: SideName;
  /** How many there may be at once by this entry, those that were terminated aside; any number by default. */
  readonly maxInstances?: number;
}
/** Where a child of this Worker lives: in its parent's object, or in one of its own. */
type ChildPlacement = Exclude<Relationship['placement'], 'remote'>;
/** How a prompt uses an agent of two sides. Names of properties are those of the arguments of the call. */
interface SubagentToolConfig {
  /** The agent: one of the prompt's `agents`, with two sides and `exposeAsTool`. */
  readonly name: string;
  /** Whether the call waits for its end; otherwise the end is a message. `true` by default. */
  readonly blocking?: boolean;
  /** The argument that is its first message; all arguments as JSON by default. */
  readonly initUserMessageProperty?: string;
  /** The argument with the paths of the files that it is given; none by default. */
  readonly initAttachmentsProperty?: string;
  /** The argument with its display name; none by default. */
  readonly initAgentNameProperty?: string;
  /** It is called when the prompt becomes active, before the first step. `false` by default. */
  readonly immediate?: boolean;
  /** The variable that turns it on (`true`, `1` or `yes`); it is always on by default. */
  readonly optional?: string;
  /** Whether it stays after its end and takes further messages. `false` by default. */
  readonly resumable?: false | ResumableOptions;
  /** What one of them may spend in all its sessions, with everything below it; without end by default. */
  readonly budget?: Budget;
  /** Time of one session, in ms; `childTimeoutMs` of the agent by default. */
  readonly timeoutMs?: number;
  /** Where it lives: in the object of the agent that calls it (`facet`, the default), or in one of its own (`object`). */
  readonly placement?: ChildPlacement;
}
/** An agent that a prompt uses as a child, as it is compiled. */
interface SubagentEntry {
  readonly config: SubagentToolConfig & Required<Pick<SubagentToolConfig, 'blocking' | 'immediate' | 'resumable'>>;
  /** The agent's name, and that of its tool where it does not stay. */
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  readonly relationship: Relationship;
}
/** An agent of one side that takes a session over. */
interface Handoff {
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  readonly agent: AgentDefinition;
}
/** A prompt, as `definePrompt` returns it: what a model is told, which model it is, and what it may call. */
interface PromptDefinition {
  readonly name: string;
  readonly toolDescription: string;
  readonly prompt: AgentDefinition['systemPrompt'];
  readonly model: ModelSource;
  readonly tools: readonly AnyTool[];
  /** The agents that it uses as children, in the order of `tools`. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that it may hand its session to. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  readonly includeChat: boolean;
  readonly includePastTools: boolean;
  readonly parallelToolCalls: boolean;
  readonly toolChoice: ToolChoice;
  readonly requiredSchema?: z$1.ZodType;
  readonly variables: readonly VariableDefinition[];
  readonly env: Readonly<Record<string, string>>;
  readonly reasoning?: ReasoningOptions;
  readonly recentImageThreshold: number;
  readonly hooks: readonly AnyHook[];
}
/** A tool whose successful call ends a session, or tells of it. */
interface SessionBinding {
  readonly name: string;
  /** The argument that is the payload; what the tool gives by default. */
  readonly messageProperty?: string;
  /** The argument with the paths of the files that go along with the end; none by default. Refused of `sessionStatus`. */
  readonly attachmentsProperty?: string;
}
/** One side of an agent that has two, as it is compiled. */
interface Side {
  /** What the other side reads of who speaks; `Side A` or `Side B` by default. */
  readonly label: string;
  /** What its steps work by: the agent with the prompt of this side. */
  readonly definition: AgentDefinition;
  /** Whether a reply without calls gives the turn to the other side. */
  readonly stopOnResponse: boolean;
  /** The tool whose successful call gives the turn to the other side. */
  readonly stopTool?: string;
  /** The argument of that call which the other side reads; the text of the reply and the result by default. */
  readonly stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. */
  readonly maxSteps?: number;
  readonly sessionStop?: SessionBinding;
  readonly sessionFail?: SessionBinding;
  readonly sessionStatus?: SessionBinding;
}
/** What a model costs, in US dollars for a million tokens. Cached tokens are part of the input. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of `input` by default. */
  readonly cached?: number;
}
/** What a start does while a run goes on: it is refused, it waits, or it waits while that run is interrupted. */
type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';
/** A model of the AI SDK (`LanguageModel`), of any version that it takes. */
interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: AuthorsFunction<[options: never], PromiseLike<object>>;
}
/** A model of the AI SDK, or a function of the Worker's environment that gives one, also later. */
type AiModelSource<Env = unknown> = AiModel | AuthorsFunction<[env: Env], AiModel | PromiseLike<AiModel>>;
/** What an agent's model may be: one of the AI SDK, or one that speaks Offshoot's own port. */
type ModelSource<Env = unknown> = (ModelPort & NoFunction) | AiModelSource<Env>;
/** Functions have a `call` too, and are no port for that. */
interface NoFunction {
  readonly apply?: never;
}
/**
 * An agent, as `defineAgent` returns it. `Types` is what the compiler knows of it: `input`, what a start takes; `output`,
 * what its runs end with; `state` and `env`. An agent that names itself is annotated with it:
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
  readonly tools: readonly AnyTool[];
  /** Every kind of child that it may have, each once; its tools refer to them. */
  readonly relationships: readonly Relationship[];
  /** Those that stay, which its model begins by `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z$1.ZodType;
  readonly outputSchema?: z$1.ZodType;
  readonly stateSchema?: z$1.ZodType;
  readonly limits: Partial<Limits>;
  /** How much of a conversation its model is sent; all of it where it is missing. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: readonly AnyHook[];
  /** Its model has the tools of a workspace, under these rules. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The run ends after a step when any of these says so. */
  readonly stopWhen: readonly StopCondition[];
  /** The prompt that its system prompt, model and tools are from, where it was defined by one. */
  readonly prompt?: PromptDefinition;
  /** The agents that its prompts use as children. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that it may hand its session to. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  /** Its sides, where it has two; its own system prompt, model and tools are those of the first then. */
  readonly sides?: Readonly<Record<SideName, Side>>;
  /** With two sides: turns of a session, after which it has ended; any number where it is missing. */
  readonly maxSessionTurns?: number;
  /** What people read of it. */
  readonly title?: string;
  /** Messages that it may be started with, for people who begin. */
  readonly examples: readonly string[];
  /** Whether prompts may name it. */
  readonly exposeAsTool: boolean;
  /** What the model of a prompt that names it reads; the description by default. */
  readonly toolDescription?: string;
  readonly variables: readonly VariableDefinition[];
  /** Values of variables, for itself and what it uses. */
  readonly env: Readonly<Record<string, string>>;
  /** What its tools and hooks may schedule. */
  readonly effects: readonly EffectDefinition[];
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}
/**
 * A tool of the AI SDK, as its `tool()` and `dynamicTool()` make it; its name is the key that it has in `tools`. One
 * without `execute` is worked on by the client. Those that a provider defines (`provider`) are refused.
 */
interface AiTool {
  readonly type?: 'function' | 'dynamic' | 'provider' | undefined;
  readonly description?: string | AuthorsFunction<[options: object], string> | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly execute?: AuthorsFunction<[input: unknown, options: object], unknown> | undefined;
  /** What the model reads of a result. */
  readonly toModelOutput?: AuthorsFunction<[result: {
    readonly toolCallId: string;
    readonly input: unknown;
    readonly output: unknown;
  }], unknown> | undefined;
  readonly needsApproval?: boolean | AuthorsFunction<[input: unknown, options: object], boolean | PromiseLike<boolean>> | undefined;
}
/** An agent, or a function that gives it: one that is still being defined. */
type AgentSource<Types extends AgentTypes = AgentTypes> = AgentDefinition<Types> | (() => AgentDefinition<Types>);
/** How a child is treated. */
interface ChildOptions {
  /** The child's whole task, in ms, without waits for people; 10 minutes by default. */
  timeoutMs?: number;
  /**
   * What becomes of the child when this agent suspends for a person while it runs: `continue` (default) lets it go on
   * and keeps its result, `pause` interrupts it and resumes it with the parent, `respawn` fails it and starts it anew.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * What becomes of its task when the child fails: with `result` (default) its failure is the end, which this agent's
   * model reads; with `wait` the task stays open until a person lets the child try again, by `retry` at the child's
   * address, or gives it up by `abort`. A child that was stopped, whose time was up, or that is lost is never waited for.
   */
  onFailure?: FailureRule;
  /**
   * What the end of a task that no call waits for does where this agent is at rest: `keep` (default) lets the message wait
   * for the next turn, `wake` begins one, unless the last run was broken off (stopped, past a limit of time, failed by a hook or by
   * crashes). A sub-agent at rest is never woken: its work comes from its parent alone.
   */
  onIdle?: IdleRule;
  /** What the child may spend with everything below it. */
  budget?: Budget;
  /**
   * The child works on the files that this agent works on, in place of its own: its model has the tools of a workspace
   * over them, under the rules of this agent's `workspace`, and so have its tools and hooks in `context.files`. It may not
   * have a `workspace` itself. `false` by default.
   */
  inheritWorkspace?: boolean;
  /**
   * The child has a tool, `__attach__`, by which its model names files of its own that go with its answer: this agent gets
   * copies of them when the task ends. It cannot go with `inheritWorkspace`. `false` by default.
   */
  returnsFiles?: boolean;
  /**
   * Where the child lives: with `facet` (default) in this agent's object, which begins it fast; with `object` in an object of
   * its own, which may work on another core or machine, and goes on while this agent's is lost from memory. Below the fourth
   * level of one object every child gets an object of its own.
   */
  placement?: ChildPlacement;
}
/** How long the files of a child that stays are kept: with its session, or for one task. */
type WorkspaceLifetime = Exclude<ChildWorkspace, 'inherited'>;
/**
 * Whether a tool name belongs to the companions of an agent.
 * @example
 * const calls = ['companion__spawnAgent', 'clock'].filter(isCompanionTool);
 */
declare function isCompanionTool(name: string): boolean;
/** How an agent is kept as a companion of another. */
interface PersistentAgent<Types extends AgentTypes = AgentTypes> extends ChildOptions {
  /** The agent, or a function that gives it: one that is still being defined. Each agent once. */
  agent: AgentSource<Types>;
  /**
   * `blocking` (default): the call that gives it a task has its end as its result, and the agent waits
   * (`suspended_awaiting_children`). `non-blocking`: the call says that it works, and its end is a message. A call may choose.
   */
  mode?: CompanionMode;
  /** What the model reads of it; the agent's own description by default. */
  description?: string;
  /**
   * How long its own files are kept: `session` (default), as long as it is there, or `per-invocation`, until its next task
   * begins. It is of no consequence with `inheritWorkspace`.
   */
  workspaceLifetime?: WorkspaceLifetime;
  /**
   * How long it is kept: `tree` (default), as long as its root is there, or `run`: it goes with all that it remembers when
   * the run of this agent ends that began it. An interrupted run has not ended, because it is resumed. A call may choose.
   */
  retention?: RetentionRule;
  /**
   * A task that it is given may name this agent, and companions of it, for it to read: their messages, custom state and
   * files, by the tool `__read__`, until that task ends. `false` by default.
   */
  mayRead?: boolean;
}
/** What a prompt gives. */
declare const OF_PROMPT: readonly ['systemPrompt', 'model', 'tools'];
/** Stands for a schema that is not there: any JSON. */
interface AnyJson extends z$1.ZodType<Json, Json> {}
/** Stands for an `outputSchema` that is not there. */
interface NoOutputSchema extends z$1.ZodType<unknown, unknown> {
  readonly none: true;
}
/** What is not known of a value is checked when it is there. */
type Fits<Value, Wanted> = unknown extends Value ? true : [Value] extends [Wanted] ? true : false;
/** A state is kept as JSON and checked again when it changes: a schema that turns a text into a number does not take that. */
type TakenAgain<Schema extends z$1.ZodType> = Fits<JsonOf<z$1.output<Schema>>, z$1.input<Schema>> extends true ? unknown : 'What this `stateSchema` makes of a state, it must take again: leave out the transformation.';
/** The tools of an agent: a list of ours, or by name, also those of the AI SDK. */
type AnyTools = readonly AnyTool[] | Readonly<Record<string, AnyTool | AiTool>>;
/** Any one of them. */
type ToolOf<Tools extends AnyTools> = Tools extends readonly (infer Tool)[] ? Tool : Tools[keyof Tools];
/** A tool of an agent, or why the compiler refuses it. */
type Checked<Tool, State, Wanted> = [Tool] extends [{
  readonly type: 'provider';
}] ? 'A model provider defines this tool, and not every model knows it: make one with `tool()` that does the same.' : [State] extends [StateOf<Tool>] ? FinishesOf<Tool> extends true ? Fits<OutputOf<Tool>, Wanted> extends true ? Tool : 'The result of this `finishWith` tool does not fit the `outputSchema` of the agent.' : Tool : 'This tool needs a custom state that the `stateSchema` of the agent does not give.';
/** What an agent's bodies get as `env`: all of the Worker's, of which its tools and sub-agents may name what they need. */
type EnvOfAll<Tool> = [Tool] extends [never] ? Cloudflare.Env : Cloudflare.Env & ((Tool extends unknown ? (env: EnvOf<Tool>) => void : never) extends ((env: infer Env) => void) ? Env : unknown);
/** What a run ends with: by the schema, else with text, or with the result of a tool that ends the run. */
type Ending<OutputSchema extends z$1.ZodType, Tool> = OutputSchema extends NoOutputSchema ? string | (Tool extends unknown ? (FinishesOf<Tool> extends true ? JsonOf<OutputOf<Tool>> : never) : never) : JsonOf<z$1.output<OutputSchema>>;
/** What `defineAgent` takes. The schemas say what its hooks, its tools and whoever runs it may rely on. */
interface AgentOptions<InputSchema extends z$1.ZodType = z$1.ZodType, OutputSchema extends z$1.ZodType = z$1.ZodType, StateSchema extends z$1.ZodType = z$1.ZodType, Tools extends AnyTools = readonly AnyTool[]> {
  /** Also names the class (`fact-checker` is exported as `FactChecker`) and the address. */
  name: string;
  /** What it can do: the model of an agent that has it as a tool reads it. Empty by default. */
  description?: string;
  /** What its model is told first; as a function, with the custom state of each step. */
  systemPrompt: string | ((context: {
    readonly state: JsonOf<z$1.output<StateSchema>>;
  }) => string);
  /**
   * A `LanguageModel` of the AI SDK (of version 5, 6 or 7), or a function of the Worker's environment that gives one,
   * also later; it is asked once for each environment. No text: which packages a name would need, a bundle cannot tell.
   */
  model: ModelSource<EnvOfAll<ToolOf<Tools>>>;
  /**
   * What its model may call: a list of what `defineTool` and `createSubAgentTool` make, each name once; or an object with
   * the tools by name, where those of the AI SDK may stand, too (`{ search: tool({ … }), [clock.name]: clock }`). None by
   * default.
   */
  tools?: Tools & { readonly [Key in keyof Tools]: Checked<Tools[Key], JsonOf<z$1.output<StateSchema>>, z$1.input<OutputSchema>>; };
  /** Checks `input` of a start, and the task of a parent; the input's JSON is the first user message. */
  inputSchema?: InputSchema;
  /** The typed output; adds the tool `__finish__` that the model ends with. Without it, text ends the run. */
  outputSchema?: OutputSchema;
  /**
   * The custom state; its defaults are the first state, and each change is checked by it (`updateState`). What it makes
   * of a state it must take again, and at once: it may not be asynchronous.
   */
  stateSchema?: StateSchema & TakenAgain<StateSchema>;
  /**
   * Agents that it keeps: its model begins them by name, gives them one task after the other, awaits and ends them, with
   * the tools `companion__…`. They remember, and stay until their root is removed or they are ended. None by default.
   */
  persistentAgents?: readonly PersistentAgent[];
  /** Steps of one turn; 50 by default. */
  maxSteps?: number;
  /** What it may use; `DEFAULT_LIMITS` has the defaults and their units. */
  limits?: Partial<Limits>;
  /** How much of the conversation its model is sent; all of it by default. What is older is summarised. */
  context?: ContextOptions<JsonOf<z$1.output<StateSchema>>, EnvOfAll<ToolOf<Tools>>>;
  /** What a start does while a run goes on; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /**
   * Called at points of the agent's life, in order, each once for each run and event; in a list, also with what `defineHook`
   * makes.
   */
  hooks?: HooksOption<AgentHooks<JsonOf<z$1.output<StateSchema>>, EnvOfAll<ToolOf<Tools>>, JsonOf<z$1.output<InputSchema>>, Ending<OutputSchema, ToolOf<Tools>>>>;
  /**
   * Gives its model tools over its files (`workspace_read_file` and others): all of them with `true`, or as these rules
   * say. None by default.
   */
  workspace?: boolean | WorkspaceOptions;
  /** What the model costs, so that usage and budgets know it. */
  price?: Price | ((model: string) => Price | undefined);
  /** `false`: it only ever works for other agents, and a start of it as a root is refused (`not_a_root`). `true` by default. */
  root?: boolean;
  /** The documents of a root of this agent, listed, removed and shared by the API, and forgotten when the root is deleted. */
  documents?: (env: EnvOfAll<ToolOf<Tools>>, address: string) => RootDocuments;
  /**
   * Ends the run after a step, with the text of that step, when any of these answers true, at once or later. Asked after
   * each step, perhaps again after a crash; one that throws or takes longer than `hookTimeoutMs` fails the run. Conditions
   * of the AI SDK are taken as they are: `stopWhen: [isStepCount(20), hasToolCall('publish')]`.
   */
  stopWhen?: StopCondition | readonly StopCondition[];
  /** What people read of it; its name by default. */
  title?: string;
  /** Messages that it may be started with, for people who begin: at most 10 of 500 characters. None by default. */
  examples?: readonly string[];
  /** Whether prompts may name it (`definePrompt`). `false` by default. */
  exposeAsTool?: boolean;
  /** What the model of a prompt that names it reads; the description by default. */
  toolDescription?: string;
  /** The variables that it needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables that it brings along; what its session is given comes before them. None by default. */
  env?: Readonly<Record<string, string>>;
  /** What its tools and hooks may schedule for later (`defineEffect`). None by default. */
  effects?: readonly EffectDefinition[];
}
/** What `defineAgent` takes for an agent that works by a prompt: its system prompt, model and tools are those of the prompt. */
interface PromptAgentOptions<InputSchema extends z$1.ZodType = z$1.ZodType, OutputSchema extends z$1.ZodType = z$1.ZodType, StateSchema extends z$1.ZodType = z$1.ZodType> extends Omit<AgentOptions<InputSchema, OutputSchema, StateSchema>, (typeof OF_PROMPT)[number]> {
  /** What `definePrompt` returned. */
  prompt: PromptDefinition;
}
/**
 * Defines an agent.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const timekeeper = defineAgent({
 *   name: 'timekeeper',
 *   systemPrompt: 'Tell the time in the zone that you are asked for.',
 *   model: defaultModel,
 *   tools: [clock],
 *   inputSchema: z.object({ zone: z.string() }),
 *   outputSchema: z.object({ time: z.string() }),
 * });
 */
declare function defineAgent<InputSchema extends z$1.ZodType = AnyJson, OutputSchema extends z$1.ZodType = NoOutputSchema, StateSchema extends z$1.ZodType = AnyJson>(agent: PromptAgentOptions<InputSchema, OutputSchema, StateSchema>): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: Ending<OutputSchema, never>;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: Cloudflare.Env;
}>;
declare function defineAgent<InputSchema extends z$1.ZodType = AnyJson, OutputSchema extends z$1.ZodType = NoOutputSchema, StateSchema extends z$1.ZodType = AnyJson, const Tools extends AnyTools = readonly []>(agent: AgentOptions<InputSchema, OutputSchema, StateSchema, Tools>): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: Ending<OutputSchema, ToolOf<Tools>>;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: EnvOfAll<ToolOf<Tools>>;
}>;
/** What `defineEffect` takes. */
interface EffectOptions<Schema extends z$1.ZodType = z$1.ZodType> {
  /** As a tool's; a package may put its own name and `/` before it. */
  name: string;
  /** What it does, for people. */
  description: string;
  /** What it is scheduled with; any JSON by default. */
  schema?: Schema;
  /** One try, in ms; the agent's `toolTimeoutMs` by default. */
  timeoutMs?: number;
  /**
   * What it does when its time has come: at least once, so give `context.idempotencyKey` to whatever it calls. What it
   * gives back is dropped; where it throws or takes too long it is tried again, `maxEffectTries` times in all.
   */
  execute: (args: z$1.output<Schema>, context: EffectContext) => unknown;
}
/**
 * Defines an effect: work for later, which tools and hooks of an agent that lists it (`effects`) schedule by its name.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const remind = defineEffect({
 *   name: 'remind',
 *   description: 'Reminds whoever asked.',
 *   schema: z.object({ text: z.string() }),
 *   execute: ({ text }, { idempotencyKey }) =>
 *     fetch('https://mail.example/send', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: text }),
 * });
 */
declare function defineEffect<Schema extends z$1.ZodType = z$1.ZodType<unknown>>(options: EffectOptions<Schema>): EffectDefinition;
/** Prefix of the tools that delegate to a sub-agent. */
declare const SUBAGENT_TOOL_PREFIX = "subagent__";
/** Prefix of the tools for companions. */
declare const COMPANION_TOOL_PREFIX = "companion__";
/** The body of a tool. */
type ToolBody<Input, Output, State, Env> = (input: Input, context: ToolContext<State, Env>) => Result<Output>;
/** What `defineTool` takes. */
interface ToolOptions<InputSchema extends z$1.ZodType, OutputSchema extends z$1.ZodType, Output, State, Env, Finishes extends boolean> {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  /** The model reads it. */
  description: string;
  /** What the model gives, checked before the body runs; the body gets what it makes of it. */
  inputSchema: InputSchema;
  /** Checks the result, also one that a client gives; the body is held to it by the compiler, too. */
  outputSchema?: OutputSchema;
  /** The body; or `client`: the call waits, for as long as it takes, until a client gives its result. */
  execute: ToolBody<z$1.output<InputSchema>, Output, State, Env> | 'client';
  /** Whether a person must agree before the body runs; not together with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z$1.output<InputSchema>, State, Env>;
  /**
   * How long a person may take to answer, in ms. Then an approval counts as denied (`approval_expired`), and a client's
   * tool as failed (`client_tool_timeout`). As long as it takes by default.
   */
  answerWithinMs?: number;
  /** `never` by default: a body that a crash cut off is not run again, its call gets `outcome_unknown`. */
  replay?: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  timeoutMs?: number;
  /**
   * Whether its result ends the run and is the run's output; a failure does not end it. The result must fit the
   * `outputSchema` of the agent. `false` by default.
   */
  finishWith?: Finishes;
  /** The variables that its body reads (`context.variable`). None by default. */
  variables?: readonly VariableDefinition[];
  /** The tools that its body calls itself: what they ask for, it asks for too. None by default. */
  uses?: readonly AnyTool[];
}
/**
 * Defines a tool.
 * @throws OffshootError `invalid_definition` for a name that is reserved or that models do not take, or without a body.
 * @example
 * const clock = defineTool({
 *   name: 'time_in',
 *   description: 'The time of day in a time zone.',
 *   inputSchema: z.object({ zone: z.string() }),
 *   execute: ({ zone }) => new Date().toLocaleTimeString('en-GB', { timeZone: zone }),
 * });
 */
declare function defineTool<InputSchema extends z$1.ZodType, OutputSchema extends z$1.ZodType = z$1.ZodUnknown, Output extends z$1.input<OutputSchema> = z$1.input<OutputSchema>, State = unknown, Env = Cloudflare.Env, Finishes extends boolean = false>(tool: ToolOptions<InputSchema, OutputSchema, Output, State, Env, Finishes>): ToolDefinition<{
  input: z$1.output<InputSchema>;
  output: Output;
  state: State;
  env: Env;
  finishes: Finishes;
}>;
/** One side of an agent that has two. Tools are named by their names, and are those of its prompt. */
interface SideConfig {
  /** What the other side reads of who speaks, at most 64 characters; `Side A` and `Side B` by default. */
  label?: string;
  /** What `definePrompt` returned. */
  prompt: PromptDefinition;
  /** Whether a reply without calls gives the turn to the other side. `true` by default. */
  stopOnResponse?: boolean;
  /** A tool whose successful call gives the turn to the other side. */
  stopTool?: string;
  /** The argument of that call which the other side reads; what the tool gives by default. */
  stopToolResponseProperty?: string;
  /** Steps of one turn; after the last one the other side is next. Any number by default. */
  maxSteps?: number;
  /** A tool whose successful call completes the session. */
  sessionStop?: string | SessionBinding;
  /** A tool whose successful call fails the session. */
  sessionFail?: string | SessionBinding;
  /** A tool whose call tells how far the session has come. */
  sessionStatus?: string | SessionBinding;
}
/** What `defineDualAgent` takes. */
interface DualAgentOptions<InputSchema extends z$1.ZodType = z$1.ZodType, StateSchema extends z$1.ZodType = z$1.ZodType> {
  /** Also names the class and the address, as that of any agent. */
  name: string;
  /** What people read of it; its name by default. */
  title?: string;
  /** Messages that it may be started with, as for `defineAgent`. */
  examples?: readonly string[];
  /** What it can do: the model of an agent that has it as a tool reads it. Empty by default. */
  description?: string;
  /** Whether prompts may name it. `false` by default. */
  exposeAsTool?: boolean;
  /** What the model of a prompt that names it reads; the description by default. */
  toolDescription?: string;
  /** Turns of one session, of both sides together; the last one completes it. Any number by default. */
  maxSessionTurns?: number;
  /** The side that acts first, where nobody says otherwise. */
  sideA: SideConfig;
  sideB: SideConfig;
  /** Checks `input` of a start, and the task of a parent; `requiredSchema` of the first side's prompt by default. */
  inputSchema?: InputSchema;
  /** The custom state, as that of any agent. */
  stateSchema?: StateSchema;
  /** Steps of one session, of both sides together; 50 by default. */
  maxSteps?: number;
  /** What it may use; `DEFAULT_LIMITS` has the defaults and their units. */
  limits?: Partial<Limits>;
  /** What a start does while a session goes on; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Those of both sides; a prompt's own replace them, each by its name. */
  hooks?: HooksOption;
  /** Gives the models of both sides tools over its files, as that of any agent. None by default. */
  workspace?: boolean | WorkspaceOptions;
  /** What its models cost, as that of any agent. */
  price?: Price | ((model: string) => Price | undefined);
  /** `false`: it only ever works for other agents. `true` by default. */
  root?: boolean;
  /** The documents of a root of this agent, as those of any. */
  documents?: (env: Cloudflare.Env, address: string) => RootDocuments;
  /** The variables that it needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables, for both sides and what they use. None by default. */
  env?: Readonly<Record<string, string>>;
  /** What the tools and hooks of both sides may schedule for later (`defineEffect`). None by default. */
  effects?: readonly EffectDefinition[];
}
/**
 * Defines an agent of two sides, each with a prompt of its own: one works, and the other answers it, until one of them ends
 * the session. It is run, called and stopped like any agent; its output is a text.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const approve = defineTool({
 *   name: 'approve',
 *   description: 'Ends the work: the text is good as it is.',
 *   inputSchema: z.object({ text: z.string() }),
 *   execute: () => 'Approved.',
 * });
 * const writer = defineDualAgent({
 *   name: 'writer',
 *   maxSessionTurns: 8,
 *   sideA: { label: 'Author', prompt: definePrompt({ name: 'drafting', prompt: 'Write the text.', model: defaultModel }) },
 *   sideB: {
 *     label: 'Editor',
 *     prompt: definePrompt({ name: 'reviewing', prompt: 'Approve it, or say what to mend.', model: defaultModel, tools: [approve] }),
 *     sessionStop: { name: 'approve', messageProperty: 'text' },
 *   },
 * });
 */
declare function defineDualAgent<InputSchema extends z$1.ZodType = AnyJson, StateSchema extends z$1.ZodType = AnyJson>(options: DualAgentOptions<InputSchema, StateSchema>): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: string;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: Cloudflare.Env;
}>;
/** The transport of a remote agent, or a function of the Worker's bindings and variables that gives it. */
type RemoteTransportSource<Env = unknown> = RemoteAgentTransport | AuthorsFunction<[env: Env], RemoteAgentTransport>;
/** The agents that names of a prompt refer to; a function, where some are still being defined. */
type NamedAgents = readonly AgentSource[] | (() => readonly AgentSource[]);
/** What `definePrompt` takes. */
interface PromptOptions {
  /** Letters, digits, `_` and `-`, a letter or `_` first; at most 64 characters. */
  name: string;
  /** What it does. Empty by default. */
  toolDescription?: string;
  /** What the model is told first; as a function, with the custom state of each step. */
  prompt: PromptDefinition['prompt'];
  /** As that of an agent: a `LanguageModel` of the AI SDK, or a function of the Worker's environment that gives one. */
  model: PromptDefinition['model'];
  /**
   * What the model may call: tools, and the names of `agents`. An agent of one side takes the session over; one of two
   * sides is a child that the call waits for, or what the object beside its name says. None by default.
   */
  tools?: readonly (AnyTool | string | SubagentToolConfig)[];
  /** The agents that `tools` name; a function, where some of them are still being defined. None by default. */
  agents?: NamedAgents;
  /** Whether the model sees what was before the run that goes on. `false` by default. */
  includeChat?: boolean;
  /** With `includeChat`: whether it sees the calls of that with their results. `false` by default. */
  includePastTools?: boolean;
  /** Whether the tools of one reply run at once; otherwise one after the other. Children do in any case. `false` by default. */
  parallelToolCalls?: boolean;
  /** Whether the model has to call a tool; `auto` by default. */
  toolChoice?: ToolChoice;
  /** What it takes, where an agent with it is called. */
  requiredSchema?: z$1.ZodType;
  /** The variables that it needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables. None by default. */
  env?: Readonly<Record<string, string>>;
  /** How much the model thinks. */
  reasoning?: ReasoningOptions;
  /** In how many of the newest messages the model sees pictures; 10 by default. */
  recentImageThreshold?: number;
  /** They replace those of the agent, each by its name. */
  hooks?: HooksOption;
}
/**
 * Defines a prompt.
 * @throws OffshootError `invalid_definition` that says what to change; for what `agents` as a function leaves open, when
 *   the Worker begins
 * @example
 * const drafting = definePrompt({
 *   name: 'drafting',
 *   prompt: 'Write the text that you are asked for, and better it as you are told.',
 *   model: defaultModel,
 *   includeChat: true,
 * });
 */
declare function definePrompt(options: PromptOptions): PromptDefinition;
/**
 * Whether a tool name belongs to an ephemeral sub-agent.
 * @example
 * const delegates = planner.tools.filter(({ name }) => isSubAgentTool(name));
 */
declare function isSubAgentTool(name: string): boolean;
/** How an agent is used as a tool. */
interface SubAgentOptions extends ChildOptions {
  /** The tool is `subagent__<name>`; the agent's own name by default. So one agent may be several tools of another. */
  name?: string;
  /** What the parent's model reads; the agent's own description by default. */
  description?: string;
  /** Refuses an agent without an `outputSchema`; otherwise its text is its output. */
  requireOutputSchema?: boolean;
  /** The call says at once that the child works; its end is a message, which the next step sees. `false` by default. */
  background?: boolean;
}
/** The tool of a sub-agent: what it takes, and what comes back. */
type SubAgentTool<Types extends AgentTypes, Input> = ToolDefinition<{
  input: Input;
  output: Types['output'];
  state: unknown;
  env: Types['env'];
  finishes: false;
}>;
/** What a parent's schema makes of the arguments must be what the child takes; else the compiler says why not. */
type Taken<Schema extends z$1.ZodType, Types extends AgentTypes> = unknown extends Types['input'] ? unknown : [JsonOf<z$1.output<Schema>>] extends [Types['input']] ? unknown : 'What this schema makes of the arguments does not fit the `inputSchema` of the sub-agent.';
/** An agent without an `inputSchema` takes anything: its parent has to say what it is asked. */
type WithInput<Types extends AgentTypes> = unknown extends Types['input'] ? unknown : Json extends Types['input'] ? 'This agent has no `inputSchema`: give it one, or give createSubAgentTool a schema of its own.' : unknown;
/** Options as they are given, a misspelt one refused. */
type Known<Options> = { [Key in keyof Options]: Key extends keyof SubAgentOptions ? SubAgentOptions[Key] : 'A sub-agent has no such option.'; };
/**
 * Makes an agent usable as the tool `subagent__<name>`: each call creates a child, runs it once and returns its output.
 * The arguments become the child's first user message (as JSON) and its initial state. They are checked by the child's
 * `inputSchema`; a schema of the tool's own is what the model is shown instead, and what it makes of the arguments is
 * then checked by the child's. What does not fit is told to the parent's model, and no child begins.
 * A failed child is a value for the parent's model: `{ success: false, error, code }`.
 * An agent that uses itself, or two that use each other, come as a function, with a `name`; `maxDepth` ends such a tree.
 * @throws OffshootError `invalid_definition` for a name, a time or a rule that is none, when there is no schema, and when
 *   `requireOutputSchema` is set and the agent has no such schema (of a function: when the Worker begins)
 * @param schemaOrOptions the tool's own schema, or the options where it has none
 * @example
 * const planner = defineAgent({
 *   name: 'planner',
 *   systemPrompt: 'Plan a call. Ask the timekeeper for the time at both ends.',
 *   model: defaultModel,
 *   tools: [createSubAgentTool(timekeeper, { timeoutMs: 60_000 })],
 * });
 */
declare function createSubAgentTool<Types extends AgentTypes, Given extends z$1.ZodType | SubAgentOptions = Record<never, never>>(definition: AgentSource<Types> & (Given extends z$1.ZodType ? unknown : WithInput<Types>), schemaOrOptions?: Given & (Given extends z$1.ZodType ? Taken<Given, Types> : Known<Given>), options?: Given extends z$1.ZodType ? SubAgentOptions : never): SubAgentTool<Types, Given extends z$1.ZodType ? z$1.output<Given> : Types['input']>;
/** A model object of the AI SDK, of version 5 (`v2`), 6 (`v3`) or 7 (`v4`). */
type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;
/** A model that the environment chooses: use it as the `model` of an agent. */
interface ModelFromEnv {
  /** @throws OffshootError `invalid_definition` for a wrong setting, or where none is set, saying what to set */
  (env: object): Promise<LanguageModel>;
  /** In one line, which model is chosen and why; for a wrong setting, what is wrong. Never throws. */
  describe(env: object): string;
}
/** What `modelFromEnv` does beside choosing among providers. */
interface ModelFromEnvOptions {
  /** The model for an environment that chooses none. Without it, such an environment is an error. */
  readonly otherwise?: Exclude<LanguageModel, string>;
}
/**
 * A model that the environment chooses, in this order: what `OFFSHOOT_MODEL` names (`provider/model`); what a provider
 * offers by itself, as the binding `AI` does; `otherwise`. The package of a provider is loaded when it is chosen.
 * @example
 * const model = modelFromEnv([anthropic], { otherwise: scriptedModel([{ text: 'No key is set.' }]) });
 */
declare function modelFromEnv(providers: readonly ModelProvider[], { otherwise }?: ModelFromEnvOptions): ModelFromEnv;
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
  readonly step: number;
  readonly attempt: number;
  /** From 1: the how manieth call of this script. */
  readonly call: number;
  readonly prompt: LanguageModelV4Prompt;
  readonly tools: readonly LanguageModelV4FunctionTool[];
}
/** What a script gets beside the request. */
interface ScriptContext {
  /** Aborts when the answer is no longer wanted. Outside Offshoot's own loop it may never abort. */
  readonly abortSignal: AbortSignal;
}
/** Answers in order, or a function that gives one for each request. */
type Script = readonly ScriptStep[] | ((request: ScriptRequest, context: ScriptContext) => ScriptStep | PromiseLike<ScriptStep>);
/** How a script is read. */
interface ScriptOptions {
  /**
   * What picks an answer from a list: the step of the run (default), so that a repeated attempt gets the same answer
   * and runs beside each other do not race; or the number of the call.
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
 * A model that answers by one script, whoever asks.
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
/** An agent that lives elsewhere. */
interface RemoteAgentOptions<Output extends z$1.ZodType, Env> {
  /** What the model reads of it. */
  description: string;
  /** What it gives; any JSON where this is missing. An output that does not fit fails the task with `output_invalid`. */
  outputSchema?: Output;
  /** How it is reached. */
  transport: RemoteTransportSource<Env>;
  /** What its class is called there: `researcher` or `Researcher`. */
  remoteAgentType: string;
}
/** How an agent that lives elsewhere is used as a tool. Options that need the child's own store are refused. */
interface RemoteSubAgentOptions<Input extends z$1.ZodType, Output extends z$1.ZodType, Env> extends RemoteAgentOptions<Output, Env>, Pick<ChildOptions, 'timeoutMs' | 'onParentSuspend' | 'onFailure' | 'onIdle' | 'budget'> {
  /** What the agent there takes. */
  inputSchema: Input;
  /** The call says at once that the agent works; its end is a message, which the next step sees. `false` by default. */
  background?: boolean;
}
/**
 * Makes an agent that lives elsewhere usable as the tool `subagent__<name>`: each call begins a root of its own there, whose
 * name is minted here, and runs it once. Its chunks are part of this tree's log, its questions to people are answered here,
 * and stops reach it. What it sends is checked and bounded by the transport.
 * A remote that is lost, refuses or answers what is not lawful fails the call: `subagent_lost`, `subagent_failed`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const researcher = createRemoteSubAgentTool('researcher', {
 *   description: 'Researches a question in the other team’s Worker.',
 *   inputSchema: z.object({ question: z.string() }),
 *   transport: new HttpRemoteAgentTransport({ url: 'https://research.example' }),
 *   remoteAgentType: 'researcher',
 * });
 */
declare function createRemoteSubAgentTool<Input extends z$1.ZodType, Output extends z$1.ZodType = z$1.ZodType, Env = unknown>(name: string, options: RemoteSubAgentOptions<Input, Output, Env>): ToolDefinition<{
  input: z$1.output<Input>;
  output: z$1.output<Output>;
  state: unknown;
  env: Env;
  finishes: false;
}>;
/**
 * Stands for an agent that lives elsewhere among the `persistentAgents` of another: a companion whose session is a root of its own
 * there. It is told and asked in messages, keeps its memory there, and is used by the same tools as any companion. Files
 * do not go there, and its memory is not copied: such calls are refused. The name of its kind here is `remoteAgentType`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const critic = defineRemoteAgent({
 *   description: 'Judges a draft, in the Worker of another team.',
 *   transport: new HttpRemoteAgentTransport({ url: 'https://critics.example' }),
 *   remoteAgentType: 'critic',
 * });
 * const writer = defineAgent({
 *   name: 'writer',
 *   systemPrompt: 'Write, and send each draft to your critic.',
 *   model: defaultModel,
 *   persistentAgents: [{ agent: critic }],
 * });
 */
declare function defineRemoteAgent<Output extends z$1.ZodType = z$1.ZodType, Env = unknown>(options: RemoteAgentOptions<Output, Env>): AgentDefinition<{
  input: unknown;
  output: z$1.output<Output>;
  state: unknown;
  env: Env;
}>;
export { ConcurrentStartRule as $, HookContext as $t, COMPANION_TOOL_PREFIX as A, ThreadState as An, ModelReply as At, PersistentAgent as B, AnyHookName as Bt, PromptOptions as C, ToolFiles as Cn, StepToolError as Ct, DualAgentOptions as D, QueueFilesInput as Dn, StopFacts as Dt, RemoteTransportSource as E, ParentThread as En, StopCondition as Et, EffectOptions as F, ToolSpec as Ft, AgentDefinition as G, HookedResult as Gt, AgentSource as H, AnyHookOptions as Ht, defineEffect as I, Budget as It, AnyTool as J, StandardHookPayloads as Jt, AiModel as K, StandardHookAnswers as Kt, AgentOptions as L, DEFAULT_LIMITS as Lt, ToolBody as M, MessageChanges as Mn, ReasoningOptions as Mt, ToolOptions as N, ReplyCall as Nt, SideConfig as O, QueueMessageInput as On, ModelDelta as Ot, defineTool as P, ToolChoice as Pt, CompanionMode as Q, HookBody as Qt, PromptAgentOptions as R, Limits as Rt, isSubAgentTool as S, ToolFileRange as Sn, StepToolCall as St, NamedAgents as T, MessageQueue as Tn, StepUsage as Tt, ChildOptions as U, HookDefinition as Ut, isCompanionTool as V, HooksOption as Vt, AiTool as W, HookOptions as Wt, ChildWorkspace as X, AgentHooks as Xt, ApprovalContext as Y, defineHook as Yt, Companion as Z, Hook as Zt, ModelFromEnvOptions as _, ToolTypes as _n, VariableDefinition as _t, ScriptedModel as a, CompactContext as an, ParentSuspendRule as at, SubAgentOptions as b, ToolContext as bn, StepPart as bt, Script as c, AgentTypes as cn, Relationship as ct, ScriptFailure as d, FinishesOf as dn, SessionBinding as dt, HookName as en, EffectDefinition as et, ScriptOptions as f, InitialStateOf as fn, Side as ft, ModelFromEnv as g, StateOf as gn, WorkspaceOptions as gt, ScriptUsage as h, OutputOf as hn, ToolDefinition as ht, defineRemoteAgent as i, Compact as in, ModelSource as it, SUBAGENT_TOOL_PREFIX as j, HookedMessage as jn, ModelRequest as jt, defineDualAgent as k, SubagentRegistryEntry as kn, ModelPort as kt, ScriptCall as l, AuthorsFunction as ln, RequireApproval as lt, ScriptStep as m, JsonOf as mn, SubagentToolConfig as mt, RemoteSubAgentOptions as n, HookedTool as nn, Handoff as nt, routingScriptedModel as o, CompactFunction as on, Price as ot, ScriptRequest as p, InputOf as pn, SubagentEntry as pt, AiModelSource as q, StandardHookName as qt, createRemoteSubAgentTool as r, RunEnding as rn, IdleRule as rt, scriptedModel as s, ContextOptions as sn, PromptDefinition as st, RemoteAgentOptions as t, HookPayloads as tn, FailureRule as tt, ScriptContext as u, EnvOf as un, ResumableOptions as ut, modelFromEnv as v, EffectContext as vn, ClosedStep as vt, definePrompt as w, ChildThread as wn, StepToolResult as wt, createSubAgentTool as x, ToolFileInfo as xn, StepReasoning as xt, LanguageModel as y, ScheduledEffect as yn, StepFacts as yt, defineAgent as z, AnyHook as zt };