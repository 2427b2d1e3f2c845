/**
 * Findings about an app, from the facts of its folder.
 *
 * Decides: which versions and settings an app needs, and what to change.
 * Keeps OC7.
 */

/** A thing that is wrong. `lines` are to be written, in the file that the text names. */
export interface Finding {
  readonly says: string;
  readonly lines?: readonly string[];
}

/** A package that the app can import, and the versions of it that fit. */
export interface NeededPackage {
  readonly name: string;
  /** Such as `>=0.32.0 <0.33.0` or `^4.0.0`. */
  readonly range: string;
  /** Undefined where it is not installed. */
  readonly installed: string | undefined;
  readonly optional: boolean;
}

/** The configuration of a Worker, as far as it is looked at. */
export interface WorkerConfig {
  readonly main?: string | undefined;
  readonly compatibility_date?: string | undefined;
  readonly compatibility_flags?: readonly string[] | undefined;
  readonly dev?: { readonly port?: number | undefined } | undefined;
  readonly assets?: { readonly directory?: string | undefined } | undefined;
}

/** Facts of an app. */
export interface AppFacts {
  /** Of Node, without a `v`. */
  readonly node: string;
  readonly packages: readonly NeededPackage[];
  /** `missing`: there is no file; `unread`: there is no wrangler to read it; `wrong`: what wrangler says is wrong in it. */
  readonly config: WorkerConfig | 'missing' | 'unread' | { readonly wrong: string };
  /** The folder of the console's files, as the configuration would name it, where the one that it names does not exist. */
  readonly consoleAt?: string;
}

/** The oldest Node that an app runs with: an older npm chooses packages that do not fit. */
const OLDEST_NODE = '22.13.0';
/** From this date on `ctx.exports` has the classes of a Worker (Cloudflare's list of compatibility flags). */
const EXPORTS_FROM = '2025-11-17';
/** From this date on `nodejs_compat` needs no flag (Cloudflare's list of compatibility flags). */
const NODE_FROM = '2026-08-04';

/** The line of the configuration that turns on the modules of Node. */
export const NODE_COMPAT = '"compatibility_flags": ["nodejs_compat"],';

/** All that is wrong before the Worker is started. */
export function findingsOf({ node, packages, config, consoleAt }: AppFacts): Finding[] {
  const found = [...versionFindings({ node, packages }), ...ofConfig(config)];
  if (consoleAt !== undefined)
    found.push({
      says: 'The folder that `assets.directory` names does not exist.',
      lines: [`"assets": { "directory": "${consoleAt}", … }`],
    });
  return found;
}

/** Findings about the versions of Node and the packages. */
export function versionFindings({ node, packages }: Pick<AppFacts, 'node' | 'packages'>): Finding[] {
  const found = packages.flatMap(ofPackage);
  if (compared(node, OLDEST_NODE) >= 0) return found;
  return [{ says: `Node ${node} is too old. Install Node ${OLDEST_NODE} or newer.` }, ...found];
}

function ofPackage({ name, range, installed, optional }: NeededPackage): Finding[] {
  const lines = [`npm install "${name}@${range}"`];
  if (installed === undefined) return optional ? [] : [{ says: `The package ${name} is missing.`, lines }];
  if (isWithin(installed, range)) return [];
  return [{ says: `${name} ${installed} is not supported. Offshoot needs ${range}.`, lines }];
}

function ofConfig(config: AppFacts['config']): Finding[] {
  if (config === 'unread') return [];
  if (config === 'missing')
    return [
      { says: 'There is no wrangler.jsonc, wrangler.json or wrangler.toml here. Run this in the folder of the app.' },
    ];
  if ('wrong' in config) return [{ says: `The configuration is invalid: ${config.wrong}` }];
  const { main, compatibility_date: date, compatibility_flags: flags = [] } = config;
  const found: Finding[] = [];
  if (main === undefined)
    found.push({ says: 'The configuration names no entry file.', lines: ['"main": "src/index.ts",'] });
  if (date === undefined || date < EXPORTS_FROM)
    found.push({
      says: `The compatibility date is ${date ?? 'missing'}. Offshoot needs ${EXPORTS_FROM} or later.`,
      lines: ['"compatibility_date": "2026-11-01",'],
    });
  if ((date ?? '') < NODE_FROM && !flags.includes('nodejs_compat'))
    found.push({
      says: `The flag nodejs_compat is missing. It is on by default for dates from ${NODE_FROM}.`,
      lines: [NODE_COMPAT],
    });
  return found;
}

const numbersOf = (version: string): number[] => (version.split(/[-+]/)[0] ?? '').split('.').map(Number);

/** Negative where the first version is older. */
function compared(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True for a version within a range of `^`, `>=`, `<` and exact ones, all of which hold. */
export function isWithin(version: string, range: string): boolean {
  return range.split(' ').every((part) => {
    const [, sign = '', bound = ''] = /^(\^|>=|<)?(.+)$/.exec(part) ?? [];
    const difference = compared(version, bound);
    if (sign === '<') return difference < 0;
    if (sign === '>=') return difference >= 0;
    if (sign === '') return difference === 0;
    return difference >= 0 && numbersOf(version)[0] === numbersOf(bound)[0];
  });
}
