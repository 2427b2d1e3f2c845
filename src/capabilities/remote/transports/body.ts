/**
 * The check of a body before it is sent. A server that refuses a body while it comes may close the connection: its sender
 * would think that no server is there.
 *
 * Keeps AE15.
 */
import type { RemoteAnswer } from '../../../core/definition/remote-transport';
import { failureOf, OffshootError } from '../../../protocol/errors';
import type { JsonObject } from '../../../protocol/json';
import { plainInput } from '../../../protocol/plain-input';
import { problemOf } from '../../../protocol/problem';
import { refusalOf } from './answer';

/** The refusal of a body that no agent takes, in the words that one has for it; undefined for one that may be sent. */
export function refusedBody(body: JsonObject): Extract<RemoteAnswer, { readonly ok: false }> | undefined {
  try {
    plainInput(body);
    return undefined;
  } catch (error) {
    if (error instanceof OffshootError) return refusalOf({ ...problemOf(failureOf(error), '') });
    throw error;
  }
}
