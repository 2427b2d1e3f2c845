// First words of doc comments.

const BARRED = new Set(['What', 'Who', 'Whether', 'How']);

/**
 * The doc comments of a file, and those that begin with a word that neither names nor does anything.
 * @param {Pick<import('../source.mjs').Source, 'comments' | 'lineOf'>} source
 * @returns {{ all: number, barred: { line: number, word: string }[] }}
 */
export function docComments({ comments, lineOf }) {
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  const barred = docs.flatMap(({ value, start }) => {
    const word = /\p{L}+/u.exec(value)?.[0] ?? '';
    return BARRED.has(word) ? [{ line: lineOf(start), word }] : [];
  });
  return { all: docs.length, barred };
}
