/** An app in a folder of this machine, with the wrangler that it has installed. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { AppIo, Started } from './check';
import type { AppFacts, NeededPackage, WorkerConfig } from './findings';

/** The wrangler that Offshoot is tested with, and newer ones. */
const WRANGLER = { name: 'wrangler', range: '>=4.164.0' };

/** A Worker that has not answered by then does not start. Starts on busy machines took up to 20 s. Unit: ms. */
const START_MS = 60_000;
const LATE = `it did not answer within ${START_MS / 1_000} s. Look for a loop or a wait at the top level of its modules, and move it into a handler.`;

const CONFIGS = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'];

/** The part of Offshoot's own package.json that is read. */
export interface OwnPackage {
  readonly peerDependencies: { readonly [name: string]: string };
  readonly peerDependenciesMeta: { readonly [name: string]: { readonly optional?: boolean } };
}

/** The part of wrangler's API that is used. */
interface Wrangler {
  unstable_readConfig(options: { config: string }): WorkerConfig;
  createTestHarness(options: { root: string; workers: { configPath: string }[] }): StartedWorker;
}

interface StartedWorker {
  listen(): Promise<unknown>;
  fetch(path: string): Promise<Response>;
  getLogs(): { readonly message: string }[];
  close(): Promise<void>;
}

/** The app in a folder. */
export function appIn(folder: string, own: OwnPackage, write: (line: string) => void): AppIo {
  const find = createRequire(join(folder, 'package.json'));
  const config = CONFIGS.map((name) => join(folder, name)).find(existsSync);
  // One file of 15 MB: an `import` would parse it once more, for what it exports.
  const wrangler = (): Wrangler => find('wrangler');
  const configOf = async (): Promise<AppFacts['config']> => {
    if (config === undefined) return 'missing';
    if (versionOf(find, WRANGLER.name) === undefined) return 'unread';
    try {
      return wrangler().unstable_readConfig({ config });
    } catch (error) {
      return { wrong: textOf(error) + placeOf(error) };
    }
  };
  const versions: AppIo['versions'] = () => {
    const peers = Object.entries(own.peerDependencies).map(([name, range]) => ({ name, range }));
    const packages = [WRANGLER, ...peers].map(
      ({ name, range }): NeededPackage => ({
        ...{ name, range, installed: versionOf(find, name) },
        optional: own.peerDependenciesMeta[name]?.optional === true,
      }),
    );
    return { node: process.versions.node, packages };
  };
  return {
    write,
    versions,
    async facts() {
      const read = await configOf();
      const at = consoleAt(folder, read, find);
      return { ...versions(), config: read, ...(at === undefined ? {} : { consoleAt: at }) };
    },
    async ask(path) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<Started>((resolve) => {
        timer = setTimeout(resolve, START_MS, { failed: LATE, logs: [] });
      });
      try {
        const { createTestHarness: harness } = wrangler();
        const worker = harness({ root: folder, workers: [{ configPath: config ?? '' }] });
        const answer = await Promise.race([late, answerOf(worker, path)]);
        // A Worker that loops cannot be closed, either: the end of the process ends it.
        await Promise.race([late, worker.close()]);
        return answer;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Starts a Worker and asks a path. */
async function answerOf(worker: StartedWorker, path: string): Promise<Started> {
  try {
    await worker.listen();
    const answer = await worker.fetch(path);
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text, logs: logsOf(worker) };
  } catch (error) {
    return { failed: textOf(error), logs: logsOf(worker) };
  }
}

const logsOf = (worker: StartedWorker): string[] => worker.getLogs().map(({ message }) => message);

/** Where the console's files are: in a monorepo, packages are installed above the app. */
function consoleAt(folder: string, config: AppFacts['config'], find: NodeJS.Require): string | undefined {
  const directory = typeof config === 'object' && 'assets' in config ? config.assets?.directory : undefined;
  if (!directory?.endsWith(CONSOLE) || existsSync(resolve(folder, directory))) return undefined;
  const paths = find.resolve.paths('offshoot') ?? [];
  const installed = paths.map((path) => join(path, CONSOLE)).find(existsSync);
  return installed && relative(folder, installed).split(sep).join('/');
}

const CONSOLE = 'offshoot/dist/console';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The place of a mistake in the configuration, where wrangler names it. */
function placeOf(error: unknown): string {
  const location: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'location') : undefined;
  if (typeof location !== 'object' || location === null) return '';
  const [file, line] = ['file', 'line'].map((field): unknown => Reflect.get(location, field));
  const name = typeof file === 'string' ? basename(file) : 'the file';
  return typeof line === 'number' ? ` (${name}, line ${line})` : ` (${name})`;
}

/** The version of a package that a folder can import: its `package.json` lies above its entry. */
function versionOf(find: NodeJS.Require, name: string): string | undefined {
  for (const paths of find.resolve.paths(name) ?? []) {
    const file = join(paths, name, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version;
  }
  return undefined;
}

/** Offshoot's own package.json, above the module of the command. */
export function ownPackage(module: string): OwnPackage {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
    if (folder === dirname(folder)) throw new Error('The package.json of offshoot is missing.');
  }
}
