// The results of planted bugs: kept in a file until the project changes, and shown as a table.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { bugHash } from './bugs.mjs';

/**
 * `stage` is the last one that was run: the nearest tests, or a whole project. `by` is missing where no test noticed it.
 * @typedef {object} Result
 * @property {string} id
 * @property {string} bug its hash
 * @property {string} file
 * @property {'nearest' | 'project'} stage
 * @property {string} [by] `nearest`, or the project
 * @property {{ file: string, title: string }} [test] the test that noticed it
 * @property {number} seconds of all its runs
 */

const FOLDER = join(root, '.offshoot');
const FILE = join(FOLDER, 'planted.json');

/** Results of one state of the project. */
export class Results {
  /** @type {Map<string, Result>} */
  #known = new Map();

  /**
   * @param {string} hash of the project
   * @param {boolean} again whether earlier results are dropped
   */
  constructor(hash, again) {
    this.hash = hash;
    if (!again) this.#known = kept(hash);
  }

  /**
   * @param {import('./bugs.mjs').Bug} bug
   * @returns {Result | undefined} its result, where the bug is the same
   */
  of(bug) {
    const result = this.#known.get(bug.id);
    return result?.bug === bugHash(bug) ? result : undefined;
  }

  /** @param {Result} result */
  keep(result) {
    this.#known.set(result.id, result);
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ hash: this.hash, results: [...this.#known.values()] }, null, 2)}\n`;
    // An interruption leaves either the old file or the new one.
    writeFileSync(`${FILE}.new`, text);
    renameSync(`${FILE}.new`, FILE);
  }
}

/** @param {string} hash @returns {Map<string, Result>} */
function kept(hash) {
  try {
    /** @type {{ hash: string, results: Result[] }} */
    const before = JSON.parse(readFileSync(FILE, 'utf8'));
    return new Map(before.hash === hash ? before.results.map((result) => [result.id, result]) : []);
  } catch {
    return new Map();
  }
}

/** @param {Result} result @returns {string} its line of the table. Pure */
export function lineOf({ id, file, stage, by, test, seconds }) {
  const found = by ?? (stage === 'nearest' ? 'not by the nearest' : 'NOT NOTICED');
  const where = test ? `${test.file} > ${test.title}` : file;
  return `${id.padEnd(4)}${found.padEnd(20)}${`${seconds.toFixed(1)} s`.padStart(9)}  ${where}`;
}

/** @param {readonly Result[]} results @returns {string} the last line. Pure */
export function sumOf(results) {
  const noticed = results.filter(({ by }) => by !== undefined);
  const nearest = noticed.filter(({ by }) => by === 'nearest');
  return `${noticed.length} of ${results.length} noticed, ${nearest.length} by the nearest tests`;
}
