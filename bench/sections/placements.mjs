// What a delegation costs by the placement of the child; many roots at once; many children in facets and in objects.
// Times are those of a client over HTTP; the models are of the AI SDK. Where a child lives behind HTTP it does so in a
// second server on this machine, and the CPU of that is not in the figure.
import { setTimeout as delay } from 'node:timers/promises';
import { PLACED } from '../lib/bundle.mjs';
import { SETTLE_MS } from '../lib/rest.mjs';
import { openStream } from '../lib/stream.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 8;
/** Rows that a bare facet writes: as many as a child of two steps. */
const ROWS = 14;
/** Roots that are started at once, and the children of each. */
const [ROOTS, EACH] = [100, 10];
const MANY = 1_000;
/** What a run ends with. */
const ENDS = new Set(['run_completed', 'run_failed', 'run_interrupted', 'run_terminated']);
const BARE = 'bare facets';

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/samples.mjs').Figure} Figure
 * @typedef {import('../lib/target.mjs').Target} Target
 * @typedef {{ status: string, sessionId: string, lastSequence: number }} Standing
 */

/** Roots by where their children live. @type {Readonly<Record<string, string>>} */
const PLACES = {
  facet: 'a child in a facet',
  apart: 'a child in an object',
  bound: 'a child behind a service binding',
  http: 'a child behind HTTP, in another server',
};
const ALONE = 'no child';
/** Roots whose children live on this machine in numbers. @type {Readonly<Record<string, string>>} */
const WIDE = { facet: 'in facets', apart: 'in objects' };

/** @param {string} name @param {string} what @param {string} unit @param {string} [floor] @returns {Figure} */
const figure = (name, what, unit, floor) => ({
  name: `${name}: ${what}`,
  unit,
  ...(floor === undefined ? {} : { floor: `${floor}: ${what}` }),
});

/** @param {string} name @param {string} [floor] */
const turnFigures = (name, floor) => ({ ms: figure(name, 'time', 'ms', floor), cpu: figure(name, 'CPU', 'ms', floor) });

const FLOOR = turnFigures('a bare facet');

/** @param {string} place @param {string} [floor] */
function loadFigures(place, floor) {
  const name = (/** @type {string} */ of) => `${ROOTS} roots at once, ${EACH} children each, ${of}`;
  const below = floor === undefined ? undefined : name(floor);
  return {
    half: figure(name(place), 'median time', 'ms', below),
    p99: figure(name(place), '99th percentile of time', 'ms', below),
  };
}

/** @param {string} place @param {string} [floor] */
function manyFigures(place, floor) {
  const name = (/** @type {string} */ of) => `${MANY} children of one root, ${of}`;
  const below = floor === undefined ? undefined : name(floor);
  return {
    ms: figure(name(place), 'time', 'ms', below),
    cpu: figure(name(place), 'CPU for each', 'ms', below),
    memory: figure(name(place), 'memory', 'MB', below),
  };
}

/** Runs a whole turn, as a client sees it. @param {Target} target @param {string} root @param {string} name @param {number} children */
async function turn(target, root, name, children) {
  const agent = `agents/${root}/${name}`;
  let standing = standingOf(await target.post(`${agent}/start`, { message: `${children}`, wait: true }));
  if (isAtWork(standing)) standing = await followed(target, agent);
  if (standing.status !== 'completed') throw new Error(`${agent}: ${JSON.stringify(standing).slice(0, 500)}`);
}

/** @param {unknown} answer of a start or a status */
const standingOf = (answer) => /** @type {Standing} */ (answer);

/** @param {Standing} standing */
const isAtWork = ({ status }) => ['running', 'suspended_awaiting_children'].includes(status);

/** Follows a run by its stream to its end. @param {Target} target @param {string} agent */
async function followed(target, agent) {
  const { sessionId, lastSequence } = standingOf(await target.ask(`${agent}/status`));
  const stream = await openStream(`${target.url}/${agent}/stream?from=${lastSequence + 1}&follow=1`);
  const ended = stream.first((chunk) => chunk.agentId === sessionId && ENDS.has(String(chunk.type)));
  const now = standingOf(await target.ask(`${agent}/status`));
  if (isAtWork(now)) await ended;
  await stream.close();
  return isAtWork(now) ? standingOf(await target.ask(`${agent}/status`)) : now;
}

/** @param {string} name @param {number} number */
const bare = (name, number) => `bare?name=${name}&number=${number}&rows=${ROWS}`;

/** @param {Target} target @param {() => Promise<unknown>} work */
async function sampled(target, work) {
  const before = target.cpu();
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  await delay(SETTLE_MS);
  return { ms, cpu: target.cpu() - before };
}

/** All placements and all checkouts take turns. @param {Bench} bench @param {readonly Target[]} targets */
async function delegations(bench, targets) {
  const kinds = [
    ...Object.entries(PLACES).map(([root, place]) => ({
      figures: turnFigures(place, 'a bare facet'),
      work: (/** @type {Target} */ target, /** @type {number} */ run) => turn(target, root, `r${run}`, 1),
    })),
    {
      figures: turnFigures(ALONE, 'a bare facet'),
      work: (/** @type {Target} */ target, /** @type {number} */ run) => turn(target, 'facet', `a${run}`, 0),
    },
    {
      figures: FLOOR,
      work: (/** @type {Target} */ target, /** @type {number} */ run) => target.ask(bare(`b${run}`, 1)),
    },
  ];
  for (let run = 0; run <= bench.rounds(RUNS); run++) {
    for (const { figures, work } of kinds) {
      for (const target of bench.inTurn(targets, run)) {
        const { ms, cpu } = await sampled(target, () => work(target, run));
        if (run === 0) continue;
        bench.record(target.side, run, figures.ms, ms);
        bench.record(target.side, run, figures.cpu, cpu);
      }
    }
  }
}

/** Begins many at once; how long each took, sorted. @param {(n: number) => Promise<unknown>} work */
async function atOnce(work) {
  const begun = performance.now();
  const times = await Promise.all(
    Array.from({ length: ROOTS }, async (_, n) => {
      await work(n);
      return performance.now() - begun;
    }),
  );
  return times.toSorted((one, other) => one - other);
}

/** @param {readonly number[]} sorted @param {number} part */
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;

/** @param {Bench} bench @param {readonly Target[]} targets */
async function loads(bench, targets) {
  for (const target of bench.inTurn(targets, 0)) {
    const record = (
      /** @type {ReturnType<typeof loadFigures>} */ { half, p99 },
      /** @type {readonly number[]} */ times,
    ) => {
      bench.record(target.side, 1, half, quantile(times, 0.5));
      bench.record(target.side, 1, p99, quantile(times, 0.99));
    };
    for (const [root, place] of Object.entries(WIDE)) {
      record(loadFigures(place, BARE), await atOnce((n) => turn(target, root, `l${n}`, EACH)));
    }
    record(loadFigures(BARE), await atOnce((n) => target.ask(bare(`l${n}`, EACH))));
  }
}

/** Measures each in a server of its own, so that the memory of one is not that of the other. @param {Bench} bench */
async function manyChildren(bench) {
  const kinds = [
    ...Object.entries(WIDE).map(([root, place]) => ({
      figures: manyFigures(place, BARE),
      work: (/** @type {Target} */ target, /** @type {string} */ name, /** @type {number} */ number) =>
        turn(target, root, name, number),
    })),
    {
      figures: manyFigures(BARE),
      work: (/** @type {Target} */ target, /** @type {string} */ name, /** @type {number} */ number) =>
        target.ask(bare(name, number)),
    },
  ];
  for (const { figures, work } of kinds) {
    await bench.withTargets(async (targets) => {
      for (const target of bench.inTurn(targets, 0)) {
        await work(target, 'warm', 1);
        const before = target.rss() ?? Number.NaN;
        const { ms, cpu } = await sampled(target, () => work(target, 'many', MANY));
        bench.record(target.side, 1, figures.ms, ms);
        bench.record(target.side, 1, figures.cpu, cpu / MANY);
        bench.record(target.side, 1, figures.memory, (target.rss() ?? Number.NaN) - before);
      }
    }, PLACED);
  }
}

const PLACED_FIGURES = [
  ...[...Object.values(PLACES), ALONE].map((place) => turnFigures(place, 'a bare facet')),
  FLOOR,
  ...[...Object.values(WIDE).map((place) => loadFigures(place, BARE)), loadFigures(BARE)],
  ...[...Object.values(WIDE).map((place) => manyFigures(place, BARE)), manyFigures(BARE)],
];

/** @type {import('../lib/bench.mjs').Section} */
export const placements = {
  what: 'a turn with one child by where it lives; 100 roots at once; 1,000 children of one root',
  minutes: 5,
  figures: PLACED_FIGURES.flatMap((figures) => Object.values(figures)),
  async measure(bench) {
    await bench.withTargets(
      (there) =>
        bench.withTargets(
          async (targets) => {
            await delegations(bench, targets);
            await loads(bench, targets);
          },
          PLACED,
          (side) => ({ THERE: there[side]?.url ?? '' }),
        ),
      PLACED,
    );
    await manyChildren(bench);
    bench.note(0, `Bare facets make the same tables and write ${ROWS} rows each, without any agent.`);
  },
};
