// Writes the pages of docs/reference that are made from the source: options, limits, errors, events, HTTP routes.
//   npm run reference             writes them
//   npm run reference -- --check  writes nothing, and fails where a page is not what the source says
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run, UserError } from '../lib/fail.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { root } from '../lib/paths.mjs';

await run(async () => {
  ensureInstalled();
  const { referencePages } = await import('../lib/reference/pages.mjs');
  const pages = await referencePages();
  const old = [...pages].filter(
    ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
  );
  if (process.argv.includes('--check')) {
    if (old.length === 0) return 0;
    throw new UserError(`Run \`npm run reference\`: ${old.map(([path]) => path).join(', ')} differ from the source.`);
  }
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return 0;
});
