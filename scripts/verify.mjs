// npm run verify: the check, then all tests. What fails in the first does not hide the second.
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/processes.mjs';

await run(async () => {
  ensureInstalled();
  const check = await runNode([join(root, 'scripts', 'check.mjs')], { inherit: true });
  const test = await runNode([join(root, 'scripts', 'test.mjs')], { inherit: true });
  if (check.code !== 0) console.error('The check failed, see above.');
  return check.code || test.code;
});
