/** An old Node: it is named in one line, with what to do. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { nodeStorage } from '../../../src/testing/node-storage';

/** Makes this Node say that it is another. */
const AS_18 =
  'data:text/javascript,' +
  encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
  );

afterEach(() => vi.restoreAllMocks());

describe('an old Node', () => {
  it.each(['start', 'test', 'ask', 'check'])('[DF32] is named by `npm run %s`', (script) => {
    const file = join(root, 'scripts', `${script}.mjs`);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', AS_18, file], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      'Offshoot needs Node 20 or newer; this is 18.20.4. Install a newer one (https://nodejs.org, or `nvm install 24`) and run this again.\n',
    );
  });

  it('[DF32] is named where a test of an author has no `node:sqlite`', () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    expect(() => nodeStorage()).toThrow(/^offshoot\/testing needs Node 22\.13 or newer, for node:sqlite; this is v\d+/);
  });
});
