/**
 * Takes back a message that no step has seen.
 *
 * Keeps DL8, DL9.
 *
 * DL9. That it was taken back is kept as long as a request is, with the message's going: who asks again, under whatever
 *      key, is answered as at first, and the audit has it once.
 */
import * as z from 'zod';
import { findMessage } from '../engine/find-message';
import { IDEMPOTENCY_MS } from '../protocol/data-limits';
import { refuseWith } from '../protocol/errors';
import * as shape from '../protocol/shapes';
import { fromAgent } from './verb';

/** Under what it is kept; no receipt of a request has such a key. */
const cancelledKey = (messageId: string): string => JSON.stringify(['cancelled', messageId]);

/** Takes a message back. */
export const cancelMessage = fromAgent({
  name: 'cancelMessage',
  method: 'DELETE',
  path: 'messages/{path}',
  action: 'write',
  summary: 'Takes back a message of a caller, by its id, that no step of the agent has seen yet.',
  status: 204,
  errors: ['already_delivered', 'not_cancellable', 'owned_by_parent', 'idempotency_conflict', 'unavailable'],
  input: z.strictObject({ path: z.string().min(1).max(128) }),
  output: shape.nothing,
  handle({ agent, object, request, input: { path: messageId } }) {
    const { store, environment } = object;
    const key = cancelledKey(messageId);
    if (store.receipt(key, environment.now()) !== undefined) return { body: {} };
    const delivered = findMessage(agent, messageId) !== undefined;
    const applied = agent.apply({ type: 'cancel_message', at: environment.now(), messageId, delivered }, () => {
      store.addReceipt(key, { body: '', answer: { status: 204, body: {} } }, environment.now(), IDEMPOTENCY_MS);
      request.remember(204, {}, { detail: { messageId } });
    });
    if (!applied.ok) refuseWith(applied.refused);
    return { body: {} };
  },
  complete: () => ({}),
});
