// The projects of vitest.config.ts: a whole run has tests of each.

export const PROJECTS = ['core', 'workerd', 'alone', 'browser', 'e2e', 'measured'];

/**
 * The projects of which a run has no file: it must not pass for a whole one.
 * @param {readonly import('./summary-reporter.mjs').FileTime[]} times
 */
export const unrun = (times) => PROJECTS.filter((name) => !times.some(({ project }) => project === name));
