/**
 * A companion that is copied, against what happens to it at the same moment, at every commit of its life, also where that is
 * the last before a crash.
 */
import { describe, expect, it } from 'vitest';
import { hasBegun } from '../../../../src/core/tree/node';
import { ADA, FATES, keeping, raced, told } from '../../../support/companion-races';
import { examine } from '../../../support/examine';
import { withTree } from '../../../support/harness';
import { companion } from '../../../support/levels';
import { figures, moments } from '../../../support/sizes';

/** Commits of each pair that a sweep of `npm test` tries; a night tries all. */
const MOST = 6;

const copy = companion('forkChild', { name: 'ada', newName: 'bob', message: 'a copy', mode: 'non-blocking' });

/** What the parent does. */
const ACTIONS = {
  'a copy of it': [copy],
  'a copy of it and a message': [copy, told('two')],
  'a message and a copy of it': [told('two'), copy],
  'its end for good and a copy of it': [companion('terminateChild', { name: 'ada' }), copy],
} as const;

describe.each(FATES)('a companion that %s', (fate) => {
  let pairs = 0;
  figures(`copied companion that ${fate}`, () => `${pairs} races`);

  it.each(Object.entries(ACTIONS).map((action, at) => [...action, at] as const))(
    '[CP26, CP5, CO3, RC5] against %s',
    async (_action, calls, at) => {
      const kinds = await raced(fate, calls, Number.POSITIVE_INFINITY, false);
      for (const commit of moments(kinds, MOST, at)) {
        for (const crash of [false, true]) {
          await raced(fate, calls, commit, crash);
          pairs++;
        }
      }
    },
  );
});

/** A companion that is copied while a person deletes it, at that commit. */
async function deleted(at: number): Promise<{ kinds: string[]; results: unknown[] }> {
  let acted = false;
  return withTree(
    keeping('completes', [copy]),
    {
      onCommit(tree, commit) {
        if (commit < at || acted || tree.time === undefined) return;
        acted = true;
        queueMicrotask(() => {
          tree.sendSurely('Now.');
          void tree.remove(ADA);
        });
      },
    },
    async (tree) => {
      await tree.start();
      await tree.rest();
      examine(tree, `a deletion after commit ${at}`);
      expect(tree.time.problems).toEqual([]);
      const results = tree.transcript().flatMap((one) => (one.role === 'tool' ? [one.result] : []));
      const bob = tree.nodes.find(({ address }) => address.endsWith('/bob'));
      // Where it was copied the copy has worked; where there was nothing any more nobody is there.
      if (bob && hasBegun(bob)) expect(bob.status).toBe('completed');
      else expect(tree.addresses.some((address) => address.endsWith('/bob'))).toBe(false);
      return { kinds: tree.kinds, results };
    },
  );
}

it('[CP5, CP6] a companion that is deleted while it is copied leaves a whole copy, or none', async () => {
  const { kinds } = await deleted(Number.POSITIVE_INFINITY);
  for (const commit of moments(kinds, 2 * MOST)) {
    const { results } = await deleted(commit);
    expect(results.length).toBe(2);
  }
});
