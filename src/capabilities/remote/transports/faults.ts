/**
 * The failures of an exchange, each with the code that it belongs to.
 *
 * Keeps AE17.
 */
import { RemoteError, type RemoteErrorCode, type RemoteFault } from '../../../core/definition/remote-transport';
import { boundedText } from '../../../protocol/errors';

const CODES: { readonly [Fault in RemoteFault]: RemoteErrorCode } = {
  no_connection: 'remote_unreachable',
  server_error: 'remote_unreachable',
  cut: 'remote_unreachable',
  silent: 'remote_timed_out',
  too_slow: 'remote_timed_out',
  media_type: 'remote_invalid',
  not_utf8: 'remote_invalid',
  not_json: 'remote_invalid',
  shape: 'remote_invalid',
  unknown_status: 'remote_invalid',
  bad_chunk: 'remote_invalid',
  foreign_address: 'remote_invalid',
  repeated: 'remote_invalid',
  out_of_order: 'remote_invalid',
  body_too_large: 'remote_too_large',
  event_too_large: 'remote_too_large',
  stream_too_large: 'remote_too_large',
  too_deep: 'remote_too_large',
  too_many_parts: 'remote_too_large',
  too_many_redirects: 'remote_redirected',
  redirect_target: 'remote_redirected',
  redirect_of_change: 'remote_redirected',
};

/** An error of that fault. What the other side sent is no part of `what`, or it is cut. */
export function faulty(fault: RemoteFault, what: string, options: { cause?: unknown; retryable?: boolean } = {}) {
  return new RemoteError(CODES[fault], boundedText(what, MAX_WHAT), { ...options, fault });
}

/** What is said of a failure, in characters. */
const MAX_WHAT = 1_000;

/** A word of the other side, as an error may show it. */
export const quoted = (word: unknown): string => JSON.stringify(boundedText(String(word), 80));
