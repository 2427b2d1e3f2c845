/** The process and the files of `offshoot dev`. */
import { spawn } from 'node:child_process';
import { existsSync, type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DevIo, EndedServer } from './dev';

/** What is kept of stderr: the runtime's message with the code around it. Unit: characters. */
const MAX_ERRORS = 65_536;

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

/** Resolves with true at the next change in a folder, and with false at a request to end. */
function nextChange(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = [];
    const end = (isChange: boolean): void => {
      for (const watcher of watchers) watcher.close();
      for (const signal of ENDS) process.off(signal, stop);
      resolve(isChange);
    };
    const stop = (): void => end(false);
    for (const signal of ENDS) process.on(signal, stop);
    const isOurs = (name: string | null): boolean => !NOT_WATCHED.includes(name ?? '');
    watchers.push(watch(folder, (_event, name) => isOurs(name) && end(true)));
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && isOurs(entry.name))
        watchers.push(watch(join(folder, entry.name), { recursive: true }, () => end(true)));
  });
}

/**
 * Runs `wrangler dev` in this terminal, and waits for its end. OC15: signals are passed on, because one may come to this
 * process alone. Ctrl-C reaches both, and wrangler takes a second signal for the first.
 */
function served(command: string, folder: string, args: readonly string[]): Promise<EndedServer> {
  return new Promise((resolve, reject) => {
    const colours = process.stderr.isTTY ? { FORCE_COLOR: process.env.FORCE_COLOR ?? '1' } : {};
    const child = spawn(process.execPath, [command, 'dev', ...args], {
      cwd: folder,
      stdio: ['inherit', 'inherit', 'pipe'],
      env: { ...process.env, ...colours },
    });
    let errors = '';
    let asked = false;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text);
      errors = (errors + text).slice(-MAX_ERRORS);
    });
    const pass = (signal: NodeJS.Signals): void => {
      asked = true;
      child.kill(signal);
    };
    for (const signal of ENDS) process.on(signal, pass);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of ENDS) process.off(each, pass);
      resolve({ code: code ?? 1, asked: asked || signal !== null, errors });
    });
  });
}

/** The surroundings of `offshoot dev` in a folder; `args` go to wrangler. */
export function devIn(folder: string, args: readonly string[], write: (line: string) => void): DevIo {
  const command = wranglerOf(folder);
  return { serve: () => served(command, folder, args), changed: () => nextChange(folder), write };
}
