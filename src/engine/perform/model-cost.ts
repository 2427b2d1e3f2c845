/**
 * What a model call may cost, and what it did.
 *
 * Decides: what a model call costs, and when a lease of the budget must cover it before it is made.
 * Keeps US1, US3, US9, US11, US14, BU5, BU15.
 */
import type { AgentDefinition, Price } from '../../core/definition/definition';
import { priceProblem } from '../../core/definition/price';
import { OffshootError } from '../../protocol/errors';
import { countedUsage, isUncounted, MAX_AMOUNT, type Usage, usd } from '../../protocol/usage';
import type { Environment } from '../environment';
import { reportUnpriced } from '../settings/report-warnings';
import type { ModelAgent } from './performer';

/** Asks the root for a lease where the last one is used up. @throws OffshootError that names the budget */
export async function covered(agent: ModelAgent, signal: AbortSignal): Promise<void> {
  const { lease, state } = agent;
  if (lease.covers(state.spent)) return;
  const grant = await agent.link.lease();
  // Its run may have ended meanwhile, and the root has taken the lease back.
  if (signal.aborted) return;
  if (!grant.ok) {
    const { code, message, details } = grant.error;
    throw new OffshootError(code, message, details === undefined ? {} : { details });
  }
  lease.take(grant.lease, state.spent);
  agent.modelTurns.take(grant.lease.asksFirst);
}

/** Prices of a definition for a model; undefined where nobody knows them, and `failed` where that has been reported. */
function priceOf({ name, price }: AgentDefinition, model: string, { report }: Reporting): Price | 'failed' | undefined {
  if (typeof price !== 'function') return price;
  try {
    const known = price(model);
    const problem = known === undefined ? undefined : priceProblem(known);
    if (problem === undefined) return known;
    report(`Agent "${name}": the \`price\` of ${model} ${problem}. Its calls count as calls without a price.`);
  } catch (error) {
    report(`Agent "${name}": \`price\` failed for ${model}. Its calls count as calls without a price.`, error);
  }
  return 'failed';
}

type Reporting = Pick<Environment, 'report'>;

/** The cost of tokens, in US dollars. */
function costOf(usage: Usage, price: Price): number {
  const { inputTokens, cachedTokens: cached, cacheWriteTokens: written = 0, outputTokens, reasoningTokens } = usage;
  const micro =
    (inputTokens - cached - written) * price.input +
    cached * (price.cached ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    (outputTokens - reasoningTokens) * price.output +
    reasoningTokens * (price.reasoning ?? price.output);
  return usd(Math.min(micro / 1_000_000, MAX_AMOUNT));
}

/** True for prices that are all 0: such calls cost nothing, however many tokens they have. */
const isFree = (price: Price = { input: 1, output: 1 }): boolean => Object.values(price).every((part) => !part);

/**
 * The usage of a model call as it is counted, with its cost. Where the cost is unknown, or known in part alone, the call
 * counts as one without a price. Invalid amounts are reported.
 */
export function priced(reporting: Reporting, definition: AgentDefinition, given: Usage, model: string): Usage {
  const { usage, ignored } = countedUsage(given);
  if (ignored.length > 0)
    reporting.report(`${model}: a reply has invalid token counts, which are ignored: ${ignored.join(', ')}.`);
  if (usage.costUsd !== undefined) return usage;
  const found = priceOf(definition, model, reporting);
  const known = found === 'failed' ? undefined : found;
  if (found === undefined && !isUncounted(usage)) reportUnpriced(reporting, definition, model);
  const price = isUncounted(usage) && !isFree(known) ? undefined : known;
  const unpriced = usage.modelCalls === 0 ? {} : { unpricedCalls: usage.modelCalls };
  if (price === undefined) return { ...usage, ...unpriced };
  const isPart = (usage.cacheWriteTokens ?? 0) > 0 && price.cacheWrite === undefined;
  return { ...usage, costUsd: costOf(usage, price), ...(isPart ? unpriced : {}) };
}
