// Where a run of the tests keeps its temporary files: in memory where the system has a place for that. Runtimes write each
// commit of an object to their disk and wait for it, thousands of times in a run.
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder in memory that Linux has. */
const MEMORY = '/dev/shm';
/** Where the environment wants them, as `tmpdir` of Node reads it. */
const NAMED = process.env.TMPDIR || process.env.TMP || process.env.TEMP;
/** More than a whole run keeps at a time, in bytes. */
const ROOM = 4 * 1024 ** 3;

/**
 * True where programs run from a folder: some tests write one. A container may forbid it for this folder.
 * @param {string} place
 */
function runsPrograms(place) {
  const folder = mkdtempSync(join(place, 'offshoot-'));
  try {
    const file = join(folder, 'program');
    writeFileSync(file, '', { mode: 0o700 });
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The folder for temporary files. One that the environment names stays.
 * @param {{ named?: string | undefined, place?: string, room?: number }} [options] of tests
 */
export function temporaryPlace({ named = NAMED, place = MEMORY, room = ROOM } = {}) {
  if (named) return named;
  try {
    const { bavail, bsize } = statfsSync(place);
    // Files in memory take it from the processes of the run, which need as much.
    const hasRoom = bavail * bsize >= room && process.availableMemory() >= 2 * room;
    return hasRoom && runsPrograms(place) ? place : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** The beginning of a run's folder, before the id of its process. */
const RUN = 'offshoot-test-';

/** Makes the folder of this run in a place, and removes those of runs that were killed there. @param {string} place */
export function runFolder(place) {
  for (const name of readdirSync(place)) {
    const pid = new RegExp(`^${RUN}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeFolder(join(place, name));
  }
  return mkdtempSync(join(place, `${RUN}${process.pid}-`));
}

/** Removes a folder. A process that is still ending may write there: a run does not fail by that. @param {string} folder */
export function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.error(`${folder} could not be removed: ${error}`);
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process may not be asked.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
