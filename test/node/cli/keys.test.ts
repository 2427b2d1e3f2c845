import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, KeyReader, written } from '../../../src/cli/terminal/keys';

const keysOf = (...inputs: string[]): Key[] => {
  const reader = new KeyReader();
  return inputs.flatMap((input) => reader.push(input));
};
const kinds = (...inputs: string[]) => keysOf(...inputs).map((key) => (key.kind === 'char' ? key.char : key.kind));

describe('the keyboard', () => {
  it('[K15] reads characters, named keys and sequences, and leaves out what it does not know', () => {
    expect(kinds('aÄ😀\r\n\u007f\b\u0003\u0015\u0017')).toEqual([
      'a',
      'Ä',
      '😀',
      'enter',
      'enter',
      'backspace',
      'backspace',
      'interrupt',
      'erase-line',
      'erase-word',
    ]);
    expect(kinds('\u001b[A\u001bOB\u001b[5~\u001b[6~')).toEqual(['up', 'down', 'page-up', 'page-down']);
    expect(kinds('\u001b')).toEqual(['escape']);
    expect(kinds('\u001b\u001b')).toEqual(['escape', 'escape']);
    expect(kinds('\u001b[1;5C\u001b[15~\u001bOP\u0000\u0001\u001a')).toEqual([]);
  });

  it('[K15] a sequence may be cut anywhere after its escape', () => {
    expect(kinds('\u001b[', 'A')).toEqual(['up']);
    expect(kinds('\u001b[5', '~x')).toEqual(['page-up', 'x']);
    expect(kinds('\u001bO', 'A')).toEqual(['up']);
  });

  it('[K15] pasted text is one key, wherever it is cut, and presses none', () => {
    const pasted = 'a\r\u0003\u001b[A q';
    const input = `x\u001b[200~${pasted}\u001b[201~y`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: input.length }), { maxLength: 4 }), (cuts) => {
        // A lone escape at an end is the key: cuts right after one are left out, as terminals do not cut there.
        const at = [...new Set([0, ...cuts, input.length])].sort((one, other) => one - other);
        const places = at.filter((place) => place === 0 || input[place - 1] !== '\u001b');
        const pieces = places.map((place, index) => input.slice(place, places[index + 1] ?? input.length));
        expect(keysOf(...pieces)).toEqual([
          { kind: 'char', char: 'x' },
          { kind: 'paste', text: pasted },
          { kind: 'char', char: 'y' },
        ]);
      }),
    );
  });

  it('[K15] a line takes what is written into it, and gives it back', () => {
    const line = (...inputs: string[]) => keysOf(...inputs).reduce(written, '');
    expect(line('ab\u007fc')).toBe('ac');
    expect(line('a👩‍👩‍👧\u007f')).toBe('a');
    expect(line('one two  \u0017')).toBe('one ');
    expect(line('one two\u0015three')).toBe('three');
    expect(line('\u007f\u0017\u001b[A')).toBe('');
    expect(line('\u001b[200~a\r\nb\rc\u001b[201~')).toBe('a\nb\nc');
  });
});
