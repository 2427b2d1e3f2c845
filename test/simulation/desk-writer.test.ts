/**
 * The shipped desk asked for a text, under crashes: the writer drafts it, the reviewer has it mended and approves it, and
 * the report has it, the same wherever everything in memory is lost meanwhile.
 */
import { expect, it } from 'vitest';
import { deliveredSchema } from '../../src/desk/schemas';
import { document } from '../node/desk/support';
import { transcripts } from '../support/examine';
import { reported } from '../support/shipped-desk';
import { figures, moments } from '../support/sizes';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;
const QUESTION = 'Write a letter to all keepers about when a swarm leaves the hive, in at most 60 words.';
const BEES = `# Bees

## Swarms

A swarm leaves the hive when the queen has too little room to lay, which is often the case in May, and it settles near by while its scouts look for a hollow tree or an empty hive.

## Signs of a swarm

Before a swarm leaves the hive its bees hang in a beard at the entrance, fly little, and build cells for a new queen along the edge of their combs.
`;

/** Runs the desk to its report with the letter, which a person approves. */
const written = (crashAt: readonly number[]) =>
  reported(QUESTION, [document('bees', BEES)], crashAt, (tree) => {
    const writer = tree.nodes.find(({ agentType }) => agentType === 'writer')?.address ?? '';
    const steps = tree.store(writer).steps({});
    return {
      said: transcripts(tree),
      outcome: tree.outcome,
      sides: steps.map(({ side }) => side),
      calls: steps.map((step) => (step.phase === 'calls' ? step.calls.map(({ name }) => name) : [])),
      writers: tree.nodes.filter(({ agentType }) => agentType === 'writer').length,
      kinds: tree.kinds,
    };
  });

let crashes = 0;
figures("crashes in the desk's loop of writer and reviewer", () => `${crashes}`);

it('[D69, D70, SA7] the reviewer has the draft mended before it approves it, and the report has the letter', async () => {
  const { sides, calls, outcome, writers } = await written([]);
  expect(writers).toBe(1);
  expect(sides).toEqual(['side_a', 'side_b', 'side_a', 'side_b']);
  expect(calls).toEqual([['hand_in_draft'], [], ['hand_in_draft'], ['approve_text']]);
  expect(outcome.status === 'completed' && deliveredSchema.parse(outcome.output)).toMatchObject({
    published: true,
    text: { kind: 'letter', audience: 'all keepers', body: expect.stringMatching(/^Dear all keepers,/) },
  });
});

it('[D69, D70, SA7, RC2, RC5] the same letter, after the same turns, wherever a crash comes', async () => {
  const calm = await written([]);
  for (const commit of moments(calm.kinds, MOST, 1)) {
    const { kinds: _kinds, ...found } = await written([commit]);
    crashes++;
    const { kinds: _calm, ...wanted } = calm;
    expect(found, `a crash at ${commit}`).toEqual(wanted);
  }
});
