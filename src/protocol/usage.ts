/**
 * What was spent: tokens, money, calls and time, and how it is added up.
 *
 * Keeps US1, US3.
 */
import type * as z from 'zod';
import type { usageSchema } from './schemas';

/** What was spent. Unknown prices stay unknown: `costUsd` is present only where a price is known. */
export type Usage = z.output<typeof usageSchema>;

/** Nothing spent. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
  toolCalls: 0,
};

/** Sums of what was spent, by any names: also by those that every object has by nature. */
export function usageBy(
  parts: Iterable<readonly [name: string, usage: Usage]>,
  before: { readonly [name: string]: Usage } = {},
): { [name: string]: Usage } {
  const sums = new Map(Object.entries(before));
  for (const [name, usage] of parts) sums.set(name, addUsage(sums.get(name) ?? NO_USAGE, usage));
  return Object.fromEntries(sums);
}

/** What was spent since: every part less what it was before, never below nothing. */
export function lessUsage(now: Usage, before: Usage): Usage {
  const less = (one: number, other: number): number => Math.max(0, one - other);
  const rest = {
    inputTokens: less(now.inputTokens, before.inputTokens),
    outputTokens: less(now.outputTokens, before.outputTokens),
    cachedTokens: less(now.cachedTokens, before.cachedTokens),
    reasoningTokens: less(now.reasoningTokens, before.reasoningTokens),
    modelCalls: less(now.modelCalls, before.modelCalls),
    toolCalls: less(now.toolCalls, before.toolCalls),
  };
  const part = (name: 'cacheWriteTokens' | 'costUsd' | 'unpricedCalls'): number | undefined => {
    const value = now[name];
    return value === undefined ? undefined : less(value, before[name] ?? 0);
  };
  const [cacheWriteTokens, costUsd, unpricedCalls] = [part('cacheWriteTokens'), part('costUsd'), part('unpricedCalls')];
  // What was known before says nothing of calls since of which none has a price.
  const isKnown = costUsd !== 0 || !unpricedCalls || unpricedCalls < rest.modelCalls;
  return {
    ...rest,
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(costUsd === undefined || !isKnown ? {} : { costUsd }),
    ...(unpricedCalls ? { unpricedCalls } : {}),
  };
}

/** The sum of two usages. A cost, tokens written to a cache, and calls without a price are known when either side knows them. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    modelCalls: a.modelCalls + b.modelCalls,
    toolCalls: a.toolCalls + b.toolCalls,
  };
  const either = (one: number | undefined, other: number | undefined): number | undefined =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
  const cacheWriteTokens = either(a.cacheWriteTokens, b.cacheWriteTokens);
  const costUsd = either(a.costUsd, b.costUsd);
  const unpricedCalls = either(a.unpricedCalls, b.unpricedCalls);
  return {
    ...sum,
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(unpricedCalls === undefined ? {} : { unpricedCalls }),
  };
}

/** The sum of many, as `addUsage` makes it one by one; a tree of thousands of agents is summed for each lease. */
export function sumOfUsages(usages: Iterable<Usage>): Usage {
  const sum: { -readonly [Part in keyof Usage]: Usage[Part] } = { ...NO_USAGE };
  for (const one of usages) {
    sum.inputTokens += one.inputTokens;
    sum.outputTokens += one.outputTokens;
    sum.cachedTokens += one.cachedTokens;
    sum.reasoningTokens += one.reasoningTokens;
    sum.modelCalls += one.modelCalls;
    sum.toolCalls += one.toolCalls;
    if (one.cacheWriteTokens !== undefined) sum.cacheWriteTokens = (sum.cacheWriteTokens ?? 0) + one.cacheWriteTokens;
    if (one.costUsd !== undefined) sum.costUsd = (sum.costUsd ?? 0) + one.costUsd;
    if (one.unpricedCalls !== undefined) sum.unpricedCalls = (sum.unpricedCalls ?? 0) + one.unpricedCalls;
  }
  return sum;
}
