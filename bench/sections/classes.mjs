// The same agents in one shared class and in a class of their own each, in one run: fan-out, stop and memory.
import { setTimeout as delay } from 'node:timers/promises';
import { AFTER_STOP_MS, SETTLE_MS, untilRest } from '../lib/rest.mjs';

/** Rounds; one more before them only warms the Workers up. */
const RUNS = 8;
const CHILDREN = 100;
/** Trees of `CHILDREN` agents at work, one after the other, whose memory is compared. */
const TREES = 4;
const BEGIN_TIMEOUT_MS = 60_000;
/** Until memory is read after the agents have begun, in ms. */
const HELD_MS = 1_500;
const KINDS = /** @type {const} */ (['one', 'own']);
const CONFIGS = { one: 'one-class.wrangler.jsonc', own: 'own-classes.wrangler.jsonc' };
const NAMES = { one: 'one class', own: 'own classes' };

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/samples.mjs').Figure} Figure
 * @typedef {import('../lib/target.mjs').Target} Target
 */

/** @param {string} what @param {string} unit @returns {Record<keyof typeof NAMES, Figure>} */
function pair(what, unit) {
  const own = { name: `${what}, ${NAMES.own}`, unit };
  return { own, one: { name: `${what}, ${NAMES.one}`, unit, floor: own.name } };
}

const TIME = pair(`${CHILDREN} children: time`, 'ms');
const CPU = pair(`${CHILDREN} children: CPU for each`, 'ms');
const STOP = pair(`interrupt of ${CHILDREN} children: answer`, 'ms');
const MEMORY = pair('memory of an agent at work', 'MB');

/** @param {Target} target @param {number} begun */
async function untilBegun(target, begun) {
  for (const from = Date.now(); ; await delay(20)) {
    const facts = /** @type {{ begun: number }} */ (await target.ask('facts'));
    if (facts.begun >= begun) return;
    if (Date.now() - from > BEGIN_TIMEOUT_MS) throw new Error('The agents did not begin.');
  }
}

/** Starts a root whose children hang. @param {Target} target @param {string} name */
async function hold(target, name) {
  const { begun } = /** @type {{ begun: number }} */ (await target.ask('facts'));
  await target.post(`agents/house/${name}/start`, { message: JSON.stringify({ number: CHILDREN, below: 0 }) });
  await untilBegun(target, begun + CHILDREN);
}

/** @param {Target} target @param {string} name */
async function fanOut(target, name) {
  const before = target.cpu();
  const from = performance.now();
  await target.post(`agents/team/${name}/start`, { message: `${CHILDREN}`, wait: true });
  const ms = performance.now() - from;
  await delay(SETTLE_MS);
  return { ms, cpu: (target.cpu() - before) / CHILDREN };
}

/** @param {Target} target @param {string} name */
async function interrupted(target, name) {
  await hold(target, name);
  await untilRest(target, SETTLE_MS);
  const from = performance.now();
  await target.post(`agents/house/${name}/interrupt`, {});
  const ms = performance.now() - from;
  await untilRest(target, AFTER_STOP_MS);
  return ms;
}

/** Megabytes for each agent more that is at work, after a first tree. @param {Target} target */
async function memory(target) {
  await hold(target, 'held0');
  await delay(HELD_MS);
  const first = target.rss();
  for (let tree = 1; tree < TREES; tree++) await hold(target, `held${tree}`);
  await delay(HELD_MS);
  const last = target.rss();
  return first === undefined || last === undefined ? undefined : (last - first) / ((TREES - 1) * CHILDREN);
}

/** @param {Bench} bench @param {Record<keyof typeof NAMES, readonly Target[]>} targets */
async function rounds(bench, targets) {
  for (let round = 0; round <= bench.rounds(RUNS); round++) {
    for (const kind of bench.inTurn(KINDS, round)) {
      for (const target of bench.inTurn(targets[kind], round)) {
        const name = `r${round}s${bench.server}`;
        const { ms, cpu } = await fanOut(target, name);
        const stopped = await interrupted(target, name);
        if (round === 0) continue;
        bench.record(target.side, round, TIME[kind], ms);
        bench.record(target.side, round, CPU[kind], cpu);
        bench.record(target.side, round, STOP[kind], stopped);
      }
    }
  }
}

/** On servers that have done nothing else: what a fan-out leaves free would be used again. @param {Bench} bench @param {Record<keyof typeof NAMES, readonly Target[]>} targets */
async function memories(bench, targets) {
  for (const kind of KINDS) {
    for (const target of targets[kind]) {
      const each = await memory(target);
      if (each === undefined) bench.note(0, 'The memory of a process can only be read on Linux.');
      else bench.record(target.side, 1, MEMORY[kind], each);
    }
  }
}

/** @type {import('../lib/bench.mjs').Section} */
export const classes = {
  what: 'fan-out, stop and memory of the same agents in one shared class and in classes of their own',
  minutes: 4,
  figures: [TIME, CPU, STOP, MEMORY].flatMap(({ one, own }) => [one, own]),
  async measure(bench) {
    for (const measured of [rounds, memories])
      await bench.withTargets(
        (one) => bench.withTargets((own) => measured(bench, { one, own }), CONFIGS.own),
        CONFIGS.one,
      );
  },
};
