// node scripts/console.mjs: builds the console's pages, where they are older than their sources. wrangler.jsonc names it as
// what `wrangler dev` and `wrangler deploy` run first.
import { buildConsole } from './lib/console.mjs';
import { run } from './lib/fail.mjs';

await run(async () => {
  await buildConsole();
  return 0;
});
