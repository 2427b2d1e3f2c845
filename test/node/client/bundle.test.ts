/** What a page gets that imports the client. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { figures } from '../../support/sizes';

/** The whole client, compressed, in bytes. */
const MOST = 14_400;
/** The hooks with the client, without React, compressed, in bytes. */
const MOST_HOOKS = 16_300;

const sizes = { client: 0, react: 0 };
figures('offshoot/client for a browser', () => `${sizes.client} bytes compressed`);
figures('offshoot/react for a browser, without React', () => `${sizes.react} bytes compressed`);

/** An entry of the package as a page gets it, and the files that it is made of. */
async function bundled(entry: keyof typeof sizes) {
  const result = await build({
    entryPoints: [join(root, 'src', `${entry}.ts`)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    external: ['react'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  expect(result.warnings).toEqual([]);
  sizes[entry] = gzipSync(result.outputFiles[0]?.contents ?? '').byteLength;
  expect(sizes[entry]).toBeGreaterThan(0);
  return Object.keys(result.metafile.inputs);
}

describe('what a page bundles', () => {
  it('[J1] of offshoot/client is the client and the protocol alone, and small', async () => {
    const inputs = await bundled('client');
    expect(inputs.filter((path) => !/^src\/(client|protocol)(\/|\.ts$)/u.test(path))).toEqual([]);
    expect(sizes.client).toBeLessThanOrEqual(MOST);
  });

  it('[J1] of offshoot/react is the hooks, the client and the protocol alone, and small', async () => {
    const inputs = await bundled('react');
    expect(inputs.filter((path) => !/^src\/(react|client|protocol)(\/|\.ts$)/u.test(path))).toEqual([]);
    expect(sizes.react).toBeLessThanOrEqual(MOST_HOOKS);
  });
});
