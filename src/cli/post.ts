/** A request that changes something: sent with a key, so that it can be sent again where its answer was lost. */
import type { JsonObject } from '../core/json';
import { Refused, Unreachable } from './errors';
import { type Api, requestJson } from './http';
import type { CliIo } from './io';

const TIMEOUT_MS = 30_000;
/** Waits before the next try after a lost answer, in ms. */
const RETRY_MS = [300, 1_000, 3_000];

/**
 * Posts a body and gives the answer; the same key again never does anything twice.
 * @throws {Refused} when the server refuses, {Unreachable} when it cannot be reached, the signal's reason
 */
export async function post(
  io: Pick<CliIo, 'wait'>,
  api: Api,
  path: string,
  body: JsonObject,
  key: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const headers = { 'idempotency-key': key };
  for (let tried = 0; ; tried += 1) {
    try {
      return await requestJson(api, path, { method: 'POST', body, headers, timeoutMs: TIMEOUT_MS, signal });
    } catch (error) {
      const wait = RETRY_MS[tried];
      const passing = error instanceof Unreachable || (error instanceof Refused && error.code === 'unavailable');
      if (!passing || wait === undefined) throw error;
      await io.wait(wait, signal);
      signal.throwIfAborted();
    }
  }
}
