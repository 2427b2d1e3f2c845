// The list of planted bugs, and one of them in a text. The list is data: scripts/planted.json.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/**
 * One bug: `find` occurs once in its file, and `replace` takes its place.
 * @typedef {object} Bug
 * @property {string} id
 * @property {string} file from the project's root
 * @property {string} find
 * @property {string} replace
 * @property {string} breaks the consequence for a user, in one sentence
 * @property {string} [project] the project of vitest that alone runs this code; `core` by default
 */

/** @param {string} [list] a file; scripts/planted.json by default @returns {Bug[]} */
export function readBugs(list = join(root, 'scripts', 'planted.json')) {
  return JSON.parse(readFileSync(list, 'utf8'));
}

/**
 * A text with a bug in it. Pure.
 * @param {string} text of the bug's file
 * @param {Bug} bug
 * @returns {{ text: string } | { problem: string }}
 */
export function plantedIn(text, { id, file, find, replace }) {
  const parts = text.split(find);
  if (find === '' || find === replace) return { problem: `${id}: its \`replace\` changes nothing.` };
  // Not by `String.replace`, for which a dollar sign in the new text has a meaning.
  if (parts.length === 2) return { text: parts.join(replace) };
  const times = parts.length === 1 ? 'does not occur' : `occurs ${parts.length - 1} times`;
  return { problem: `${id}: its \`find\` ${times} in ${file}, but must occur once. Mend the list.` };
}

/**
 * Everything wrong with a list. Pure but for `read`.
 * @param {readonly Bug[]} bugs
 * @param {(file: string) => string | undefined} read the text of a file, if it exists
 * @returns {string[]}
 */
export function bugProblems(bugs, read) {
  const ids = bugs.map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: this id occurs twice.`);
  const lost = bugs.flatMap((bug) => {
    const text = read(bug.file);
    const planted = text === undefined ? { problem: `${bug.id}: there is no file ${bug.file}.` } : plantedIn(text, bug);
    return 'problem' in planted ? [planted.problem] : [];
  });
  return [...twice, ...lost];
}

/** @param {Bug} bug @returns {string} a short hash: a bug that was changed has another one */
export function bugHash(bug) {
  return createHash('sha256').update(JSON.stringify(bug)).digest('hex').slice(0, 16);
}
