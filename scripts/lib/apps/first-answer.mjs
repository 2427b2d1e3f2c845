// The first answer of an app that is served on this machine.
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../fail.mjs';
import { allGone, killAll, processTree } from '../processes.mjs';
import { QUIET_ENV } from '../quiet.mjs';

/** How long a server may take to its first answer, in seconds: far more than it needs on a busy machine. */
const MAX_SECONDS = 600;

/**
 * Serves an app until it has answered, and ends the server with its children.
 * @template Answer
 * @param {{ command: string, args: string[], cwd: string, env?: Record<string, string | undefined> }} server
 * @param {() => Promise<Answer>} ask rejects while nobody listens
 * @returns {Promise<Answer>}
 * @throws {UserError} where it does not answer in time
 */
export async function firstAnswer({ command, args, cwd, env = process.env }, ask) {
  const server = spawn(command, args, { cwd, env: { ...env, ...QUIET_ENV }, stdio: 'ignore' });
  try {
    for (const until = Date.now() + MAX_SECONDS * 1000; Date.now() < until; await delay(100)) {
      const answer = await ask().catch(() => undefined);
      if (answer !== undefined) return answer;
    }
    throw new UserError('wrangler dev did not answer.');
  } finally {
    const tree = server.pid === undefined ? [] : processTree(server.pid);
    killAll(tree);
    await allGone(tree, 10_000);
  }
}

/**
 * Starts a run and waits for its end.
 * @param {number} port @param {string} path of the start @param {string} message
 * @returns {Promise<any>}
 */
export async function startOn(port, path, message) {
  const answer = await fetch(`http://localhost:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message, wait: true }),
  });
  return answer.json();
}
