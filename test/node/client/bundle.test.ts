/** What a page gets that imports the client. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { figures } from '../../support/sizes';

/** The whole client, compressed, in bytes. */
const MOST = 15_700;

let size = 0;
figures('offshoot/client for a browser', () => `${size} bytes compressed`);

describe('offshoot/client', () => {
  it('[J1] bundles for a browser from the client and the protocol alone, and stays small', async () => {
    const result = await build({
      entryPoints: [join(root, 'src', 'client.ts')],
      absWorkingDir: root,
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    expect(result.warnings).toEqual([]);
    const inputs = Object.keys(result.metafile.inputs);
    expect(inputs.filter((path) => !/^src\/(client|protocol)(\/|\.ts$)/u.test(path))).toEqual([]);
    size = gzipSync(result.outputFiles[0]?.contents ?? '').byteLength;
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(MOST);
  });
});
