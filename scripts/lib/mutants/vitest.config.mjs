// The project `core` with switched sources, for the mutants (runner.mjs).
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../paths.mjs';
import { switched } from './switches.mjs';

const { switches, testTimeout, files } = JSON.parse(readFileSync(process.env.OFFSHOOT_MUTANTS ?? '', 'utf8'));
/** @type {Map<string, import('./operators.mjs').Mutant[]>} */
const mutants = Map.groupBy(switches, ({ file }) => file);
const { default: config } = await import(join(root, 'vitest.config.ts'));
const [core] = config.test.projects;

export default defineConfig({
  root,
  ...core,
  plugins: [
    ...core.plugins,
    {
      name: 'offshoot:switches',
      enforce: 'pre',
      transform(/** @type {string} */ code, /** @type {string} */ id) {
        // A test may import a module once more under a query of its own.
        const own = mutants.get(relative(root, id.replace(/\?.*$/, '')));
        return own && { code: switched(code, own, (one) => /** @type {any} */ (one).number), map: null };
      },
    },
  ],
  test: {
    ...core.test,
    include: files,
    exclude: [],
    runner: join(root, 'scripts', 'lib', 'mutants', 'runner.mjs'),
    reporters: [],
    testTimeout,
    // Else code with the switches of an earlier run would be taken.
    fsModuleCache: false,
    maxWorkers: 1,
    fileParallelism: false,
    passWithNoTests: true,
  },
});
