/** Shares of what a root has a fixed number of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayHold } from '../../src/core/tree/root-claims';

describe('shares', () => {
  it('[X34] give one holder half, and leave one for a holder that has none, in any order', () => {
    const holder = fc.constantFrom('a', 'b', 'c', 'd');
    const holds = fc.property(fc.integer({ min: 2, max: 40 }), fc.array(holder, { maxLength: 200 }), (most, asking) => {
      const held: string[] = [];
      for (const one of asking) {
        const own = held.filter((other) => other === one).length;
        const given = mayHold(most, held, one);
        expect(given).toBe(own + 1 <= most - held.length);
        if (given) held.push(one);
      }
      expect(held.length).toBeLessThanOrEqual(most);
      // Four holders leave a fifth of them, so that somebody new has one while that is one at least.
      if (most >= 20) expect(mayHold(most, held, 'new')).toBe(true);
    });
    fc.assert(holds);
    const alone = (most: number): number => {
      const held: string[] = [];
      while (mayHold(most, held, 'a')) held.push('a');
      return held.length;
    };
    expect([1, 2, 256, 512, 1_000].map(alone)).toEqual([1, 1, 128, 256, 500]);
  });
});
