// npm test [-- ARGS]: installs what is missing, runs every test once and closes with seconds and one plain line of counts.
// Arguments go to vitest, for example: npm test -- --project core
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runTool } from './lib/processes.mjs';
import { secondsReport } from './lib/tests/seconds.mjs';

/** @param {string} file @returns {import('./lib/tests/summary-reporter.mjs').Summary} */
function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const broken = ['the test run ended before it could report'];
    return { passed: 0, failed: 0, skipped: [], broken, figures: [], times: [] };
  }
}

await run(async () => {
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const file = join(folder, 'summary.json');
  const bundles = join(folder, 'bundles');
  mkdirSync(bundles);
  const { code } = await runTool('vitest', ['run', ...process.argv.slice(2)], {
    env: { OFFSHOOT_TEST_SUMMARY: file, OFFSHOOT_TEST_BUNDLES: bundles },
    inherit: true,
  });
  const { passed, failed, skipped, broken, figures, times } = readSummary(file);
  for (const line of figures.sort()) console.log(line);
  for (const line of secondsReport(times)) console.log(line);
  for (const { name, reason } of skipped) console.log(`skipped: ${name} (${reason})`);
  for (const what of broken) console.log(`failed: ${what}`);
  const allFailed = failed + broken.length;
  if (passed + allFailed === 0) console.log('No test ran.');
  console.log(`${passed} passed, ${allFailed} failed, ${skipped.length} skipped`);
  return code !== 0 || allFailed > 0 || passed === 0 ? 1 : 0;
});
