// The sample of mutants that a run tries, and the score of each room. All of it is pure.
import { createHash } from 'node:crypto';

/** @typedef {import('./operators.mjs').Mutant} Mutant */

/** The rooms that have a score, each with its aim in percent; the folders below belong to it. */
export const ROOMS = new Map([
  ['src/core', 85],
  ['src/store', 85],
  ['src/access', 85],
  ['src/verbs', 75],
  ['src/protocol', 75],
  ['src/engine', 75],
  ['src/sockets', 75],
  ['src/doors', 75],
  ['src/gateway', 75],
  ['src/model', 75],
  ['src/capabilities', 75],
  ['src/client', 75],
  ['src/react', 75],
  ['src/console/data', 75],
]);

/** @param {string} file @returns {string | undefined} its room */
export const roomOf = (file) => [...ROOMS.keys()].find((room) => file.startsWith(`${room}/`));

const BY_REQUEST = new Set(['src/access', 'src/verbs', 'src/engine', 'src/sockets', 'src/gateway']);

/** @param {string} file @returns {boolean} true where the tests that send requests are tests of its room too */
export const reachedByRequests = (file) => BY_REQUEST.has(roomOf(file) ?? '');

/**
 * Mutants in the order in which a seed draws them. A mutant keeps its place as long as it exists, so a larger sample
 * holds the smaller one, and a change of one file leaves the others as they were.
 * @param {readonly Mutant[]} mutants @param {string} seed
 */
export function drawn(mutants, seed) {
  const place = (/** @type {Mutant} */ { id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, at: place(mutant) }))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map(({ mutant }) => mutant);
}

/**
 * Test files that are run together: those of one project. @typedef {{ project: string, files: string[] }} Group
 */

/**
 * A group of test files, divided: a run that names a project leaves out the files of all others without a word.
 * @param {readonly string[]} paths @param {ReadonlyMap<string, string>} projects the project of each path
 * @returns {Group[]}
 */
export const byProject = (paths, projects) =>
  [...Map.groupBy(paths, (path) => projects.get(path) ?? '')].map(([project, files]) => ({ project, files }));

/**
 * `noticed` by a test, or by the `compiler`, which counts as no mutant; `late` where a test did not end; `unnoticed` by
 * the tests that reached it, or `unreached` by all.
 * @typedef {{ id: string, file: string, line: number, operator: string, was: string, replace: string,
 *   outcome: 'noticed' | 'compiler' | 'unnoticed' | 'unreached' | 'late', by?: string, tests: string }} Outcome
 */

/** @param {Outcome | undefined} outcome @returns {boolean} true where a test is missing */
export const isLeft = (outcome) => outcome?.outcome === 'unnoticed' || outcome?.outcome === 'unreached';

/** @param {readonly Outcome[]} outcomes @returns {string[]} a line for each room that was tried, and one for all */
export function scores(outcomes) {
  const tried = outcomes.filter(({ outcome }) => outcome !== 'compiler');
  const line = (/** @type {string} */ name, /** @type {readonly Outcome[]} */ all, aim = 0) => {
    const noticed = all.filter(({ outcome }) => outcome === 'noticed' || outcome === 'late').length;
    const percent = Math.floor((100 * noticed) / all.length);
    return `${name.padEnd(18)}${noticed} of ${all.length} noticed, ${percent} %${percent < aim ? ` (aim: ${aim} %)` : ''}`;
  };
  const rooms = [...ROOMS].flatMap(([room, aim]) => {
    const own = tried.filter(({ file }) => roomOf(file) === room);
    return own.length === 0 ? [] : [line(room, own, aim)];
  });
  return tried.length === 0 ? [] : [...rooms, line('all', tried)];
}

/**
 * @param {Pick<Outcome, 'id' | 'file' | 'line' | 'operator' | 'was' | 'replace' | 'outcome'>} mutant
 * @returns {string} its line in the list of those that no test noticed
 */
export const survivorLine = ({ id, file, line, operator, was, replace, outcome }) =>
  `${id}  ${outcome}  ${file}:${line}  ${operator}: ${oneLine(was)} → ${oneLine(replace)}`;

/** @param {string} text */
const oneLine = (text) => {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > 70 ? `${flat.slice(0, 69)}…` : flat;
};

/** How late a test file runs: those of single parts come before those of whole trees. @param {string} path */
export const weightOf = (path) =>
  /^test\/(?:simulation|contract|fault|types)\//.test(path) ? 10 : /^test\/capabilities\//.test(path) ? 3 : 0;
