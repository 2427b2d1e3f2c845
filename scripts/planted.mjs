// npm run planted [-- IDS] [--nearest] [--again] [--workers N] [--json FILE]: plants bugs one at a time, and shows which
// test notices each. Runs the tests nearest to a bug first, and the rest of its project only where these pass.
//   IDS          some bugs of scripts/planted.json; all by default
//   --nearest    runs the nearest tests alone
//   --again      drops earlier results: an interrupted run continues otherwise, as long as src and test are the same
//   --workers N  as many workers as that, and not as vitest.config.ts says
//   --json FILE  also writes the results there
//   --check      looks the bugs up in src, and runs no test
// It works on a copy of the project, uncommitted changes included.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { bugHash, bugProblems, readBugs } from './lib/planted/bugs.mjs';
import { nearestTests } from './lib/planted/nearest.mjs';
import { lineOf, Results, sumOf } from './lib/planted/results.mjs';
import { endRuns, runIn, runTests, testFiles } from './lib/planted/tests.mjs';
import { ProjectCopy } from './lib/planted/tree.mjs';

/**
 * @typedef {import('./lib/planted/bugs.mjs').Bug} Bug
 * @typedef {import('./lib/planted/results.mjs').Result} Result
 * @typedef {{ bug: Bug, projects: string[], nearest: string[], rest: string[] }} Plan
 */

/** The project that all code runs in but what an entry says. */
const CORE = 'core';
/** Nearest tests that take this many times as long as without the bug, and this many ms more, do not end. */
const LATE = { times: 5, ms: 180_000 };

const read = (/** @type {string} */ file) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined;

/** @param {readonly Bug[]} bugs @param {readonly string[]} ids */
function chosen(bugs, ids) {
  const unknown = ids.filter((id) => !bugs.some((bug) => bug.id === id));
  if (unknown.length > 0) throw new UserError(`There is no planted bug ${unknown.join(', ')} in scripts/planted.json.`);
  return ids.length === 0 ? bugs : bugs.filter(({ id }) => ids.includes(id));
}

/**
 * A bug that the compiler finds is none.
 * @param {ProjectCopy} copy @param {readonly Bug[]} bugs
 */
async function compile(copy, bugs) {
  const takeOut = copy.plant(bugs);
  const tsc = join(copy.folder, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const args of [[], ['-p', join('src', 'console')]]) {
    const { code, output } = await runIn(copy.folder, [tsc, '--noEmit', '--pretty', 'false', ...args]);
    if (code !== 0) throw new UserError(`The project does not compile with these bugs in it:\n${output}`);
  }
  takeOut();
}

/** @param {ProjectCopy} copy @param {readonly Bug[]} bugs @returns {Promise<Plan[]>} */
async function plansFor(copy, bugs) {
  const files = await testFiles(copy.folder);
  const tests = [...files.keys()].map((path) => ({ path, text: copy.read(path) }));
  return bugs.map((bug) => {
    const { project = CORE } = bug;
    const isIn =
      (/** @type {readonly string[]} */ projects) =>
      (/** @type {{ path: string }} */ { path }) =>
        projects.includes(files.get(path) ?? '');
    const projects = [...new Set([CORE, project])];
    const nearest = nearestTests({ path: bug.file, text: copy.read(bug.file) }, tests.filter(isIn(projects)));
    const others = tests.filter(isIn([project])).map(({ path }) => path);
    return { bug, projects, nearest, rest: others.filter((path) => !nearest.includes(path)) };
  });
}

/** Runs the nearest tests of all plans without a bug. @param {ProjectCopy} copy @param {readonly Plan[]} plans */
async function control(copy, plans, /** @type {string | undefined} */ workers) {
  const files = [...new Set(plans.flatMap(({ nearest }) => nearest))];
  if (files.length === 0) return new Map();
  const projects = [...new Set(plans.flatMap((plan) => plan.projects))];
  const report = await runTests(copy.folder, { projects, files, workers });
  const { failed, passed, seconds } = report;
  if (failed) throw new UserError(`Without any bug a test fails: ${failed.file} > ${failed.title}`);
  console.log(`control: ${files.length} files, ${passed} tests pass (${seconds.toFixed(1)} s)`);
  return report.files;
}

/**
 * Runs the tests of one bug.
 * @param {ProjectCopy} copy
 * @param {Plan} plan
 * @param {{ usual: Map<string, number>, nearestOnly: boolean, workers: string | undefined, known: Result | undefined }} how
 * @returns {Promise<Result>}
 */
async function resultOf(copy, { bug, projects, nearest, rest }, { usual, nearestOnly, workers, known }) {
  const { id, file, project = CORE } = bug;
  const facts = { id, bug: bugHash(bug), file };
  const takeOut = copy.plant([bug]);
  let seconds = known?.seconds ?? 0;
  if (known === undefined && nearest.length > 0) {
    const ms = LATE.ms + LATE.times * 1_000 * nearest.reduce((sum, path) => sum + (usual.get(path) ?? 0), 0);
    const report = await runTests(copy.folder, { projects, files: nearest, workers, ms });
    seconds += report.seconds;
    if (report.failed) {
      takeOut();
      return { ...facts, stage: 'nearest', by: 'nearest', test: report.failed, seconds };
    }
  }
  if (nearestOnly) {
    takeOut();
    return { ...facts, stage: 'nearest', seconds };
  }
  const report = await runTests(copy.folder, { projects: [project], files: rest, workers });
  seconds += report.seconds;
  takeOut();
  const { failed } = report;
  if (failed === undefined) return { ...facts, stage: 'project', seconds };
  await confirm(copy, project, failed, workers);
  return { ...facts, stage: 'project', by: project, test: failed, seconds };
}

/**
 * A test that fails without the bug as well has noticed nothing.
 * @param {ProjectCopy} copy @param {string} project @param {{ file: string, title: string }} noticed
 * @param {string | undefined} workers
 */
async function confirm(copy, project, noticed, workers) {
  if (noticed.file === '') return;
  const { failed } = await runTests(copy.folder, { projects: [project], files: [noticed.file], workers });
  if (failed) throw new UserError(`Without any bug a test fails: ${failed.file} > ${failed.title}`);
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      nearest: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      workers: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const all = readBugs();
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
    copy.remove();
  };
  process.on('exit', leave);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  const results = new Results(copy.hash, values.again);
  const bugs = chosen(all, positionals);
  const isDone = (/** @type {Bug} */ bug) => {
    const known = results.of(bug);
    return known !== undefined && (known.by !== undefined || known.stage === 'project' || values.nearest);
  };
  const open = bugs.filter((bug) => !isDone(bug));
  if (open.length < bugs.length) console.log(`${bugs.length - open.length} results are known (--again begins anew)`);
  if (open.length > 0) {
    await compile(copy, open);
    const plans = await plansFor(copy, open);
    const usual = await control(
      copy,
      plans.filter(({ bug }) => results.of(bug) === undefined),
      values.workers,
    );
    // Those of one project in a row.
    for (const plan of plans.toSorted((one, other) => one.projects.length - other.projects.length)) {
      const how = { usual, nearestOnly: values.nearest, workers: values.workers, known: results.of(plan.bug) };
      const result = await resultOf(copy, plan, how);
      results.keep(result);
      console.log(lineOf(result));
    }
    console.log('');
  }
  const shown = bugs.flatMap((bug) => results.of(bug) ?? []);
  for (const result of shown) console.log(lineOf(result));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(shown, null, 2)}\n`);
  console.log(sumOf(shown));
  return shown.every(({ by }) => by !== undefined) ? 0 : 1;
}

await run(main);
