import { availableParallelism } from 'node:os';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { root } from './scripts/lib/paths.mjs';
import { QUIET_ENV } from './scripts/lib/quiet.mjs';
import LongestFirst from './scripts/lib/tests/longest-first.mjs';
import { WAITING_WORKERS } from './scripts/lib/tests/projects.mjs';

Object.assign(process.env, QUIET_ENV);

const NIGHTLY = process.env.OFFSHOOT_NIGHTLY !== undefined;

/**
 * No test is right or wrong by how long it takes: this ends what would hang for ever, and is far from what any test
 * needs on a machine that is busy with something else. `test/support/patience.ts` does the same for waits within tests.
 */
const BACKSTOP = {
  testTimeout: NIGHTLY ? 7_200_000 : 900_000,
  hookTimeout: NIGHTLY ? 7_200_000 : 900_000,
  setupFiles: ['test/support/patience.ts'],
};

/** Imports a Markdown page as its text, as `rules` of wrangler.jsonc do. */
const pageText: Plugin = {
  name: 'offshoot:page-text',
  transform: (code, path) =>
    path.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
};

/** Leaves out the maps of packages: they are half of what each runtime is sent, and a stack of ours needs none. */
const withoutMaps: Plugin = {
  name: 'offshoot:without-maps',
  enforce: 'post',
  transform: (code, path) => (path.includes('/node_modules/') ? { code, map: { mappings: '' } } : undefined),
};

const src = `${root}/src`;

/** Finds the package by its name in apps of `examples/`, as `paths` of tsconfig.json do for the compiler. */
const PACKAGE = [
  { find: /^offshoot$/, replacement: `${src}/index.ts` },
  { find: /^offshoot\/models\/(.+)$/, replacement: `${src}/model/providers/$1.ts` },
  { find: /^offshoot\/(.+)$/, replacement: `${src}/$1.ts` },
];

/** Tests of a capability that need workerd lie beside its others. */
const IN_WORKERD = 'test/capabilities/**/*.workerd.test.ts';

/** Pure tests that measure their own thread: what other files left in memory would be counted as theirs. */
const MEASURED = ['test/node/linear/*.test.ts'];

/** A project whose tests run inside workerd. */
const runtimeProject = (name: string, test: object) => ({
  // Packages that ship source maps without their sources are no concern of a test run.
  logLevel: 'error' as const,
  // `ctx.exports` of a test holds the classes that its configuration names: facets in a migration, roots also in a
  // binding.
  plugins: [withoutMaps, cloudflareTest({ wrangler: { configPath: './test/support/wrangler.jsonc' } })],
  test: {
    name,
    // What runs inside workerd sees nothing else of this process's environment.
    env: NIGHTLY ? { OFFSHOOT_NIGHTLY: '1' } : {},
    ...BACKSTOP,
    // A file waits for a tenth of its time, for its runtime or for an alarm: another one works then.
    maxWorkers: availableParallelism() + 1,
    sequence: { groupOrder: 2 },
    ...test,
  },
});

const WAITING = { maxWorkers: WAITING_WORKERS, sequence: { groupOrder: 3 } };

/**
 * Tests in workerd that change every object of their isolate, or make a Worker of other agents, which RPC then reads.
 * Each has a runtime of its own, and most wait for alarms.
 */
const ALONE = [
  'test/fault/**/*.test.ts',
  'test/capabilities/copies/stopped.workerd.test.ts',
  'test/capabilities/effects/object.workerd.test.ts',
  'test/workerd/gateway/http.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default', './scripts/lib/tests/summary-reporter.mjs'],
    passWithNoTests: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [pageText],
        resolve: { alias: PACKAGE },
        test: {
          name: 'core',
          include: [
            'test/{capabilities,core,simulation,contract,node,providers,types}/**/*.test.ts',
            'examples/*/src/*.test.ts',
          ],
          exclude: [...MEASURED, IN_WORKERD],
          environment: 'node',
          // Two thirds of a file's time were the same imports again; no file leaves anything behind.
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
          ...BACKSTOP,
          setupFiles: [...BACKSTOP.setupFiles, 'test/support/one-scope.ts'],
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'measured',
          include: MEASURED,
          environment: 'node',
          ...BACKSTOP,
          maxWorkers: '100%',
          // By themselves: busy neighbours take from the caches what is measured. One for each core leaves enough.
          sequence: { groupOrder: 4 },
        },
      },
      runtimeProject('workerd', {
        include: ['test/workerd/**/*.test.ts', IN_WORKERD],
        exclude: ALONE,
        // The files share a runtime, as their imports take longer than most of their tests.
        isolate: false,
        setupFiles: [...BACKSTOP.setupFiles, 'test/support/fresh-storage.ts'],
      }),
      runtimeProject('alone', { include: ALONE, ...WAITING }),
      ...['e2e', 'browser'].map((name) => ({
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          environment: 'node' as const,
          isolate: false,
          restoreMocks: true,
          unstubGlobals: true,
          ...BACKSTOP,
          setupFiles: [
            ...[...BACKSTOP.setupFiles, 'test/support/one-scope.ts'],
            ...(name === 'browser' ? ['test/browser/after-each.ts'] : []),
          ],
          ...WAITING,
        },
      })),
    ],
  },
});
