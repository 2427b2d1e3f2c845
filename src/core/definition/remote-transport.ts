/**
 * The port to agents that live elsewhere, which authors name: in another Worker, behind a URL, or as another root of
 * this Worker. What is there is the root of a tree of its own, reached by the verbs of the API and by the stream of its
 * log; nothing of it is trusted.
 *
 * Decides: the error codes of an agent elsewhere; which calls there are made again.
 * Keeps AE1, AE9.
 */
import type { Chunk } from '../../protocol/chunks';
import { DATA_LIMITS } from '../../protocol/data-limits';
import type { Json, JsonObject } from '../../protocol/json';

/** A remote agent: a root whose name this tree chose, or an agent below it. */
export interface RemoteAgent {
  /** Its class in addresses, in kebab case. */
  readonly addressClass: string;
  /** The name of the root, chosen by this tree for one child. */
  readonly name: string;
  /** The path below the root: `/sub/researcher/1~1`. Absent for the root itself. */
  readonly below?: string;
}

/** The caller on whose behalf a call is made. */
export interface RemoteCaller {
  readonly subject: string;
  /** W3C. */
  readonly traceparent?: string;
  /** The time after which the response is no longer awaited, in ms since 1970. */
  readonly deadline?: number;
}

/** A call of the API at a remote agent. */
export interface RemoteCall {
  /** The name of the operation: `start`, `status`, `send`, `interrupt`, `submit` … */
  readonly verb: string;
  readonly agent: RemoteAgent;
  /** Its input: the body of a POST, or the query of a GET. */
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
  readonly caller?: RemoteCaller;
  readonly signal: AbortSignal;
}

/** The response of the remote side. A refusal is a response, too; its code may be unknown to this version. */
export type RemoteAnswer =
  | { readonly ok: true; readonly body: Json }
  | {
      readonly ok: false;
      readonly code: string;
      readonly title: string;
      readonly detail?: string;
      /** Of HTTP. */
      readonly status: number;
      /** Further facts for a program, as in a problem document. */
      readonly details?: Json;
    };

/** What came of a call: its answer, or what was thrown in place of one. */
export type Came = RemoteAnswer | { readonly threw: unknown };

/** What comes of a call; throws nothing. */
export async function cameOf(call: () => Promise<RemoteAnswer>): Promise<Came> {
  try {
    return await call();
  } catch (threw) {
    return { threw };
  }
}

/** Whether an answer says that nobody is there. */
export const isAbsence = (came: Came): boolean =>
  'ok' in came && !came.ok && (came.status === 404 || came.status === 410);

/** Whether the same call makes sense again: nobody was reached, or the other side cannot answer it now. */
export function isToBeRepeated(came: Came): boolean {
  if ('threw' in came) return !(came.threw instanceof RemoteError) || came.threw.retryable;
  return !came.ok && (came.status === 429 || came.status >= 500);
}

/** An event of a stream. */
export type RemoteEvent =
  | { readonly type: 'chunk'; readonly sequence: number; readonly chunk: Chunk }
  /**
   * A chunk of a type that only a newer version knows. It has a place in the log, but its content is not stored. `bytes` is
   * the size of its JSON, which counts in `maxLogBytes`; 100 at least.
   */
  | { readonly type: 'passed_over'; readonly sequence: number; readonly bytes?: number }
  /** The reader has reached the end of the log; further chunks are new. */
  | { readonly type: 'up_to_date' }
  /**
   * The log begins later than requested, because older chunks are gone. The next chunk has this sequence number or a
   * higher one.
   */
  | { readonly type: 'reset'; readonly from: number }
  /** The run has ended, with that status; nothing follows. */
  | { readonly type: 'end'; readonly status: string };

/** Limits of one remote child in its parent's tree. Whole numbers from 1 on. */
export interface RemoteBounds {
  /** Pending calls of one task at once, including those of agents below it. 256 by default. */
  readonly maxOpenCalls: number;
  /** One reply of an agent: its text, thinking and arguments together, in characters. 4,000,000 by default. */
  readonly maxReplyCharacters: number;
  /** The log of one task, in bytes of its JSON. 64 MiB by default. */
  readonly maxLogBytes: number;
}

/** The default bounds. */
export const REMOTE_BOUNDS: RemoteBounds = {
  maxOpenCalls: 256,
  maxReplyCharacters: DATA_LIMITS.maxReplyCharacters,
  maxLogBytes: 64 * 1_048_576,
};

/** A way to reach remote agents. */
export interface RemoteAgentTransport {
  /** A label of the remote side, for people and references; without credentials. */
  readonly label: string;
  /** Limits of each remote child; `REMOTE_BOUNDS` by default. */
  readonly bounds?: Partial<RemoteBounds>;
  /**
   * Calls an operation. The response is JSON, limited in size and depth.
   * @throws RemoteError without a valid response; the call may have taken effect
   */
  call(request: RemoteCall): Promise<RemoteAnswer>;
  /**
   * The log of an agent and everything below it, beginning at the sequence number `from`. Its data is checked: sequence
   * numbers rise, chunks fit their schema, and sizes are within their limits.
   * @throws RemoteError if the stream was cut off, or sent invalid data
   */
  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<RemoteEvent>;
}

/** Reasons why an exchange with a remote side failed, and whether a retry makes sense. */
export const REMOTE_ERRORS = {
  /** No response: no connection, a lost one, or a 5xx without a valid body. */
  remote_unreachable: { retryable: true },
  /** No response in time. */
  remote_timed_out: { retryable: true },
  /** The response or the stream breaks the protocol: no JSON, an unknown state, falling sequence numbers. */
  remote_invalid: { retryable: false },
  /** The response is larger or deeper than its limit. */
  remote_too_large: { retryable: false },
  /** It redirects to a URL that is not allowed, or too often. */
  remote_redirected: { retryable: false },
  /** The URL is not allowed. */
  remote_not_allowed: { retryable: false },
  /** The remote side refuses the stream; `refusal` has the reason. */
  remote_refused: { retryable: false },
  /** The transport lacks what it needs: a binding, a secret. */
  remote_not_configured: { retryable: false },
} as const;

/** The code of such a failure. */
export type RemoteErrorCode = keyof typeof REMOTE_ERRORS;

/** The exact problem, if a code has several causes. */
export type RemoteFault =
  | 'no_connection' // nobody there
  | 'server_error' // a 5xx or 429 without a lawful body
  | 'cut' // the answer or the stream ended before its end
  | 'silent' // nothing came for too long
  | 'too_slow' // it took longer than it may altogether
  | 'media_type' // HTML, or whatever else was not asked for
  | 'not_utf8'
  | 'not_json'
  | 'shape' // JSON that is not what the protocol says
  | 'unknown_status'
  | 'bad_chunk'
  | 'foreign_address' // it tells of an agent that was not asked for
  | 'repeated' // a sequence that was given before
  | 'out_of_order' // a sequence that falls
  | 'body_too_large'
  | 'event_too_large' // one line or one event
  | 'stream_too_large' // all that one connection gave
  | 'too_deep'
  | 'too_many_parts' // arrays and objects of one answer or event
  | 'too_many_redirects'
  | 'redirect_target' // to where no call may go
  | 'redirect_of_change'; // a POST or DELETE that would go elsewhere, or become a GET

/** The reason of a refusal by the remote side. */
export type RemoteRefusal = Omit<Extract<RemoteAnswer, { readonly ok: false }>, 'ok'>;

/** The remote side sent no valid response. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly retryable: boolean;
  readonly fault?: RemoteFault;
  readonly refusal?: RemoteRefusal;

  constructor(
    readonly code: RemoteErrorCode,
    /** Safe to show; contains no credentials. */
    message: string,
    options: ErrorOptions & {
      readonly retryable?: boolean;
      readonly fault?: RemoteFault;
      readonly refusal?: RemoteRefusal;
    } = {},
  ) {
    const { retryable, fault, refusal, ...error } = options;
    super(message, error);
    this.retryable = retryable ?? REMOTE_ERRORS[code].retryable;
    if (fault !== undefined) this.fault = fault;
    if (refusal !== undefined) this.refusal = refusal;
  }
}
