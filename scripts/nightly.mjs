// npm run nightly: the tests of crashes, in the Workers runtime and end to end, with many more of them than `npm test` has
// time for. Arguments are added to those of vitest.
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/processes.mjs';

await run(async () => {
  ensureInstalled();
  const args = [join(root, 'scripts', 'test.mjs'), '--project', 'workerd', '--project', 'e2e'];
  args.push('test/fault', 'test/e2e', ...process.argv.slice(2));
  return (await runNode(args, { env: { OFFSHOOT_NIGHTLY: '1' }, inherit: true })).code;
});
