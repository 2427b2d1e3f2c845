// The esbuild that wrangler finds in this process, for bundles that are kept: it makes no maps, which nobody would read,
// and bundles Workers together where they are asked for together, so that what they share is parsed once.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { root } from '../paths.mjs';

/** @typedef {import('esbuild').BuildOptions} Options */
/** @typedef {import('esbuild').BuildResult} Result */
/** @typedef {{ options: Options } & PromiseWithResolvers<Result>} Asked */

const require = createRequire(createRequire(import.meta.url).resolve('wrangler'));

/** @type {typeof import('esbuild')} */
const esbuild = require('esbuild');

/** Workers that have still to ask, of those that are bundled together; 0 outside. */
let expected = 0;
/** @type {Asked[]} */
let waiting = [];

/** The options that each Worker has of its own. All others are the same for those that are bundled in one go. */
const OWN = new Set(['entryPoints', 'entryNames', 'outdir', 'absWorkingDir', 'sourceRoot']);

/** @param {Options} options */
const kindOf = (options) => JSON.stringify(options, (key, value) => (OWN.has(key) ? undefined : value));

/** The one entry of a Worker. @param {Options} options */
const entryOf = ({ entryPoints }) => (Array.isArray(entryPoints) ? String(entryPoints[0]) : '');

/**
 * Bundles Workers of one kind, each where it wants its own.
 * @param {Asked[]} all
 */
async function buildKind(all) {
  const [{ sourceRoot: _, ...shared } = {}] = all.map(({ options }) => options);
  const { outputFiles, metafile } = await esbuild.build({
    ...shared,
    entryPoints: all.map(({ options }, at) => ({ in: entryOf(options), out: String(at) })),
    entryNames: '[name]',
    outdir: root,
    absWorkingDir: root,
    sourcemap: false,
    metafile: /** @type {const} */ (true),
    write: /** @type {const} */ (false),
  });
  for (const [at, { options, resolve }] of all.entries()) {
    const name = `${at}.js`;
    const output = metafile.outputs[name];
    const file = join(options.outdir ?? '', `${options.entryNames}.js`);
    if (output === undefined) throw new Error(`esbuild has not bundled ${entryOf(options)}.`);
    const beside = output.imports.find(({ path, external }) => external && path.startsWith('.'));
    // The plugins of the first Worker list it as a module of that one.
    if (beside !== undefined) throw new Error(`Bundle ${entryOf(options)} by itself: it has ${beside.path} beside it.`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, outputFiles.find(({ path }) => path === join(root, name))?.contents ?? '');
    const outputs = { [relative(options.absWorkingDir ?? '', file)]: output };
    resolve({
      errors: [],
      warnings: [],
      metafile: { inputs: metafile.inputs, outputs },
      outputFiles: [],
      mangleCache: {},
    });
  }
}

/** Bundles all that wait, once nobody else is expected. */
function buildWaiting() {
  if (expected > 0) return;
  const kinds = Map.groupBy(waiting, ({ options }) => kindOf(options));
  waiting = [];
  for (const all of kinds.values())
    buildKind(all).catch((error) => {
      for (const { reject } of all) reject(error);
    });
}

/** Esbuild's own `build`, as wrangler calls it. @param {Options} options @returns {Promise<Result>} */
export function build(options) {
  // Without a bundle it is asked what a module exports.
  if (!options.bundle) return esbuild.build(options);
  if (expected === 0) return esbuild.build({ ...options, sourcemap: false });
  /** @type {PromiseWithResolvers<Result>} */
  const answer = Promise.withResolvers();
  waiting.push({ options, ...answer });
  expected -= 1;
  buildWaiting();
  return answer.promise;
}

/** Gives it to wrangler, which is not read yet. */
export function giveEsbuild() {
  const kept = require.cache[require.resolve('esbuild')];
  if (kept !== undefined && kept.exports === esbuild) kept.exports = { ...esbuild, build };
}

/**
 * Bundles Workers together.
 * @param {(() => Promise<unknown>)[]} each has wrangler bundle one of them, once
 * @throws what one of them throws, when all have ended
 */
export async function together(each) {
  expected = each.length;
  const ends = await Promise.allSettled(
    each.map((bundle) =>
      bundle().finally(() => {
        // Others are still expected, so what was asked for has no answer yet: this one has ended without a request.
        if (expected === 0) return;
        expected -= 1;
        buildWaiting();
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
