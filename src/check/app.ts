/** An app in a folder of this machine, with the wrangler that it has installed. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AppIo } from './check';
import type { AppFacts, NeededPackage, WorkerConfig } from './findings';

/** The first major version of wrangler whose configuration knows `exports` for Durable Objects. */
const WRANGLER = { name: 'wrangler', range: '>=4.100.0' };

const CONFIGS = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'];

/** What Offshoot says in its own package.json. */
export interface OwnPackage {
  readonly peerDependencies: { readonly [name: string]: string };
  readonly peerDependenciesMeta: { readonly [name: string]: { readonly optional?: boolean } };
}

/** What is used of wrangler's API. */
interface Wrangler {
  unstable_readConfig(options: { config: string }): WorkerConfig;
  unstable_startWorker(options: object): Promise<{
    fetch(url: string): Promise<Response>;
    dispose(): Promise<void>;
  }>;
}

/** The app in a folder. */
export function appIn(folder: string, own: OwnPackage, write: (line: string) => void): AppIo {
  const find = createRequire(join(folder, 'package.json'));
  const config = CONFIGS.map((name) => join(folder, name)).find(existsSync);
  const wrangler = async (): Promise<Wrangler> => import(pathToFileURL(find.resolve('wrangler')).href);
  const configOf = async (): Promise<AppFacts['config']> => {
    if (config === undefined) return 'missing';
    if (versionOf(find, WRANGLER.name) === undefined) return 'unread';
    try {
      return (await wrangler()).unstable_readConfig({ config });
    } catch (error) {
      return { wrong: error instanceof Error ? error.message : String(error) };
    }
  };
  return {
    write,
    async facts() {
      const peers = Object.entries(own.peerDependencies).map(([name, range]) => ({ name, range }));
      const packages = [WRANGLER, ...peers].map(
        ({ name, range }): NeededPackage => ({
          ...{ name, range, installed: versionOf(find, name) },
          optional: own.peerDependenciesMeta[name]?.optional === true,
        }),
      );
      return { node: process.versions.node, packages, config: await configOf() };
    },
    async ask(path) {
      const { unstable_startWorker: start } = await wrangler();
      const dev = { persist: false, inspector: false, watch: false, logLevel: 'none', server: { port: 0 } };
      const worker = await start({ config, dev });
      try {
        const answer = await worker.fetch(`http://localhost${path}`);
        const text = await answer.text();
        return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
      } finally {
        await worker.dispose();
      }
    },
  };
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
