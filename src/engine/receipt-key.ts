/**
 * The key of a receipt: whose request it was, at which agent, which verb, and the key that came with it.
 *
 * Keeps A18.
 */

/** What a receipt is kept under. */
export interface ReceiptKey {
  /** `null` for a key that counts for all callers. */
  readonly caller: string | null;
  /** The agent, from the object that keeps the receipt: empty for its own. */
  readonly below: string;
  readonly verb: string;
  readonly idempotencyKey: string;
}

/** Whose key comes with a call: its caller's, or everybody's. */
export const keyOwner = ({ caller = '', sharesKey }: KeyedCall): string | null => (sharesKey ? null : caller);

interface KeyedCall {
  readonly caller?: string;
  readonly sharesKey?: true;
}

/** Verbs that begin something where there was nothing. */
const BEGINNINGS: ReadonlySet<unknown> = new Set(['start', 'send', 'fork']);

/** The key as it is stored. */
export function receiptKey({ caller, below, verb, idempotencyKey }: ReceiptKey): string {
  return JSON.stringify([caller, below, verb, idempotencyKey]);
}

/** Whether a request of this key began something at the object that keeps its receipt. */
export function beganAtRoot(key: string): boolean {
  const [, below, verb]: unknown[] = JSON.parse(key);
  return below === '' && BEGINNINGS.has(verb);
}
