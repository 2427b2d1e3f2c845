/**
 * Escape sequences of terminals, taken out of a text. Whole ones go, so that their harmless-looking rest does not stay
 * behind: CSI, then strings up to their end (OSC, DCS, APC, PM, SOS), then two-character ones; each in its 7-bit and its
 * 8-bit form. Read in one pass, however many sequences never end.
 */

const ESC = '\u001b';
/** What begins a sequence, and what ends a string. */
const BEGINS = new RegExp(`[${'\u001b\u0090\u0098\u009b\u009d\u009e\u009f'}]`, 'gu');
const STRING_ENDS = new RegExp(`[${'\u0007\u001b\u009c'}]`, 'u');
const STRINGS_7_BIT = ']PX^_';
const CSI_8_BIT = '\u009b';

/** A text and, for the strings in it, where the next end may be. */
interface Reader {
  readonly text: string;
  /** The first place at or after those looked at so far where a string may end; found once for all that begin before it. */
  end: number;
}

/** The text without escape sequences. */
export function withoutEscapes(text: string): string {
  const reader: Reader = { text, end: -1 };
  const kept: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(BEGINS)) {
    if (index < from) continue;
    const after = sequenceEnd(reader, index);
    if (after === index) continue;
    kept.push(text.slice(from, index));
    from = after;
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

/** Where the sequence ends that begins at a place; the place itself where none does. */
function sequenceEnd(reader: Reader, at: number): number {
  const { text } = reader;
  const escaped = text.charAt(at) === ESC;
  const next = text.charAt(at + 1);
  const body = at + (escaped ? 2 : 1);
  const whole = (escaped ? next === '[' : text.charAt(at) === CSI_8_BIT)
    ? controlEnd(text, body)
    : stringEnd(reader, at, body);
  if (whole !== undefined || !escaped) return whole ?? at;
  const last = skip(text, at + 1, 0x20, 0x2f);
  return isIn(text, last, 0x30, 0x7e) ? last + 1 : at;
}

/** The end of a CSI sequence: parameters, intermediates and one final character. */
function controlEnd(text: string, from: number): number | undefined {
  const final = skip(text, skip(text, from, 0x30, 0x3f), 0x20, 0x2f);
  return isIn(text, final, 0x40, 0x7e) ? final + 1 : undefined;
}

/** The end of a string; nothing where it never ends, another sequence begins in it, or it is none. */
function stringEnd(reader: Reader, at: number, from: number): number | undefined {
  const { text } = reader;
  if (text.charAt(at) === ESC && (from > text.length || !STRINGS_7_BIT.includes(text.charAt(at + 1)))) return undefined;
  if (reader.end < from) {
    const found = text.slice(from).search(STRING_ENDS);
    reader.end = found < 0 ? Number.POSITIVE_INFINITY : from + found;
  }
  if (reader.end === Number.POSITIVE_INFINITY) return undefined;
  if (text.charAt(reader.end) !== ESC) return reader.end + 1;
  return text.charAt(reader.end + 1) === '\\' ? reader.end + 2 : undefined;
}

function skip(text: string, from: number, low: number, high: number): number {
  let at = from;
  while (isIn(text, at, low, high)) at++;
  return at;
}

function isIn(text: string, at: number, low: number, high: number): boolean {
  const code = text.charCodeAt(at);
  return code >= low && code <= high;
}
