// Creates the folder of an app: checks what was asked for, asks what is missing, writes the files and installs.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { KEPT, MODELS, templatePackages, writeApp } from './template.mjs';

/** The oldest Node that an app runs with. */
const OLDEST_NODE = [22, 13];
const DEFAULT_FOLDER = 'my-app';
/** The longest name of a Worker. */
const MAX_NAME = 63;
/** Files that may be in the folder of a new app. */
const HARMLESS = new Set([
  ...['.git', '.gitattributes', '.github', '.editorconfig', '.idea', '.vscode', '.DS_Store', 'Thumbs.db'],
  ...['LICENSE', 'LICENSE.md', 'LICENSE.txt', ...KEPT],
]);
const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'];

const HELP = `npm create offshoot [FOLDER] -- [OPTIONS]

  --model NAME      ${Object.keys(MODELS).join(', ')}
  --yes             ask nothing
  --no-install      write the files only
  --offshoot SPEC   another version, tag or tarball of Offshoot`;

/** A reason why no app is created, in one sentence. */
class Refusal extends Error {}

/**
 * The process, as this program sees it.
 * @typedef {object} Io
 * @property {string} node the version of Node, without a `v`
 * @property {string} cwd
 * @property {Record<string, string | undefined>} env
 * @property {boolean} terminal whether a person can be asked
 * @property {(text: string) => void} write
 * @property {(text: string) => void} fail
 * @property {(question: string) => Promise<string>} ask
 * @property {(command: string, args: string[], cwd: string) => Promise<number>} run
 */

/**
 * Creates an app.
 * @param {string[]} args
 * @param {Io} io
 * @returns {Promise<number>} the exit code
 */
export async function create(args, io) {
  try {
    checkNode(io.node);
    const options = optionsOf(args, io.env);
    if (options.help) {
      io.write(HELP);
      return 0;
    }
    // npm keeps a `--yes` that is not after `--`.
    const asks = io.terminal && !options.yes && io.env.npm_config_yes !== 'true';
    const folder = resolve(io.cwd, options.folder ?? (asks ? await askFolder(io) : DEFAULT_FOLDER));
    const name = checkedName(existsSync(folder) ? nameOf(basename(folder)) : basename(folder));
    checkEmpty(folder);
    const model = checkedModel(options.model ?? (asks ? await askModel(io) : 'none'));
    const manager = managerOf(io.env.npm_config_user_agent);
    writeApp({ folder, name, model, manager, offshoot: offshootSpec(options.offshoot, io.cwd) });
    if (options.install) io.write(`Installing packages with ${manager}…`);
    if (options.install && (await io.run(manager, ['install'], folder)) !== 0)
      throw new Refusal(`The files are written, but \`${manager} install\` failed. Run it again in ${folder}.`);
    const path = relative(io.cwd, folder);
    const shown = path.startsWith('..') ? folder : path;
    io.write(nextSteps({ folder: shown, model, manager, installed: options.install }));
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    io.fail(error.message);
    return 1;
  }
}

/** @param {string} version */
function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const oldest = OLDEST_NODE.join('.');
  throw new Refusal(
    `Node ${version} is too old: install Node ${oldest} or newer from https://nodejs.org, then run this command again.`,
  );
}

/** @param {string[]} args @param {Io['env']} env */
function optionsOf(args, env) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        model: { type: 'string' },
        offshoot: { type: 'string' },
        yes: { type: 'boolean', short: 'y', default: false },
        'no-install': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { model, offshoot } = keptByNpm(values, positionals, env);
    if (positionals.length > 1) throw new Refusal('Name one folder.');
    const install = !values['no-install'] && env.npm_config_install !== '';
    return { ...values, model, offshoot, folder: positionals[0], install };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new Refusal(`${sentence.replace(/\.$/, '')}: see \`npm create offshoot -- --help\`.`);
  }
}

/**
 * Options that npm kept, because they are not after `--`: `--model=NAME` is a setting of npm then. Of `--model NAME` the name is left
 * among the folders, from which it is taken.
 * @param {{ model?: string | undefined, offshoot?: string | undefined }} values
 * @param {string[]} positionals
 * @param {Io['env']} env
 */
function keptByNpm(values, positionals, env) {
  const { model = env.npm_config_model, offshoot = env.npm_config_offshoot } = values;
  if (offshoot === 'true')
    throw new Refusal('Write `--` before the options: npm create offshoot my-app -- --offshoot SPEC.');
  if (model !== 'true') return { model, offshoot };
  const at = positionals.findIndex((name) => Object.hasOwn(MODELS, name));
  if (at < 0) throw new Refusal('Write `--` before the options: npm create offshoot my-app -- --model NAME.');
  return { model: positionals.splice(at, 1)[0], offshoot };
}

/** @param {Io} io */
async function askFolder(io) {
  return (await io.ask(`Folder of the app (${DEFAULT_FOLDER}): `)).trim() || DEFAULT_FOLDER;
}

/** @param {Io} io */
async function askModel(io) {
  const names = Object.keys(MODELS);
  const list = Object.values(MODELS).map(({ label }, at) => `  ${at + 1}. ${label}`);
  const answer = (await io.ask(`Model for the agents:\n${list.join('\n')}\nNumber or name (1): `)).trim();
  return names[Number(answer || '1') - 1] ?? answer;
}

/** A name made of that of a folder, which is there already. @param {string} folder */
function nameOf(folder) {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return /^[0-9]/.test(name) ? `app-${name}` : name || folder;
}

/** @param {string} name */
function checkedName(name) {
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) || name.length > MAX_NAME)
    throw new Refusal(
      `"${name}" cannot be the name of an app: use at most ${MAX_NAME} lower-case letters, digits and dashes, such as ${DEFAULT_FOLDER}.`,
    );
  if (templatePackages().includes(name))
    throw new Refusal(`"${name}" is a package that the app installs: choose another name, such as ${DEFAULT_FOLDER}.`);
  return name;
}

/** @param {string} folder */
function checkEmpty(folder) {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new Refusal(`${folder} is a file: choose another folder.`);
  if (readdirSync(folder).some((name) => !HARMLESS.has(name)))
    throw new Refusal(`${folder} is not empty: choose another folder.`);
}

/** @param {string} name */
function checkedModel(name) {
  if (Object.hasOwn(MODELS, name)) return name;
  throw new Refusal(`"${name}" is not a known model: choose one of ${Object.keys(MODELS).join(', ')}.`);
}

/**
 * A tarball or a folder is found from the new app, too.
 * @param {string | undefined} spec
 * @param {string} cwd
 */
function offshootSpec(spec, cwd) {
  if (spec === undefined || !/^\.{0,2}\//.test(spec)) return spec;
  return `file:${resolve(cwd, spec)}`;
}

/** The package manager that called, by its user agent. @param {string | undefined} agent */
function managerOf(agent) {
  const name = (agent ?? '').split('/')[0] ?? '';
  return MANAGERS.includes(name) ? name : 'npm';
}

/** @param {{ folder: string, model: string, manager: string, installed: boolean }} app */
function nextSteps({ folder, model, manager, installed }) {
  const { key, needs } = MODELS[model] ?? {};
  const steps = [
    ...(folder === '' ? [] : [`  cd ${folder}`]),
    ...(installed ? [] : [`  ${manager} install`]),
    `  ${manager} run dev`,
  ];
  const first =
    key === undefined ? needs : `Write your key into ${folder === '' ? '' : `${folder}/`}.dev.vars as ${key}.`;
  return [
    `\nThe app is ready.${first === undefined ? '' : ` ${first}`} Now run:\n`,
    ...steps,
    '\nThen open the URL that it prints, and ask the planner for the time in Tokyo.',
  ].join('\n');
}
