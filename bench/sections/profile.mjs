// Where the time of a wide fan-out goes: a CPU profile, by who asked for the work and what kind of work it was.
import { rmSync } from 'node:fs';
import { profiled } from '../lib/inspector.mjs';
import { stateFolder } from '../lib/target.mjs';

/** @typedef {import('../lib/inspector.mjs').CpuProfile} CpuProfile */

/** @type {import('../lib/samples.mjs').Figure} */
const ALL = { name: 'all parts', unit: 'ms' };
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

/**
 * @param {import('../lib/bench.mjs').Bench} bench @param {import('../lib/bench.mjs').Checkout} checkout
 * @param {number} side which checkout that is
 */
async function parts(bench, checkout, side) {
  const runs = bench.rounds(RUNS);
  const folder = stateFolder();
  try {
    // On the path that users take.
    const asked = Array.from({ length: runs + 1 }, (_, run) => ({
      path: `agents/team/p${run}/start`,
      body: { message: `${CHILDREN}`, wait: true },
    }));
    const { profiles, modules } = await profiled(folder, asked, checkout);
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const one of profiles.slice(1)) attribute(one, modules, times);
    times.delete('(idle)');
    const total = [...times.values()].reduce((sum, us) => sum + us, 0);
    bench.record(side, 1, ALL, total / 1_000 / runs / CHILDREN);
    for (const [name, us] of [...times].sort(([, one], [, other]) => other - one))
      bench.record(side, 1, { name, unit: 'ms', floor: ALL.name }, us / 1_000 / runs / CHILDREN);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {import('../lib/bench.mjs').Section} */
export const profile = {
  what: `where the CPU of ${CHILDREN} children goes, for each child, under a profiler`,
  minutes: 1,
  // Their names are parts of the code.
  figures: [],
  async measure(bench) {
    for (const [side, checkout] of bench.checkouts.entries()) await parts(bench, checkout, side);
    bench.note(0, '(program): native code outside of JavaScript. Profiling makes all parts slower.');
  },
};
