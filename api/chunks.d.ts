import { z } from "zod";
import { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
/** The documents that go with a root: whatever store an author keeps them in. */
/** A document, as it is listed. */
interface DocumentFacts {
  readonly name: string;
  readonly title: string;
  /** `own`: of this root alone. `shared`: for every root, put there on purpose. `shipped`: there from the start. */
  readonly origin: 'own' | 'shared' | 'shipped';
  /** Of its text, in bytes of UTF-8. */
  readonly bytes: number;
}
/**
 * The documents of one root. Each method may be repeated; what is refused is an `OffshootError`: `not_found` for a name
 * that is not there, `payload_too_large` where there is no room.
 */
interface RootDocuments {
  /** Those that the root's agents search: its own and the shared ones. */
  list(): Promise<readonly DocumentFacts[]>;
  /** Removes one of its own. */
  remove(name: string): Promise<void>;
  /** Puts a copy of one of its own where every root finds it; gives the name there. */
  share(name: string): Promise<DocumentFacts>;
  /** Takes a shared one away from every root. */
  unshare(name: string): Promise<void>;
  /** Removes all of its own, because the root is being removed. */
  forget(): Promise<void>;
}
/** A value that JSON can hold. Everything that crosses an object, a store or the wire is one. */
type Json = null | boolean | number | string | readonly Json[] | {
  readonly [key: string]: Json;
};
/** A JSON object. */
type JsonObject = {
  readonly [key: string]: Json;
};
/** What was spent. Unknown prices stay unknown. */
declare const usageSchema: z.ZodReadonly<z.ZodObject<{
  inputTokens: z.ZodNumber;
  outputTokens: z.ZodNumber;
  cachedTokens: z.ZodNumber;
  reasoningTokens: z.ZodNumber;
  modelCalls: z.ZodNumber;
  toolCalls: z.ZodNumber;
  costUsd: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strip>>;
/** A failure as data. Codes and categories are texts: a reader may be older than who writes. */
declare const failureSchema: z.ZodObject<{
  code: z.ZodString;
  category: z.ZodString;
  message: z.ZodString;
  title: z.ZodExactOptional<z.ZodString>;
  retryable: z.ZodBoolean;
  retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
  details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
}, z.core.$strip>;
/** What kind of thing went wrong, and so who can mend it. */
type ErrorCategory = 'input' | 'conflict' | 'not_found' | 'access' | 'limit' | 'model' | 'tool' | 'child' | 'stopped' | 'framework';
interface CodeFacts {
  readonly category: ErrorCategory;
  /** The HTTP status of this code when it answers a request. */
  readonly status: number;
  /** A sentence that is safe to show to anyone. */
  readonly title: string;
  readonly retryable?: true;
}
/** Every code, with its category, HTTP status and safe title. The one table that all boundaries read. */
declare const ERROR_CODES: {
  readonly invalid_request: CodeFacts;
  readonly invalid_json: CodeFacts;
  readonly invalid_address: CodeFacts;
  readonly invalid_cursor: CodeFacts;
  readonly invalid_definition: CodeFacts;
  readonly unsupported_media_type: CodeFacts;
  readonly method_not_allowed: CodeFacts;
  readonly request_timeout: CodeFacts;
  readonly length_required: CodeFacts;
  readonly range_not_satisfiable: CodeFacts;
  readonly payload_too_large: CodeFacts;
  readonly not_found: CodeFacts;
  readonly gone: CodeFacts;
  readonly unauthorized: CodeFacts;
  readonly forbidden: CodeFacts;
  readonly auth_not_configured: CodeFacts;
  readonly already_running: CodeFacts;
  readonly awaiting_input: CodeFacts;
  readonly terminated: CodeFacts;
  readonly owned_by_parent: CodeFacts;
  readonly not_a_root: CodeFacts;
  readonly run_superseded: CodeFacts;
  readonly idempotency_conflict: CodeFacts;
  readonly superseded: CodeFacts;
  readonly not_resumable: CodeFacts;
  readonly not_retryable: CodeFacts;
  readonly unknown_tool_call: CodeFacts;
  readonly kind_mismatch: CodeFacts;
  readonly already_answered: CodeFacts;
  readonly late_answer: CodeFacts;
  readonly deadline_exceeded: CodeFacts;
  readonly input_changed: CodeFacts;
  readonly too_many_starts: CodeFacts;
  readonly inbox_full: CodeFacts;
  readonly too_many_roots: CodeFacts;
  readonly too_many_sockets: CodeFacts;
  readonly too_many_calls: CodeFacts;
  readonly invalid_input: CodeFacts;
  readonly unknown_tool: CodeFacts;
  readonly invalid_arguments: CodeFacts;
  readonly tool_failed: CodeFacts;
  readonly tool_timeout: CodeFacts;
  readonly tool_result_invalid: CodeFacts;
  readonly tool_result_too_large: CodeFacts;
  readonly approval_denied: CodeFacts;
  readonly approval_expired: CodeFacts;
  readonly client_tool_failed: CodeFacts;
  readonly client_tool_timeout: CodeFacts;
  readonly hook_failed: CodeFacts;
  readonly outcome_unknown: CodeFacts;
  readonly model_error: CodeFacts;
  readonly model_overloaded: CodeFacts;
  readonly model_rate_limited: CodeFacts;
  readonly model_refused: CodeFacts;
  readonly model_unauthorized: CodeFacts;
  readonly model_timeout: CodeFacts;
  readonly model_bad_reply: CodeFacts;
  readonly output_invalid: CodeFacts;
  readonly max_steps: CodeFacts;
  readonly max_depth: CodeFacts;
  readonly max_children: CodeFacts;
  readonly max_tree_children: CodeFacts;
  readonly max_tokens: CodeFacts;
  readonly max_cost: CodeFacts;
  readonly run_timeout: CodeFacts;
  readonly max_recoveries: CodeFacts;
  readonly child_timeout: CodeFacts;
  readonly subagent_failed: CodeFacts;
  readonly subagent_lost: CodeFacts;
  readonly aborted: CodeFacts;
  readonly interrupted: CodeFacts;
  readonly parent_suspended: CodeFacts;
  readonly parent_ended: CodeFacts;
  readonly deleted: CodeFacts;
  readonly unavailable: CodeFacts;
  readonly internal: CodeFacts;
};
/** A stable name of what went wrong. */
type ErrorCode = keyof typeof ERROR_CODES;
/** A failure as a reader of the wire has it: with the sentence that is safe to show to anyone. */
type ShownFailure = Readonly<z.output<typeof failureSchema>>;
/** A failure as data: what crosses objects, is stored, and is shown to the parent's model. Its message has at most 8 KB. */
interface Failure extends Omit<ShownFailure, 'title'> {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
}
/** A failure on its way through code that throws. The failure inside is what others see; the cause stays here. */
declare class OffshootError extends Error {
  readonly name = "OffshootError";
  readonly failure: Failure;
  constructor(code: ErrorCode, message?: string, options?: {
    cause?: unknown;
    retryable?: boolean;
    details?: Json;
    retryAfterMs?: number;
  });
  get code(): ErrorCode;
}
/** A file or image beside the text of a message. `data` is base64. */
interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: string;
}
/** Text of a message. */
interface TextPart {
  readonly type: 'text';
  readonly text: string;
  /** What the provider wants to see again, kept as it came. */
  readonly providerMetadata?: JsonObject;
}
/** The model's thinking. */
interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}
/** A call that the model asked for. */
interface ToolCallPart {
  readonly type: 'tool-call';
  /** Minted, unique in the tree. */
  readonly toolCallId: string;
  /** The provider's own id, used only towards the provider. */
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly providerMetadata?: JsonObject;
}
/** A part of an assistant message. */
type AssistantPart = TextPart | ReasoningPart | ToolCallPart;
/** The one result of a call. Failures are values that the model can act on. */
type CallResult = {
  readonly success: true;
  readonly value: Json;
} | {
  readonly success: false;
  readonly error: Failure;
};
/** A message of the transcript. */
type Message = {
  readonly role: 'system';
  readonly content: string;
} | {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | FilePart)[];
} | {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
} | {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: CallResult;
};
/** The tool message of a sub-agent's call. `name` is the option of its tool, where that has one. */
declare function createSubAgentResultMessage(options: {
  toolCallId: string;
  agentType: string;
  name?: string;
  result: CallResult;
}): Extract<Message, {
  role: 'tool';
}>;
/** The tool message that pairs a `__finish__` call, which runs no body. */
declare function synthesizeFinishToolResult(toolCallId: string): Extract<Message, {
  role: 'tool';
}>;
/** The id of a `__finish__` call that no tool message answers, if there is one. */
declare function findUnpairedFinishCallId(messages: readonly Message[]): string | undefined;
/** What was spent. Unknown prices stay unknown: `costUsd` is present only where a price is known. */
type Usage = z.output<typeof usageSchema>;
/**
 * What a tool's body may use. `State` is what the body needs of the custom state of its agent, `Env` what it needs of the
 * Worker's environment; a tool that says neither is for every agent.
 *
 * After a stop, or once the body's time is up, `abortSignal` aborts; when its result is not waited for any more,
 * `updateState`, `emit` and `emitCustom` throw an OffshootError (`stale_epoch`, `interrupted`, `aborted` or
 * `terminated`) and change nothing.
 * @example
 * execute: (_input, context: ToolContext<{ count: number }>) => context.getState().count
 */
interface ToolContext<State = unknown, Env = unknown> {
  /** The agent's custom state, as committed last. */
  getState(): State;
  /**
   * Changes the custom state; committed before it returns, shown as a `state_patch` chunk. Give back all of it.
   * @throws OffshootError `invalid_input` for what is no JSON, `payload_too_large`
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
  /** Adds what this call spent elsewhere. */
  recordUsage(usage: {
    inputTokens?: number;
    outputTokens?: number;
    costUsd?: number;
  }): void;
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
  readonly offset?: number;
  readonly length?: number;
}
/**
 * The files of an agent, as its tools see them: those that its tools wrote, and those that people put there. Paths are
 * relative; reading or removing a missing file is an `OffshootError` `not_found`, a range that begins behind the end
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
  write(path: string, content: string | Uint8Array, options?: {
    mediaType?: string;
  }): Promise<void>;
  remove(path: string): Promise<void>;
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
interface Fields$1 extends FitsOutputSchema {
  readonly [key: string]: Literal;
}
type Literal = ('' & FitsOutputSchema) | (0 & FitsOutputSchema) | (true & FitsOutputSchema) | (false & FitsOutputSchema) | (readonly Literal[] & FitsOutputSchema) | Fields$1;
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
/** The hooks of an agent, typed by its schemas. */
type AgentHooks<State = unknown, Env = unknown, Input = Json, Output = Json> = { readonly [Name in HookName]?: Hook<HookBody<Name, State, Env, Input, Output>>; };
/** The limits of agents and trees, and what may be set as one. */
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
  /** Sub-agents that one root run may create in all. */
  readonly maxTreeChildren: number;
  /** Levels of a tree, the root included. Facets reach 4. */
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
  /** Bytes of a file that a tool may read at once; a stream may have any number. */
  readonly maxReadBytes: number;
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
  /** Root runs whose log stays whole. */
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
/** One question to a model. Owned by the caller; an adapter must not change it. */
interface ModelRequest {
  /** The definition's name; scripted models route by it. */
  readonly agentType: string;
  readonly sessionId: string;
  readonly runId: string;
  /** From 1, within the run. */
  readonly step: number;
  /** From 1; a repeated question of the same step has the next number. */
  readonly attempt: number;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Until the first chunk, and between two chunks, in ms; past it the call fails with `model_timeout`. */
  readonly firstChunkMs: number;
  readonly stallMs: number;
}
/** A piece of a reply while it streams. `index` numbers the tool calls of the reply from 0. */
type ModelDelta = {
  readonly type: 'text';
  readonly delta: string;
} | {
  readonly type: 'thinking';
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
/** The key under which a tool refers to a relationship of its agent. */
declare const RELATIONSHIP: unique symbol;
/** What becomes of a running child when its parent suspends for a person. */
type ParentSuspendRule = 'continue' | 'pause' | 'respawn';
/** What becomes of a call whose child fails: the failure is its result, or a person decides whether the child tries again. */
type FailureRule = 'result' | 'wait';
/**
 * How a parent and a child relate: the one vocabulary that every kind of sub-agent is compiled to.
 * Each field says what may vary between kinds. `createSubAgentTool` makes the one kind that has a tool now: a child that
 * lives for its call, whose end is the result of that.
 */
interface Relationship {
  /** `call`: it lives for one task. `named`: it has a name among its parent's children, and outlives its tasks. */
  readonly lifetime: 'call' | 'named';
  /** `step`: the step of the call waits for the end. `notice`: it does not; the call says that the child has its task. */
  readonly await: 'step' | 'notice';
  /** How the end of a task comes to the parent's model: as the result of the call, or as a message of its own. */
  readonly deliver: 'result' | 'notice';
  readonly placement: 'facet';
  /** What a named child is called, from the arguments of the call; the agent's name with a number where it is missing. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** What becomes of the call when the child fails. */
  readonly onFailure: FailureRule;
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
  readonly inputSchema: z.ZodType;
  readonly outputSchema?: z.ZodType;
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
/** A model of the AI SDK, or the text `provider/model`, as `OFFSHOOT_MODEL` names it, with the keys of the environment. */
type NamedModel = AiModel | string;
/** A model of the AI SDK, or a function of the Worker's environment that gives one, also later. */
type AiModelSource<Env = unknown> = NamedModel | AuthorsFunction<[env: Env], NamedModel | PromiseLike<NamedModel>>;
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
  readonly inputSchema?: z.ZodType;
  readonly outputSchema?: z.ZodType;
  readonly stateSchema?: z.ZodType;
  readonly limits: Partial<Limits>;
  readonly onConcurrentStart: ConcurrentStartRule;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: AgentHooks;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** Ends the run after a step when it says so. Must be pure. */
  readonly stopWhen?: (step: StepFacts) => boolean;
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}
/** What `stopWhen` sees of a step that has just been closed. */
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
 */
declare function scriptedModel(script: Script, options?: ScriptOptions): ScriptedModel;
/**
 * A model that answers each type of agent by its own script; calls are counted for each type.
 * A request of a type without a script fails with `model_error`, which names those that have one.
 */
declare function routingScriptedModel(scripts: Readonly<Record<string, Script>>, options?: ScriptOptions): ScriptedModel;
/**
 * How long a field may be. `short` is a name, an id, a number: some hundred characters at most. All others may be long:
 * a text, any JSON, a list of it, a failure; `items` is a list of which each item is short.
 */
type FieldSize = 'short' | 'text' | 'json' | 'list' | 'failure' | 'items';
interface Field<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly size: FieldSize;
}
type Fields = {
  readonly [name: string]: Field<z.ZodType>;
};
/** A type of chunk. */
interface ChunkRow<Own extends Fields> {
  readonly fields: Own;
  /** Whether the status document is the same after such a chunk as before, but for the last sequence. */
  readonly quiet: boolean;
}
/** Every type of chunk, by its name. Whoever adds one is told by the compiler where it must be decided about. */
declare const CHUNKS: {
  readonly run_started: ChunkRow<{
    turn: Field<z.ZodNumber>;
    input: {
      schema: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    resumedFrom: {
      schema: z.ZodExactOptional<z.ZodString>;
      size: FieldSize;
    };
  }>;
  readonly run_recovered: ChunkRow<{
    reason: Field<z.ZodString>;
  }>;
  readonly text_delta: ChunkRow<{
    delta: Field<z.ZodString>;
  }>;
  readonly thinking: ChunkRow<{
    delta: Field<z.ZodString>;
    isComplete: {
      schema: z.ZodExactOptional<z.ZodBoolean>;
      size: FieldSize;
    };
  }>;
  readonly tool_arg_stream_start: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    toolName: Field<z.ZodString>;
  }>;
  readonly tool_arg_stream_delta: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    delta: Field<z.ZodString>;
  }>;
  readonly tool_start: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    toolName: Field<z.ZodString>;
    arguments: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  readonly tool_end: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    result: {
      schema: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    success: Field<z.ZodBoolean>;
    error: {
      schema: z.ZodExactOptional<z.ZodObject<{
        code: z.ZodString;
        category: z.ZodString;
        message: z.ZodString;
        title: z.ZodExactOptional<z.ZodString>;
        retryable: z.ZodBoolean;
        retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
        details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
      }, z.core.$strip>>;
      size: FieldSize;
    };
  }>;
  readonly tool_approval_request: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    toolName: Field<z.ZodString>;
    arguments: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    expiresAt: {
      schema: z.ZodExactOptional<z.ZodNumber>;
      size: FieldSize;
    };
  }>;
  readonly client_tool_request: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    toolName: Field<z.ZodString>;
    arguments: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    expiresAt: {
      schema: z.ZodExactOptional<z.ZodNumber>;
      size: FieldSize;
    };
  }>;
  /** `actor`: who answered, as the access check named them. */
  readonly tool_answered: ChunkRow<{
    toolCallId: Field<z.ZodString>;
    kind: Field<z.ZodEnum<{
      "approval-response": "approval-response";
      "client-tool-result": "client-tool-result";
    }>>;
    approved: {
      schema: z.ZodExactOptional<z.ZodBoolean>;
      size: FieldSize;
    };
    actor: {
      schema: z.ZodExactOptional<z.ZodString>;
      size: FieldSize;
    };
  }>;
  readonly subagent_start: ChunkRow<{
    callId: Field<z.ZodString>;
    generation: Field<z.ZodNumber>;
    childId: Field<z.ZodNumber>;
    task: Field<z.ZodNumber>;
    subAgentType: Field<z.ZodString>;
    subSessionId: Field<z.ZodString>;
    subAddress: Field<z.ZodString>;
    mode: Field<z.ZodEnum<{
      ephemeral: "ephemeral";
      persistent: "persistent";
    }>>;
    placement: Field<z.ZodEnum<{
      facet: "facet";
      object: "object";
      remote: "remote";
    }>>;
  }>;
  readonly subagent_status: ChunkRow<{
    subSessionId: Field<z.ZodString>;
    status: Field<z.ZodString>;
    statusText: {
      schema: z.ZodExactOptional<z.ZodString>;
      size: FieldSize;
    };
  }>;
  /** The end of a sub-agent's work, as its parent's stream tells it. */
  readonly subagent_end: ChunkRow<{
    callId: Field<z.ZodString>;
    generation: Field<z.ZodNumber>;
    childId: Field<z.ZodNumber>;
    task: Field<z.ZodNumber>;
    subAgentType: Field<z.ZodString>;
    subSessionId: Field<z.ZodString>;
    result: {
      schema: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    success: Field<z.ZodBoolean>;
    error: {
      schema: z.ZodExactOptional<z.ZodObject<{
        code: z.ZodString;
        category: z.ZodString;
        message: z.ZodString;
        title: z.ZodExactOptional<z.ZodString>;
        retryable: z.ZodBoolean;
        retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
        details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
      }, z.core.$strip>>;
      size: FieldSize;
    };
    usage: Field<z.ZodReadonly<z.ZodObject<{
      inputTokens: z.ZodNumber;
      outputTokens: z.ZodNumber;
      cachedTokens: z.ZodNumber;
      reasoningTokens: z.ZodNumber;
      modelCalls: z.ZodNumber;
      toolCalls: z.ZodNumber;
      costUsd: z.ZodExactOptional<z.ZodNumber>;
    }, z.core.$strip>>>;
  }>;
  readonly message_queued: ChunkRow<{
    messageId: Field<z.ZodString>;
    from: Field<z.ZodString>;
  }>;
  readonly message_delivered: ChunkRow<{
    messageId: Field<z.ZodString>;
    from: Field<z.ZodString>;
  }>;
  readonly step_started: ChunkRow<{}>;
  readonly step_committed: ChunkRow<{
    finishReason: Field<z.ZodString>;
    usage: Field<z.ZodReadonly<z.ZodObject<{
      inputTokens: z.ZodNumber;
      outputTokens: z.ZodNumber;
      cachedTokens: z.ZodNumber;
      reasoningTokens: z.ZodNumber;
      modelCalls: z.ZodNumber;
      toolCalls: z.ZodNumber;
      costUsd: z.ZodExactOptional<z.ZodNumber>;
    }, z.core.$strip>>>;
    checkpointId: Field<z.ZodString>;
  }>;
  readonly step_discarded: ChunkRow<{
    reason: Field<z.ZodString>;
  }>;
  readonly state_patch: ChunkRow<{
    patch: Field<z.ZodReadonly<z.ZodArray<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>>>;
  }>;
  readonly custom: ChunkRow<{
    name: Field<z.ZodString>;
    data: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** `failsRun`: whether the run fails with it. */
  readonly hook_failed: ChunkRow<{
    hook: Field<z.ZodString>;
    toolCallId: {
      schema: z.ZodExactOptional<z.ZodString>;
      size: FieldSize;
    };
    error: Field<z.ZodObject<{
      code: z.ZodString;
      category: z.ZodString;
      message: z.ZodString;
      title: z.ZodExactOptional<z.ZodString>;
      retryable: z.ZodBoolean;
      retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
      details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    }, z.core.$strip>>;
    failsRun: Field<z.ZodBoolean>;
  }>;
  readonly output: ChunkRow<{
    output: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  readonly suspended: ChunkRow<{
    status: Field<z.ZodEnum<{
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
    }>>;
    /** The calls that keep the run waiting for a person. */
    pending: Field<z.ZodReadonly<z.ZodArray<z.ZodObject<{
      toolCallId: z.ZodString;
      toolName: z.ZodString;
      kind: z.ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
    }, z.core.$strip>>>>;
    /**
     * The sub-agents that it waits for. `waiting`: for a person itself, or for somebody to resume it. `failed`: until a
     * person lets it try again, or gives it up.
     */
    children: Field<z.ZodReadonly<z.ZodArray<z.ZodObject<{
      callId: z.ZodString;
      subSessionId: z.ZodString;
      status: z.ZodEnum<{
        failed: "failed";
        waiting: "waiting";
        working: "working";
      }>;
    }, z.core.$strip>>>>;
  }>;
  readonly unsuspended: ChunkRow<{}>;
  readonly run_completed: ChunkRow<{
    output: Field<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  readonly run_failed: ChunkRow<{
    error: Field<z.ZodObject<{
      code: z.ZodString;
      category: z.ZodString;
      message: z.ZodString;
      title: z.ZodExactOptional<z.ZodString>;
      retryable: z.ZodBoolean;
      retryAfterMs: z.ZodExactOptional<z.ZodNumber>;
      details: z.ZodExactOptional<z.ZodType<Json, unknown, z.core.$ZodTypeInternals<Json, unknown>>>;
    }, z.core.$strip>>;
    failureReason: {
      schema: z.ZodExactOptional<z.ZodString>;
      size: FieldSize;
    };
  }>;
  readonly run_interrupted: ChunkRow<{
    reason: Field<z.ZodString>;
  }>;
  readonly run_terminated: ChunkRow<{
    reason: Field<z.ZodString>;
  }>;
};
/** What every chunk carries, as the wire has it: also a chunk of a type that a reader does not know. */
declare const chunkBaseSchema: z.ZodObject<{
  agentId: z.ZodString;
  agentType: z.ZodString;
  address: z.ZodString;
  runId: z.ZodString;
  step: z.ZodNumber;
  attempt: z.ZodNumber;
  timestamp: z.ZodNumber;
}, z.core.$strip>;
/** The name of a type of chunk. */
type ChunkType = keyof typeof CHUNKS;
type Table = typeof CHUNKS;
type SchemaOf<Of> = Of extends Field<infer Schema> ? Schema : never;
type ShapeOf<Type extends ChunkType> = {
  type: z.ZodLiteral<Type>;
} & { [Name in keyof Table[Type]['fields']]: SchemaOf<Table[Type]['fields'][Name]>; };
/** The fields of one type of chunk beyond its base. */
type BodyOf<Type extends ChunkType> = Readonly<z.output<z.ZodObject<ShapeOf<Type>>>>;
/** The fields of each chunk beyond its base. */
type ChunkBody = { [Type in ChunkType]: BodyOf<Type>; }[ChunkType];
/** What every chunk carries. `agentId` is the emitter's session id, `timestamp` is ms since 1970. */
type ChunkBase = Readonly<z.output<typeof chunkBaseSchema>>;
/** One event of the stream. */
type Chunk = ChunkBase & ChunkBody;
/** A chunk with its place in the tree's log (from 1). */
interface SequencedChunk {
  readonly sequence: number;
  readonly chunk: Chunk;
}
/** The wire schema of a chunk; also what `/openapi.json` shows. It is made in a loop, so its type is told here. */
declare const chunkSchema: z.ZodType<Chunk>;
export { createSubAgentResultMessage as $, Limits as A, Result as B, ModelPort as C, ToolSpec as D, ReplyCall as E, FinishesOf as F, ToolFileRange as G, ToolTypes as H, InitialStateOf as I, CallResult as J, ToolFiles as K, InputOf as L, HookName as M, AgentTypes as N, Budget as O, EnvOf as P, TextPart as Q, JsonOf as R, ModelDelta as S, ModelRequest as T, ToolContext as U, StateOf as V, ToolFileInfo as W, Message as X, FilePart as Y, ReasoningPart as Z, Price as _, ScriptedModel as a, Json as at, StepFacts as b, Script as c, RootDocuments as ct, AgentDefinition as d, findUnpairedFinishCallId as et, AnyTool as f, ParentSuspendRule as g, ModelSource as h, chunkSchema as i, OffshootError as it, AgentHooks as j, DEFAULT_LIMITS as k, ScriptOptions as l, FailureRule as m, ChunkBody as n, ErrorCode as nt, routingScriptedModel as o, JsonObject as ot, ConcurrentStartRule as p, Usage as q, SequencedChunk as r, Failure as rt, scriptedModel as s, DocumentFacts as st, Chunk as t, synthesizeFinishToolResult as tt, ScriptStep as u, Relationship as v, ModelReply as w, ToolDefinition as x, RequireApproval as y, OutputOf as z };