/**
 * Text in the form in which it is compared: each line end (LF, CRLF, a lone CR) as LF, each character with its marks in the
 * normal form C. Bytes come in pieces of any size and go out as runs that know their place in the file.
 *
 * Decides: what is one line end and one character, wherever a text is searched, edited or counted in lines.
 * Keeps WS9, WS20, WS21.
 */
import { LINE_FEED, textOf } from './bytes';

/** The byte that ends a line, alone or before a line feed. */
export const CARRIAGE_RETURN = 13;

/** A part of a file as it is compared. */
export interface Run {
  readonly bytes: Uint8Array;
  /** The byte of the file at which it begins. */
  readonly at: number;
  /** The bytes that it stands for, where those are others: then it is one character, or one line end. */
  readonly size?: number;
}

/** The most bytes of one character with its marks; a longer one is taken in parts. */
const MAX_CHARACTER = 1_024;

/** Characters that join the one before them: marks, and the vowels and finals of Hangul. */
const JOINING = /^[\p{M}\u1160-\u11ff]$/u;

/** Text in characters with their marks; a line end is one of them. */
const CHARACTERS = /\r\n?|.[\p{M}\u1160-\u11ff]*/gsu;

/** A text in characters with their marks, in the same parts as its bytes. */
export const charactersOf = (text: string): string[] => text.match(CHARACTERS) ?? [];

/** A text as it is compared. */
export const comparedText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').normalize('NFC');

/** Below are no marks, and all is in normal form. Between the other two are the scripts without marks, Han among them. */
const FIRST_MARK = 0x300;
const UNMARKED = { from: 0x3100, to: 0xa66f };
const SYLLABLES = { from: 0xac00, to: 0xd7a4 };

const isIn = (range: { from: number; to: number }, point: number) => point >= range.from && point < range.to;

const joins = (point: number): boolean =>
  point >= FIRST_MARK && !isIn(UNMARKED, point) && !isIn(SYLLABLES, point) && JOINING.test(String.fromCodePoint(point));

const isNormal = (point: number): boolean => point < FIRST_MARK || isIn(UNMARKED, point) || isIn(SYLLABLES, point);

const ENCODER = new TextEncoder();

/** A code point with the byte behind it; undefined where the bytes end before it does. */
function pointAt(bytes: Uint8Array, at: number): { point: number; end: number } | undefined {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return { point: lead, end: at + 1 };
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  let point = lead & (0x7f >> size);
  // A byte that begins no character, or is followed by none, stands for itself.
  if (lead < 0xc2 || lead > 0xf4) return { point: -1, end: at + 1 };
  for (let next = at + 1; next < at + size; next++) {
    const byte = bytes[next];
    if (byte === undefined) return undefined;
    if ((byte & 0xc0) !== 0x80) return { point: -1, end: at + 1 };
    point = (point << 6) | (byte & 0x3f);
  }
  return point > 0x10ffff || isIn({ from: 0xd800, to: 0xe000 }, point)
    ? { point: -1, end: at + 1 }
    : { point, end: at + size };
}

/** Makes runs of the bytes of a file. Bytes that the next piece may join are held back until it comes. */
export class Compared {
  #held: Uint8Array = new Uint8Array(0);
  #at: number;

  constructor(offset = 0) {
    this.#at = offset;
  }

  /** Takes the next bytes. */
  *take(piece: Uint8Array): Generator<Run, void, undefined> {
    yield* this.#runs(this.#joined(piece), false);
  }

  /** The bytes that were held back, after the last piece. */
  *end(): Generator<Run, void, undefined> {
    yield* this.#runs(this.#held, true);
  }

  #joined(piece: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return piece;
    const all = new Uint8Array(this.#held.length + piece.length);
    all.set(this.#held);
    all.set(piece, this.#held.length);
    return all;
  }

  *#runs(bytes: Uint8Array, isLast: boolean): Generator<Run, void, undefined> {
    const base = this.#at;
    let [at, from] = [0, 0];
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      const after = bytes[at + 1];
      if (after === undefined && !isLast) break;
      // Most text: a letter of ASCII before another one, or before what begins no mark.
      if (byte < 0x80 && byte !== CARRIAGE_RETURN && (after ?? 0) < 0xcc) {
        at++;
        continue;
      }
      const end = this.#endOf(bytes, at, isLast);
      if (end === undefined) break;
      const other = otherForm(bytes, at, end);
      if (other !== undefined) {
        if (at > from) yield { bytes: bytes.subarray(from, at), at: base + from };
        yield { bytes: other, at: base + at, size: end - at };
        from = end;
      }
      at = end;
    }
    if (at > from) yield { bytes: bytes.subarray(from, at), at: base + from };
    this.#held = bytes.slice(at);
    this.#at = base + at;
  }

  /** The end of a line end, or of a character with its marks; undefined where more is to come. */
  #endOf(bytes: Uint8Array, at: number, isLast: boolean): number | undefined {
    if (bytes[at] === CARRIAGE_RETURN) return bytes[at + 1] === LINE_FEED ? at + 2 : at + 1;
    const first = pointAt(bytes, at);
    if (first === undefined) return isLast ? bytes.length : undefined;
    let { end } = first;
    if (first.point < 0) return end;
    while (end - at < MAX_CHARACTER) {
      if (end === bytes.length) return isLast ? end : undefined;
      const next = pointAt(bytes, end);
      if (next === undefined) return isLast ? end : undefined;
      if (next.point < 0 || !joins(next.point)) break;
      end = next.end;
    }
    return end;
  }
}

/** The bytes of a character or a line end as it is compared; undefined where they are the same. */
function otherForm(bytes: Uint8Array, at: number, end: number): Uint8Array | undefined {
  if (bytes[at] === CARRIAGE_RETURN) return Uint8Array.of(LINE_FEED);
  const first = pointAt(bytes, at);
  if (first === undefined || first.point < 0 || (first.end === end && isNormal(first.point))) return undefined;
  const text = textOf(bytes.subarray(at, end));
  const normal = text?.normalize('NFC');
  return normal === undefined || normal === text ? undefined : ENCODER.encode(normal);
}
