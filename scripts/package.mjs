// npm run package: builds the package into dist/ and writes api/, the types of each entry as they are published.
// --check writes nothing to api/ and fails when that would change it, or when the package would not work for others.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appFiles } from './lib/app.mjs';
import { buildConsole } from './lib/console.mjs';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { builtPackage } from './lib/package-build.mjs';
import { root } from './lib/paths.mjs';
import { runTool } from './lib/processes.mjs';

const dist = join(root, 'dist');
const api = join(root, 'api');

/** The types below a folder, by path. @param {string} folder @returns {Map<string, string>} */
function typesIn(folder) {
  /** @type {string[]} */
  let paths = [];
  try {
    paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    // No folder, no types.
  }
  const names = paths.filter((path) => path.endsWith('.d.ts')).sort();
  return new Map(names.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]));
}

/** @param {string} name @param {string[]} args @param {string} [command] */
async function tool(name, args, command) {
  const { code, output } = await runTool(name, args, command === undefined ? {} : { command });
  if (code !== 0) throw new UserError(output.trim());
}

/** Types the README's program against what was built, as an app that has installed it. */
async function typed() {
  const folder = mkdtempSync(join(root, '.offshoot-types-'));
  try {
    const compilerOptions = { paths: { offshoot: ['../dist/index.d.ts'], 'offshoot/*': ['../dist/*.d.ts'] } };
    writeFileSync(join(folder, 'index.ts'), appFiles().get('src/index.ts') ?? '');
    const files = ['../worker-configuration.d.ts', 'index.ts'];
    const config = { extends: '../tsconfig.json', compilerOptions, include: [], files };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await tool('typescript', ['-p', folder, '--pretty', 'false'], 'tsc');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await run(async () => {
  ensureInstalled();
  const check = process.argv.includes('--check');
  const fresh = await builtPackage();
  rmSync(dist, { recursive: true, force: true });
  cpSync(fresh, dist, { recursive: true });
  await buildConsole(join(dist, 'console'));
  const { writeAgentTexts } = await import('./lib/site/llms.mjs');
  writeAgentTexts(dist);
  const built = typesIn(dist);
  if (!check) {
    rmSync(api, { recursive: true, force: true });
    for (const [path, text] of built) {
      mkdirSync(dirname(join(api, path)), { recursive: true });
      writeFileSync(join(api, path), text);
    }
    return 0;
  }
  const kept = typesIn(api);
  const changed = [...new Set([...built.keys(), ...kept.keys()])].filter((path) => built.get(path) !== kept.get(path));
  if (changed.length > 0) {
    throw new UserError(`The public types are not what api/ holds (${changed.join(', ')}): run \`npm run package\`.`);
  }
  await typed();
  await tool('publint', ['--strict']);
  await tool('@arethetypeswrong/cli', ['--pack', '.', '--profile', 'esm-only', '--no-emoji', '--no-color'], 'attw');
  return 0;
});
