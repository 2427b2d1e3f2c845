// Bundles of Workers that one start makes and later starts take: half of a start is the making. A folder of bundles is
// of one run of the tests, in which no source changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A module beside the entry: a text, say.
 * @typedef {{ name: string, type?: string }} KeptModule
 *
 * What wrangler says of a bundle.
 * @typedef {{ entrypointSource: string, modules: (KeptModule & { content: string | Uint8Array })[] }} Bundle
 */

const WORKER = 'worker.js';
/** wrangler parses the entry to see what kind of Worker it is: it is one line, and the bundle a module beside it. */
const ENTRY = 'entry.js';
const ENTRY_SOURCE = `export * from './${WORKER}';\nexport { default } from './${WORKER}';\n`;
const MODULES = 'modules.json';

/**
 * The place of a Worker's bundle.
 * @param {string} bundles the folder of all
 * @param {string} config of the Worker
 */
export const bundlePlace = (bundles, config) =>
  join(bundles, createHash('sha256').update(config).digest('hex').slice(0, 16));

/**
 * Keeps a bundle. Of two starts that keep the same one, the first does.
 * @param {string} place @param {Bundle} bundle
 */
export function keepBundle(place, { entrypointSource, modules }) {
  const made = `${place}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, ENTRY), ENTRY_SOURCE);
  const all = [{ name: WORKER, type: 'esm', content: entrypointSource }, ...modules];
  for (const { name, content } of all) {
    const file = join(made, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  writeFileSync(join(made, MODULES), JSON.stringify(all.map(({ name, type }) => ({ name, type }))));
  try {
    renameSync(made, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(made, { recursive: true });
  }
}

/**
 * What wrangler is given to take a bundle as it is.
 * @param {string} place
 * @returns undefined where none is kept
 */
export function keptBundle(place) {
  if (!existsSync(place)) return undefined;
  /** @type {KeptModule[]} */
  const modules = JSON.parse(readFileSync(join(place, MODULES), 'utf8'));
  return {
    entrypoint: join(place, ENTRY),
    build: {
      bundle: false,
      findAdditionalModules: false,
      additionalModules: modules.map(({ name, type }) => ({
        name,
        type,
        filePath: join(place, name),
        content: readFileSync(join(place, name)),
      })),
      // What the configuration runs before a build.
      custom: { command: '' },
    },
  };
}
