/** What lies between objects loses calls, loses answers, and delivers twice: none of it shows in what a tree does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fates, network } from '../support/bad-network';
import { ran, SCENARIOS, tellRuns } from '../support/crashes';
import { always, sized } from '../support/sizes';

const ROUNDS = sized(5, 50);

tellRuns('a bad network');

describe.each(SCENARIOS)('a bad network: $name', ({ make }) => {
  it('[DL3, TR1, TR2, TR4, OB2, RT1] ends in the same transcripts, whatever is lost or delivered twice', async () => {
    const calm = await ran(make);
    const holds = fc.asyncProperty(fates(1), async (given) => {
      expect((await ran(make, { network: network(given) })).transcripts).toEqual(calm.transcripts);
    });
    await always(holds, ROUNDS);
  });

  it('[DL3, RC5, TR1, OB1, OB2] and with crashes at random commits on top', async () => {
    const calm = await ran(make);
    const commits = fc.uniqueArray(fc.integer({ min: 1, max: calm.kinds.length * 2 }), { minLength: 1, maxLength: 5 });
    const holds = fc.asyncProperty(fates(1), commits, async (given, crashAt) => {
      const found = await ran(make, { network: network(given), crashAt: new Set(crashAt) });
      expect(found.transcripts).toEqual(calm.transcripts);
    });
    await always(holds, ROUNDS);
  });
});
