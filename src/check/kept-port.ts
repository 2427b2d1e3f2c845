/**
 * The port of the server that `offshoot dev` runs in a folder, for `offshoot ask`.
 *
 * Keeps K12, OC17. Only the port is kept: whatever the file says, a token is sent to this machine alone.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In the folder of wrangler's own state, which no repository has. */
const fileIn = (folder: string): string => join(folder, '.wrangler', 'offshoot-dev.json');

/** Keeps the port of this process's server; undefined takes it away. A folder that cannot be written keeps none. */
export function keepPort(folder: string, port: number | undefined): void {
  const file = fileIn(folder);
  try {
    if (port === undefined) {
      if (keptIn(file)?.pid === process.pid) rmSync(file);
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ pid: process.pid, port }));
  } catch {
    // `--url` remains.
  }
}

/** The URL of the server that runs in a folder; undefined where none was started or its process has ended. */
export function keptUrl(folder: string): string | undefined {
  const kept = keptIn(fileIn(folder));
  return kept && isAlive(kept.pid) ? `http://localhost:${kept.port}` : undefined;
}

function keptIn(file: string): { readonly pid: number; readonly port: number } | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 && Number.isSafeInteger(port) ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, but is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
