/**
 * What was spent: tokens, money, calls and time, and how it is added up.
 *
 * Decides: which amounts from outside count, and how exact an amount of money is.
 * Keeps US1, US3, US10, US11, US15.
 */
import { beginningOf } from './content/cut';

/** The usage of an agent or a tree. Unknown prices stay unknown: `costUsd` is present only if a price is known. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Tokens written to a cache of the provider; absent if there were none. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  /** Model calls without a known price; only if there were any. */
  readonly unpricedCalls?: number;
};

type Sum = { -readonly [Part in keyof Usage]: Usage[Part] };

const ALWAYS_KNOWN = [
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'reasoningTokens',
  'modelCalls',
  'toolCalls',
] as const;

/** What is missing of a usage where there was none, or where nobody knows it. */
const PARTLY_KNOWN = ['cacheWriteTokens', 'costUsd', 'unpricedCalls'] as const;

/** Nothing spent. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
  toolCalls: 0,
};

/** True for a model call without any counted token: its cost is unknown. */
export const isUncounted = ({ modelCalls, inputTokens, outputTokens }: Usage): boolean =>
  modelCalls > 0 && inputTokens + outputTokens === 0;

/** Sums of what was spent, by any names: also by those that every object has by nature. */
export function usageBy(
  parts: Iterable<readonly [name: string, usage: Usage]>,
  before: { readonly [name: string]: Usage } = {},
): { [name: string]: Usage } {
  const sums = new Map(Object.entries(before));
  for (const [name, usage] of parts) sums.set(name, addUsage(sums.get(name) ?? NO_USAGE, usage));
  return Object.fromEntries(sums);
}

/** The largest amount that counts: beyond it numbers are not exact. A larger sum is this one. */
export const MAX_AMOUNT: number = Number.MAX_SAFE_INTEGER;

const bounded = (amount: number): number => Math.min(amount, MAX_AMOUNT);

/**
 * Decimals of an amount in US dollars. A token of the cheapest models costs about 1e-8; sums of binary fractions are
 * wrong from the 16th digit on, which people would see as 0.30000000000000004.
 */
const USD_DECIMALS = 10;

const USD_PARTS = 10 ** USD_DECIMALS;
/** From here on no number has more decimals. */
const USD_EXACT = MAX_AMOUNT / USD_PARTS;

/** An amount of US dollars as it is kept, added and shown. Trees of thousands of agents are summed with it for each lease. */
export const usd = (amount: number): number =>
  amount < USD_EXACT ? Math.round(amount * USD_PARTS) / USD_PARTS : amount;

/** An amount of US dollars in a text, never as `1e-7`. */
export const usdText = (amount: number): string => amount.toFixed(USD_DECIMALS).replace(/\.?0+$/, '');

/** An amount of any part of a usage: money is rounded, and a sum is bounded. */
const amountOf = (part: keyof Usage, amount: number): number => {
  const most = bounded(amount);
  return part === 'costUsd' ? usd(most) : most;
};

/**
 * Usage since then: every part less what it was before, never below 0. It is called for all other leases at each lease, so
 * it has to be cheap.
 */
export function lessUsage(now: Usage, before: Usage): Usage {
  const rest: Sum = {
    inputTokens: less(now.inputTokens, before.inputTokens),
    outputTokens: less(now.outputTokens, before.outputTokens),
    cachedTokens: less(now.cachedTokens, before.cachedTokens),
    reasoningTokens: less(now.reasoningTokens, before.reasoningTokens),
    modelCalls: less(now.modelCalls, before.modelCalls),
    toolCalls: less(now.toolCalls, before.toolCalls),
  };
  if (now.cacheWriteTokens !== undefined)
    rest.cacheWriteTokens = bounded(less(now.cacheWriteTokens, before.cacheWriteTokens));
  const costUsd = now.costUsd === undefined ? undefined : usd(bounded(less(now.costUsd, before.costUsd)));
  const unpricedCalls = bounded(less(now.unpricedCalls ?? 0, before.unpricedCalls));
  // What was known before says nothing of calls since of which none has a price.
  const isUnknown = costUsd === 0 && unpricedCalls > 0 && unpricedCalls >= rest.modelCalls;
  if (costUsd !== undefined && !isUnknown) rest.costUsd = costUsd;
  if (unpricedCalls > 0) rest.unpricedCalls = unpricedCalls;
  return rest;
}

const less = (now: number, before = 0): number => Math.max(0, now - before);

/** The sum of two usages. A cost, tokens written to a cache, and calls without a price are known when either side knows them. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Sum = { ...NO_USAGE };
  for (const part of ALWAYS_KNOWN) sum[part] = bounded(a[part] + b[part]);
  for (const part of PARTLY_KNOWN) {
    const [one, other] = [a[part], b[part]];
    if (one !== undefined || other !== undefined) sum[part] = amountOf(part, (one ?? 0) + (other ?? 0));
  }
  return sum;
}

/** The larger of two usages, part by part: what was spent stays spent. */
export function largerUsage(a: Usage, b: Usage): Usage {
  const most: Sum = { ...NO_USAGE };
  for (const part of ALWAYS_KNOWN) most[part] = Math.max(a[part], b[part]);
  for (const part of PARTLY_KNOWN) {
    const [one, other] = [a[part], b[part]];
    if (one !== undefined || other !== undefined) most[part] = Math.max(one ?? 0, other ?? 0);
  }
  return most;
}

/** The sum of many, as `addUsage` makes it one by one; a tree of thousands of agents is summed for each lease. */
export function sumOfUsages(usages: Iterable<Usage>): Usage {
  const sum: Sum = { ...NO_USAGE };
  for (const one of usages) {
    sum.inputTokens += one.inputTokens;
    sum.outputTokens += one.outputTokens;
    sum.cachedTokens += one.cachedTokens;
    sum.reasoningTokens += one.reasoningTokens;
    sum.modelCalls += one.modelCalls;
    sum.toolCalls += one.toolCalls;
    if (one.cacheWriteTokens !== undefined) sum.cacheWriteTokens = (sum.cacheWriteTokens ?? 0) + one.cacheWriteTokens;
    if (one.costUsd !== undefined) sum.costUsd = usd((sum.costUsd ?? 0) + one.costUsd);
    if (one.unpricedCalls !== undefined) sum.unpricedCalls = (sum.unpricedCalls ?? 0) + one.unpricedCalls;
  }
  return addUsage(sum, NO_USAGE);
}

/** The most that is reported of an amount that does not count, in characters. */
const MAX_IGNORED = 60;

/** Parts that are counts; a cost may have a fraction. */
const isCount = (part: keyof Usage): boolean => part !== 'costUsd';

const isAmount = (part: keyof Usage, value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= MAX_AMOUNT && (!isCount(part) || Number.isInteger(value));

/**
 * A usage from outside as it is counted. What is no amount counts nothing and is named in `ignored`. Input that is less
 * than what came from a cache and went into one does not hold these: it is added to them.
 */
export function countedUsage(given: Usage): { readonly usage: Usage; readonly ignored: readonly string[] } {
  const usage: Sum = { ...NO_USAGE };
  const ignored: string[] = [];
  for (const part of [...ALWAYS_KNOWN, ...PARTLY_KNOWN]) {
    const value = given[part];
    if (value === undefined) continue;
    if (isAmount(part, value)) usage[part] = value;
    else ignored.push(beginningOf(`${part} ${String(value)}`, MAX_IGNORED));
  }
  const cached = usage.cachedTokens + (usage.cacheWriteTokens ?? 0);
  if (cached > usage.inputTokens) usage.inputTokens += cached;
  if (usage.reasoningTokens > usage.outputTokens) usage.outputTokens += usage.reasoningTokens;
  return { usage: addUsage(usage, NO_USAGE), ignored };
}
