// npm run check: everything about the source that a program can check, in parallel. Prints one line for each part,
// and what is wrong with those that fail.
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode, runTool } from './lib/processes.mjs';

/** @param {string} name @param {string[]} args */
const script = (name, ...args) => runNode([join(root, 'scripts', name), ...args]);

/**
 * `always` shows what a part prints also when all is well.
 * @type {{ name: string, task: () => Promise<{ code: number, output: string }>, always?: boolean }[]}
 */
const PARTS = [
  {
    name: 'format and lint',
    task: () =>
      runTool('@biomejs/biome', ['ci', '--colors=off', '--reporter=concise', '--max-diagnostics=none'], {
        command: 'biome',
      }),
  },
  { name: 'types', task: () => runTool('typescript', ['--pretty', 'false'], { command: 'tsc' }) },
  {
    name: 'types of the console',
    task: () => runTool('typescript', ['-p', join('src', 'console'), '--pretty', 'false'], { command: 'tsc' }),
  },
  {
    name: 'types of the examples',
    task: () => runTool('typescript', ['-p', 'examples', '--noEmit', '--pretty', 'false'], { command: 'tsc' }),
  },
  { name: 'worker-configuration.d.ts unchanged', task: () => script('types.mjs', '--check') },
  { name: 'migrations unchanged', task: () => script('migrations.mjs', '--check') },
  { name: 'headers', task: () => script('checks/headers.mjs') },
  { name: 'package-lock.json complete', task: () => script('lockfile.mjs', '--check') },
  { name: 'docs/reference/support.md unchanged', task: () => script('docs/support.mjs', '--check') },
  { name: 'package: its types unchanged, publint, are the types wrong', task: () => script('package.mjs', '--check') },
  { name: 'wrangler deploy --dry-run in a fresh clone', task: () => script('checks/dry-run.mjs') },
  { name: 'docs/reference unchanged', task: () => script('docs/reference.mjs', '--check') },
  { name: 'budgets', task: () => script('checks/budgets.mjs'), always: true },
  { name: 'house', task: () => script('house.mjs', '--check'), always: true },
  { name: 'texts are cut between characters', task: () => script('checks/cuts.mjs') },
  { name: 'dead code', task: () => runTool('knip', ['--no-progress']) },
  { name: 'planted bugs', task: () => script('planted.mjs', '--check'), always: true },
  { name: 'SPEC.md', task: () => script('checks/spec.mjs'), always: true },
];

/** @param {string} text */
const indented = (text) => text.trim().replaceAll(/^/gm, '      ');

await run(async () => {
  ensureInstalled();
  const results = PARTS.map(async ({ name, task, always }) => {
    const before = performance.now();
    const { code, output } = await task();
    const seconds = ((performance.now() - before) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)`);
    if ((code !== 0 || always) && output.trim() !== '') console.log(indented(output));
    return { name, ok: code === 0 };
  });
  const failed = (await Promise.all(results)).filter(({ ok }) => !ok);
  if (failed.length === 0) console.log('The check passed.');
  else console.log(`The check failed: ${failed.map(({ name }) => name).join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
});
