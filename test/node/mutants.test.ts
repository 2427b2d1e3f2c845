import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mutantsOf } from '../../scripts/lib/mutants/operators.mjs';
import { byProject, drawn, scores } from '../../scripts/lib/mutants/sample.mjs';

const FILE = 'src/core/a.ts';
const edited = (text: string): string[] =>
  mutantsOf(FILE, text).map(({ start, end, replace }) => text.slice(0, start) + replace + text.slice(end));

describe('the mutants of a file', () => {
  it.each([
    ['if (a) b = 1;', ['if (!(a)) b = 1;', 'if (a) ;', 'if (a) b = (1 + 1);']],
    ['const a = b < 900;', ['const a = b <= 900;']],
    ['const a = b === c ? d : e;', ['const a = b !== c ? d : e;']],
    ['const a = b && c;', ['const a = b || c;']],
    ['const a = { ...b, c };', ['const a = { ...{}, c };']],
    ['const a = [...b];', ['const a = [...[]];']],
    ['const a = b.filter(c).some(d);', ['const a = b.some(d);', 'const a = b.filter(c).every(d);']],
    ['const a = Math.min(b, c);', ['const a = Math.max(b, c);']],
    ['const a = true;', ['const a = false;']],
    ["const a = b + 'c';", []],
    ['type A = B<1> | true;', []],
  ])('[PL5] of `%s` are %j', (text, mutants) => {
    expect(edited(text).sort()).toEqual([...mutants].sort());
  });

  it('[PL5] keep their ids while other lines change', () => {
    const ids = (text: string) => mutantsOf(FILE, text).map(({ id }) => id);
    const text = 'const a = b < c;\nconst d = e < f;\n';
    expect(ids(`const z = y;\n${text}`)).toEqual(ids(text));
    expect(new Set(ids(text)).size).toBe(2);
  });
});

describe('a sample of mutants', () => {
  const mutant = (id: string, file = FILE) => ({
    id,
    file,
    line: 1,
    operator: '',
    start: 0,
    end: 0,
    was: '',
    replace: '',
  });

  it('[PL6] begins with a smaller one of the same seed, whatever was added since', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 1 }), { maxLength: 30 }),
        fc.string(),
        (ids, seed) => {
          const some = ids.slice(0, ids.length >> 1);
          const order = drawn(
            ids.map((id) => mutant(id)),
            seed,
          ).map(({ id }) => id);
          const before = drawn(
            some.map((id) => mutant(id)),
            seed,
          ).map(({ id }) => id);
          expect(order.filter((id) => some.includes(id))).toEqual(before);
          expect([...order].sort()).toEqual([...ids].sort());
        },
      ),
    ));

  it('[PL8] is tried with each test file in the project that the file belongs to', () => {
    const projects = new Map([
      ['a.test.ts', 'workerd'],
      ['b.test.ts', 'alone'],
      ['c.test.ts', 'workerd'],
    ]);
    expect(byProject([...projects.keys()], projects)).toEqual([
      { project: 'workerd', files: ['a.test.ts', 'c.test.ts'] },
      { project: 'alone', files: ['b.test.ts'] },
    ]);
  });

  it('[PL7] scores each room by what a test could notice', () => {
    const outcome = (id: string, outcome: 'noticed' | 'compiler' | 'unnoticed' | 'late', file = FILE) => ({
      ...mutant(id, file),
      outcome,
      seconds: 1,
      tests: '',
    });
    const all = [
      outcome('1', 'noticed'),
      outcome('2', 'unnoticed'),
      outcome('3', 'compiler'),
      outcome('4', 'late', 'src/verbs/a.ts'),
    ];
    expect(scores(all).map((line) => line.replace(/ +/g, ' '))).toEqual([
      'src/core 1 of 2 noticed, 50 % (aim: 85 %)',
      'src/verbs 1 of 1 noticed, 100 %',
      'all 2 of 3 noticed, 66 %',
    ]);
    expect(scores([])).toEqual([]);
  });
});
