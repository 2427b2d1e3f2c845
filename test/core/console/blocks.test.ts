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
