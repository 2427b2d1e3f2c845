/** What people decide about calls that wait: sent once, whatever is repeated, and kept as a receipt. */
import { useSyncExternalStore } from 'react';
import { type Document, type Json, Refused } from '../../client';
import { personOf } from '../../protocol/people';
import { server } from './session';

/** A call that waits. */
export type Item = Document<'pendingItem'>;

/** What a person says to one. `input` of an approval: the arguments as they were changed. */
export type Decision =
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly error: string };

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
  receipts = new Map([...receipts, [receipt.toolCallId, receipt]]);
  for (const listener of listeners) listener();
}

/** The receipts of this page, the first one first: no older status opens their calls again. */
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
function receiptOfOther({ toolCallId, toolName, address }: Item, { details }: Refused): Receipt {
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

/** A short mark of a text: two decisions of one call differ in it. */
function markOf(text: string): string {
  let mark = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
  return (mark >>> 0).toString(16);
}

function bodyOf({ toolCallId, inputHash }: Item, decision: Decision) {
  switch (decision.kind) {
    case 'approve': {
      const { input } = decision;
      const changed = input === undefined ? {} : { input };
      return { kind: 'approval-response', toolCallId, approved: true, inputHash, ...changed } as const;
    }
    case 'deny': {
      const why = decision.reason === '' ? {} : { reason: decision.reason };
      return { kind: 'approval-response', toolCallId, approved: false, inputHash, ...why } as const;
    }
    case 'result':
      return { kind: 'client-tool-result', toolCallId, result: decision.result } as const;
    default:
      return { kind: 'client-tool-result', toolCallId, error: decision.error } as const;
  }
}

/** What tells a decision of a call from another one of it. */
export const decisionKey = ({ toolCallId }: Item, decision: Decision): string =>
  `${toolCallId}.${decision.kind}.${markOf(JSON.stringify(decision))}`;

/**
 * Sends a decision, and gives its receipt to keep. The same one has the same key: what failed on its way counts once when
 * it is sent again.
 * @throws Refused unless somebody has answered already: then that is the receipt
 */
export async function decide(item: Item, decision: Decision, signal?: AbortSignal): Promise<Receipt> {
  const { toolCallId, toolName, address } = item;
  const idempotencyKey = decisionKey(item, decision);
  try {
    await server().answer(address, bodyOf(item, decision), { idempotencyKey, ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'already_answered') throw error;
    return receiptOfOther(item, error);
  }
  const says =
    decision.kind === 'approve' && decision.input !== undefined ? 'Approved as changed' : SAYS[decision.kind];
  const reason = decision.kind === 'deny' && decision.reason !== '' ? { reason: decision.reason } : {};
  return { toolCallId, toolName, address, says, who: 'you', at: Date.now(), ...reason, elsewhere: false };
}
