// The tests that are nearest to a source file: those that import it, and those that cite a promise of its header. All
// of it is pure.
import { posix } from 'node:path';

/** @typedef {{ path: string, text: string }} File a file with its path from the project's root */

const CITATION = /\[([A-Z]+\d+(?:, ?[A-Z]+\d+)*)\]/g;
const LOOKS_CITED = /(?<![\w-])[A-Z]{1,3}\d{1,3}(?![\w-])/g;
const SPECIFIER = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** @param {string} text of a source file @returns {string[]} the promises that its header names */
function headerPromises(text) {
  const [header = ''] = /^\s*\/\*\*[\s\S]*?\*\//.exec(text) ?? [];
  return [...new Set(header.match(LOOKS_CITED) ?? [])];
}

/** @param {string} text of a test file @returns {Set<string>} the promises that its titles cite */
function citedPromises(text) {
  return new Set([...text.matchAll(CITATION)].flatMap(([, ids = '']) => ids.split(/, ?/)));
}

/** @param {File} file @returns {string[]} the modules of the project that it imports, without their ending */
function importedModules({ path, text }) {
  const folder = posix.dirname(path);
  return [...text.matchAll(SPECIFIER)].map(([, specifier = '']) => withoutEnding(posix.join(folder, specifier)));
}

/** @param {string} path */
const withoutEnding = (path) => path.replace(/\.(?:tsx?|mjs)$/, '').replace(/\/index$/, '');

/**
 * @param {File} source
 * @param {readonly File[]} tests
 * @param {readonly File[]} [suites] what tests share: a test cites what those that it imports cite
 * @returns {string[][]} their paths in groups, the nearest first, none of them empty: those that import the source and
 *   have its name, the others that import it, those that cite
 */
export function nearestTests(source, tests, suites = []) {
  const module = withoutEnding(source.path);
  const promises = headerPromises(source.text);
  const shared = new Map(suites.map((file) => [withoutEnding(file.path), file]));
  const direct = tests.filter((test) => importedModules(test).includes(module));
  const named = direct.filter(({ path }) => posix.basename(path, '.test.ts') === posix.basename(module));
  const groups = [
    named,
    direct.filter((test) => !named.includes(test)),
    tests.filter((test) => !direct.includes(test) && cites(test)),
  ];
  return groups.filter((group) => group.length > 0).map((group) => group.map(({ path }) => path));

  function cites(/** @type {File} */ test) {
    const all = new Set([test]);
    for (const file of all) {
      const cited = citedPromises(file.text);
      if (promises.some((id) => cited.has(id))) return true;
      for (const name of importedModules(file)) {
        const suite = shared.get(name);
        if (suite) all.add(suite);
      }
    }
    return false;
  }
}
