// What a delegation costs by the placement of the child; many roots at once; many children in facets and in objects.
// Times are those of a client over HTTP; the models are of the AI SDK. Where a child lives behind HTTP it does so in a
// second server on this machine, and the CPU of that is not in the figure.
import { setTimeout as delay } from 'node:timers/promises';
import { PLACED } from '../lib/bundle.mjs';
import { fixed, median, table } from '../lib/report.mjs';
import { rounds } from '../lib/rounds.mjs';
import { openStream } from '../lib/stream.mjs';
import { withTarget } from '../lib/target.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 8;
/** Rows that a bare facet writes: as many as a child of two steps. */
const ROWS = 14;
/** Roots that are started at once, and the children of each. */
const [ROOTS, EACH] = [100, 10];
const MANY = 1_000;
/** What a turn leaves to be done goes on for less than this, in ms; it counts as its CPU. */
const SETTLE_MS = 100;
/** What a run ends with. */
const ENDS = new Set(['run_completed', 'run_failed', 'run_interrupted', 'run_terminated']);

/** @typedef {import('../lib/target.mjs').Target} Target */
/** @typedef {{ ms: number, cpu: number }} Sample */

/** Roots by where their children live. @type {Readonly<Record<string, string>>} */
const PLACES = { facet: 'a facet', apart: 'an object', bound: 'a service binding', http: 'HTTP, another server' };

/** A whole turn, as a client sees it. @param {Target} target @param {string} root @param {string} name @param {number} children */
async function turn(target, root, name, children) {
  const agent = `agents/${root}/${name}`;
  let standing = standingOf(await target.post(`${agent}/start`, { message: `${children}`, wait: true }));
  if (isAtWork(standing)) standing = await followed(target, agent);
  if (standing.status !== 'completed') throw new Error(`${agent}: ${JSON.stringify(standing).slice(0, 500)}`);
}

/** @typedef {{ status: string, sessionId: string, lastSequence: number }} Standing */

/** @param {unknown} answer of a start or a status */
const standingOf = (answer) => /** @type {Standing} */ (answer);

/** @param {Standing} standing */
const isAtWork = ({ status }) => ['running', 'suspended_awaiting_children'].includes(status);

/** How a run stands at its end, which is heard of by its stream. @param {Target} target @param {string} agent */
async function followed(target, agent) {
  const { sessionId, lastSequence } = standingOf(await target.ask(`${agent}/status`));
  const stream = await openStream(`${target.url}/${agent}/stream?from=${lastSequence + 1}&follow=1`);
  const ended = stream.first((chunk) => chunk.agentId === sessionId && ENDS.has(String(chunk.type)));
  const now = standingOf(await target.ask(`${agent}/status`));
  if (isAtWork(now)) await ended;
  await stream.close();
  return isAtWork(now) ? standingOf(await target.ask(`${agent}/status`)) : now;
}

/** @param {Target} target @param {() => Promise<unknown>} work @returns {Promise<Sample>} */
async function sampled(target, work) {
  const before = target.cpu();
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  await delay(SETTLE_MS);
  return { ms, cpu: target.cpu() - before };
}

/** All take turns, so that whatever slows the machine slows all of them. @param {Target} target */
async function delegations(target) {
  /** @type {Map<string, Sample[]>} */
  const samples = new Map();
  for (let run = 0; run <= rounds(RUNS); run++) {
    for (const [root, place] of Object.entries(PLACES)) {
      const sample = await sampled(target, () => turn(target, root, `r${run}`, 1));
      if (run > 0) samples.set(place, [...(samples.get(place) ?? []), sample]);
    }
    const alone = await sampled(target, () => turn(target, 'facet', `a${run}`, 0));
    const floor = await sampled(target, () => target.ask(`bare?name=b${run}&number=1&rows=${ROWS}`));
    if (run === 0) continue;
    samples.set('no child', [...(samples.get('no child') ?? []), alone]);
    samples.set('a bare facet', [...(samples.get('a bare facet') ?? []), floor]);
  }
  return samples;
}

/** How long each of many roots took that began at once. @param {Target} target @param {string} root */
async function load(target, root) {
  const begun = performance.now();
  const times = await Promise.all(
    Array.from({ length: ROOTS }, async (_, n) => {
      await turn(target, root, `l${n}`, EACH);
      return performance.now() - begun;
    }),
  );
  return times.toSorted((one, other) => one - other);
}

/** @param {readonly number[]} sorted @param {number} part */
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;

export async function placements() {
  await withTarget(
    (there) =>
      withTarget(
        async (target) => {
          tellDelegations(await delegations(target));
          /** @type {Map<string, number[]>} */
          const loads = new Map();
          for (const root of ['facet', 'apart']) loads.set(root, await load(target, root));
          tellLoads(loads);
        },
        PLACED,
        { THERE: there.url },
      ),
    PLACED,
  );
  await manyChildren();
}

/** @param {Map<string, Sample[]>} samples */
function tellDelegations(samples) {
  const floor = samples.get('a bare facet') ?? [];
  /** @param {readonly Sample[]} all @param {keyof Sample} key */
  const of = (all, key) => all.map((sample) => sample[key]);
  table(
    `A turn with one delegation, by where the child lives, ${rounds(RUNS)} runs, in ms`,
    ['child', 'median', 'least', 'of floor', 'CPU', 'CPU of floor'],
    [...samples].map(([place, all]) => [
      place,
      fixed(median(of(all, 'ms'))),
      fixed(Math.min(...of(all, 'ms'))),
      fixed(median(of(all, 'ms')) / median(of(floor, 'ms')), 2),
      fixed(median(of(all, 'cpu'))),
      fixed(median(of(all, 'cpu')) / median(of(floor, 'cpu')), 2),
    ]),
    [`The floor is a bare facet that makes the same tables and writes ${ROWS} rows, without any agent.`],
  );
}

/** @param {Map<string, number[]>} loads */
function tellLoads(loads) {
  table(
    `${ROOTS} roots at once with ${EACH} children each, all completed, in ms since they were asked for`,
    ['children', 'p50', 'p99', 'all', 'each child'],
    [...loads].map(([root, times]) => [
      PLACES[root] ?? root,
      fixed(quantile(times, 0.5), 0),
      fixed(quantile(times, 0.99), 0),
      fixed(Math.max(...times), 0),
      fixed(Math.max(...times) / (ROOTS * EACH), 2),
    ]),
  );
}

/** Each in a server of its own, so that the memory of one is not that of the other. */
async function manyChildren() {
  const many = [];
  for (const root of ['facet', 'apart'])
    many.push(
      await withTarget(async (target) => {
        await turn(target, root, 'warm', 1);
        const before = target.rss() ?? Number.NaN;
        const sample = await sampled(target, () => turn(target, root, 'many', MANY));
        return [
          PLACES[root] ?? root,
          fixed(sample.ms, 0),
          fixed(sample.cpu, 0),
          fixed((target.rss() ?? 0) - before, 0),
        ];
      }, PLACED),
    );
  table(`${MANY} children of one root, once`, ['children', 'ms', 'CPU, ms', 'MB more'], many);
}
