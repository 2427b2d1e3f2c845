/** What lies between objects loses calls, loses answers, and delivers twice: none of it shows in what a tree does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TreeOptions } from '../support/harness';
import { NIGHTLY, ran, SCENARIOS, SEED } from '../support/crashes';

const ROUNDS = NIGHTLY ? 1_000 : 20;
/** A child that cannot be reached so often in a row counts as lost, rightly. */
const MOST_IN_A_ROW = 3;

type Fate = 'fine' | 'unreachable' | 'answer lost' | 'twice' | 'twice at once';

/** A network on which calls meet these fates in order, and are fine from then on. */
function network(fates: readonly Fate[]): NonNullable<TreeOptions['network']> {
  const inARow = new Map<string, number>();
  let calls = 0;
  return async (address, call, perform) => {
    const fate = fates[calls++] ?? 'fine';
    const key = `${address} ${call.kind}`;
    const lost = inARow.get(key) ?? 0;
    const fails = (fate === 'unreachable' || fate === 'answer lost') && lost < MOST_IN_A_ROW;
    inARow.set(key, fails ? lost + 1 : 0);
    if (fails && fate === 'unreachable') throw new Error('unreachable');
    if (fate === 'twice') await perform();
    const answer = fate === 'twice at once' ? (await Promise.all([perform(), perform()]))[1] : await perform();
    if (fails) throw new Error('The answer was lost.');
    return answer;
  };
}

const fates = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Fate>('fine') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('unreachable', 'answer lost', 'twice', 'twice at once') },
  ),
  { minLength: 20, maxLength: 300, size: 'max' },
);

describe.each(SCENARIOS)('a bad network: $name', ({ make }) => {
  it('[DL3, TR1, TR2, TR4, OB2, RT1] ends in the same transcripts, whatever is lost or delivered twice', { timeout: 900_000 }, async () => {
    const calm = await ran(make);
    const holds = fc.asyncProperty(fates, async (given) => {
      expect((await ran(make, { network: network(given) })).transcripts).toEqual(calm.transcripts);
    });
    await fc.assert(holds, { seed: SEED, numRuns: ROUNDS });
  });

  it('[DL3, RC5, TR1, OB1, OB2] and with crashes at random commits on top', { timeout: 900_000 }, async () => {
    const calm = await ran(make);
    const commits = fc.uniqueArray(fc.integer({ min: 1, max: calm.commits * 2 }), { minLength: 1, maxLength: 5 });
    const holds = fc.asyncProperty(fates, commits, async (given, crashAt) => {
      const found = await ran(make, { network: network(given), crashAt: new Set(crashAt) });
      expect(found.transcripts).toEqual(calm.transcripts);
    });
    await fc.assert(holds, { seed: SEED, numRuns: ROUNDS });
  });
});
