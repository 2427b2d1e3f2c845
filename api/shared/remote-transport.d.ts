import { E as Json, O as JsonObject, a as Chunk } from "./chunks.js";
/** A remote agent: a root whose name this tree chose, or an agent below it. */
interface RemoteAgent {
  /** Its class in addresses, in kebab case. */
  readonly addressClass: string;
  /** The name of the root, chosen by this tree for one child. */
  readonly name: string;
  /** The path below the root: `/sub/researcher/1~1`. Absent for the root itself. */
  readonly below?: string;
}
/** The caller on whose behalf a call is made. */
interface RemoteCaller {
  readonly subject: string;
  /** W3C. */
  readonly traceparent?: string;
  /** The time after which the response is no longer awaited, in ms since 1970. */
  readonly deadline?: number;
}
/** A call of the API at a remote agent. */
interface RemoteCall {
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
type RemoteAnswer = {
  readonly ok: true;
  readonly body: Json;
} | {
  readonly ok: false;
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  /** Of HTTP. */
  readonly status: number;
  /** Further facts for a program, as in a problem document. */
  readonly details?: Json;
};
/** An event of a stream. */
type RemoteEvent = {
  readonly type: 'chunk';
  readonly sequence: number;
  readonly chunk: Chunk;
} |
/**
 * A chunk of a type that only a newer version knows. It has a place in the log, but its content is not stored. `bytes` is
 * the size of its JSON, which counts in `maxLogBytes`; 100 at least.
 */
{
  readonly type: 'passed_over';
  readonly sequence: number;
  readonly bytes?: number;
} |
/** The reader has reached the end of the log; further chunks are new. */
{
  readonly type: 'up_to_date';
} |
/**
 * The log begins later than requested, because older chunks are gone. The next chunk has this sequence number or a
 * higher one.
 */
{
  readonly type: 'reset';
  readonly from: number;
} |
/** The run has ended, with that status; nothing follows. */
{
  readonly type: 'end';
  readonly status: string;
};
/** Limits of one remote child in its parent's tree. Whole numbers from 1 on. */
interface RemoteBounds {
  /** Pending calls of one task at once, including those of agents below it. 256 by default. */
  readonly maxOpenCalls: number;
  /** One reply of an agent: its text, thinking and arguments together, in characters. 4,000,000 by default. */
  readonly maxReplyCharacters: number;
  /** The log of one task, in bytes of its JSON. 64 MiB by default. */
  readonly maxLogBytes: number;
}
/** A way to reach remote agents. */
interface RemoteAgentTransport {
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
declare const REMOTE_ERRORS: {
  /** No response: no connection, a lost one, or a 5xx without a valid body. */
  readonly remote_unreachable: {
    readonly retryable: true;
  };
  /** No response in time. */
  readonly remote_timed_out: {
    readonly retryable: true;
  };
  /** The response or the stream breaks the protocol: no JSON, an unknown state, falling sequence numbers. */
  readonly remote_invalid: {
    readonly retryable: false;
  };
  /** The response is larger or deeper than its limit. */
  readonly remote_too_large: {
    readonly retryable: false;
  };
  /** It redirects to a URL that is not allowed, or too often. */
  readonly remote_redirected: {
    readonly retryable: false;
  };
  /** The URL is not allowed. */
  readonly remote_not_allowed: {
    readonly retryable: false;
  };
  /** The remote side refuses the stream; `refusal` has the reason. */
  readonly remote_refused: {
    readonly retryable: false;
  };
  /** The transport lacks what it needs: a binding, a secret. */
  readonly remote_not_configured: {
    readonly retryable: false;
  };
};
/** The code of such a failure. */
type RemoteErrorCode = keyof typeof REMOTE_ERRORS;
/** The exact problem, if a code has several causes. */
type RemoteFault = 'no_connection' | 'server_error' | 'cut' | 'silent' | 'too_slow' | 'media_type' | 'not_utf8' | 'not_json' | 'shape' | 'unknown_status' | 'bad_chunk' | 'foreign_address' | 'repeated' | 'out_of_order' | 'body_too_large' | 'event_too_large' | 'stream_too_large' | 'too_deep' | 'too_many_parts' | 'too_many_redirects' | 'redirect_target' | 'redirect_of_change';
/** The reason of a refusal by the remote side. */
type RemoteRefusal = Omit<Extract<RemoteAnswer, {
  readonly ok: false;
}>, 'ok'>;
/** The remote side sent no valid response. */
declare class RemoteError extends Error {
  readonly code: RemoteErrorCode;
  readonly name = "RemoteError";
  readonly retryable: boolean;
  readonly fault?: RemoteFault;
  readonly refusal?: RemoteRefusal;
  constructor(code: RemoteErrorCode,
  /** Safe to show; contains no credentials. */
  message: string, options?: ErrorOptions & {
    readonly retryable?: boolean;
    readonly fault?: RemoteFault;
    readonly refusal?: RemoteRefusal;
  });
}
export { RemoteBounds as a, RemoteError as c, RemoteFault as d, RemoteRefusal as f, RemoteAnswer as i, RemoteErrorCode as l, RemoteAgent as n, RemoteCall as o, RemoteAgentTransport as r, RemoteCaller as s, REMOTE_ERRORS as t, RemoteEvent as u };