// A vitest reporter that counts and times, for the closing lines of `npm test`: tests, whatever failed outside of one,
// and the seconds of each file.
import { writeFileSync } from 'node:fs';

/**
 * Times of one test file, in ms: its start and its end since 1970, and the work in between (imports, hooks, tests).
 * @typedef {{ project: string, file: string, from: number, to: number, work: number, tests: number }} FileTime
 *
 * @typedef {object} Summary
 * @property {number} passed
 * @property {number} failed
 * @property {{ name: string, reason: string }[]} skipped
 * @property {string[]} broken failures outside of tests, and tests without an end
 * @property {string[]} figures sizes that tests report (`test/support/sizes.ts`)
 * @property {FileTime[]} times
 */

/** @param {import('vitest/node').TestModule} module */
function countModule(module) {
  /** @type {{ passed: number, failed: number, skipped: { name: string, reason: string }[] }} */
  const summary = { passed: 0, failed: 0, skipped: [] };
  /** @type {string[]} */
  const broken = [];
  for (const test of module.children.allTests()) {
    const result = test.result();
    const name = `${module.relativeModuleId} > ${test.fullName}`;
    if (result.state === 'passed') summary.passed += 1;
    else if (result.state === 'failed') summary.failed += 1;
    else if (result.state === 'skipped') summary.skipped.push({ name, reason: result.note ?? 'no reason given' });
    else broken.push(`${name} did not run to its end`);
  }
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) broken.push(`${module.relativeModuleId} > ${suite.fullName} (in its hooks)`);
  }
  if (module.errors().length > 0) broken.push(`${module.relativeModuleId} (outside of its tests)`);
  return { ...summary, broken };
}

const FIGURES = 'Figures: ';

/** Writes a `Summary` to the file that `OFFSHOOT_TEST_SUMMARY` names; does nothing without one. */
export default class SummaryReporter {
  /** @type {string[]} */
  #figures = [];
  /** @type {FileTime[]} */
  #times = [];
  /** @type {Map<string, number>} */
  #starts = new Map();

  /** @param {{ content: string }} log */
  onUserConsoleLog({ content }) {
    const lines = content.split('\n').filter((line) => line.startsWith(FIGURES));
    this.#figures.push(...lines.map((line) => line.slice(FIGURES.length)));
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart(module) {
    this.#starts.set(module.id, performance.timeOrigin + performance.now());
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
    const to = performance.timeOrigin + performance.now();
    this.#times.push({
      project: module.project.name,
      file: module.relativeModuleId,
      from: this.#starts.get(module.id) ?? to,
      to,
      work: duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration,
      tests: [...module.children.allTests()].length,
    });
  }

  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<{ message: string }>} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const file = process.env.OFFSHOOT_TEST_SUMMARY;
    if (!file) return;
    const counts = modules.map(countModule);
    /** @type {Summary} */
    const summary = {
      passed: counts.reduce((sum, each) => sum + each.passed, 0),
      failed: counts.reduce((sum, each) => sum + each.failed, 0),
      skipped: counts.flatMap((each) => each.skipped),
      figures: this.#figures,
      broken: [
        ...counts.flatMap((each) => each.broken),
        ...unhandled.map((error) => `an error outside of all tests: ${error.message}`),
      ],
      times: this.#times,
    };
    writeFileSync(file, JSON.stringify(summary));
  }
}
