// npm run mutants [-- PATHS] [--each N] [--seed S] [--minutes M] [--requests]: changes the source in small ways, one at
// a time, runs the nearest tests of the project `core`, and prints the score of each room with the changes that no test
// noticed.
//   PATHS        rooms, folders or files of src; all rooms by default
//   --each N     that many mutants of each room; all by default
//   --seed S     draws them (1)
//   --minutes M  ends after that time; the next run continues
//   --requests   tries what is left, of the rooms that requests reach, in tests of `workerd` and `alone` too: slow
//   --again      drops earlier outcomes
// An outcome is kept in .offshoot/mutants.json: one that was noticed as long as its line is there, the others until a
// test changes. `unreached` is a line that no test of `core` comes to, or one that runs only while its file is loaded.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { endTries, tryMutants } from './lib/mutants/fast.mjs';
import {
  byProject,
  drawn,
  isLeft,
  ROOMS,
  reachedByRequests,
  roomOf,
  scores,
  survivorLine,
  weightOf,
} from './lib/mutants/sample.mjs';
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
/** The limits of a try, in ms: what takes longer is left to the other tests of its line. */
const LIMITS = {
  fastMs: 15,
  slowMs: 2_000,
  testMs: 6_000,
  testTimeout: 8_000,
  hangsMs: 20_000,
  skips: false,
  files: 25,
};
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

/**
 * @param {ProjectCopy} copy
 * @returns {Promise<{ pure: (file: string) => string[][], byRequest: (file: string) => Group[] }>} the nearest tests of a
 *   source file in the project `core`, in groups; and those that send requests
 */
async function testsOf(copy) {
  const files = await testFiles(copy.folder);
  const withText = (/** @type {string} */ path) => ({ path, text: copy.read(path) });
  const of = (/** @type {string[]} */ ...projects) =>
    [...files]
      .filter(([path, own]) => projects.includes(own) && !path.startsWith(SWEEPS))
      .map(([path]) => withText(path));
  const [tests, requests] = [of(CORE), of(...REQUESTS)];
  const suites = copy.files.filter((path) => /^test\/.*\.ts$/.test(path) && !files.has(path)).map(withText);
  const sources = copy.files.filter((path) => /^src\/.*\.tsx?$/.test(path)).map(withText);
  return {
    pure: (file) => nearestTests(withText(file), tests, suites, sources),
    // In the runtime tests are slow: none through other files.
    byRequest: (file) =>
      reachedByRequests(file)
        ? nearestTests(withText(file), requests, suites).flatMap((group) => byProject(group, files))
        : [],
  };
}

/**
 * The test files of some sources, each with the sources that it is near to. Those of single parts come before those of
 * whole trees, and the nearest before others.
 * @param {readonly string[]} files @param {(file: string) => string[][]} groupsOf
 */
function inOrder(files, groupsOf) {
  /** @type {Map<string, { sources: string[], place: number }>} */
  const found = new Map();
  for (const file of files) {
    groupsOf(file).forEach((group, place) => {
      for (const path of group) {
        const one = found.get(path) ?? { sources: [], place };
        found.set(path, { sources: [...one.sources, file], place: Math.min(one.place, place) });
      }
    });
  }
  const rank = (/** @type {[string, { place: number }]} */ [path, { place }]) => weightOf(path) + place;
  return new Map(
    [...found].sort((one, other) => rank(one) - rank(other)).map(([path, { sources }]) => [path, sources]),
  );
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

/** @param {readonly Mutant[]} wanted @param {ReadonlyMap<string, Outcome>} kept */
function print(wanted, kept) {
  const outcomes = wanted.flatMap(({ id, line }) => {
    const outcome = kept.get(id);
    return outcome ? [{ ...outcome, line }] : [];
  });
  console.log(['', ...outcomes.filter(isLeft).map(survivorLine), '', ...scores(outcomes)].join('\n'));
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      each: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '600' },
      requests: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
    },
  });
  ensureInstalled();
  const { mutantsOf } = await import('./lib/mutants/operators.mjs');
  const endsAt = Date.now() + Number(values.minutes) * 60_000;
  const copy = new ProjectCopy();
  process.on('exit', () => {
    endRuns();
    endTries();
    copy.remove();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  const paths = positionals.map((path) => path.replace(/\/$/, ''));
  const isWanted = (/** @type {string} */ file) =>
    paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path}/`));
  const files = copy.files.filter((file) => /\.tsx?$/.test(file) && roomOf(file) && isWanted(file));
  if (files.length === 0)
    throw new UserError(`No file of a room is at ${paths.join(', ')}. Rooms: ${[...ROOMS.keys()].join(', ')}.`);
  const all = files.flatMap((file) => mutantsOf(file, copy.read(file)));
  const kept = readKept(values.again);
  const tests = hashOfTests(copy);
  const wanted = [...Map.groupBy(all, ({ file }) => roomOf(file)).values()].flatMap((own) =>
    drawn(own, values.seed).slice(0, Number(values.each)),
  );
  const isKnown = (/** @type {Mutant} */ { id }) => {
    const before = kept.get(id);
    return before !== undefined && (!isLeft(before) || before.tests === tests);
  };
  const keep = (/** @type {Mutant} */ mutant, /** @type {Pick<Outcome, 'outcome' | 'by'>} */ outcome) => {
    const { start: _start, end: _end, whole: _whole, ...facts } = mutant;
    kept.set(mutant.id, { ...facts, ...outcome, tests });
  };
  const { pure, byRequest } = await testsOf(copy);
  const open = new Set(wanted.filter((mutant) => !isKnown(mutant)).map(({ id }) => id));
  const order = inOrder([...new Set(wanted.filter(({ id }) => open.has(id)).map(({ file }) => file))], pure);
  console.log(`${open.size} mutants to try, ${order.size} test files`);
  /** @type {Set<string>} */
  const reached = new Set();
  let isWhole = order.size === 0;
  await tryMutants(all, open, order, {
    limits: LIMITS,
    endsAt,
    onFound(found) {
      for (const [mutant, { how, by }] of found.noticed) keep(mutant, { outcome: how, by });
      for (const { id } of found.reached) reached.add(id);
      isWhole = found.files === order.size;
      save(kept);
      const left = wanted.filter(({ id }) => open.has(id) && !kept.has(id)).length;
      console.log(`${found.files} of ${order.size} test files, ${open.size - left} noticed`);
    },
  });
  const rest = wanted.filter(({ id }) => open.has(id) && (!kept.has(id) || isLeft(kept.get(id))));
  // What was not tried to the end has no outcome.
  if (isWhole) for (const mutant of rest) keep(mutant, { outcome: reached.has(mutant.id) ? 'unnoticed' : 'unreached' });
  save(kept);
  for (const mutant of values.requests ? rest : []) {
    const groups = byRequest(mutant.file);
    if (groups.length === 0 || Date.now() > endsAt) continue;
    const { outcome, by } = await outcomeOf(copy, mutant, groups);
    if (outcome === 'unnoticed') continue;
    keep(mutant, { outcome, ...(by === undefined ? {} : { by }) });
    save(kept);
  }
  for (const batch of batches(wanted.filter(({ id }) => isLeft(kept.get(id)) && open.has(id)))) {
    for (const mutant of await refused(copy, batch)) keep(mutant, { outcome: 'compiler' });
    save(kept);
  }
  print(wanted, kept);
  return 0;
}

await run(main);
