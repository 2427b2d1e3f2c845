// The app of the pages, from an empty folder: packs Offshoot, installs the tarball, serves the app until it has answered,
// then type-checks it and runs its tests, all with what is installed there. Prints the seconds since `npm init`; fails
// when they are too many. `npm run nightly` runs it; it needs a package registry.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeApp } from '../lib/app.mjs';
import { firstAnswer, startOn } from '../lib/apps/first-answer.mjs';
import { run, UserError } from '../lib/fail.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { builtPackage } from '../lib/package-build.mjs';
import { nodePath, npmEnv, root } from '../lib/paths.mjs';
import { freePort } from '../lib/ports.mjs';
import { runNode } from '../lib/processes.mjs';
import { QUIET_ENV } from '../lib/quiet.mjs';

/** From `npm init` to the first answer, in seconds. */
const MAX_SECONDS = 120;

/** @param {string} cwd @param {string[]} args */
function npm(cwd, ...args) {
  return /** @type {Promise<string>} */ (
    new Promise((resolve, reject) => {
      const child = spawn('npm', args, { cwd, env: npmEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (piece) => {
        output += piece;
      });
      child.on('close', (code) =>
        code === 0 ? resolve(output.trim()) : reject(new UserError(`npm ${args[0]} ended with exit code ${code}.`)),
      );
    })
  );
}

/** @param {string} folder @param {string} wrangler @returns {Promise<unknown>} what the agent said */
async function answerOf(folder, wrangler) {
  const port = await freePort();
  const args = [wrangler, 'dev', '--port', String(port), '--show-interactive-dev-session=false'];
  return firstAnswer({ command: nodePath(), args, cwd: folder }, () =>
    startOn(port, '/agents/timekeeper/first/start', 'What time is it in UTC?'),
  );
}

/** Installs packages at the versions that the project has. @param {string} folder @param {string[]} packages */
async function install(folder, ...packages) {
  /** @type {{ devDependencies: Record<string, string> }} */
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const exact = packages.map((name) => (name.startsWith('./') ? name : `${name}@${devDependencies[name]}`));
  await npm(folder, 'install', '--no-audit', '--no-fund', '--loglevel=error', ...exact);
}

/** The first answer from nothing. @param {string} folder @param {string} tarball */
async function answered(folder, tarball) {
  const began = performance.now();
  await npm(folder, 'init', '-y');
  await install(folder, `./${tarball}`, 'agents', 'zod', 'wrangler');
  const answer = await answerOf(folder, join(folder, 'node_modules', 'wrangler', 'bin', 'wrangler.js'));
  const seconds = (performance.now() - began) / 1000;
  const status = /** @type {{ run?: { status?: string, output?: unknown } }} */ (answer).run;
  if (status?.status !== 'completed') throw new UserError(`It answered ${JSON.stringify(answer)}.`);
  const said = JSON.stringify(status.output);
  console.log(`answered ${said} ${seconds.toFixed(0)} s after npm init (at most ${MAX_SECONDS})`);
  if (seconds > MAX_SECONDS) throw new UserError('That is too long.');
}

/** Its types and its tests, by its own tools. @param {string} folder */
async function checked(folder) {
  await install(folder, 'typescript', '@types/node', 'vitest', '@cloudflare/vitest-plugin', '@ai-sdk/anthropic');
  const at = (/** @type {string[]} */ ...path) => join(folder, 'node_modules', ...path);
  const wrangler = at('wrangler', 'bin', 'wrangler.js');
  const stricter = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const declared = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', 'types'];
  const steps = [
    { name: 'wrangler types', args: [wrangler, 'types'] },
    { name: 'tsc', args: [at('typescript', 'bin', 'tsc'), '--pretty', 'false'] },
    { name: 'tsc, stricter', args: [at('typescript', 'bin', 'tsc'), '--pretty', 'false', ...stricter] },
    { name: 'tsc, declarations', args: [at('typescript', 'bin', 'tsc'), '--pretty', 'false', ...declared] },
    { name: 'its tests in Node and in workerd', args: [at('vitest', 'vitest.mjs'), 'run', '--no-color'] },
  ];
  for (const { name, args } of steps) {
    const before = performance.now();
    const { code, output } = await runNode(args, { cwd: folder, env: QUIET_ENV });
    if (code !== 0) throw new UserError(`${name} ended with exit code ${code}:\n${output}`);
    const passed = /Tests .*/.exec(output)?.[0].trim() ?? '';
    console.log(`${name}: ok, ${((performance.now() - before) / 1000).toFixed(0)} s ${passed}`);
  }
}

await run(async () => {
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-consumer-'));
  try {
    const dist = join(root, 'dist');
    rmSync(dist, { recursive: true, force: true });
    cpSync(await builtPackage(), dist, { recursive: true });
    const tarball = await npm(root, 'pack', '--silent', '--pack-destination', folder);
    writeApp(folder);
    await answered(folder, tarball);
    await checked(folder);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
