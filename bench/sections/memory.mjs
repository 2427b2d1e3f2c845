// Memory of agents at work beside bare facets at work, and what becomes of agents without work.
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/target.mjs').Target} Target
 */

/** Agents of one tree: a root and its children. */
const TREE = 50;
const FROM = 200;
const TO = 400;
/** Until memory is read after the agents have begun, in ms. */
const SETTLE_MS = 1_500;
const IDLE_CHILDREN = 100;
/** The platform drops what is idle for 10 s. */
const IDLE_MS = 12_000;
const BEGIN_TIMEOUT_MS = 120_000;

const BARE = { name: 'memory of a bare facet at work', unit: 'MB' };
const WORKING = { name: 'memory of an agent at work', unit: 'MB', floor: BARE.name };
const OUT = { name: `${IDLE_CHILDREN} agents: evicted ${IDLE_MS / 1_000} s after their end`, unit: 'agents' };

/** @param {Target} target @param {(facts: import('../lib/target.mjs').Facts) => boolean} holds */
async function until(target, holds) {
  for (const begun = Date.now(); !holds(await target.facts()); await delay(50)) {
    if (Date.now() - begun > BEGIN_TIMEOUT_MS) throw new Error('The agents did not begin.');
  }
}

/** Slope of the line through the points, by least squares. @param {readonly (readonly [number, number])[]} points */
function slope(points) {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return above / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/**
 * Megabytes for each object more that is at work.
 * @param {Target} target @param {(objects: number) => Promise<void>} begin brings as many to work as a tree has
 */
async function each(target, begin) {
  /** @type {[number, number][]} */
  const points = [];
  for (let objects = TREE; objects <= TO; objects += TREE) {
    await begin(objects);
    await delay(SETTLE_MS);
    const rss = target.rss();
    if (rss === undefined) return undefined;
    points.push([objects, rss]);
  }
  return slope(points.filter(([objects]) => objects >= FROM));
}

/** @param {Target} target */
function agents(target) {
  return each(target, async (objects) => {
    await target.ask(`dormitory?name=tree${objects}&number=${TREE - 1}&wait=no`);
    await until(target, ({ hanging }) => hanging === (objects / TREE) * (TREE - 1));
  });
}

/** @param {Target} target */
function facets(target) {
  return each(target, async (objects) => {
    await target.ask(`hold?name=tree${objects}&number=${TREE - 1}`);
  });
}

/** Counts the children of a root that continues which were made anew, after they had been idle. @param {Target} target */
async function outOfMemory(target) {
  await target.ask(`inn?name=idle&number=${IDLE_CHILDREN}&wait=no`);
  await until(target, ({ hanging }) => hanging === 1);
  const before = (await target.facts()).made.Kid ?? 0;
  await delay(IDLE_MS);
  await target.ask('inn?name=idle&verb=touch');
  return ((await target.facts()).made.Kid ?? 0) - before;
}

/** @type {import('../lib/bench.mjs').Section} */
export const memory = {
  what: 'memory of agents at work, and how many are evicted when they have no work',
  minutes: 1,
  figures: [WORKING, BARE, OUT],
  async measure(bench) {
    for (const [figure, measured] of /** @type {const} */ ([
      [WORKING, agents],
      [BARE, facets],
      [OUT, outOfMemory],
    ])) {
      await bench.withTargets(async (targets) => {
        for (const target of bench.inTurn(targets, 0)) {
          const value = await measured(target);
          if (value === undefined) bench.note(0, 'The memory of a process can only be read on Linux.');
          else bench.record(target.side, 1, figure, value);
        }
      });
    }
    bench.note(0, `Memory is the slope of the runtime's resident memory from ${FROM} to ${TO} objects.`);
  },
};
