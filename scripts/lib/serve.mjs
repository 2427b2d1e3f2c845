// Serves a Worker on this machine by wrangler, and ends it without leaving anything behind.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { withEncryptionKey } from './encryption-key.mjs';
import { UserError } from './fail.mjs';
import { nodePath, root, toolEnv } from './paths.mjs';
import { freePort, isPortFree, LOOPBACK } from './ports.mjs';
import { allGone, killAll, processTree } from './processes.mjs';
import { QUIET_ENV } from './quiet.mjs';
import { settingsEnv } from './settings-home.mjs';
import { KeptServer } from './tests/kept-servers.mjs';

/** How long a start may take before it counts as failed: a failure says so itself, and a busy machine is slow. */
const START_TIMEOUT_MS = 300_000;
/** A request that a server which starts has not answered by then is asked again, in ms. */
const ASK_AGAIN_MS = 20_000;
/** How long a stopped server may take to end by itself before it is killed. */
const STOP_GRACE_MS = 5_000;
/** How long the system may take to remove killed processes. */
const KILL_TIMEOUT_MS = 60_000;
/** After a first error message, how long to wait for the rest of it. */
const ERROR_TAIL_MS = 500;
/** How much of the server's output is kept for error messages. */
const KEPT_OUTPUT_CHARS = 64_000;

/** Where `npm start` keeps what its agents remember. */
const DEFAULT_STATE = join(root, '.offshoot', 'state');

/**
 * @typedef {object} ServeOptions
 * @property {number} [port] default: any free one
 * @property {string} [persistTo] the folder for what Durable Objects store; default `.offshoot/state`
 * @property {Record<string, string>} [vars] added to the Worker's `env`; never visible in the process list
 * @property {string} [config] the wrangler configuration; default the project's `wrangler.jsonc`
 * @property {number} [inspectorPort] opens the runtime's inspector there, for a debugger; default: there is none
 * @property {string[]} [envFiles] files with more of `env`, in the form of `.env`; missing ones are skipped
 * @property {'answer' | 'port'} [waitFor] what a start waits for: `answer` (the default) for the Worker's first answer,
 *   `port` only until it listens, for a Worker that may block its process from the first moment on
 * @property {string} [bundles] a folder in which the bundle of this start is kept for later ones, which take it; default:
 *   each start makes its own
 * @property {string[]} [beside] configurations of Workers that the Worker reaches by their names; only with `bundles`
 * @property {boolean} [quiet] true (the default) prints nothing; false prints the Worker's warnings and errors
 *
 * @typedef {object} Server
 * @property {string} url without a slash at the end
 * @property {number} port
 * @property {number} pid of the server's first process
 * @property {() => Promise<void>} stop ends it in order and waits until all its processes are gone; again is harmless
 * @property {() => Promise<void>} killHard SIGKILLs it and all processes below it at once, as a crash would, and
 *   waits until they are gone; again is harmless
 * @property {() => string} output the end of what it printed
 * @property {Promise<number | null>} exited settles when its first process has ended, with the exit code
 */

/**
 * The process of a server, or one of many of a process.
 * @typedef {import('node:child_process').ChildProcess | KeptServer} Child
 */

/**
 * The lock on a folder of state: two servers on the same one would corrupt each other's objects.
 * @param {string} persistTo
 */
function stateLock(persistTo) {
  const file = join(persistTo, 'server.json');
  return {
    /** @returns {{ pid: number, started: string, url: string } | undefined} the server that holds it now */
    holder() {
      try {
        const held = JSON.parse(readFileSync(file, 'utf8'));
        const [process] = processTree(held.pid);
        return process?.started === held.started ? held : undefined;
      } catch {
        return undefined;
      }
    },
    /** @param {number} pid @param {string} url */
    take(pid, url) {
      const [process] = processTree(pid);
      writeFileSync(file, JSON.stringify({ pid, started: process?.started ?? '', url }));
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

/**
 * The address of the server that runs on a folder of state now.
 * @param {string} [persistTo] default `.offshoot/state`
 * @returns {string | undefined} undefined when none does
 */
export function runningServer(persistTo = DEFAULT_STATE) {
  return stateLock(resolve(persistTo)).holder()?.url;
}

/**
 * Writes `vars` where wrangler reads them, readable for this user alone.
 * @param {string} file
 * @param {Record<string, string>} vars
 */
function writeVars(file, vars) {
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${quoteVar(name, value)}`);
  rmSync(file, { force: true });
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/**
 * Quotes keep every character as it is, except `$`, which would be expanded.
 * @param {string} name @param {string} value
 */
function quoteVar(name, value) {
  const quote = ["'", '`', '"'].find((each) => !value.includes(each));
  if (!quote || (quote === '"' && /\\[nr]/.test(value))) {
    throw new UserError(`The value of ${name} mixes all kinds of quotes, which cannot be handed to the server.`);
  }
  return `${quote}${value.replaceAll('$', '\\$')}${quote}`;
}

/**
 * Keeps the end of what a server prints, and shows it where wanted.
 * @param {Child} child
 * @param {boolean} quiet
 */
function collectOutput(child, quiet) {
  let kept = '';
  let shown = !quiet;
  /** @type {(() => void)[]} */
  const listeners = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      kept = (kept + stripVTControlCharacters(text)).slice(-KEPT_OUTPUT_CHARS);
      if (shown) process.stderr.write(text);
      for (const listener of listeners) listener();
    });
  }
  return {
    text: () => kept.trim(),
    /** @param {() => void} listener */
    onMore: (listener) => listeners.push(listener),
    /** From now on nothing is shown: what the parts of a server say while they end is of no use. */
    mute: () => {
      shown = false;
    },
  };
}

/**
 * What a Worker says is wrong with itself (a class without an export or a migration, with the line to add): every
 * request would be answered with that.
 * @param {Response} answer its first
 * @returns {Promise<string | undefined>}
 */
async function faultOf(answer) {
  const text = await answer.text();
  if (answer.status !== 503 || answer.headers.get('content-type') !== 'application/problem+json') return undefined;
  return JSON.parse(text).detail;
}

/**
 * Asks until there is an answer. A request that gets lost while the development server brings its Worker up would else
 * hold the start for as long as it may take.
 * @param {string} url @param {AbortSignal} signal ends it
 * @returns {Promise<string | undefined>} what is wrong with the Worker, in its own words
 * @throws what the connection fails with
 */
async function askUntilAnswered(url, signal) {
  for (;;) {
    const late = AbortSignal.timeout(ASK_AGAIN_MS);
    try {
      const answer = await fetch(url, { signal: AbortSignal.any([signal, late]) });
      return await faultOf(answer);
    } catch (error) {
      if (!late.aborted || signal.aborted) throw error;
    }
  }
}

/**
 * Waits until the Worker itself answers: wrangler says that it is ready before it has built anything.
 * @param {Child} child
 * @param {ReturnType<typeof collectOutput>} output
 * @param {string | undefined} url asked with GET; any answer will do but that the Worker lacks something. Without one it is enough that it listens.
 * @returns {Promise<void>} rejects with what the server printed when it fails, ends or takes too long
 */
async function untilReady(child, output, url) {
  const stop = new AbortController();
  /** @type {(reason: string) => void} */
  let giveUp = () => undefined;
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    /** @param {string} reason */
    const fail = (reason) => reject(new UserError(`The server did not start: ${reason}.\n${output.text()}`.trim()));
    const tooLong = setTimeout(() => fail(`not ready after ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    stop.signal.addEventListener('abort', () => clearTimeout(tooLong));
    let reported = false;
    output.onMore(() => {
      // wrangler stays up after a failed build and waits for an edit; here that is a failed start.
      if (reported || stop.signal.aborted || !/\bERROR\b|wrangler:error/.test(output.text())) return;
      reported = true;
      setTimeout(() => fail('it reported an error'), ERROR_TAIL_MS);
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`it ended with exit code ${code}`));
    giveUp = fail;
  });
  /** @type {Promise<void>} */
  const listening = new Promise((settle) => {
    child.on('message', (message) => {
      if (message === 'ready') settle();
    });
  });
  const answered = listening
    .then(() => (url === undefined ? undefined : askUntilAnswered(url, stop.signal)))
    .then((fault) => {
      if (fault === undefined) return;
      giveUp(fault.replace(/\.$/u, ''));
      return failed;
    });
  // A Worker that throws while it loads drops the connection first and says why a moment later.
  answered.catch(() => setTimeout(() => giveUp('it does not answer'), ERROR_TAIL_MS));
  try {
    await Promise.race([failed, answered.catch(() => failed)]);
  } finally {
    stop.abort();
  }
}

/**
 * A server that is killed leaves its temporary files behind; here they are found again.
 * @param {string} persistTo
 */
const temporary = (persistTo) => join(persistTo, 'tmp');

/** @param {import('./dev-server.mjs').DevOptions} options */
function spawnServer(options) {
  const { config, persistTo } = options;
  const script = (/** @type {string} */ name) => join(root, 'scripts', 'lib', name);
  const guard = pathToFileURL(script('guard.mjs')).href;
  const args = ['--no-warnings', '--import', guard, script('dev-server.mjs'), JSON.stringify(options)];
  return spawn(nodePath(), args, {
    cwd: dirname(config),
    env: {
      ...toolEnv(),
      ...QUIET_ENV,
      ...settingsEnv(join(persistTo, 'config')),
      TMPDIR: temporary(persistTo),
    },
    // A process group of its own: Ctrl-C in the terminal reaches us alone, and we end the server in order.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/**
 * @param {Promise<unknown>} end @param {number} ms
 * @returns {Promise<boolean>} whether it comes in that time
 */
async function endsWithin(end, ms) {
  const waiting = new AbortController();
  const late = after(ms, false, { signal: waiting.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([end.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}

/**
 * Starts a server and waits until it answers, or listens.
 * @param {ServeOptions} [options]
 * @returns {Promise<Server>}
 * @throws {UserError} when the port is busy, another server uses the state, or the Worker does not build or start
 */
export async function serve(options = {}) {
  const { vars = {}, envFiles = [], quiet = true, inspectorPort, bundles, beside = [], waitFor = 'answer' } = options;
  const config = resolve(options.config ?? join(root, 'wrangler.jsonc'));
  const persistTo = resolve(options.persistTo ?? DEFAULT_STATE);
  const port = options.port ?? (await freePort());
  mkdirSync(persistTo, { recursive: true });
  // All that agents remember is in there, and no file of it asks who reads.
  chmodSync(persistTo, 0o700);
  const lock = stateLock(persistTo);
  const holder = lock.holder();
  if (holder) throw new UserError(`${persistTo} is in use by the server at ${holder.url} (process ${holder.pid}).`);
  if (!(await isPortFree(port))) {
    throw new UserError(`Port ${port} is in use. Choose another one: npm start -- --port ${port + 1}`);
  }

  rmSync(temporary(persistTo), { recursive: true, force: true });
  mkdirSync(temporary(persistTo));
  const varsFile = join(persistTo, 'server.env');
  writeVars(varsFile, withEncryptionKey(vars, { envFiles, folder: persistTo }));
  const files = [...envFiles.map((file) => resolve(file)), varsFile];
  const dev = /** @type {const} */ ({
    config,
    envFiles: files,
    hostname: LOOPBACK,
    port,
    persistTo,
    logLevel: quiet ? 'error' : 'warn',
  });
  const inspector = inspectorPort === undefined ? {} : { inspectorPort };
  const child =
    bundles === undefined ? spawnServer({ ...dev, ...inspector }) : new KeptServer({ ...dev, bundles, beside });
  const url = `http://localhost:${port}`;
  const output = collectOutput(child, quiet);
  /** @type {Promise<number | null>} */
  const exited = new Promise((settle) => child.once('exit', settle));

  /** The processes as they were when it was ready: should the first one die, they can no longer be found below it. */
  let family = processTree(child.pid);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const everyProcess = () => [...family, ...(hasEnded() ? [] : processTree(child.pid))];
  /** @param {boolean} hard */
  const end = async (hard) => {
    const all = everyProcess();
    output.mute();
    if (hard || hasEnded()) killAll(all);
    if (!hasEnded()) child.kill('SIGTERM');
    if (hard || !(await allGone(all, STOP_GRACE_MS))) {
      killAll(all);
      if (!(await allGone(all, KILL_TIMEOUT_MS))) throw new Error(`Processes of the server ${url} do not end.`);
    }
    if (child instanceof KeptServer && !(await endsWithin(exited, KILL_TIMEOUT_MS)))
      throw new Error(`The host of the server ${url} does not end it.`);
    process.removeListener('exit', onExit);
    lock.release();
    rmSync(varsFile, { force: true });
    rmSync(temporary(persistTo), { recursive: true, force: true });
  };
  const onExit = () => killAll(everyProcess());
  process.once('exit', onExit);

  try {
    await untilReady(child, output, waitFor === 'answer' ? `${url}/healthz` : undefined);
  } catch (error) {
    await end(true);
    throw error;
  }
  const pid = child.pid ?? 0;
  family = processTree(pid);
  lock.take(pid, url);
  return { url, port, pid, stop: () => end(false), killHard: () => end(true), output: output.text, exited };
}
