import { E as Json, O as JsonObject, a as Chunk } from "./chunks.js";
/** An agent there: the root whose name was minted here, or one below it. */
interface RemoteAgent {
  /** What its class is called in addresses, in kebab case. */
  readonly addressClass: string;
  /** Of the root; minted here, and bound to one child. */
  readonly name: string;
  /** From the root down, as in an address: `/sub/researcher/1~1`. Missing for the root itself. */
  readonly below?: string;
}
/** On whose behalf a call is made. */
interface RemoteCaller {
  readonly subject: string;
  /** W3C. */
  readonly traceparent?: string;
  /** Nobody waits for the answer after this, in ms since 1970. */
  readonly deadline?: number;
}
/** A verb of the API at an agent there. */
interface RemoteCall {
  /** Its name in the table of verbs: `start`, `status`, `send`, `interrupt`, `submit` ... */
  readonly verb: string;
  readonly agent: RemoteAgent;
  /** Its input: the body of a POST, or what the query of a GET says. */
  readonly body?: JsonObject;
  readonly idempotencyKey?: string;
  readonly caller?: RemoteCaller;
  readonly signal: AbortSignal;
}
/** What the other side answered. A refusal is an answer; its code is a word of the other side and may be unknown here. */
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
  /** What is known beyond it, for a program, as in a problem document. */
  readonly details?: Json;
};
/** What a stream gives. */
type RemoteEvent = {
  readonly type: 'chunk';
  readonly sequence: number;
  readonly chunk: Chunk;
} |
/** A chunk of a type that only a newer version knows: it has its place in the log, and nothing of it is kept. */
{
  readonly type: 'passed_over';
  readonly sequence: number;
} |
/** Everything up to now was given; what comes next is new. */
{
  readonly type: 'up_to_date';
} |
/** The log begins later than was asked for: what is older is gone. The next chunk has this sequence or a higher one. */
{
  readonly type: 'reset';
  readonly from: number;
} |
/** Nothing more is to come: the run has ended, with that status. */
{
  readonly type: 'end';
  readonly status: string;
};
/** Bounds of what one remote child may have open, show and keep in its tree. Whole numbers from 1 on. */
interface RemoteBounds {
  /** Calls of one task that wait for a person at once, those of agents below it included. 256 by default. */
  readonly maxOpenCalls: number;
  /** One reply of an agent: its texts, thinking and arguments together, in characters. 4,000,000 by default. */
  readonly maxReplyCharacters: number;
  /** The log of one task, in bytes of its JSON. 64 MiB by default. */
  readonly maxLogBytes: number;
}
/** How agents elsewhere are reached. */
interface RemoteAgentTransport {
  /** Where it leads, for people and for refs; holds no credential. */
  readonly label: string;
  /** Bounds of each child that it reaches; by default those of `REMOTE_BOUNDS`. */
  readonly bounds?: Partial<RemoteBounds>;
  /**
   * One call of a verb. The answer is bounded in size and depth, and JSON.
   * @throws RemoteError where no lawful answer came: whether the call had an effect is not known then
   */
  call(request: RemoteCall): Promise<RemoteAnswer>;
  /**
   * The log of an agent and of everything below it, from a sequence on (`from` is the first that is given). What is given
   * is checked: sequences rise, chunks fit their schema, sizes keep to their limits.
   * @throws RemoteError where it was cut, or gave what is not lawful
   */
  stream(request: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<RemoteEvent>;
}
/** Why an exchange with another side came to nothing, and whether to try again makes sense. */
declare const REMOTE_ERRORS: {
  /** Nobody answered: no connection, a cut one, or a 5xx without a lawful body. */
  readonly remote_unreachable: {
    readonly retryable: true;
  };
  /** No answer came in time. */
  readonly remote_timed_out: {
    readonly retryable: true;
  };
  /** The answer or the stream is not what the protocol says: no JSON, an unknown state, sequences that fall. */
  readonly remote_invalid: {
    readonly retryable: false;
  };
  /** It is larger or deeper than its limit. */
  readonly remote_too_large: {
    readonly retryable: false;
  };
  /** It redirects to where it may not, or too often. */
  readonly remote_redirected: {
    readonly retryable: false;
  };
  /** The URL is not allowed. */
  readonly remote_not_allowed: {
    readonly retryable: false;
  };
  /** The other side refuses the stream; `refusal` says why. */
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
/** What exactly was wrong, where one code stands for several things. */
type RemoteFault = 'no_connection' | 'server_error' | 'cut' | 'silent' | 'too_slow' | 'media_type' | 'not_utf8' | 'not_json' | 'shape' | 'unknown_status' | 'bad_chunk' | 'foreign_address' | 'repeated' | 'out_of_order' | 'body_too_large' | 'event_too_large' | 'stream_too_large' | 'too_deep' | 'too_many_redirects' | 'redirect_target' | 'redirect_of_change';
/** Why the other side refused. */
type RemoteRefusal = Omit<Extract<RemoteAnswer, {
  readonly ok: false;
}>, 'ok'>;
/** No lawful answer came from the other side. */
declare class RemoteError extends Error {
  readonly code: RemoteErrorCode;
  readonly name = "RemoteError";
  readonly retryable: boolean;
  readonly fault?: RemoteFault;
  readonly refusal?: RemoteRefusal;
  constructor(code: RemoteErrorCode,
  /** Safe to show; holds no credential. */
  message: string, options?: ErrorOptions & {
    readonly retryable?: boolean;
    readonly fault?: RemoteFault;
    readonly refusal?: RemoteRefusal;
  });
}
export { RemoteBounds as a, RemoteError as c, RemoteFault as d, RemoteRefusal as f, RemoteAnswer as i, RemoteErrorCode as l, RemoteAgent as n, RemoteCall as o, RemoteAgentTransport as r, RemoteCaller as s, REMOTE_ERRORS as t, RemoteEvent as u };