/** A request that changes something: sent with a key, so that it can be sent again where its answer was lost. */
import type { JsonObject } from '../protocol/json';
import { type Clock, untilAnswered } from './again';
import { type Api, type ApiRequest, requestJson } from './http';

/** How long an answer may take that waits for no run, in ms. */
export const POST_TIMEOUT_MS = 30_000;

/**
 * Sends a request, a POST by default, and gives the answer; the same key again never does anything twice.
 * @throws {Refused} when the server refuses, {Unreachable} when it stays away for a minute, the signal's reason
 */
export async function post<Answer extends object = JsonObject>(
  clock: Clock,
  api: Api,
  path: string,
  request: Pick<ApiRequest, 'method' | 'body' | 'timeoutMs'>,
  key: string,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = { 'idempotency-key': key };
  return await untilAnswered(clock, signal, () =>
    requestJson<Answer>(api, path, { method: 'POST', ...request, headers, signal }),
  );
}
