import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deliveredSchema, publishedSchema, type Report } from '../../../src/desk/schemas';
import {
  addToLibrary,
  checkQuotation,
  publishReport,
  readPassage,
  searchLibrary,
  withdrawReport,
} from '../../../src/desk/tools';
import { present } from '../../support/present';
import { asksForApproval, contextOf, desk, document, envOf, libraryOf, offered, runTool } from './support';

const TIDES = document(
  'tides',
  '# Tides\n\n## Cause\n\nThe moon pulls the water on its own side more than the earth as a whole.\n\n## Rhythm\n\nHigh water comes about every 12 hours and 25 minutes, `twice` for each lunar day.\n',
);
const REPORT: Report = {
  title: 'Why *tides* come',
  summary: 'The moon causes them.',
  sections: [
    {
      heading: 'Cause',
      text: 'The moon pulls [1]. It does so twice a day [2].',
      citations: [
        { document: 'tides', passage: 'tides#1', quotation: 'The moon pulls the water  on its own side' },
        { document: 'tides', passage: 'tides#2', quotation: 'twice for each lunar day' },
      ],
    },
    {
      heading: 'Rhythm',
      text: 'As said, `array[7]` aside.',
      citations: [{ document: 'tides', passage: 'tides#2', quotation: 'twice for each lunar day' }],
    },
  ],
  openQuestions: ['How high is <it>?'],
};

describe('publish_report', () => {
  it('[D36] writes report.md with numbered citations, each source once, and answers the sources’ own words', async () => {
    const { context, file } = contextOf(envOf(libraryOf(TIDES)));
    const output = publishedSchema.parse(await runTool(publishReport, REPORT, context));
    expect(output.sections.map(({ citations }) => citations.map(({ quotation }) => quotation))).toEqual([
      ['The moon pulls the water on its own side', '`twice` for each lunar day'],
      ['`twice` for each lunar day'],
    ]);
    expect(output.markdown).toBe(file('report.md'));
    expect(file('report.md')).toBe(`# Why tides come

The moon causes them.

## Cause

The moon pulls [1]. It does so twice a day [2].

## Rhythm

As said, \`array[7]\` aside. [2]

## Open questions

- How high is \\<it\\>?

## Sources

1. “The moon pulls the water on its own side” (Tides, Cause; tides#1)
2. “twice for each lunar day” (Tides, Rhythm; tides#2)
`);
  });

  it('[D35] refuses a report with wrong quotations before anybody is asked, says which and why, and writes nothing', async () => {
    const { context, file } = contextOf(envOf(libraryOf(TIDES)));
    const wrong = structuredClone(REPORT);
    present(present(wrong.sections[0]).citations[1]).quotation = 'thrice for each lunar day';
    present(present(wrong.sections[1]).citations[0]).passage = 'tides#1';
    expect(await asksForApproval(publishReport, wrong, context)).toBe(false);
    const refusal = runTool(publishReport, wrong, context);
    await expect(refusal).rejects.toMatchObject({ code: 'tool_failed' });
    await expect(refusal).rejects.toThrow(/2 places to fix/);
    await expect(refusal).rejects.toThrow(
      /- section 1, citation 2 \(“thrice for each lunar day”\): tides#2 does not contain these words\./,
    );
    await expect(refusal).rejects.toThrow(
      /- section 2, citation 1 \(“twice for each lunar day”\): tides#1 does not contain these words, but tides#2 does\./,
    );
    expect(file('report.md')).toBeUndefined();
  });

  it('[D16] refuses a text that refers to a citation that is not there', async () => {
    const { context } = contextOf(envOf(libraryOf(TIDES)));
    const wrong = structuredClone(REPORT);
    present(wrong.sections[0]).text += ' More [3].';
    await expect(runTool(publishReport, wrong, context)).rejects.toThrow(
      /section 1: its text refers to \[3\], but it has 2 citations/,
    );
  });

  it('[D16] takes no section without a citation, but a report without sections', async () => {
    const section = { heading: 'x', text: 'y', citations: [] };
    expect(z.safeParse(publishReport.inputSchema, { ...REPORT, sections: [section] }).success).toBe(false);
    const { context, file } = contextOf(envOf(libraryOf(TIDES)));
    const nothing = { ...REPORT, sections: [], openQuestions: [] };
    expect(await runTool(publishReport, nothing, context)).toMatchObject({ ...nothing, published: true });
    expect(file('report.md')).toBe('# Why tides come\n\nThe moon causes them.\n');
  });
});

describe('the approval of publish_report', () => {
  const WITHOUT_SECTIONS = { ...REPORT, sections: [] };

  it.each([
    ['whose quotations all exist', REPORT],
    ['that says that nothing was found', WITHOUT_SECTIONS],
  ])('[D40] asks a person about a report %s', async (_, report) => {
    expect(await asksForApproval(publishReport, report, contextOf(envOf(libraryOf(TIDES))).context)).toBe(true);
  });

  it('[D40] lets no report past a person when the library cannot be asked', async () => {
    const away = { read: () => Promise.reject(new Error('The library is away.')) };
    const env = { LIBRARY: { getByName: () => away } };
    await expect(asksForApproval(publishReport, REPORT, contextOf(env).context)).rejects.toThrow('away');
  });

  it('[D41] is not the last word: what a person edited is checked again, and published as edited or not at all', async () => {
    const { context, file } = contextOf(envOf(libraryOf(TIDES)));
    const edited = structuredClone(REPORT);
    present(present(edited.sections[1]).citations[0]).quotation = 'thrice for each lunar day';
    await expect(runTool(publishReport, edited, context)).rejects.toThrow(/section 2, citation 1 \(“thrice/);
    expect(file('report.md')).toBeUndefined();
    const better = { ...REPORT, title: 'Tides' };
    expect(await runTool(publishReport, better, context)).toMatchObject({ published: true, title: 'Tides' });
    expect(file('report.md')).toMatch(/^# Tides\n/);
  });
});

describe('withdraw_report', () => {
  it('[D42] ends with an output that says that nothing was published and why, and leaves the files alone', async () => {
    const earlier = { 'report.md': { text: '# Earlier', mediaType: 'text/markdown' } };
    const { context, file } = contextOf(envOf(libraryOf(TIDES)), earlier);
    const output = await runTool(withdrawReport, { reason: 'A person said no.' }, context);
    expect(deliveredSchema.parse(output)).toEqual({
      published: false,
      reason: 'A person said no.',
      markdown: '# Nothing was published\n\nA person said no.\n',
    });
    expect(file('report.md')).toBe('# Earlier');
  });

  it('[D42] asks nobody, and takes no reason that is as long as a report', () => {
    expect(withdrawReport.requireApproval).toBe(false);
    const fits = (length: number) => z.safeParse(withdrawReport.inputSchema, { reason: 'x'.repeat(length) }).success;
    expect([0, 1, 600, 601].map(fits)).toEqual([false, true, true, false]);
  });

  it('[D42] and a published report cannot be taken for each other', async () => {
    const { context } = contextOf(envOf(libraryOf(TIDES)));
    const report = await runTool(publishReport, REPORT, context);
    expect(deliveredSchema.parse(report)).toEqual(report);
    expect(deliveredSchema.safeParse({ ...REPORT, markdown: '' }).success).toBe(false);
    expect(deliveredSchema.safeParse({ ...REPORT, published: true, reason: 'no' }).success).toBe(false);
  });
});

describe('add_to_library', () => {
  const FILES = {
    'uploads/sea.md': { text: '# Sea\n\nSalt water is heavier than fresh water.', mediaType: 'text/markdown' },
    'uploads/wave.png': { text: 'PNG', mediaType: 'image/png' },
    'uploads/empty.txt': { text: '', mediaType: 'text/plain' },
    'other/private.md': { text: 'Not for the library.', mediaType: 'text/markdown' },
  };

  it('[D19] adds the text files under uploads/, says what it could not take and why, and lists all documents', async () => {
    const library = libraryOf(TIDES);
    const { context } = contextOf(envOf(library), FILES);
    expect(await runTool(addToLibrary, {}, context)).toEqual({
      note: expect.stringContaining('never instructions'),
      added: [{ file: 'sea.md', document: 'sea.md', passages: 1 }],
      skipped: [
        { file: 'wave.png', problem: expect.stringContaining('image/png') },
        { file: 'empty.txt', problem: expect.stringContaining('empty') },
      ],
      documents: [
        { name: 'tides', title: 'Tides', passages: 2 },
        { name: 'sea.md', title: 'Sea', passages: 1 },
      ],
    });
    expect(library.search({ query: 'private' }).passages).toEqual([]);
  });

  it('[D19] adds nothing twice when it runs again', async () => {
    const library = libraryOf(TIDES);
    const { context } = contextOf(envOf(library), FILES);
    const first = await runTool(addToLibrary, {}, context);
    expect(await runTool(addToLibrary, {}, context)).toEqual(first);
  });
});

describe('the other tools', () => {
  const { context, emitted } = contextOf(envOf(libraryOf(TIDES)));

  it('[D3] search_library answers what the library finds, and shows what it searches for', async () => {
    expect(await runTool(searchLibrary, { query: 'moon', limit: 3 }, context)).toMatchObject({
      passages: [{ passage: 'tides#1' }],
      terms: [{ term: 'moon', passages: 1 }],
    });
    expect(emitted).toContain('searching for “moon”');
  });

  it('[D2] read_passage answers a passage, and an unknown one is a typed error', async () => {
    expect(await runTool(readPassage, { document: 'tides', passage: 'tides#1', around: 1 }, context)).toMatchObject({
      passages: [{ passage: 'tides#1' }, { passage: 'tides#2' }],
    });
    await expect(runTool(readPassage, { document: 'tides', passage: 'tides#9' }, context)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('[D11] check_quotation answers the exact words and the passage, or why not', async () => {
    const citation = { document: 'tides', passage: 'tides#2', quotation: 'twice  for each lunar day' };
    expect(await runTool(checkQuotation, citation, context)).toMatchObject({
      found: true,
      quotation: '`twice` for each lunar day',
      text: expect.stringContaining('High water'),
    });
    expect(await runTool(checkQuotation, { ...citation, passage: 'tides#1' }, context)).toMatchObject({
      found: false,
      elsewhere: 'tides#2',
    });
  });

  it.each([
    ['another word', 'twice for every lunar day'],
    ['a word left out', 'twice for lunar day'],
    ['a word added', 'nearly twice for each lunar day'],
    ['words that are nowhere', 'The moon is made of green cheese.'],
  ])('[D12] check_quotation finds no quotation with %s, and gives the passage to look at', async (_, quotation) => {
    const checked = await runTool(checkQuotation, { document: 'tides', passage: 'tides#2', quotation }, context);
    expect(checked).toEqual({
      note: expect.stringContaining('never instructions'),
      found: false,
      reason: 'tides#2 does not contain these words.',
      text: expect.stringContaining('High water'),
    });
  });

  it('[D41, D35] publish_report checks in its own body what was approved, and writes nothing that fails', async () => {
    const own = contextOf(envOf(libraryOf(TIDES)));
    const citation = { document: 'tides', passage: 'tides#2', quotation: 'twice for every lunar day' };
    const report = {
      title: 'Tides',
      summary: 'Twice.',
      sections: [{ heading: 'How often', text: 'Twice [1].', citations: [citation] }],
      openQuestions: [],
    };
    await expect(runTool(publishReport, report, own.context)).rejects.toThrow(/section 1, citation 1/);
    expect(own.file('report.md')).toBeUndefined();
  });

  it('[D20] say what to bind when there is no library', async () => {
    for (const env of [undefined, {}, { LIBRARY: 7 }]) {
      const refused = runTool(searchLibrary, { query: 'moon' }, contextOf(env).context);
      await expect(refused).rejects.toMatchObject({ code: 'unavailable', failure: { retryable: false } });
      await expect(refused).rejects.toThrow(/bind the class `Library` as `LIBRARY`/);
    }
  });

  it('[D20] may all run again after a crash', () => {
    const own = Object.values(desk).flatMap(({ tools }) => tools);
    expect(own.map(({ replay }) => replay)).toEqual(own.map(() => 'safe'));
  });
});

describe('the agents', () => {
  it('[D17] are exported and addressed as coordinator, critic, researcher, fact-checker and writer', () => {
    expect(Object.values(desk).map(({ name, className, addressClass }) => [name, className, addressClass])).toEqual([
      ['coordinator', 'Coordinator', 'coordinator'],
      ['critic', 'Critic', 'critic'],
      ['researcher', 'Researcher', 'researcher'],
      ['fact-checker', 'FactChecker', 'fact-checker'],
      ['writer', 'Writer', 'writer'],
    ]);
  });

  it('[D37] leave the coordinator no way to a report past publish_report, and one tool to end without', () => {
    const names = offered(desk.coordinator).map(({ name }) => name);
    // Those of its companions end nothing.
    expect(names.filter((name) => !name.startsWith('companion__'))).toEqual([
      'add_to_library',
      'subagent__researcher',
      'subagent__writer',
      'publish_report',
      'withdraw_report',
    ]);
    expect(desk.coordinator.tools.filter(({ finishWith }) => finishWith)).toEqual([publishReport, withdrawReport]);
  });

  it('[D37] ask a person nowhere but before a report is published', () => {
    const own = Object.values(desk).flatMap(({ tools }) => tools);
    expect(own.filter(({ requireApproval }) => requireApproval !== false)).toEqual([publishReport]);
  });
});
