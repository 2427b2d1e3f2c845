// Runs of vitest side by side: projects that compute beside those that wait for servers, browsers and times of day, so that
// no core is idle. Each run has workers and a summary of its own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { nodePath, root, toolEnv, toolPath } from '../paths.mjs';

/** Projects that keep their cores busy from the first file to the last. */
const COMPUTE = ['core', 'workerd', 'alone'];
/** By itself: a busy neighbour takes from the caches of a core what is measured. */
const MEASURED = ['measured'];

/** All projects of vitest.config.ts. */
export const PROJECTS = [...COMPUTE, 'browser', 'e2e', ...MEASURED];

const only = (/** @type {readonly string[]} */ projects) => projects.flatMap((name) => ['--project', name]);
const without = (/** @type {readonly string[]} */ projects) => projects.flatMap((name) => ['--project', `!${name}`]);

/**
 * The arguments of all runs. Those of a round begin together, and the next round when they have ended. Each project is in
 * exactly one run. With arguments there is one run.
 * @param {readonly string[]} args
 * @returns {string[][][]}
 */
export function roundsOf(args) {
  if (args.length > 0) return [[[...args]]];
  return [[only(COMPUTE), without([...COMPUTE, ...MEASURED])], [only(MEASURED)]];
}

/** Runs that are under way. @type {Set<import('node:child_process').ChildProcess>} */
const underWay = new Set();

/** Ends them in order. */
export function endRuns() {
  for (const child of underWay) child.kill('SIGTERM');
}

/**
 * Runs vitest. A run alone has the terminal; of several, each prints whole lines.
 * @param {readonly string[]} args
 * @param {{ env: Record<string, string>, alone: boolean }} options
 * @returns {Promise<number>} its exit code
 */
export function runVitest(args, { env, alone }) {
  return new Promise((resolve, reject) => {
    const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(nodePath(), ['--', toolPath('vitest'), 'run', ...args], {
      cwd: root,
      env: { ...toolEnv(), ...(alone ? {} : colors), ...env },
      stdio: ['ignore', alone ? 'inherit' : 'pipe', alone ? 'inherit' : 'pipe'],
    });
    underWay.add(child);
    for (const [from, to] of /** @type {const} */ ([
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]))
      if (from !== null) createInterface({ input: from }).on('line', (line) => to.write(`${line}\n`));
    child.on('error', reject);
    child.on('close', (code) => {
      underWay.delete(child);
      resolve(code ?? 1);
    });
  });
}

/**
 * The projects of which a whole run has no file: it must not pass for one that was left out.
 * @param {readonly import('./summary-reporter.mjs').FileTime[]} times
 */
export const unrun = (times) => PROJECTS.filter((name) => !times.some(({ project }) => project === name));

/**
 * The summary of all runs.
 * @param {readonly import('./summary-reporter.mjs').Summary[]} all
 * @returns {import('./summary-reporter.mjs').Summary}
 */
export function summed(all) {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.flatMap(({ skipped }) => skipped),
    broken: all.flatMap(({ broken }) => broken),
    figures: all.flatMap(({ figures }) => figures),
    times: all.flatMap(({ times }) => times),
  };
}
