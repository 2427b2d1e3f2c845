/** The samples of crashes: spread over a scenario, with rare steps first. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { always, inTurn, moments, NIGHTLY } from '../../support/sizes';

const scenario = fc.record({
  kinds: fc.array(fc.constantFrom('common', 'common', 'common', 'other', 'rare', 'rarest'), {
    minLength: 1,
    maxLength: 120,
  }),
  most: fc.integer({ min: 1, max: 30 }),
  offset: fc.integer({ min: 0, max: 50 }),
});

it('[HS17] takes as many commits as asked, each once, in order, none far from the next', () =>
  always(
    fc.property(scenario, ({ kinds, most, offset }) => {
      const taken = moments(kinds, most, offset);
      const parts = NIGHTLY ? kinds.length : Math.min(most, kinds.length);
      expect(taken.length).toBe(parts);
      const ends = [0, ...taken, kinds.length + 1];
      for (const [at, number] of ends.entries())
        if (at > 0) {
          expect(number).toBeGreaterThan(ends[at - 1] ?? 0);
          expect(number - (ends[at - 1] ?? 0)).toBeLessThanOrEqual(2 * Math.ceil(kinds.length / Math.max(1, parts)));
        }
    }),
    300,
  ));

it('[HS17] takes the only commit of its kind, wherever it is', () =>
  always(
    fc.property(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 50 }), (place, offset) => {
      const kinds = Array.from({ length: 60 }, (_, at) => (at === place ? 'rare' : `common ${at % 2}`));
      expect(moments(kinds, 6, offset)).toContain(place + 1);
    }),
    200,
  ));

it('[HS17] tries one way of several at each commit, all of them by turns; a night tries all at each', () => {
  const ways = ['calm', 'crash', 'loss'] as const;
  const tried = [0, 1, 2, 3, 4, 5].map((turn) => inTurn(ways, turn));
  if (NIGHTLY) expect(tried).toEqual(tried.map(() => ways));
  else expect(tried.flat()).toEqual([...ways, ...ways]);
});
