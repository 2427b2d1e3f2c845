// Tries mutants in tests of the project `core`, one process for each core of the machine: the sources have them behind
// switches. A process that hangs, crashes or is left dirty by a mutant is ended, and the next one continues behind that try.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePath, root, toolEnv } from '../paths.mjs';
import { killAll, outputOf, processTree } from '../processes.mjs';
import { doneWith, readFound } from './found.mjs';

/** @typedef {import('./operators.mjs').Mutant} Mutant */

/**
 * The limits of a try, in ms (runner.mjs); `hangsMs`: one that takes so long hangs, while a test as it is may take
 * longer; `skips`: whether its
 * test is left out from then on; and the number of test files that one process runs.
 * @typedef {{ fastMs: number, slowMs: number, testMs: number, testTimeout: number, hangsMs: number, skips: boolean, files: number }} Limits
 * @typedef {{ noticed: [Mutant, { how: 'noticed' | 'late', by: string }][], reached: Mutant[], files: number }} FoundSoFar
 */
const SILENT_MS = 240_000;
/** A file whose process ended so often before any of its tests is left out. */
const MOST_STARTS = 3;

/** Ids of processes that are running. @type {Set<number>} */
const running = new Set();

/** Ends what is running. */
export function endTries() {
  for (const pid of running) killAll(processTree(pid));
}

/**
 * @param {readonly Mutant[]} mutants all of each of their files: their switches are numbered by their places here
 * @param {ReadonlySet<string>} open ids of those to try
 * @param {ReadonlyMap<string, readonly string[]>} sources the source files that each test file is near to, in the order
 *   in which the tests run
 * @param {{ limits: Limits, endsAt: number, onFound: (found: FoundSoFar) => void }} options
 */
export async function tryMutants(mutants, open, sources, { onFound, ...options }) {
  const left = new Set(open);
  const parts = Array.from({ length: availableParallelism() }, (_, part) =>
    [...sources].filter((_each, index) => index % availableParallelism() === part),
  );
  const files = parts.map(() => 0);
  const tryOne = (/** @type {[string, readonly string[]][]} */ own, /** @type {number} */ part) =>
    tryPart(mutants, left, new Map(own), {
      ...options,
      onFound(found) {
        for (const [{ id }, { how }] of found.noticed) if (how === 'noticed' || !options.limits.skips) left.delete(id);
        files[part] = found.files;
        onFound({ ...found, files: files.reduce((sum, one) => sum + one, 0) });
      },
    });
  await Promise.all(parts.map(tryOne));
}

/**
 * Tries what is left, in some of the tests, by one process after the other.
 * @param {readonly Mutant[]} mutants @param {ReadonlySet<string>} left
 * @param {ReadonlyMap<string, readonly string[]>} sources
 * @param {{ limits: Limits, endsAt: number, onFound: (found: FoundSoFar) => void }} options
 */
async function tryPart(mutants, left, sources, { limits, endsAt, onFound }) {
  const switches = mutants.map((mutant, index) => ({ ...mutant, number: index + 1 }));
  /** @type {Map<string, [number, number]>} */
  const ranges = new Map();
  for (const { file, number } of switches) ranges.set(file, [ranges.get(file)?.[0] ?? number, number]);
  let files = [...sources.keys()];
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-mutants-'));
  const [job, out] = [join(folder, 'job.json'), join(folder, 'found.txt')];
  /** @type {string[]} */
  let done = [];
  let starts = 0;
  let finished = 0;
  try {
    while (files.length > 0 && left.size > 0 && Date.now() < endsAt) {
      const own = files.slice(0, limits.files);
      const near = own.map((path) => [path, (sources.get(path) ?? []).flatMap((file) => [ranges.get(file) ?? [0, 0]])]);
      const facts = {
        root,
        out,
        count: switches.length,
        open: switches.filter(({ id }) => left.has(id)).map(({ number }) => number),
        near: Object.fromEntries(near),
        done,
        switches,
      };
      writeFileSync(job, JSON.stringify({ ...limits, ...facts, files: own }));
      writeFileSync(out, '');
      const { isWhole, output } = await runOnce(job, out, { endsAt, hangsMs: limits.hangsMs });
      const found = readFoundFile(out);
      if (found.files.length === 0 && Date.now() < endsAt)
        throw new Error(`vitest ran nothing:\n${output.slice(-2_000)}`);
      if (found.under && !isWhole) found.noticed.set(found.under.number, { how: 'late', by: found.under.by });
      starts = isWhole || found.ended.length > 0 || found.under ? 0 : starts + 1;
      const behind = doneWith(own, found, { isWhole, isStuck: starts >= MOST_STARTS });
      done = isWhole ? [] : [...done, ...found.ended];
      if (found.under && !isWhole && limits.skips) done = [...done, found.under.test];
      files = files.filter((path) => !behind.has(path));
      finished += behind.size;
      const mutantOf = (/** @type {number} */ number) => /** @type {Mutant} */ (mutants[number - 1]);
      onFound({
        noticed: [...found.noticed].map(([number, how]) => [mutantOf(number), how]),
        reached: [...found.reached].map(mutantOf),
        files: finished,
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readFoundFile = (/** @type {string} */ path) => readFound(readFileSync(path, 'utf8'));

/**
 * @param {string} job @param {string} out @param {{ endsAt: number, hangsMs: number }} until
 * @returns {Promise<{ isWhole: boolean, output: string }>} whether it came to its end
 */
function runOnce(job, out, { endsAt, hangsMs }) {
  return new Promise((resolve, reject) => {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const config = join(root, 'scripts', 'lib', 'mutants', 'vitest.config.mjs');
    const child = spawn(nodePath(), [vitest, 'run', '--config', config], {
      cwd: root,
      env: { ...toolEnv(), OFFSHOOT_MUTANTS: job },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid = 0 } = child;
    running.add(pid);
    const output = outputOf(child);
    let size = 0;
    let since = Date.now();
    let isEnded = false;
    const watch = setInterval(() => {
      const now = statSync(out).size;
      if (now !== size) [size, since] = [now, Date.now()];
      if (Date.now() - since < hangsMs && Date.now() < endsAt) return;
      const isTry = readFoundFile(out).under !== undefined;
      if (!isTry && Date.now() - since < SILENT_MS && Date.now() < endsAt) return;
      isEnded = true;
      killAll(processTree(pid));
    }, 500);
    child.on('error', reject);
    child.on('close', () => {
      clearInterval(watch);
      running.delete(pid);
      const last = readFileSync(out, 'utf8').trimEnd().split('\n').at(-1) ?? '';
      // A worker that crashed leaves a try, or that it was dirty, as its last word.
      resolve({ isWhole: !isEnded && !/^(?:try|dirty)\b/.test(last), output: output() });
    });
  });
}
