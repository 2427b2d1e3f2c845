// Where things are. Everything here works before the first install, on Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path of the project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const modules = join(root, 'node_modules');

/** The oldest Node that may run these scripts; the tools themselves run on the Node of `nodePath()`. */
export const MIN_NODE_MAJOR = 20;

/**
 * The Node that runs the tools: the one that the project installs, because `wrangler` needs a newer one than
 * these scripts do.
 */
export function nodePath() {
  return join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * The script behind a command of an installed package, to be run with `nodePath()`.
 * @param {string} name the package
 * @param {string} [command] the command, where it is not called like the package
 * @throws when the package is not installed or has no such command
 */
export function toolPath(name, command = name.split('/').at(-1) ?? name) {
  const manifest = join(modules, name, 'package.json');
  if (!existsSync(manifest)) throw new Error(`The package ${name} is not installed. Run \`npm ci\`.`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = typeof bin === 'string' ? bin : bin?.[command];
  if (!file) throw new Error(`The package ${name} has no command "${command}".`);
  return join(modules, name, file);
}

/**
 * wrangler itself. Its command `wrangler` would start it in a process of its own, in which Node takes `--env-file` for
 * itself.
 */
export const wranglerCli = join(modules, 'wrangler', 'wrangler-dist', 'cli.js');

/** The environment for tools: commands of the project first, its Node among them. */
export function toolEnv(env = process.env) {
  return { ...env, PATH: [join(modules, '.bin'), env.PATH ?? ''].join(delimiter) };
}

/** The environment for npm itself: without the project's own Node, which an install replaces. */
export function npmEnv(env = process.env) {
  const path = (env.PATH ?? '').split(delimiter).filter((entry) => !entry.endsWith(join('node_modules', '.bin')));
  const { npm_config_loglevel: _quietedByTheOuterNpm, ...rest } = env;
  return { ...rest, PATH: path.join(delimiter) };
}
