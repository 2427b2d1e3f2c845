// Processes and their descendants, always by process id, never by name.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { nodePath, root, toolEnv, toolPath } from './paths.mjs';

const POLL_MS = 20;

/**
 * A process as the system lists it. `started` tells two processes apart that had the same id one after the other.
 * @typedef {{ pid: number, parent: number, started: string }} ProcessInfo
 */

/**
 * A process as a line of `/proc/PID/stat` tells of it. The first thread of a killed process becomes a zombie while others
 * still end, and until the last one has ended the process keeps its files and ports: only then it is gone (proc(5)).
 * @param {number} pid
 * @param {string} stat
 * @returns {ProcessInfo | undefined} undefined when it only waits to be reaped
 */
export function processOf(pid, stat) {
  // The name in parentheses may hold spaces; the fields that matter come after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  const threads = Number(fields[17]);
  if (state === 'X' || (state === 'Z' && threads <= 1)) return undefined;
  return { pid, parent: Number(parent), started: fields[19] ?? '' };
}

/** @param {number} pid @returns {ProcessInfo | undefined} undefined when it is gone or only waits to be reaped */
function readProc(pid) {
  try {
    return processOf(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @returns {ProcessInfo[]} all living processes */
function processes() {
  if (process.platform === 'linux') {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProc(Number(name)) ?? []) : []));
  }
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, parent, stat, ...started] = line.trim().split(/\s+/);
    if (!pid || stat?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), started: started.join(' ') }];
  });
}

/**
 * A process and all its descendants, parents first.
 * @param {number | undefined} pid
 * @returns {ProcessInfo[]} empty when it is gone, or has not begun
 */
export function processTree(pid) {
  if (!pid) return [];
  const all = processes();
  const tree = all.filter((each) => each.pid === pid);
  for (let at = 0; at < tree.length; at += 1) {
    tree.push(...all.filter((each) => each.parent === tree[at]?.pid));
  }
  return tree;
}

/**
 * The parent of this process, its parent, and so on, nearest first.
 * @param {number} levels how many at most
 * @returns {ProcessInfo[]}
 */
export function ancestors(levels) {
  const all = processes();
  /** @type {ProcessInfo[]} */
  const found = [];
  for (let pid = process.ppid; found.length < levels; pid = found.at(-1)?.parent ?? 0) {
    const info = all.find((each) => each.pid === pid);
    if (!info) break;
    found.push(info);
  }
  return found;
}

/**
 * @param {ProcessInfo} info
 * @returns {boolean} true while that very process lives
 */
export function isAlive(info) {
  if (process.platform === 'linux') return readProc(info.pid)?.started === info.started;
  return processes().some((each) => each.pid === info.pid && each.started === info.started);
}

/**
 * Sends SIGKILL to the living ones of a list.
 * @param {ProcessInfo[]} list
 */
export function killAll(list) {
  for (const info of list.filter(isAlive)) {
    try {
      process.kill(info.pid, 'SIGKILL');
    } catch {
      // It ended between the look and the signal, which is what we want.
    }
  }
}

/**
 * Waits until all are gone.
 * @param {ProcessInfo[]} list
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} false when some still live after that time
 */
export async function allGone(list, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  while (list.some(isAlive)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Runs a command of an installed package on the project's Node and collects what it prints.
 * @param {string} name the package
 * @param {string[]} args
 * @param {{ command?: string, env?: Record<string, string>, cwd?: string, inherit?: boolean }} [options]
 *   `inherit` lets it print straight to the terminal
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runTool(name, args, options = {}) {
  return runNode([toolPath(name, options.command), ...args], options);
}

/**
 * Collects the output of a process. Of one that prints without an end the last part is kept.
 * @param {{ stdout: import('node:stream').Readable | null, stderr: import('node:stream').Readable | null }} child
 * @param {number} [most] characters
 * @returns {() => string} its output so far
 */
export function outputOf({ stdout, stderr }, most = 16_000_000) {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.length > 2 * most) output = output.slice(-most);
    });
  }
  return () => output.slice(-most);
}

/**
 * Runs a script on the project's Node and collects what it prints.
 * @param {string[]} args the script and its arguments
 * @param {{ env?: Record<string, string>, cwd?: string, inherit?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runNode(args, { env = {}, cwd = root, inherit = false } = {}) {
  return new Promise((resolve, reject) => {
    // After `--` Node itself reads no options: they are the script's.
    const child = spawn(nodePath(), ['--', ...args], {
      cwd,
      env: { ...toolEnv(), ...env },
      stdio: ['ignore', inherit ? 'inherit' : 'pipe', inherit ? 'inherit' : 'pipe'],
    });
    const output = outputOf(child);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: output() }));
  });
}
