/** `offshoot check` in a folder whose configuration cannot be read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { appIn } from '../../../src/check/app';
import { findingsOf } from '../../../src/check/findings';

/** A folder with a wrangler that fails so. */
function folderOf(thrown: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const wrangler = join(folder, 'node_modules/wrangler');
  mkdirSync(wrangler, { recursive: true });
  writeFileSync(join(folder, 'wrangler.jsonc'), '{ nope');
  writeFileSync(join(wrangler, 'package.json'), '{ "version": "4.164.0", "type": "module", "main": "index.js" }');
  writeFileSync(join(wrangler, 'index.js'), `export const unstable_readConfig = () => { throw ${thrown}; };`);
  return folder;
}

it.each([
  [
    `Object.assign(new Error('InvalidSymbol'), { location: { file: '/app/wrangler.jsonc', line: 3 } })`,
    ' (wrangler.jsonc, line 3)',
  ],
  [`Object.assign(new Error('InvalidSymbol'), { location: {} })`, ' (the file)'],
  [`new Error('InvalidSymbol')`, ''],
])('[OC7] says where a configuration is wrong: %s', async (thrown, place) => {
  const app = appIn(folderOf(thrown), { peerDependencies: {}, peerDependenciesMeta: {} }, () => undefined);
  const found = findingsOf({ ...(await app.facts()), node: '24.0.0' });
  expect(found.map(({ says }) => says)).toEqual([`The configuration is wrong: InvalidSymbol${place}`]);
});
