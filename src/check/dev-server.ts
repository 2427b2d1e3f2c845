/** The process and the files of `offshoot dev`. */
import { spawn } from 'node:child_process';
import { existsSync, type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AppIo } from './check';
import type { DevIo, EndedServer, ServerEvents } from './dev';
import { keepPort, type LocalProtocol } from './kept-port';

/** What is kept of stderr: the runtime's message with the code around it. Unit: bytes. */
const ERROR_BYTES = 65_536;

/** Folders that change without a person. */
const NOT_WATCHED = ['node_modules', '.wrangler', '.git', 'dist'];

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The command of the wrangler that the app has installed. */
function wranglerOf(folder: string): string {
  const find = createRequire(join(folder, 'package.json'));
  for (const path of find.resolve.paths('wrangler') ?? []) {
    const file = join(path, 'wrangler', 'package.json');
    if (!existsSync(file)) continue;
    const { bin } = JSON.parse(readFileSync(file, 'utf8'));
    return join(dirname(file), bin.wrangler);
  }
  throw new Error('wrangler is not installed. Run: npm install --save-dev wrangler');
}

/**
 * Resolves with true at the next change in a folder or at Enter, and with false at a request to end. Enter is for files that
 * nobody watches, such as those of another folder.
 * @param watchIn `watch` of `node:fs`
 * @param keys where Enter comes from
 */
export function nextChange(
  folder: string,
  watchIn: typeof watch = watch,
  keys: NodeJS.ReadableStream = process.stdin,
): Promise<boolean> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = [];
    const end = (isChange: boolean): void => {
      for (const watcher of watchers) watcher.close();
      for (const signal of ENDS) process.off(signal, stop);
      keys.off('data', enter).pause();
      resolve(isChange);
    };
    const stop = (): void => end(false);
    const enter = (): void => end(true);
    for (const signal of ENDS) process.on(signal, stop);
    keys.on('data', enter);
    const isOurs = (name: string | null): boolean => !NOT_WATCHED.includes(name ?? '');
    const add = (path: string, recursive: boolean): void => {
      try {
        const watcher = watchIn(path, { recursive }, (_event, name) => (recursive || isOurs(name)) && end(true));
        // Its folder is gone, or the system watches no more files. Enter still works.
        watchers.push(watcher.on('error', () => watcher.close()));
      } catch {
        // The same, at once.
      }
    };
    add(folder, false);
    // A link may lead to a folder.
    const isFolder = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
    for (const name of readdirSync(folder)) if (isOurs(name) && isFolder(name)) add(join(folder, name), true);
  });
}

/** Wrangler's errors come through a pipe, which has no colours by itself. `NO_COLOR` wins. */
export function coloursFor(
  isTerminal: boolean,
  { FORCE_COLOR = '1', NO_COLOR }: NodeJS.ProcessEnv,
): { FORCE_COLOR?: string } {
  return isTerminal && !NO_COLOR ? { FORCE_COLOR } : {};
}

/**
 * Runs `wrangler dev` in this terminal, and waits for its end. OC15: signals are passed on, because one may come to this
 * process alone. Ctrl-C reaches both, and wrangler takes a second signal for the first.
 */
function served(command: string, folder: string, args: readonly string[], on: ServerEvents): Promise<EndedServer> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, 'dev', ...args], {
      cwd: folder,
      // Over the last one wrangler says on which port it listens.
      stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
      env: { ...process.env, ...coloursFor(process.stderr.isTTY, process.env) },
    });
    let errors = Buffer.alloc(0);
    let asked = false;
    // A piece may end in the middle of a character.
    const decoder = new StringDecoder();
    const secrets = watchSecrets(folder, on.secretsChanged);
    child.stderr?.on('data', (bytes: Buffer) => {
      process.stderr.write(bytes);
      errors = Buffer.concat([errors, bytes]).subarray(-ERROR_BYTES);
      on.wrote(decoder.write(bytes));
    });
    child.on('message', (message) => {
      const port = portIn(message);
      if (port !== undefined) on.listens(port);
    });
    const pass = (signal: NodeJS.Signals): void => {
      asked = true;
      child.kill(signal);
    };
    for (const signal of ENDS) process.on(signal, pass);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of ENDS) process.off(each, pass);
      secrets?.close();
      resolve({ code: code ?? 1, asked: asked || signal !== null, errors: errors.toString() });
    });
  });
}

/** The port in wrangler's message that it listens; undefined for any other message. */
function portIn(message: unknown): number | undefined {
  try {
    const { event, port } = JSON.parse(String(message));
    return event === 'DEV_SERVER_READY' && Number.isSafeInteger(port) ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Calls at each change of the file that wrangler reads once. Undefined where the system watches no more files. */
function watchSecrets(folder: string, call: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, (_event, name) => name === '.dev.vars' && call());
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

/** The protocol of the server at a port of this machine, once it was asked; undefined where nothing answers. */
export async function protocolAt(port: number): Promise<LocalProtocol | undefined> {
  if (await answers(get, port)) return 'http';
  return (await answers(getSecurely, port)) ? 'https' : undefined;
}

function answers(ask: typeof getSecurely, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Nobody has signed the certificate that wrangler makes.
    const asked = ask({ host: 'localhost', port, path: '/healthz', rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(true);
    });
    asked.on('error', () => resolve(false));
  });
}

/** The surroundings of `offshoot dev` in the folder of an app; `args` go to wrangler. */
export function devIn(
  folder: string,
  args: readonly string[],
  { facts, versions, sourceOf, write }: Pick<AppIo, 'facts' | 'versions' | 'sourceOf' | 'write'>,
): DevIo {
  const command = wranglerOf(folder);
  let kept: number | undefined;
  return {
    ...{ facts, versions, sourceOf, write },
    hasPort: args.some((arg) => arg === '--port' || arg.startsWith('--port=')),
    serve: (on) => served(command, folder, args, on),
    wake: (port) =>
      void protocolAt(port).then((protocol) => {
        if (protocol === 'https' && kept === port) keepPort(folder, port, protocol);
      }),
    keepPort: (port) => {
      kept = port;
      keepPort(folder, port);
    },
    changed: () => nextChange(folder),
  };
}
