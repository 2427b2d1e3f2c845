// Fan-out: children with two steps each, beside facets without Offshoot. Times are the client's; CPU is the runtime's.
import { setTimeout as delay } from 'node:timers/promises';
import { fixed, median, table } from '../lib/report.mjs';
import { rounds } from '../lib/rounds.mjs';
import { withTarget } from '../lib/target.mjs';
import { rowsOfChild } from './rows.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 10;
const WIDTHS = [1, 10, 100, 500];
/** What wider trees are asked for. */
const OF_WIDE = 100;
/** What a turn leaves to be done goes on for less than this, in ms; it counts as its CPU. */
const SETTLE_MS = 100;

/** Between two looks at a turn that is not over, in ms. */
const AGAIN_MS = 50;

/** What is measured. */
const KINDS = /** @type {const} */ (['user', 'cold', 'warm', 'queued', 'floor', 'bare', 'sdk']);

/** @typedef {typeof KINDS[number]} Kind */
/** @typedef {import('../lib/target.mjs').Target} Target */
/** @typedef {{ ms: number, cpu: number }} Sample */

/** @type {readonly Kind[]} */
const OF_WIDEST = ['user', 'cold', 'floor', 'bare'];

/** The path that the client waits for. @param {Kind} kind @param {number} width @param {number} run @param {number} rows */
function pathOf(kind, width, run, rows) {
  const name = `w${width}r${run}`;
  switch (kind) {
    case 'user':
      return `agents/team/${name}/start`;
    case 'cold':
    case 'warm':
      return `fan?name=${name}&number=${width}`;
    case 'queued':
      return `queue?name=${name}&number=${width}`;
    case 'floor':
      return `bare?name=${name}&number=${width}&rows=${rows}`;
    case 'bare':
      return `bare?name=two${name}&number=${width}&rows=2`;
    case 'sdk':
      return `sdk?name=${name}&number=${width}&rows=${rows}`;
  }
}

/** @param {unknown} document */
const statusOf = (document) => /** @type {{ status: string }} */ (document).status;

/** @param {Target} target @param {Kind} kind @param {string} path @param {number} width @returns {Promise<Sample>} */
async function once(target, kind, path, width) {
  const before = target.cpu();
  const begun = performance.now();
  if (kind === 'user') {
    /** @type {unknown} */
    let answer = await target.post(path, { message: `${width}`, wait: true });
    // Longer than a start waits.
    for (; statusOf(answer) === 'running'; await delay(AGAIN_MS))
      answer = await target.ask(path.replace(/start$/, 'status'));
    if (statusOf(answer) !== 'completed') throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 500)}`);
  } else await target.ask(path);
  const ms = performance.now() - begun;
  await delay(SETTLE_MS);
  return { ms, cpu: target.cpu() - before };
}

/**
 * All kinds take turns, so that whatever slows the machine slows all of them.
 * @param {Target} target
 * @param {number} rows
 */
async function measure(target, rows) {
  const runs = rounds(RUNS);
  /** @type {Map<string, Sample[]>} */
  const samples = new Map();
  for (const width of WIDTHS) {
    const wide = width > OF_WIDE;
    for (let run = 0; run <= (wide ? Math.max(1, Math.round(runs / 3)) : runs); run++) {
      for (const kind of wide ? OF_WIDEST : KINDS) {
        const sample = await once(target, kind, pathOf(kind, width, run, rows), width);
        if (run > 0) samples.set(`${kind} ${width}`, [...(samples.get(`${kind} ${width}`) ?? []), sample]);
      }
    }
  }
  return (/** @type {Kind} */ kind, /** @type {number} */ width) => samples.get(`${kind} ${width}`) ?? [];
}

/** @type {Readonly<Record<Kind, string>>} */
const NAMES = {
  user: 'a user, over HTTP',
  cold: 'cold',
  warm: 'warm',
  queued: 'default limits',
  floor: 'bare facets, its rows',
  bare: 'bare facets, 2 rows',
  sdk: 'facets of the SDK',
};

export async function fan() {
  const rows = await rowsOfChild('team', 'Helper');
  const of = await withTarget((target) => measure(target, rows));
  for (const width of WIDTHS) {
    /** @param {Kind} kind @param {keyof Sample} key */
    const all = (kind, key) => of(kind, width).map((sample) => sample[key]);
    const kinds = KINDS.filter((kind) => of(kind, width).length > 0);
    const floor = { ms: all('floor', 'ms'), cpu: all('floor', 'cpu') };
    table(
      `Fan-out of ${width}, ${of('user', width).length} runs, in ms`,
      ['what', 'median', 'least', 'of floor', 'least of least', 'each', 'CPU', 'CPU, each', 'CPU of floor'],
      kinds.map((kind) => {
        const [ms, cpu] = [all(kind, 'ms'), all(kind, 'cpu')];
        return [
          NAMES[kind],
          fixed(median(ms)),
          fixed(Math.min(...ms)),
          fixed(median(ms) / median(floor.ms), 2),
          fixed(Math.min(...ms) / Math.min(...floor.ms), 2),
          fixed(median(ms) / width),
          fixed(median(cpu)),
          fixed(median(cpu) / width),
          fixed(median(cpu) / median(floor.cpu), 2),
        ];
      }),
      width < 500
        ? []
        : [
            'a user: start to end over HTTP; models of the AI SDK that stream five deltas a step, two steps for each child.',
            'cold: the same with a model that answers at once, through a port of its own; warm: the same root again.',
            'default limits: as cold, with at most 48 at once and the others in the queue.',
            `bare facets: they make the same tables and write ${rows} rows, or 2; SDK: the same with facets of \`Agent\`.`,
            `The floor is bare facets with ${rows} rows. CPU: of the runtime, with what a turn leaves to be done.`,
          ],
    );
  }
}
