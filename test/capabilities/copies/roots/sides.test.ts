/** Copies of a session of two sides. */
import { describe, expect, it } from 'vitest';
import { askSurely } from '../../../support/asks';
import { notingOf, pairOf } from '../../../support/duals';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import type { Answer } from '../../../support/scripted-port';

/** One drafts, the other rejects, it drafts again, and is approved. */
const REVIEWED: readonly Answer[] = [
  { text: 'Rain falls.' },
  { text: 'Too short.' },
  { text: 'Rain falls on the roof.' },
  { text: 'Good.', calls: [{ name: 'approve', input: { text: 'Rain falls on the roof.' } }] },
];

describe('a copy of a session of two sides at a checkpoint', () => {
  it('[CP11, CP40, SA7] goes on with the side whose turn it was, as the original did', () => {
    const make = (tree: Tree): TreeParts => ({
      env: notingOf(tree),
      agents: [pairOf('writer')],
      scripts: { writer: ({ step }) => REVIEWED[step - 1] ?? { text: 'No more.' } },
    });
    return withTree(make, {}, async (tree) => {
      await tree.run('Write of rain.');
      const { sessionId } = tree.state().session;
      for (const step of [1, 2, 3]) {
        const name = `at-${step}`;
        const input = { name, checkpoint: `${sessionId}.${step}`, resume: true };
        const reply = await askSurely(tree, { verb: 'fork', address: tree.address, input, key: name });
        expect(reply, name).toMatchObject({ ok: true });
        await tree.rest();
        const copy = `/agents/writer/${name}`;
        expect(tree.state(copy).run, name).toMatchObject({ outcome: tree.outcome, sides: tree.state().run?.sides });
        const sides = tree.store(copy).steps({});
        expect(
          sides.map(({ side }) => side),
          name,
        ).toEqual(['side_a', 'side_b', 'side_a', 'side_b']);
      }
    });
  });
});
