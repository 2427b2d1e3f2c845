// Builds the console's pages into a folder that the Worker's assets are read from, where they are older than its sources.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';
import { writeDocs } from './site/pages.mjs';

const SOURCES = ['src/console', 'src/react', 'src/client', 'src/protocol', 'docs'];
const OUT = join(root, '.offshoot', 'console');
/** Beside the folder: what lies in it is served. */
const MARK = join(root, '.offshoot', 'console.sha256');

/** What the built files depend on, as one hash. */
function stateOfSources() {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const all = [...files.sort(), join(root, 'package-lock.json'), join(root, 'scripts', 'lib', 'console.mjs')];
  for (const file of all) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** @param {string} state */
const isBuilt = (state) =>
  existsSync(MARK) && readFileSync(MARK, 'utf8') === state && existsSync(join(OUT, 'index.html'));

/**
 * Builds the pages into `outDir`; without one, where the Worker's assets are, and only when something has changed. Several
 * processes may do so at once: each builds in a folder of its own, and the first to end puts it there.
 */
export async function buildConsole(outDir = OUT) {
  if (outDir !== OUT) return built(outDir);
  const state = stateOfSources();
  if (isBuilt(state)) return;
  mkdirSync(dirname(OUT), { recursive: true });
  const own = mkdtempSync(`${OUT}-`);
  try {
    await built(join(own, 'new'));
    if (isBuilt(state)) return;
    replaceFolder(join(own, 'new'), OUT, own);
    writeFileSync(MARK, state);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/**
 * Puts a folder in the place of another one. Another process may do the same at any moment between two calls.
 * @param {string} from @param {string} to @param {string} aside a folder for what was there before
 * @param {(from: string, to: string) => void} rename
 */
export function replaceFolder(from, to, aside, rename = renameSync) {
  for (let round = 0; ; round += 1) {
    tryRename(() => rename(to, join(aside, `before-${round}`)), 'ENOENT');
    if (tryRename(() => rename(from, to), 'ENOTEMPTY', 'EEXIST')) return;
  }
}

/** @param {() => void} rename @param {string[]} expected codes of errors @returns {boolean} whether it was renamed */
function tryRename(rename, ...expected) {
  try {
    rename();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && expected.includes(String(error.code))) return false;
    throw error;
  }
}

/** @param {string} outDir */
async function built(outDir) {
  // Whoever imports this file may be the one that installs the packages.
  const { build } = await import('vite');
  // A test that builds them has another mode, by which React would be three times as large.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  const building = build({
    root: join(root, 'src', 'console'),
    configFile: false,
    logLevel: 'error',
    // Where the pages lie is told by the Worker.
    base: './',
    oxc: { jsx: { runtime: 'automatic' } },
    worker: { format: 'es' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2024',
      assetsInlineLimit: 0,
      // What a program shares with others is fetched beside it, and not once it has been read.
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  await building.finally(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
  writeDocs(join(root, 'docs'), join(outDir, 'docs.json'));
}
