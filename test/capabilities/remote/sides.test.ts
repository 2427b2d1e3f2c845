/** One side alone is lost, at every commit of each: a parent here and its sub-agent elsewhere have memories of their own. */
import { describe, expect, it } from 'vitest';
import { Tree } from '../../support/harness';
import { figures, sample } from '../../support/sizes';
import { examined, farParts, remotes } from './support/far';

type Side = 'here' | 'there';

/** How long a side is away, in ms: it is back at once, or after some tries of the other side. */
const AWAY_MS = [0, 400, 7_000];

/** So many of the commits of one sweep are tried. */
const TRIED = 24;

const swept: string[] = [];
figures('one side alone is lost', () => swept.join(', '));

/** The tree, of which one side is lost at a commit of either. */
async function lost(side: Side, commit: number, awayMs: number) {
  let losses = 0;
  let back = 0;
  const tree: Tree = new Tree((made) => farParts(made, { isAway: () => made.time.environment.now() < back }), {
    onCommit(made, at) {
      if (at !== commit) return;
      losses += 1;
      if (side === 'here') return made.world.evict(made.address);
      // What nobody has begun yet cannot be lost.
      back = made.time.environment.now() + awayMs;
      for (const address of remotes(made)) made.world.evict(address);
    },
  });
  await tree.start();
  await tree.finish();
  await tree.rest();
  return { tree, losses };
}

describe('one side alone', () => {
  it.each<[Side, number]>([['here', 0], ...AWAY_MS.map((ms): [Side, number] => ['there', ms])])(
    '[RM2, RM3, RM5, RM17] is lost %s at any commit of either, and is away for %d ms: the run ends as ever',
    async (side, awayMs) => {
      const calm = await lost(side, 0, 0);
      const commits = calm.tree.commits.length;
      examined(calm.tree, 'calm');
      const bodies = [...calm.tree.bodies.values()];
      expect(bodies).toEqual(bodies.map(() => 1));
      calm.tree.close();
      const tried = sample(commits, TRIED, awayMs % 7);
      for (const commit of tried) {
        const { tree, losses } = await lost(side, commit, awayMs);
        const what = `${side} at commit ${commit}, ${awayMs} ms`;
        expect(losses, what).toBe(1);
        // All bodies are there: a loss here begins none again.
        if (side === 'here') expect([...tree.bodies.values()], what).toEqual(bodies);
        examined(tree, what);
        tree.close();
      }
      swept.push(`${tried.length} of ${commits} commits (${side}, ${awayMs} ms)`);
    },
  );
});
