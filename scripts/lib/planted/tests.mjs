// Runs tests of a copy of the project, each run in a process of its own that is ended with all below it.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { nodePath, toolEnv } from '../paths.mjs';
import { killAll, outputOf, processTree } from '../processes.mjs';
import { readReport } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** Runs that are under way, by the id of their process. @type {Set<number>} */
const underWay = new Set();

/** Ends every run that is under way. */
export function endRuns() {
  for (const pid of underWay) killAll(processTree(pid));
}

/**
 * @param {string} folder the copy
 * @param {string[]} args of Node: a script, and its arguments
 * @param {number} ms after so long it is ended
 * @returns {Promise<{ code: number, output: string, late: boolean }>}
 */
export function runIn(folder, args, ms = 3_600_000) {
  return new Promise((resolve, reject) => {
    const child = spawn(nodePath(), ['--', ...args], {
      cwd: folder,
      env: { ...toolEnv(), OFFSHOOT_TEST_SUMMARY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid = 0 } = child;
    underWay.add(pid);
    const output = outputOf(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killAll(processTree(pid));
    }, ms);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      underWay.delete(pid);
      resolve({ code: code ?? 1, output: output(), late });
    });
  });
}

const vitest = (/** @type {string} */ folder) => join(folder, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * The test files of the project, as vitest itself finds them.
 * @param {string} folder
 * @returns {Promise<Map<string, string>>} the project of each, by its path
 */
export async function testFiles(folder) {
  const file = join(folder, '.planted-list.json');
  const { output } = await runIn(folder, [vitest(folder), 'list', '--filesOnly', `--json=${file}`]);
  try {
    /** @type {{ file: string, projectName: string }[]} */
    const found = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(found.map((one) => [relative(folder, one.file), one.projectName]));
  } catch {
    throw new Error(`vitest did not list its files:\n${output}`);
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Runs tests until the first one fails.
 * @param {string} folder
 * @param {{ projects: readonly string[], files: readonly string[], workers?: string | undefined, ms?: number }} what
 * @returns {Promise<Report>}
 */
export async function runTests(folder, { projects, files, workers, ms }) {
  const file = join(folder, '.planted-report.json');
  rmSync(file, { force: true });
  const before = performance.now();
  const only = projects.flatMap((project) => ['--project', project]);
  const most = workers === undefined ? [] : [`--maxWorkers=${workers}`];
  const reporter = ['--reporter=json', `--outputFile=${file}`];
  const args = [vitest(folder), 'run', ...only, ...files, '--bail=1', ...reporter, ...most];
  const ended = await runIn(folder, args, ms);
  const seconds = (performance.now() - before) / 1_000;
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // The process ended before it could write.
  }
  return readReport(text, { ...ended, seconds, folder });
}
