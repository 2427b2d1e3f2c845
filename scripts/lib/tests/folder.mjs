// The folder of a test run: all that its tests write lies below it, and goes with it.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files here are in memory: a runtime that commits waits for no disk. Linux has it. */
const IN_MEMORY = '/dev/shm';
/** What it must have room for, in bytes: more than a whole run writes. */
const ROOM = 4 * 1024 ** 3;

/**
 * @param {(path: string) => number | undefined} [roomOf] the free bytes of a file system, at most the machine's memory
 * @returns {string} the path of the folder in which runs have theirs
 */
export function placeOf(roomOf = freeRoom) {
  return (roomOf(IN_MEMORY) ?? 0) >= ROOM ? IN_MEMORY : tmpdir();
}

/** Makes the folder; it goes when this process ends. @returns {string} */
export function runFolder() {
  const folder = mkdtempSync(join(placeOf(), 'offshoot-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** @param {string} path */
function freeRoom(path) {
  try {
    const { bavail, bsize } = statfsSync(path);
    // A file system in memory may promise more than there is.
    return Math.min(bavail * bsize, process.availableMemory() / 2);
  } catch {
    return undefined;
  }
}
