// The seconds of a test run as lines to print: each project, and the slowest files.

/** @typedef {import('./summary-reporter.mjs').FileTime} FileTime */

/** How many files are listed. */
const SLOWEST = 15;

/** @param {number} ms */
const seconds = (ms) => (ms / 1000).toFixed(1).padStart(7);

/**
 * Rows of projects in the order in which they began. `clock` is the time from the first start of a file to the last end;
 * `work` is the sum over files, which is more than the clock where files run side by side.
 * @param {readonly FileTime[]} times
 */
export function projectTimes(times) {
  /** @type {Map<string, { project: string, files: number, tests: number, from: number, to: number, work: number }>} */
  const projects = new Map();
  for (const { project, tests, from, to, work } of times) {
    const row = projects.get(project) ?? { project, files: 0, tests: 0, from, to, work: 0 };
    projects.set(project, {
      project,
      files: row.files + 1,
      tests: row.tests + tests,
      from: Math.min(row.from, from),
      to: Math.max(row.to, to),
      work: row.work + work,
    });
  }
  return [...projects.values()]
    .sort((one, other) => one.from - other.from)
    .map(({ from, to, ...row }) => ({ ...row, clock: to - from }));
}

/**
 * Lines of the closing report; none where no file ran.
 * @param {readonly FileTime[]} times
 * @returns {string[]}
 */
export function secondsReport(times) {
  if (times.length === 0) return [];
  const slowest = [...times].sort((one, other) => other.work - one.work).slice(0, SLOWEST);
  return [
    'Seconds by project: on the clock, summed over files',
    ...projectTimes(times).map(
      ({ project, files, tests, clock, work }) =>
        `${seconds(clock)} ${seconds(work)}  ${project} (${files} files, ${tests} tests)`,
    ),
    'The slowest files',
    ...slowest.map(({ project, file, work }) => `${seconds(work)}  ${project} ${file}`),
  ];
}
