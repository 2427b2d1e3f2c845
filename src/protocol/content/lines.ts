/**
 * Reading text that others wrote, in one pass. A regular expression that tries each place anew takes quadratic or cubic
 * time for text that was written to that end, and nothing else runs meanwhile.
 *
 * Keeps D50.
 */

/** A heading of Markdown. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Not empty; blanks made one. */
  readonly words: string;
}

/** Reads a line as a heading: one to six `#`, a blank, words, and perhaps closing `#` after a blank. */
export function headingOf(line: string): Heading | undefined {
  let level = 0;
  while (line.charAt(level) === '#') level++;
  if (level < 1 || level > 6 || !isBlank(line.charAt(level))) return undefined;
  const rest = line.slice(level).trim();
  const open = trimEndOf(rest, '#');
  const words = open === '' || isBlank(open.charAt(open.length - 1)) ? open.trimEnd() : rest;
  return words === '' ? undefined : { level, words: words.replaceAll(/\s+/g, ' ') };
}

const isBlank = (char: string): boolean => char !== '' && char.trim() === '';

/** A text without those of the given characters that it ends with. */
export function trimEndOf(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A text without those of the given characters that it begins or ends with. */
export function trimOf(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start++;
  return trimEndOf(text.slice(start), chars);
}
