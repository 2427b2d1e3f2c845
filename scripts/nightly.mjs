// npm run nightly: the end-to-end tests with many more crashes than `npm test` has time for.
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/processes.mjs';

await run(async () => {
  ensureInstalled();
  const args = [join(root, 'scripts', 'test.mjs'), '--project', 'e2e', ...process.argv.slice(2)];
  return (await runNode(args, { env: { OFFSHOOT_NIGHTLY: '1' }, inherit: true })).code;
});
