// Servers of kept bundles, as the process that starts them has them: like the child process of another server. One
// process serves them all (`kept-host.mjs`).
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { nodePath, root, toolEnv } from '../paths.mjs';
import { QUIET_ENV } from '../quiet.mjs';

/** @typedef {import('./kept-host.mjs').Heard} Heard */

/** @type {Map<number, KeptServer>} */
const servers = new Map();

/** @type {import('node:child_process').ChildProcess | undefined} */
let host;
let lastId = 0;

/** @returns {import('node:child_process').ChildProcess} */
function running() {
  if (host?.connected) return host;
  const script = (/** @type {string} */ name) => join(root, 'scripts', 'lib', name);
  const args = ['--no-warnings', '--import', pathToFileURL(script('guard.mjs')).href, script('tests/kept-host.mjs')];
  const started = spawn(nodePath(), args, {
    cwd: root,
    env: { ...toolEnv(), ...QUIET_ENV },
    // Ctrl-C in the terminal reaches the tests alone, which end their servers in order.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  started.on('message', (/** @type {Heard} */ heard) => servers.get(heard.id)?.hear(heard));
  started.once('exit', (code) => {
    for (const server of servers.values())
      if (server.host === started) server.hear({ id: server.id, ended: code ?? 1 });
  });
  host = started;
  return started;
}

/** While it serves, it keeps this process, as a server of its own would; else it ends with it. */
function keep() {
  for (const each of [host, host?.channel]) {
    if (servers.size > 0) each?.ref();
    else each?.unref();
  }
}

/** One of them. Emits `message` with `ready` once it listens, and `exit` once it has ended. */
export class KeptServer extends EventEmitter {
  id = ++lastId;
  /** The process of its runtime, once it listens. */
  pid = 0;
  stdout = new PassThrough();
  stderr = null;
  /** @type {number | null} */
  exitCode = null;
  signalCode = null;

  /** @param {Parameters<typeof import('./kept-bundle.mjs').serveKept>[0]} options */
  constructor(options) {
    super();
    servers.set(this.id, this);
    this.host = running();
    this.host.send({ id: this.id, start: options });
    keep();
  }

  /** @param {Heard} heard */
  hear(heard) {
    if ('says' in heard) this.stdout.write(heard.says);
    else if ('ready' in heard) {
      this.pid = heard.ready;
      this.emit('message', 'ready');
    } else {
      this.exitCode = heard.ended;
      servers.delete(this.id);
      keep();
      this.emit('exit', heard.ended);
    }
  }

  /** Ends it in order; again is harmless. */
  kill() {
    if (this.exitCode === null && this.host.connected) this.host.send({ id: this.id, end: true });
  }
}
