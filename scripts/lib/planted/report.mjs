// The report of a test run, read. All of it is pure.
import { posix } from 'node:path';

/**
 * A run of tests. `failed` is its first failure, and missing where all passed.
 * @typedef {object} Report
 * @property {number} seconds
 * @property {number} passed
 * @property {{ file: string, title: string } | undefined} failed
 * @property {Map<string, number>} files how many seconds each file took, by its path
 */

/**
 * What a report of vitest in JSON holds, as far as it is read here.
 * @typedef {{ name: string, status: string, message?: string, startTime: number, endTime: number,
 *   assertionResults: { fullName: string, status: string }[] }} FileReport
 */

/**
 * @param {string} text the report in JSON; empty where the run ended before it
 * @param {{ code: number, output: string, late: boolean, seconds: number, folder: string }} run
 * @returns {Report}
 */
export function readReport(text, { code, output, late, seconds, folder }) {
  /** @type {{ testResults: FileReport[] }} */
  const { testResults } = text === '' ? { testResults: [] } : JSON.parse(text);
  const pathOf = (/** @type {FileReport} */ { name }) => posix.relative(folder, name);
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: pathOf(file) })));
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const files = new Map(testResults.map((file) => [pathOf(file), (file.endTime - file.startTime) / 1_000]));
  return { seconds, passed, files, failed: failureOf() };

  function failureOf() {
    const first = tests.find(({ status }) => status === 'failed');
    if (first) return { file: first.file, title: first.fullName };
    const broken = testResults.find(({ status }) => status === 'failed');
    if (broken) return { file: pathOf(broken), title: `(outside of its tests) ${firstLine(broken.message ?? '')}` };
    if (late) return { file: '', title: `(the tests did not end within ${Math.round(seconds)} s)` };
    return code === 0 ? undefined : { file: '', title: `(outside of all tests) ${firstLine(output)}` };
  }
}

/** @param {string} text */
const firstLine = (text) => (text.trim().split('\n')[0] ?? '').slice(0, 200);
