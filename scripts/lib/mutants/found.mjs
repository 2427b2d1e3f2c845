// What the runner of mutants wrote, read. All of it is pure.

/**
 * @typedef {object} Found
 * @property {Map<number, { how: 'noticed' | 'late', by: string }>} noticed by the number of a mutant
 * @property {Set<number>} reached the mutants that any test reached
 * @property {string[]} files those that were begun, in this order
 * @property {string[]} ended ids of tests that were tried with all that they are tried with
 * @property {{ number: number, by: string, test: string } | undefined} under the try that did not end, and its test's id
 */

/** @param {string} text the lines of the runner @returns {Found} */
export function readFound(text) {
  /** @type {Found} */
  const found = { noticed: new Map(), reached: new Set(), files: [], ended: [], under: undefined };
  let [title, test] = ['', ''];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.split(' ');
    const [first = ''] = rest;
    const by = `${found.files.at(-1)} > ${title}`;
    if (word !== 'reached') found.under = word === 'try' ? { number: Number(first), by, test } : undefined;
    if (word === 'file') found.files.push(rest.join(' '));
    if (word === 'test') [title, test] = [rest.slice(2).join(' '), first];
    if (word === 'noticed' || word === 'late') found.noticed.set(Number(first), { how: word, by });
    if (word === 'end') found.ended.push(first);
    if (word === 'reached') for (const number of rest) if (number !== '') found.reached.add(Number(number));
  }
  return found;
}

/**
 * The test files that are done with: all of them, or those that were begun before the last one. They go by their names,
 * as vitest has an order of its own.
 * @param {readonly string[]} own what a process was given
 * @param {Pick<Found, 'files'>} found
 * @param {{ isWhole: boolean, isStuck: boolean }} end whether the process came to its end; whether it breaks off in the same
 *   file again and again, before any test
 */
export function doneWith(own, { files }, { isWhole, isStuck }) {
  return new Set(isWhole ? own : isStuck ? files : files.slice(0, -1));
}
