/**
 * Leases: what an agent may spend before it asks its root again. Why there are any is in `budget.ts`.
 *
 * Keeps BU9.
 */
import type { Usage } from '../../protocol/usage';

/** What an agent may still spend before it asks again. It may ask its model as long as something of each is left. */
export interface Lease {
  readonly tokens: number;
  readonly costUsd: number;
  readonly steps: number;
  /** Before which of its requests to models an agent asks for a turn; missing where before none. */
  readonly asksFirst?: AsksFirst;
}

/** Those who ask for a turn before each request to a model: everybody, or those who ask these providers. */
export type AsksFirst = 'everybody' | readonly string[];

/** For one model call: it is used up by asking. */
export const ONE_CALL: Lease = { tokens: 0, costUsd: 0, steps: 1 };

/** Whether a lease is for one model call alone. */
export function isForOneCall({ steps, tokens }: Lease): boolean {
  return steps === ONE_CALL.steps && tokens === ONE_CALL.tokens;
}

/** What two leases both allow. */
export const smaller = (one: Lease, other: Lease): Lease => ({
  tokens: Math.min(one.tokens, other.tokens),
  costUsd: Math.min(one.costUsd, other.costUsd),
  steps: Math.min(one.steps, other.steps),
});

/** Whether a lease still covers a model call, after so much was spent since it was granted. */
export function covers(lease: Lease, spent: Usage): boolean {
  if (spent.modelCalls >= lease.steps) return false;
  if (isForOneCall(lease)) return true;
  return spent.inputTokens + spent.outputTokens < lease.tokens && (spent.costUsd ?? 0) < lease.costUsd;
}
