// Takes a capability out of the texts of the project: what `npm run without` writes into its copy.
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../paths.mjs';

/** The folder of all capabilities. */
const CAPABILITIES = 'src/capabilities';

/** @returns {string[]} the names of all capabilities */
export function capabilityNames() {
  const found = readdirSync(join(root, CAPABILITIES), { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The folders of a capability: its code, and its tests. @param {string} name */
export const foldersOf = (name) => [`${CAPABILITIES}/${name}`, `test/capabilities/${name}`];

const STATEMENT = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)';\n/gm;

/** True for an import of a file, or of something in a folder. @param {string} target @param {string} path */
const means = (target, path) =>
  target === path || target.startsWith(`${path}/`) || [`${target}.ts`, `${target}/index.ts`].includes(path);

/**
 * A list without the statements that import or export what is gone, and without the names that these brought.
 * @param {string} text
 * @param {string} list its path
 * @param {readonly string[]} gone paths of files and folders
 * @returns {{ text: string, names: string[] }}
 */
export function withoutLines(text, list, gone) {
  /** @type {string[]} */
  const names = [];
  const kept = text.replaceAll(STATEMENT, (statement, /** @type {string} */ inner, /** @type {string} */ specifier) => {
    const target = posix.join(posix.dirname(list), specifier);
    if (!gone.some((path) => means(target, path))) return statement;
    const named = inner.split(',').map((one) => one.replace(/^\s*type /, '').trim());
    names.push(...named.filter(Boolean));
    return '';
  });
  const entry = (/** @type {string} */ one) => new RegExp(`(?<=[[,]\\s*)${one}(?:,\\s*|(?=\\s*\\]))`, 'g');
  return { text: names.reduce((all, one) => all.replaceAll(entry(one), ''), kept), names };
}

/**
 * The programs that stand on a capability: by its folders, by what the entries export of it, or by such a program.
 * @param {ReadonlyMap<string, string>} texts of all programs, but for lists: those lose lines
 * @param {string} name
 * @param {readonly string[]} exported
 */
export function standingOn(texts, name, exported) {
  const own = new RegExp(`from '[^']*\\bcapabilities/${name}/`);
  const names = exported.join('|');
  const named = names ? new RegExp(`^(?:im|ex)port (?:type )?\\{[^}]*\\b(?:${names})\\b[^}]*\\} from`, 'm') : undefined;
  const found = new Set([...texts].filter(([, text]) => own.test(text) || named?.test(text)).map(([path]) => path));
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (const [path, text] of texts)
      for (const [, specifier = ''] of text.matchAll(/from '(\.[^']*)'/g)) {
        const target = posix.join(posix.dirname(path), specifier);
        if ([target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].some((one) => found.has(one)))
          found.add(path);
      }
  }
  return found;
}
