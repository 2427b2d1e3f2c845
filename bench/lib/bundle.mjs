// The benchmark's Workers, each bundled once for all sections: an edit during a run does not change what is measured.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';

/**
 * @typedef {object} Bundle
 * @property {string} config the wrangler configuration that serves it
 * @property {string[]} modules which module each line of the bundle belongs to
 */

/** The wrangler configuration of most sections. */
export const INSTANT = 'wrangler.jsonc';
/** The one of the Worker whose trees are stopped. */
export const STOPPED = 'stop.wrangler.jsonc';
/** The one of the Worker whose children live in each placement. */
export const PLACED = 'placed.wrangler.jsonc';

/** @type {Map<string, Promise<Bundle>>} */
const bundled = new Map();

/**
 * @param {string} name a wrangler configuration in the folder `bench`
 * @param {import('./checkouts.mjs').Checkout} checkout
 * @returns {Promise<Bundle>} the same each time
 */
export function bundle(name, checkout) {
  const source = join(checkout.root, 'bench', name);
  const known = bundled.get(source) ?? build(source, checkout.root, mkdtempSync(join(tmpdir(), 'offshoot-bundle-')));
  bundled.set(source, known);
  return known;
}

/** @param {string} source @param {string} cwd @param {string} folder @returns {Promise<Bundle>} */
async function build(source, cwd, folder) {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const args = ['deploy', '--dry-run', '--config', source, '--outdir', folder];
  const { code, output } = await runTool('wrangler', args, { env: QUIET_ENV, cwd });
  if (code !== 0) throw new Error(output);
  const config = join(folder, 'wrangler.jsonc');
  const text = readFileSync(source, 'utf8');
  const main = /"main": "(.+)\.ts"/.exec(text)?.[1] ?? '';
  writeFileSync(config, text.replace(`"main": "${main}.ts"`, `"main": "${main}.js", "no_bundle": true`));
  return { config, modules: modulesOf(readFileSync(join(folder, `${main}.js`), 'utf8')) };
}

/** The bundler names each module in a comment before it. @param {string} code */
function modulesOf(code) {
  let module = '';
  return code.split('\n').map((line) => {
    module = /^\/\/ ((?:\S*\/)?(?:node_modules|src|bench)\/\S+|\S+\.ts)$/.exec(line)?.[1] ?? module;
    return module;
  });
}
