/** Workers of tests that are bundled in one go: each gets its own bundle, whatever becomes of the others. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { build, together } from '../../../scripts/lib/tests/wrangler-esbuild.mjs';

const folder = mkdtempSync(join(tmpdir(), 'offshoot-bundled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(join(folder, 'shared.js'), "export const shared = 'of all';");

/** Has a Worker bundled, as wrangler asks for it. */
function worker(name: string, code = `import { shared } from './shared.js'; export default [shared, '${name}'];`) {
  writeFileSync(join(folder, `${name}.js`), code);
  const outdir = join(folder, 'out', name);
  return async (): Promise<string[]> => {
    const { metafile } = await build({
      ...{ bundle: true, format: 'esm', metafile: true, logLevel: 'silent', sourcemap: true },
      ...{ entryPoints: [join(folder, `${name}.js`)], entryNames: 'index', outdir, absWorkingDir: folder },
    });
    return Object.keys(metafile?.outputs ?? {});
  };
}

const bundleOf = (name: string): string => readFileSync(join(folder, 'out', name, 'index.js'), 'utf8');

describe('Workers that are bundled together', () => {
  it('[HS27] have each its own code where wrangler looks for it, and no map', async () => {
    const outputs: string[][] = [];
    const all = ['a', 'b', 'c'].map((name) => async () => void outputs.push(await worker(name)()));
    await together(all);
    expect(outputs.sort()).toEqual([['out/a/index.js'], ['out/b/index.js'], ['out/c/index.js']]);
    for (const name of ['a', 'b', 'c']) {
      expect(bundleOf(name)).toContain('"of all"');
      expect(bundleOf(name)).toContain(`"${name}"`);
      expect(bundleOf(name)).not.toContain('sourceMappingURL');
      expect(existsSync(join(folder, 'out', name, 'index.js.map'))).toBe(false);
    }
  });

  it.each([
    ['fails before it asks', () => Promise.reject(new Error('no such file')), 'no such file'],
    ['ends without a request', () => Promise.resolve([]), undefined],
  ])('[HS27] are bundled where one %s', async (_which, other, says) => {
    for (const order of [0, 1, 2]) {
      rmSync(join(folder, 'out'), { recursive: true, force: true });
      const ended = together([worker('d'), worker('e')].toSpliced(order, 0, other));
      if (says === undefined) await ended;
      else await expect(ended).rejects.toThrow(says);
      expect([bundleOf('d'), bundleOf('e')].map((code) => code.includes('"of all"'))).toEqual([true, true]);
    }
  });

  it('[HS27] fail together where the code of one is wrong, and one by itself is bundled afterwards', async () => {
    await expect(together([worker('f'), worker('g', 'export default (')])).rejects.toThrow('g.js');
    await worker('f')();
    expect(bundleOf('f')).toContain('"of all"');
  });
});
