import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLine, lineWidth, paint, span, spread, wrapLine } from '../../../src/cli/terminal/style';
import {
  cleanJson,
  cleanLine,
  cleanLines,
  graphemes,
  textWidth,
  truncate,
  truncateFront,
} from '../../../src/cli/terminal/text';
import { ANY_CHARACTER } from '../../support/any-character';
import { HOSTILE, UNSAFE, withoutOwnCodes } from './surroundings';

const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc
    .array(fc.constantFrom(...HOSTILE, '日本', 'é', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '❤️', 'word', ' '), { maxLength: 12 })
    .map((all) => all.join('')),
);

describe('text for a terminal', () => {
  it('[K5] nothing that a terminal acts on survives cleaning, whatever the text', () => {
    for (const text of HOSTILE) expect(cleanLine(text)).not.toMatch(UNSAFE);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cleanLine(text)).not.toMatch(UNSAFE);
        for (const line of cleanLines(text)) expect(line).not.toMatch(UNSAFE);
      }),
      { numRuns: 500 },
    );
  });

  it('[K5] whole escape sequences go, the words around them stay', () => {
    expect(cleanLine('a\u001b[31mred\u001b[0m b')).toBe('ared b');
    expect(cleanLine('a\u001b]0;my title\u0007b')).toBe('ab');
    expect(cleanLine('a\u001b]52;c;aGk=\u001b\\b')).toBe('ab');
    expect(cleanLine('line 1\nline 2\tend')).toBe('line 1 line 2 end');
    expect(cleanLines('one\r\ntwo\u2028three\rfour')).toEqual(['one', 'two', 'three', 'four']);
  });

  it('[K5] of sequences that never end nothing is left but what is harmless', () => {
    expect(cleanLine('a\u001b]0;never')).toBe('a0;never');
    expect(cleanLine('a\u009d0;x\u001b[31mb')).toBe('a0;xb');
    expect(cleanLine('a\u001b[31')).toBe('a31');
    expect(cleanLine('a\u001b')).toBe('a');
    expect(cleanLine('a\u001bP1\u001bP2\u001b\\b')).toBe('a1b');
    expect(cleanLine('a\u001b(Bb')).toBe('ab');
  });

  it('[K5] joined words and emoji keep their joiners', () => {
    expect(cleanLine('👩‍👩‍👧 نمی‌خواهم')).toBe('👩‍👩‍👧 نمی‌خواهم');
  });

  it('[K6] JSON for stdout is the same JSON with everything dangerous written as escapes', () => {
    fc.assert(
      fc.property(fc.json(), anyText, (json, text) => {
        const value: unknown = { json: JSON.parse(json), text: text.toWellFormed() };
        for (const indent of [0, 2]) {
          const cleaned = cleanJson(JSON.stringify(value, null, indent));
          expect(cleaned.replaceAll('\n', '')).not.toMatch(UNSAFE);
          expect(JSON.parse(cleaned)).toEqual(value);
        }
      }),
    );
  });

  it('[K4] knows the columns of wide, combining and joined characters', () => {
    const widths: [string, number][] = [
      ['abc', 3],
      ['日本語', 6],
      ['e\u0301', 1],
      ['👩‍👩‍👧', 2],
      ['🇩🇪', 2],
      ['❤️', 2],
      ['한글', 4],
      ['ｱ', 1],
      ['Ａ', 2],
      ['', 0],
    ];
    for (const [text, width] of widths) expect([text, textWidth(text)]).toEqual([text, width]);
  });

  it('[K4] cut text fits, at either end, and no character is cut in two', () => {
    expect(truncate('日本語の文', 7)).toBe('日本語…');
    expect(truncate('日本語の文', 6)).toBe('日本…');
    expect(truncateFront('one two three', 6)).toBe('…three');
    fc.assert(
      fc.property(anyText.map(cleanLine), fc.nat(30), (text, columns) => {
        expect(textWidth(truncate(text, columns))).toBeLessThanOrEqual(columns);
        expect(textWidth(truncateFront(text, columns))).toBeLessThanOrEqual(columns);
        const kept = truncate(text, columns).replace(/…$/u, '').trimEnd();
        expect(graphemes(text).slice(0, graphemes(kept).length).join('').startsWith(kept)).toBe(true);
      }),
    );
  });
});

describe('styled lines', () => {
  const anyLine = fc.array(
    fc
      .record({ text: anyText, style: fc.constantFrom('plain', 'bold', 'bad') })
      .map((each) => span(each.text, each.style)),
    { maxLength: 5 },
  );

  it('[K5] painting writes its own codes only, and none without colours', () => {
    expect(paint([span('a', 'bad'), span('b')], true)).toBe('\u001b[31ma\u001b[0mb');
    expect(paint([{ text: '\u001b[2Jx', style: 'bad' }], false)).toBe('x');
    fc.assert(
      fc.property(anyLine, (line) => {
        expect(paint(line, false)).not.toMatch(UNSAFE);
        expect(withoutOwnCodes(paint(line, true))).not.toMatch(UNSAFE);
      }),
    );
  });

  it('[K4] fitted, spread and wrapped lines stay within their columns', () => {
    fc.assert(
      fc.property(anyLine, anyLine, fc.integer({ min: 2, max: 60 }), (left, right, columns) => {
        expect(lineWidth(fitLine(left, columns))).toBeLessThanOrEqual(columns);
        expect(lineWidth(spread(left, right, columns))).toBeLessThanOrEqual(columns);
        for (const line of wrapLine(left, columns)) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 300 },
    );
  });

  it('[K4] wrapping loses no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/u), { maxLength: 20 }),
        fc.integer({ min: 2, max: 40 }),
        (words, columns) => {
          const lines = wrapLine([span(words.join(' '))], columns);
          const text = lines.map((line) => paint(line, false)).join('');
          expect(text.replaceAll(' ', '')).toBe(words.join(''));
        },
      ),
    );
    const quoted = wrapLine([span('one two three four')], 12, [span('> ')]).map((line) => paint(line, false).trimEnd());
    expect(quoted).toEqual(['> one two', '> three four']);
  });
});
