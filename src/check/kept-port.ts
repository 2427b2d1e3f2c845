/**
 * The port of the server that `offshoot dev` runs in a folder, for `offshoot ask`.
 *
 * Keeps K12, OC17. The port and its protocol are kept, and no URL: whatever the file says, a token is sent to this machine
 * alone. The number of a process may be another one's by now, so when the process began is kept with it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In the folder of wrangler's own state, which no repository has. */
const fileIn = (folder: string): string => join(folder, '.wrangler', 'offshoot-dev.json');

/** The protocol of a server on this machine. */
export type LocalProtocol = 'http' | 'https';

interface Kept {
  readonly pid: number;
  readonly port: number;
  readonly protocol: LocalProtocol;
  /** When the process began, where the system says so. */
  readonly began?: string | undefined;
}

/** Keeps the port of this process's server; undefined takes it away. A folder that cannot be written keeps none. */
export function keepPort(folder: string, port: number | undefined, protocol: LocalProtocol = 'http'): void {
  const file = fileIn(folder);
  try {
    if (port === undefined) {
      if (keptIn(file)?.pid === process.pid) rmSync(file);
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    const { pid } = process;
    writeFileSync(file, JSON.stringify({ pid, port, protocol, began: beganAt(pid) } satisfies Kept));
  } catch {
    // `--url` remains.
  }
}

/** The URL of the server that runs in a folder; undefined where none was started or its process has ended. */
export function keptUrl(folder: string): string | undefined {
  const kept = keptIn(fileIn(folder));
  if (kept === undefined || !isAlive(kept.pid) || kept.began !== beganAt(kept.pid)) return undefined;
  return `${kept.protocol}://localhost:${kept.port}`;
}

function keptIn(file: string): Kept | undefined {
  try {
    const { pid, port, protocol, began } = JSON.parse(readFileSync(file, 'utf8'));
    if (!Number.isSafeInteger(pid) || pid <= 0 || !Number.isSafeInteger(port)) return undefined;
    return { pid, port, protocol: protocol === 'https' ? protocol : 'http', began };
  } catch {
    return undefined;
  }
}

/**
 * When a process began, as the system says it: no other process with its number has that. Undefined where nothing says so,
 * as under Windows.
 */
function beganAt(pid: number): string | undefined {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name of the command, which may contain anything.
    return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[BEGAN];
  } catch {
    return beganByPs(pid);
  }
}

/** The place of the time among the facts behind the name, from 0 (proc(5): `starttime`). */
const BEGAN = 19;

function beganByPs(pid: number): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe', env }).trim();
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
