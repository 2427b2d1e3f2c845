/** The actions on an agent, each with its own permission. Decides: which rights there are. Keeps X31. */
/** The actions that a grant can allow. */
declare const ACTIONS: readonly ['read', 'write', 'answer', 'stop', 'share', 'admin'];
/** The action that a caller wants to take. */
type Action = (typeof ACTIONS)[number];
export { Action as n, ACTIONS as t };