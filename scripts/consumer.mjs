// An app of one's own, from an empty folder: packs Offshoot, installs the tarball beside test/consumer, bundles it and
// serves it until it has answered. Prints the seconds since `npm init` and the size of the bundle; fails when either is
// too much. `npm run nightly` runs it; it needs a package registry.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { nodePath, npmEnv, root } from './lib/paths.mjs';
import { freePort } from './lib/ports.mjs';
import { allGone, killAll, processTree, runNode, runTool } from './lib/processes.mjs';
import { QUIET_ENV } from './lib/quiet.mjs';

/** From `npm init` to the first answer, in seconds. */
const MAX_SECONDS = 120;
/** The smallest app's bundle as it is uploaded, in KiB after gzip: half of what the first one had. */
const MAX_GZIP_KIB = 533;

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
  const server = spawn(nodePath(), args, { cwd: folder, env: { ...process.env, ...QUIET_ENV }, stdio: 'ignore' });
  try {
    for (const until = Date.now() + MAX_SECONDS * 1000; Date.now() < until; await delay(100)) {
      const answer = await fetch(`http://localhost:${port}/agents/timekeeper/first/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'What time is it in UTC?', wait: true }),
      }).catch(() => undefined);
      if (answer !== undefined) return await answer.json();
    }
    throw new UserError('wrangler dev did not answer.');
  } finally {
    const tree = server.pid === undefined ? [] : processTree(server.pid);
    killAll(tree);
    await allGone(tree, 10_000);
  }
}

await run(async () => {
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-consumer-'));
  try {
    const built = await runTool('tsdown', []);
    if (built.code !== 0) throw new UserError(built.output);
    const tarball = await npm(root, 'pack', '--silent', '--pack-destination', folder);
    /** @type {{ devDependencies: Record<string, string> }} */
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    cpSync(join(root, 'test', 'consumer'), folder, { recursive: true });
    const began = performance.now();
    await npm(folder, 'init', '-y');
    const beside = ['agents', 'zod', 'wrangler'].map((name) => `${name}@${devDependencies[name]}`);
    await npm(folder, 'install', '--no-audit', '--no-fund', '--loglevel=error', `./${tarball}`, ...beside);
    const wrangler = join(folder, 'node_modules', 'wrangler', 'bin', 'wrangler.js');
    const answer = await answerOf(folder, wrangler);
    const seconds = (performance.now() - began) / 1000;
    const status = /** @type {{ run?: { status?: string, output?: unknown } }} */ (answer).run;
    if (status?.status !== 'completed') throw new UserError(`It answered ${JSON.stringify(answer)}.`);
    console.log(
      `answered ${JSON.stringify(status.output)} ${seconds.toFixed(0)} s after npm init (at most ${MAX_SECONDS})`,
    );
    const dry = [wrangler, 'deploy', '--dry-run', '--outdir', 'out'];
    const { output } = await runNode(dry, { cwd: folder, env: QUIET_ENV });
    const gzip = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1] ?? Number.NaN);
    console.log(`the smallest app: ${gzip} KiB after gzip (at most ${MAX_GZIP_KIB})`);
    return seconds <= MAX_SECONDS && gzip <= MAX_GZIP_KIB ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
