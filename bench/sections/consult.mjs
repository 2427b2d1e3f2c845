// A companion that is asked again and again, beside a new child for each question and beside bare facets that are called;
// then what a host of 10, 100 and 1,000 companions pays for a list, a status and a question to one, and who is in memory.
import { setTimeout as delay } from 'node:timers/promises';
import { SETTLE_MS } from '../lib/rest.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 8;
/** Questions of a round, one after the other. */
const QUESTIONS = 5;
/** Rows that a bare facet writes for each question: as many as a child of two steps. */
const ROWS = 14;
const HOSTS = [10, 100, 1_000];
const [MOST = 0] = HOSTS.slice(-1);
/** Companions that one turn begins. */
const BATCH = 100;
/** The platform drops what is idle for 10 s. */
const IDLE_MS = 12_000;
/** Between two questions to one companion while the others are idle, in ms. */
const ASK_MS = 500;

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/samples.mjs').Figure} Figure
 * @typedef {import('../lib/target.mjs').Target} Target
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {string} [floor] the name of another kind
 * @property {(round: number) => string} path of a round of questions
 */

/** @type {readonly Kind[]} */
const QUESTIONED = [
  {
    name: 'a question to a companion',
    floor: 'a call of a bare facet in memory',
    path: () => `host?name=one&number=-3&times=${QUESTIONS}`,
  },
  {
    name: 'a question to a new child',
    floor: 'a call of a new bare facet',
    path: () => `fan?name=one&number=1&times=${QUESTIONS}`,
  },
  {
    name: 'a turn without children',
    floor: 'a call of a bare facet in memory',
    path: () => `host?name=one&number=0&times=${QUESTIONS}`,
  },
  { name: 'a call of a bare facet in memory', path: () => `again?name=bare&times=${QUESTIONS}&rows=${ROWS}` },
  {
    name: 'a call of a new bare facet',
    // One after the other, as the questions are.
    path: (round) => `bare?name=bare&first=${1 + round * QUESTIONS}&number=${QUESTIONS}&rows=${ROWS}&atOnce=1`,
  },
];

const LIST = -1;
/** What a host does with the companions that it has. @type {Readonly<Record<string, number>>} */
const ACTS = { 'a list of 50': LIST, 'a status': -2, 'a question to one': -3 };

/** @param {string} act @param {number} size */
const nameOf = (act, size) => `${act} of ${size} companions`;

/** @type {readonly Kind[]} */
const HOSTED = Object.entries(ACTS).flatMap(([act, number]) =>
  // A list of 10 has a fifth of the lines of one of 50, so the one of 100 is what that of 1,000 stands beside.
  (number === LIST ? HOSTS.slice(1) : HOSTS).map((size, at, [least = 0]) => ({
    name: nameOf(act, size),
    ...(at === 0 ? {} : { floor: nameOf(act, least) }),
    path: () => `host?name=h${size}&number=${number}&times=${QUESTIONS}`,
  })),
);

/** @param {Kind} kind @returns {{ ms: Figure, cpu: Figure }} */
function figuresOf({ name, floor }) {
  const figure = (/** @type {string} */ what) => ({
    name: `${name}: ${what}`,
    unit: 'ms',
    ...(floor === undefined ? {} : { floor: `${floor}: ${what}` }),
  });
  return { ms: figure('time'), cpu: figure('CPU') };
}

/** @type {Figure} */
const OUT = {
  name: `${MOST} companions, one of them asked: evicted after ${IDLE_MS / 1_000} s`,
  unit: 'companions',
};

/** @param {Target} target @param {string} path */
async function once(target, path) {
  const before = target.cpu();
  const ms = await target.time(path);
  await delay(SETTLE_MS);
  return { ms: ms / QUESTIONS, cpu: (target.cpu() - before) / QUESTIONS };
}

/**
 * All kinds and all checkouts take turns, so that whatever slows the machine slows all of them.
 * @param {Bench} bench @param {readonly Target[]} targets @param {readonly Kind[]} kinds
 */
async function inTurns(bench, targets, kinds) {
  for (let round = 0; round <= bench.rounds(RUNS); round++) {
    for (const kind of kinds) {
      for (const target of bench.inTurn(targets, round)) {
        const { ms, cpu } = await once(target, kind.path(round));
        if (round === 0) continue;
        const figures = figuresOf(kind);
        bench.record(target.side, round, figures.ms, ms);
        bench.record(target.side, round, figures.cpu, cpu);
      }
    }
  }
}

/** Counts the companions that were made anew after they had been idle, while one of them was asked. @param {Target} target */
async function outOfMemory(target) {
  for (const begun = Date.now(); Date.now() - begun < IDLE_MS; await delay(ASK_MS)) {
    await target.ask(`host?name=h${MOST}&number=-3`);
  }
  const before = (await target.facts()).made.Kid ?? 0;
  await target.ask(`host?name=h${MOST}&verb=touch`);
  return ((await target.facts()).made.Kid ?? 0) - before;
}

/** @param {Target} target */
async function prepare(target) {
  await target.ask('host?name=one&number=1');
  await target.ask(`bare?name=bare&first=0&number=1&rows=${ROWS}`);
  for (const size of HOSTS) {
    for (let begun = 0; begun < size; begun += BATCH)
      await target.ask(`host?name=h${size}&number=${Math.min(BATCH, size)}`);
  }
}

/** @type {import('../lib/bench.mjs').Section} */
export const consult = {
  what: 'a question to a companion and to a new child; turns of parents with 10, 100 and 1,000 companions',
  minutes: 4,
  figures: [...[...QUESTIONED, ...HOSTED].flatMap((kind) => Object.values(figuresOf(kind))), OUT],
  measure: (bench) =>
    bench.withTargets(async (targets) => {
      for (const target of targets) await prepare(target);
      await inTurns(bench, targets, QUESTIONED);
      await inTurns(bench, targets, HOSTED);
      for (const target of targets) bench.record(target.side, 1, OUT, await outOfMemory(target));
      bench.note(
        0,
        `A round has ${QUESTIONS} questions, one after the other; companion and parent take two steps each.`,
      );
      bench.note(0, `Bare facets write ${ROWS} rows for each question, without any agent.`);
    }),
};
