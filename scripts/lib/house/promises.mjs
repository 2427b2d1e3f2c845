// Promises of SPEC.md, and later of each RULES.md, by their length.

/** The most words of a promise. */
export const MAX_WORDS = 25;

/** @param {string} text */
export function countWords(text) {
  return text.split(/\s+/).filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}

/**
 * The promises of a page, each with its words; its id is not one of them. Lines that are indented belong to the promise above.
 * @param {string} page
 * @returns {{ id: string, line: number, words: number }[]}
 */
export function promisesOf(page) {
  const found = page.matchAll(/^- \*\*([A-Z]+\d+)\*\* (.*(?:\n[ \t]+\S.*)*)/gm);
  return [...found].map(({ 1: id = '', 2: text = '', index }) => ({
    id,
    line: page.slice(0, index).split('\n').length,
    words: countWords(text),
  }));
}

/** @param {number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
