// The checkouts that a run measures: this one, and with `--beside` another one.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../../scripts/lib/fail.mjs';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * @typedef {object} Checkout
 * @property {string} root its absolute path
 * @property {string} commit short, with `+` where files differ from it; empty outside of git
 */

/** @param {string} folder @returns {string} */
function commitOf(folder) {
  const git = (/** @type {string[]} */ ...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short', 'HEAD');
  if (status !== 0) return '';
  return stdout.trim() + (git('status', '--porcelain').stdout.trim() === '' ? '' : '+');
}

/** @returns {Checkout} */
export function thisCheckout() {
  return { root, commit: commitOf(root) };
}

/** @param {string} path @returns {Checkout} @throws {UserError} unless it can be measured */
export function checkoutAt(path) {
  const folder = resolve(path);
  if (!existsSync(join(folder, 'bench', 'wrangler.jsonc'))) {
    throw new UserError(`${folder} is no checkout of this project: it has no bench/wrangler.jsonc.`);
  }
  if (!existsSync(join(folder, 'node_modules')))
    throw new UserError(`${folder} has no packages. Run \`npm ci\` there.`);
  return { root: realpathSync(folder), commit: commitOf(folder) };
}
