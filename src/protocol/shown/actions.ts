/** The actions on an agent, each with its own permission. Decides: which rights there are. Keeps X31. */

/** The actions that a grant can allow. */
export const ACTIONS = ['read', 'write', 'answer', 'stop', 'share', 'admin'] as const;

/** The action that a caller wants to take. */
export type Action = (typeof ACTIONS)[number];
