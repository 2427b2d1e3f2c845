/** Children that are given up: settled once as lost, through crashes at any moment, and never waited for again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fates, network, outages } from '../support/bad-network';
import { tellRuns, totals } from '../support/crashes';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, withTree } from '../support/harness';
import { always, moments, sized } from '../support/sizes';
import { threeLevels } from '../support/trees';

const ROUNDS = sized(25, 300);

tellRuns('children that are given up');

const LEAF = '/agents/top/one/sub/middle/1~1/sub/leaf/1~1';

/** A network on which one leaf cannot be reached so often, and can be from then on. */
function unreachable(times: number): NonNullable<TreeOptions['network']> {
  let left = times;
  return (address, _, perform) =>
    address === LEAF && left-- > 0 ? Promise.reject(new Error('unreachable')) : perform();
}

/** How the delegations of the leaves ended, and the whole. */
function ends(tree: Tree) {
  const leaves = tree.log.flatMap(({ chunk }) =>
    chunk.type === 'subagent_end' && chunk.subAgentType === 'leaf' ? [chunk.error?.code ?? 'well'] : [],
  );
  return {
    leaves: leaves.sort(),
    outcome: tree.outcome,
    open: tree.nodes.filter(({ schedule }) => schedule.phase !== 'ended').length,
  };
}

describe('a stop', () => {
  it('[SP9, DG7, RN4, TR1, TR2, RC6] ends the whole tree, whatever the network does and whenever crashes come', async () => {
    const commits = fc.integer({ min: 1, max: 60 });
    const holds = fc.asyncProperty(
      fates(2),
      fc.uniqueArray(commits, { maxLength: 3 }),
      commits,
      fc.constantFrom(1, 2, 48),
      async (given, crashAt, stopAt, maxConcurrentChildren) => {
        let stopped = false;
        const onCommit = (tree: Tree, commit: number): void => {
          if (commit !== stopAt) return;
          queueMicrotask(() => {
            stopped = tree.stopSurely();
          });
        };
        const options = { network: network(given, Number.POSITIVE_INFINITY), crashAt: new Set(crashAt), onCommit };
        await withTree(
          (tree) => threeLevels(tree, { maxConcurrentChildren }),
          options,
          async (tree) => {
            await tree.run();
            totals.runs++;
            totals.crashes += tree.crashes;
            examine(tree, '', true);
            if (stopped) expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
          },
        );
      },
    );
    await always(holds, ROUNDS);
  });
});

describe('a child that is given up', () => {
  it('[DG7, DG5, RC5, TR5] stays so after a crash at any commit, also where it can be reached again', async () => {
    const given = async (crashAt: readonly number[]) =>
      withTree(
        (tree) => threeLevels(tree),
        { network: unreachable(5), crashAt: new Set(crashAt) },
        async (tree) => {
          await tree.run();
          return { ...ends(tree), kinds: tree.kinds };
        },
      );
    const calm = await given([]);
    expect(calm).toMatchObject({
      leaves: ['subagent_lost', 'well', 'well', 'well'],
      outcome: { output: 'All done.' },
      open: 0,
    });
    for (const commit of moments(calm.kinds, 10)) {
      const found = await given([commit]);
      expect(found, `commit ${commit}`).toMatchObject({ outcome: { output: 'All done.' }, open: 0 });
      expect(found.leaves.filter((end) => end === 'well').length, `commit ${commit}`).toBeGreaterThanOrEqual(3);
      expect(['subagent_lost', 'well'], `commit ${commit}`).toEqual(expect.arrayContaining(found.leaves));
    }
  });

  it('[DG7, DG5, RC5, TR1, TR2, RN4] F112: costs no more than its own call, whatever the network does and whenever crashes come', async () => {
    const crashes = fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 4 });
    let lost = 0;
    const holds = fc.asyncProperty(
      outages,
      crashes,
      fc.constantFrom(1, 2, 48),
      async (given, crashAt, maxConcurrentChildren) => {
        const options = { network: network(given, Number.POSITIVE_INFINITY), crashAt: new Set(crashAt) };
        await withTree(
          (tree) => threeLevels(tree, { maxConcurrentChildren }),
          options,
          async (tree) => {
            await tree.run();
            totals.runs++;
            totals.crashes += tree.crashes;
            examine(tree, '', true);
            expect(tree.outcome).toMatchObject({ output: 'All done.' });
            const ended = tree.log.flatMap(({ chunk }) =>
              chunk.type === 'subagent_end' ? [chunk.error?.code ?? 'well'] : [],
            );
            expect(['well', 'subagent_lost']).toEqual(expect.arrayContaining(ended));
            lost += ended.filter((end) => end === 'subagent_lost').length;
          },
        );
      },
    );
    // Not each of them loses a child: enough are needed to have one.
    await always(holds, sized(50, 300));
    expect(lost).toBeGreaterThan(0);
  });
});
