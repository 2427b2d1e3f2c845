import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doneWith, readFound } from '../../scripts/lib/mutants/found.mjs';
import { mutantsOf } from '../../scripts/lib/mutants/operators.mjs';
import { byProject, drawn, scores } from '../../scripts/lib/mutants/sample.mjs';
import { SWITCHES, switched } from '../../scripts/lib/mutants/switches.mjs';
import { mutantOf } from '../../scripts/lib/planted/switch.mjs';

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

describe('a source with switches', () => {
  /** What a program does: its value and its effects, or its error. */
  function done(body: string, on: number): unknown {
    const reached: number[] = [];
    const switches = { on, at: (...numbers: number[]) => void reached.push(...numbers) };
    const effects: unknown[] = [];
    try {
      const program = new Function(SWITCHES, 'effect', `return ${body}`);
      return { value: program(switches, (value: unknown) => effects.push(value)), effects };
    } catch (error) {
      return { error: String(error), effects };
    }
  }

  it.each([
    'if (1 < 2) effect(1); else effect(2); return [effect(3) === 1 && effect(4) > 2 || effect(5)];',
    'const a = { ...{ b: [1, ...[2, 0]] }, c: true ? 1 : 2 }; return a.b.filter((d) => d > 0).some((d) => d === 2) ? a : 7;',
    'const a = undefined; return [a?.b.filter((c) => c > 1).map((c) => c + 1), Math.max(1, 2) - 1];',
    'const a = [1, 2, 0]; return a?.filter((c) => c > 1).map((c) => [c, c === 2 || effect(c)]);',
    'let a = 0; const b = () => { a += 1; effect(a); }; if (!a) b(); b(); return ((c = 1) => ({ ...c }))([...`xy`]);',
    'class A { b = 1; c() { this.b = 2; return this.b >= 2 && this; } } return new A().c()?.b;',
  ])('[PL9] does what the source does, and what a mutant does while that is on: `%s`', (body) => {
    const text = `(() => {${body}})()`;
    const mutants = mutantsOf(FILE, text);
    const all = switched(text, mutants, (one) => mutants.indexOf(one) + 1);
    expect(mutants.length).toBeGreaterThan(3);
    expect(done(all, 0)).toEqual(done(text, 0));
    mutants.forEach(({ start, end, replace }, index) => {
      expect(done(all, index + 1), `mutant ${index}`).toEqual(
        done(text.slice(0, start) + replace + text.slice(end), 0),
      );
    });
  });

  it.each([
    [
      'const a = (b) => { if (b > 1) return 1; effect(b); return 2; }; return [a(1), a(2)];',
      'if (b > 1) return 1;',
      '',
    ],
    ['const a = (b) => b > 1; return [a(1), a(2)];', 'b > 1', 'b > 0'],
    ['const a = (b) => ({ b, c: 1 }); return a(2);', 'c: 1', 'c: b'],
    ['const a = (b) => { const c = b + 1; effect(c); return c; }; return a(1);', 'effect(c); return c;', 'return c;'],
    ['const a = [1, 2].map((b) => { return b; }).join(); return a;', '{ return b; }', '{ return -b; }'],
    ['class A { #a = 1; b() { this.#a += 1; return this.#a; } } return new A().b();', '+= 1;', '+= 2;'],
    ['const a = (b) => b > 1; return [a(1), a(2)];', '(b) => b > 1; return', '(b) => b >= 1; return'],
    ['function* a() { yield 1; yield 2; } return [...a()];', 'yield 1;', 'yield 3;'],
  ])('[PL11] does what a planted bug does while that is on: `%s`, %s, %s', (body, find, replace) => {
    const text = `(() => {${body}})()`;
    const planted = mutantOf({ id: 'X', file: FILE, find, replace, breaks: '' }, text);
    if (planted === undefined) throw new Error('There is no switch for it.');
    const all = switched(text, [planted], () => 1);
    expect(done(all, 0)).toEqual(done(text, 0));
    const bug = done(text.replace(find, replace), 0);
    expect(done(all, 1)).toEqual(bug);
    expect(bug).not.toEqual(done(text, 0));
  });

  it('[PL11] has several planted bugs of a function and of functions within it', () => {
    const text = '(() => { const a = (b) => { effect(b); return b + 1; }; effect(0); return a(a(1)); })()';
    const edits = [
      ['effect(0);', 'effect(9);'],
      ['b + 1', 'b + 2'],
      ['effect(b);', ''],
      ['a(a(1))', 'a(1)'],
    ] as const;
    const bugs = edits.map(([find, replace], at) =>
      mutantOf({ id: `X${at}`, file: FILE, find, replace, breaks: '' }, text),
    );
    const mutants = bugs.flatMap((bug) => bug ?? []);
    const all = switched(text, mutants, (one) => mutants.indexOf(one) + 1);
    expect(done(all, 0)).toEqual(done(text, 0));
    for (const [at, [find, replace]] of edits.entries())
      expect(done(all, at + 1)).toEqual(done(text.replace(find, replace), 0));
  });

  it('[PL11] has no switch for what lies in no function', () => {
    expect(mutantOf({ id: 'X', file: FILE, find: '= 1', replace: '= 2', breaks: '' }, 'const a = 1;')).toBeUndefined();
  });
});

describe('what a process found', () => {
  it('[PL10] is done with the files that it began before the last one, whatever the order that they were given in', () => {
    const own = ['a', 'b', 'c', 'd'];
    for (const [begun, isWhole, isStuck, done] of [
      [['d', 'a', 'c'], false, false, ['d', 'a']],
      [['d', 'a', 'c'], false, true, ['d', 'a', 'c']],
      [['d'], false, false, []],
      [[], false, false, []],
      [['d', 'a', 'c', 'b'], true, false, own],
    ] as const)
      expect([...doneWith(own, { files: [...begun] }, { isWhole, isStuck })]).toEqual(done);
  });

  it('[PL10] is whole up to the try that did not end, and names its test', () => {
    const lines = [
      'file a.test.ts',
      'test 7_0 1.5 a > [A1] is b',
      'reached 1 2 3',
      'try 2',
      'noticed 2',
      'try 3',
      'try 1',
    ];
    expect(readFound(lines.join('\n'))).toEqual({
      noticed: new Map([[2, { how: 'noticed', by: 'a.test.ts > a > [A1] is b' }]]),
      reached: new Set([1, 2, 3]),
      files: ['a.test.ts'],
      ended: [],
      under: { number: 1, by: 'a.test.ts > a > [A1] is b', test: '7_0' },
    });
    const rest = ['late 1', 'end 7_0', 'file b.test.ts', 'reached'];
    expect(readFound([...lines, ...rest, ''].join('\n'))).toMatchObject({
      noticed: new Map([
        [2, { how: 'noticed' }],
        [1, { how: 'late', by: 'a.test.ts > a > [A1] is b' }],
      ]),
      files: ['a.test.ts', 'b.test.ts'],
      ended: ['7_0'],
      under: undefined,
    });
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
    whole: { start: 0, end: 0, is: 'expression' as const },
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
