/** `offshoot check` in a folder whose configuration cannot be read, and with a Worker that does not answer. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { appIn } from '../../../src/check/app';
import { check } from '../../../src/check/check';
import { findingsOf } from '../../../src/check/findings';

/** A folder with this module as its wrangler. */
function folderOf(module: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const wrangler = join(folder, 'node_modules/wrangler');
  mkdirSync(wrangler, { recursive: true });
  writeFileSync(join(folder, 'wrangler.jsonc'), '{ nope');
  writeFileSync(join(wrangler, 'package.json'), '{ "version": "4.164.0", "type": "module", "main": "index.js" }');
  writeFileSync(join(wrangler, 'index.js'), module);
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
  const app = appIn(
    folderOf(`export const unstable_readConfig = () => { throw ${thrown}; };`),
    { peerDependencies: {}, peerDependenciesMeta: {} },
    () => undefined,
  );
  const found = findingsOf({ ...(await app.facts()), node: '24.0.0' });
  expect(found.map(({ says }) => says)).toEqual([`The configuration is invalid: InvalidSymbol${place}`]);
});

it.each(['listen', 'fetch'])('[OC12] ends and says where to look where the Worker never answers: %s', async (stuck) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const harness = `{ listen: async () => 1, fetch: async () => 1, getLogs: () => [],
    ${stuck}: () => new Promise(() => undefined), close: () => new Promise(() => undefined) }`;
  const folder = folderOf(`export const createTestHarness = () => (${harness});`);
  const lines: string[] = [];
  const app = appIn(folder, { peerDependencies: {}, peerDependenciesMeta: {} }, (line) => lines.push(line));
  const code = check({
    ...app,
    facts: async () => ({ node: '24.0.0', packages: [], config: { main: 'a', compatibility_date: '2026-11-01' } }),
  });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect([await code, lines]).toEqual([
    1,
    [
      expect.stringMatching(
        /^✗ The Worker does not start: it did not answer within 60 s\. Look for a loop .* handler\.$/,
      ),
    ],
  ]);
});
