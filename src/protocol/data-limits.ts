/**
 * Limits that hold on both sides of the wire, and in every store.
 *
 * Decides: the size of a page of any list; how large JSON, names and values may be; how long a receipt is kept, by which a
 * repeated request is known (`IDEMPOTENCY_MS`); how much a directory keeps, and how long; the form of a variable's name.
 * Keeps JS1, JS8, A9, A89.
 */

/** What data may be, wherever it comes in or is made: bodies, arguments, results, outputs, states, chunks. */
export const DATA_LIMITS = {
  /** Nesting of arrays and objects in JSON; unrelated to the option `maxDepth`. */
  maxDepth: 100,
  /** Arrays and objects of a body, a frame, the arguments of a call, or a remote response or event, together. */
  maxContainers: 250_000,
  /** One value as JSON, in bytes of UTF-8, if no other limit applies. */
  maxBytes: 4 * 1_048_576,
  /** One reply of a model: its texts, thinking and arguments together, in characters. */
  maxReplyCharacters: 4_000_000,
  /** A file, in bytes: the default of the option `maxFileBytes`, and the limit of `offshoot ask`. */
  maxFileBytes: 512 * 1_048_576,
  /** Text of a message in `message_delivered`, in characters. */
  maxShownText: 8_192,
  /** Attachments that `message_delivered` names. */
  maxShownAttachments: 20,
  /** Name of an attachment in `message_delivered`, in characters. */
  maxShownName: 200,
  /** A name or a class in an address, in characters. */
  maxName: 128,
  /**
   * The id of a call, in characters. Each server between the root and a remote agent makes the ids of that agent's calls
   * longer.
   */
  maxCallId: 1_024,
  /** The value of a variable, in characters. */
  maxVariable: 8_192,
  /** Variables whose values a session stores. */
  maxVariables: 64,
  /** Longest delay of a scheduled effect, in ms: a year. */
  maxEffectDelayMs: 365 * 86_400_000,
} as const;

/** What a variable may be called. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Items of a page when `limit` is not given, and at most. */
export const PAGE_LIMITS = { size: 100, maxSize: 500 } as const;

/** How long it is remembered what was asked under an idempotency key, in ms (24 h). */
export const IDEMPOTENCY_MS = 86_400_000;

/** What lists over all roots hold of one root, and how long a directory keeps failures. */
export const LISTED_LIMITS = {
  /** Calls that wait for a person: the ones asked first. */
  pending: 500,
  /** Failed runs that a root tells at once: the newest. */
  errors: 200,
  /** Sub-agents that stay or live elsewhere: those that were active last. */
  children: 500,
  /** Failed runs that the directory of a class keeps: the newest. */
  keptErrors: 10_000,
  /** And so long, in ms (30 days). */
  keptErrorsMs: 30 * 86_400_000,
  /** Characters of a root's title, and of how a call's arguments begin. */
  title: 200,
  /** Causes of failed runs that are told at once: the most frequent. */
  causes: 200,
} as const;
