/** Where the log comes from: one connection, over HTTP or over a socket, told in the same few events. */
import type { Json } from '../protocol/json';

/** What a connection tells. Every event is a sign of life; `alive` is nothing else. */
export type WireEvent =
  | { readonly kind: 'alive' }
  | { readonly kind: 'chunk'; readonly sequence: number; readonly chunk: Json }
  /** The log begins at `from` now. */
  | { readonly kind: 'reset'; readonly from: number }
  | { readonly kind: 'up-to-date' }
  /** The run has ended or is suspended, and all of it was told. */
  | { readonly kind: 'rest'; readonly status: string };

/** How a connection ended: `inOrder` when the server closed it, but without a word. */
export interface Cut {
  readonly problem: string;
  readonly inOrder: boolean;
}

/** What is asked of a connection. */
export interface SourceRequest {
  /** The agent whose subtree is read. */
  readonly address: string;
  /** The first sequence. */
  readonly from: number;
  /** Whether it stays open after `rest`. */
  readonly staysOpen: boolean;
  /** Whether the pieces of texts and arguments are asked for. */
  readonly deltas: boolean;
  /** Without a sign of life for so long, in ms, it counts as lost. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/**
 * Opens a connection and tells what it brings, no faster than it is asked. It is closed when its reader stops.
 * @throws {Refused} when the server refuses, {Unreachable} when it cannot be reached, {ProtocolError} when what it sends
 *   makes no sense, the signal's reason when that aborts
 */
export type Source = (request: SourceRequest) => AsyncGenerator<WireEvent, Cut, void>;

/** The longest that one connection may take to open, in ms. */
export const OPEN_TIMEOUT_MS = 15_000;

/** The value of a promise, or `stalled` when it takes longer than `ms`. Rejects when the signal aborts. */
export function within<Value>(promise: Promise<Value>, ms: number, signal: AbortSignal): Promise<Value | 'stalled'> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => resolve('stalled'), ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}
