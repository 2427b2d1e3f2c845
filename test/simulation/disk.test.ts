/** Transactions that fail now and then, as on a full disk: nothing of them is kept, and the tree goes on as if they had not been. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ran, SCENARIOS, tellRuns } from '../support/crashes';
import type { TreeOptions } from '../support/harness';
import { always, sized } from '../support/sizes';

tellRuns('a failing disk');

/** A child that cannot be made twice more than this counts as lost, rightly: then its making goes well. */
const MOST_IN_A_ROW = 3;
/** A child is made in so many transactions: its ladder and its session. */
const MAKING = 2;
const AT_START = 3;

/**
 * Fails the transactions that these say, once the root is there (two ladders and its session), and at most so many of one
 * object until a whole making of it went well: its ladder may be done when its session fails.
 */
function failing(fails: readonly boolean[]): NonNullable<TreeOptions['transaction']> {
  const objects = new Map<string, { failures: number; well: number }>();
  let begun = 0;
  return (address) => {
    const { failures, well } = objects.get(address) ?? { failures: 0, well: 0 };
    if (begun++ >= AT_START && fails[begun] === true && failures < MOST_IN_A_ROW) {
      objects.set(address, { failures: failures + 1, well: 0 });
      throw new Error('disk full');
    }
    const isWhole = well + 1 >= MAKING;
    objects.set(address, { failures: isWhole ? 0 : failures, well: isWhole ? 0 : well + 1 });
  };
}

const fails = fc.array(
  fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  { minLength: 20, maxLength: 250, size: 'max' },
);

describe.each(SCENARIOS.filter(({ name }) => !name.includes('message')))('a failing disk: $name', ({ make }) => {
  it('[EG3, EG2, RC2, DL3, RT1, TR1] ends in the same transcripts', async () => {
    const calm = await ran(make);
    const holds = fc.asyncProperty(fails, async (given) => {
      expect((await ran(make, { transaction: failing(given) })).transcripts).toEqual(calm.transcripts);
    });
    await always(holds, sized(10, 50));
  });
});
