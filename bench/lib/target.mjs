// A server with the benchmark's Worker, asked from outside and watched by its process.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../scripts/lib/fail.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { processTree } from '../../scripts/lib/processes.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import { bundle, INSTANT } from './bundle.mjs';

/**
 * @typedef {object} RowCounts rows written by objects of one class; `tables` are ours
 * @property {Record<string, number>} tables
 * @property {number} schema
 * @property {number} sdk
 * @property {number} server
 *
 * @typedef {object} Facts
 * @property {Record<string, RowCounts>} rows since `/count`
 * @property {Record<string, number>} made objects of each class since the Worker started
 * @property {number} hanging model calls that hang
 * @property {number} waiting calls that have begun to wait for a person
 *
 * @typedef {object} Target
 * @property {number} side which checkout it is of
 * @property {string} url without a slash at the end
 * @property {(path: string) => Promise<unknown>} ask the answer's JSON; throws when a turn did not complete
 * @property {(path: string) => Promise<number>} time how long the answer took, in ms
 * @property {() => Promise<Facts>} facts
 * @property {(path: string, body: object) => Promise<unknown>} post the answer's JSON; throws unless it is a success
 * @property {() => number} cpu ms of CPU that the Worker's process has used; 0 where that cannot be read
 * @property {() => number | undefined} rss of the Worker's process, in MB; undefined where that cannot be read
 */

/** A turn that is longer than this has failed. */
const TIMEOUT_MS = 120_000;
/** The answer of a bench Worker to a path that it does not know. */
const UNKNOWN = 'ready';

/** A new folder where `npm start` has its state, too: the temporary folder of a machine may lie in its memory. */
export function stateFolder() {
  const parent = join(root, '.offshoot');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param {number} pid @returns {number} MB of memory; 0 when it is not the runtime */
function workerMemory(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    if (!/^Name:\s+workerd/m.test(status)) return 0;
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Nanoseconds of CPU of a process, of all its threads. @param {number} pid */
function cpuOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
      0,
    );
  } catch {
    return 0;
  }
}

/**
 * @typedef {object} Served
 * @property {import('./checkouts.mjs').Checkout} checkout whose Worker it is
 * @property {number} side which checkout that is
 * @property {string | undefined} name the wrangler configuration of the Worker; default: that of most sections
 * @property {Record<string, string>} vars added to its `env`
 */

/**
 * Serves the Worker with a state of its own while `work` runs.
 * @template Result
 * @param {(target: Target) => Promise<Result>} work
 * @param {Served} served
 * @returns {Promise<Result>}
 */
export async function withTarget(work, { checkout, side, name = INSTANT, vars }) {
  const { config } = await bundle(name, checkout);
  const folder = stateFolder();
  const server = await serve({ config, persistTo: folder, vars });
  /** @param {string} path */
  const ask = async (path) => {
    const answer = await fetch(`${server.url}/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}\n${server.output()}`);
    const body = JSON.parse(text);
    if (body === UNKNOWN) throw new UserError(`The bench Worker of ${checkout.root} has no /${path}.`);
    if (body?.ok === false || body?.body === 'failed') throw new Error(`${path}: ${text.slice(0, 500)}`);
    return body;
  };
  const pids = processTree(server.pid).map(({ pid }) => pid);
  // wrangler has a second runtime for itself, which is smaller.
  const worker = () => pids.toSorted((one, other) => workerMemory(other) - workerMemory(one))[0] ?? 0;
  /** @type {number | undefined} */
  let pid;
  try {
    return await work({
      side,
      url: server.url,
      ask,
      time: async (path) => {
        const begun = performance.now();
        await ask(path);
        return performance.now() - begun;
      },
      async post(path, body) {
        const headers = { 'content-type': 'application/json' };
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const answer = await fetch(`${server.url}/${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          signal,
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}\n${server.output()}`);
        return JSON.parse(text);
      },
      cpu() {
        pid ??= worker();
        return cpuOf(pid) / 1e6;
      },
      facts: async () => /** @type {Facts} */ (await ask('facts')),
      rss: () => Math.max(...pids.map(workerMemory)) || undefined,
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
