import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkResultSchema, reportSchema, researchResultSchema, withdrawalSchema } from '../../../src/desk/schemas';
import { addToLibrary, checkQuotation, publishReport, readPassage, searchLibrary } from '../../../src/desk/tools';
import type { Json } from '../../../src/protocol/json';
import { changedCallNotice } from '../../../src/protocol/messages';
import { present } from '../../support/present';
import { Conversation, contextOf, desk, document, envOf, failed, libraryOf, passed, runTool } from './support';

const LIBRARY = libraryOf(
  document(
    'bees',
    '# Bees\n\n## Swarms\n\nA swarm leaves the hive when the queen has too little room to lay. The old queen goes with the swarm, and a young one takes over the hive.\n\n## Winter\n\nIn winter the bees form a cluster around the queen and keep it at about 25 degrees. They live on the honey that they stored in summer.\n\n## Tools\n\nThe keeper needs a smoker, a veil and a hive tool, and little else for the first years.\n',
  ),
  ...['ants', 'wasps', 'moths', 'flies'].map((name) =>
    document(
      name,
      `# ${name}\n\nAbout ${name} the collection says only where they are seen, and in which month of the year.`,
    ),
  ),
);
const { context } = contextOf(envOf(LIBRARY));
const QUESTION = 'When does a swarm leave the hive, and what do the bees live on in winter?';
const FOUND = {
  answer: 'When the queen has too little room.',
  findings: [
    {
      claim: 'A swarm leaves the hive when the queen has too little room to lay.',
      document: 'bees',
      passage: 'bees#1',
      quotation: 'A swarm leaves the hive when the queen has too little room to lay.',
    },
  ],
  gaps: [],
};
const HONEY = {
  answer: 'On honey.',
  findings: [
    {
      claim: 'They live on `honey` [2].',
      document: 'bees',
      passage: 'bees#2',
      quotation: 'They live on the honey that they stored in summer.',
    },
  ],
  gaps: ['The library does not say how much.'],
};
const names = (reply: { calls: readonly { toolName: string }[] }) => reply.calls.map(({ toolName }) => toolName);
const inputs = (reply: { calls: readonly { input: Json }[] }) => reply.calls.map(({ input }) => input);

/** The reason of a reply that withdraws. */
function reasonOf(reply: { calls: readonly { toolName: string; input: Json }[] }): string {
  expect(names(reply)).toEqual(['withdraw_report']);
  return withdrawalSchema.parse(inputs(reply)[0]).reason;
}

/** A coordinator's conversation up to the answers of its researchers. */
async function asked(
  question: string | { question: string; depth?: string },
  ...answers: Json[]
): Promise<Conversation> {
  const talk = new Conversation(desk.coordinator, question);
  const opened = talk.reply();
  talk.add(opened, await runTool(addToLibrary, {}, context));
  const split = talk.reply();
  talk.add(split, ...split.calls.map((_, index) => answers[index] ?? { answer: 'Nothing.', findings: [], gaps: [] }));
  talk.add(talk.reply(), passed());
  return talk;
}

/** What a fact-checker is asked. */
const checkSchema = z.object({
  findings: z.array(
    z.looseObject({ id: z.string(), quotation: z.string(), document: z.string(), passage: z.string() }),
  ),
});

describe('the offline coordinator', () => {
  it('[D38] opens the library, sends researchers out in parallel with the whole question, then publishes', async () => {
    const talk = new Conversation(desk.coordinator, QUESTION);
    const opened = talk.reply();
    expect(names(opened)).toEqual(['add_to_library']);
    talk.add(opened, await runTool(addToLibrary, {}, context));
    const split = talk.reply();
    expect(inputs(split).slice(0, 2)).toEqual([
      { question: 'When does a swarm leave the hive?', context: QUESTION },
      { question: 'What do the bees live on in winter?', context: QUESTION },
    ]);
    expect(new Set(names(split))).toEqual(new Set(['subagent__researcher']));
    talk.add(split, ...split.calls.map(() => FOUND));
    const draft = talk.reply();
    expect(names(draft)).toEqual(['companion__spawnAgent']);
    talk.add(draft, passed());
    expect(names(talk.reply())).toEqual(['publish_report']);
  });

  it('[D26] writes a report of what was found, once each, that the check accepts and that says who wrote it', async () => {
    const talk = await asked(QUESTION, FOUND, HONEY, FOUND);
    const report = reportSchema.parse(present(talk.reply().calls[0]).input);
    expect(report.sections.map(({ heading, text }) => [heading, text])).toEqual([
      ['When does a swarm leave the hive?', '- A swarm leaves the hive when the queen has too little room to lay. [1]'],
      ['What do the bees live on in winter?', '- They live on `honey` (2). [1]'],
    ]);
    expect(report.summary).toContain('Written by the offline model, by extraction');
    expect(report.openQuestions).toContain('The library does not say how much.');
    await expect(runTool(publishReport, report, context)).resolves.toMatchObject({ title: QUESTION });
  });

  it('[D24] names a failed researcher in the open questions and reports the others', async () => {
    const talk = await asked(QUESTION, FOUND, failed('The sub-agent took too long.', 'child_timeout'), { odd: true });
    const report = reportSchema.parse(present(talk.reply().calls[0]).input);
    expect(report.sections).toHaveLength(1);
    expect(report.openQuestions[0]).toBe(
      'What do the bees live on in winter? (the researcher failed: The sub-agent took too long.)',
    );
    expect(report.openQuestions[1]).toMatch(/its answer could not be read/);
    const none = await asked('What is honey?', ...[0, 1, 2, 3].map(() => failed('gone', 'subagent_lost')));
    expect(reportSchema.parse(present(none.reply().calls[0]).input).summary).toMatch(/^No researcher could finish/);
  });

  it('[D25] says that the library holds nothing, and invents nothing', async () => {
    const nothing = { answer: 'Nothing.', findings: [], gaps: ['No passage of the library contains “carburettor”.'] };
    const report = reportSchema.parse(
      present((await asked('How does a carburettor work?', nothing, nothing)).reply().calls[0]).input,
    );
    expect(report.sections).toEqual([]);
    expect(report.summary).toMatch(/^The library contains nothing that answers this question\./);
    expect(report.openQuestions).toEqual([
      'How does a carburettor work? (nothing found in the library)',
      expect.stringMatching(/“carburettor”\? \(nothing found/),
      'No passage of the library contains “carburettor”.',
    ]);
  });

  it('[D39] takes what was refused out of the report, and withdraws it after the third refusal', async () => {
    const wrong = {
      ...HONEY,
      findings: [{ ...present(HONEY.findings[0]), quotation: 'They live on air alone.' }, ...FOUND.findings],
    };
    const talk = await asked(QUESTION, wrong);
    const refusedBy = async (reply: ReturnType<typeof talk.reply>, library = context) => {
      expect(names(reply)).toEqual(['publish_report']);
      const refusal = await runTool(publishReport, inputs(reply)[0], library).catch((error: Error) => error.message);
      talk.add(reply, failed(String(refusal)));
    };
    const empty = contextOf(envOf(libraryOf())).context;
    const first = talk.reply();
    expect(reportSchema.parse(inputs(first)[0]).summary).toContain('They live on `honey`');
    await refusedBy(first);
    const second = talk.reply();
    const report = reportSchema.parse(inputs(second)[0]);
    expect(report.sections).toEqual([
      expect.objectContaining({
        text: '- A swarm leaves the hive when the queen has too little room to lay. [1]',
        citations: [expect.objectContaining({ passage: 'bees#1' })],
      }),
    ]);
    expect(report.summary).not.toContain('They live on `honey`');
    await expect(runTool(publishReport, report, context)).resolves.toBeTruthy();
    await refusedBy(second, empty);
    const third = talk.reply();
    expect(reportSchema.parse(inputs(third)[0])).toMatchObject({
      summary: expect.stringMatching(/^No quotation of this report could be verified/),
      sections: [],
      openQuestions: expect.arrayContaining([expect.stringMatching(/no quotation could be verified/)]),
    });
    talk.add(third, failed('- section 1: still refused.'));
    expect(reasonOf(talk.reply())).toMatch(/The report could not be published/);
  });

  it('[D39] puts its own report forward again when one that a person edited was refused', async () => {
    const talk = await asked(QUESTION, FOUND);
    const first = talk.reply();
    const edited = reportSchema.parse(inputs(first)[0]);
    present(present(edited.sections[0]).citations[0]).quotation = 'A swarm never leaves the hive.';
    const refusal = await runTool(publishReport, edited, context).catch((error: Error) => error.message);
    talk.add(first, failed(String(refusal)));
    talk.notice(changedCallNotice('publish_report', edited));
    expect(talk.reply()).toEqual({ ...first, text: 'The edited report was refused; I submit mine again.' });
  });

  it('[D39] withdraws a report that failed for another reason', async () => {
    const talk = await asked(QUESTION, FOUND);
    talk.add(talk.reply(), failed('The library is away.', 'unavailable'));
    expect(reasonOf(talk.reply())).toMatch(/The report could not be published: The library is away\.$/);
  });

  it('[D33] researches what a later message adds, and begins anew after an answered turn', async () => {
    const talk = await asked(QUESTION, FOUND, HONEY);
    talk.say('Which tools does the keeper need?');
    const added = talk.reply();
    expect(inputs(added)[0]).toEqual({
      question: 'Which tools does the keeper need?',
      context: 'Which tools does the keeper need?',
    });
    expect(JSON.stringify(inputs(added))).not.toContain('swarm');
    talk.add(added, ...added.calls.map(() => HONEY));
    talk.add(talk.reply(), passed(2));
    const report = talk.reply();
    expect(names(report)).toEqual(['publish_report']);
    talk.add(report, present(inputs(report)[0]));
    talk.say('What is a smoker?');
    expect(names(talk.reply())).toEqual(['add_to_library']);
    const silent = new Conversation(desk.coordinator, 'Hello!');
    silent.add(silent.reply(), { published: false, reason: 'x', markdown: 'x' });
    silent.say('What is a smoker?');
    expect(names(silent.reply())).toEqual(['add_to_library']);
  });

  it('[D38] goes on when the library cannot be opened, and asks for a question when there is none', () => {
    const talk = new Conversation(desk.coordinator, QUESTION);
    talk.add(talk.reply(), failed('The library is away.', 'unavailable'));
    expect(names(talk.reply())).toContain('subagent__researcher');
    for (const message of ['???', 'Hello!', 'what is it']) {
      const reply = new Conversation(desk.coordinator, message).reply();
      expect(reasonOf(reply)).toMatch(/please ask a question/);
    }
  });
});

describe('the offline researcher', () => {
  const request = { question: 'What do the bees live on in winter?', context: QUESTION };

  /** The conversation up to the fact-checker's call. */
  async function researched(asking: { question: string; context?: string }) {
    const talk = new Conversation(desk.researcher, asking);
    const search = talk.reply();
    talk.add(search, ...(await Promise.all(inputs(search).map((input) => runTool(searchLibrary, input, context)))));
    const read = talk.reply();
    if (names(read)[0] !== 'read_passage') return { talk, search, read };
    talk.add(read, ...(await Promise.all(inputs(read).map((input) => runTool(readPassage, input, context)))));
    return { talk, search, read };
  }

  it('[D28] searches for both questions, reads the best passages, and has exact quotations checked', async () => {
    const { talk, search, read } = await researched(request);
    expect(inputs(search)).toEqual([
      { query: 'bees live winter', limit: 20 },
      { query: 'swarm leave hive bees live winter', limit: 20 },
    ]);
    expect(inputs(read)[0]).toEqual({ document: 'bees', passage: 'bees#2' });
    const check = talk.reply();
    expect(names(check)).toEqual(['subagent__fact-checker']);
    const { findings } = checkSchema.parse(present(check.calls[0]).input);
    expect(findings.map(({ quotation }) => quotation)).toContain('They live on the honey that they stored in summer.');
    for (const { document: name, passage, quotation } of findings) {
      expect(await runTool(checkQuotation, { document: name, passage, quotation }, context)).toMatchObject({
        found: true,
        quotation,
      });
    }
  });

  it('[D28] keeps what is confirmed, moves what is misplaced, and drops the rest with a word about it', async () => {
    const { talk } = await researched(request);
    const check = talk.reply();
    const { findings } = checkSchema.parse(present(check.calls[0]).input);
    expect(findings.length).toBeGreaterThanOrEqual(2);
    const verdicts: Json[] = findings.map(({ id }) => ({ id, verdict: 'not_found' }));
    const answer = (...first: Json[]) => {
      const branch = new Conversation(desk.researcher, request);
      branch.prompt.splice(0, Number.POSITIVE_INFINITY, ...talk.prompt);
      branch.add(check, { verdicts: [...first, ...verdicts.slice(first.length)] });
      const done = branch.reply();
      expect(names(done)).toEqual(['__finish__']);
      return researchResultSchema.parse(inputs(done)[0]);
    };
    const confirmed = answer({ id: 'f1', verdict: 'confirmed' });
    expect(confirmed.findings).toEqual([{ ...findings[0], id: undefined }]);
    expect(confirmed.gaps.at(-1)).toMatch(/could not be verified and w/);
    const moved = answer({ id: 'f1', verdict: 'misplaced', passage: 'ants#1' });
    expect(moved.findings).toMatchObject([
      { document: 'ants', passage: 'ants#1', quotation: present(confirmed.findings[0]).quotation },
    ]);
    expect(answer()).toMatchObject({ findings: [], answer: 'The library says nothing about this.' });
  });

  it('[D28] hands its findings back when the fact-checker failed, and says so', async () => {
    const { talk } = await researched(request);
    const check = talk.reply();
    talk.add(check, failed('The sub-agent is gone.', 'subagent_lost'));
    const result = researchResultSchema.parse(inputs(talk.reply())[0]);
    expect(result.findings.length).toBeGreaterThan(0);
    expect(result.gaps).toContain('The fact-checker failed: The sub-agent is gone.');
  });

  it.each([
    'How does a carburettor mix petrol with air?',
    'Who won the cup final in 1966?',
    'Which winter tyres are best for lorries?',
  ])('[D25] finds nothing about %j, and says which words are nowhere', async (question) => {
    const { read } = await researched({ question });
    expect(names(read)).toEqual(['__finish__']);
    const result = researchResultSchema.parse(inputs(read)[0]);
    expect(result).toMatchObject({ findings: [], answer: 'The library says nothing about this.' });
    expect(result.gaps[0]).toMatch(/^No passage of the library contains “/);
  });

  it('[D28] ends without findings when the search fails or there is nothing to search for', async () => {
    const talk = new Conversation(desk.researcher, { question: 'What do bees eat?' });
    talk.add(talk.reply(), failed('The library is away.', 'unavailable'));
    expect(inputs(talk.reply())[0]).toMatchObject({ findings: [], gaps: ['The search failed: The library is away.'] });
    expect(inputs(new Conversation(desk.researcher, { question: 'what is it?' }).reply())[0]).toMatchObject({
      findings: [],
    });
  });
});

describe('the offline fact-checker', () => {
  it('[D29] checks every quotation in one step and gives one verdict for each, as the tool says', async () => {
    const finding = present(FOUND.findings[0]);
    const findings = [
      { id: 'f1', ...finding },
      { id: 'f2', ...finding, passage: 'bees#2' },
      { id: 'f3', ...finding, quotation: 'A swarm never leaves the hive.' },
      { id: 'f4', ...finding, document: 'nothing', passage: 'nothing#1' },
    ];
    const talk = new Conversation(desk.factChecker, { findings });
    const check = talk.reply();
    expect(names(check)).toEqual(findings.map(() => 'check_quotation'));
    const results = await Promise.all(inputs(check).map((input) => runTool(checkQuotation, input, context)));
    talk.add(check, ...results.slice(0, 3), failed('It broke.'));
    const done = talk.reply();
    expect(names(done)).toEqual(['__finish__']);
    expect(checkResultSchema.parse(inputs(done)[0]).verdicts).toEqual([
      { id: 'f1', verdict: 'confirmed' },
      { id: 'f2', verdict: 'misplaced', passage: 'bees#1' },
      { id: 'f3', verdict: 'not_found', note: 'bees#1 does not contain these words.' },
      { id: 'f4', verdict: 'not_found', note: 'It broke.' },
    ]);
  });

  it('[D29] ends with no verdicts when it is given nothing to check', () => {
    expect(new Conversation(desk.factChecker, 'hello').reply().calls).toEqual([
      { toolName: '__finish__', input: { verdicts: [] } },
    ]);
  });
});
