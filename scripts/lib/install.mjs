// Installs what is missing, and only then.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { nodePath, npmEnv, root } from './paths.mjs';

/**
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined} undefined when the file is missing or unreadable
 */
function lockedPackages(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** True when every package that a folder's lockfile asks for is installed in its version. @param {string} folder */
function isInstalled(folder) {
  const wanted = lockedPackages(join(folder, 'package-lock.json'));
  const present = lockedPackages(join(folder, 'node_modules', '.package-lock.json'));
  if (!wanted || !present || !existsSync(nodePath())) return false;
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    const installed = present[path]?.version;
    return installed === version || (installed === undefined && (optional || devOptional));
  });
}

/** @param {string} folder */
const npmCi = (folder) =>
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: npmEnv(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });

/**
 * Makes `node_modules` agree with the lockfile; does nothing when it does already. Safe to call at any time.
 * @param {string} [folder] the one with the lockfile; default: the project
 * @throws {UserError} when npm fails
 */
export function ensureInstalled(folder = root) {
  if (isInstalled(folder)) return;
  console.log('Installing packages (the first time takes a minute) …');
  // Once more when it failed: a registry that was out of reach for a moment is no fault of the project.
  const first = npmCi(folder);
  const last = first.status === 0 ? first : npmCi(folder);
  if (last.error || last.status !== 0) {
    const output = `${last.stdout ?? ''}${last.stderr ?? ''}`.trim();
    throw new UserError(`\`npm ci\` failed twice: ${last.error?.message ?? `exit code ${last.status}`}.\n${output}`);
  }
  if (!isInstalled(folder)) {
    throw new UserError('`npm ci` ran, but packages are still missing. Remove node_modules and run it by hand.');
  }
}
