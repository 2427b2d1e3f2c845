/** A request that changes something: sent with a key, so that it can be sent again where its answer was lost. */
import type { JsonObject } from '../protocol/json';
import { type Clock, untilAnswered } from './again';
import { type Api, requestJson } from './http';

const TIMEOUT_MS = 30_000;

/**
 * Posts a body and gives the answer; the same key again never does anything twice.
 * @throws {Refused} when the server refuses, {Unreachable} when it stays away for a minute, the signal's reason
 */
export async function post(
  clock: Clock,
  api: Api,
  path: string,
  body: JsonObject,
  key: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const headers = { 'idempotency-key': key };
  return await untilAnswered(clock, signal, () =>
    requestJson(api, path, { method: 'POST', body, headers, timeoutMs: TIMEOUT_MS, signal }),
  );
}
