/** The arithmetic of usage, part by part, against sums written for one part. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUsage,
  isUncounted,
  largerUsage,
  lessUsage,
  NO_USAGE,
  sumOfUsages,
  type Usage,
  usageBy,
} from '../../src/protocol/usage';
import { always } from '../support/sizes';

const KNOWN = ['inputTokens', 'outputTokens', 'cachedTokens', 'reasoningTokens', 'modelCalls', 'toolCalls'] as const;
const PARTLY = ['cacheWriteTokens', 'costUsd', 'unpricedCalls'] as const;
type Part = keyof Usage;
/** A part that is added tomorrow is a part here, or the compiler says so. */
const PARTS: readonly Part[] = [...KNOWN, ...PARTLY] satisfies readonly Part[];
const NONE_LEFT: Exclude<Part, (typeof KNOWN)[number] | (typeof PARTLY)[number]>[] = [];

const count = fc.nat({ max: 5 });
const known = { inputTokens: count, outputTokens: count, cachedTokens: count, reasoningTokens: count };
const usage: fc.Arbitrary<Usage> = fc.record(
  { ...known, modelCalls: count, toolCalls: count, cacheWriteTokens: count, costUsd: count, unpricedCalls: count },
  { requiredKeys: [...KNOWN], noNullPrototype: true },
);

/** Each part of two usages by a rule for numbers: what neither knows is no part. */
function byPart(one: Usage, other: Usage, rule: (a: number, b: number) => number): Partial<Usage> {
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const [a, b] = [one[part], other[part]];
      return a === undefined && b === undefined ? [] : [[part, rule(a ?? 0, b ?? 0)]];
    }),
  );
}

describe('usage', () => {
  it('[US1] has the parts of this test, and nothing is spent at first', () => {
    expect(NONE_LEFT).toEqual([]);
    expect(NO_USAGE).toStrictEqual(Object.fromEntries(KNOWN.map((part) => [part, 0])));
  });

  it('[US3] is added, and compared, part by part; what neither side knows stays unknown', async () => {
    const holds = fc.property(usage, usage, (one, other) => {
      const sum = byPart(one, other, (a, b) => a + b);
      expect(addUsage(one, other)).toStrictEqual(sum);
      expect(sumOfUsages([one, other])).toStrictEqual(sum);
      expect(
        usageBy([
          ['a', one],
          ['a', other],
        ]),
      ).toStrictEqual({ a: sum });
      expect(usageBy([['__proto__', other]], { a: one })).toStrictEqual({ a: one, ['__proto__']: other });
      expect(largerUsage(one, other)).toStrictEqual(byPart(one, other, Math.max));
    });
    await always(holds, 100);
  });

  it('[US3, BU2] since an earlier one is what each part has grown by, and no cost where none of the calls has a price', async () => {
    const holds = fc.property(usage, usage, (now, before) => {
      const less = (part: Part): number => Math.max(0, (now[part] ?? 0) - (before[part] ?? 0));
      const rest = lessUsage(now, before);
      for (const part of KNOWN) expect(rest[part]).toBe(less(part));
      expect(rest.cacheWriteTokens).toBe(now.cacheWriteTokens === undefined ? undefined : less('cacheWriteTokens'));
      const unpriced = now.unpricedCalls === undefined ? 0 : less('unpricedCalls');
      expect(rest.unpricedCalls).toBe(unpriced === 0 ? undefined : unpriced);
      const isUnknown = less('costUsd') === 0 && unpriced > 0 && unpriced >= less('modelCalls');
      expect(rest.costUsd).toBe(now.costUsd === undefined || isUnknown ? undefined : less('costUsd'));
    });
    await always(holds, 200);
    // Nothing is lost between the two.
    const grows = fc.property(usage, usage, (before, more) => {
      const now = addUsage(before, more);
      const again = addUsage(before, lessUsage(now, before));
      for (const part of PARTS) expect(again[part] ?? 0).toBe(now[part] ?? 0);
    });
    await always(grows, 100);
  });

  it('[US14] is not counted where a model was called and no token is known', () => {
    const rows = [
      [0, 0, 0, false],
      [1, 0, 0, true],
      [2, 0, 0, true],
      [1, 1, 0, false],
      [1, 0, 1, false],
      [0, 1, 1, false],
    ] as const;
    for (const [modelCalls, inputTokens, outputTokens, expected] of rows)
      expect(isUncounted({ ...NO_USAGE, modelCalls, inputTokens, outputTokens, cachedTokens: 5 })).toBe(expected);
  });
});
