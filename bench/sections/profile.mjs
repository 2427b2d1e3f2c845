// Where the time of a wide fan-out goes: a CPU profile, by who asked for the work and what kind of work it was.
import { rmSync } from 'node:fs';
import { profiled } from '../lib/inspector.mjs';
import { fixed, table } from '../lib/report.mjs';
import { rounds } from '../lib/rounds.mjs';
import { stateFolder } from '../lib/target.mjs';

/** @typedef {import('../lib/inspector.mjs').CpuProfile} CpuProfile */

const CHILDREN = 100;
const RUNS = 5;

/** Functions of the runtime that are SQLite. */
const SQL = new Set(['exec', 'toArray', 'transactionSync', 'one', 'raw', 'put', 'delete', 'list']);
const OWN = new Set(['(idle)', '(program)', '(garbage collector)']);

/** @param {string} module */
function partOf(module) {
  const ours = /(?:^|\/)src\/(core|engine|host|store|model|api)\//.exec(module)?.[1];
  if (ours !== undefined && !module.includes('node_modules')) return ours;
  if (module.includes('node_modules/agents/')) return 'SDK';
  if (module.includes('node_modules/')) return 'other packages';
  return 'benchmark';
}

/**
 * Adds the time of each sample to the part that it belongs to: the nearest frame with a module says whose work it is.
 * @param {CpuProfile} profile @param {readonly string[]} modules @param {Map<string, number>} times
 */
function attribute({ nodes, samples, timeDeltas }, modules, times) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  /** @param {number} id */
  const part = (id) => {
    const { functionName: leaf, url } = byId.get(id)?.callFrame ?? { functionName: '', url: '' };
    if (OWN.has(leaf)) return leaf;
    const kind = url === '' && SQL.has(leaf) ? ', SQLite' : '';
    for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame?.functionName === '#clone' || frame?.functionName === 'clone') return 'host, cloning of stores';
      if (frame?.url.includes('__mf_')) return 'development server';
      if (frame?.url.endsWith('worker.js')) return `${partOf(modules[frame.lineNumber] ?? '')}${kind}`;
    }
    return 'runtime (RPC, events)';
  };
  const parts = new Map(nodes.map(({ id }) => [id, part(id)]));
  for (const [index, sample] of samples.entries()) {
    const name = parts.get(sample) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
}

export async function profile() {
  const runs = rounds(RUNS);
  const folder = stateFolder();
  try {
    // On the path that users take.
    const asked = Array.from({ length: runs + 1 }, (_, run) => ({
      path: `agents/team/p${run}/start`,
      body: { message: `${CHILDREN}`, wait: true },
    }));
    const { profiles, modules } = await profiled(folder, asked);
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const one of profiles.slice(1)) attribute(one, modules, times);
    times.delete('(idle)');
    const total = [...times.values()].reduce((sum, us) => sum + us, 0);
    table(
      `Where the time of ${CHILDREN} cold children goes, in ms of CPU for each child under a profiler`,
      ['part', 'ms', 'share'],
      [...times]
        .sort(([, a], [, b]) => b - a)
        .map(([name, us]) => [name, fixed(us / 1_000 / runs / CHILDREN, 2), `${fixed((100 * us) / total, 0)} %`]),
      [
        '(program): native code outside of JavaScript; the last parts are small, and profiling makes all of them slower.',
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
