/**
 * Takes back a message that no step has seen.
 *
 * Keeps DL8, DL9.
 *
 * DL9. That it was taken back is kept as long as a request is, with the message's going: who asks again, under whatever
 *      key, is answered as at first, and the audit has it once.
 * DL10. What a companion has not been given yet lies with its parent, and is taken back there.
 */
import * as z from 'zod';
import { asChild } from '../../core/tree/node';
import { findMessage } from '../../engine/object/find-message';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { type ErrorCode, refuse, refuseWith } from '../../protocol/errors';
import * as shape from '../../protocol/wire/shapes';
import type { RequestRecord } from '../receipts';
import { steered, type TreeContext, type VerbContext } from '../verb';
import { companionOf } from './companion-of';

/** Under what it is kept; no receipt of a request has such a key. */
const cancelledKey = (messageId: string): string => JSON.stringify(['cancelled', messageId]);

type Input = { readonly path: string };

/** Keeps that a message was taken back, in the transaction of its going, or of hearing of it. */
function keepCancelled(
  { store, environment }: VerbContext<Input>['object'],
  request: RequestRecord,
  messageId: string,
) {
  const key = cancelledKey(messageId);
  store.addReceipt(key, { body: '', answer: { status: 204, body: {} } }, environment.now(), IDEMPOTENCY_MS);
  request.remember(204, {}, { detail: { messageId } });
}

const isCancelled = ({ store, environment }: VerbContext<Input>['object'], messageId: string): boolean =>
  store.receipt(cancelledKey(messageId), environment.now()) !== undefined;

/** At the root, for a companion: its parent takes it back. */
async function throughParent({ tree, node, object, request, input: { path: messageId } }: TreeContext<Input>) {
  if (isCancelled(object, messageId)) return { body: {} };
  const parent = tree.tree.parentOf(asChild(node))?.address ?? '';
  const name = node.address.slice(node.address.lastIndexOf('/') + 1);
  const reply = await object.send(parent, { type: 'take_back', name, messageId });
  if (reply.answer === 'refused') refuseWith(reply.error);
  if (reply.answer === 'absent') refuse('unavailable', 'The parent of this agent could not be reached. Try again.');
  object.store.transaction(() => keepCancelled(object, request, messageId));
  return { body: {} };
}

/** What a companion answers where its parent may have what it has not. */
const ELSEWHERE: ReadonlySet<ErrorCode> = new Set(['not_found', 'never_began']);

/** Takes a message back. */
export const cancelMessage = steered({
  name: 'cancelMessage',
  method: 'DELETE',
  path: 'messages/{path}',
  action: 'write',
  summary: "Cancels a caller's message that no step has read yet, by the message's id.",
  status: 204,
  errors: ['already_delivered', 'not_cancellable', 'owned_by_parent', 'idempotency_conflict', 'unavailable'],
  input: z.strictObject({ path: z.string().min(1).max(128) }),
  output: shape.nothing,
  agent: {
    handle({ agent, object, request, input: { path: messageId } }) {
      if (isCancelled(object, messageId)) return { body: {} };
      const delivered = findMessage(agent, messageId) !== undefined;
      const at = object.environment.now();
      const applied = agent.apply({ type: 'cancel_message', at, messageId, delivered }, () =>
        keepCancelled(object, request, messageId),
      );
      if (!applied.ok) refuseWith(applied.refused);
      return { body: {} };
    },
    complete: () => ({}),
  },
  root: { throughParent },
  async steer(ways, object, call) {
    const reply = await ways.agent();
    if (reply.ok || !ELSEWHERE.has(reply.error.code) || companionOf(object, call) === undefined) return reply;
    const parents = await ways.root('throughParent');
    return !parents.ok && parents.error.code === 'not_found' ? reply : parents;
  },
});
