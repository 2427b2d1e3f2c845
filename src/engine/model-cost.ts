/**
 * What a model call may cost, and what it did.
 *
 * Keeps US1, US3, BU5.
 */
import type { AgentDefinition } from '../core/definition/definition';
import { OffshootError } from '../protocol/errors';
import type { Usage } from '../protocol/usage';
import type { ModelAgent } from './performer';

/** Asks the root for a lease where the last one is used up. @throws OffshootError that names the budget */
export async function covered(agent: ModelAgent, signal: AbortSignal): Promise<void> {
  const { lease, state } = agent;
  if (lease.covers(state.spent)) return;
  const grant = await agent.link.lease();
  // Its run may have ended meanwhile, and the root has taken the lease back.
  if (signal.aborted) return;
  if (!grant.ok) throw new OffshootError(grant.error.code, grant.error.message);
  lease.take(grant.lease, state.spent);
}

/** The usage of a model call with what it cost; where nobody knows that, the call is counted as one without a price. */
export function priced({ price }: AgentDefinition, usage: Usage, model: string): Usage {
  const known = typeof price === 'function' ? price(model) : price;
  if (usage.costUsd !== undefined) return usage;
  if (known === undefined) return usage.modelCalls === 0 ? usage : { ...usage, unpricedCalls: usage.modelCalls };
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const micro =
    (usage.inputTokens - cached) * known.input +
    cached * (known.cached ?? known.input) +
    usage.outputTokens * known.output;
  return { ...usage, costUsd: micro / 1_000_000 };
}
