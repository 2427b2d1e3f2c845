// npm run mutants [-- ROOMS] [--each N] [--seed S] [--minutes M] [--survivors]: changes the source in small ways, one at
// a time, runs the nearest tests of the project `core`, in the rooms that requests reach those of `workerd` and `alone`
// behind them, and prints the score of each room with the changes that no test noticed.
//   ROOMS        such as src/core; all by default
//   --each N     the number of mutants of each room (10)
//   --seed S     draws them (1)
//   --minutes M  ends after that time; the next run continues
//   --survivors  tries those again that no test has noticed
//   --again      drops earlier outcomes
// An outcome is kept in .offshoot/mutants.json: one that was noticed as long as its line is there, the others until a
// test changes. It works on a copy of the project, uncommitted changes included.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { byProject, drawn, ROOMS, reachedByRequests, roomOf, scores, survivorLine } from './lib/mutants/sample.mjs';
import { root } from './lib/paths.mjs';
import { nearestTests } from './lib/planted/nearest.mjs';
import { endRuns, runIn, runTests, testFiles } from './lib/planted/tests.mjs';
import { ProjectCopy } from './lib/planted/tree.mjs';

/** @typedef {import('./lib/mutants/operators.mjs').Mutant} Mutant @typedef {import('./lib/mutants/sample.mjs').Outcome} Outcome */

const FILE = join(root, '.offshoot', 'mutants.json');
const CORE = 'core';
/** The projects that test what only a request reaches. */
const REQUESTS = ['workerd', 'alone'];
/** Sweeps of crashes that cite much and take long: no test of theirs is the nearest. */
const SWEEPS = 'test/fault/';
/** A run of tests that takes longer than that, in ms, does not end: a loop has no way out any more. */
const LATE_MS = 400_000;
/** The number of mutants that are compiled at once, each in a file of its own. */
const COMPILED_AT_ONCE = 24;

/** @param {boolean} again @returns {Map<string, Outcome>} */
function readKept(again) {
  if (again || !existsSync(FILE)) return new Map();
  return new Map(JSON.parse(readFileSync(FILE, 'utf8')).map((/** @type {Outcome} */ one) => [one.id, one]));
}

/** @param {Map<string, Outcome>} kept */
function save(kept) {
  mkdirSync(join(root, '.offshoot'), { recursive: true, mode: 0o700 });
  writeFileSync(`${FILE}.new`, `${JSON.stringify([...kept.values()], null, 1)}\n`);
  renameSync(`${FILE}.new`, FILE);
}

/**
 * Which of some mutants the compiler refuses: those are no bugs that a test has to notice.
 * @param {ProjectCopy} copy @param {readonly Mutant[]} mutants no two of one file
 * @returns {Promise<Mutant[]>}
 */
async function refused(copy, mutants) {
  const takeOut = mutants.map((mutant) => copy.edit(mutant));
  const tsc = join(copy.folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const { output } = await runIn(copy.folder, [tsc, '--noEmit', '--pretty', 'false']);
  for (const undo of takeOut) undo();
  const broken = new Set([...output.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file));
  return mutants.filter(({ file }) => broken.has(file));
}

/** Groups of mutants that can be compiled at once. @param {readonly Mutant[]} mutants */
function batches(mutants) {
  /** @type {Mutant[][]} */
  const found = [];
  for (const mutant of mutants) {
    const free = found.find(
      (batch) => batch.length < COMPILED_AT_ONCE && batch.every(({ file }) => file !== mutant.file),
    );
    if (free) free.push(mutant);
    else found.push([mutant]);
  }
  return found;
}

/** @typedef {import('./lib/mutants/sample.mjs').Group} Group */

/** @param {ProjectCopy} copy @returns {Promise<(file: string) => Group[]>} the groups of tests of a source file */
async function testsOf(copy) {
  const files = await testFiles(copy.folder);
  const withText = (/** @type {string} */ path) => ({ path, text: copy.read(path) });
  const of = (/** @type {string[]} */ ...projects) =>
    [...files]
      .filter(([path, own]) => projects.includes(own) && !path.startsWith(SWEEPS))
      .map(([path]) => withText(path));
  const [tests, byRequest] = [of(CORE), of(...REQUESTS)];
  const suites = copy.files.filter((path) => /^test\/.*\.ts$/.test(path) && !files.has(path)).map(withText);
  const sources = copy.files.filter((path) => /^src\/.*\.tsx?$/.test(path)).map(withText);
  const inCore = tests.map(({ path }) => path).filter((path) => path.startsWith('test/core/'));
  return (file) => {
    const groups = nearestTests(withText(file), tests, suites, sources);
    const seen = new Set();
    // The machines' own tests are fast, whatever they cite.
    const pure = [...groups, ...(file.startsWith('src/core/') ? [inCore] : [])]
      .map((group) => group.filter((path) => !seen.has(path) && seen.add(path)))
      .filter((group) => group.length > 0);
    // In the runtime tests are slow: through other files only for what no other test reaches.
    const through = pure.length === 0 ? sources : [];
    const requests = reachedByRequests(file) ? nearestTests(withText(file), byRequest, suites, through) : [];
    return [...pure, ...requests].flatMap((group) => byProject(group, files));
  };
}

/** @param {ProjectCopy} copy @param {Mutant} mutant @param {Group[]} groups */
async function outcomeOf(copy, mutant, groups) {
  const takeOut = copy.edit(mutant);
  let seconds = 0;
  try {
    for (const { project, files } of groups) {
      const report = await runTests(copy.folder, { projects: [project], files, ms: LATE_MS });
      seconds += report.seconds;
      const { failed, passed } = report;
      if (!failed && passed === 0) throw new Error(`${project} ran no test of ${files.join(', ')}.`);
      if (failed && seconds * 1_000 >= LATE_MS) return { outcome: /** @type {const} */ ('late'), seconds };
      if (failed) return { outcome: /** @type {const} */ ('noticed'), by: `${failed.file} > ${failed.title}`, seconds };
    }
    return { outcome: /** @type {const} */ ('unnoticed'), seconds };
  } finally {
    takeOut();
  }
}

/** @param {ProjectCopy} copy @returns {string} a hash of everything below test/ */
function hashOfTests(copy) {
  const hash = createHash('sha256');
  for (const path of copy.files) if (path.startsWith('test/')) hash.update(`${path}\0${copy.read(path)}\0`);
  return hash.digest('hex').slice(0, 12);
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      each: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '600' },
      survivors: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((room) => !ROOMS.has(room));
  if (unknown.length > 0) throw new UserError(`${unknown.join(', ')} is no room: ${[...ROOMS.keys()].join(', ')}.`);
  ensureInstalled();
  const { mutantsOf } = await import('./lib/mutants/operators.mjs');
  const endsAt = Date.now() + Number(values.minutes) * 60_000;
  const copy = new ProjectCopy();
  process.on('exit', () => {
    endRuns();
    copy.remove();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  const kept = readKept(values.again);
  const tests = hashOfTests(copy);
  const all = copy.files
    .filter((file) => /\.tsx?$/.test(file) && roomOf(file))
    .flatMap((file) => mutantsOf(file, copy.read(file)));
  const rooms = positionals.length > 0 ? positionals : [...ROOMS.keys()];
  const known = (/** @type {Mutant} */ { id }) => {
    const before = kept.get(id);
    return before && (before.outcome !== 'unnoticed' || before.tests === tests) ? before : undefined;
  };
  const testsFor = await testsOf(copy);
  const shown = new Set();
  for (const room of rooms) {
    const pool = drawn(
      all.filter(({ file }) => roomOf(file) === room),
      values.seed,
    );
    const wanted = values.survivors
      ? pool.filter(({ id }) => kept.get(id)?.outcome === 'unnoticed')
      : pool.slice(0, Number(values.each));
    for (const mutant of wanted) {
      if (!known(mutant)) {
        if (Date.now() > endsAt) break;
        const { start: _start, end: _end, ...facts } = mutant;
        kept.set(mutant.id, { ...facts, ...(await outcomeOf(copy, mutant, testsFor(mutant.file))), tests });
        save(kept);
        const { outcome, by = '', seconds } = /** @type {Outcome} */ (kept.get(mutant.id));
        console.log(`${outcome.padEnd(10)}${`${seconds.toFixed(1)} s`.padStart(8)}  ${survivorLine(mutant)}  ${by}`);
      }
      shown.add(mutant.id);
    }
  }
  const survivors = all.filter(({ id }) => shown.has(id) && kept.get(id)?.outcome === 'unnoticed');
  for (const batch of batches(survivors)) {
    for (const { id } of await refused(copy, batch)) {
      const outcome = kept.get(id);
      if (outcome) kept.set(id, { ...outcome, outcome: 'compiler' });
    }
    save(kept);
  }
  const outcomes = [...kept.values()].filter(({ id }) => shown.has(id));
  console.log(
    ['', ...outcomes.filter(({ outcome }) => outcome === 'unnoticed').map(survivorLine), '', ...scores(outcomes)].join(
      '\n',
    ),
  );
  return 0;
}

await run(main);
