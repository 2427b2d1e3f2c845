/** The program of docs/guides/agents-in-other-workers.md that tries a server, against a real one: once as it stands, once where a promise is broken. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodePath, root, toolEnv } from '../../scripts/lib/paths.mjs';
import { remoteConformance } from '../../src/testing/remote-conformance';
import { programs } from '../support/pages';
import { portOf } from '../support/ports';
import { present } from '../support/present';
import { serve } from '../support/served';

describe('the program that tries a server', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-kit-'));
    program = join(folder, 'try-server.mjs');
    const { text } = present(
      programs().find(
        ({ page, file }) => page === 'docs/guides/agents-in-other-workers.md' && file === 'try-server.ts',
      ),
    );
    const source = (name: string) => join(root, 'src', name);
    await build({
      stdin: { contents: text, loader: 'ts', resolveDir: root },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: { 'offshoot/remote': source('remote.ts'), 'offshoot/testing': source('testing.ts') },
      external: ['cloudflare:*'],
    });
    const config = join(root, 'test', 'e2e', 'elsewhere', 'child.jsonc');
    server = await serve({ persistTo: join(folder, 'state'), config });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What plain Node says of the program's tests. */
  const tried = (url: string) =>
    new Promise<{ readonly code: number | null; readonly said: string }>((resolve, reject) => {
      const env = { ...toolEnv(), SERVER_URL: url };
      const child = spawn(nodePath(), ['--test', '--test-reporter=tap', program], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, said }));
    });

  it('[AE14] passes all of its cases against a Worker of this library', async () => {
    const { code, said } = await tried(server.url);
    expect(code, said).toBe(0);
    const asked = () => Promise.reject(new Error('asked'));
    const stream = () => ({ [Symbol.asyncIterator]: () => ({ next: asked }) });
    const transport = { label: 'nowhere', call: asked, stream };
    const cases = remoteConformance({
      transport,
      addressClass: 'x',
      completes: {},
      waits: { start: {}, result: null },
    });
    for (const { name } of cases) expect(said).toContain(name.replaceAll('#', '\\#'));
    expect(said).toMatch(new RegExp(`# pass ${cases.length}\\b`));
  });

  it('[AE14] fails each case against a server that answers something else', async () => {
    const other = createServer((_request, response) => response.end('<html>Hello</html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { code, said } = await tried(`http://127.0.0.1:${portOf(other)}`);
    other.close();
    expect(code).toBe(1);
    expect(said).toMatch(/# pass 0\b/);
  });
});
