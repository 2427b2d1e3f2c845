/**
 * The limits of the HTTP and socket surface.
 *
 * Decides: every limit of requests, sockets and streams: `wait`, bodies, frames, heartbeats, metadata, tokens, length of keys.
 * Keeps W16, A49, X33.
 */
export const WIRE_LIMITS = {
  /** A request body that is not a file, in bytes. */
  maxBodyBytes: 1_048_576,
  /** Time limit for a request body that is not a file, in ms. */
  maxBodyMs: 30_000,
  /** Longest pause of an upload, in ms. */
  uploadStallMs: 30_000,
  /** Longest time for the field `wait` of a start, in ms. */
  maxWaitMs: 60_000,
  /** A socket frame from a client, in bytes. */
  maxFrameBytes: 1_048_576,
  /** Longest lifetime of a signed token, in s: 30 days. */
  maxTokenSeconds: 2_592_000,
  /** Open sockets of one root and all agents below it. */
  maxSockets: 256,
  /** Open event streams of one root and all agents below it. */
  maxStreams: 512,
  /** Agents to which one socket may subscribe. */
  maxSubscriptions: 16,
  /** JSON of the subscriptions stored with a hibernating socket, in characters. */
  maxKeptSubscriptions: 6_000,
  /** Calls in progress on one socket. */
  maxSocketCalls: 32,
  /** Frames of one socket, of any kind, whose handlers are still running. */
  maxSocketFrames: 512,
  /** Frames of one socket whose handlers are still running, in bytes; in characters if a frame is text. */
  maxSocketFrameBytes: 8 * 1_048_576,
  /** Unsent bytes of all sockets of a root; beyond that, sockets that do not read get nothing new. */
  maxUnsentBytes: 16 * 1_048_576,
  /** Unsent bytes of one socket; beyond that, its next request closes it. */
  maxUnreadBytes: 4 * 1_048_576,
  /** How long a socket with unsent bytes may read nothing before it is closed, in ms. */
  socketStallMs: 60_000,
  /** An idempotency key, in characters. */
  maxIdempotencyKey: 256,
  /** The metadata of a session or a message, as JSON, in bytes. */
  maxMetadataBytes: 16_384,
  /** Longest time that an open socket or stream relies on its last access check, in ms. */
  freshRightMs: 5_000,
  /** A file that a message names by its path, in bytes. */
  maxShownFileBytes: 10 * 1_048_576,
  /** Parts of a message. */
  maxParts: 32,
  /** Time between two comments of an idle event stream, in ms. */
  heartbeatMs: 15_000,
} as const;
