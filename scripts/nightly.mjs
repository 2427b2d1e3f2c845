// npm run nightly: every sweep of crashes, stops, losses and kills to its end, of which `npm test` runs a sample, with
// three new seeds for what is random (OFFSHOOT_SEED is the first of them, to repeat a night). Prints the figures of each
// and how long it took. Then the app of the docs and those of `npm create offshoot`, with the packed tarballs; the site;
// then the planted bugs, the project without each capability, and an hour of mutants. Arguments are added to those of vitest.

import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/processes.mjs';

/** What tells that a test has more to run at night. */
const SIZED = /\b(?:NIGHTLY|sized|sample|atEveryCommit)\b/;

await run(async () => {
  ensureInstalled();
  const { readSources } = await import('./lib/source.mjs');
  const files = readSources(['test']).filter(({ path, text }) => path.endsWith('.test.ts') && SIZED.test(text));
  const seed = process.env.OFFSHOOT_SEED ?? String(Math.floor(Date.now() / 1000));
  console.log(`${files.length} files, OFFSHOOT_SEED=${seed}`);
  const began = performance.now();
  const args = [join(root, 'scripts', 'test.mjs'), ...files.map(({ path }) => path), ...process.argv.slice(2)];
  const { code } = await runNode(args, { env: { OFFSHOOT_NIGHTLY: '1', OFFSHOOT_SEED: seed }, inherit: true });
  const consumer = await runNode([join(root, 'scripts', 'apps', 'consumer.mjs')], { inherit: true });
  const created = await runNode([join(root, 'scripts', 'apps', 'created.mjs')], { inherit: true });
  const site = await runNode([join(root, 'site', 'build.mjs')], { inherit: true });
  const planted = await runNode([join(root, 'scripts', 'planted.mjs')], { inherit: true });
  const without = await runNode([join(root, 'scripts', 'checks', 'without.mjs')], { inherit: true });
  // Each night draws others, and tries for an hour.
  const mutants = [join(root, 'scripts', 'mutants.mjs'), '--each', '60', '--seed', seed, '--minutes', '60'];
  await runNode(mutants, { inherit: true });
  console.log(`${((performance.now() - began) / 60_000).toFixed(1)} minutes, OFFSHOOT_SEED=${seed}`);
  return code || consumer.code || created.code || site.code || planted.code || without.code;
});
