/**
 * The shipped desk under crashes: its agents, the offline model's rules and a small library. The critic asks for a better
 * draft and passes that, wherever everything in memory is lost meanwhile.
 */
import { expect, it } from 'vitest';
import { critiqueRequestSchema, critiqueSchema, deliveredSchema } from '../../src/desk/schemas';
import { isObject } from '../../src/protocol/json';
import { document } from '../node/desk/support';
import { transcripts } from '../support/examine';
import { reported } from '../support/shipped-desk';
import { figures, moments } from '../support/sizes';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;
const QUESTION = 'When does a swarm leave the hive, and what do the bees live on in winter?';
const BEES = `# Bees

## Swarms

A swarm leaves the hive when the queen has too little room to lay.

## Winter

In winter the bees live on the honey that they stored in summer.
`;

/** Runs the desk to its report, which a person approves. */
const reviewed = (crashAt: readonly number[]) =>
  reported(QUESTION, [document('bees', BEES)], crashAt, (tree) => {
    const rounds = tree.transcript().flatMap((message) => {
      if (message.role !== 'tool' || message.toolName !== 'companion__spawnAgent' || !message.result.success) return [];
      const { value } = message.result;
      return isObject(value) ? [{ ...value, output: critiqueSchema.parse(value.output) }] : [];
    });
    const drafts = tree
      .transcript(`${tree.address}/sub/critic/critic`)
      .flatMap((message) => (message.role === 'user' ? [message.content] : []))
      .map((text) => critiqueRequestSchema.parse(JSON.parse(String(text))));
    return { said: transcripts(tree), outcome: tree.outcome, rounds, drafts, kinds: tree.kinds };
  });

let crashes = 0;
figures("crashes in the desk's critic loop", () => `${crashes}`);

it('[D61, D62] the critic asks for a better draft, sees the first beside the second, and passes it', async () => {
  const { rounds, drafts, outcome } = await reviewed([]);
  expect(rounds).toMatchObject([
    { name: 'critic', task: 1, status: 'completed', output: { verdict: 'fix' } },
    {
      name: 'critic',
      task: 2,
      status: 'completed',
      output: { verdict: 'pass', note: expect.stringMatching(/^Round 2\./) },
    },
  ]);
  expect(drafts.map(({ round }) => round)).toEqual([1, 2]);
  expect(drafts[1]?.report).not.toEqual(drafts[0]?.report);
  expect(outcome.status === 'completed' && deliveredSchema.parse(outcome.output)).toMatchObject({ published: true });
});

it('[D61, D20, CO3, CO4, RC2, RC5] the same report, after the same rounds, wherever a crash comes', async () => {
  const calm = await reviewed([]);
  for (const commit of moments(calm.kinds, MOST, 1)) {
    const found = await reviewed([commit]);
    crashes++;
    const what = `a crash at ${commit}`;
    expect(found.said, what).toEqual(calm.said);
    expect(found.outcome, what).toEqual(calm.outcome);
    expect([found.rounds, found.drafts], what).toEqual([calm.rounds, calm.drafts]);
  }
});
