// `npm run ask -- "question"`: see docs/start/try-it.md. The command itself is src/cli; this bundles it and runs it.
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runningServer, serve } from './lib/serve.mjs';
import { workerSettings } from './lib/settings.mjs';

/** @returns {Promise<typeof import('../src/cli/main')>} */
async function loadCommand() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src', 'cli', 'main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    logLevel: 'silent',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

// Stdout is for the result alone; what the scripts say on the way goes beside it.
console.log = console.error;

await run(async () => {
  ensureInstalled();
  const { main } = await loadCommand();
  const start = () => serve(workerSettings());
  return main(process.argv.slice(2), { command: 'npm start', running: runningServer, start });
});
