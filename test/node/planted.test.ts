import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bugProblems, plantedIn } from '../../scripts/lib/planted/bugs.mjs';
import { nearestTests } from '../../scripts/lib/planted/nearest.mjs';
import { readReport } from '../../scripts/lib/planted/report.mjs';
import { lineOf, sumOf } from '../../scripts/lib/planted/results.mjs';

const bug = (find: string, replace: string, id = 'X1') => ({ id, file: 'src/a.ts', find, replace, breaks: 'All.' });

describe('a planted bug', () => {
  it('[PL1] takes the place of its text, whatever characters are in either', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '$', '&', '\\', '\n', '`', '1') });
    fc.assert(
      fc.property(part, part, part, (before, replace, after) => {
        expect(plantedIn(`${before}<>${after}`, bug('<>', replace))).toEqual({ text: before + replace + after });
      }),
    );
  });

  it.each([
    ['is missing', 'one two', bug('three', ''), 'X1: its `find` does not occur in src/a.ts'],
    ['occurs twice', 'one one', bug('one', ''), 'X1: its `find` occurs 2 times in src/a.ts'],
    ['is empty', 'one', bug('', 'two'), 'X1: its `replace` changes nothing'],
    ['is replaced by itself', 'one', bug('one', 'one'), 'X1: its `replace` changes nothing'],
  ])('[PL1] is refused by its id where its text %s', (_case, text, given, problem) => {
    expect(plantedIn(text, given)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('[PL1] of a list is refused where its id or its file is wrong, and each problem of the list is there', () => {
    const texts: Record<string, string> = { 'src/a.ts': 'one two' };
    const list = [
      bug('one', ''),
      bug('two', '', 'X1'),
      { ...bug('one', '', 'X2'), file: 'src/b.ts' },
      bug('3', '', 'X3'),
    ];
    expect(bugProblems(list, (file) => texts[file])).toEqual([
      'X1: this id occurs twice.',
      'X2: there is no file src/b.ts.',
      expect.stringMatching(/^X3: its `find` does not occur/),
    ]);
    expect(bugProblems(list.slice(0, 1), (file) => texts[file])).toEqual([]);
  });
});

describe('the nearest tests', () => {
  const HEADER =
    '/**\n * Runs.\n *\n * ZZ6. One at a time.\n * Keeps ZZ12.\n */\n// ZZ3 is none of it.\nexport const run = 1;\n/** ZZ4. */';
  const source = { path: 'src/core/run.ts', text: HEADER };
  const importing = (specifier: string) => `import { run } from '${specifier}';\n`;
  const citing = (...titles: string[]) => titles.map((title) => `it('${title}', () => {});\n`).join('');

  it('[PL2] are those that import the file, its namesakes first, then those that cite a promise of its header', () => {
    const tests = [
      { path: 'test/core/cites.test.ts', text: citing('[Z9] no', '[ZZ1, ZZ12] yes') },
      { path: 'test/core/imports.test.ts', text: importing('../../src/core/run') },
      { path: 'test/node/deep/later.test.ts', text: `const { run } = await import('../../../src/core/run.ts');` },
      { path: 'test/core/both.test.ts', text: importing('../../src/core/run') + citing('[ZZ6] yes') },
      {
        path: 'test/core/other.test.ts',
        text: importing('../../src/core/runs') + citing('[ZZ2] no', '[ZZ3] no', '[ZZ4] no'),
      },
      { path: 'test/core/named.test.ts', text: '// ZZ6 and src/core/run' },
      { path: 'test/sim/run.test.ts', text: importing('../../src/core/run') },
      { path: 'test/other/run.test.ts', text: '' },
    ];
    expect(nearestTests(source, tests)).toEqual([
      ['test/sim/run.test.ts'],
      ['test/core/imports.test.ts', 'test/node/deep/later.test.ts', 'test/core/both.test.ts'],
      ['test/core/cites.test.ts'],
    ]);
  });

  it('[PL2] cite what the suites cite that they import, over any number of files', () => {
    const suites = [
      { path: 'test/support/middle.ts', text: importing('./suite') + importing('../a') },
      { path: 'test/support/suite.ts', text: importing('./middle') + citing('[ZZ6] yes') },
      { path: 'test/support/alone.ts', text: importing('../../src/core/run') + citing('[Z9] no') },
    ];
    const tests = [
      { path: 'test/a.test.ts', text: importing('./support/alone') },
      { path: 'test/b.test.ts', text: importing('./support/middle') },
    ];
    expect(nearestTests(source, tests, suites)).toEqual([['test/b.test.ts']]);
    expect(nearestTests(source, tests)).toEqual([]);
  });

  it('[PL2] of a file that no test imports are also those of the nearest files that import it, after those that cite', () => {
    const sources = [
      source,
      { path: 'src/core/door.ts', text: importing('./run') },
      { path: 'src/core/house.ts', text: importing('./door') },
      { path: 'src/core/town.ts', text: importing('./house') + importing('./town') },
    ];
    const house = { path: 'test/house.test.ts', text: importing('../src/core/house') };
    const tests = [
      house,
      { path: 'test/town.test.ts', text: importing('../src/core/town') },
      { path: 'test/cites.test.ts', text: importing('../src/core/house') + citing('[ZZ6] yes') },
    ];
    expect(nearestTests(source, tests, [], sources)).toEqual([['test/cites.test.ts'], ['test/house.test.ts']]);
    expect(nearestTests(source, [], [], sources)).toEqual([]);
    const direct = { path: 'test/direct.test.ts', text: importing('../src/core/run') };
    expect(nearestTests(source, [house, direct], [], sources)).toEqual([['test/direct.test.ts']]);
  });

  it('[PL2] of an index are those that import its folder, and a file without a header has no promises', () => {
    const index = { path: 'src/core/index.ts', text: 'export const ZZ12 = 1;' };
    const tests = [
      { path: 'test/a.test.ts', text: importing('../src/core') },
      { path: 'test/b.test.ts', text: citing('[ZZ12] no') },
    ];
    expect(nearestTests(index, tests)).toEqual([['test/a.test.ts']]);
  });
});

describe('a run of tests', () => {
  const run = { code: 1, output: 'Out of memory\nmore', late: false, seconds: 61.2, folder: '/copy' };
  const file = (name: string, status: string, tests: Record<string, string>, message = '') => ({
    ...{ name: `/copy/${name}`, status, message, startTime: 1_000, endTime: 3_500 },
    assertionResults: Object.entries(tests).map(([fullName, state]) => ({ fullName, status: state })),
  });
  const reported = (...testResults: object[]) => JSON.stringify({ testResults });

  it('[PL3] reports its first failure, what passed, and the seconds of each file', () => {
    const text = reported(
      file('test/a.test.ts', 'passed', { one: 'passed', two: 'skipped' }),
      file('test/b.test.ts', 'failed', { three: 'passed', four: 'failed', five: 'failed' }),
    );
    expect(readReport(text, run)).toEqual({
      seconds: 61.2,
      passed: 2,
      files: new Map([
        ['test/a.test.ts', 2.5],
        ['test/b.test.ts', 2.5],
      ]),
      failed: { file: 'test/b.test.ts', title: 'four' },
    });
  });

  it.each([
    ['all pass', reported(file('a', 'passed', { one: 'passed' })), { code: 0 }, undefined],
    ['no file is there', reported(), { code: 0 }, undefined],
    [
      'a file cannot be loaded',
      reported(file('a', 'failed', {}, 'No such module\nat a')),
      {},
      { file: 'a', title: '(outside of its tests) No such module' },
    ],
    ['it does not end', '', { late: true }, { file: '', title: '(the tests did not end within 61 s)' }],
    ['it ends without a report', '', {}, { file: '', title: '(outside of all tests) Out of memory' }],
    [
      'an error is in no test',
      reported(file('a', 'passed', { one: 'passed' })),
      {},
      { file: '', title: '(outside of all tests) Out of memory' },
    ],
  ])('[PL3] where %s', (_case, text, facts, failed) => {
    expect(readReport(text, { ...run, ...facts }).failed).toEqual(failed);
  });
});

describe('the results of planted bugs', () => {
  const facts = { bug: '', file: 'src/a.ts', seconds: 1.25 };
  const test = { file: 'test/a.test.ts', title: 'counts' };
  const results = [
    { ...facts, id: 'X1', stage: 'together' as const, by: 'nearest', test },
    { ...facts, id: 'X2', stage: 'alone' as const, by: 'core', test },
    { ...facts, id: 'X3', stage: 'alone' as const },
    { ...facts, id: 'X4', stage: 'together' as const },
  ];

  it('[PL4] are counted in the last line', () => {
    expect(sumOf(results)).toBe('2 of 4 noticed, 1 by the nearest tests');
    expect(sumOf([])).toBe('0 of 0 noticed, 0 by the nearest tests');
  });

  it('[PL4] have a line each, with the test that noticed it or the file of one that none did', () => {
    expect(results.map((result) => lineOf(result).split(/ {2,}/))).toEqual([
      ['X1', 'nearest', '1.3 s', 'test/a.test.ts > counts'],
      ['X2', 'core', '1.3 s', 'test/a.test.ts > counts'],
      ['X3', 'NOT NOTICED', '1.3 s', 'src/a.ts'],
      ['X4', 'not together', '1.3 s', 'src/a.ts'],
    ]);
  });
});
