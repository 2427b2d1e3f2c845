import { g as JsonObject, m as Json } from "./chunks.js";
import * as z$1 from "zod";
/** What was spent. Unknown prices stay unknown. */
declare const usageSchema: z$1.ZodReadonly<z$1.ZodObject<{
  inputTokens: z$1.ZodNumber;
  outputTokens: z$1.ZodNumber;
  cachedTokens: z$1.ZodNumber;
  cacheWriteTokens: z$1.ZodExactOptional<z$1.ZodNumber>;
  reasoningTokens: z$1.ZodNumber;
  modelCalls: z$1.ZodNumber;
  toolCalls: z$1.ZodNumber;
  costUsd: z$1.ZodExactOptional<z$1.ZodNumber>;
  unpricedCalls: z$1.ZodExactOptional<z$1.ZodNumber>;
}, z$1.core.$strip>>;
/** A failure as data. Codes and categories are texts: a reader may be older than who writes. */
declare const failureSchema: z$1.ZodObject<{
  code: z$1.ZodString;
  category: z$1.ZodString;
  message: z$1.ZodString;
  title: z$1.ZodExactOptional<z$1.ZodString>;
  retryable: z$1.ZodBoolean;
  retryAfterMs: z$1.ZodExactOptional<z$1.ZodNumber>;
  details: z$1.ZodExactOptional<z$1.ZodType<Json, unknown, z$1.core.$ZodTypeInternals<Json, unknown>>>;
}, z$1.core.$strip>;
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
  readonly unavailable: CodeFacts;
  readonly internal: CodeFacts;
};
/** A stable name of what went wrong. */
type ErrorCode = keyof typeof ERROR_CODES;
/** A failure as a reader of the wire has it: with the sentence that is safe to show to anyone. */
type ShownFailure = Readonly<z$1.output<typeof failureSchema>>;
/** A failure as data: what crosses objects, is stored, and is shown to the parent's model. Its message has at most 8 KB. */
type Failure = Omit<ShownFailure, 'title'> & {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
};
/** Error text longer than this is cut, and says so. Unit: characters. */
declare const MAX_ERROR_TEXT: number;
/**
 * A failure on its way through code that throws. The failure inside is what others see; the cause stays here.
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
/** As whom a message that arrives speaks. */
declare const MESSAGE_ROLES: readonly ['user', 'system'];
/** One of them. */
type MessageRole = (typeof MESSAGE_ROLES)[number];
/** A file or image beside the text of a message. `data` is base64. */
type FilePart = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: string;
};
/** Text of a message. */
type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** What the provider wants to see again, kept as it came. */
  readonly providerMetadata?: JsonObject;
};
/** The model's thinking. */
type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};
/** A call that the model asked for. */
type ToolCallPart = {
  readonly type: 'tool-call';
  /** Minted, unique in the tree. */
  readonly toolCallId: string;
  /** The provider's own id, used only towards the provider. */
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly providerMetadata?: JsonObject;
};
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
/** The tool that ends a run with a typed output; injected where an agent has an `outputSchema`. */
declare const FINISH_TOOL = "__finish__";
/** The result of a tool in parts: what a tool gives that shows its model pictures or files. */
type ContentResult = {
  readonly type: 'content';
  readonly value: readonly (TextPart | FilePart)[];
};
/**
 * The tool message of a sub-agent's call. `name` is the option of its tool, where that has one.
 * @example
 * const told = createSubAgentResultMessage({
 *   toolCallId: 'call_1',
 *   agentType: 'timekeeper',
 *   result: { success: true, value: { time: '10:00' } },
 * });
 */
declare function createSubAgentResultMessage(options: {
  toolCallId: string;
  agentType: string;
  name?: string;
  result: CallResult;
}): Extract<Message, {
  role: 'tool';
}>;
/**
 * The tool message that pairs a `__finish__` call, which runs no body.
 * @example
 * const paired = (messages: readonly Message[]): readonly Message[] => {
 *   const open = findUnpairedFinishCallId(messages);
 *   return open === undefined ? messages : [...messages, synthesizeFinishToolResult(open)];
 * };
 */
declare function synthesizeFinishToolResult(toolCallId: string): Extract<Message, {
  role: 'tool';
}>;
/** The calls of a transcript that no tool message answers, in order. */
declare function unpairedCalls(messages: readonly Message[]): ToolCallPart[];
/**
 * The id of a `__finish__` call that no tool message answers, if there is one.
 * @example
 * const isWhole = (messages: readonly Message[]): boolean => findUnpairedFinishCallId(messages) === undefined;
 */
declare function findUnpairedFinishCallId(messages: readonly Message[]): string | undefined;
/**
 * The sides of an agent that has two: they speak in turns.
 *
 * Keeps SA1.
 */
/** Both, in the order in which they are defined. */
declare const SIDES: readonly ['side_a', 'side_b'];
/** Which of the two. */
type SideName = (typeof SIDES)[number];
/** What was spent. Unknown prices stay unknown: `costUsd` is present only where a price is known. */
type Usage = z$1.output<typeof usageSchema>;
/** Nothing spent. */
declare const NO_USAGE: Usage;
/** The sum of two usages. A cost, tokens written to a cache, and calls without a price are known when either side knows them. */
declare function addUsage(a: Usage, b: Usage): Usage;
/**
 * The words for how a session stands: the one list that the record, the view, the wire and the terminal share.
 *
 * Decides: the words for how a session stands.
 * Keeps A7, SU1.
 */
/** How a run stands that waits for a person, itself or through its sub-agents. Its loop has exited. */
declare const SUSPENDED_STATUSES: readonly ['suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial'];
/** One of them. */
type SuspendedStatus = (typeof SUSPENDED_STATUSES)[number];
/** How a run stands, from its beginning to its end. */
declare const RUN_STATUSES: readonly ["running", "suspended_client_tool", "suspended_awaiting_children", "suspended_step_partial", "interrupted", "completed", "failed", "terminated"];
/** How a session stands: `idle` has had no run yet, `queued` may not begin yet, all else is what its latest run says. */
declare const SESSION_STATUSES: readonly ["idle", "queued", "running", "suspended_client_tool", "suspended_awaiting_children", "suspended_step_partial", "interrupted", "completed", "failed", "terminated"];
/** The status of a session, as people see it. */
type SessionStatus = (typeof SESSION_STATUSES)[number];
/**
 * Whether a status is an end: its run does nothing more, unless somebody resumes it.
 * @example
 * const over = isEnded('completed');
 */
declare function isEnded(status: string): boolean;
/**
 * Whether a session with that status waits, for a person or for children that do.
 * @example
 * const waits = isSuspended('suspended_client_tool');
 */
declare function isSuspended(status: string): status is SuspendedStatus;
/**
 * Whether nothing more happens by itself at a session with that status.
 * @example
 * const still = isAtRest('interrupted');
 */
declare function isAtRest(status: string): boolean;
/** Whether a chunk ends its run. */
declare function isEndChunk(chunk: {
  readonly type: string;
}): boolean;
export { ErrorCategory as A, TextPart as C, synthesizeFinishToolResult as D, findUnpairedFinishCallId as E, OffshootError as F, ShownFailure as I, Failure as M, MAX_ERROR_DETAILS as N, unpairedCalls as O, MAX_ERROR_TEXT as P, ReasoningPart as S, createSubAgentResultMessage as T, FINISH_TOOL as _, SuspendedStatus as a, Message as b, isEnded as c, Usage as d, addUsage as f, ContentResult as g, CallResult as h, SessionStatus as i, ErrorCode as j, ERROR_CODES as k, isSuspended as l, AssistantPart as m, SESSION_STATUSES as n, isAtRest as o, SideName as p, SUSPENDED_STATUSES as r, isEndChunk as s, RUN_STATUSES as t, NO_USAGE as u, FilePart as v, ToolCallPart as w, MessageRole as x, MESSAGE_ROLES as y };