// The process that bundles what tests share: `test.mjs` starts it with the folder of bundles.
import { join } from 'node:path';
import { run } from '../fail.mjs';
import { root } from '../paths.mjs';
import { keepBundles, SHARED } from './kept-bundle.mjs';

await run(async () => {
  const [folder = ''] = process.argv.slice(2);
  await keepBundles(
    folder,
    SHARED.map((config) => join(root, config)),
  );
  return 0;
});
