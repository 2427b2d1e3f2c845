// The tests that are nearest to a source file: those that import it, and those that cite a promise of its header; where
// no test imports it, also those that import it through other source files. All of it is pure.
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
 * @param {readonly File[]} [sources] the other source files, for one that no test imports
 * @returns {string[][]} their paths in groups, the nearest first, none of them empty: those that import the source and
 *   have its name, the others that import it, those that cite, those that import it through other sources
 */
export function nearestTests(source, tests, suites = [], sources = []) {
  const module = withoutEnding(source.path);
  const promises = headerPromises(source.text);
  const shared = new Map(suites.map((file) => [withoutEnding(file.path), file]));
  const direct = tests.filter((test) => importedModules(test).includes(module));
  const named = direct.filter(({ path }) => posix.basename(path, '.test.ts') === posix.basename(module));
  const citing = tests.filter((test) => !direct.includes(test) && cites(test));
  const groups = [
    named,
    direct.filter((test) => !named.includes(test)),
    citing,
    direct.length > 0 ? [] : throughOthers().filter((test) => !citing.includes(test)),
  ];
  return groups.filter((group) => group.length > 0).map((group) => group.map(({ path }) => path));

  /** Those that import an importer of the source, or the importers of these, up to the first that tests import. */
  function throughOthers() {
    const seen = new Set([module]);
    for (let modules = seen; modules.size > 0; ) {
      const importing = (/** @type {File} */ file) => importedModules(file).some((name) => modules.has(name));
      const found = tests.filter(importing);
      if (found.length > 0) return found;
      modules = new Set(
        sources
          .filter(importing)
          .map(({ path }) => withoutEnding(path))
          .filter((name) => !seen.has(name)),
      );
      for (const name of modules) seen.add(name);
    }
    return [];
  }

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
