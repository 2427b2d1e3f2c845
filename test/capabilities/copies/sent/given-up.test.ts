/** Copies that are whole and wait for a slot, and are stopped for good before they have their task: nothing of them remains. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../../../src/core/agent/runs/stop-verb';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, resultOf } from '../../../support/levels';
import { sample } from '../../../support/sizes';
import { toolResults } from '../../../support/trees';
import { BOB, copies, levels, MIXED, OBJECTS, type Places, spawns, tells, unexpected } from '../support/sent-copies';

const FACETS: Places = ['facet', 'facet', 'facet'];
/** Commits of a stop that a sweep of `npm test` tries; a night tries all. */
const MOST = 6;
const CID = BOB.replace(/bob$/, 'cid');

/** `bob` is copied, and waits for the slot of `cid`, who hangs. */
function waiting(places: Places, ...then: readonly ReturnType<typeof tells>[]): TreeParts {
  const hangs = companion('spawnAgent', { agent: 'scout', name: 'cid', initialMessage: 'hang', mode: 'non-blocking' });
  const parts = levels([spawns('one'), () => hangs, copies('two'), ...then], places);
  const [top, ...others] = parts.agents;
  return { ...parts, agents: [{ ...top, limits: { ...top.limits, maxConcurrentChildren: 1 } }, ...others] };
}
const ofBob = (addresses: readonly string[]) => addresses.filter((address) => address.startsWith(BOB));
const inRecord = (tree: Tree) =>
  tree.nodes.filter(({ address }) => address.startsWith(BOB)).map(({ address, status }) => [address, status]);
const isWhole = (tree: Tree): boolean =>
  tree.nodes.some(({ address, status }) => address === BOB && status === 'queued');

describe.each([FACETS, OBJECTS, MIXED])(
  'a copy that waits for its slot, where the levels are %s, %s, %s',
  (...places) => {
    const whole = (
      body: (tree: Tree) => Promise<void>,
      options: TreeOptions = {},
      ...then: Parameters<typeof levels>[0][number][]
    ) =>
      withTree(
        () => waiting(places, ...then),
        options,
        async (tree) => {
          await tree.start();
          await tree.time.pass(5_000);
          expect(isWhole(tree)).toBe(true);
          expect(tree.addresses).toContain(BOB);
          await body(tree);
        },
      );

    it.each<StopVerb>(['abort', 'terminate'])(
      '[CP25, SP13] and is stopped by %s leaves nothing but that it never began',
      (verb) =>
        whole(async (tree) => {
          expect((await tree.soon(tree.stopAt(BOB, verb))).ok).toBe(true);
          await tree.time.pass(5_000);
          expect(ofBob(tree.addresses)).toEqual([]);
          expect(inRecord(tree)).toEqual([[BOB, 'failed']]);
          expect(unexpected(tree)).toEqual([]);
        }),
    );

    it('[CP60] and is stopped begins without a memory when it is told something later', () =>
      whole(
        async (tree) => {
          expect((await tree.soon(tree.stopAt(BOB, 'abort'))).ok).toBe(true);
          await tree.time.pass(5_000);
          expect((await tree.soon(tree.stopAt(CID, 'abort'))).ok).toBe(true);
          await tree.finish();
          await tree.rest();
          expect(toolResults(tree).map(resultOf).at(-1)).toMatchObject({ result: { answer: 'quiet four' } });
          expect(unexpected(tree)).toEqual([]);
        },
        {},
        tells('bob', 'quiet four'),
      ));

    it.each(['works', 'has paused it'] as const)('[CP25, SP13] goes with the run of its parent, which %s', (stands) =>
      whole(async (tree) => {
        if (stands === 'has paused it') expect((await tree.soon(tree.stopAt(BOB, 'interrupt'))).ok).toBe(true);
        await tree.time.pass(5_000);
        // It may begin yet.
        expect(tree.addresses).toContain(BOB);
        expect(tree.stop('abort')).toBe(true);
        await tree.rest();
        expect(ofBob(tree.addresses)).toEqual([]);
        expect(inRecord(tree)).toEqual([[BOB, 'failed']]);
        expect(unexpected(tree)).toEqual([]);
      }),
    );

    it('[CP25, RC5] and is stopped leaves nothing wherever in that everything is lost', async () => {
      const lostAt = async (at: number): Promise<number> => {
        let [commits, counts] = [0, false];
        let stops = 0;
        await whole(
          async (tree) => {
            counts = true;
            while (isWhole(tree)) {
              stops++;
              tree.stopAt(BOB, 'abort').catch(() => undefined);
              await tree.time.pass(10_000);
            }
            counts = false;
            await tree.time.pass(10_000);
            const what = `lost at ${at}`;
            expect(ofBob(tree.addresses), what).toEqual([]);
            expect(inRecord(tree), what).toEqual([[BOB, 'failed']]);
            expect(unexpected(tree), what).toEqual([]);
          },
          {
            onCommit(tree) {
              if (counts && ++commits === at) tree.crash();
            },
          },
        );
        expect(stops).toBeLessThan(3);
        return commits;
      };
      const commits = await lostAt(0);
      expect(commits).toBeGreaterThan(1);
      for (const at of sample(commits, MOST, 1)) await lostAt(at);
    });
  },
);
