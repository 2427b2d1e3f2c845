/** What an app that installs the package has to carry. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as zod from 'zod';
import best from '../../scripts/house.json';
import { builtApp, bundled, dryRun, fenced, PAGES, pageKib } from '../../scripts/lib/app.mjs';
import { BUNDLE, bundleFigure } from '../../scripts/lib/house/figures.mjs';
import { builtPackage } from '../../scripts/lib/package-build.mjs';
import { nodePath, npmEnv, root, toolPath } from '../../scripts/lib/paths.mjs';
import config from '../../tsdown.config';
import { ONE_CHECKER } from '../support/compiler';

/** Of PK1, in KiB after gzip. */
const MAX_APP_KIB = 436;
/** Of PK3, in KiB after minification and gzip. */
const MAX_PAGE_KIB = { protocol: 50, client: 20 };

/** Wrangler complains. */
const WARNED = /warning|error/i;

let app: Awaited<ReturnType<typeof builtApp>>;
let smallest: Awaited<ReturnType<typeof bundled>>;
beforeAll(async () => {
  app = await builtApp();
  smallest = await bundled(app.folder);
});
afterAll(() => app?.remove());

describe('the package in an app', () => {
  it('[PK1, HS1, OC5] the smallest app is small, and what weighs most is told', () => {
    const { gzipKib, packages, file } = smallest;
    const kib = packages.slice(0, 6).map(([name, bytes]) => `${name} ${(bytes / 1024).toFixed(0)}`);
    console.log(`the smallest app: ${gzipKib} KiB after gzip (at most ${MAX_APP_KIB}); before it: ${kib.join(', ')}`);
    expect(gzipKib).toBeGreaterThan(100);
    expect(gzipKib).toBeLessThanOrEqual(MAX_APP_KIB);
    expect(bundleFigure(gzipKib).now).toBeLessThanOrEqual(best[BUNDLE]);
    expect(packages.map(([name]) => name)).not.toEqual(expect.arrayContaining(['@modelcontextprotocol/client']));
    expect(packages.map(([name]) => name)).not.toEqual(expect.arrayContaining(['mimetext']));
    expect(packages.map(([name]) => name)).not.toEqual(expect.arrayContaining(['capnweb']));
    expect(packages.map(([name]) => name)).not.toEqual(expect.arrayContaining(['cron-schedule']));
    expect(readFileSync(file, 'utf8')).not.toContain('OFFSHOOT_CONSOLE');
    expect(packages.map(([name]) => name)).not.toEqual(expect.arrayContaining(['jose']));
  });

  it('[PK8] an app has the code for agents elsewhere only where it defines one', async () => {
    const REMOTE_ONLY = 'A remote agent does not accept this.';
    expect(readFileSync(smallest.file, 'utf8')).not.toContain(REMOTE_ONLY);
    const folder = await builtPackage();
    const [definitions, worker] = ['index.js', 'worker.js'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(definitions).toContain(REMOTE_ONLY);
    expect(worker).not.toContain('/**');
  });

  it('[HS13] is not built again while its sources are the same', async () => {
    const folder = await builtPackage();
    const { mtimeMs } = statSync(join(folder, 'index.js'));
    expect(await builtPackage()).toBe(folder);
    expect(statSync(join(folder, 'index.js')).mtimeMs).toBe(mtimeMs);
    expect(readFileSync(join(app.folder, 'node_modules/offshoot/dist/index.js'))).toEqual(
      readFileSync(join(folder, 'index.js')),
    );
  });

  it('[PK2] zod without its languages is zod in all else', async () => {
    const at = `${app.folder}/node_modules/offshoot/dist/without/zod-locales.js`;
    const without: Record<'z' | 'core' | 'locales' | 'default', object> & Record<string, unknown> = await import(
      /* @vite-ignore */ at
    );
    const { locales, core, z, default: byDefault, ...values } = without;
    const { locales: all, core: whole, z: _z, default: _default, ...expected } = zod;
    expect(Object.keys(all).length).toBeGreaterThan(50);
    expect(locales).toEqual({});
    expect(values).toEqual(expected);
    for (const [name, value] of Object.entries(expected)) expect(without[name], name).toBe(value);
    expect(Object.keys(z)).toEqual(Object.keys(without));
    expect(byDefault).toBe(z);
    expect({ ...core }).toEqual({ ...whole, locales: {} });
  });

  it('[PK3] a page loads little', async () => {
    for (const name of ['protocol', 'client'] as const) {
      const kib = await pageKib(app.folder, PAGES[name]);
      console.log(`a page with offshoot/${name}: ${kib.toFixed(1)} KiB (at most ${MAX_PAGE_KIB[name]})`);
      expect(kib).toBeGreaterThan(2);
      expect(kib).toBeLessThanOrEqual(MAX_PAGE_KIB[name]);
    }
  });

  it('[PK9] a tool costs the compiler little', () => {
    const program = `import { defineAgent, defineTool, routingScriptedModel } from 'offshoot';
import * as z from 'zod';
const inputSchema = z.object({ zone: z.string() });
const tool = defineTool({ name: 'clock', description: 'The time.', inputSchema, execute: ({ zone }) => zone });
export const agent = defineAgent({ name: 'a', systemPrompt: 'x', model: routingScriptedModel({}), tools: [tool] });
`;
    writeFileSync(join(app.folder, 'costs.ts'), program);
    const compilerOptions = {
      ...{ target: 'es2024', lib: ['esnext'], module: 'esnext', moduleResolution: 'bundler' },
      ...{
        types: ['@cloudflare/workers-types/experimental', 'node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
      },
    };
    writeFileSync(join(app.folder, 'costs.json'), JSON.stringify({ compilerOptions, include: ['costs.ts'] }));
    const args = [
      toolPath('typescript', 'tsc'),
      '-p',
      'costs.json',
      '--noEmit',
      '--extendedDiagnostics',
      ...ONE_CHECKER,
    ];
    const { stdout } = spawnSync(nodePath(), args, { cwd: app.folder, encoding: 'utf8' });
    const types = Number(/^Types: +(\d+)$/m.exec(stdout)?.[1]);
    expect(stdout).not.toContain('error TS');
    expect(types).toBeGreaterThan(500);
    expect(types).toBeLessThan(10_000);
  });

  it('[PK4] every entry names what it exports', () => {
    const entries = Object.values(config.entry ?? {});
    expect(entries).toEqual(expect.arrayContaining(['src/index.ts', 'src/protocol.ts']));
    const whole = entries.filter(
      (path) => typeof path === 'string' && /^export \* from/m.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(whole.sort()).toEqual(['src/without/zod-locales-core.ts', 'src/without/zod-locales.ts']);
  });

  it('[PK5] the tarball has what is promised, and nothing else', async () => {
    const folder = join(app.folder, 'node_modules', 'offshoot');
    for (const path of ['LICENSE', 'README.md', 'design', 'docs', 'src/index.ts', 'test/support', 'scripts']) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: folder,
      env: npmEnv(),
      encoding: 'utf8',
    });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
    const packed = files.map(({ path }) => path);
    const { exports, license }: { exports: Record<string, string | Record<string, string>>; license: string } =
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(license).toBe('MIT');
    const promised = Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(packed).toEqual(expect.arrayContaining(promised.map((path) => path.replace('./', ''))));
    const others = packed.filter((path) => !/^dist\//.test(path)).sort();
    expect(others).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it('[PK6] the configurations of docs/guides/deploy.md are taken, and one that is wrong is not', async () => {
    const [plain = '', classes = ''] = fenced('docs/guides/deploy.md', 'jsonc');
    // The first app has it. A date after August 2026 needs none.
    const bare = plain.replace(/.*compatibility_flags.*\n/, '');
    expect(bare).not.toBe(plain);
    expect(smallest.output).not.toMatch(WARNED);
    const ai = /`("ai": \{.*?\})`/.exec(readFileSync(join(root, 'docs', 'guides', 'deploy.md'), 'utf8'))?.[1];
    const whole = bare.replace(/"exports": \{.*?\n {2}\}/s, () => `${classes.trim()},\n  ${ai}`);
    const tried = async (config: string, ...args: string[]) => {
      writeFileSync(join(app.folder, 'tried.jsonc'), config);
      return await dryRun(app.folder, '--config', 'tried.jsonc', ...args);
    };
    const taken = await tried(whole, '--var', 'OFFSHOOT_MODEL:workers-ai/@cf/some/model');
    expect(taken).toMatchObject({ code: 0, output: expect.stringMatching(/env\.AI .*env\.OFFSHOOT_MODEL /s) });
    expect(taken.output).not.toMatch(WARNED);
    const wrong = await tried(whole.replace(', "renamed_to": "WorldClock"', ''));
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('renamed_to') });
    expect((await tried(bare.replace('2026-11-01', '2026-08-03'))).output).toContain('nodejs_compat');
  });
});
