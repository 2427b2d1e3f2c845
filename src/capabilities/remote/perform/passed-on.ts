/**
 * Messages of people to a remote agent at work, by their idempotency keys. Each is kept here before it is sent on, because
 * its answer may be lost as the run ends.
 *
 * RM90. A repeated message is sent to the same remote run again, and only one that this run refuses goes another way.
 * RM93. A refused message leaves its key free: the sender may mend the message.
 */
import * as z from 'zod';
import type { Receipt } from '../../../core/ports/agent-store';
import type { RemoteParent } from '../../../engine/children/children-elsewhere';
import type { VerbCall } from '../../../engine/object/object-calls';
import { keyOwner, receiptKey } from '../../../engine/receipt-key';
import { IDEMPOTENCY_MS } from '../../../protocol/data-limits';
import { canonical } from '../../../protocol/json';
import { sendAccepted } from '../../../protocol/wire/requests';
import type { PlacedRun } from '../machine/state';

const passedOn = z.object({
  /** The remote run that the message was sent to. */
  chainRunId: z.string(),
  /** The first sender: the other side keeps keys apart by it. */
  subject: z.string().exactOptional(),
  /** The answer, once it has come. */
  answer: sendAccepted.exactOptional(),
});

/** A message that was sent on. */
export type PassedOn = z.output<typeof passedOn>;

type Holder = Pick<RemoteParent, 'store' | 'environment'>;
type Named = Pick<PlacedRun, 'name'>;

/** In place of the digest of a message that was refused; no digest is such. */
const REFUSED = 'refused';

/** The key for one remote root: a later root in the same place never had the message. */
function keyOf({ name }: Named, call: VerbCall): string | undefined {
  const { verb, idempotencyKey } = call;
  if (idempotencyKey === undefined) return undefined;
  return receiptKey({ caller: keyOwner(call), below: name, verb: `${verb} passed on`, idempotencyKey });
}

const digestOf = ({ environment }: Holder, { input }: VerbCall): string => environment.sha256(canonical(input));

/** The same request as it was sent on before; `other`: the key came with another message. */
export function passedBefore(parent: Holder, child: Named, call: VerbCall): PassedOn | 'other' | undefined {
  const key = keyOf(child, call);
  const receipt = key === undefined ? undefined : parent.store.receipt(key, parent.environment.now());
  if (receipt === undefined || receipt.body === REFUSED) return undefined;
  return receipt.body === digestOf(parent, call) ? passedOn.parse(receipt.answer.body) : 'other';
}

/** Keeps that a message is sent on from now, or its answer. Without a key, nothing is kept. */
export function keepPassed(parent: Holder, child: Named, call: VerbCall, passed: PassedOn): void {
  keep(parent, child, call, { body: digestOf(parent, call), answer: { status: 202, body: passed } });
}

/** Frees the key of a message that was refused, unless a copy of it was accepted. */
export function freePassed(parent: Holder, child: Named, call: VerbCall): void {
  const now = passedBefore(parent, child, call);
  if (now === 'other' || now?.answer) return;
  keep(parent, child, call, { body: REFUSED, answer: { status: 409, body: null } });
}

function keep({ store, environment }: Holder, child: Named, call: VerbCall, receipt: Receipt): void {
  const key = keyOf(child, call);
  if (key === undefined) return;
  store.transaction(() => store.addReceipt(key, receipt, environment.now(), IDEMPOTENCY_MS));
  environment.committed?.('passed_on');
}
