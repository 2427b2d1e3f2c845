/** What people decide about calls that wait: sent once, whatever is repeated, and kept as a receipt. */
import { useSyncExternalStore } from 'react';
import type { Document, Refused } from '../../client';
import { personOf } from '../../protocol/shown/people';
import { type Decision, decisionKey, sendDecision } from '../../react/decision';
import { callKey } from './call-key';
import { server } from './session';

/** A pending call. */
export type Item = Document<'pendingItem'>;

/** What was decided about a call, by whom and when. */
export interface Receipt {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Whose call it is. */
  readonly address: string;
  readonly says: string;
  readonly who: string;
  readonly at: number;
  readonly reason?: string;
  /** Whether somebody else was faster. */
  readonly elsewhere: boolean;
}

let receipts: ReadonlyMap<string, Receipt> = new Map();
const listeners = new Set<() => void>();

/** Keeps a receipt: what was decided is shown in the place of its call. */
export function keep(receipt: Receipt): void {
  receipts = new Map([...receipts, [callKey(receipt), receipt]]);
  for (const listener of listeners) listener();
}

/** The receipts of this page by the keys of their calls, the first one first: no older status opens these again. */
export const useReceipts = (): ReadonlyMap<string, Receipt> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => receipts,
  );

const SAYS: Readonly<Record<Decision['kind'], string>> = {
  approve: 'Approved',
  deny: 'Denied',
  result: 'Answered',
  error: 'Answered with an error',
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The receipt of an answer that somebody else gave, as the refusal tells it. */
export function receiptOfOther({ toolCallId, toolName, address }: Item, { details }: Refused): Receipt {
  const made = fieldOf(details, 'decision');
  const at = fieldOf(made, 'at');
  const actor = fieldOf(made, 'actor');
  const reason = fieldOf(made, 'reason');
  const approved = fieldOf(made, 'approved');
  return {
    toolCallId,
    toolName,
    address,
    says: approved === true ? SAYS.approve : approved === false ? SAYS.deny : SAYS.result,
    who: typeof actor === 'string' ? personOf(actor) : 'somebody else',
    at: typeof at === 'number' ? at : Date.now(),
    ...(typeof reason === 'string' ? { reason } : {}),
    elsewhere: true,
  };
}

/** The receipt of a decision that was taken. */
export function receiptOf({ toolCallId, toolName, address }: Item, decision: Decision): Receipt {
  const says =
    decision.kind === 'approve' && decision.input !== undefined ? 'Approved with changes' : SAYS[decision.kind];
  const reason = decision.kind === 'deny' && decision.reason !== '' ? { reason: decision.reason } : {};
  return { toolCallId, toolName, address, says, who: 'you', at: Date.now(), ...reason, elsewhere: false };
}

/**
 * Sends the decision about one of several calls, and gives its receipt to keep.
 * @throws Refused unless somebody has answered already: then that is the receipt
 */
export async function decide(item: Item, decision: Decision, signal: AbortSignal): Promise<Receipt> {
  const other = await sendDecision(server(), item, decision, { idempotencyKey: decisionKey(item, decision), signal });
  return other === undefined ? receiptOf(item, decision) : receiptOfOther(item, other);
}
