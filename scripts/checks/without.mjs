// npm run without [-- NAME …]: what becomes of the project when a capability is deleted. For each one, in a copy of the
// checkout: its folder and its tests go, and its lines in the lists. Then the compiler and the tests of the kernel and of
// the other capabilities must pass. Tests and apps that import it say so by that, and are set
// aside; they are listed.
//   --together   takes all of them out at once, and not one at a time
//   --types      runs the compiler alone
//   --shard I/N  runs the Ith of N parts of the tests; the compiler has its turn with the first one
//   --tests PATH  runs the tests below that path alone; may be repeated
import { parseArgs } from 'node:util';
import { capabilityNames, foldersOf, standingOn, withoutLines } from '../lib/capabilities/without.mjs';
import { run, UserError } from '../lib/fail.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { toolPath } from '../lib/paths.mjs';
import { ProjectCopy } from '../lib/planted/tree.mjs';
import { runNode } from '../lib/processes.mjs';

/**
 * The files that name capabilities, one line each: the list, those of the tests, their Worker, and the
 * entries of the package.
 */
const ENTRIES = ['src/index.ts', 'src/remote.ts', 'src/worker.ts'];
const LISTS = [
  'src/capabilities/index.ts',
  'test/capabilities/index.ts',
  'test/capabilities/kept-trees.ts',
  'test/support/worker.ts',
  ...ENTRIES,
];
/** Programs that may use any capability: tests, apps and benchmarks. */
const PROGRAMS = /^(?:test|examples|bench)\/.*\.tsx?$/;
/** The tests that must pass without it. */
const KEPT = ['test/capabilities', 'test/core', 'test/simulation', 'test/contract'];

/**
 * Takes capabilities out, all at once.
 * @param {ProjectCopy} copy @param {readonly string[]} names
 * @returns {() => void} puts them in again
 */
function takeOut(copy, names) {
  const folders = names.flatMap(foldersOf);
  const own = copy.files.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  const programs = copy.files.filter((path) => PROGRAMS.test(path) && ![...own, ...LISTS].includes(path));
  const texts = new Map(programs.map((path) => [path, copy.read(path)]));
  const needing = names.flatMap((name) => {
    const exported = ENTRIES.flatMap((entry) => withoutLines(copy.read(entry), entry, foldersOf(name)).names);
    return [...standingOn(texts, name, exported)];
  });
  const aside = [...new Set(needing)].sort();
  console.log(`Without ${quoted(names)}: set aside, as they import it: ${aside.join(', ') || 'none'}.`);
  const gone = [...own, ...aside];
  return copy.rewrite([
    ...LISTS.map(
      (list) => /** @type {const} */ ([list, withoutLines(copy.read(list), list, [...folders, ...gone]).text]),
    ),
    ...gone.map((path) => /** @type {const} */ ([path, undefined])),
  ]);
}

const quoted = (/** @type {readonly string[]} */ names) => names.map((name) => `"${name}"`).join(', ');

/**
 * Compiles and tests what remains.
 * @param {ProjectCopy} copy @param {{ types?: boolean | undefined, shard?: string | undefined, tests?: string[] | undefined }} options
 */
async function works({ folder }, { types, shard, tests }) {
  const inCopy = { cwd: folder, inherit: true };
  // What has no part in the capability is compiled once for all of them.
  const incremental = ['--incremental', '--tsBuildInfoFile', '.without.tsbuildinfo'];
  if (types || (tests === undefined && (shard ?? '1/').startsWith('1/'))) {
    const compiled = await runNode([toolPath('typescript', 'tsc'), '--noEmit', ...incremental], inCopy);
    if (types || compiled.code !== 0) return compiled.code === 0;
  }
  const part = shard === undefined ? [] : [`--shard=${shard}`];
  const tested = await runNode([toolPath('vitest'), 'run', '--project', 'core', ...part, ...(tests ?? KEPT)], inCopy);
  return tested.code === 0;
}

await run(async () => {
  const options = /** @type {const} */ ({
    together: { type: 'boolean' },
    types: { type: 'boolean' },
    shard: { type: 'string' },
    tests: { type: 'string', multiple: true },
  });
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  ensureInstalled();
  const names = capabilityNames();
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UserError(`There is no capability "${unknown}". There are: ${names.join(', ')}.`);
  const copy = new ProjectCopy();
  process.on('exit', () => copy.remove());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  const chosen = positionals.length > 0 ? positionals : names;
  const failed = [];
  for (const out of values.together ? [chosen] : chosen.map((name) => [name])) {
    const putIn = takeOut(copy, out);
    if (!(await works(copy, values))) failed.push(out);
    putIn();
  }
  for (const out of failed) console.error(`The project does not work without ${quoted(out)}: see above.`);
  return failed.length > 0 ? 1 : 0;
});
