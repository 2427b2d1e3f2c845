/** The writer and its reviewer on the offline model, and when the coordinator hires them. */
import { describe, expect, it } from 'vitest';
import { checkReport } from '../../../src/desk/citations';
import { orderIn } from '../../../src/desk/offline/order';
import { WRITTEN_BY_RULES } from '../../../src/desk/offline/reply';
import { renderReport } from '../../../src/desk/report';
import {
  MAX_REVIEWS,
  MAX_TEXT_SOURCES,
  MAX_WORDS,
  MIN_WORDS,
  type Report,
  reportSchema,
  type TextRequest,
  textRequestSchema,
} from '../../../src/desk/schemas';
import { publishReport } from '../../../src/desk/tools';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { present } from '../../support/present';
import { Conversation, contextOf, desk, document, envOf, failed, libraryOf, passed, runTool } from './support';

const SWARM = 'A swarm leaves the hive when the queen has too little room to lay.';
const OLD = 'The old queen goes with the swarm.';
const HONEY = 'They live on the honey that they stored in summer.';
const library = libraryOf(document('bees', `# Bees\n\n## Swarms\n\n${SWARM} ${OLD}\n\n## Winter\n\n${HONEY}\n`));
const { context, file } = contextOf(envOf(library));

const [WHEN, WHAT] = ['When does a swarm leave?', 'What do they live on?'];
const source = (part: string, passage: string, quotation: string) => ({ part, document: 'bees', passage, quotation });
const REQUEST: TextRequest = {
  kind: 'letter',
  request: 'Write a letter to all keepers about swarms.',
  audience: 'all keepers',
  maxWords: 180,
  sources: [source(WHEN, 'bees#1', SWARM), source(WHEN, 'bees#1', OLD), source(WHAT, 'bees#2', HONEY)],
  open: [],
};
const NOTE = `(${WRITTEN_BY_RULES})`;
const LETTER = `Dear all keepers,\n\n${SWARM} [1] ${OLD} [2]\n\n${HONEY} [3]\n\nWith kind regards\n\n${NOTE}`;

const { side_a: writing, side_b: reviewing } = present(desk.writer.sides);
const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
const callOf = ({ calls }: ReturnType<Conversation['reply']>): [string, JsonObject] | undefined =>
  calls[0] && [calls[0].toolName, calls[0].input];

/** Both sides at work on a request: the drafts, what the reviewer said of each, and how it ended. */
function written(request: TextRequest, first?: string) {
  const writer = new Conversation(writing.definition, asJson(request));
  const reviewer = new Conversation(reviewing.definition, `[From the parent to Writer]\n${JSON.stringify(request)}`);
  const drafts: string[] = [];
  const reviews: string[] = [];
  for (;;) {
    const reply = writer.reply();
    const call = callOf(reply);
    const draft = drafts.length === 0 && first !== undefined ? first : String(call?.[1].draft ?? reply.text);
    if (call)
      writer.add({ ...reply, calls: [{ toolName: call[0], input: { draft } }] }, 'The draft is with the reviewer.');
    drafts.push(draft);
    reviewer.say(draft);
    const review = reviewer.reply();
    reviews.push(review.text);
    if (review.calls.length > 0 || reviews.length > MAX_REVIEWS) return { drafts, reviews, end: callOf(review) };
    reviewer.add(review);
    writer.say(review.text);
  }
}
const faultsOf = (review = '') => review.split('\n').slice(1);

describe('the writer and its reviewer', () => {
  it('[D69, D70] make a letter of their sources alone, which is approved at once where it lacks nothing', () => {
    expect(written(REQUEST)).toMatchObject({ drafts: [LETTER], end: ['approve_text', { text: LETTER }] });
  });

  it('[D70] add what stays open, and leave out what is too much, in turns', () => {
    const request: TextRequest = { ...REQUEST, maxWords: MIN_WORDS, open: ['What is wax? (nothing found)'] };
    const { drafts, reviews, end } = written(request);
    expect(drafts.length).toBeGreaterThan(1);
    expect(faultsOf(reviews[0])).toEqual(['- missing: “Not answered: What is wax? (nothing found)”: Add this line.']);
    expect(drafts[1]).toContain('\n\nNot answered: What is wax? (nothing found)\n\n');
    expect(faultsOf(reviews[1])).toEqual([
      expect.stringMatching(/^- too_long: “The draft”: It has \d+ words, more than 40\.$/),
    ]);
    expect(drafts[2]).not.toContain(OLD);
    expect(end).toEqual(['approve_text', { text: drafts[2] }]);
  });

  it.each([
    ['unsourced', 'Bees are kind.', LETTER.replace(SWARM, `Bees are kind.\n\n${SWARM}`)],
    ['unsupported', 'They live on air.', LETTER.replace(HONEY, 'They live on air.')],
    ['unsupported', HONEY, LETTER.replace('[3]', '[4]')],
    ['repeated', OLD, LETTER.replace(`${OLD} [2]`, `${OLD} [2] ${OLD} [2]`)],
    ['missing', 'Dear all keepers,', LETTER.replace('Dear all keepers,\n\n', '')],
    ['missing', 'With kind regards', LETTER.replace('With kind regards\n\n', '')],
    ['missing', NOTE, LETTER.replace(NOTE, '')],
    ['missing', WHAT, LETTER.replace(`${HONEY} [3]\n\n`, '')],
  ])('[D70] find what a draft does wrong, and mend it: %s (%s)', (kind, sentence, draft) => {
    const { reviews, end } = written(REQUEST, draft);
    expect(faultsOf(reviews[0])).toContainEqual(expect.stringContaining(`- ${kind}: “${sentence}”: `));
    expect(end?.[0]).toBe('approve_text');
    for (const one of [SWARM, OLD, HONEY].filter((each) => kind !== 'unsupported' || each !== HONEY))
      expect(String(end?.[1].text).split(one)).toHaveLength(2);
    expect(String(end?.[1].text)).not.toMatch(/kind\.|air/);
  });

  it.each(['email', 'notice', 'announcement', 'memo', 'summary'] as const)(
    '[D69] know the form of a text: %s',
    (kind) => {
      const { audience: _, ...nobody } = REQUEST;
      for (const request of [REQUEST, nobody]) {
        const { end } = written({ ...request, kind });
        expect(end?.[0]).toBe('approve_text');
        expect(String(end?.[1].text)).toContain(`${SWARM} [1]`);
      }
    },
  );

  it('[D71] refuse where there is nothing to write from, or nothing that can be read', () => {
    const { end } = written({ ...REQUEST, sources: [] });
    expect(end).toEqual(['refuse_text', { reason: 'No text was written: there are no sources to write it from.' }]);
    const talk = new Conversation(reviewing.definition, 'Write!');
    expect(callOf(talk.reply())?.[0]).toBe('refuse_text');
  });

  it('[D71] refuse a draft that comes back unchanged, and any at the fourth review', () => {
    const long = `${'It is a word and yet another word of it, '.repeat(6)}it is.`;
    const { drafts, end } = written({ ...REQUEST, maxWords: MIN_WORDS, sources: [source(WHEN, 'bees#1', long)] });
    expect(drafts[1]).toBe(drafts[0]);
    expect([drafts.length, end?.[0]]).toEqual([2, 'refuse_text']);
    const reviewer = new Conversation(reviewing.definition, asJson(REQUEST));
    for (let review = 1; review < MAX_REVIEWS; review++) {
      reviewer.say(`Draft ${review}.`);
      expect(reviewer.reply().calls).toEqual([]);
      reviewer.add(reviewer.reply());
    }
    reviewer.say(`Draft ${MAX_REVIEWS}.`);
    expect(callOf(reviewer.reply())?.[0]).toBe('refuse_text');
  });

  it('[D68] hand out no text but an approved one', () => {
    expect(desk.writer.maxSessionTurns).toBeUndefined();
    expect(reviewing).toMatchObject({
      sessionStop: { name: 'approve_text', messageProperty: 'text' },
      sessionFail: { name: 'refuse_text', messageProperty: 'reason' },
    });
    expect(writing).not.toHaveProperty('sessionStop');
  });

  it('[D66] take so many words and sources and no more', () => {
    const fits = (more: object) => textRequestSchema.safeParse({ ...REQUEST, ...more }).success;
    const sources = (count: number) => ({ sources: Array.from({ length: count }, () => REQUEST.sources[0]) });
    expect([MIN_WORDS, MAX_WORDS].map((maxWords) => fits({ maxWords }))).toEqual([true, true]);
    expect([MIN_WORDS - 1, MAX_WORDS + 1].map((maxWords) => fits({ maxWords }))).toEqual([false, false]);
    expect([fits(sources(MAX_TEXT_SOURCES)), fits(sources(MAX_TEXT_SOURCES + 1))]).toEqual([true, false]);
  });
});

describe('the order for a text', () => {
  it.each([
    ['Write a letter to the keepers about when a swarm leaves.', 'letter', 'the keepers', 180, 'when a swarm leaves.'],
    [
      'Can you please draft a short e-mail to Ada, in at most 90 words, that explains what bees eat?',
      'email',
      'Ada',
      90,
      'what bees eat?',
    ],
    ['Summarise how bees live in winter for a new keeper.', 'summary', 'a new keeper', 120, 'how bees live in winter'],
    ['I need a notice about swarms', 'notice', undefined, 100, 'swarms'],
    [
      'When does a swarm leave? Write an announcement about it in 5000 words.',
      'announcement',
      undefined,
      MAX_WORDS,
      'When does a swarm leave? it.',
    ],
    ['Prepare a memo for the board on honey, in 3 words.', 'memo', 'the board', 150, 'honey, in 3 words.'],
  ])('[D66] is read from %s', (question, kind, audience, maxWords, about) => {
    const { audience: found, ...order } = present(orderIn(question).order);
    expect([order, found]).toEqual([{ kind, maxWords, request: question }, audience]);
    expect(orderIn(question).about).toBe(about);
  });

  it.each([
    'When does a swarm leave?',
    'How do I write a letter?',
    'What does the letter say about honey?',
    'The summary of winter',
  ])('[D66] is not read from %s', (question) => {
    expect(orderIn(question)).toEqual({ about: question });
  });
});

const found = (passage: string, ...quotations: string[]): Json => ({
  answer: 'x',
  findings: quotations.map((quotation) => ({ claim: quotation, document: 'bees', passage, quotation })),
  gaps: [],
});

/** A coordinator that was asked for a letter, up to its call for the writer or its report. */
function asked(...answers: Json[]): Conversation {
  const talk = new Conversation(desk.coordinator, 'Write a letter to all keepers about when a swarm leaves the hive.');
  talk.add(talk.reply(), { added: [], skipped: [], documents: [] });
  const split = talk.reply();
  talk.add(split, ...split.calls.map((_, index) => answers[index] ?? found('bees#1')));
  talk.add(talk.reply(), passed());
  return talk;
}

describe('the coordinator', () => {
  it('[D66, D67] hires a writer when the critic is done, and puts the text forward with the report', async () => {
    const talk = asked(found('bees#1', SWARM, OLD), found('bees#2', HONEY));
    const hire = talk.reply();
    const [name, input] = present(callOf(hire));
    expect(name).toBe('subagent__writer');
    const request = textRequestSchema.parse(input);
    expect(request).toMatchObject({ kind: 'letter', audience: 'all keepers', maxWords: 180 });
    expect(request.sources.map(({ quotation }) => quotation)).toEqual([SWARM, OLD, HONEY]);
    const { end } = written(request);
    talk.add(hire, String(end?.[1].text));
    const report = reportSchema.parse(callOf(talk.reply())?.[1]);
    expect(report.text).toMatchObject({ kind: 'letter', body: end?.[1].text });
    const published = await runTool(publishReport, report, context);
    expect(published).toMatchObject({ published: true, text: report.text });
    expect(file('report.md')).toMatch(/\n\n## Letter to all keepers\n\nDear all keepers,\n\n/);
  });

  it('[D71] reports without a text where that was refused, and where nothing was found', () => {
    const talk = asked(found('bees#1', SWARM));
    talk.add(talk.reply(), failed('No text was written: too long.', 'session_failed'));
    const refused = reportSchema.parse(callOf(talk.reply())?.[1]);
    expect(refused.text).toBeUndefined();
    expect(refused.openQuestions).toContain(
      'The letter that was asked for could not be written: No text was written: too long.',
    );
    const nothing = reportSchema.parse(callOf(asked().reply())?.[1]);
    expect(nothing).toMatchObject({
      sections: [],
      openQuestions: expect.arrayContaining([expect.stringMatching(/^The letter that was asked for could not/)]),
    });
  });
});

describe('the text of a report', () => {
  const report = (body: string, quotation = HONEY): Report => ({
    title: 'Bees',
    summary: 'Bees.',
    sections: [
      {
        heading: 'Swarms',
        text: `${SWARM} [1]`,
        citations: [{ document: 'bees', passage: 'bees#1', quotation: SWARM }],
      },
    ],
    openQuestions: [],
    text: { kind: 'notice', body, citations: [{ document: 'bees', passage: 'bees#2', quotation }] },
  });

  it('[D67] is checked like a section', async () => {
    await expect(runTool(publishReport, report('Honey. [2]'), context)).rejects.toThrow(
      'the text: its text refers to [2], but it has 1 citations.',
    );
    await expect(runTool(publishReport, report('Air. [1]', 'They live on air.'), context)).rejects.toThrow(
      'the text, citation 1 (“They live on air.”)',
    );
  });

  it('[D67] stands first, and its marks are numbered through with those of the sections', async () => {
    const checked = await checkReport(library, report('Honey. [1]'));
    if (!checked.ok) throw new Error('refused');
    const markdown = renderReport(checked.report, checked.sources, checked.textSources);
    expect(markdown).toMatch(
      /^# Bees\n\n## Notice\n\nHoney\. \[1\]\n\n## What it rests on\n\nBees\.\n\n## Swarms\n\n.* \[2\]\n/,
    );
  });
});
