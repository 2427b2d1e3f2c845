import { n as RootDocuments } from "./documents.js";
import { E as Json, O as JsonObject, b as ErrorCode, g as Usage, x as Failure } from "./chunks.js";
import { E as SessionStatus, g as TextPart, h as SourcePart, l as Message, p as ReasoningPart, r as CallResult, s as FurtherPart, t as SideName, v as UserPart } from "./sides.js";
import "./readings.js";
import * as z$1 from "zod";
/** A message of a session: one that came, or a reply of its model (`assistant`, whose content is its text). */
interface HookedMessage {
  readonly messageId: string;
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly UserPart[];
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
  /** Its last word on how far it is (`sessionStatus`) while it works; else its lifecycle. */
  readonly status: string;
  /** Its state, whatever it says of itself. */
  readonly lifecycle: 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';
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
/** What the code of an agent does in a session below it, as the code of that session would. */
interface ThreadBelow {
  /** Ends it for good, with all below it. One that has ended stays as it is. */
  terminate(): Promise<void>;
  /** A child of it, by the reference in its own registry; null where none of its own has that. @throws OffshootError `gone`, `unavailable` */
  getChildThread(reference: string): Promise<DescendantThread | null>;
  /**
   * Changes a message of it, as `updateMessage` of its own code does, also while it is at rest. Its own hooks of a change
   * are asked.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`, `gone`, `unavailable`
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
}
/** A child of a child, or of one further down. */
interface DescendantThread extends MessageQueue, ThreadBelow {
  /** As it stood when it was asked for. */
  readonly entry: SubagentRegistryEntry;
  /** When it was ended for good, in microseconds since 1970, as far as was known when it was asked for; else null. */
  readonly terminated: number | null;
}
/** A child of the session, as its parent may treat it. */
interface ChildThread extends MessageQueue<QueueFilesInput>, ThreadBelow {
  /** As it stands when it is read. */
  readonly entry: SubagentRegistryEntry;
  /** When its parent has ended it for good, or heard that somebody did, in microseconds since 1970; null where it lives. */
  readonly terminated: number | null;
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
interface ToolContext<State = unknown, Env = unknown> extends CapabilityContext {
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
}
/** The methods that capabilities add to the context of bodies: one table for authors, whoever implements them. */
interface CapabilityContext {
  /**
   * Schedules an effect of the agent (`defineEffect`) and returns its id; committed before it resolves. It runs `delayMs`
   * from now (at once by default, at most a year), whatever the agent does then, and no model hears of it. A body that is
   * repeated schedules the same ones under the same ids.
   * @throws OffshootError `unknown_effect`, `invalid_input` for arguments or a delay that do not fit, `payload_too_large`,
   *   `too_many_effects`, `terminated`
   */
  scheduleEffect(name: string, args: unknown, delayMs?: number): Promise<string>;
  /** The effects of the agent that are not done yet, all or those of that name; the earliest first. */
  getScheduledEffects(name?: string): Promise<readonly ScheduledEffect[]>;
  /** Removes an effect, also while it runs (its signal aborts); false where there is none of that id. */
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
/**
 * A file without its bytes. `updatedAt` is in ms since 1970. `version` is that which the model reads: the first 16 digits of
 * the `etag` over HTTP, which is the SHA-256 of the content in hex.
 */
interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly version: string;
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
   * must have. `ifVersion` writes only over that version, or with null only where there is no file yet: others may work on
   * the same files.
   * @throws `file_changed` for another version than `ifVersion`, `payload_too_large`, `too_many_files`
   */
  write(path: string, content: string | Uint8Array | ReadableStream<Uint8Array>, options?: {
    mediaType?: string;
    ifVersion?: string | null;
    size?: number;
  }): Promise<ToolFileInfo>;
  /** Removes a file, with `ifVersion` only that version of it. @throws `not_found`, `file_changed` */
  remove(path: string, options?: {
    ifVersion?: string;
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
/** Whether this Worker has what an agent needs of it; unknown before `wrangler types` has written what there is. */
type Bound<Needed> = [keyof Cloudflare.Env] extends [never] ? unknown : [Cloudflare.Env] extends [Needed] ? unknown : 'A tool of this agent, or of one below it, needs a binding or a variable that this Worker does not have.';
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
/** The tool that a model has to call: `required` for any, `{ tool }` for that one of the agent's `tools`. */
type ToolChoice = 'auto' | 'none' | 'required' | {
  readonly tool: string;
};
/** The amount that a model thinks before it answers, where it can. */
interface ReasoningOptions {
  /** As the provider understands it; its own default where it is missing. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
}
/** Options that one provider alone understands, by its name. */
interface ProviderOptions {
  readonly [provider: string]: JsonObject;
}
/**
 * Settings of a model. One that is missing has the default of the provider. A setting that a provider does not take is
 * left out of its requests, and a warning says so once.
 */
interface ModelSettings {
  /** The randomness of the words, from 0 to 2; Anthropic takes at most 1. Set this or `topP`, not both. */
  readonly temperature?: number;
  /** The share of the most probable words that are drawn from: above 0, at most 1. */
  readonly topP?: number;
  /** The number of the most probable words that are drawn from, from 1 to 1,000. */
  readonly topK?: number;
  /** The most tokens of one reply, from 1 to 1,000,000; thoughts count where the provider counts them. */
  readonly maxOutputTokens?: number;
  /** Texts before which a reply ends: at most 16 of 1 to 256 characters. */
  readonly stopSequences?: readonly string[];
  /** A whole number: the same one asks for the same reply again, as far as the provider can. */
  readonly seed?: number;
  /** From -2 to 2: above 0, words that were said are less probable. */
  readonly presencePenalty?: number;
  /** From -2 to 2: above 0, words are less probable the more often they were said. */
  readonly frequencyPenalty?: number;
  /** The amount that the model thinks. */
  readonly reasoning?: ReasoningOptions;
  /**
   * The tool that the model has to call; `auto` by default, where it chooses. `required` and `{ tool }` hold until a step of the turn has
   * called one, or that one. `required` holds longer where only a call can end the run.
   */
  readonly toolChoice?: ToolChoice;
  /**
   * `false` asks the provider for one call a reply at most. It says nothing of how several calls run: `maxConcurrentCalls`
   * does, and `parallelToolCalls` of a prompt.
   */
  readonly parallelToolCalls?: boolean;
  /**
   * Headers of each request: at most 20, values of at most 2,048 characters. Those that hold a key or carry the request are
   * refused: a key belongs to the model.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Options for one provider alone, by its name: at most 65,536 bytes as JSON. They come before those of the framework. */
  readonly providerOptions?: ProviderOptions;
  /**
   * `true` (the default) asks the provider to keep the beginning of requests: marks for Anthropic, a key of the session for
   * OpenAI.
   */
  readonly promptCache?: boolean;
  /**
   * `true` names agent, root, run and step in the metadata of AI Gateway (`cf-aig-metadata`). By default where the model's
   * address shows that it is one.
   */
  readonly gatewayMetadata?: boolean;
}
/** A hook's answer: settings of one step, each in place of the definition's. */
interface StepSettings {
  readonly settings: ModelSettings;
}
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
  /** A request is about to be made; returns settings for it, each in place of the definition's. */
  readonly prepare_step: {
    /** From 1, within the turn. */
    readonly step: number;
    /** From 1; a request that is repeated is a new attempt. */
    readonly attempt: number;
    readonly settings: ModelSettings;
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
  readonly prepare_step: StepSettings;
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
  /** Sub-agents that one root run may create in total. */
  readonly maxTreeChildren: number;
  /** Levels of a tree, the root included. */
  readonly maxDepth: number;
  /** Time of one execution of a tool, in ms. */
  readonly toolTimeoutMs: number;
  /** Time of a sub-agent's whole run, in ms, without waits for people. */
  readonly childTimeoutMs: number;
  /** How long a parent tries to start a sub-agent that it cannot reach, in ms; then the sub-agent is lost. */
  readonly childReachMs: number;
  /** How long a stop waits for a sub-agent that needs longer to end, in ms; then the sub-agent is lost. */
  readonly childStopMs: number;
  /** Time until the model's first chunk, in ms. */
  readonly modelFirstChunkMs: number;
  /** Time between two chunks of the model, in ms. */
  readonly modelStallMs: number;
  /** Further attempts of a model call that failed with a retryable error; rate limits and overload have `modelPatienceMs` instead. */
  readonly modelRetries: number;
  /** How long a step waits out a provider's rate limit or overload, in ms, from the first refusal. */
  readonly modelPatienceMs: number;
  /** Model requests of a whole tree at once; the others are queued. */
  readonly maxConcurrentModelCalls: number;
  /** Steps in a row that fail in the same way, or that reply with text although the agent has an `outputSchema`; then the run fails. */
  readonly maxSameFailures: number;
  /** Wait before the first retry, in ms; doubled each time, except for rate limits and overload. */
  readonly modelRetryBaseMs: number;
  /** Longest wait before a retry that a provider may ask for, in ms; longer ones are cut to this. */
  readonly modelRetryAfterMs: number;
  /** Recoveries of a run after crashes without a committed step in between. */
  readonly maxRecoveries: number;
  /** Executions of a `replay: 'safe'` call, the first included. */
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
  /** Tokens (input and output) that one run and its resumes may use, without sub-agents. */
  readonly maxTokens: number;
  /** US dollars that one run and its resumes may spend, without sub-agents; needs known prices. */
  readonly maxCostUsd: number;
  /** Time for which a root's run may work, in ms, without waits for people. */
  readonly maxWallMs: number;
  /** Tokens that a root run and all agents below it may use. */
  readonly maxTreeTokens: number;
  /** US dollars that a root run and all agents below it may spend. */
  readonly maxTreeCostUsd: number;
  /** Model calls of a root run and all agents below it. */
  readonly maxTreeSteps: number;
  /** Time that a tool has to end by itself after a stop, in ms; then it is cut off. */
  readonly stopGraceMs: number;
  /** Time of a hook, in ms. */
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
  /** JSON Schema of the arguments: that of an object. */
  readonly inputSchema: JsonObject;
  /** Asks for arguments that fit it exactly, of a provider that can decode so. */
  readonly strict?: boolean;
  /** Arguments that show how it is called. */
  readonly inputExamples?: readonly {
    readonly input: JsonObject;
  }[];
  /** Options for one provider alone, by its name. */
  readonly providerOptions?: ProviderOptions;
}
/** A tool that a provider runs itself: another provider does not know it. */
interface ProviderToolSpec {
  /** Its name in calls. */
  readonly name: string;
  /** The provider's id of it: `anthropic.web_search_20250305`. */
  readonly id: string;
  /** Its settings. */
  readonly args: JsonObject;
}
/** One question to a model. Owned by the caller; an adapter must not change it. */
interface ModelRequest {
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
  /** The trace that the run belongs to (W3C), where there is one. */
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
/** A call as the model asked for it. `malformed` holds the text of arguments that are no JSON, or not read as what they say. */
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
   * The provider that it asks, as the AI SDK names it: what follows its first dot is left out, and all agents of a tree that
   * ask one provider share what it allows. Undefined where it cannot be said. It may be called at any time, and does not ask.
   */
  provider?(): PromiseLike<string | undefined> | string | undefined;
  call(request: ModelRequest, options: {
    signal: AbortSignal;
    onDelta: (delta: ModelDelta) => void;
    /** Reads a file of the agent for a model that is shown its own; undefined where it is not what it was. */
    readFile?: (path: string, etag: string) => Promise<Uint8Array | undefined>;
    /** Called at most once, after an abort or a failure, where it comes to light what the call of that model spent all the same. */
    onLateUsage?: (usage: Usage, model: string) => void;
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
 * (`per-invocation`), or those that its parent works on (`inherited`), which its model may only read (`inherited-read`).
 */
type ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read';
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
/** A tool as a model is shown it, beside its description and schema. */
type ShownTool = Pick<ToolSpec, 'strict' | 'providerOptions'> & {
  /** Inputs that its schema takes. */
  readonly inputExamples?: readonly Json[];
};
/** A tool, whatever its types. */
interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z$1.core.$ZodType;
  readonly outputSchema?: z$1.core.$ZodType | undefined;
  /** Further options of how a model is shown it, beside its description and schema. */
  readonly shown?: ShownTool;
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
  readonly schema?: z$1.core.$ZodType;
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
  /** All its models, where it has several: `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  readonly tools: readonly AnyTool[];
  /** The tools that a provider runs itself; none where it is missing. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** The agents that it uses as children, in the order of `tools`. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that it may hand its session to. Read only when all of them are defined. */
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
/** Prices of a model, in US dollars for a million tokens. Tokens of a cache are part of the input, thoughts of the output. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that came from the provider's cache; the price of `input` by default. */
  readonly cached?: number;
  /**
   * Input that was written to the provider's cache. Without it such input costs what `input` costs, and the call counts
   * in `unpricedCalls`, because writes often cost more.
   */
  readonly cacheWrite?: number;
  /** Output that the model thought; the price of `output` by default. */
  readonly reasoning?: number;
}
/** What a start does while a run goes on: it is refused, it waits, or it waits while that run is interrupted. */
type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';
/**
 * What a person's message does to approvals of the agent that wait: it waits behind them, or it denies them, with its text
 * as the reason that the model reads.
 */
type PendingMessageRule = 'queue' | 'deny';
/**
 * A limit of requests by key: a rate-limit binding of Cloudflare (`ratelimits` in wrangler.jsonc), or what does the same.
 * `limit` counts one request and resolves with whether it may be sent; where it throws, the request is sent.
 */
interface RateLimiter {
  limit(request: {
    key: string;
  }): PromiseLike<{
    readonly success: boolean;
  }>;
}
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
/** A model of several, and the failures after which the next one is asked. */
interface ModelChoice<Env = unknown> {
  readonly model: ModelSource<Env>;
  /**
   * The codes after which the next model is asked. By default `model_rate_limited`, `model_overloaded`,
   * `model_unavailable`, `model_timeout`, `model_bad_reply`, `model_unauthorized` and `model_error`; `context_too_large` and `model_refused` only where they are
   * named here.
   */
  readonly on?: readonly ErrorCode[];
}
/** The models of an agent, in the order in which they are asked: 1 to 8. */
type GivenModels<Env = unknown> = readonly (ModelSource<Env> | ModelChoice<Env>)[];
/** A model of an agent, with the failures after which the next one is asked. */
interface ModelEntry {
  readonly model: ModelSource;
  readonly on: readonly ErrorCode[];
}
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
  /** All its models, where it has several: `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  /** The settings of its requests. */
  readonly settings: ModelSettings;
  readonly tools: readonly AnyTool[];
  /** The tools among them that a provider runs itself; none where it is missing. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Every kind of child that it may have, each once; its tools refer to them. */
  readonly relationships: readonly Relationship[];
  /** Those that stay, which its model begins by `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z$1.core.$ZodType;
  readonly outputSchema?: z$1.core.$ZodType;
  /** Asks for the output exactly as its schema says, of a provider that can decode so. */
  readonly strictOutput?: boolean;
  readonly stateSchema?: z$1.core.$ZodType;
  readonly limits: Partial<Limits>;
  /** How much of a conversation its model is sent; all of it where it is missing. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  readonly onMessageWhilePending: PendingMessageRule;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: readonly AnyHook[];
  /** Its model has the tools of a workspace, under these rules. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The Worker's own limit of requests to a provider, over all roots. */
  readonly modelRateLimit?: AuthorsFunction<[env: unknown], RateLimiter>;
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
export { SettingWarning as $, MessageQueue as $t, SubagentEntry as A, CompactFunction as At, StepToolError as B, OutputOf as Bt, RateLimiter as C, HookContext as Ct, RetentionRule as D, RunEnding as Dt, ResumableOptions as E, HookedTool as Et, ClosedStep as F, EnvOf as Ft, KeptPart as G, EffectContext as Gt, StepUsage as H, StateOf as Ht, StepFacts as I, FinishesOf as It, ModelPort as J, ToolFileInfo as Jt, MadeFile as K, ScheduledEffect as Kt, StepPart as L, InitialStateOf as Lt, ToolDefinition as M, AgentTypes as Mt, WorkspaceOptions as N, AuthorsFunction as Nt, SessionBinding as O, Compact as Ot, VariableDefinition as P, Bound as Pt, ReplyCall as Q, DescendantThread as Qt, StepReasoning as R, InputOf as Rt, PromptDefinition as S, HookBody as St, RequireApproval as T, HookPayloads as Tt, StopCondition as U, ToolTypes as Ut, StepToolResult as V, Result as Vt, StopFacts as W, CapabilityContext as Wt, ModelRequest as X, ToolFiles as Xt, ModelReply as Y, ToolFileRange as Yt, ProviderToolSpec as Z, ChildThread as Zt, ModelEntry as _, ReasoningOptions as _t, ApprovalContext as a, ThreadState as an, AnyHookName as at, PendingMessageRule as b, AgentHooks as bt, Companion as c, HookDefinition as ct, EffectDefinition as d, StandardHookAnswers as dt, ParentThread as en, ToolSpec as et, FailureRule as f, StandardHookName as ft, ModelChoice as g, ProviderOptions as gt, IdleRule as h, ModelSettings as ht, AnyTool as i, ThreadBelow as in, AnyHook as it, SubagentToolConfig as j, ContextOptions as jt, Side as k, CompactContext as kt, CompanionMode as l, HookOptions as lt, Handoff as m, defineHook as mt, AiModel as n, QueueMessageInput as nn, DEFAULT_LIMITS as nt, ChildPlacement as o, HookedMessage as on, HooksOption as ot, GivenModels as p, StandardHookPayloads as pt, ModelDelta as q, ToolContext as qt, AiModelSource as r, SubagentRegistryEntry as rn, Limits as rt, ChildWorkspace as s, MessageChanges as sn, AnyHookOptions as st, AgentDefinition as t, QueueFilesInput as tn, Budget as tt, ConcurrentStartRule as u, HookedResult as ut, ModelSource as v, StepSettings as vt, Relationship as w, HookName as wt, Price as x, Hook as xt, ParentSuspendRule as y, ToolChoice as yt, StepToolCall as z, JsonOf as zt };