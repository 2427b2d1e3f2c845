/**
 * The words for what waits for a person, and for how it is answered.
 *
 * Keeps A35.
 */

/** What waits for a person: a tool that runs at the client, or the approval of one that runs here. */
export const PENDING_KINDS = ['client-tool', 'approval'] as const;

/** Which of the two. */
export type PendingKind = (typeof PENDING_KINDS)[number];

/** How a person's answer came: the result of a client's tool, or a yes or no. */
export const ANSWER_KINDS = ['client-tool-result', 'approval-response'] as const;

/** Which of the two. */
export type AnswerKind = (typeof ANSWER_KINDS)[number];
