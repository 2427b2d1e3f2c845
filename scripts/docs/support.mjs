// npm run support: writes the versions in docs/reference/support.md from package.json.
// --check writes nothing and fails where the page has others.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, UserError } from '../lib/fail.mjs';
import { root } from '../lib/paths.mjs';

const PAGE = join(root, 'docs', 'reference', 'support.md');
const NAMES = ['agents', 'ai', 'zod', 'wrangler', 'react'];
const TABLE = /(?<=<!-- versions -->\n).*?(?=<!-- end -->)/s;

/** The table of versions. */
function table() {
  const { engines, peerDependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const template = readFileSync(join(root, 'packages/create-offshoot/template/package.json'), 'utf8');
  /** @type {Record<string, string>} */
  const ranges = { ...JSON.parse(template).devDependencies, ...peerDependencies };
  const rows = NAMES.map((name) => `| \`${name}\` | \`${ranges[name]}\` | ${devDependencies[name]} |`);
  const node = `| Node | \`${engines.node}\` | ${devDependencies.node}; apps also with 22, every night |`;
  return ['| Package | Supported | Tested in CI |', '|---|---|---|', ...rows, node, ''].join('\n');
}

await run(async () => {
  const text = readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n');
  const next = text.replace(TABLE, table);
  if (!process.argv.includes('--check')) writeFileSync(PAGE, next);
  else if (next !== text) throw new UserError('docs/reference/support.md has other versions: run `npm run support`.');
  return 0;
});
