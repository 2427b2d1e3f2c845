/**
 * The codes with which the server closes a socket.
 *
 * Keeps W28.
 */
export const SOCKET_CLOSES = {
  /** The agent was deleted. */
  deleted: 1001,
  /** The access check failed: open another socket. */
  failed: 1011,
  /** The client reads too slowly, or sends too much at once: open another socket, and continue after the last event. */
  slow: 1013,
  /** The caller has lost access: open another socket with other credentials. */
  right: 4401,
  /** The caller has lost access: other credentials of the same caller would not help. */
  forbidden: 4403,
} as const;
