/** How a request fails: each kind is a class of its own, and its message says what happened and what to do. */
import type { Json } from '../protocol/json';

/**
 * Whatever this client says that it could not do. What is aborted throws the signal's reason instead.
 * @example
 * const shown = (error: unknown): string => (error instanceof ClientError ? error.message : 'It was stopped.');
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
}

/**
 * Nothing answers, or something that is no Offshoot server. May pass.
 * @example
 * const isAway = (error: unknown): boolean => error instanceof Unreachable;
 */
export class Unreachable extends ClientError {
  override readonly name = 'Unreachable';
}

/**
 * The server answered, but not as the protocol says.
 * @example
 * const isOtherRelease = (error: unknown): boolean => error instanceof ProtocolError;
 */
export class ProtocolError extends ClientError {
  override readonly name = 'ProtocolError';

  constructor(message: string) {
    super(`The server does not follow the protocol: ${message}`);
  }
}

/** What the problem document of a refusal says. */
export interface Problem {
  /** Of the HTTP answer. */
  readonly status: number;
  /** Stable: handle errors by it. */
  readonly code: string;
  /** The kind of the code, such as `input` or `limit`; empty where the server named none. */
  readonly category: string;
  /** True where the same request may be answered later. */
  readonly retryable: boolean;
  /** Safe to show to anyone. */
  readonly title: string;
  /** For a developer; empty where it says no more than the title. */
  readonly detail: string;
  /** What is known beyond it, for example the decision that was recorded; null for nothing. */
  readonly details: Json;
  /** Names the request in the server's log; empty where the server named none. */
  readonly requestId: string;
}

/**
 * The server refused a request: all that its problem document says.
 * @example
 * const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'gone';
 */
export class Refused extends ClientError implements Problem {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly category: string;
  readonly retryable: boolean;
  readonly title: string;
  readonly detail: string;
  readonly details: Json;
  readonly requestId: string;

  constructor({ status, code, category, retryable, title, detail, details, requestId }: Problem) {
    super([`${title} (${code})`, ...(detail === '' ? [] : [detail])].join('\n'));
    this.status = status;
    this.code = code;
    this.category = category;
    this.retryable = retryable;
    this.title = title;
    this.detail = detail;
    this.details = details;
    this.requestId = requestId;
  }
}
