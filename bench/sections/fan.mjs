// Fan-out: children with two steps each, beside facets without Offshoot. Times are the client's; CPU is the runtime's.
import { setTimeout as delay } from 'node:timers/promises';
import { SETTLE_MS } from '../lib/rest.mjs';
import { rowsOfChild } from './rows.mjs';

/** Rounds; one more before them only warms the Worker up. */
const RUNS = 10;
const WIDTHS = [1, 10, 100, 500];
/** Trees that are wider take fewer rounds and fewer kinds. */
const OF_WIDE = 100;
/** Of the default limits: sub-agents at work at once. */
const AT_ONCE = 48;
/** Between two looks at a turn that is not over, in ms. */
const AGAIN_MS = 50;

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/target.mjs').Target} Target
 * @typedef {{ width: number, run: number, rows: number, server: number }} Turn
 *
 * @typedef {object} Kind
 * @property {string} name added to the number of children
 * @property {string} [floor] the name of the kind that does the least of the same
 * @property {(width: number) => boolean} [at] at which widths it is measured; default: up to 100
 * @property {(turn: Turn) => string} path that the client waits for
 */

/** @param {Turn} turn */
const nameOf = ({ width, run, server }) => `w${width}r${run}s${server}`;

/** @type {Readonly<Record<string, Kind>>} */
const KINDS = {
  user: {
    name: '',
    floor: 'bare',
    at: () => true,
    path: (turn) => `agents/team/${nameOf(turn)}/start`,
  },
  cold: {
    name: ' with an instant model',
    floor: 'bare',
    at: () => true,
    path: (turn) => `fan?name=${nameOf(turn)}&number=${turn.width}`,
  },
  warm: {
    name: ' with an instant model, of a root in memory',
    floor: 'warmBare',
    path: (turn) => `fan?name=${nameOf(turn)}&number=${turn.width}`,
  },
  queued: {
    name: ` with an instant model, ${AT_ONCE} at once`,
    floor: 'queuedBare',
    at: (width) => width === OF_WIDE,
    path: (turn) => `queue?name=${nameOf(turn)}&number=${turn.width}`,
  },
  sdk: {
    name: ", facets of the SDK's Agent",
    floor: 'bare',
    path: (turn) => `sdk?name=${nameOf(turn)}&number=${turn.width}&rows=${turn.rows}`,
  },
  bare: {
    name: ', bare facets',
    at: () => true,
    path: (turn) => `bare?name=${nameOf(turn)}&number=${turn.width}&rows=${turn.rows}`,
  },
  warmBare: {
    name: ', bare facets of an object in memory',
    path: (turn) => `bare?name=${nameOf(turn)}&first=${turn.width}&number=${turn.width}&rows=${turn.rows}`,
  },
  queuedBare: {
    name: `, bare facets, ${AT_ONCE} at once`,
    at: (width) => width === OF_WIDE,
    path: (turn) => `bare?name=queued${nameOf(turn)}&number=${turn.width}&rows=${turn.rows}&atOnce=${AT_ONCE}`,
  },
};

/** @param {string} kind @param {number} width @returns {{ ms: import('../lib/samples.mjs').Figure, cpu: import('../lib/samples.mjs').Figure }} */
function figuresOf(kind, width) {
  const { name = '', floor } = KINDS[kind] ?? {};
  const label = (/** @type {string} */ of) => `${width === 1 ? '1 child' : `${width} children`}${of}`;
  const below = floor === undefined ? undefined : label(KINDS[floor]?.name ?? '');
  const figure = (/** @type {string} */ what, /** @type {string} */ unit) => ({
    name: `${label(name)}: ${what}`,
    unit,
    ...(below === undefined ? {} : { floor: `${below}: ${what}` }),
  });
  return { ms: figure('time', 'ms'), cpu: figure('CPU for each', 'ms') };
}

/** @param {string} kind @param {number} width */
const isMeasured = (kind, width) => KINDS[kind]?.at?.(width) ?? width <= OF_WIDE;

/** @param {number} width */
const kindsAt = (width) => Object.keys(KINDS).filter((kind) => isMeasured(kind, width));

/** @param {unknown} document */
const statusOf = (document) => /** @type {{ status: string }} */ (document).status;

/** Runs a turn of `team` over HTTP to its end. @param {Target} target @param {string} path @param {number} width */
async function userTurn(target, path, width) {
  /** @type {unknown} */
  let answer = await target.post(path, { message: `${width}`, wait: true });
  // A start waits for less than a wide turn may take.
  for (; statusOf(answer) === 'running'; await delay(AGAIN_MS))
    answer = await target.ask(path.replace(/start$/, 'status'));
  if (statusOf(answer) !== 'completed') throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 500)}`);
}

/** @param {Target} target @param {string} kind @param {Turn} turn */
async function once(target, kind, turn) {
  const path = KINDS[kind]?.path(turn) ?? '';
  const before = target.cpu();
  const begun = performance.now();
  await (kind === 'user' ? userTurn(target, path, turn.width) : target.ask(path));
  const ms = performance.now() - begun;
  await delay(SETTLE_MS);
  return { ms, cpu: target.cpu() - before };
}

/**
 * All kinds and all checkouts take turns, so that whatever slows the machine slows all of them.
 * @param {Bench} bench @param {readonly Target[]} targets @param {number} rows
 */
async function turns(bench, targets, rows) {
  const runs = bench.rounds(RUNS);
  for (const width of WIDTHS) {
    const last = width > OF_WIDE ? Math.max(1, Math.round(runs / 3)) : runs;
    for (let run = 0; run <= last; run++) {
      for (const kind of kindsAt(width)) {
        for (const target of bench.inTurn(targets, run)) {
          const { ms, cpu } = await once(target, kind, { width, run, rows, server: bench.server });
          if (run === 0) continue;
          const figures = figuresOf(kind, width);
          bench.record(target.side, run, figures.ms, ms);
          bench.record(target.side, run, figures.cpu, cpu / width);
        }
      }
    }
  }
}

/** @type {import('../lib/bench.mjs').Section} */
export const fan = {
  what: 'a root that starts 1, 10, 100 or 500 children at once, to its end',
  minutes: 6,
  figures: WIDTHS.flatMap((width) => kindsAt(width).flatMap((kind) => Object.values(figuresOf(kind, width)))),
  async measure(bench) {
    const rows = await rowsOfChild(bench, 'team', 'Helper');
    await bench.withTargets((targets) => turns(bench, targets, rows));
    bench.note(0, 'A child takes two steps. Plain: over HTTP, a model of the AI SDK that streams five deltas a step.');
    bench.note(0, `Bare facets make the same tables and write ${rows} rows each. CPU has the share of the root.`);
  },
};
