/**
 * What there is to be done to an agent, as rights to it are told apart.
 *
 * Decides: which rights there are.
 * Keeps X31.
 */

/** What a grant allows. */
export const ACTIONS = ['read', 'write', 'answer', 'stop', 'share', 'admin'] as const;

/** What a caller wants to do. */
export type Action = (typeof ACTIONS)[number];
