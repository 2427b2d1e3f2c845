// The projects of vitest.config.ts, in the order in which a run has them: a whole one has tests of each.
import { availableParallelism } from 'node:os';

export const PROJECTS = ['core', 'workerd', 'alone', 'browser', 'e2e', 'measured'];

/** Workers for projects whose files wait for most of their time, for a server, a page or a clock: others work then. */
export const WAITING_WORKERS = 3 * availableParallelism();

/**
 * The projects of which a run has no file: it must not pass for a whole one.
 * @param {readonly import('./summary-reporter.mjs').FileTime[]} times
 */
export const unrun = (times) => PROJECTS.filter((name) => !times.some(({ project }) => project === name));
