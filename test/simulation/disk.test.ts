/** Transactions that fail now and then, as on a full disk: nothing of them is kept, and the tree goes on as if they had not been. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ran, SCENARIOS, tellRuns } from '../support/crashes';
import { type TreeOptions, withTree } from '../support/harness';
import { always, sized } from '../support/sizes';
import { agentOf } from '../support/trees';

tellRuns('a failing disk');

/** A child that cannot be made twice more than this counts as lost, rightly: then its making goes well. */
const MOST_IN_A_ROW = 3;
/** A child is made in so many transactions: its ladder and its session. */
const MAKING = 2;
const AT_START = 3;

/** Where a transaction fails, if it does: before anything of it is written, or as it commits. */
type Fails = 'begins' | 'commits' | undefined;

/**
 * Fails the transactions that these say, once the root is there (two ladders and its session), and at most so many of one
 * object until a whole making of it went well: its ladder may be done when its session fails.
 */
function failing(fails: readonly Fails[]): Required<Pick<TreeOptions, 'transaction' | 'commits'>> {
  const objects = new Map<string, { failures: number; well: number }>();
  let begun = 0;
  const fail = (address: string, at: Fails): void => {
    const { failures } = objects.get(address) ?? { failures: 0 };
    if (begun <= AT_START || fails[begun] !== at || failures >= MOST_IN_A_ROW) return;
    objects.set(address, { failures: failures + 1, well: 0 });
    throw new Error('disk full');
  };
  return {
    transaction: (address) => {
      begun++;
      fail(address, 'begins');
    },
    commits: (address) => {
      fail(address, 'commits');
      const { failures, well } = objects.get(address) ?? { failures: 0, well: 0 };
      const isWhole = well + 1 >= MAKING;
      objects.set(address, { failures: isWhole ? 0 : failures, well: isWhole ? 0 : well + 1 });
    },
  };
}

const fails = fc.array(
  fc.integer({ min: 0, max: 11 }).map((n): Fails => (n === 0 ? 'begins' : n === 1 ? 'commits' : undefined)),
  { minLength: 20, maxLength: 250, size: 'max' },
);

describe.each(SCENARIOS.filter(({ name }) => !name.includes('message')))('a failing disk: $name', ({ make }) => {
  it('[EG3, EG2, RC2, DL3, RT1, TR1] ends in the same transcripts', async () => {
    const calm = await ran(make);
    const holds = fc.asyncProperty(fails, async (given) => {
      expect((await ran(make, failing(given))).transcripts).toEqual(calm.transcripts);
    });
    await always(holds, sized(10, 50));
  });
});

it('[EG3, EG2] memory holds what the store has after any one commit that fails, and the run ends', async () => {
  const parts = () => ({ agents: [agentOf('top')] as const, scripts: { top: [{ text: 'Done.' }] } });
  let total = 1;
  for (let at = 1; at <= total; at++) {
    let counted: number | undefined;
    const commits = (): void => {
      if (counted !== undefined && ++counted === at) throw new Error('disk full');
    };
    await withTree(parts, { commits }, async (tree) => {
      await tree.start();
      counted = 0;
      await tree.time.pass(10_000);
      expect(tree.world.awake(tree.address)?.agent?.state, `commit ${at}`).toEqual(tree.state());
      expect(tree.outcome, `commit ${at}`).toMatchObject({ status: 'completed' });
      expect(counted, 'commits').toBeLessThan(40);
      total = Math.max(total, counted);
    });
  }
  expect(total).toBeGreaterThan(2);
});
