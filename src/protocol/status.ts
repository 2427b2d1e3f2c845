/**
 * The words for how a session stands: the one list that the record, the view, the wire and the terminal share.
 *
 * Decides: the words for how a session stands.
 * Keeps A7, SU1.
 */

/** How a run stands that waits for a person, itself or through its sub-agents. Its loop has exited. */
export const SUSPENDED_STATUSES = [
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
] as const;

/** One of them. */
export type SuspendedStatus = (typeof SUSPENDED_STATUSES)[number];

/** How a run may have ended. */
const ENDED_STATUSES = ['interrupted', 'completed', 'failed', 'terminated'] as const;

/** The statuses of a run, from its beginning to its end. */
export const RUN_STATUSES = ['running', ...SUSPENDED_STATUSES, ...ENDED_STATUSES] as const;

/** One of them. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * The statuses of a session: `idle` has had no run yet, `queued` may not begin yet; all others are those of its latest
 * run.
 */
export const SESSION_STATUSES = ['idle', 'queued', ...RUN_STATUSES] as const;

/** The status of a session, as people see it. */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/**
 * Returns true if a status is an end: the run does nothing more, unless somebody resumes it.
 * @example
 * const over = isEnded('completed');
 */
export function isEnded(status: string): boolean {
  return ENDED_STATUSES.some((ended) => ended === status);
}

/**
 * Returns true if a session with that status waits for a person, or for children that do.
 * @example
 * const waits = isSuspended('suspended_client_tool');
 */
export function isSuspended(status: string): status is SuspendedStatus {
  return SUSPENDED_STATUSES.some((suspended) => suspended === status);
}

/**
 * Returns true if nothing more happens in a session with that status until somebody acts.
 * @example
 * const still = isAtRest('interrupted');
 */
export function isAtRest(status: string): boolean {
  return status === 'idle' || isEnded(status) || isSuspended(status);
}

/** The chunks that end a run; every run has exactly one. */
const END_CHUNKS: readonly string[] = ENDED_STATUSES.map((status) => `run_${status}`);

/** Returns true if a chunk ends its run. */
export function isEndChunk(chunk: { readonly type: string }): boolean {
  return END_CHUNKS.includes(chunk.type);
}
