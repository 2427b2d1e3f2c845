// Builds the package once for each state of its sources: for `npm run package`, the check, the tests and the bench.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { root } from './paths.mjs';
import { runTool } from './processes.mjs';

const OUT = join(root, '.offshoot', 'package');
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'tsdown.config.ts'];
/** Apps beside the package: none of its modules imports them. */
const APPS = /^(?:console|desk)\//;

/** A hash of everything that the built package depends on. */
function stateOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !APPS.test(path))
    .sort()
    .map((path) => `src/${path}`);
  for (const file of [...FILES, ...sources])
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 20);
}

/**
 * The folder of the built package, as its `dist`. Nobody writes to it.
 * @returns {Promise<string>}
 * @throws {UserError} with the output of the build where it fails
 */
export async function builtPackage() {
  const folder = join(OUT, stateOfSources());
  if (existsSync(folder)) return folder;
  mkdirSync(OUT, { recursive: true });
  // Two builds at once do not meet: each has a folder of its own until it is whole.
  const unfinished = `${folder}.${process.pid}`;
  const { code, output } = await runTool('tsdown', ['--out-dir', unfinished]);
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new UserError(output.trim());
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  for (const old of readdirSync(OUT)) {
    if (!old.includes('.') && join(OUT, old) !== folder) rmSync(join(OUT, old), { recursive: true, force: true });
  }
  return folder;
}
