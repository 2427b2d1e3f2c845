// Memory of agents at work, and what becomes of agents without work.
import { setTimeout as delay } from 'node:timers/promises';
import { fixed, table } from '../lib/report.mjs';
import { withTarget } from '../lib/target.mjs';

/** @typedef {import('../lib/target.mjs').Target} Target */

/** Agents of one tree: a root and its children. */
const TREE = 50;
const FROM = 200;
const TO = 400;
/** Until memory is read after the agents have begun, in ms. */
const SETTLE_MS = 1_500;
const IDLE_CHILDREN = 100;
/** The platform drops what is idle for 10 s. */
const IDLE_MS = 12_000;
const BEGIN_TIMEOUT_MS = 30_000;

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

/** @param {Target} target */
async function atWork(target) {
  /** @type {[number, number][]} */
  const points = [];
  for (let agents = TREE; agents <= TO; agents += TREE) {
    await target.ask(`dormitory?name=tree${agents}&number=${TREE - 1}&wait=no`);
    await until(target, ({ hanging }) => hanging === (agents / TREE) * (TREE - 1));
    await delay(SETTLE_MS);
    const rss = target.rss();
    if (rss === undefined) return undefined;
    points.push([agents, rss]);
  }
  return points;
}

/** How many of the children of a root that goes on working were made anew, after they had been idle. */
async function leftMemory(/** @type {Target} */ target) {
  await target.ask(`inn?name=idle&number=${IDLE_CHILDREN}&wait=no`);
  await until(target, ({ hanging }) => hanging === 1);
  const before = (await target.facts()).made.Kid ?? 0;
  await delay(IDLE_MS);
  await target.ask('inn?name=idle&verb=touch');
  return ((await target.facts()).made.Kid ?? 0) - before;
}

export async function memory() {
  const points = await withTarget(atWork);
  if (points === undefined) {
    console.log('\nMemory: the memory of a process can only be read on Linux.');
  } else {
    const between = points.filter(([agents]) => agents >= FROM);
    table(
      'Memory of the runtime with agents whose model calls go on, in MB',
      ['agents', 'RSS'],
      points.map(([agents, rss]) => [String(agents), fixed(rss, 0)]),
      [`From ${FROM} to ${TO} agents: ${fixed(slope(between), 2)} MB for each.`],
    );
  }
  const anew = await withTarget(leftMemory);
  console.log(
    `\nAgents without work: ${anew} of ${IDLE_CHILDREN} had left memory ${IDLE_MS / 1_000} s after their end, while their root went on.`,
  );
}
