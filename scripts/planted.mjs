// npm run planted [-- IDS] [--together] [--list FILE] [--again] [--workers N] [--json FILE]: plants bugs, and shows which
// test notices each. First all at once, each behind a switch, in the project `core`. Then one at a time those that it did
// not notice: in the tests nearest to the bug, and in the rest of its project where these pass.
//   IDS          some bugs of the list; all by default
//   --together   ends after the first part, which takes minutes and not hours; what a bug changes while its file is
//                loaded has no switch
//   --list FILE  another list than scripts/planted.json
//   --again      drops earlier results: an interrupted run continues otherwise, as long as src and test are the same
//   --confirm    runs those tests without a bug, at the end, that have failed with one: in place of a control run of all
//                nearest tests before, which takes longer
//   --workers N  as many workers as that in the second part, and not as vitest.config.ts says
//   --json FILE  also writes the results there
//   --check      looks the bugs up in src, and runs no test
// The second part works on a copy of the project, uncommitted changes included.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { endTries, tryMutants } from './lib/mutants/fast.mjs';
import { weightOf } from './lib/mutants/sample.mjs';
import { root } from './lib/paths.mjs';
import { bugHash, bugProblems, readBugs } from './lib/planted/bugs.mjs';
import { nearestTests } from './lib/planted/nearest.mjs';
import { lineOf, Results, sumOf } from './lib/planted/results.mjs';
import { endRuns, runIn, runTests, testFiles } from './lib/planted/tests.mjs';
import { ProjectCopy } from './lib/planted/tree.mjs';

/**
 * @typedef {import('./lib/planted/bugs.mjs').Bug} Bug
 * @typedef {import('./lib/planted/results.mjs').Result} Result
 * @typedef {{ bug: Bug, projects: string[], nearest: string[][], rest: string[], core: string[] }} Plan
 */

/** The project that all code runs in but what an entry says. */
const CORE = 'core';
/** The limits of all bugs at once, in ms: tests of whole trees take seconds. */
const LIMITS = {
  fastMs: 15,
  slowMs: 12_000,
  testMs: 60_000,
  testTimeout: 40_000,
  hangsMs: 60_000,
  skips: true,
  files: 60,
};
/** Nearest tests that take longer than that with a bug, in ms, do not end. */
const LATE_MS = 1_800_000;

const read = (/** @type {string} */ file) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined;

/** @param {readonly Bug[]} bugs @param {readonly string[]} ids */
function chosen(bugs, ids) {
  const unknown = ids.filter((id) => !bugs.some((bug) => bug.id === id));
  if (unknown.length > 0) throw new UserError(`There is no planted bug ${unknown.join(', ')} in the list.`);
  return ids.length === 0 ? bugs : bugs.filter(({ id }) => ids.includes(id));
}

/**
 * A bug that the compiler finds is none.
 * @param {ProjectCopy} copy @param {readonly Bug[]} all @param {Results} results
 */
async function compile(copy, all, results) {
  const bugs = all.filter((bug) => !results.compiled.has(bugHash(bug)));
  if (bugs.length === 0) return;
  const takeOut = copy.plant(bugs);
  const tsc = join(copy.folder, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const args of [[], ['-p', join('src', 'console')]]) {
    const { code, output } = await runIn(copy.folder, [tsc, '--noEmit', '--pretty', 'false', ...args]);
    if (code !== 0) throw new UserError(`The project does not compile with these bugs in it:\n${output}`);
  }
  takeOut();
  for (const bug of bugs) results.compiled.add(bugHash(bug));
  results.save();
}

/** @param {ProjectCopy} copy @param {readonly Bug[]} bugs @returns {Promise<Plan[]>} */
async function plansFor(copy, bugs) {
  const files = await testFiles(copy.folder);
  const withText = (/** @type {string} */ path) => ({ path, text: copy.read(path) });
  const tests = [...files.keys()].map(withText);
  const suites = copy.files.filter((path) => /^test\/.*\.ts$/.test(path) && !files.has(path)).map(withText);
  return bugs.map((bug) => {
    const { project = CORE } = bug;
    const isIn =
      (/** @type {readonly string[]} */ projects) =>
      (/** @type {{ path: string }} */ { path }) =>
        projects.includes(files.get(path) ?? '');
    const projects = [...new Set([CORE, project])];
    const nearest = nearestTests(withText(bug.file), tests.filter(isIn(projects)), suites);
    const others = tests.filter(isIn([project])).map(({ path }) => path);
    const core = tests.filter(isIn([CORE])).map(({ path }) => path);
    return { bug, projects, nearest, rest: others.filter((path) => !nearest.flat().includes(path)), core };
  });
}

/**
 * Tries bugs in all tests of `core`, all at once.
 * @param {ProjectCopy} copy @param {readonly Plan[]} plans @param {Results} results
 */
async function tryTogether(copy, plans, results) {
  const { mutantOf } = await import('./lib/planted/switch.mjs');
  const began = performance.now();
  const secondsSince = () => (performance.now() - began) / 1_000;
  const byId = new Map(plans.map((plan) => [plan.bug.id, plan]));
  const mutants = plans
    .flatMap(({ bug }) => mutantOf(bug, copy.read(bug.file)) ?? [])
    .sort((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : one.start - other.start));
  const near = new Set(plans.flatMap(({ nearest }) => nearest.flat()));
  const rank = (/** @type {string} */ path) => weightOf(path) + (near.has(path) ? 0 : 1);
  const files = [...(plans[0]?.core ?? [])].sort((one, other) => rank(one) - rank(other));
  const sources = [...new Set(mutants.map(({ file }) => file))];
  console.log(`${mutants.length} bugs together, ${files.length} test files`);
  const open = new Set(mutants.map(({ id }) => id));
  await tryMutants(mutants, open, new Map(files.map((file) => [file, sources])), {
    limits: LIMITS,
    endsAt: Number.POSITIVE_INFINITY,
    onFound(found) {
      for (const [{ id }, { how, by }] of found.noticed) {
        // A test may hang because it ran before: it is left out, and the bug may be noticed by another one.
        if (how === 'late') continue;
        const { bug, nearest } = /** @type {Plan} */ (byId.get(id));
        const [file = '', ...title] = by.split(' > ');
        const result = {
          ...{ id, bug: bugHash(bug), file: bug.file, stage: /** @type {const} */ ('together') },
          ...{ by: nearest.flat().includes(file) ? 'nearest' : CORE, test: { file, title: title.join(' > ') } },
          seconds: secondsSince(),
        };
        results.keep(result);
        console.log(lineOf(result));
      }
      console.log(`${found.files} of ${files.length} test files (${secondsSince().toFixed(1)} s)`);
    },
  });
  for (const { bug } of plans)
    if (results.of(bug) === undefined)
      results.keep({ id: bug.id, bug: bugHash(bug), file: bug.file, stage: 'together', seconds: secondsSince() });
}

/**
 * Runs tests without any bug. They have to pass.
 * @param {ProjectCopy} copy @param {Results} results
 * @param {{ projects: readonly string[], files: readonly string[], workers: string | undefined }} what
 */
async function control(copy, results, { projects, files: all, workers }) {
  const files = all.filter((path) => path !== '' && !results.green.has(path));
  if (files.length === 0) return;
  const { failed, passed, seconds } = await runTests(copy.folder, { projects, files, workers });
  if (failed) {
    results.drop(failed.file);
    throw new UserError(`Without any bug a test fails: ${failed.file} > ${failed.title}`);
  }
  console.log(`control: ${files.length} files, ${passed} tests pass (${seconds.toFixed(1)} s)`);
  for (const path of files) results.green.add(path);
  results.save();
}

/**
 * Runs the tests of one bug.
 * @param {ProjectCopy} copy
 * @param {Plan} plan
 * @param {string | undefined} workers
 * @returns {Promise<Result>}
 */
async function resultOf(copy, { bug, projects, nearest, rest }, workers) {
  const { id, file, project = CORE } = bug;
  const facts = { id, bug: bugHash(bug), file, stage: /** @type {const} */ ('alone') };
  const takeOut = copy.plant([bug]);
  let seconds = 0;
  try {
    for (const files of nearest) {
      const report = await runTests(copy.folder, { projects, files, workers, ms: LATE_MS });
      seconds += report.seconds;
      if (report.failed) return { ...facts, by: 'nearest', test: report.failed, seconds };
    }
    const report = await runTests(copy.folder, { projects: [project], files: rest, workers });
    seconds += report.seconds;
    if (report.failed === undefined) return { ...facts, seconds };
    return { ...facts, by: project, test: report.failed, seconds };
  } finally {
    takeOut();
  }
}

/**
 * Runs the tests of some bugs, and keeps each result once it is known.
 * @param {readonly Bug[]} bugs
 * @param {ProjectCopy} copy
 * @param {Results} results
 * @param {{ together: boolean, confirm: boolean, workers?: string | undefined }} options
 */
async function runBugs(bugs, copy, results, { together, confirm, workers }) {
  await compile(copy, bugs, results);
  const all = await plansFor(copy, bugs);
  const fresh = all.filter(({ bug }) => results.of(bug) === undefined);
  if (fresh.length > 0) await tryTogether(copy, fresh, results);
  const plans = together ? [] : all.filter(({ bug }) => results.of(bug)?.by === undefined);
  const files = [...new Set(plans.flatMap(({ nearest }) => nearest.flat()))];
  const projects = [...new Set(plans.flatMap((plan) => plan.projects))];
  if (!confirm) await control(copy, results, { projects, files, workers });
  // Those of one project in a row.
  for (const plan of plans.sort((one, other) => one.projects.length - other.projects.length)) {
    const result = await resultOf(copy, plan, workers);
    results.keep(result);
    console.log(lineOf(result));
  }
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      together: { type: 'boolean', default: false },
      list: { type: 'string' },
      again: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      confirm: { type: 'boolean', default: false },
      workers: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const all = readBugs(values.list);
  const problems = bugProblems(all, read);
  if (problems.length > 0) throw new UserError(problems.join('\n'));
  if (values.check) {
    console.log(`${all.length} bugs, each in its place`);
    return 0;
  }
  ensureInstalled();
  const copy = new ProjectCopy();
  const leave = () => {
    endRuns();
    endTries();
    copy.remove();
  };
  process.on('exit', leave);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  const results = new Results(copy.hash, values.again);
  const bugs = chosen(all, positionals);
  const isDone = (/** @type {Bug} */ bug) => {
    const known = results.of(bug);
    return known !== undefined && (known.by !== undefined || known.stage === 'alone' || values.together);
  };
  const open = bugs.filter((bug) => !isDone(bug));
  if (open.length < bugs.length) console.log(`${bugs.length - open.length} results are known (--again begins anew)`);
  if (open.length > 0) await runBugs(open, copy, results, values);
  // A test that fails without the bug as well has noticed nothing.
  const files = [...new Set(bugs.flatMap((bug) => results.of(bug)?.test?.file ?? []))];
  const projects = [...new Set([CORE, ...bugs.map(({ project = CORE }) => project)])];
  await control(copy, results, { projects, files, workers: values.workers });
  const shown = bugs.flatMap((bug) => results.of(bug) ?? []);
  console.log('');
  for (const result of shown) console.log(lineOf(result));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(shown, null, 2)}\n`);
  console.log(sumOf(shown));
  return shown.every(({ by }) => by !== undefined) ? 0 : 1;
}

await run(main);
