// The app that the pages describe, as somebody makes it who copies: the README's program with the configurations of
// docs/guides/deploy.md and the tests of docs/guides/test.md.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { UserError } from './fail.mjs';
import { builtPackage } from './package-build.mjs';
import { root, wranglerCli } from './paths.mjs';
import { runNode } from './processes.mjs';
import { QUIET_ENV } from './quiet.mjs';

/** @param {string} page @param {string} language @returns {string[]} the fenced blocks of a language on a page */
export function fenced(page, language) {
  const text = readFileSync(join(root, page), 'utf8').replaceAll('\r\n', '\n');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
  if (blocks.length === 0) throw new Error(`${page} has no block of ${language}.`);
  return blocks;
}

/**
 * The files of the app by their paths. Programs of docs/guides/test.md have a name in their first line.
 * @returns {Map<string, string>}
 */
export function appFiles() {
  const [program = ''] = fenced('README.md', 'ts');
  const [configuration = ''] = fenced('docs/guides/deploy.md', 'jsonc');
  const [types = ''] = fenced('docs/guides/deploy.md', 'json');
  const files = new Map([
    ['src/index.ts', program],
    ['wrangler.jsonc', configuration],
    ['tsconfig.json', types],
  ]);
  for (const text of fenced('docs/guides/test.md', 'ts')) {
    const name = /^\/\/ ([\w.-]+\.m?ts)\n/.exec(text)?.[1];
    if (name !== undefined) files.set(name.endsWith('.mts') ? name : `src/${name}`, text);
  }
  return files;
}

/** Writes the app. @param {string} folder */
export function writeApp(folder) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (const [path, text] of appFiles()) writeFileSync(join(folder, path), text);
}

/** Installs the package, as it is built now, in the folder of an app within the project. @param {string} folder */
export async function installPackage(folder) {
  const installed = join(folder, 'node_modules', 'offshoot');
  cpSync(await builtPackage(), join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
}

/**
 * The app in a folder of its own, with the package as it is built now; the packages beside it are those of the project.
 * @returns {Promise<{ folder: string, remove: () => void }>}
 */
export async function builtApp() {
  const folder = mkdtempSync(join(root, '.offshoot-app-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeApp(folder);
    // A package of its own: what it imports is what it has installed, and not the project around it.
    writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
    await installPackage(folder);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * @typedef {object} Bundled
 * @property {number} gzipKib its size as it is uploaded
 * @property {string} file the module
 * @property {string} output what wrangler says
 * @property {[string, number][]} packages how much of it each package is, in bytes before gzip, biggest first
 */

/** What `wrangler deploy` would do with an app. @param {string} folder @param {string[]} args */
export function dryRun(folder, ...args) {
  // Its command would start this in a second process, without Node's own warnings.
  const env = { ...QUIET_ENV, NODE_NO_WARNINGS: '1' };
  return runNode([wranglerCli, 'deploy', '--dry-run', ...args], { cwd: folder, env });
}

/** Bundles an app as `wrangler deploy` does. @param {string} folder @returns {Promise<Bundled>} */
export async function bundled(folder) {
  const { code, output } = await dryRun(folder, '--outdir', 'out', '--metafile');
  const gzip = /gzip: ([\d.]+) KiB/.exec(output)?.[1];
  if (code !== 0 || gzip === undefined) throw new UserError(output);
  /** @type {{ outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> }} */
  const { outputs } = JSON.parse(readFileSync(join(folder, 'out', 'bundle-meta.json'), 'utf8'));
  /** @type {Map<string, number>} */
  const packages = new Map();
  for (const [path, { bytesInOutput }] of Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))) {
    const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    const name = installed ?? (path.startsWith('src/') ? 'the app' : 'offshoot');
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput);
  }
  const biggest = [...packages].sort(([, one], [, other]) => other - one);
  return { gzipKib: Number(gzip), file: join(folder, 'out', 'index.js'), output, packages: biggest };
}

/** Pages that use the package, as programs. */
export const PAGES = {
  protocol: `export { chunkSchema, reduce, emptyView } from 'offshoot/protocol';`,
  client: `export { createClient } from 'offshoot/client';`,
  react: `export * from 'offshoot/react';`,
};

/**
 * Bundles a program of an app's folder for browsers.
 * @param {string} folder @param {string} program
 * @returns {Promise<number>} its size after minification and gzip, in KiB
 */
export async function pageKib(folder, program) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    // A page of React has it already.
    external: ['react'],
  });
  return gzipSync(outputFiles[0]?.contents ?? '').byteLength / 1024;
}
