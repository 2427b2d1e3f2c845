// The app of `npm create offshoot`, from an empty folder (NP6): packs Offshoot and create-offshoot, creates an app with
// each package manager on each Node, runs its check and its tests, and serves it until it has answered and shown the
// console. `npm run nightly` runs it; it needs a package registry. Arguments choose among the combinations: `pnpm@22`.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { combinationsOf } from '../lib/apps/combinations.mjs';
import { firstAnswer, startOn } from '../lib/apps/first-answer.mjs';
import { buildConsole } from '../lib/console.mjs';
import { run, UserError } from '../lib/fail.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { builtPackage } from '../lib/package-build.mjs';
import { nodePath, npmEnv, root } from '../lib/paths.mjs';
import { freePort } from '../lib/ports.mjs';

/** From an empty folder to an installed app, and from there to an answer in a browser. */
const MAX_COMMANDS = 3;

/** @param {string} command @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [env] */
function exec(command, args, cwd, env = npmEnv()) {
  return /** @type {Promise<string>} */ (
    new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece) => {
          output += piece;
        });
      child.on('close', (code) => {
        if (code === 0) resolve(output.trim());
        else reject(new UserError(`${[command, ...args].join(' ')} ended with exit code ${code}:\n${output}`));
      });
    })
  );
}

/** Packs both packages. @param {string} folder @returns {Promise<{ offshoot: string, create: string }>} */
async function packed(folder) {
  const dist = join(root, 'dist');
  rmSync(dist, { recursive: true, force: true });
  cpSync(await builtPackage(), dist, { recursive: true });
  await buildConsole(join(dist, 'console'));
  const pack = (/** @type {string} */ at) => exec('npm', ['pack', '--silent', '--pack-destination', folder], at);
  const offshoot = join(folder, await pack(root));
  return { offshoot, create: join(folder, await pack(join(root, 'packages', 'create-offshoot'))) };
}

/** Installs a tool in a folder of its own. @param {string} folder @param {string} name @param {string} range */
async function installed(folder, name, range) {
  const at = join(folder, `${name}-${range}`);
  mkdirSync(at);
  writeFileSync(join(at, 'package.json'), JSON.stringify({ allowScripts: { [name]: true } }));
  await exec('npm', ['install', '--no-audit', '--no-fund', `${name}@${range}`], at);
  return at;
}

/**
 * One app.
 * @param {{ folder: string, manager: string, bins: string[], offshoot: string, create: string }} trial
 * @returns {Promise<string>} its answer
 */
async function tried({ folder, manager, bins, offshoot, create }) {
  const env = { ...npmEnv(), CI: '1' };
  env.PATH = [...bins, env.PATH].join(delimiter);
  const words = ['create-offshoot', 'my-app', '--yes', '--offshoot', offshoot];
  // As `npm create` and `pnpm create` do it for a published package.
  const creator = manager === 'npm' ? ['exec', '--yes', `--package=${create}`, '--'] : [`--package=${create}`, 'dlx'];
  const said = await exec(manager, [...creator, ...words], folder, env);
  const steps = said.split('Now run:')[1] ?? '';
  const commands = 1 + (steps.match(/^ {2}\S.*$/gm) ?? []).length;
  if (commands > MAX_COMMANDS) throw new UserError(`It names ${commands} commands, at most ${MAX_COMMANDS}:\n${steps}`);
  const app = join(folder, 'my-app');
  if (!existsSync(join(app, '.gitignore'))) throw new UserError('The app has no .gitignore.');
  await exec(manager, ['run', 'check'], app, env);
  await exec(manager, ['run', 'test'], app, env);
  const port = await freePort();
  const options = ['--port', String(port), '--show-interactive-dev-session=false'];
  const args = ['run', 'dev', ...(manager === 'npm' ? ['--'] : []), ...options];
  const { run: ended, page } = await firstAnswer({ command: manager, args, cwd: app, env }, async () => {
    const answer = await startOn(port, '/agents/planner/first/start', 'What time is it in Tokyo?');
    const shown = await fetch(`http://localhost:${port}/`, { headers: { accept: 'text/html' } });
    return { ...answer, page: await shown.text() };
  });
  if (ended?.status !== 'completed') throw new UserError(`It answered ${JSON.stringify(ended)}.`);
  if (!/<html/i.test(page)) throw new UserError(`Its first page is not the console: ${page}`);
  return ended.output;
}

await run(async () => {
  const chosen = combinationsOf(process.argv.slice(2));
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-created-'));
  try {
    const tarballs = await packed(folder);
    for (const { name, manager, node } of chosen) {
      const at = mkdtempSync(join(folder, 'trial-'));
      const own =
        node === '24' ? dirname(nodePath()) : join(await installed(at, 'node', node), 'node_modules/node/bin');
      const tools = manager === 'npm' ? [] : [join(await installed(at, manager, 'latest'), 'node_modules', '.bin')];
      const began = performance.now();
      const answer = await tried({ folder: at, manager, bins: [own, ...tools], ...tarballs });
      console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s, answered "${answer}"`);
      rmSync(at, { recursive: true, force: true });
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
