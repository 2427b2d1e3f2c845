/** `npm run where`: on a small project whose files are written here, and on this one. */
import { expect, it } from 'vitest';
import { headerProblems, readFile, readHouse, readPromises, readTests } from '../../scripts/lib/where/headers.mjs';
import { printed, sectionList } from '../../scripts/lib/where/print.mjs';
import { find, stem } from '../../scripts/lib/where/where.mjs';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { WIRE_LIMITS } from '../../src/protocol/wire/wire-limits';

const SPEC = `## Kettles

- **K1** A kettle that boils is switched off.
- **K2** A lid opens by hand alone.

## Pots

- **P1** A pot that boils is moved.
`;

const FILES = {
  'src/core/kettle.ts': `/**
 * The kettle.
 *
 * Decides: when a kettle is switched off.
 * Keeps K1.
 */
/** Degrees at which it boils. */
export const MAX_DEGREES = 100;

/** Whether a kettle has to be switched off. */
export function isDone(degrees: number): boolean {
  return degrees >= MAX_DEGREES;
}
`,
  'src/core/lid.ts': '/**\n * The lid of a kettle.\n *\n * Keeps K2.\n */\nexport const lid = true;\n',
  'src/core/done.ts': '/**\n * Who is done, and what is done.\n *\n * Keeps K2.\n */\nexport const nobody = true;\n',
  'src/core/bare.ts': 'export const bare = true;\n',
  'src/engine/heater.ts': `/** Heats a kettle, and asks whether it is done (K1). */
import { MAX_DEGREES } from '../core/kettle';

export const heat = () => MAX_DEGREES;
`,
  'src/console/steam.ts': '/** Shows a kettle that boils, in the words of K1. */\nexport const steam = true;\n',
  'src/core/pot.ts': '/**\n * The pot.\n *\n * Keeps P1.\n */\nexport const pot = true;\n',
};

const TESTS = `it('[K1] it is switched off at 100 degrees', () => undefined);
it("[K2, P1] a lid's handle is cold", () => undefined);
`;

function house() {
  const { sections, promises } = readPromises(SPEC);
  const known = new Set(promises.map(({ id }) => id));
  const files = Object.entries(FILES).map(([path, text]) => readFile(path, text, known));
  return { sections, promises, files, tests: readTests('test/kettle.test.ts', TESTS) };
}

const pathsOf = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

/** The result of a question, with files by their paths. */
function found(question: string) {
  const { decided, carriedOut, shown, ...rest } = find(house(), question);
  return { ...rest, decided: pathsOf(decided), carriedOut: pathsOf(carriedOut), shown: pathsOf(shown) };
}

it('[WH1] who decides comes first, then who carries it out and who shows it, each with the best first', () => {
  expect(found('kettle')).toMatchObject({
    decided: ['src/core/kettle.ts', 'src/core/lid.ts'],
    carriedOut: ['src/engine/heater.ts'],
    shown: ['src/console/steam.ts'],
    missed: [],
  });
  expect(found('lid of a kettle').decided[0]).toBe('src/core/lid.ts');
});

it('[WH1] words match in any form, and all of them have to', () => {
  expect(['tries', 'tried', 'stops', 'stopped', 'budgets', 'live'].map(stem)).toEqual(
    ['try', 'try', 'stop', 'stop', 'budget', 'lives'].map(stem),
  );
  expect(found('SWITCHING kettles').decided).toEqual(['src/core/kettle.ts']);
  expect(found('boil pot')).toMatchObject({ decided: ['src/core/pot.ts'], carriedOut: [], shown: [] });
});

it('[WH2] a promise is found by its id, with those first that name it, and its tests', () => {
  const { decided, carriedOut, shown, promises, tests } = found('k1');
  expect({ decided, carriedOut, shown }).toEqual({
    decided: ['src/core/kettle.ts'],
    carriedOut: ['src/engine/heater.ts'],
    shown: ['src/console/steam.ts'],
  });
  const path = 'design/SPEC.md';
  expect(promises).toEqual([
    { id: 'K1', text: 'A kettle that boils is switched off.', path, line: 3, section: 'Kettles' },
  ]);
  expect(tests).toEqual([
    { path: 'test/kettle.test.ts', line: 1, title: 'it is switched off at 100 degrees', ids: ['K1'] },
  ]);
  expect(found('K2').tests.map(({ title }) => title)).toEqual(["a lid's handle is cold"]);
  expect(found('K').promises.map(({ id }) => id)).toEqual(['K1', 'K2']);
});

it('[WH2] a number, an export and a file are found by their names, with those that use them', () => {
  const number = { path: 'src/core/kettle.ts', line: 8, name: 'MAX_DEGREES', value: '100' };
  expect(found('MAX_DEGREES')).toMatchObject({
    decided: ['src/core/kettle.ts'],
    carriedOut: ['src/engine/heater.ts'],
    numbers: [{ ...number, doc: 'Degrees at which it boils.' }],
  });
  expect(found('isDone')).toMatchObject({
    decided: ['src/core/kettle.ts'],
    carriedOut: [],
    declared: [{ path: 'src/core/kettle.ts', line: 11, doc: 'Whether a kettle has to be switched off.' }],
  });
  expect(found('lid.ts')).toMatchObject({ decided: ['src/core/lid.ts'], promises: [{ id: 'K2' }] });
});

it('[WH2] every limit of this project is known with its line and what it means', () => {
  const whole = readHouse();
  const numbers = whole.files.flatMap((file) => file.numbers);
  for (const limit of [...Object.keys(DEFAULT_LIMITS), ...Object.keys(WIRE_LIMITS)]) {
    expect(
      numbers.filter(({ name, doc }) => name === limit && doc !== ''),
      limit,
    ).not.toEqual([]);
  }
  const { numbers: found, decided } = find(whole, 'maxCompanions');
  expect(found).toMatchObject([{ path: 'src/core/definition/limits.ts', value: '1_000' }]);
  expect(pathsOf(decided)).toContain('src/core/definition/limits.ts');
});

it('[WH3] words that no file has are named, and the nearest files are listed', () => {
  expect(found('kettle whistles')).toMatchObject({ decided: expect.arrayContaining(['src/core/kettle.ts']) });
  expect(found('kettle whistles').missed).toEqual([stem('whistles')]);
  expect(printed(find(house(), 'whistles'), { width: 100, all: false })).toEqual([]);
});

it('[WH4] an answer takes 30 lines at most and counts the rest, which --all prints', () => {
  const whole = readHouse();
  for (const question of ['child', 'stop', 'companion cap', 'CP', 'nothing of thekind']) {
    const result = find(whole, question);
    const lines = printed(result, { width: 120, all: false });
    expect(lines.length, question).toBeLessThanOrEqual(30);
    expect(lines.every((line) => line.length <= 200)).toBe(true);
    const all = printed(result, { width: 120, all: true });
    const more = /^More \(--all\): (.+)\.$/.exec(lines.at(-1) ?? '')?.[1] ?? '';
    const unlisted = [...more.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0);
    expect(all.length, question).toBe(lines.length + unlisted - (more === '' ? 0 : 1));
  }
});

it('[WH1] without a word the sections are listed', () => {
  expect(sectionList(house())).toEqual(expect.arrayContaining(['Kettles  K (2)', 'Pots     P (1)']));
});

it('[WH1] a file of the core without a subject, with that of another, or without a promise is a problem', () => {
  const { files } = house();
  expect(headerProblems(files)).toEqual([
    'src/core/bare.ts: its header has to begin with a sentence that says its subject',
    'src/core/bare.ts: its header cites no promise of SPEC.md (`Keeps A1.`), by which it is found',
  ]);
  const twin = readFile('src/core/pan.ts', FILES['src/core/pot.ts'], new Set(['P1']));
  expect(headerProblems([...files, twin])).toContain('src/core/pot.ts: its subject is that of src/core/pan.ts');
});
