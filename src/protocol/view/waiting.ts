/**
 * The words for what waits for a person, and for how it is answered.
 *
 * Keeps A35.
 */

/** The kinds of pending calls: a tool that runs at the client, or the approval of a tool that runs on the server. */
export const PENDING_KINDS = ['client-tool', 'approval'] as const;

/** One of these kinds. */
export type PendingKind = (typeof PENDING_KINDS)[number];

/** The kinds of answers of a person: a client tool's result, or a decision. */
export const ANSWER_KINDS = ['client-tool-result', 'approval-response'] as const;

/** One of these kinds. */
export type AnswerKind = (typeof ANSWER_KINDS)[number];
