// npm test [-- ARGS]: installs what is missing, runs every test once and closes with seconds and one plain line of counts.
// Arguments go to vitest, for example: npm test -- --project core
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { root } from './lib/paths.mjs';
import { runNode, runTool } from './lib/processes.mjs';
import { QUIET_ENV } from './lib/quiet.mjs';
import { settingsEnv } from './lib/settings-home.mjs';
import { unrun } from './lib/tests/projects.mjs';
import { secondsReport } from './lib/tests/seconds.mjs';
import { removeFolder, runFolder, temporaryPlace } from './lib/tests/temporary.mjs';

/** @param {string} file @returns {import('./lib/tests/summary-reporter.mjs').Summary} */
function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const broken = ['the test run ended before it could report'];
    return { passed: 0, failed: 0, skipped: [], broken, figures: [], times: [] };
  }
}

/**
 * Makes what many tests of a whole run share: the console's pages and the bundles of Workers. Test files that find them
 * missing make them, and fail by what is wrong with them.
 * @param {string} folder
 */
async function makeShared(folder) {
  const env = { ...QUIET_ENV, ...settingsEnv(join(folder, 'config')) };
  for (const args of [
    [join(root, 'scripts', 'console.mjs')],
    [join(root, 'scripts', 'lib', 'tests', 'bundle.mjs'), join(folder, 'bundles')],
  ]) {
    const { code, output } = await runNode(args, { env });
    if (code !== 0) console.error(output);
  }
}

await run(async () => {
  ensureInstalled();
  const folder = runFolder(temporaryPlace());
  process.once('exit', () => removeFolder(folder));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const temporary = join(folder, 'tmp');
  for (const each of [join(folder, 'bundles'), temporary]) mkdirSync(each);
  const args = process.argv.slice(2);
  const file = join(folder, 'summary.json');
  // The first tests only compute: by the time that others serve Workers, the bundles are there.
  const made = args.length === 0 ? makeShared(folder) : undefined;
  const { code } = await runTool('vitest', ['run', ...args], {
    env: { OFFSHOOT_TEST_SUMMARY: file, OFFSHOOT_TEST_BUNDLES: join(folder, 'bundles'), TMPDIR: temporary },
    inherit: true,
  });
  await made;
  const { passed, failed, skipped, broken: late, figures, times } = readSummary(file);
  const missing = args.length > 0 ? [] : unrun(times).map((name) => `no test of the project ${name} ran`);
  const broken = [...late, ...missing];
  for (const line of figures.sort()) console.log(line);
  for (const line of secondsReport(times)) console.log(line);
  for (const { name, reason } of skipped) console.log(`skipped: ${name} (${reason})`);
  for (const what of broken) console.log(`failed: ${what}`);
  const allFailed = failed + broken.length;
  if (passed + allFailed === 0) console.log('No test ran.');
  console.log(`${passed} passed, ${allFailed} failed, ${skipped.length} skipped`);
  return code !== 0 || allFailed > 0 || passed === 0 ? 1 : 0;
});
