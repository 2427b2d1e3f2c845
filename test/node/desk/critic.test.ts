/** The critic of the desk on the offline model: what it finds, and the rounds that the coordinator has with it. */
import { describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/desk/report';
import {
  type Critique,
  critiqueRequestSchema,
  critiqueSchema,
  MAX_CRITIQUE_ROUNDS,
  type Report,
  reportSchema,
} from '../../../src/desk/schemas';
import { addToLibrary, checkQuotation } from '../../../src/desk/tools';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { Conversation, contextOf, desk, document, envOf, failed, libraryOf, passed, runTool } from './support';

const SWARM = 'A swarm leaves the hive when the queen has too little room to lay.';
const HONEY = 'They live on the honey that they stored in summer.';
const library = libraryOf(document('bees', `# Bees\n\n## Swarms\n\n${SWARM}\n\n## Winter\n\n${HONEY}\n`));
const { context } = contextOf(envOf(library));
const QUESTION = 'When does a swarm leave the hive, and what do the bees live on in winter?';
const [WHEN, WHAT] = ['When does a swarm leave the hive?', 'What do the bees live on in winter?'];
const LIMITS = 'Limits: this rests on one document.';

const cite = (passage: string, quotation: string) => ({ document: 'bees', passage, quotation });
const section = (heading: string, text: string, ...citations: Report['sections'][number]['citations']) => ({
  heading,
  text,
  citations,
});
const FIRST = section(WHEN, `- ${SWARM} [1]`, cite('bees#1', SWARM));
const SECOND = section(WHAT, `- ${HONEY} [1]`, cite('bees#2', HONEY));
const GOOD: Report = { title: 'Bees', summary: `${SWARM} ${LIMITS}`, sections: [FIRST, SECOND], openQuestions: [] };

const requestOf = (report: Report, round = 1): JsonObject => ({
  question: QUESTION,
  subQuestions: [WHEN, WHAT],
  round,
  report: JSON.parse(JSON.stringify(report)),
});
const inputOf = ({ calls }: ReturnType<Conversation['reply']>): JsonObject => calls[0]?.input ?? {};
const callsOf = ({ calls }: ReturnType<Conversation['reply']>) => calls.map(({ toolName }) => toolName);

/** Has a critic judge a draft; gives its verdict and how many quotations it checked for it. */
async function judge(talk: Conversation, check = checkQuotation): Promise<{ verdict: Critique; checks: number }> {
  let reply = talk.reply();
  let checks = 0;
  if (callsOf(reply)[0] === 'check_quotation') {
    checks = reply.calls.length;
    const results = await Promise.all(reply.calls.map(({ input }) => runTool(check, input, context)));
    talk.add(reply, ...results);
    reply = talk.reply();
  }
  expect(callsOf(reply)).toEqual(['__finish__']);
  talk.add(reply, { accepted: true });
  return { verdict: critiqueSchema.parse(inputOf(reply)), checks };
}
const judged = (report: Report) => judge(new Conversation(desk.critic, requestOf(report)));

describe('the offline critic', () => {
  it('[D63] passes a draft in which it finds nothing, once every quotation is checked', async () => {
    expect(await judged(GOOD)).toMatchObject({ verdict: { verdict: 'pass', points: [] }, checks: 2 });
  });

  it.each<[Critique['points'][number]['kind'], string, Report]>([
    [
      'uncited',
      'Bees are kind.',
      { ...GOOD, sections: [{ ...FIRST, text: `${FIRST.text}\n- Bees are kind.` }, SECOND] },
    ],
    [
      'misquoted',
      'They live on air.',
      { ...GOOD, sections: [FIRST, { ...SECOND, citations: [cite('bees#2', 'They live on air.')] }] },
    ],
    ['unanswered', WHAT, { ...GOOD, sections: [FIRST] }],
    ['repeated', SWARM, { ...GOOD, sections: [FIRST, { ...SECOND, text: `- ${SWARM} [1]` }] }],
    [
      'too_long',
      WHEN,
      { ...GOOD, sections: [{ ...FIRST, text: [1, 2, 3, 4, 5, 6].map((n) => `- It is ${n} [1]`).join('\n') }, SECOND] },
    ],
    [
      'too_long',
      `One. Two. Three. Four. Five. ${LIMITS}`,
      { ...GOOD, summary: `One. Two. Three. Four. Five. ${LIMITS}` },
    ],
    ['limits', SWARM, { ...GOOD, summary: SWARM }],
  ])('[D63] asks for a mend with the sentence that it is about: %s', async (kind, sentence, report) => {
    const { verdict } = await judged(report);
    expect(verdict).toMatchObject({ verdict: 'fix', points: [{ kind, sentence }] });
    expect(verdict.points).toHaveLength(1);
  });

  it('[D63] takes a sub-question that is named as open, and five sentences and statements', async () => {
    const text = [1, 2, 3, 4, 5].map((n) => `- It is ${n} [1]`).join('\n');
    const report = {
      ...GOOD,
      summary: `One. Two. Three. Four. ${LIMITS}`,
      sections: [{ ...FIRST, text }],
      openQuestions: [`${WHAT} (nothing found)`],
    };
    expect((await judged(report)).verdict).toMatchObject({ verdict: 'pass' });
  });

  it('[D62] sees in the second round what it asked for and checked in the first', async () => {
    const talk = new Conversation(desk.critic, requestOf({ ...GOOD, summary: SWARM, sections: [FIRST] }));
    const first = await judge(talk);
    expect(first).toMatchObject({ verdict: { verdict: 'fix' }, checks: 1 });
    expect(first.verdict.points.map(({ kind }) => kind)).toEqual(['unanswered', 'limits']);
    talk.say(JSON.stringify(requestOf({ ...GOOD, summary: SWARM }, 2)));
    const second = await judge(talk);
    expect(second).toMatchObject({ verdict: { verdict: 'fix' }, checks: 1 });
    expect(second.verdict.note).toBe('Round 2. 1 point to fix: limits. Of 2 points in the previous round, 1 is fixed.');
    talk.say(JSON.stringify(requestOf(GOOD, 3)));
    expect(await judge(talk)).toMatchObject({ verdict: { verdict: 'pass' }, checks: 0 });
  });

  it('[D63] says what it could not check, and what it cannot read', async () => {
    const talk = new Conversation(desk.critic, requestOf(GOOD));
    const reply = talk.reply();
    talk.add(reply, ...reply.calls.map(() => failed('The library is away.', 'unavailable')));
    expect((await judge(talk)).verdict.note).toMatch(/2 quotations could not be checked\.$/);
    const { verdict } = await judge(new Conversation(desk.critic, 'Is this good?'));
    expect(verdict).toMatchObject({ verdict: 'fix', points: [{ kind: 'other' }] });
  });
});

const found = (passage: string, quotation: string): Json => ({
  answer: quotation,
  findings: [{ claim: quotation, ...cite(passage, quotation) }],
  gaps: [],
});

/** A coordinator whose researchers have answered: its next reply is for the critic. */
async function drafted(...answers: Json[]): Promise<Conversation> {
  const talk = new Conversation(desk.coordinator, QUESTION);
  talk.add(talk.reply(), await runTool(addToLibrary, {}, context));
  const split = talk.reply();
  talk.add(split, ...split.calls.map((_, index) => answers[index] ?? found('bees#1', SWARM)));
  return talk;
}

const sentBy = (reply: ReturnType<Conversation['reply']>) => {
  expect(callsOf(reply)).toEqual(['companion__spawnAgent']);
  const { agent, name, initialMessage } = inputOf(reply);
  expect([agent, name]).toEqual(['critic', 'critic']);
  return critiqueRequestSchema.parse(JSON.parse(String(initialMessage)));
};

describe('the rounds with the critic', () => {
  it('[D61, D64] go on until it passes: the first draft lacks what the second has', async () => {
    const talk = await drafted(found('bees#1', SWARM), found('bees#2', HONEY));
    const critic = new Conversation(desk.critic, '');
    const verdicts: Critique[] = [];
    let reply = talk.reply();
    for (; callsOf(reply)[0] === 'companion__spawnAgent'; reply = talk.reply()) {
      critic.say(String(inputOf(reply).initialMessage));
      const { verdict } = await judge(critic);
      verdicts.push(verdict);
      talk.add(reply, { name: 'critic', task: verdicts.length, status: 'completed', output: { ...verdict } });
    }
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['fix', 'pass']);
    expect(verdicts[0]?.points.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['unanswered', 'limits']));
    const report = reportSchema.parse(inputOf(reply));
    expect(report.critique).toEqual({ verdict: 'pass', rounds: 2, open: [] });
    expect(report.summary).toContain('Limits: this rests on 1 document of the library');
    expect(renderReport(report, [])).toContain('## Critique\n\nThe critic passed the draft after 2 rounds.');
  });

  it('[D61, D65] end at the cap, with what is still asked for in the report', async () => {
    const talk = await drafted(found('bees#1', SWARM), found('bees#2', HONEY));
    const rounds: number[] = [];
    let reply = talk.reply();
    for (; callsOf(reply)[0] === 'companion__spawnAgent'; reply = talk.reply()) {
      const { round, report } = sentBy(reply);
      rounds.push(round);
      const [first] = report.sections;
      const point =
        round === 1
          ? { kind: 'limits', sentence: 'x', problem: 'No limits.' }
          : { kind: 'repeated', sentence: (first?.text ?? '').replace(/^- | \[\d\]$/g, ''), problem: 'Twice.' };
      const extra =
        round === 1 ? [] : [{ kind: 'unanswered', sentence: `What of round ${round}?`, problem: 'Nowhere.' }];
      const output = { verdict: 'fix', points: [point, ...extra], note: 'No.' };
      talk.add(reply, { name: 'critic', task: round, status: 'completed', output });
    }
    expect(rounds).toEqual([1, 2, 3]);
    expect(rounds).toHaveLength(MAX_CRITIQUE_ROUNDS);
    const report = reportSchema.parse(inputOf(reply));
    expect(report.critique).toMatchObject({
      verdict: 'fix',
      rounds: 3,
      open: [expect.any(String), '“What of round 3?”: Nowhere.'],
    });
    expect(renderReport(report, [])).toMatch(
      /The critic did not pass the draft after 3 rounds\. It still asked for:\n\n- /,
    );
    expect(reportSchema.safeParse({ ...report, critique: { ...report.critique, rounds: 4 } }).success).toBe(false);
  });

  it('[D65] end at once where no rule mends what is asked for', async () => {
    const talk = await drafted(found('bees#1', SWARM));
    const points = [{ kind: 'other', sentence: 'x', problem: 'It is dull.' }];
    talk.add(talk.reply(), {
      name: 'critic',
      task: 1,
      status: 'completed',
      output: { verdict: 'fix', points, note: 'No.' },
    });
    const report = reportSchema.parse(inputOf(talk.reply()));
    expect(report.critique).toEqual({ verdict: 'fix', rounds: 1, open: ['“x”: It is dull.'] });
  });

  it.each<[string, Json]>([
    ['failed', { name: 'critic', task: 1, status: 'failed', error: 'It took too long.', code: 'child_timeout' }],
    ['was refused', failed('"critic" works.', 'already_running')],
    ['cannot be read', { name: 'critic', task: 1, status: 'completed', output: 'Good!' }],
  ])('[D65, D64] do not stop a report when the critic %s', async (_how, result) => {
    const talk = await drafted(found('bees#1', SWARM));
    talk.add(talk.reply(), result);
    const reply = talk.reply();
    expect(callsOf(reply)).toEqual(['publish_report']);
    const report = reportSchema.parse(inputOf(reply));
    expect(report.critique).toBeUndefined();
    expect(renderReport(report, [])).not.toContain('Critique');
  });

  it('[D61] begin with a new draft for what a later message asked, and count on', async () => {
    const talk = await drafted(found('bees#1', SWARM));
    talk.add(talk.reply(), {
      name: 'critic',
      task: 1,
      status: 'completed',
      output: { verdict: 'fix', points: [], note: 'No.' },
    });
    talk.say('What is honey?');
    const more = talk.reply();
    expect(new Set(callsOf(more))).toEqual(new Set(['subagent__researcher']));
    talk.add(more, ...more.calls.map(() => found('bees#2', HONEY)));
    const next = talk.reply();
    expect(sentBy(next)).toMatchObject({ round: 2, subQuestions: expect.arrayContaining([WHEN, 'What is honey?']) });
    expect(sentBy(next).report.sections).toHaveLength(2);
    talk.add(next, passed(2));
    expect(callsOf(talk.reply())).toEqual(['publish_report']);
  });
});
