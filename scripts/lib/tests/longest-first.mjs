// The order of test files: those that take long begin first, so that no worker is left alone with one at the end.
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from '../paths.mjs';
import { PROJECTS, WAITING_WORKERS } from './projects.mjs';

/** Files that take long, the longest first. Without an earlier run vitest begins with the largest, and these may be small. */
export const LONG = [
  // The first builds the package, which the third needs too.
  'test/types/package.test.ts',
  'test/types/decided.test.ts',
  'test/types/compiled.test.ts',
  'test/node/cli/entry.test.ts',
  'test/simulation/companion-removal.test.ts',
  'test/capabilities/copies/sent/sent-copy.test.ts',
  'test/fault/crash-at-every-commit.test.ts',
  'test/capabilities/effects/object.workerd.test.ts',
  'test/workerd/facets.test.ts',
  'test/workerd/gateway/rpc.test.ts',
  'test/workerd/workspace.test.ts',
  'test/workerd/sockets/sockets.test.ts',
  'test/browser/console-press.test.ts',
  'test/browser/console-lists.test.ts',
  'test/browser/console-transcript.test.ts',
  'test/browser/console-inbox.test.ts',
  'test/browser/console-run.test.ts',
  'test/browser/console-times.test.ts',
  'test/browser/console.test.ts',
  'test/browser/console-variables.test.ts',
  'test/browser/console-load.test.ts',
  'test/browser/examples.test.ts',
  'test/e2e/kill-companions.test.ts',
  'test/e2e/waits.test.ts',
  'test/e2e/kill.test.ts',
  'test/e2e/sdk-client.test.ts',
  'test/e2e/elsewhere.test.ts',
  'test/e2e/ask.test.ts',
  'test/e2e/check.test.ts',
  'test/e2e/ask-kill.test.ts',
  'test/e2e/rights.test.ts',
  'test/e2e/serve.test.ts',
  'test/e2e/builds/two-builds.test.ts',
  'test/e2e/examples/examples.test.ts',
  'test/e2e/client.test.ts',
];

/** The files of the first wait for alarms most of their time, beside those of the second. */
const [WAITS, WORKS] = ['alone', 'browser'];
/**
 * Files in an order in which those of a project are together; of each project the long ones come first. Those in a browser
 * begin with one file that waits; the next is behind the first of each other worker, the rest behind all.
 * @template Spec
 * @param {readonly Spec[]} specs
 * @param {(spec: Spec) => { project: string, file: string }} whose
 * @param {number} [others] workers beside the one that waits
 * @returns {Spec[]}
 */
export function longFirst(specs, whose, others = WAITING_WORKERS - 1) {
  const place = (/** @type {Spec} */ spec) => {
    const at = LONG.indexOf(whose(spec).file);
    return at < 0 ? LONG.length : at;
  };
  const of = (/** @type {string} */ name) =>
    specs.filter((spec) => whose(spec).project === name).sort((one, other) => place(one) - place(other));
  const waiting = of(WAITS);
  const known = PROJECTS.flatMap((name) => {
    if (name === WAITS) return [];
    const own = of(name);
    if (name !== WORKS) return own;
    const begins = [...waiting.slice(0, 1), ...own.slice(0, others), ...waiting.slice(1, 2)];
    return [...begins, ...own.slice(others), ...waiting.slice(2)];
  });
  return [...known, ...specs.filter((spec) => !known.includes(spec))];
}

/** Begins with what failed or took longest before, and with the long ones of all. */
export default class LongestFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    return longFirst(await super.sort(files), ({ project, moduleId }) => ({
      project: project.name,
      file: relative(root, moduleId),
    }));
  }
}
