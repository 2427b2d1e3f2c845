/**
 * The limits of the HTTP and socket surface.
 *
 * Decides: every limit of requests, sockets and streams: `wait`, bodies, frames, heartbeats, metadata, tokens, length of keys.
 * Keeps W16, A49, X33.
 */
export const WIRE_LIMITS = {
  /** A request body that is not a file, in bytes. */
  maxBodyBytes: 1_048_576,
  /** How long a request body that is not a file may take to come, in ms. */
  maxBodyMs: 30_000,
  /** How long the next bytes of an upload may take to come, in ms. */
  uploadStallMs: 30_000,
  /** `wait`, in ms. */
  maxWaitMs: 60_000,
  /** A socket frame from a client, in bytes. */
  maxFrameBytes: 1_048_576,
  /** How long a signed token counts, in s: 30 days. */
  maxTokenSeconds: 2_592_000,
  /** Sockets that are open at one root with all below it. */
  maxSockets: 256,
  /** Streams of events that are open at one root with all below it. */
  maxStreams: 512,
  /** Agents that one socket is subscribed to. */
  maxSubscriptions: 16,
  /** What is kept of them with a socket that sleeps, as JSON, in characters. */
  maxKeptSubscriptions: 6_000,
  /** Calls of one socket that are under way at once. */
  maxSocketCalls: 32,
  /** Frames of one socket, of any kind, whose handlers are not done. */
  maxSocketFrames: 512,
  /** The same, in bytes; characters where a frame is text. */
  maxSocketFrameBytes: 8 * 1_048_576,
  /** What waits to be sent to all sockets of a root, in bytes, before those that do not read are left alone. */
  maxUnsentBytes: 16 * 1_048_576,
  /** What waits to be sent to one socket, in bytes, when it is closed should it ask for more. */
  maxUnreadBytes: 4 * 1_048_576,
  /** How long a socket that is left alone may take nothing at all before it is closed, in ms. */
  socketStallMs: 60_000,
  /** An idempotency key, in characters. */
  maxIdempotencyKey: 256,
  /** The metadata of a session or a message, as JSON, in bytes. */
  maxMetadataBytes: 16_384,
  /** How long a right to read that was confirmed is taken as fresh on an open socket or stream, in ms. */
  freshRightMs: 5_000,
  /** A file that a message names by its path, in bytes. */
  maxShownFileBytes: 10 * 1_048_576,
  /** Parts of a message. */
  maxParts: 32,
  /** Between two comments of an idle event stream, in ms. */
  heartbeatMs: 15_000,
} as const;
