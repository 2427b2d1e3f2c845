/**
 * Finds a text in bytes that come one by one. The work is in proportion to their number, whatever the text is and
 * whatever it is searched in (the algorithm of Knuth, Morris and Pratt): both come from a model, or from people.
 *
 * Keeps WS9, WS20.
 */

import type { Run } from './compared';

/** For each length of a beginning of the text: its longest end that is a beginning, too. */
function fallbacksOf(text: Uint8Array): Int32Array {
  const fallbacks = new Int32Array(text.length + 1);
  let matched = 0;
  for (let at = 1; at < text.length; at++) {
    while (matched > 0 && text[at] !== text[matched]) matched = fallbacks[matched] ?? 0;
    if (text[at] === text[matched]) matched++;
    fallbacks[at + 1] = matched;
  }
  return fallbacks;
}

const UPPER_A = 65;
const UPPER_Z = 90;
const TO_LOWER = 32;

/** The small letter of one of A to Z; any other byte as it is. */
const folded = (byte: number): number => (byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte);

/** Finds one text, which is not empty. */
export class Finder {
  readonly #text: Uint8Array;
  readonly #fallbacks: Int32Array;
  /** How many bytes of the text the last bytes are the beginning of. */
  #matched = 0;

  constructor(
    text: Uint8Array,
    readonly ignoreCase = false,
  ) {
    this.#text = ignoreCase ? text.map(folded) : text;
    this.#fallbacks = fallbacksOf(this.#text);
  }

  /** Bytes of the text. */
  get length(): number {
    return this.#text.length;
  }

  /** Bytes at the end of what was given that may be the beginning of the text. */
  get begun(): number {
    return this.#matched;
  }

  /** Takes the next byte; true where the text ends with it. Texts may overlap. */
  ends(given: number): boolean {
    const byte = this.ignoreCase ? folded(given) : given;
    const text = this.#text;
    let matched = this.#matched;
    while (matched > 0 && (matched === text.length || text[matched] !== byte)) matched = this.#fallbacks[matched] ?? 0;
    if (text[matched] === byte) matched++;
    this.#matched = matched;
    return matched === text.length;
  }

  /** Starts over. */
  reset(): void {
    this.#matched = 0;
  }
}

/** A place in a file, in bytes. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** True if it begins and ends with whole characters, as the file has them. */
  readonly whole: boolean;
}

/** Finds a text in runs of a file, and its place in the file. */
export class RunFinder {
  readonly #finder: Finder;
  /** Where the last bytes stand in the file; below 0 within a character that has another form there. */
  readonly #starts: Float64Array;
  #count = 0;

  constructor(text: Uint8Array, ignoreCase = false) {
    this.#finder = new Finder(text, ignoreCase);
    this.#starts = new Float64Array(text.length);
  }

  /** Bytes of the text, as it is compared. */
  get length(): number {
    return this.#finder.length;
  }

  /** The byte of the file at which the end of what was given may be the beginning of the text; undefined for none. */
  get begunAt(): number | undefined {
    const { begun } = this.#finder;
    if (begun === 0 || begun === this.length) return undefined;
    const start = this.#startOf(begun);
    return start < 0 ? -start - 1 : start;
  }

  /** Takes the byte at `index` of a run; returns the place of the text that ends with it. */
  ends({ bytes, at, size }: Run, index: number): Place | undefined {
    const isOther = size !== undefined;
    this.#starts[this.#count++ % this.length] = isOther ? (index === 0 ? at : -at - 1) : at + index;
    if (!this.#finder.ends(bytes[index] ?? 0)) return undefined;
    const from = this.#startOf(this.length);
    const whole = from >= 0 && !(isOther && index + 1 < bytes.length);
    return { from: from < 0 ? -from - 1 : from, to: isOther ? at + size : at + index + 1, whole };
  }

  #startOf(back: number): number {
    return this.#starts[(this.#count - back) % this.length] ?? 0;
  }

  /** Starts over. */
  reset(): void {
    this.#finder.reset();
  }
}
