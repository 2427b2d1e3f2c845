// What an app and a page have to carry. These figures do not depend on the machine.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled, PAGES, pageKib } from '../../scripts/lib/app.mjs';
import { appOf } from '../lib/app.mjs';

/** The classes of the smallest app, of the SDK alone. */
const SDK = `import { Agent } from 'agents';
export class Timekeeper extends Agent {}
export class OffshootDirectory extends Agent {}
export default { fetch: () => new Response('ok') };
`;
const FLOOR = { name: "an app of the SDK's Agent alone, after gzip", unit: 'KiB' };
const APP = { name: 'the smallest app, after gzip', unit: 'KiB', floor: FLOOR.name };
const PAGE_FIGURES = {
  client: { name: 'a page with offshoot/client, after gzip', unit: 'KiB' },
  protocol: { name: 'a page with offshoot/protocol, after gzip', unit: 'KiB' },
  react: { name: 'a page with offshoot/react, without React, after gzip', unit: 'KiB' },
};

/** @type {import('../lib/bench.mjs').Section} */
export const size = {
  what: 'the smallest app and the smallest pages, as they are uploaded; the same on every machine',
  minutes: 1,
  figures: [APP, FLOOR, ...Object.values(PAGE_FIGURES)],
  async measure(bench) {
    for (const [side, checkout] of bench.checkouts.entries()) {
      const { folder, gzipKib, packages, remove } = await appOf(checkout, side);
      try {
        bench.record(side, 1, APP, gzipKib);
        const parts = packages.slice(0, 6).map(([name, bytes]) => `${name} ${(bytes / 1024).toFixed(0)}`);
        bench.note(side, `Of the smallest app before gzip, in KiB: ${parts.join(', ')}`);
        for (const name of /** @type {const} */ (['client', 'protocol', 'react']))
          bench.record(side, 1, PAGE_FIGURES[name], await pageKib(folder, PAGES[name]));
        writeFileSync(join(folder, 'src', 'index.ts'), SDK);
        bench.record(side, 1, FLOOR, (await bundled(folder)).gzipKib);
      } finally {
        remove();
      }
    }
  },
};
