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

/** An agent there: the root whose name was minted here, or one below it. */
export interface RemoteAgent {
  /** What its class is called in addresses, in kebab case. */
  readonly addressClass: string;
  /** Of the root; minted here, and bound to one child. */
  readonly name: string;
  /** From the root down, as in an address: `/sub/researcher/1~1`. Missing for the root itself. */
  readonly below?: string;
}

/** On whose behalf a call is made. */
export interface RemoteCaller {
  readonly subject: string;
  /** W3C. */
  readonly traceparent?: string;
  /** Nobody waits for the answer after this, in ms since 1970. */
  readonly deadline?: number;
}

/** A verb of the API at an agent there. */
export interface RemoteCall {
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
export type RemoteAnswer =
  | { readonly ok: true; readonly body: Json }
  | {
      readonly ok: false;
      readonly code: string;
      readonly title: string;
      readonly detail?: string;
      /** Of HTTP. */
      readonly status: number;
      /** What is known beyond it, for a program, as in a problem document. */
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

/** What a stream gives. */
export type RemoteEvent =
  | { readonly type: 'chunk'; readonly sequence: number; readonly chunk: Chunk }
  /** A chunk of a type that only a newer version knows: it has its place in the log, and nothing of it is kept. */
  | { readonly type: 'passed_over'; readonly sequence: number }
  /** Everything up to now was given; what comes next is new. */
  | { readonly type: 'up_to_date' }
  /** The log begins later than was asked for: what is older is gone. The next chunk has this sequence or a higher one. */
  | { readonly type: 'reset'; readonly from: number }
  /** Nothing more is to come: the run has ended, with that status. */
  | { readonly type: 'end'; readonly status: string };

/** Bounds of what one remote child may have open, show and keep in its tree. Whole numbers from 1 on. */
export interface RemoteBounds {
  /** Calls of one task that wait for a person at once, those of agents below it included. 256 by default. */
  readonly maxOpenCalls: number;
  /** One reply of an agent: its texts, thinking and arguments together, in characters. 4,000,000 by default. */
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

/** How agents elsewhere are reached. */
export interface RemoteAgentTransport {
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
export const REMOTE_ERRORS = {
  /** Nobody answered: no connection, a cut one, or a 5xx without a lawful body. */
  remote_unreachable: { retryable: true },
  /** No answer came in time. */
  remote_timed_out: { retryable: true },
  /** The answer or the stream is not what the protocol says: no JSON, an unknown state, sequences that fall. */
  remote_invalid: { retryable: false },
  /** It is larger or deeper than its limit. */
  remote_too_large: { retryable: false },
  /** It redirects to where it may not, or too often. */
  remote_redirected: { retryable: false },
  /** The URL is not allowed. */
  remote_not_allowed: { retryable: false },
  /** The other side refuses the stream; `refusal` says why. */
  remote_refused: { retryable: false },
  /** The transport lacks what it needs: a binding, a secret. */
  remote_not_configured: { retryable: false },
} as const;

/** The code of such a failure. */
export type RemoteErrorCode = keyof typeof REMOTE_ERRORS;

/** What exactly was wrong, where one code stands for several things. */
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
  | 'too_many_redirects'
  | 'redirect_target' // to where no call may go
  | 'redirect_of_change'; // a POST or DELETE that would go elsewhere, or become a GET

/** Why the other side refused. */
export type RemoteRefusal = Omit<Extract<RemoteAnswer, { readonly ok: false }>, 'ok'>;

/** No lawful answer came from the other side. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly retryable: boolean;
  readonly fault?: RemoteFault;
  readonly refusal?: RemoteRefusal;

  constructor(
    readonly code: RemoteErrorCode,
    /** Safe to show; holds no credential. */
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
