/**
 * Quotations, checked by code. A quotation holds when it stands in its source word for word. Blanks, typographic
 * quotation marks and dashes, and the `*` and backticks of Markdown may differ: what is kept is then the source's own
 * text, so a kept quotation always exists in its source but for blanks.
 */

/** A shorter quotation proves nothing. Unit: characters, blanks made one. */
export const MIN_QUOTATION = 8;

/** A longer quotation is no quotation but a copy. Unit: characters. */
export const MAX_QUOTATION = 800;

const SAME: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
};
const IGNORED: ReadonlySet<string> = new Set(['*', '`', '\u00AD', '\u200B', '\uFEFF']);

/** A text made comparable. `at[i]` is the place in the source of its character `i`. */
interface Folded {
  readonly text: string;
  readonly at: readonly number[];
}

function fold(source: string): Folded {
  const text: string[] = [];
  const at: number[] = [];
  for (let index = 0; index < source.length; index++) {
    const char = source.charAt(index);
    if (IGNORED.has(char)) continue;
    const blank = /\s/.test(char);
    if (blank && (text.at(-1) ?? ' ') === ' ') continue;
    text.push(blank ? ' ' : (SAME[char] ?? char));
    at.push(index);
  }
  return { text: text.join(''), at };
}

/** Blanks made one, none at the ends. */
export function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The source's own text for a folded match, with the Markdown marks that touch it. */
function exactText(source: string, folded: Folded, start: number, length: number): string {
  let from = folded.at[start] ?? 0;
  let to = (folded.at[start + length - 1] ?? 0) + 1;
  while (from > 0 && /[*`]/.test(source.charAt(from - 1))) from--;
  while (to < source.length && /[*`]/.test(source.charAt(to))) to++;
  return collapse(source.slice(from, to));
}

/**
 * Finds a quotation in a source.
 * @returns the source's own text for it with blanks made one, or `undefined` where the source does not hold it or the
 * quotation is shorter than `MIN_QUOTATION`.
 */
export function locateQuotation(source: string, quotation: string): string | undefined {
  const folded = fold(source);
  const wanted = fold(quotation).text.trim();
  // Models like to send the quotation marks along.
  for (const words of [wanted, wanted.replace(/^"(.*)"$/s, '$1').trim()]) {
    if (words.length < MIN_QUOTATION) continue;
    const start = folded.text.indexOf(words);
    if (start >= 0) return exactText(source, folded, start, words.length);
  }
  return undefined;
}
