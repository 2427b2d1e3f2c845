// Twenty agents that stream at once, and one alone, through the doors: bytes and CPU of each chunk beside our own stream.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROUNDS = 7;
const PIECES = 5_000;
const CASES = [
  { who: '20 children streaming', children: 20 },
  { who: 'one agent streaming', children: 0 },
];
/** Readers; our own stream is the floor of the others. */
const READERS = /** @type {const} */ ([
  ['own', 'our own stream'],
  ['agui', 'AG-UI'],
  ['chat', 'a chat'],
  ['chatWithout', 'a chat without snapshots'],
]);
const FACTS = /** @type {const} */ ([
  ['bytes', 'bytes for each chunk', 'B', 1],
  ['ms', 'CPU for each chunk', 'µs', 1_000],
]);

/** @param {string} who @param {string} what @param {string} reader */
const nameOf = (who, what, reader) => `${who}, ${reader}: ${what}`;

const FIGURES = CASES.flatMap(({ who, children }) =>
  FACTS.flatMap(([fact, what, unit, factor]) =>
    READERS.filter(([key]) => children > 0 || key !== 'chatWithout').map(([key, reader]) => ({
      ...{ key, fact, children, factor },
      figure: {
        ...{ name: nameOf(who, what, reader), unit },
        ...(key === 'own' ? {} : { floor: nameOf(who, what, READERS[0][1]) }),
      },
    })),
  ),
);

/** @param {import('../lib/checkouts.mjs').Checkout} checkout @param {string} folder */
async function loaded(checkout, folder) {
  const { build } = await import('esbuild');
  const outfile = join(folder, 'doors.mjs');
  const entryPoints = [join(checkout.root, 'bench', 'doors.ts')];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node22' });
  /** @type {typeof import('../doors')} */
  const module = await import(pathToFileURL(outfile).href);
  return module.measured;
}

/** @type {import('../lib/bench.mjs').Section} */
export const doors = {
  what: `${PIECES} pieces of text through the doors of chats and AG-UI, beside our own stream, each with its reader`,
  minutes: 1,
  figures: FIGURES.map(({ figure }) => figure),
  async measure(bench) {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-doors-'));
    try {
      for (const [side, checkout] of bench.checkouts.entries()) {
        const measured = await loaded(checkout, folder);
        for (const { children } of CASES) {
          // The first round only warms up.
          for (let round = 0; round <= bench.rounds(ROUNDS); round++) {
            const found = await measured(children, PIECES);
            if (round === 0) continue;
            for (const { key, fact, figure, factor, ...of } of FIGURES)
              if (of.children === children)
                bench.record(side, round, figure, (found[key][fact] * factor) / found.chunks);
          }
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
