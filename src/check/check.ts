/**
 * `offshoot check`: all that is wrong with an app, at once.
 *
 * OC7. The folder is checked first. Where it is right, the Worker is started on this machine, and says what it lacks.
 * OC19. The bundler's words do not say whether it misses a package, a file or a module of Node.
 * BU14. A warning is no finding: the exit code stays 0.
 */
import { isBuiltin } from 'node:module';
import { type AppFacts, type Finding, findingsOf, NODE_COMPAT, versionFindings } from './findings';

/** A Worker that was started: its answer, or why it did not start. `logs` are the log of the runtime and the Worker. */
export type Started =
  | { readonly status: number; readonly body: unknown; readonly logs?: readonly string[] }
  | { readonly failed: string; readonly logs: readonly string[] };

/** The app, as the command sees it. */
export interface AppIo {
  facts(): Promise<AppFacts>;
  /** The part of the facts that is known without wrangler. */
  versions(): Pick<AppFacts, 'node' | 'packages'>;
  /** `listed`: the app's package.json has a package of this name. `file`: a file or folder of the app has it. */
  sourceOf(name: string): 'listed' | 'file' | undefined;
  /** Starts the Worker on this machine, asks a path, and ends it. */
  ask(path: string): Promise<Started>;
  write(line: string): void;
}

const HEALTH = '/healthz';
const MISCONFIGURED = 'The Worker is misconfigured.';
/** Colours in the output of a command. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
/** A warning of the Worker, as `gateway/agents/worker.ts` writes it. */
const WARNED = /offshoot: Warning: (.*)/;
/** A failure of the start, as the runtime logs it. */
const UNCAUGHT = /Uncaught (?:Error: )?(.*)/s;
/** Classes that the configuration names and the Worker does not export, as the runtime logs them. */
const NO_CLASS = /referenced the class "(\w+)", but no such Durable Object class is exported/g;
/** Modules that the bundler does not find, in its words. Paths with a dot and names with a colon are no packages. */
const UNRESOLVED = /Could not resolve "((?:@[\w.-]+\/)?[a-z0-9][\w.-]*)(\/[^"]*)?"/g;
/** Names that are those of files rather than of packages. */
const FILE = /^[^@].*\.(?:c?js|mjs|jsx|[cm]?ts|tsx|json|css|html?|md|txt|sql|wasm|bin|png|jpe?g|svg)$/;

/** A default export that is missing or no object, in the words of the runtime. */
const NO_HANDLER = /Cannot initialize \S*ExportedHandler/;

/** Prints the findings. The exit code: 0 where there are none, 1 otherwise. */
export async function check(io: AppIo, basePath = ''): Promise<number> {
  const facts = await io.facts();
  const found = findingsOf(facts);
  const started = found.length > 0 ? undefined : await io.ask(`${basePath}${HEALTH}`);
  const all = started === undefined ? found : missingIn(started, `${basePath}${HEALTH}`, io);
  for (const line of all.flatMap(linesOf)) io.write(line);
  for (const text of warningsIn(started?.logs)) io.write(`! ${text}`);
  if (all.length === 0) io.write('✓ Everything is in place.');
  else if (found.length > 0) io.write('Fix this first. The Worker has not been checked yet.');
  return all.length === 0 ? 0 : 1;
}

/** Prints what the versions of Node and the packages lack, and nothing where they fit. The exit code as of `check`. */
export function checkVersions(io: Pick<AppIo, 'versions' | 'write'>): number {
  const found = versionFindings(io.versions());
  for (const line of found.flatMap(linesOf)) io.write(line);
  return found.length === 0 ? 0 : 1;
}

/** A finding as it is printed. */
export const linesOf = ({ says, lines = [] }: Finding): string[] => [
  `✗ ${says}`,
  ...lines.map((line) => `    ${line}`),
];

/** What the Worker warned of when it began. */
function warningsIn(logs: readonly string[] = []): string[] {
  return logs.flatMap((log) => WARNED.exec(log.replace(COLOUR, ''))?.[1]?.trim() ?? []);
}

/** The findings of a start. */
function missingIn(started: Started, path: string, io: Modules): Finding[] {
  if ('failed' in started) {
    const unresolved = unresolvedIn([started.failed, ...started.logs].join('\n'), io);
    return unresolved.length > 0 ? unresolved : ofFailure(started.failed, started.logs);
  }
  const { status, body } = started;
  if (status === 200 && textAt(body, 'name') === 'offshoot') return [];
  const detail = textAt(body, 'detail');
  if (textAt(body, 'code') === 'misconfigured' && detail !== undefined) return ofList(detail);
  const where = 'If Offshoot has a base path, name it: offshoot check --base-path /ai';
  return [{ says: `The Worker answers ${path} with ${status}, which is not a response of Offshoot. ${where}` }];
}

/** Wrangler writes it after the reason, as a separate error. */
const FAILED_START = 'The Workers runtime failed to start';

/** Findings about a start that the Worker has ended, from its output; undefined where something else has ended it. */
export function foundIn(output: string): Finding[] | undefined {
  const plain = output.replace(COLOUR, '');
  const last = plain.split('[ERROR] ').at(-1) ?? '';
  if (!/^service core:user:\S+ Uncaught /.test(last) && !last.startsWith(FAILED_START)) return undefined;
  // The runtime's own line comes once more, as JSON.
  const lines = plain.matchAll(/(?<!")service core:user:\S+ (Uncaught [^\n]*(?:\n- [^\n]*)*)/g);
  const reason = [...lines].at(-1)?.[1]?.trim();
  return reason === undefined ? undefined : ofFailure(reason, [reason, plain]);
}

/** Facts of the modules that an app may import. */
type Modules = Pick<AppIo, 'versions' | 'sourceOf'>;

/** Findings about modules that the bundler did not find, in what it wrote: each module or package once. */
export function unresolvedIn(output: string, io: Modules): Finding[] {
  const missed = [...output.replace(COLOUR, '').matchAll(UNRESOLVED)];
  const found = missed.map(([, name = '', path = '']) => ofMissed(name, `${name}${path}`, io));
  return [...new Map(found.map((each) => [each.says, each])).values()];
}

/** A module that the bundler did not find. To install a stranger's package for a wrong path helps nobody. */
function ofMissed(name: string, module: string, { versions, sourceOf }: Modules): Finding {
  if (isBuiltin(module))
    return {
      says: `The Worker imports ${module}, a module of Node, and nodejs_compat is not set.`,
      lines: [NODE_COMPAT],
    };
  const says = `The Worker imports ${name}, which is not installed.`;
  const range = versions().packages.find((each) => each.name === name)?.range;
  if (range !== undefined) return { says, lines: [`npm install "${name}@${range}"`] };
  const source = sourceOf(name);
  if (source === 'listed') return { says, lines: ['npm install'] };
  if (source === undefined && !(module === name && FILE.test(name))) return { says, lines: [`npm install ${name}`] };
  return {
    says: `The Worker imports ${module}, which is neither a file of the app nor an installed package. A path begins with ./ or ../`,
  };
}

/** The first reason of the runtime counts: a Worker that does not load exports no class either. */
function ofFailure(failed: string, logs: readonly string[]): Finding[] {
  const thrown = logs.map((log) => UNCAUGHT.exec(log)?.[1]).find((text) => text !== undefined);
  const at = thrown?.indexOf(MISCONFIGURED) ?? -1;
  if (thrown !== undefined && at >= 0) return ofList(thrown.slice(at).split('\n  at ')[0] ?? '');
  const classes = new Set(logs.flatMap((log) => [...log.matchAll(NO_CLASS)].map(([, name = '']) => name)));
  // The runtime's own wrapper fails then, which says nothing of the app.
  if (classes.size > 0 && (thrown ?? '').includes('Class extends value undefined')) return [...classes].map(ofClass);
  if (NO_HANDLER.test(thrown ?? failed))
    return [
      { says: 'The entry has no default export that handles requests.', lines: ['export default serve([planner]);'] },
    ];
  return [{ says: `The Worker does not start: ${(thrown ?? failed).trim()}` }];
}

function ofClass(name: string): Finding {
  const ours = name === 'OffshootAgent' || name === 'OffshootDirectory';
  const line = ours
    ? `export { ${name} } from 'offshoot/worker';`
    : `export class ${name} extends AgentObject.of(…) {}`;
  return { says: `The configuration names the class ${name}, but the Worker does not export it.`, lines: [line] };
}

/** The lines of a text that lists what is missing. */
function ofList(text: string): Finding[] {
  const lines = text.replace(MISCONFIGURED, '').split(/\n(?:- )?/);
  return lines.flatMap((line) => (line.trim() === '' ? [] : [{ says: line.trim() }]));
}

function textAt(body: unknown, key: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}
