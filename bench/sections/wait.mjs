// A tree that waits for people: what it costs while nobody answers, beside the same server without agents.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/target.mjs').Target} Target
 * @typedef {import('../lib/target.mjs').RowCounts} RowCounts
 */

const CHILDREN = 100;
/** The platform drops what is idle for 10 s. */
const IDLE_MS = 12_000;
/** What a start, or a tree that comes to rest, leaves to be done takes less than this, in ms. */
const SETTLE_MS = 3_000;
const TIMEOUT_MS = 60_000;

const TREE = `a root and ${CHILDREN} children that wait for a person`;
const NOBODY = { name: `a server without agents: CPU in ${IDLE_MS / 1_000} s`, unit: 'ms' };
const CPU = { name: `${TREE}: CPU in ${IDLE_MS / 1_000} s`, unit: 'ms', floor: NOBODY.name };
const ROWS = { name: `${TREE}: rows written in ${IDLE_MS / 1_000} s`, unit: 'rows' };
const OUT = { name: `${TREE}: evicted after ${IDLE_MS / 1_000} s`, unit: 'agents' };

/** @param {Readonly<Record<string, RowCounts>>} rows */
function total(rows) {
  return Object.values(rows)
    .flatMap(({ tables, schema, sdk }) => [...Object.values(tables), schema, sdk])
    .reduce((sum, count) => sum + count, 0);
}

/** CPU of the runtime while nobody asks anything. @param {Target} target */
async function idle(target) {
  const before = target.cpu();
  await delay(IDLE_MS);
  return target.cpu() - before;
}

/** @param {Bench} bench @param {Target} target */
async function waiting(bench, target) {
  await target.facts();
  await delay(SETTLE_MS);
  bench.record(target.side, 1, NOBODY, await idle(target));
  await target.ask('count');
  await target.ask(`lobby?name=lobby&number=${CHILDREN}&wait=no`);
  for (const begun = Date.now(); (await target.facts()).waiting < CHILDREN; await delay(50))
    if (Date.now() - begun > TIMEOUT_MS) throw new Error('The agents did not come to wait.');
  await delay(SETTLE_MS);
  const before = await target.facts();
  bench.record(target.side, 1, CPU, await idle(target));
  const after = await target.facts();
  bench.record(target.side, 1, ROWS, total(after.rows) - total(before.rows));
  await target.ask('lobby?name=lobby&verb=touch');
  const { made } = await target.facts();
  bench.record(target.side, 1, OUT, sum(made) - sum(after.made));
}

/** The objects of the tree that were made. @param {Readonly<Record<string, number>>} made */
const sum = ({ Lobby = 0, Guest = 0 }) => Lobby + Guest;

/** @type {import('../lib/bench.mjs').Section} */
export const wait = {
  what: 'a tree whose agents all wait for a person, while nobody answers',
  minutes: 1,
  figures: [CPU, NOBODY, ROWS, OUT],
  measure: (bench) =>
    bench.withTargets(async (targets) => {
      for (const target of bench.inTurn(targets, 0)) await waiting(bench, target);
    }),
};
