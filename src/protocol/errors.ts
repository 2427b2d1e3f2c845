/**
 * Errors, sorted by what the caller should do next. An expected failure is a value (`Failure`);
 * `OffshootError` carries one through code that throws.
 *
 * Decides: every error code, with its HTTP status and title.
 * Keeps A22, A54, JS6.
 */
import { beginningOf } from './content/cut';
import { isObject, type Json, toJson } from './json';

/** The category of an error, which says who can fix it. */
export type ErrorCategory =
  | 'input' // the caller sent something wrong: mend the request
  | 'conflict' // the state does not allow it now: look at the status
  | 'not_found'
  | 'access'
  | 'limit' // a named limit was reached
  | 'model' // the model or its provider failed
  | 'tool' // a tool failed
  | 'child' // a sub-agent failed
  | 'stopped' // somebody or something stopped it
  | 'framework'; // our own fault, or the platform's

interface CodeFacts {
  readonly category: ErrorCategory;
  /** The HTTP status of this code when it answers a request. */
  readonly status: number;
  /** A sentence that is safe to show to anyone. */
  readonly title: string;
  readonly retryable?: true;
}

const fact = (category: ErrorCategory, status: number, title: string, retryable?: true): CodeFacts =>
  retryable ? { category, status, title, retryable } : { category, status, title };

/** Every code, with its category, HTTP status and safe title. The one table that all boundaries read. */
export const ERROR_CODES = {
  invalid_request: fact('input', 400, 'The request is not valid.'),
  invalid_json: fact('input', 400, 'The body is not valid JSON.'),
  invalid_address: fact('input', 400, 'The address is not valid.'),
  invalid_cursor: fact('input', 400, 'The cursor is not valid.'),
  invalid_definition: fact('input', 400, 'The agent is not defined correctly.'),
  unsupported_media_type: fact('input', 415, 'The body has an unsupported content type.'),
  method_not_allowed: fact('input', 405, 'This address does not support that method.'),
  request_timeout: fact('limit', 408, 'The request body did not arrive in time.', true),
  length_required: fact('input', 411, 'The request needs a Content-Length header.'),
  range_not_satisfiable: fact('input', 416, 'The range lies outside the file.'),
  payload_too_large: fact('limit', 413, 'The body is too large.'),
  not_found: fact('not_found', 404, 'There is nothing at this address.'),
  gone: fact('not_found', 410, 'The resource at this address no longer exists.'),
  unauthorized: fact('access', 401, 'Authentication is required.'),
  forbidden: fact('access', 403, 'This is not allowed.'),
  auth_not_configured: fact('access', 503, 'Access is not configured on this server.'),
  signing_not_configured: fact('access', 503, 'This server has no key to sign tokens.'),
  already_running: fact('conflict', 409, 'A run is already in progress.'),
  awaiting_input: fact('conflict', 409, 'The agent is waiting for an answer.'),
  terminated: fact('conflict', 409, 'The agent was terminated.'),
  owned_by_parent: fact('conflict', 409, 'This agent accepts work only from its parent.'),
  lives_elsewhere: fact('conflict', 409, 'The agent is remote: send the request to its own server.'),
  never_began: fact('conflict', 409, 'The agent never began.'),
  not_a_root: fact('conflict', 409, 'This agent can only be used as a sub-agent.'),
  run_superseded: fact('conflict', 409, 'A newer run has replaced this one.'),
  not_copyable: fact('conflict', 409, 'This agent cannot be copied.'),
  already_delivered: fact('conflict', 409, 'The message was already read.'),
  not_cancellable: fact('conflict', 409, 'This message cannot be cancelled.'),
  name_taken: fact('conflict', 409, 'The name is taken.'),
  idempotency_conflict: fact('conflict', 409, 'The idempotency key was used with another body.'),
  superseded: fact('conflict', 409, 'A newer owner has taken over.'),
  file_changed: fact('conflict', 409, 'The file does not have the expected version.'),
  not_resumable: fact('conflict', 409, 'There is nothing to resume.'),
  not_retryable: fact('conflict', 409, 'There is no failed run to retry.'),
  nothing_to_stop: fact('conflict', 409, 'There is nothing to stop.'),
  unknown_tool_call: fact('not_found', 404, 'No pending call has this id.'),
  kind_mismatch: fact('input', 400, 'The call needs another kind of answer.'),
  already_answered: fact('conflict', 409, 'The call was already answered.'),
  late_answer: fact('conflict', 409, 'The answer came too late.'),
  deadline_exceeded: fact('limit', 504, 'The deadline of the caller has passed.'),
  input_changed: fact('conflict', 409, 'The arguments have changed since they were shown.'),
  too_many_files: fact('limit', 409, 'The agent has reached its file limit.'),
  too_many_starts: fact('limit', 429, 'Too many starts wait for this agent.', true),
  inbox_full: fact('limit', 429, 'Too many messages wait for this agent.', true),
  too_many_effects: fact('limit', 429, 'Too many effects of this agent are scheduled.'),
  too_many_roots: fact('limit', 429, 'The caller has created too many roots.', true),
  too_many_sockets: fact('limit', 429, 'Too many sockets are open at this root.', true),
  too_many_streams: fact('limit', 429, 'Too many streams are open at this root.', true),
  too_many_tokens: fact('limit', 429, 'This root has issued too many tokens.'),
  too_many_calls: fact('limit', 429, 'This socket has too many calls in progress.', true),
  invalid_input: fact('input', 422, 'The input does not match its schema.'),
  unknown_effect: fact('input', 422, 'There is no effect of that name.'),
  unknown_tool: fact('tool', 422, 'There is no tool of that name.'),
  invalid_arguments: fact('tool', 422, "The arguments do not match the tool's schema."),
  tool_failed: fact('tool', 500, 'The tool failed.'),
  tool_timeout: fact('tool', 504, 'The tool took too long.'),
  tool_result_invalid: fact('tool', 500, 'The result of the tool is not valid.'),
  tool_result_too_large: fact('limit', 413, 'The result of the tool is too large.'),
  approval_denied: fact('tool', 403, 'A person denied the call.'),
  approval_expired: fact('tool', 408, 'The approval expired.'),
  client_tool_failed: fact('tool', 500, 'The tool failed at the client.'),
  client_tool_timeout: fact('tool', 504, 'The client sent no result in time.'),
  hook_failed: fact('tool', 500, 'A hook failed the run.'),
  result_withheld: fact('tool', 409, "A stop arrived before the result's hooks ended, so the result was discarded."),
  compact_failed: fact('tool', 500, 'The conversation could not be summarized.'),
  outcome_unknown: fact('tool', 500, 'A crash interrupted the tool; whether it took effect is unknown.'),
  model_error: fact('model', 502, 'The model failed.'),
  model_overloaded: fact('model', 503, 'The model is overloaded.', true),
  model_unavailable: fact('model', 502, 'The model provider did not respond.', true),
  model_rate_limited: fact('model', 429, "The model provider's rate limit was reached.", true),
  model_refused: fact('model', 502, 'The model refused the request.'),
  model_unauthorized: fact('model', 502, 'The model provider rejected the credentials.'),
  model_timeout: fact('model', 504, 'The model took too long.', true),
  model_bad_reply: fact('model', 502, 'The reply of the model could not be read.', true),
  output_limit: fact('model', 502, 'The reply was cut off at the output limit of the model.'),
  repeated_failure: fact('model', 500, 'The model repeatedly failed in the same way.'),
  output_invalid: fact('model', 500, 'The output does not match its schema.'),
  max_steps: fact('limit', 500, 'The run reached its step limit.'),
  max_depth: fact('limit', 409, 'The tree has reached its maximum depth.'),
  max_children: fact('limit', 409, 'The agent has reached its limit of live sub-agents.'),
  max_tree_children: fact('limit', 409, 'The run has reached its limit of created sub-agents.'),
  max_tokens: fact('limit', 409, 'The token budget is used up.'),
  context_too_large: fact(
    'limit',
    413,
    'The conversation is too long for the model: shorten it, or set `context.maxTokens`.',
  ),
  max_cost: fact('limit', 409, 'The cost budget is used up.'),
  run_timeout: fact('limit', 504, 'The run took too long.'),
  max_recoveries: fact('limit', 500, 'The run was recovered too often without progress.'),
  child_timeout: fact('child', 504, 'The sub-agent took too long.'),
  subagent_env_required: fact('child', 409, 'Variables of the sub-agent are missing.'),
  session_failed: fact('child', 500, 'A side of the agent ended the session as failed.'),
  subagent_failed: fact('child', 500, 'The sub-agent failed.'),
  subagent_lost: fact('child', 500, 'The sub-agent is gone.'),
  aborted: fact('stopped', 409, 'The run was aborted.'),
  interrupted: fact('stopped', 409, 'The run was interrupted.'),
  parent_suspended: fact('stopped', 409, 'Its parent waits for a person.'),
  parent_ended: fact('stopped', 409, 'Its parent has ended.'),
  deleted: fact('stopped', 410, 'The agent was deleted.'),
  no_encryption_key: fact('framework', 503, 'This Worker cannot store variables: it has no encryption key.'),
  newer_format: fact('framework', 503, 'A newer version of Offshoot wrote this data.', true),
  misconfigured: fact('framework', 503, 'The Worker is misconfigured.'),
  capability_missing: fact('framework', 503, 'This deployment lacks a feature for which the agent has stored data.'),
  unavailable: fact('framework', 503, 'The service is not available right now.', true),
  internal: fact('framework', 500, 'An unexpected error occurred.'),
} as const satisfies Record<string, CodeFacts>;

/** A stable name of what went wrong. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** A failure as a reader of the wire has it: with the sentence that is safe to show to anyone. */
export type ShownFailure = {
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
export type Failure = Omit<ShownFailure, 'title'> & {
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
};

/** Error text longer than this is cut, and says so. Unit: characters. */
export const MAX_ERROR_TEXT = 8 * 1024;

const CUT = ' … (cut)';

/** The longest wait that a failure names, in ms: as long as the last time of a date. */
const MAX_WAIT_MS = 8.64e15;

/** Cuts text to the longest that is stored or sent, with a mark that it was cut. */
export function boundedText(text: string, max = MAX_ERROR_TEXT): string {
  return text.length <= max ? text : beginningOf(text, max - CUT.length) + CUT;
}

/** A failure with the facts of its code. `retryable` may be set apart from the code's own. */
export function failure(code: ErrorCode, message?: string, retryable?: boolean, details?: Json): Failure {
  if (!isErrorCode(code)) throw new TypeError(`"${String(code)}" is not an error code (${textOf(message)}).`);
  const facts: CodeFacts = ERROR_CODES[code];
  return {
    code,
    category: facts.category,
    message: boundedText(message === undefined ? facts.title : textOf(message)),
    retryable: typeof retryable === 'boolean' ? retryable : (facts.retryable ?? false),
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * A failure that code throws. Others see only the failure inside; the cause is not passed on.
 * @example
 * const refuseTomorrow = (day: string): void => {
 *   if (day === 'tomorrow') throw new OffshootError('invalid_input', 'Only today can be booked.');
 * };
 */
export class OffshootError extends Error {
  override readonly name = 'OffshootError';
  readonly failure: Failure;

  constructor(
    code: ErrorCode,
    message?: string,
    options: { cause?: unknown; retryable?: boolean; details?: Json; retryAfterMs?: number } = {},
  ) {
    const { retryAfterMs: wait } = options;
    const isWait = typeof wait === 'number' && wait >= 0;
    const waits = isWait ? { retryAfterMs: Math.min(wait, MAX_WAIT_MS) } : {};
    const inner = { ...failure(code, message, options.retryable, options.details), ...waits };
    super(inner.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = inner;
  }

  get code(): ErrorCode {
    return this.failure.code;
  }
}

/** A refusal of newer rows begins so: an error that crosses objects keeps its text alone, and is known again by it. */
const NEWER_ROWS = 'Rows of a newer format:';

/** The wait of a caller that met newer rows, before it asks again, in ms. */
export const NEWER_FORMAT_AGAIN_MS = 30_000;

/** The refusal of rows that a newer version has written; `why` names the formats. */
export function newerFormat(why: string): OffshootError {
  return new OffshootError('newer_format', `${NEWER_ROWS} ${why}`, { retryAfterMs: NEWER_FORMAT_AGAIN_MS });
}

/** A refusal of a call of a newer version begins so. */
const NEWER_CALL = 'A call of a newer version:';

/** The refusal of what a newer version of the Worker says and this one does not know; `what` names it. */
export function newerCall(what: string): OffshootError {
  return new OffshootError('newer_format', `${NEWER_CALL} ${what}`, { retryAfterMs: NEWER_FORMAT_AGAIN_MS });
}

/** True for the refusal of newer rows or of a newer call, also one that came from another object. */
export function isNewerFormat(thrown: unknown): boolean {
  const text = textOf(thrown);
  return text.includes(NEWER_ROWS) || text.includes(NEWER_CALL);
}

/** The failure inside a thrown value; anything unknown becomes `fallback` with the thrown text. */
export function failureOf(thrown: unknown, fallback: ErrorCode = 'internal'): Failure {
  if (thrown instanceof OffshootError && isObject(thrown.failure)) return withPlainDetails(thrown.failure);
  const text = textOf(thrown);
  const newer = text.indexOf(NEWER_ROWS);
  if (newer >= 0) return newerFormat(text.slice(newer + NEWER_ROWS.length).trim()).failure;
  const call = text.indexOf(NEWER_CALL);
  if (call >= 0) return newerCall(text.slice(call + NEWER_CALL.length).trim()).failure;
  return failure(fallback, text === '' ? undefined : text);
}

/** Details longer than this are left out, and the message says so. Unit: bytes of their JSON. */
export const MAX_ERROR_DETAILS = 8 * 1024;

/** A failure comes from whoever throws it, and its details are stored and sent. */
function withPlainDetails(thrown: Failure): Failure {
  if (thrown.details === undefined) return thrown;
  const plain = toJson(thrown.details, MAX_ERROR_DETAILS);
  if (plain.ok) return { ...thrown, details: plain.json };
  const { details: _details, ...rest } = thrown;
  const left = ` (details omitted: ${plain.problem})`;
  return { ...rest, message: boundedText(rest.message, MAX_ERROR_TEXT - left.length) + left };
}

/** Anything can be thrown, also what cannot be made a text of. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return '';
  }
}

/** A failure with its safe sentence. */
export function shownFailure(failed: ShownFailure): ShownFailure {
  return { ...failed, ...titleOf(failed.code) };
}

/** The sentence of a code that is safe to show to anyone; nothing for one of another release. */
export function titleOf(code: string): { readonly title?: string } {
  return isErrorCode(code) ? { title: ERROR_CODES[code].title } : {};
}

/** Whether a code is one of this release. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** The HTTP status and the safe title of a code. */
export function codeFacts(code: ErrorCode): { status: number; title: string } {
  const { status, title } = ERROR_CODES[code];
  return { status, title };
}

/** Throws a refusal. */
export function refuse(code: ErrorCode, message?: string): never {
  throw new OffshootError(code, message);
}

/** Throws a refusal that is there as data. */
export function refuseWith({ code, message, retryable, details, retryAfterMs }: Failure): never {
  throw new OffshootError(code, message, {
    retryable,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
