import fc from 'fast-check';
import { describe, it } from 'vitest';
import { addUsage, NO_USAGE, sumOfUsages } from '../../src/protocol/usage';
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
});
