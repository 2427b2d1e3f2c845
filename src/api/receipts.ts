/**
 * Idempotency keys: a request that is repeated gets the first acceptance again.
 *
 * A19. The receipt is written in the transaction of the event that it stands for.
 */
import { createHash } from 'node:crypto';
import { failure, OffshootError } from '../core/errors';
import { canonical, type Json } from '../core/json';
import { WIRE_LIMITS } from '../core/limits';
import type { VerbAnswer, VerbCall } from '../engine/calls';
import type { ObjectRuntime } from '../engine/object';
import { addressBelow } from './locate';

/** The receipt of one request. */
export interface Once {
  /** What was answered before under this key, if anything was by now; a failure when it was to another body. */
  readonly known: VerbAnswer | undefined;
  /** Writes the receipt; call it inside the transaction. Does nothing without a key. */
  remember(status: number, body: Json): void;
}

/** Of a request without a key. */
export const NO_RECEIPT: Once = { known: undefined, remember: () => undefined };

/** A digest of a body, the same for two bodies with the same content. */
function digestOf(body: Json): string {
  return createHash('sha256').update(canonical(body)).digest('base64url');
}

/** Looks for the receipt of a request at the object that answers it. */
export function onceOf(object: ObjectRuntime, call: VerbCall): Once {
  const { idempotencyKey, caller = '', verb } = call;
  if (idempotencyKey === undefined) return NO_RECEIPT;
  const body = digestOf(call.input);
  // The object's own address is the same for all of its receipts.
  const key = JSON.stringify([caller, addressBelow('', call.path), verb, idempotencyKey]);
  const now = object.environment.now();
  return {
    get known() {
      return object.agent === undefined ? undefined : knownOf(object, key, body, now);
    },
    remember: (status, answer) =>
      object.store.addReceipt(key, { body, answer: { status, body: answer } }, now, WIRE_LIMITS.idempotencyMs),
  };
}

/**
 * The body of the first acceptance, if the request was accepted by now. What waits before its transaction asks again
 * right before it, in the same turn: the same request may have come twice at once.
 * @throws OffshootError `idempotency_conflict` when the key was used for another body
 */
export function firstAcceptance<Body extends object>({ known }: Once): Body | undefined {
  if (known?.ok === false) throw new OffshootError(known.error.code, known.error.message);
  return known?.body as Body | undefined;
}

function knownOf(object: ObjectRuntime, key: string, body: string, now: number): VerbAnswer | undefined {
  const receipt = object.store.receipt(key, now);
  if (receipt === undefined) return undefined;
  if (receipt.body !== body) {
    return {
      ok: false,
      error: failure(
        'idempotency_conflict',
        'This Idempotency-Key was used for another request. Use a new key for each request.',
      ),
    };
  }
  const { status, body: answer } = receipt.answer as { status: number; body: Json };
  return { ok: true, status, body: answer };
}
