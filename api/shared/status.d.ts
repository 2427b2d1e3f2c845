/** The words for what waits for a person, and for how it is answered. */
/** What waits for a person: a tool that runs at the client, or the approval of one that runs here. */
declare const PENDING_KINDS: readonly ['client-tool', 'approval'];
/** Which of the two. */
type PendingKind = (typeof PENDING_KINDS)[number];
/** How a person's answer came: the result of a client's tool, or a yes or no. */
declare const ANSWER_KINDS: readonly ['client-tool-result', 'approval-response'];
/** Which of the two. */
type AnswerKind = (typeof ANSWER_KINDS)[number];
/** The words for how a session stands: the one list that the record, the view, the wire and the terminal share. */
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
export { SuspendedStatus as a, isEnded as c, AnswerKind as d, PENDING_KINDS as f, SessionStatus as i, isSuspended as l, SESSION_STATUSES as n, isAtRest as o, PendingKind as p, SUSPENDED_STATUSES as r, isEndChunk as s, RUN_STATUSES as t, ANSWER_KINDS as u };