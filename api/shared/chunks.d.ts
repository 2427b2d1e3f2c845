import * as z$1 from "zod";
/**
 * JSON: what is taken as such, how deep and how large it may be, and how values become it.
 *
 * Keeps JS1, JS2.
 */
/** A value that JSON can hold. Everything that crosses an object, a store or the wire is one. */
type Json = null | boolean | number | string | readonly Json[] | {
  readonly [key: string]: Json;
};
/** A value that can be written as JSON. Undefined properties are omitted. */
type JsonLike = null | boolean | number | string | readonly JsonLike[] | {
  readonly [key: string]: JsonLike | undefined;
};
/** A JSON object. */
type JsonObject = {
  readonly [key: string]: Json;
};
/** The category of an error, which says who can fix it. */
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
  readonly signing_not_configured: CodeFacts;
  readonly already_running: CodeFacts;
  readonly awaiting_input: CodeFacts;
  readonly terminated: CodeFacts;
  readonly owned_by_parent: CodeFacts;
  readonly lives_elsewhere: CodeFacts;
  readonly never_began: CodeFacts;
  readonly not_a_root: CodeFacts;
  readonly run_superseded: CodeFacts;
  readonly not_copyable: CodeFacts;
  readonly already_delivered: CodeFacts;
  readonly not_cancellable: CodeFacts;
  readonly name_taken: CodeFacts;
  readonly idempotency_conflict: CodeFacts;
  readonly superseded: CodeFacts;
  readonly file_changed: CodeFacts;
  readonly not_resumable: CodeFacts;
  readonly not_retryable: CodeFacts;
  readonly nothing_to_stop: CodeFacts;
  readonly unknown_tool_call: CodeFacts;
  readonly kind_mismatch: CodeFacts;
  readonly already_answered: CodeFacts;
  readonly late_answer: CodeFacts;
  readonly deadline_exceeded: CodeFacts;
  readonly input_changed: CodeFacts;
  readonly too_many_files: CodeFacts;
  readonly too_many_starts: CodeFacts;
  readonly inbox_full: CodeFacts;
  readonly too_many_effects: CodeFacts;
  readonly too_many_roots: CodeFacts;
  readonly too_many_sockets: CodeFacts;
  readonly too_many_streams: CodeFacts;
  readonly too_many_tokens: CodeFacts;
  readonly too_many_calls: CodeFacts;
  readonly invalid_input: CodeFacts;
  readonly unknown_effect: CodeFacts;
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
  readonly result_withheld: CodeFacts;
  readonly compact_failed: CodeFacts;
  readonly outcome_unknown: CodeFacts;
  readonly model_error: CodeFacts;
  readonly model_overloaded: CodeFacts;
  readonly model_unavailable: CodeFacts;
  readonly model_rate_limited: CodeFacts;
  readonly model_refused: CodeFacts;
  readonly model_unauthorized: CodeFacts;
  readonly model_timeout: CodeFacts;
  readonly model_bad_reply: CodeFacts;
  readonly output_limit: CodeFacts;
  readonly repeated_failure: CodeFacts;
  readonly output_invalid: CodeFacts;
  readonly max_steps: CodeFacts;
  readonly max_depth: CodeFacts;
  readonly max_children: CodeFacts;
  readonly max_tree_children: CodeFacts;
  readonly max_tokens: CodeFacts;
  readonly context_too_large: CodeFacts;
  readonly max_cost: CodeFacts;
  readonly run_timeout: CodeFacts;
  readonly max_recoveries: CodeFacts;
  readonly child_timeout: CodeFacts;
  readonly subagent_env_required: CodeFacts;
  readonly session_failed: CodeFacts;
  readonly subagent_failed: CodeFacts;
  readonly subagent_lost: CodeFacts;
  readonly aborted: CodeFacts;
  readonly interrupted: CodeFacts;
  readonly parent_suspended: CodeFacts;
  readonly parent_ended: CodeFacts;
  readonly deleted: CodeFacts;
  readonly no_encryption_key: CodeFacts;
  readonly newer_format: CodeFacts;
  readonly misconfigured: CodeFacts;
  readonly capability_missing: CodeFacts;
  readonly unavailable: CodeFacts;
  readonly internal: CodeFacts;
};
/** A stable name of what went wrong. */
type ErrorCode = keyof typeof ERROR_CODES;
/** A failure as a reader of the wire has it: with the sentence that is safe to show to anyone. */
type ShownFailure = {
  readonly code: string;
  readonly category: string;
  /** A message for a developer or the model, which says what happened and what to do. */
  readonly message: string;
  /** Safe to show to anyone. Absent for a code of another release. */
  readonly title?: string;
  readonly retryable: boolean;
  /** The wait that a provider requested, in ms. */
  readonly retryAfterMs?: number;
  /** Further facts for the caller: the decision that was recorded. */
  readonly details?: Json;
};
/**
 * A failure as data, which is sent between objects, stored, and shown to the parent's model. Its message has at most 8
 * KB.
 */
type Failure = Omit<ShownFailure, 'title'> & {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
};
/** Error text longer than this is cut, and says so. Unit: characters. */
declare const MAX_ERROR_TEXT: number;
/**
 * A failure that code throws. Others see only the failure inside; the cause is not passed on.
 * @example
 * const refuseTomorrow = (day: string): void => {
 *   if (day === 'tomorrow') throw new OffshootError('invalid_input', 'Only today can be booked.');
 * };
 */
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
/** Details longer than this are left out, and the message says so. Unit: bytes of their JSON. */
declare const MAX_ERROR_DETAILS: number;
/** The usage of an agent or a tree. Unknown prices stay unknown: `costUsd` is present only if a price is known. */
type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Tokens written to a cache of the provider; absent if there were none. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** Model calls without a known price; only if there were any. */
  readonly unpricedCalls?: number;
};
/** Nothing spent. */
declare const NO_USAGE: Usage;
/** The sum of two usages. A cost, tokens written to a cache, and calls without a price are known when either side knows them. */
declare function addUsage(a: Usage, b: Usage): Usage;
/**
 * A schema with a named type, which accepts its own output. Declarations then use the name instead of repeating the
 * fields.
 */
type SchemaOf$1<Value> = z$1.ZodType<Value, Value>;
/**
 * The size of a field. `short` is a name, an id or a number: a few hundred characters at most. The others can be long:
 * a text, any JSON, a list of it, a failure. `items` is a list of short items.
 */
type FieldSize = 'short' | 'text' | 'json' | 'list' | 'failure' | 'items';
interface Field<Schema extends z$1.ZodType> {
  readonly schema: Schema;
  readonly size: FieldSize;
}
type Fields = {
  readonly [name: string]: Field<z$1.ZodType>;
};
/** A type of chunk. */
interface ChunkRow<Own extends Fields> {
  readonly fields: Own;
  /** Whether the status document is the same after such a chunk as before, but for the last sequence. */
  readonly quiet: boolean;
}
/** Every type of chunk, by its name. If you add one, the compiler shows where it must be handled. */
declare const CHUNKS: {
  /**
   * A run begins. `turn`: its number in the session. `chainTurn`: the `turn` of the first run, if this run
   * resumes an earlier one. `{agentId}.{chainTurn}` identifies a run together with its resumes. `traceparent`: the W3C trace
   * of the run, if its caller sent one.
   */
  readonly run_started: ChunkRow<{
    turn: Field<z$1.ZodNumber>;
    chainTurn: Field<z$1.ZodNumber>;
    input: {
      schema: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    resumedFrom: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    traceparent: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /** The run continues after a crash. */
  readonly run_recovered: ChunkRow<{
    reason: Field<z$1.ZodString>;
  }>;
  /**
   * The first event of a copied root. It names the original, its status, and the last step copied; without `checkpointId`,
   * all steps were copied.
   */
  readonly session_copied: ChunkRow<{
    fromAddress: Field<z$1.ZodString>;
    fromSessionId: Field<z$1.ZodString>;
    checkpointId: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    status: Field<z$1.ZodString>;
  }>;
  /** A piece of the reply's text. `part`: the block that it continues. All blocks, including calls, are numbered from 0. */
  readonly text_delta: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    delta: Field<z$1.ZodString>;
  }>;
  /** A piece of the model's thinking. */
  readonly thinking: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    delta: Field<z$1.ZodString>;
    isComplete: {
      schema: z$1.ZodExactOptional<z$1.ZodBoolean>;
      size: FieldSize;
    };
  }>;
  /**
   * The provider begins to run one of its tools. `part`: the number of the call among the blocks.
   * `providerCallId` links the call to its result. The agent does not make this call, and nobody approves or answers it.
   */
  readonly provider_tool_start: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    providerCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    arguments: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** The result of a tool that the provider ran. */
  readonly provider_tool_end: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    providerCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    result: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    success: Field<z$1.ZodBoolean>;
  }>;
  /** A page (`url`) or document that the reply refers to. */
  readonly reply_source: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    sourceId: Field<z$1.ZodString>;
    sourceType: Field<z$1.ZodEnum<{
      document: "document";
      url: "url";
    }>>;
    url: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    title: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    mediaType: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    filename: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /**
   * A file that the model made: stored as one of the agent's files (`path`), at an address (`url`), or `omitted`, with
   * the reason.
   */
  readonly reply_file: ChunkRow<{
    part: Field<z$1.ZodNumber>;
    mediaType: Field<z$1.ZodString>;
    path: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    etag: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    bytes: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
    url: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    omitted: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /**
   * The arguments of a call begin to arrive. `outputKey`: the name of the argument of `__finish__` that holds the output;
   * absent if the arguments as a whole are the output.
   */
  readonly tool_arg_stream_start: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    outputKey: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /** A piece of a call's arguments, as JSON text. */
  readonly tool_arg_stream_delta: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    delta: Field<z$1.ZodString>;
  }>;
  /** A tool call begins. */
  readonly tool_start: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    arguments: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** A tool call has its result. */
  readonly tool_end: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    result: {
      schema: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    success: Field<z$1.ZodBoolean>;
    error: {
      schema: z$1.ZodExactOptional<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
      size: FieldSize;
    };
  }>;
  /**
   * A call is waiting for approval. `inputHash`: SHA-256 of the arguments (JSON with sorted keys), in hex; an answer
   * may include it.
   */
  readonly tool_approval_request: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    arguments: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    expiresAt: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
    inputHash: Field<z$1.ZodString>;
  }>;
  /** A call is waiting for a client's result. */
  readonly client_tool_request: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    toolName: Field<z$1.ZodString>;
    arguments: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
    expiresAt: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
  }>;
  /** A pending call was answered. `actor`: the caller who answered, as the access check named them. */
  readonly tool_answered: ChunkRow<{
    toolCallId: Field<z$1.ZodString>;
    kind: Field<z$1.ZodEnum<{
      "approval-response": "approval-response";
      "client-tool-result": "client-tool-result";
    }>>;
    approved: {
      schema: z$1.ZodExactOptional<z$1.ZodBoolean>;
      size: FieldSize;
    };
    actor: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /** A sub-agent begins a task. `name`: a companion's name. */
  readonly subagent_start: ChunkRow<{
    callId: Field<z$1.ZodString>;
    generation: Field<z$1.ZodNumber>;
    childId: Field<z$1.ZodNumber>;
    task: Field<z$1.ZodNumber>;
    subAgentType: Field<z$1.ZodString>;
    subSessionId: Field<z$1.ZodString>;
    subAddress: Field<z$1.ZodString>;
    name: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    mode: Field<z$1.ZodEnum<{
      ephemeral: "ephemeral";
      persistent: "persistent";
    }>>;
    placement: Field<z$1.ZodEnum<{
      facet: "facet";
      object: "object";
      remote: "remote";
    }>>;
  }>;
  /**
   * A message from the parent to a working sub-agent. The sub-agent's own stream shows when the sub-agent reads the
   * message.
   */
  readonly subagent_message: ChunkRow<{
    subAgentType: Field<z$1.ZodString>;
    subSessionId: Field<z$1.ZodString>;
    callId: Field<z$1.ZodString>;
    childId: Field<z$1.ZodNumber>;
    task: Field<z$1.ZodNumber>;
    messageId: Field<z$1.ZodString>;
  }>;
  /** The status of a sub-agent changed. */
  readonly subagent_status: ChunkRow<{
    subSessionId: Field<z$1.ZodString>;
    status: Field<z$1.ZodString>;
    statusText: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /** A sub-agent's task ended. This event is also sent if the parent gave up on it (`subagent_lost`). */
  readonly subagent_end: ChunkRow<{
    callId: Field<z$1.ZodString>;
    generation: Field<z$1.ZodNumber>;
    childId: Field<z$1.ZodNumber>;
    task: Field<z$1.ZodNumber>;
    subAgentType: Field<z$1.ZodString>;
    subSessionId: Field<z$1.ZodString>;
    result: {
      schema: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
      size: FieldSize;
    };
    success: Field<z$1.ZodBoolean>;
    error: {
      schema: z$1.ZodExactOptional<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
      size: FieldSize;
    };
    usage: Field<SchemaOf$1<Usage>>;
  }>;
  /** A message was accepted; the next step reads it. */
  readonly message_queued: ChunkRow<{
    messageId: Field<z$1.ZodString>;
    from: Field<z$1.ZodString>;
  }>;
  /**
   * A step read a message. `text`: its first 8,192 characters. `attachments`: names or media types of its first 20 files,
   * each up to 200 characters. `cut`: the chunk is shortened; `GET A/messages` is complete.
   */
  readonly message_delivered: ChunkRow<{
    messageId: Field<z$1.ZodString>;
    from: Field<z$1.ZodString>;
    role: Field<z$1.ZodEnum<{
      system: "system";
      user: "user";
    }>>;
    text: Field<z$1.ZodString>;
    attachments: {
      schema: z$1.ZodExactOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodString>>>;
      size: FieldSize;
    };
    cut: {
      schema: z$1.ZodExactOptional<z$1.ZodLiteral<true>>;
      size: FieldSize;
    };
  }>;
  /** A caller cancelled the message before any step read it; it never appears in the transcript. */
  readonly message_cancelled: ChunkRow<{
    messageId: Field<z$1.ZodString>;
  }>;
  /** A step begins. `side`: which side acts, for an agent with two sides. `speaker`: the name of that side, or of the agent
   * that took over the session. */
  readonly step_started: ChunkRow<{
    side: {
      schema: z$1.ZodExactOptional<z$1.ZodEnum<{
        side_a: "side_a";
        side_b: "side_b";
      }>>;
      size: FieldSize;
    };
    speaker: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /**
   * The reply of a step is stored. `model`: `provider/model`. `responseId`: the provider's id of the reply, if it sent
   * one. `passedOver`: the failures of the earlier entries of `models`, in order, if an earlier one failed.
   */
  readonly step_committed: ChunkRow<{
    finishReason: Field<z$1.ZodString>;
    usage: Field<SchemaOf$1<Usage>>;
    checkpointId: Field<z$1.ZodString>;
    model: Field<z$1.ZodString>;
    responseId: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    passedOver: {
      schema: z$1.ZodExactOptional<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
        code: z$1.ZodString;
        message: z$1.ZodString;
      }, z$1.core.$strip>>>>;
      size: FieldSize;
    };
  }>;
  /**
   * An attempt failed, and its text is discarded. `retryAt`: time of the next attempt in ms since 1970, if there is a
   * wait. `nextModel`: the index in `models` of the model that the next attempt uses, if it is a different one.
   */
  readonly step_discarded: ChunkRow<{
    reason: Field<z$1.ZodString>;
    retryAt: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
    nextModel: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
  }>;
  /**
   * A request omits older steps. `from` and `to`: the checkpoints of the first and last step that this request omits
   * for the first time. A summary of `summaryBytes` bytes replaces them, or long parts are cut to `cutBytes`.
   * `tokensBefore` and `tokensAfter` are estimates. `error`: why the agent's `compact` failed; the rule-based digest
   * replaces its summary.
   */
  readonly context_compacted: ChunkRow<{
    from: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    to: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    by: Field<z$1.ZodEnum<{
      digest: "digest";
      function: "function";
      model: "model";
    }>>;
    tokensBefore: Field<z$1.ZodNumber>;
    tokensAfter: Field<z$1.ZodNumber>;
    summaryBytes: Field<z$1.ZodNumber>;
    cutBytes: {
      schema: z$1.ZodExactOptional<z$1.ZodNumber>;
      size: FieldSize;
    };
    error: {
      schema: z$1.ZodExactOptional<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
      size: FieldSize;
    };
  }>;
  /** The custom state changed: a JSON Patch. */
  readonly state_patch: ChunkRow<{
    patch: Field<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>>>;
  }>;
  /** A custom event, sent with `emitCustom`. */
  readonly custom: ChunkRow<{
    name: Field<z$1.ZodString>;
    data: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** A hook failed. `hookId`: the id of a hook made by `defineHook`. `failsRun`: whether the run fails, too. */
  readonly hook_failed: ChunkRow<{
    hook: Field<z$1.ZodString>;
    hookId: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    toolCallId: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
    error: Field<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
    failsRun: Field<z$1.ZodBoolean>;
  }>;
  /** The run has its output. */
  readonly output: ChunkRow<{
    output: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** The run is waiting for people or sub-agents. */
  readonly suspended: ChunkRow<{
    status: Field<z$1.ZodEnum<{
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
    }>>;
    /** The calls that keep the run waiting for a person. */
    pending: Field<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
      toolCallId: z$1.ZodString;
      toolName: z$1.ZodString;
      kind: z$1.ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
    }, z$1.core.$strip>>>>;
    /**
     * The sub-agents that the run waits for. `waiting`: the sub-agent waits for a person, or to be resumed. `failed`: a
     * person has to retry or abort it.
     */
    children: Field<z$1.ZodReadonly<z$1.ZodArray<z$1.ZodObject<{
      callId: z$1.ZodString;
      subSessionId: z$1.ZodString;
      status: z$1.ZodEnum<{
        failed: "failed";
        waiting: "waiting";
        working: "working";
      }>;
    }, z$1.core.$strip>>>>;
  }>;
  /** A waiting run continues. */
  readonly unsuspended: ChunkRow<{}>;
  /** The run ended with its output. */
  readonly run_completed: ChunkRow<{
    output: Field<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
  }>;
  /** The run ended with an error. */
  readonly run_failed: ChunkRow<{
    error: Field<z$1.ZodType<ShownFailure, unknown, z$1.core.$ZodTypeInternals<ShownFailure, unknown>>>;
    failureReason: {
      schema: z$1.ZodExactOptional<z$1.ZodString>;
      size: FieldSize;
    };
  }>;
  /** The run was interrupted; it can be resumed. */
  readonly run_interrupted: ChunkRow<{
    reason: Field<z$1.ZodString>;
  }>;
  /** The session was terminated, and the run with it. */
  readonly run_terminated: ChunkRow<{
    reason: Field<z$1.ZodString>;
  }>;
};
/** The fields of every chunk on the wire, including chunks of types that a reader does not know. */
declare const chunkBaseSchema: z$1.ZodObject<{
  agentId: z$1.ZodString;
  agentType: z$1.ZodString;
  address: z$1.ZodString;
  runId: z$1.ZodString;
  step: z$1.ZodNumber;
  attempt: z$1.ZodNumber;
  timestamp: z$1.ZodNumber;
}, z$1.core.$strip>;
/** The name of a type of chunk. */
type ChunkType = keyof typeof CHUNKS;
type Table = typeof CHUNKS;
type SchemaOf<Of> = Of extends Field<infer Schema> ? Schema : never;
type ShapeOf<Type extends ChunkType> = {
  type: z$1.ZodLiteral<Type>;
} & { [Name in keyof Table[Type]['fields']]: SchemaOf<Table[Type]['fields'][Name]>; };
/** The fields of one type of chunk beyond its base. */
type BodyOf<Type extends ChunkType> = Readonly<z$1.output<z$1.ZodObject<ShapeOf<Type>>>>;
/** The fields of each chunk beyond its base. */
type ChunkBody = { [Type in ChunkType]: BodyOf<Type>; }[ChunkType];
/** The fields of every chunk. `agentId` is the emitter's session id, `timestamp` is ms since 1970. */
type ChunkBase = Readonly<z$1.output<typeof chunkBaseSchema>>;
/** One event of the stream. */
type Chunk = ChunkBase & ChunkBody;
/** A pending call of a suspended run. */
type AwaitedAnswer = BodyOf<'suspended'>['pending'][number];
/** A sub-agent that a suspended run is waiting for. */
type AwaitedChild = BodyOf<'suspended'>['children'][number];
/** A chunk with its place in the tree's log (from 1). */
interface SequencedChunk {
  readonly sequence: number;
  readonly chunk: Chunk;
}
/** The wire schema of a chunk, also shown in `/openapi.json`. It is made in a loop, so its type is declared here. */
declare const chunkSchema: z$1.ZodType<Chunk>;
/**
 * True if a value is a chunk. A known type is checked against its schema, an unknown one against the fields that all
 * chunks share.
 */
declare function isWireChunk(value: Json): boolean;
/** Whether the status document is the same after a chunk of that type as before, but for the last sequence. */
declare function isQuiet(type: string): boolean;
export { MAX_ERROR_TEXT as C, JsonLike as D, Json as E, JsonObject as O, MAX_ERROR_DETAILS as S, ShownFailure as T, addUsage as _, Chunk as a, ErrorCode as b, ChunkType as c, chunkSchema as d, isQuiet as f, Usage as g, NO_USAGE as h, CHUNKS as i, SequencedChunk as l, SchemaOf$1 as m, AwaitedChild as n, ChunkBase as o, isWireChunk as p, BodyOf as r, ChunkBody as s, AwaitedAnswer as t, chunkBaseSchema as u, ERROR_CODES as v, OffshootError as w, Failure as x, ErrorCategory as y };