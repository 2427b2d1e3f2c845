/** Text in Markdown that grows. */
import fc from 'fast-check';
import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { type Parsed, parse } from '../../../src/console/data/blocks';

const LINES = [
  '# head',
  'a *word*',
  '- item',
  '  - below',
  '1. one',
  '> said',
  '```',
  'code',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
];
const OTHERS = ['', '', '===', '---', '<b>', '</b>', '    deep', '[x]: https://x.example', 'see [x]', '***', 'tail \\'];

const anyText = fc.array(fc.constantFrom(...LINES, ...OTHERS), { maxLength: 14 }).map((lines) => lines.join('\n'));

describe('a text that grows', () => {
  it('[CN15] has the blocks of the whole text, however it came', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat({ max: 120 }), { maxLength: 12 }), (text, cuts) => {
        let held: Parsed | undefined;
        for (const cut of [...cuts.sort((one, other) => one - other), text.length])
          held = parse(text.slice(0, cut), held);
        expect(held?.tokens).toEqual([...lexer(text)]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('[CN15] resolves what stands before a definition that comes late', () => {
    const before = parse('See [x].\n\nMore', undefined);
    const after = 'See [x].\n\nMore\n\n[x]: https://x.example\n';
    expect(parse(after, before).tokens).toEqual([...lexer(after)]);
    expect(JSON.stringify(parse(after, before).tokens?.[0])).toContain('https://x.example');
  });

  it('[CN15] keeps the blocks before its last one as they are', () => {
    const one = parse('# Head\n\nFirst.\n\nSec', undefined);
    const other = parse('# Head\n\nFirst.\n\nSecond *word*', one);
    expect(other.tokens?.slice(0, 3)).toEqual(one.tokens?.slice(0, 3));
    for (const at of [0, 1, 2, 3]) expect(other.tokens?.[at]).toBe(one.tokens?.[at]);
    expect(parse('another text', other).tokens).toEqual([...lexer('another text')]);
    expect(parse('~'.repeat(100_000), other).tokens).toBeUndefined();
  });
});

describe('a text that would keep the lexer at work', () => {
  const shown = (text: string) => (parse(text, undefined).tokens ?? []).map((token) => [token.type, token.raw]);
  const inner = (text: string) =>
    (parse(text, undefined).tokens ?? []).map((token) => 'tokens' in token && token.tokens?.map(({ type }) => type));

  it.each(['_a_', '_a_b_', '_a', 'a_b', '*a', '**a', '[a', '[ ', '` ', '![a](', '<a', '\\', '(_'])(
    '[CN98] shows the paragraph as it is, and reads those before it: %j',
    (piece) => {
      const long = piece.repeat(60_000 / piece.length).trim();
      expect(inner(`An *early* word.\n\n${long}`)).toEqual([['text', 'em', 'text'], false, ['text']]);
      expect(shown(`An *early* word.\n\n${long}`)[2]).toEqual(['paragraph', long]);
    },
  );

  it.each([
    ['www.', ')'],
    ['http://', "'"],
    ['https://a.test/', '.)'],
    ['a', '@'],
  ])('[CN98] shows a text as it is that has %j and then %j again and again', (one, other) => {
    const [many, more] = [one, other].map((piece) => piece.repeat(30_000 / piece.length));
    expect(parse(`${many} ${more}`, undefined).tokens).toBeUndefined();
    expect(parse(`${many}${more}`, undefined).tokens).toBeUndefined();
  });

  it('[CN98] reads an address with some signs behind it, and a long word without one', () => {
    for (const text of [`See https://a.test/x${')'.repeat(199)}`, 'x'.repeat(60_000), `ann@a.test ${'x'.repeat(999)}`])
      expect(parse(text, undefined).tokens).toHaveLength(1);
  });

  it('[CN98] reads up to ten million marks times characters, and not one more', () => {
    const marks = '*a* '.repeat(500);
    const most = marks.padEnd(10_000, 'x');
    expect(inner(most)[0]).toContain('em');
    expect(inner(`${most}x`)[0]).toEqual(['text']);
    // All paragraphs of a text have one share.
    const half = marks.padEnd(5_000, 'x');
    expect(inner(`${half}\n\n${half}`)).toEqual([
      expect.arrayContaining(['em']),
      false,
      expect.arrayContaining(['em']),
    ]);
    expect(inner(`${half}\n\n${half}x`)).toEqual([expect.arrayContaining(['em']), false, ['text']]);
  });

  it.each([
    ['a long paragraph of an item', (n: number) => `- a\n${'b\n'.repeat(n)}`, 3_800],
    ['one behind an empty line', (n: number) => `- a\n\n${'  b\n'.repeat(n)}`, 2_700],
    ['one in a quote', (n: number) => `> - a\n${'> b\n'.repeat(n)}`, 2_700],
    ['one of a deep item', (n: number) => `${'- '.repeat(40)}a\n${'b\n'.repeat(n)}`, 3_800],
    ['a quote that ends at each second line', (n: number) => `${'> - a\nb\n'.repeat(n)}`, 1_900],
    ['a quote in a quote that does', (n: number) => `${'> > - a\n> b\n'.repeat(n)}`, 1_500],
    ['a list in a list that does', (n: number) => `${'a\n> - b\n'.repeat(n)}`, 1_900],
  ])('[CN98, CN125] shows as it is what the lexer would read again at each line: %s', (_, made, most) => {
    const parsed = (n: number, end = '\n') => parse(`Said:\n\n${made(n)}`.replaceAll('\n', end), undefined).tokens;
    expect(parsed(most)).toBeDefined();
    for (const end of ['\n', '\r\n', '\r']) {
      expect(parsed(most * 1.2, end)).toBeUndefined();
      expect(parsed(most / 20, end)).toEqual(parsed(most / 20));
    }
    // Empty lines part what is read again.
    expect(parse(`${made(most / 20)}\n`.repeat(20), undefined).tokens).toBeDefined();
  });

  it('[CN98, CN125] reads long lists and quotes of one line each', () => {
    for (const line of ['- item\n', '1. item\n', '> said\n>\n', '- [ ] to do\n'])
      expect(parse(line.repeat(4_000), undefined).tokens).toBeDefined();
    expect(parse('A line at the margin.\n'.repeat(2_900), undefined).tokens).toBeDefined();
  });

  it.each(['- ', '> ', '1. ', '>- ', '> - ', '7) ', '- 1. '])(
    '[CN98] shows what nests too deep as it is: %j',
    (level) => {
      const levels = level.trim().split(/ |(?<=>)(?=-)/u).length;
      const text = (count: number) => `Said:\n\n${level.repeat(Math.ceil(count / levels))}x`;
      expect(parse(text(40), undefined).tokens).toBeDefined();
      expect(parse(text(50), undefined).tokens).toBeUndefined();
      expect(parse(text(20_000), undefined).tokens).toBeUndefined();
    },
  );
});
