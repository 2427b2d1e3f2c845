// A vitest reporter that counts, for the closing line of `npm test`: tests, and whatever failed outside of one.
import { writeFileSync } from 'node:fs';

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

/** Writes `{ passed, failed, skipped, broken, figures }` to the file that `OFFSHOOT_TEST_SUMMARY` names, if it does. */
export default class SummaryReporter {
  /** @type {string[]} what tests tell about their size (`test/support/sizes.ts`) */
  #figures = [];

  /** @param {{ content: string }} log */
  onUserConsoleLog({ content }) {
    const lines = content.split('\n').filter((line) => line.startsWith(FIGURES));
    this.#figures.push(...lines.map((line) => line.slice(FIGURES.length)));
  }

  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<{ message: string }>} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const file = process.env.OFFSHOOT_TEST_SUMMARY;
    if (!file) return;
    const counts = modules.map(countModule);
    const summary = {
      passed: counts.reduce((sum, each) => sum + each.passed, 0),
      failed: counts.reduce((sum, each) => sum + each.failed, 0),
      skipped: counts.flatMap((each) => each.skipped),
      figures: this.#figures,
      broken: [
        ...counts.flatMap((each) => each.broken),
        ...unhandled.map((error) => `an error outside of all tests: ${error.message}`),
      ],
    };
    writeFileSync(file, JSON.stringify(summary));
  }
}
