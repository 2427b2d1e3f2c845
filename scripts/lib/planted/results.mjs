// The results of planted bugs: kept in a file until the project changes, and shown as a table.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { bugHash } from './bugs.mjs';

/**
 * `stage` is the last one that was run: `core` with all bugs at once, or one run with this bug. `by` is missing where no
 * test noticed it.
 * @typedef {object} Result
 * @property {string} id
 * @property {string} bug its hash
 * @property {string} file
 * @property {'together' | 'alone'} stage
 * @property {string} [by] `nearest`, or the project
 * @property {{ file: string, title: string }} [test] the test that noticed it
 * @property {number} seconds of all its runs
 */

const FOLDER = join(root, '.offshoot');
const FILE = join(FOLDER, 'planted.json');

/** The file, as it is kept. @typedef {{ hash: string, compiled: string[], green: string[], results: Result[] }} Kept */

/** Results of one state of the project. */
export class Results {
  /** Bugs with which the project compiles, by their hashes. @type {Set<string>} */
  compiled;
  /** Test files that pass without any bug. @type {Set<string>} */
  green;
  /** @type {Map<string, Result>} */
  #known;

  /**
   * @param {string} hash of the project
   * @param {boolean} again whether earlier results are dropped
   */
  constructor(hash, again) {
    this.hash = hash;
    const { compiled, green, results } = (again ? undefined : kept(hash)) ?? { compiled: [], green: [], results: [] };
    this.compiled = new Set(compiled);
    this.green = new Set(green);
    this.#known = new Map(results.map((result) => [result.id, result]));
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
    this.save();
  }

  /** @param {string} file a test file that fails without a bug: no result may rest on it */
  drop(file) {
    for (const { id, test } of this.#known.values()) if (test?.file === file) this.#known.delete(id);
    this.save();
  }

  /** Writes all of it. */
  save() {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    /** @type {Kept} */
    const kept = {
      hash: this.hash,
      compiled: [...this.compiled],
      green: [...this.green],
      results: [...this.#known.values()],
    };
    const text = `${JSON.stringify(kept, null, 2)}\n`;
    // An interruption leaves either the old file or the new one.
    writeFileSync(`${FILE}.new`, text);
    renameSync(`${FILE}.new`, FILE);
  }
}

/** @param {string} hash @returns {Kept | undefined} what was kept of the same state of the project */
function kept(hash) {
  try {
    /** @type {Kept} */
    const before = JSON.parse(readFileSync(FILE, 'utf8'));
    return before.hash === hash ? before : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Result} result @returns {string} its line of the table. Pure */
export function lineOf({ id, file, stage, by, test, seconds }) {
  const found = by ?? (stage === 'together' ? 'not together' : 'NOT NOTICED');
  const where = test ? `${test.file} > ${test.title}` : file;
  return `${id.padEnd(4)}${found.padEnd(20)}${`${seconds.toFixed(1)} s`.padStart(9)}  ${where}`;
}

/** @param {readonly Result[]} results @returns {string} the last line. Pure */
export function sumOf(results) {
  const noticed = results.filter(({ by }) => by !== undefined);
  const nearest = noticed.filter(({ by }) => by === 'nearest');
  return `${noticed.length} of ${results.length} noticed, ${nearest.length} by the nearest tests`;
}
