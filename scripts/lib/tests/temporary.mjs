// Where a run of the tests keeps its temporary files: in memory where the system has a place for that. Runtimes write each
// commit of an object to their disk and wait for it, thousands of times in a run.
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder in memory that Linux has. */
const MEMORY = '/dev/shm';
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
export function temporaryPlace({ named = process.env.TMPDIR, place = MEMORY, room = ROOM } = {}) {
  if (named) return named;
  try {
    const { bavail, bsize } = statfsSync(place);
    return Math.min(bavail * bsize, process.availableMemory()) >= room && runsPrograms(place) ? place : tmpdir();
  } catch {
    return tmpdir();
  }
}
