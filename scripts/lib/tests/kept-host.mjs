// The process that serves kept bundles for one process of tests, which starts it (`kept-servers.mjs`): each server is a
// runtime of its own. What it reads of the runtime's library takes five times as long as a start by it.
import { dirname } from 'node:path';
import { root } from '../paths.mjs';
import { processTree } from '../processes.mjs';
import { serveKept } from './kept-bundle.mjs';

/**
 * What a process of tests asks.
 * @typedef {{ id: number, start: Parameters<typeof serveKept>[0] } | { id: number, end: true }} Asked
 *
 * What it hears of a server: what that prints, that it listens and by which process, and that it has ended.
 * @typedef {{ id: number } & ({ says: string } | { ready: number } | { ended: number })} Heard
 */

/** @type {Map<number, Promise<{ dispose: () => Promise<void> }>>} */
const servers = new Map();

/** @param {Heard} heard */
const report = (heard) => void process.send?.(heard);

/** @param {unknown} error what the runtime throws, with what is wrong somewhere inside @returns {string} */
const reasonOf = (error) =>
  error instanceof Error ? (error.cause === undefined ? error.message : reasonOf(error.cause)) : String(error);

/** @returns {number[]} the processes that this one has started, and that live */
const children = () => processTree(process.pid).flatMap(({ pid, parent }) => (parent === process.pid ? [pid] : []));

/** @param {number} id @param {Parameters<typeof serveKept>[0]} options */
async function startServer(id, options) {
  // What a configuration names and runs is where its server would be.
  process.chdir(dirname(options.config));
  /** @type {number[]} */
  let before = [];
  try {
    const server = await serveKept(options, {
      says: (text) => report({ id, says: `${text}\n` }),
      starts: () => {
        before = children();
      },
    });
    const [own = 0] = children().filter((pid) => !before.includes(pid));
    report({ id, ready: own });
    return server;
  } catch (error) {
    report({ id, says: `${reasonOf(error)}\n` });
    report({ id, ended: 1 });
    throw error;
  } finally {
    process.chdir(root);
  }
}

/** One after another: that process which comes during a start is its runtime. @type {Promise<unknown>} */
let last = Promise.resolve();

/** @param {Asked} asked */
async function hear(asked) {
  const { id } = asked;
  if ('start' in asked) {
    const started = last.then(() => startServer(id, asked.start));
    servers.set(id, started);
    last = started.catch(() => servers.delete(id));
    return;
  }
  const server = await servers.get(id)?.catch(() => undefined);
  servers.delete(id);
  // A runtime that was killed has nothing to end in order.
  await server?.dispose().catch(() => undefined);
  report({ id, ended: 0 });
}

process.on('message', hear);
// `guard.mjs`, which ends this process with the other one, lets it end before.
process.channel?.ref();
