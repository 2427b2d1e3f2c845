// npm run types: writes worker-configuration.d.ts from wrangler.jsonc. With --check it writes nothing and fails when
// that would change it.
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { wranglerCli } from './lib/paths.mjs';
import { runNode } from './lib/processes.mjs';
import { QUIET_ENV } from './lib/quiet.mjs';

await run(async () => {
  ensureInstalled();
  const check = process.argv.includes('--check');
  // The types of the runtime come from a package. A file of secrets, where there is one, must not show in the types:
  // with a file named that does not exist, none is read.
  const args = ['types', '--include-runtime=false', '--env-file=.env.none', ...(check ? ['--check'] : [])];
  const { code, output } = await runNode([wranglerCli, ...args], { env: QUIET_ENV });
  if (code !== 0) {
    console.error(check ? 'worker-configuration.d.ts is not what wrangler.jsonc gives: run `npm run types`.' : output);
  }
  return code;
});
