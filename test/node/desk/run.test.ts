/** The whole desk in Node: the offline model, the real engine and the shipped library. */
import { expect, it } from 'vitest';
import { CORPUS } from '../../../src/desk/corpus/corpus';
import { LibraryStore } from '../../../src/desk/library-store';
import { deliveredSchema } from '../../../src/desk/schemas';
import { createTestRuntime } from '../../../src/testing';
import { nodeStorage } from '../../../src/testing/node-storage';
import { desk, envOf } from './support';

/** A run of the desk whose person denies the report for one reason after the other, and then approves it. */
async function judged(question: string, ...reasons: string[]) {
  const library = new LibraryStore(nodeStorage());
  library.seed(CORPUS.version, CORPUS.documents);
  const problems: unknown[] = [];
  const runtime = createTestRuntime({
    agents: Object.values(desk),
    env: envOf(library),
    report: (...problem) => problems.push(problem),
  });
  try {
    const run = await runtime.execute(desk.coordinator, question);
    let asked = 0;
    for (let stands = await run.settled(); 'pending' in stands; stands = await run.settled()) {
      const { pending } = stands;
      expect(pending.map(({ toolName, address }) => ({ toolName, address }))).toEqual([
        { toolName: 'publish_report', address: run.address },
      ]);
      const reason = reasons[asked++];
      const facts = { kind: 'approval-response', toolCallId: pending[0]?.toolCallId ?? '' } as const;
      await run.submit(reason === undefined ? { ...facts, approved: true } : { ...facts, approved: false, reason });
    }
    const { status, output = null } = await run.result();
    expect({ status, problems }).toEqual({ status: 'completed', problems: [] });
    expect(deliveredSchema.parse(output)).toEqual(output);
    return { asked, output: deliveredSchema.parse(output) };
  } finally {
    runtime.close();
  }
}

it('[D42] a run that is asked nothing ends with the output of withdraw_report', async () => {
  expect(await judged('Hello!')).toMatchObject({
    asked: 0,
    output: {
      published: false,
      markdown: expect.stringMatching(/^# Nothing was published\n\nI am the offline model.*please ask a question\.\n$/),
    },
  });
});

it('[D43] a run revises its report for two reasons, with new research, and publishes what is then approved', async () => {
  const { asked, output } = await judged('How is a crashed tool repeated?', 'shorter', 'How deep may a tree be?');
  expect(asked).toBe(3);
  if (!output.published) throw new Error(output.reason);
  expect(output.sections.at(-1)).toMatchObject({
    heading: 'How deep may a tree be?',
    text: expect.stringContaining('at most 16 levels'),
  });
  expect(output.sections.length).toBeGreaterThan(1);
});

it('[D44] a run ends without a report when it is denied for good', async () => {
  expect(await judged('How is a crashed tool repeated?', 'without section 1', 'no')).toMatchObject({
    asked: 2,
    output: { published: false, reason: expect.stringContaining('a person denied the report: “no”') },
  });
});

it('[D61, D62, D64] a run has two rounds with one critic, whose second sees the first, and its report says so', async () => {
  const { output } = await judged('How deep may a tree be?');
  if (!output.published) throw new Error(output.reason);
  expect(output.critique).toEqual({ verdict: 'pass', rounds: 2, open: [] });
  expect(output.markdown).toContain('## Critique\n\nThe critic passed the draft after 2 rounds.\n');
});
it('[D66, D67, D69, D72] a run has the letter that it is asked for written and reviewed, and anew for a person', async () => {
  const question = 'Write a letter to the operators about how a crashed tool is repeated.';
  const { output } = await judged(question);
  if (!output.published) throw new Error(output.reason);
  const { text, markdown } = output;
  expect(text).toMatchObject({ kind: 'letter', audience: 'the operators' });
  expect(text?.body).toMatch(
    /^Dear operators,\n\n[^\n]+ \[\d+\]\n[\s\S]+\n\nWith kind regards\n\n\(Written by the offline model/,
  );
  expect(markdown).toMatch(
    /^# [^\n]+\n\n## Letter to the operators\n\nDear operators,\n[\s\S]+\n## What it rests on\n/,
  );
  const shorter = await judged(question, 'shorter');
  if (!shorter.output.published) throw new Error(shorter.output.reason);
  expect(shorter.asked).toBe(2);
  expect(shorter.output.text?.body.length).toBeLessThan(text?.body.length ?? 0);
  const without = await judged(question, 'without the letter');
  if (!without.output.published) throw new Error(without.output.reason);
  expect(without.output.text).toBeUndefined();
  expect(without.output.sections).toEqual(output.sections);
});
