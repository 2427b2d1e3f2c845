// Numbers and tables.

/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** @param {number} value @param {number} [digits] */
export function fixed(value, digits = 1) {
  return Number.isFinite(value) ? value.toFixed(digits) : '-';
}

/**
 * Prints rows under a head, columns of texts to the left and columns of numbers to the right.
 * @param {string} title
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {readonly string[]} [notes] lines below the table
 */
export function table(title, head, rows, notes = []) {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const texts = head.map((_, column) => rows.some((row) => /[a-z]/i.test(row[column] ?? '')));
  /** @param {readonly string[]} row */
  const line = (row) =>
    row
      .map((cell, column) => (texts[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(`\n${title}`);
  console.log(line(head));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
  for (const note of notes) console.log(note);
}
