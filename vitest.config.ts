import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { QUIET_ENV } from './scripts/lib/quiet.mjs';

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

export default defineConfig({
  test: {
    reporters: ['default', './scripts/lib/summary-reporter.mjs'],
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: 'core',
          include: ['test/{core,simulation,contract,node,types,providers}/**/*.test.ts'],
          environment: 'node',
          isolate: true,
          ...BACKSTOP,
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Packages that ship source maps without their sources are no concern of a test run.
        logLevel: 'error',
        // `ctx.exports` of a test holds the classes that its configuration names: facets in a migration, roots also
        // in a binding.
        plugins: [cloudflareTest({ wrangler: { configPath: './test/support/wrangler.jsonc' } })],
        test: {
          name: 'workerd',
          isolate: true,
          include: ['test/{workerd,fault}/**/*.test.ts'],
          // What runs inside workerd sees nothing else of this process's environment.
          env: NIGHTLY ? { OFFSHOOT_NIGHTLY: '1' } : {},
          ...BACKSTOP,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          environment: 'node',
          isolate: true,
          ...BACKSTOP,
          // Real servers share the machine's cores: one file at a time, after all else.
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          environment: 'node',
          isolate: true,
          ...BACKSTOP,
          // A browser and a server at once are enough for a machine.
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
