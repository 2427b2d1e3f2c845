/**
 * The codes with which the server closes a socket.
 *
 * Keeps W28.
 */
export const SOCKET_CLOSES = {
  /** The agent was deleted. */
  deleted: 1001,
  /** Its right could not be asked for: open another one. */
  failed: 1011,
  /** It does not take what it is sent, or sends too much at once: open another one, and go on where it was. */
  slow: 1013,
  /** It may not read any more: open another one with other credentials. */
  right: 4401,
  /** It may not read any more, whoever asks so: other credentials of the same caller would change nothing. */
  forbidden: 4403,
} as const;
