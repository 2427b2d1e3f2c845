// npm run without [-- NAME …]: what becomes of the project when a capability is deleted. For each one, in a copy of the
// checkout: its folder and its tests go, and its lines in the lists. Then the compiler and the tests of the kernel and of
// the other capabilities must pass. Tests that import it say so by that, and are set aside; they are listed.
// --types runs the compiler alone.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { CAPABILITIES, capabilityNames, standingOn, withoutLines } from '../lib/capabilities/without.mjs';
import { run, UserError } from '../lib/fail.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { root, toolPath } from '../lib/paths.mjs';
import { runNode } from '../lib/processes.mjs';

/** The files that name capabilities, one line each: the list, that of the tests' Worker, and the entry of the package. */
const LISTS = ['src/capabilities/index.ts', 'test/capabilities/index.ts', 'src/index.ts'];
/** The tests that must pass without it. */
const KEPT = ['test/capabilities', 'test/core', 'test/simulation', 'test/contract'];
/** What is no part of the project's text. */
const LEFT_OUT = new Set(['node_modules', '.git', '.offshoot', '.wrangler', 'dist']);

/** @param {string} name @param {boolean} typesAlone @returns {Promise<boolean>} */
async function without(name, typesAlone) {
  const { filesBelow } = await import('../lib/house/folders.mjs');
  mkdirSync(join(root, '.offshoot'), { recursive: true });
  const copy = mkdtempSync(join(root, '.offshoot', `without-${name}-`));
  try {
    const filter = (/** @type {string} */ path) => !LEFT_OUT.has(basename(path));
    for (const entry of readdirSync(root).filter(filter))
      cpSync(join(root, entry), join(copy, entry), { recursive: true, filter });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const folder of [`${CAPABILITIES}/${name}`, `test/capabilities/${name}`])
      rmSync(join(copy, folder), { recursive: true, force: true });
    /** @type {string[]} */
    const exported = [];
    for (const list of LISTS.filter((path) => existsSync(join(copy, path)))) {
      const { text, names } = withoutLines(readFileSync(join(copy, list), 'utf8'), name);
      writeFileSync(join(copy, list), text);
      if (list === 'src/index.ts') exported.push(...names);
    }
    const paths = filesBelow(['test']).filter((path) => /\.tsx?$/.test(path) && existsSync(join(copy, path)));
    const texts = new Map(paths.map((path) => [path, readFileSync(join(copy, path), 'utf8')]));
    const aside = standingOn(texts, name, exported);
    for (const path of aside) rmSync(join(copy, path));
    console.log(`Without "${name}": set aside, as they import it: ${[...aside].sort().join(', ') || 'none'}.`);
    const compiled = await runNode([toolPath('typescript', 'tsc'), '--noEmit', '-p', copy], {
      cwd: copy,
      inherit: true,
    });
    if (typesAlone || compiled.code !== 0) return compiled.code === 0;
    const args = ['run', '--project', 'core', ...KEPT];
    const tested = await runNode([toolPath('vitest'), ...args], { cwd: copy, inherit: true });
    return tested.code === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

await run(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { types: { type: 'boolean' } } });
  ensureInstalled();
  const names = capabilityNames();
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UserError(`There is no capability "${unknown}". There are: ${names.join(', ')}.`);
  const failed = [];
  for (const name of positionals.length > 0 ? positionals : names)
    if (!(await without(name, values.types === true))) failed.push(name);
  for (const name of failed) console.error(`The project does not stand without "${name}": see above.`);
  return failed.length > 0 ? 1 : 0;
});
