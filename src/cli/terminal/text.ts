/**
 * Text that came over the wire, made fit for a terminal: nothing in it can move the cursor, change a colour, a title
 * or the clipboard, or turn the direction of writing; and its width in columns is known.
 */
import { withoutEscapes } from './escapes';

const BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
// Invisible format characters can hide or reverse text. The two joiners are part of words and emoji.
const FORMATS = /(?![\u200c\u200d])\p{Cf}/gu;

/** One line of safe text: escape sequences, controls and invisible characters are gone, breaks and tabs are spaces. */
export function cleanLine(text: string): string {
  return withoutEscapes(text.toWellFormed())
    .replace(BREAKS, ' ')
    .replace(/\t/gu, ' ')
    .replace(CONTROLS, '')
    .replace(FORMATS, '');
}

/** Safe text, line by line; tabs are two spaces. */
export function cleanLines(text: string): string[] {
  const joined = withoutEscapes(text.toWellFormed()).replace(BREAKS, '\n').replace(/\t/gu, '  ');
  return joined.split('\n').map(cleanLine);
}

/** Text in JSON syntax, with what a terminal could act on written as `\u....`: the same JSON, and harmless. */
export function cleanJson(json: string): string {
  const written = (char: string) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return json
    .toWellFormed()
    .replace(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu, written)
    .replace(FORMATS, written);
}

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dff],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x2fffd],
  [0x30000, 0x3fffd],
];
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const ASCII = /^[\u0020-\u007e]*$/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a reader sees as its characters. */
export function graphemes(text: string): string[] {
  return ASCII.test(text) ? [...text] : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let sum = 0;
  for (const char of grapheme) {
    const code = char.codePointAt(0) ?? 0;
    if (ZERO.test(char)) continue;
    sum += WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
  }
  return sum;
}

/** How many columns safe text takes. */
export function textWidth(text: string): number {
  return ASCII.test(text) ? text.length : graphemes(text).reduce((sum, each) => sum + graphemeWidth(each), 0);
}

/** The first graphemes that fit into `columns`. */
export function fitStart(text: string, columns: number): string {
  let used = 0;
  let fitted = '';
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > columns) break;
    fitted += grapheme;
  }
  return fitted;
}

/** Text in pieces that fit into `first` and then `columns` columns each; a piece holds at least one grapheme. */
export function chop(text: string, first: number, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let left = first;
  for (const grapheme of graphemes(text)) {
    const width = graphemeWidth(grapheme);
    if (width > left && piece !== '') {
      pieces.push(piece);
      piece = '';
      left = columns;
    }
    piece += grapheme;
    left -= width;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/** Text cut at its end to fit into `columns`, with a mark where it was cut. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${fitStart(text, columns - 1).trimEnd()}…`;
}

/** Text cut at its beginning to fit into `columns`: its newest words. */
export function truncateFront(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  const reversed = graphemes(text).reverse();
  let used = 1;
  const kept: string[] = [];
  for (const grapheme of reversed) {
    used += graphemeWidth(grapheme);
    if (used > columns) break;
    kept.push(grapheme);
  }
  return `…${kept.reverse().join('').trimStart()}`;
}
