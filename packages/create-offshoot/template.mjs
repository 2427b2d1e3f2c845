// Writes the files of the template. It works unchanged too: only names, versions and the model are filled in.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const template = join(here, 'template');
/** Files of an own that a new app keeps, as a new repository has them. */
export const KEPT = ['README.md', '.gitignore'];
/** The name in the files of the template. */
const NAME = 'my-app';
/** The last line of wrangler.jsonc, after which settings are added. */
const LAST_SETTING = '"observability": { "enabled": true }';
/**
 * What a package manager needs in an app. pnpm allows packages to run a script at their install by a file alone. yarn
 * makes a folder node_modules, which wrangler.jsonc names, by a setting alone, and installs no peer dependencies.
 * @typedef {{ file: string, text: string, packages?: Record<string, string>, tools?: Record<string, string> }} Needs
 * @type {Readonly<Record<string, Needs>>}
 */
export const MANAGER_NEEDS = {
  pnpm: {
    file: 'pnpm-workspace.yaml',
    text: 'allowBuilds:\n  core-js-pure: false\n  esbuild: true\n  sharp: false\n  workerd: true\n',
  },
  yarn: {
    file: '.yarnrc.yml',
    text: 'nodeLinker: node-modules\n',
    packages: { '@ai-sdk/provider': '^4.0.38', '@modelcontextprotocol/client': '^2.4.0' },
    tools: { vite: '^8.3.8' },
  },
};

/**
 * A choice of model. `key` is a line of .dev.vars, `needs` what else a person does first.
 * @typedef {{ label: string, packages?: Record<string, string>, setting?: string, key?: string, needs?: string }} Model
 * @type {Readonly<Record<string, Model>>}
 */
export const MODELS = {
  none: { label: 'none: a scripted model, without an API key' },
  anthropic: {
    label: 'anthropic',
    packages: { '@ai-sdk/anthropic': '^4.0.105' },
    setting: '"vars": { "OFFSHOOT_MODEL": "anthropic/claude-sonnet-4-5" }',
    key: 'ANTHROPIC_API_KEY',
  },
  openai: {
    label: 'openai',
    packages: { '@ai-sdk/openai': '^4.0.118' },
    setting: '"vars": { "OFFSHOOT_MODEL": "openai/gpt-5" }',
    key: 'OPENAI_API_KEY',
  },
  'workers-ai': {
    label: 'workers-ai: needs a Cloudflare account',
    packages: { 'workers-ai-provider': '^4.0.0' },
    setting: '"ai": { "binding": "AI" }',
    needs: 'Sign in to Cloudflare with `npx wrangler login`.',
  },
};

/** @param {string} path */
const read = (path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n');

/** Packages by name. @param {Record<string, string>} packages */
const sorted = (packages) =>
  Object.fromEntries(Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1)));
/** Files that no commit may hold, the keys of models among them. */
const IGNORED = ['node_modules/', '.wrangler/', '.dev.vars*', '.env*', '*.log', '.yarn/install-state.gz'];

/** Adds what is missing to a `.gitignore`. @param {string} file */
function ignore(file) {
  const text = read(file);
  const lines = text.split('\n');
  const missing = IGNORED.filter((line) => !lines.includes(line));
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) writeFileSync(file, `${text}${gap}${missing.join('\n')}\n`);
}

/** The packages that every app installs. */
export function templatePackages() {
  const { dependencies, devDependencies } = JSON.parse(read(join(template, 'package.json')));
  return Object.keys({ ...dependencies, ...devDependencies });
}

/**
 * Writes an app.
 * @param {{ folder: string, name: string, model: string, manager: string, offshoot?: string | undefined }} app
 */
export function writeApp({ folder, name, model, manager, offshoot }) {
  const { packages = {}, setting, key } = MODELS[model] ?? {};
  const needs = MANAGER_NEEDS[manager];
  mkdirSync(folder, { recursive: true });
  // What a run in the template itself has made is no part of it.
  const isPart = (/** @type {string} */ path) => !/[\\/](?:node_modules|\.wrangler)$/.test(path.slice(here.length));
  const own = KEPT.filter((name) => existsSync(join(folder, name)));
  cpSync(template, folder, { recursive: true, force: false, filter: isPart });
  // npm unpacks a `.gitignore` under this name.
  const unpacked = join(folder, '.npmignore');
  if (existsSync(unpacked) && !own.includes('.gitignore')) renameSync(unpacked, join(folder, '.gitignore'));
  rmSync(unpacked, { force: true });
  if (own.includes('.gitignore')) ignore(join(folder, '.gitignore'));
  /** @param {string} file @param {(text: string) => string} change */
  const edit = (file, change) => writeFileSync(join(folder, file), change(read(join(folder, file))));
  edit('package.json', (text) => {
    const manifest = JSON.parse(text);
    const own = offshoot === undefined ? {} : { offshoot };
    const dependencies = sorted({ ...manifest.dependencies, ...needs?.packages, ...packages, ...own });
    const devDependencies = sorted({ ...manifest.devDependencies, ...needs?.tools });
    return `${JSON.stringify({ ...manifest, name, dependencies, devDependencies }, null, 2)}\n`;
  });
  edit('wrangler.jsonc', (text) => {
    const named = text.replace(`"name": "${NAME}"`, `"name": "${name}"`);
    return setting === undefined ? named : named.replace(LAST_SETTING, `${LAST_SETTING},\n  ${setting}`);
  });
  for (const page of ['README.md', 'AGENTS.md'].filter((name) => !own.includes(name)))
    edit(page, (text) => text.replaceAll(NAME, name).replaceAll('npm run ', `${manager} run `));
  if (model !== 'none') cpSync(join(here, 'models', `${model}.ts`), join(folder, 'src', 'model.ts'));
  if (key !== undefined) writeFileSync(join(folder, '.dev.vars'), `${key}=\n`);
  if (needs !== undefined) writeFileSync(join(folder, needs.file), needs.text);
}
