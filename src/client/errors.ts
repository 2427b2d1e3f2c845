/** How a request fails: each kind is a class of its own, and its message says what happened and what to do. */
import type { Json } from '../protocol/json';

/**
 * The base class of this client's errors. An aborted request throws the signal's reason instead.
 * @example
 * const shown = (error: unknown): string => (error instanceof ClientError ? error.message : 'It was stopped.');
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
}

/**
 * Nothing answers, or the answer is not from an Offshoot server. A retry may succeed.
 * @example
 * const isAway = (error: unknown): boolean => error instanceof Unreachable;
 */
export class Unreachable extends ClientError {
  override readonly name = 'Unreachable';
}

/**
 * The server's answer does not follow the protocol.
 * @example
 * const isOtherRelease = (error: unknown): boolean => error instanceof ProtocolError;
 */
export class ProtocolError extends ClientError {
  override readonly name = 'ProtocolError';

  constructor(message: string) {
    super(`The server does not follow the protocol: ${message}`);
  }
}

/** The problem document of a refusal. */
export interface Problem {
  /** The status of the HTTP response. */
  readonly status: number;
  /** Stable: handle errors by it. */
  readonly code: string;
  /** The category of the code, such as `input` or `limit`; empty if the server sent none. */
  readonly category: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Safe to show to anyone. */
  readonly title: string;
  /** Details for developers; empty if they say no more than the title. */
  readonly detail: string;
  /** Further facts, for example the recorded decision; null if there are none. */
  readonly details: Json;
  /** The id of the request in the server's log; empty if the server sent none. */
  readonly requestId: string;
}

/**
 * The server refused a request; has all fields of the problem document.
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
