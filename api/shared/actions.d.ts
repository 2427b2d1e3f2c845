/**
 * What there is to be done to an agent, as rights to it are told apart.
 *
 * Decides: which rights there are.
 * Keeps X31.
 */
/** What a grant allows. */
declare const ACTIONS: readonly ['read', 'write', 'answer', 'stop', 'share', 'admin'];
/** What a caller wants to do. */
type Action = (typeof ACTIONS)[number];
export { Action as n, ACTIONS as t };