// What a run prints and writes of its samples.
import { fixed, median, table } from './report.mjs';
import { BESIDE, HERE } from './samples.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */

/** @param {number} value */
const short = (value) => fixed(value, Math.abs(value) < 10 ? 2 : Math.abs(value) < 1_000 ? 1 : 0);

/** The figures of one checkout, each beside its floor. @param {string} title @param {Bench} bench */
function aloneTable(title, { samples, notes }) {
  const floors = new Set(samples.figures().map(({ floor }) => floor));
  const rows = samples
    .figures()
    .filter(({ name, floor }) => floor !== undefined || !floors.has(name))
    .map(({ name, unit, floor = '' }) => {
      const [all, least] = [samples.of(name), samples.of(floor)];
      const beside = least.length > 0;
      return [
        name,
        unit,
        short(median(all)),
        short(Math.min(...all)),
        beside ? short(median(least)) : '-',
        beside ? fixed(median(all) / median(least), 2) : '-',
        beside ? fixed(Math.min(...all) / Math.min(...least), 2) : '-',
        beside ? floor : '',
      ];
    });
  table(title, ['figure', 'unit', 'median', 'least', 'beside', 'ratio', 'of least', 'what is beside'], rows, [
    ...notes,
  ]);
}

/** The figures of two checkouts, floors too: what those differ by is noise. @param {string} title @param {Bench} bench */
function pairedTable(title, { samples, notes }) {
  const rows = samples.figures().map(({ name, unit }) => {
    const [here, beside] = [samples.of(name, HERE), samples.of(name, BESIDE)];
    const compared = samples.compared(name);
    return [
      name,
      unit,
      short(median(here)),
      short(Math.min(...here)),
      short(median(beside)),
      short(Math.min(...beside)),
      compared ? fixed(compared.ratio, 2) : '-',
      compared ? `${fixed(compared.least, 2)} to ${fixed(compared.most, 2)}` : '-',
      compared ? compared.servers.map((ratio) => fixed(ratio, 2)).join(' ') : '-',
    ];
  });
  table(
    title,
    ['figure', 'unit', 'here', 'least', 'beside', 'least', 'here / beside', 'from, to', 'by pair of servers'],
    rows,
    [...notes],
  );
}

/** @param {string} title @param {Bench} bench */
export function printFigures(title, bench) {
  if (bench.checkouts.length > 1) pairedTable(title, bench);
  else aloneTable(title, bench);
}

/** A section as `--json` writes it. @param {string} section @param {Bench} bench */
export function asJson(section, { samples }) {
  return {
    section,
    figures: samples.figures().map((figure) => ({ ...figure, samples: samples.samples(figure.name) })),
  };
}
