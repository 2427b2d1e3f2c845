import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUsage,
  countedUsage,
  largerUsage,
  lessUsage,
  MAX_AMOUNT,
  NO_USAGE,
  sumOfUsages,
  usageBy,
  usd,
  usdText,
} from '../../src/protocol/usage';
import { always } from '../support/sizes';

const whole = fc.nat();
const usage = fc.record(
  {
    inputTokens: whole,
    outputTokens: whole,
    cachedTokens: whole,
    reasoningTokens: whole,
    modelCalls: whole,
    toolCalls: whole,
    cacheWriteTokens: whole,
    costUsd: fc.double({ min: 0, max: 100, noNaN: true }),
  },
  {
    requiredKeys: ['inputTokens', 'outputTokens', 'cachedTokens', 'reasoningTokens', 'modelCalls', 'toolCalls'],
  },
);

describe('a sum of what was spent', () => {
  it('[BU2] of many is to the bit what adding one by one makes of it', async () => {
    const isSame = fc.property(fc.array(usage), (all) => {
      const one = all.reduce(addUsage, NO_USAGE);
      const other = sumOfUsages(all);
      // Text, so that a part which nobody knows is no part.
      const text = (sum: object): string => JSON.stringify(Object.entries(sum).sort());
      return text(one) === text(other);
    });
    await always(isSame, 200);
  });

  it('[US12] is never more than the largest amount, however it is made', () => {
    const most = MAX_AMOUNT;
    const full = { ...NO_USAGE, inputTokens: most, costUsd: most, unpricedCalls: most, cacheWriteTokens: most };
    const near = { ...full, inputTokens: most - 1, costUsd: most - 1 };
    const one = { ...NO_USAGE, inputTokens: 1, costUsd: 1 };
    expect(addUsage(near, one)).toEqual(full);
    const sums = [addUsage(full, full), sumOfUsages([full, full]), usageBy([['a', full]], { a: full }).a];
    for (const sum of sums) expect(sum).toEqual(full);
    // Input that leaves out what came from a cache has it added.
    const cached = { ...NO_USAGE, inputTokens: most - 1, cachedTokens: most };
    expect(countedUsage(cached).usage.inputTokens).toBe(most);
    const thought = { ...NO_USAGE, outputTokens: most - 1, reasoningTokens: most };
    expect(countedUsage(thought).usage.outputTokens).toBe(most);
  });

  it('[US10] is the same whether totals hold what a cache took and gave, and thoughts, or leave them out', async () => {
    const told = fc.record({
      uncached: whole,
      cachedTokens: whole,
      cacheWriteTokens: whole,
      said: whole,
      thought: whole,
    });
    const isSame = fc.property(told, usage, ({ uncached, said, thought, ...cached }, rest) => {
      const inCache = cached.cachedTokens + cached.cacheWriteTokens;
      const totals = { inputTokens: uncached + inCache, outputTokens: said + thought };
      const held = { ...rest, ...cached, reasoningTokens: thought, ...totals };
      const expected = { usage: addUsage(held, NO_USAGE), ignored: [] };
      expect(countedUsage(held)).toStrictEqual(expected);
      // A total that may hold its parts is taken as one that does.
      const inputTokens = uncached < inCache ? uncached : totals.inputTokens;
      const outputTokens = said < thought ? said : totals.outputTokens;
      expect(countedUsage({ ...held, inputTokens, outputTokens })).toStrictEqual(expected);
    });
    await always(isSame, 200);
  });

  it('[US15] of money has at most ten decimals, whichever way it is added, and none is written as 1e-7', () => {
    const cost = (costUsd: number) => ({ ...NO_USAGE, modelCalls: 1, costUsd });
    const [tenth, fifth] = [cost(0.1), cost(0.2)];
    expect([addUsage(tenth, fifth), sumOfUsages([tenth, fifth])].map(({ costUsd }) => costUsd)).toEqual([0.3, 0.3]);
    expect(lessUsage(cost(0.3), tenth).costUsd).toBe(0.2);
    expect(countedUsage(cost(0.1 + 0.2)).usage.costUsd).toBe(0.3);
    expect([usd(0.1 + 0.7), usd(1 / 3), usd(MAX_AMOUNT)]).toEqual([0.8, 0.3333333333, MAX_AMOUNT]);
    expect([1e-7, 0, 5_000, 0.5, 1.25e-9].map(usdText)).toEqual(['0.0000001', '0', '5000', '0.5', '0.0000000013']);
  });

  it('[RM29] the larger one has the most of each part, and knows what either knows', () => {
    const one = { ...NO_USAGE, inputTokens: 5, toolCalls: 1, costUsd: 0.1 };
    const other = { ...NO_USAGE, inputTokens: 3, toolCalls: 2, unpricedCalls: 1 };
    const larger = { ...NO_USAGE, inputTokens: 5, toolCalls: 2, costUsd: 0.1, unpricedCalls: 1 };
    expect([largerUsage(one, other), largerUsage(other, one)]).toEqual([larger, larger]);
    expect(largerUsage(NO_USAGE, NO_USAGE)).toEqual(NO_USAGE);
  });
});
