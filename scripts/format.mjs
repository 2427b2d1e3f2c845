// npm run format [-- PATHS]: formats the source and mends what the linter can mend safely.
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runTool } from './lib/processes.mjs';

await run(async () => {
  ensureInstalled();
  const args = ['check', '--write', ...process.argv.slice(2)];
  return (await runTool('@biomejs/biome', args, { command: 'biome', inherit: true })).code;
});
