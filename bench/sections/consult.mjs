// A companion that is asked again and again, beside a fresh child for each question and beside a bare facet that is called;
// then what a host of 10, 100 and 1,000 companions pays for a list, a status and a consult, and who is in memory.
import { setTimeout as delay } from 'node:timers/promises';
import { fixed, median, table } from '../lib/report.mjs';
import { rounds } from '../lib/rounds.mjs';
import { withTarget } from '../lib/target.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 8;
/** Questions of a round, one after the other. */
const QUESTIONS = 5;
/** Rows that a bare facet writes for each question: as many as a child of two steps. */
const ROWS = 14;
const HOSTS = [10, 100, 1_000];
/** Companions that one turn begins. */
const BATCH = 100;
/** What a turn leaves to be done goes on for less than this, in ms; it counts as its CPU. */
const SETTLE_MS = 100;
/** The platform drops what is idle for 10 s. */
const IDLE_MS = 12_000;
/** Between two questions to one companion while the others are idle, in ms. */
const ASK_MS = 500;

/** @typedef {import('../lib/target.mjs').Target} Target */
/** @typedef {{ ms: number, cpu: number }} Sample for each question */

/** One question, by the path of a round of them. @type {Readonly<Record<string, (run: number) => string>>} */
const KINDS = {
  'a consult': () => `host?name=one&number=-3&times=${QUESTIONS}`,
  'a fresh child': () => `fan?name=one&number=1&times=${QUESTIONS}`,
  'a turn without a child': () => `host?name=one&number=0&times=${QUESTIONS}`,
  'a bare facet that is there': () => `again?name=bare&times=${QUESTIONS}&rows=${ROWS}`,
  'a bare facet for each': (run) => `bare?name=bare&first=${1 + run * QUESTIONS}&number=${QUESTIONS}&rows=${ROWS}`,
};

/** What a host does with the companions that it has. @type {Readonly<Record<string, number>>} */
const ACTS = { list: -1, status: -2, consult: -3 };

/** @param {Target} target @param {string} path @returns {Promise<Sample>} */
async function once(target, path) {
  const before = target.cpu();
  const ms = await target.time(path);
  await delay(SETTLE_MS);
  return { ms: ms / QUESTIONS, cpu: (target.cpu() - before) / QUESTIONS };
}

/**
 * All take turns, so that whatever slows the machine slows all of them.
 * @param {Target} target @param {Readonly<Record<string, (run: number) => string>>} paths
 */
async function inTurns(target, paths) {
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(Object.keys(paths).map((name) => [name, []]));
  for (let run = 0; run <= rounds(RUNS); run++) {
    for (const [name, path] of Object.entries(paths)) {
      const sample = await once(target, path(run));
      if (run > 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

/** How many companions were made anew after they had been idle, while one of them was asked. @param {Target} target @param {number} size */
async function leftMemory(target, size) {
  for (const begun = Date.now(); Date.now() - begun < IDLE_MS; await delay(ASK_MS)) {
    await target.ask(`host?name=h${size}&number=-3`);
  }
  const before = (await target.facts()).made.Kid ?? 0;
  await target.ask(`host?name=h${size}&verb=touch`);
  return ((await target.facts()).made.Kid ?? 0) - before;
}

/** @param {Target} target */
async function measure(target) {
  await target.ask('host?name=one&number=1');
  await target.ask(`bare?name=bare&first=0&number=1&rows=${ROWS}`);
  const questions = await inTurns(target, KINDS);
  for (const size of HOSTS) {
    for (let begun = 0; begun < size; begun += BATCH)
      await target.ask(`host?name=h${size}&number=${Math.min(BATCH, size)}`);
  }
  /** @type {Record<string, () => string>} */
  const paths = {};
  for (const [act, number] of Object.entries(ACTS)) {
    for (const size of HOSTS) paths[`${act} ${size}`] = () => `host?name=h${size}&number=${number}&times=${QUESTIONS}`;
  }
  const hosts = await inTurns(target, paths);
  const [most = 0] = HOSTS.slice(-1);
  return { questions, hosts, most, left: await leftMemory(target, most) };
}

/** @param {readonly Sample[]} samples @param {keyof Sample} key */
const all = (samples, key) => samples.map((sample) => sample[key]);

export async function consult() {
  const { questions, hosts, most, left } = await withTarget(measure);
  const fresh = questions.get('a fresh child') ?? [];
  table(
    `A question, ${rounds(RUNS)} rounds of ${QUESTIONS}, in ms; two steps of the child, two of its parent`,
    ['what', 'median', 'least', 'of a fresh child', 'CPU', 'least CPU', 'CPU of a fresh child'],
    [...questions].map(([name, samples]) => {
      const [ms, cpu] = [all(samples, 'ms'), all(samples, 'cpu')];
      return [
        name,
        fixed(median(ms)),
        fixed(Math.min(...ms)),
        fixed(median(ms) / median(all(fresh, 'ms')), 2),
        fixed(median(cpu)),
        fixed(Math.min(...cpu)),
        fixed(median(cpu) / median(all(fresh, 'cpu')), 2),
      ];
    }),
    [`Bare facets write ${ROWS} rows for each question, without any agent.`],
  );
  const [few = 0] = HOSTS;
  table(
    `A turn of a host with so many companions, ${rounds(RUNS)} rounds of ${QUESTIONS}, in ms`,
    ['what', 'companions', 'median', 'least', `of ${few}`, 'CPU', `CPU of ${few}`],
    Object.keys(ACTS).flatMap((act) =>
      HOSTS.map((size) => {
        const samples = hosts.get(`${act} ${size}`) ?? [];
        const base = hosts.get(`${act} ${few}`) ?? [];
        const [ms, cpu] = [all(samples, 'ms'), all(samples, 'cpu')];
        return [
          act,
          String(size),
          fixed(median(ms)),
          fixed(Math.min(...ms)),
          fixed(median(ms) / median(all(base, 'ms')), 2),
          fixed(median(cpu)),
          fixed(median(cpu) / median(all(base, 'cpu')), 2),
        ];
      }),
    ),
    [
      `${left} of ${most} companions had left memory ${IDLE_MS / 1_000} s after their last task, while their parent asked one of them again and again.`,
    ],
  );
}
