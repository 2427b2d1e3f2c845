// Fan-out: children with two steps each, beside facets without Offshoot, timed by the client.
import { fixed, median, table } from '../lib/report.mjs';
import { withTarget } from '../lib/target.mjs';
import { rowsOfChild } from './rows.mjs';

const RUNS = 10;
const WIDTHS = [1, 10, 100];

/** What is timed, each by the path that it asks for. */
const KINDS = /** @type {const} */ (['cold', 'warm', 'queued', 'floor', 'sdk']);

/** @typedef {typeof KINDS[number]} Kind */

/** @param {Kind} kind @param {number} width @param {number} run @param {number} rows */
function pathOf(kind, width, run, rows) {
  const name = `w${width}r${run}`;
  switch (kind) {
    case 'cold':
    case 'warm':
      return `fan?name=${name}&number=${width}`;
    case 'queued':
      return `queue?name=${name}&number=${width}`;
    case 'floor':
      return `bare?name=${name}&number=${width}&rows=${rows}`;
    case 'sdk':
      return `sdk?name=${name}&number=${width}&rows=${rows}`;
  }
}

/**
 * All kinds take turns, so that whatever slows the machine slows all of them.
 * @param {import('../lib/target.mjs').Target} target
 * @param {number} rows
 */
async function measure(target, rows) {
  /** @type {Map<string, number[]>} */
  const times = new Map();
  for (const width of WIDTHS) {
    for (let run = 0; run <= RUNS; run++) {
      for (const kind of KINDS) {
        const ms = await target.time(pathOf(kind, width, run, rows));
        // The first round only warms the Worker up.
        if (run > 0) times.set(`${kind} ${width}`, [...(times.get(`${kind} ${width}`) ?? []), ms]);
      }
    }
  }
  return (/** @type {Kind} */ kind, /** @type {number} */ width) => median(times.get(`${kind} ${width}`) ?? []);
}

export async function fan() {
  const rows = await rowsOfChild();
  const of = await withTarget((target) => measure(target, rows));
  table(
    `Fan-out, medians of ${RUNS} runs in ms`,
    [
      'children',
      'cold',
      'warm',
      'default limits',
      'floor',
      'cold / floor',
      'warm / floor',
      'cold, each',
      'floor, each',
      'SDK facets',
    ],
    WIDTHS.map((width) => [
      String(width),
      fixed(of('cold', width)),
      fixed(of('warm', width)),
      fixed(of('queued', width)),
      fixed(of('floor', width)),
      fixed(of('cold', width) / of('floor', width), 2),
      fixed(of('warm', width) / of('floor', width), 2),
      fixed(of('cold', width) / width),
      fixed(of('floor', width) / width),
      fixed(of('sdk', width)),
    ]),
    [
      'cold: a new root with new children; warm: the same root again, with new children; each child has two steps.',
      'default limits: as cold, with at most 48 at once and the others in the queue.',
      `floor: bare facets that make the same tables and write ${rows} rows; SDK facets: the same with facets of \`Agent\`.`,
    ],
  );
}
