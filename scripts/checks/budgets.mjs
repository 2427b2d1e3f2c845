// House budgets: how long files and functions may be, what may import what, that exports are documented, and that no
// cast is there because of our own types: scripts/checks/casts.json has those that others' types need, by file and reason.
// Prints the figures; fails on what is over its budget and not excepted in scripts/checks/exceptions.json, which lists
// { rule, name, reason }, and on exceptions that are no longer needed.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { run } from '../lib/fail.mjs';
import { floorProblem } from '../lib/floors.mjs';
import { root } from '../lib/paths.mjs';
import { readSources } from '../lib/source.mjs';
import { castLines, exportedSymbols, imports, namedFunctions, testCalls } from '../lib/structure.mjs';

const MAX_FILE_LINES = 600;
const MAX_FUNCTION_LINES = 80;
const FOLDERS = ['src', 'test', 'bench', 'scripts'];

/**
 * @typedef {import('../lib/source.mjs').Source} Source
 * @typedef {{ rule: string, name: string, message: string }} Problem
 */

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** @param {string} what @param {number[]} values @param {number} most */
function figures(what, values, most) {
  const [median, p90, max] = [0.5, 0.9, 1].map((share) => quantile(values, share));
  return `${what}: ${values.length}, lines median ${median}, p90 ${p90}, longest ${max} of at most ${most}`;
}

/** @param {string} from the importing file @param {string} specifier @param {Set<string>} paths */
function resolveImport(from, specifier, paths) {
  if (!specifier.startsWith('.')) return undefined;
  const base = posix.join(posix.dirname(from), specifier);
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((path) => paths.has(path));
}

/**
 * Rules for one import of a file in src.
 * @param {string} path
 * @param {string} specifier
 * @returns {string | undefined} what is wrong with it
 */
function importProblem(path, specifier) {
  const ours = specifier.startsWith('.');
  if (/^src\/(core|protocol)\//.test(path) && !ours && specifier !== 'zod') {
    return 'src/core and src/protocol import zod and themselves alone';
  }
  if (/^agents(\/|$)/.test(specifier) && !/^src\/(?:capabilities\/\w+\/)?host\//.test(path))
    return 'only src/host, and the host part of a capability, imports agents';
  if (path.startsWith('src/engine/') && /^(cloudflare|node):/.test(specifier)) return 'src/engine knows no platform';
  return undefined;
}

/**
 * The circles of a graph: the largest groups of files of which each reaches each other. Two circles that share a file
 * are one, so that none is hidden behind another.
 * @param {Map<string, string[]>} graph
 * @returns {string[][]} the members of each, in order of their names
 */
function circles(graph) {
  /** @type {string[]} */
  const stack = [];
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const seen = new Map();
  /** @type {string[][]} */
  const found = [];
  /** @param {string} path */
  const visit = (path) => {
    const own = { index: seen.size, low: seen.size, open: true };
    seen.set(path, own);
    stack.push(path);
    for (const next of graph.get(path) ?? []) {
      const other = seen.get(next) ?? visit(next);
      if (other.open) own.low = Math.min(own.low, other.low);
    }
    if (own.low === own.index) {
      const members = stack.splice(stack.indexOf(path));
      for (const member of members) Object.assign(seen.get(member) ?? {}, { open: false });
      if (members.length > 1) found.push(members.sort());
    }
    return own;
  };
  for (const path of graph.keys()) if (!seen.has(path)) visit(path);
  return found;
}

/** @param {Source[]} sources @returns {Problem[]} */
function lengthProblems(sources) {
  // A file of tests is a list; what counts there is the length of each, which the reader sees.
  const read = sources.filter((source) => !source.path.startsWith('test/') || testCalls(source).length === 0);
  return read.flatMap((source) => [
    ...(source.lines > MAX_FILE_LINES
      ? [{ rule: 'file-length', name: source.path, message: `${source.lines} lines, at most ${MAX_FILE_LINES}` }]
      : []),
    ...namedFunctions(source)
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      .map(({ name, line, lines }) => ({
        rule: 'function-length',
        name: `${source.path}:${name}`,
        message: `line ${line}: ${lines} lines, at most ${MAX_FUNCTION_LINES}`,
      })),
  ]);
}

/** @param {Source[]} sources @returns {Problem[]} */
function importProblems(sources) {
  const paths = new Set(sources.map(({ path }) => path));
  /** @type {Map<string, string[]>} */
  const graph = new Map();
  /** @type {Problem[]} */
  const problems = [];
  for (const source of sources) {
    const { path } = source;
    graph.set(path, []);
    for (const { specifier, line } of imports(source)) {
      const target = resolveImport(path, specifier, paths);
      if (target) graph.get(path)?.push(target);
      const wrong = importProblem(path, specifier) ?? (target && floorProblem(path, target));
      if (wrong) problems.push({ rule: 'import', name: `${path}:${specifier}`, message: `line ${line}: ${wrong}` });
    }
  }
  const found = circles(graph).map((members) => ({
    rule: 'cycle',
    name: members.join(' '),
    message: 'these files import each other, types included',
  }));
  return [...problems, ...found];
}

/**
 * What installs the packages starts without them: it, and what it imports, name only modules of Node and the project.
 * @param {Source[]} sources
 * @returns {Problem[]}
 */
function startProblems(sources) {
  const files = new Map(sources.map((source) => [source.path, source]));
  const paths = new Set(files.keys());
  const installer = 'scripts/lib/install.mjs';
  /** @param {Source} source */
  const atStart = (source) =>
    imports(source)
      .filter(({ dynamic }) => !dynamic)
      .map(({ specifier, line }) => ({ specifier, line, target: resolveImport(source.path, specifier, paths) }));
  const begun = sources.filter((source) => atStart(source).some(({ target }) => target === installer));
  const reached = new Set(begun.map(({ path }) => path));
  /** @type {Problem[]} */
  const problems = [];
  for (const path of reached) {
    const source = files.get(path);
    for (const { specifier, line, target } of source ? atStart(source) : []) {
      if (target) reached.add(target);
      else if (!/^(node:|\.)/.test(specifier)) {
        const message = `line ${line}: a command that installs reaches this import before it can`;
        problems.push({ rule: 'start', name: `${path}:${specifier}`, message });
      }
    }
  }
  return problems;
}

/** @param {Source[]} sources @returns {Problem[]} */
function docProblems(sources) {
  return sources.flatMap((source) =>
    exportedSymbols(source)
      .filter(({ documented }) => !documented)
      .map(({ name, line }) => ({
        rule: 'documented',
        name: `${source.path}:${name}`,
        message: `line ${line}: this export has no doc comment`,
      })),
  );
}

/**
 * Whose types need a cast: nobody else's do. Everything that is not here is a cast between types of our own, which say
 * too little then, and are what to mend.
 * @type {Readonly<Record<string, string>>}
 */
const CAST_REASONS = {
  platform: 'what the Workers runtime hands over knows no type of ours: `ctx.exports`, `env`, stubs, sockets, streams',
  sdk: 'insides of the agents package',
  models: 'providers of several versions of the AI SDK',
  storage: 'rows and bindings of SQLite, and the query builder',
  libraries: 'what zod and hono say of their own values',
  protocols: 'JSON on its way to or from another protocol, whose own schemas check it in tests',
  loop: 'made in a loop over a table: its type is told where it is made',
  capabilities: 'rows, calls and parts under the name of a capability, which that alone reads',
  keys: 'the keys of an object, which TypeScript takes for any text',
  purpose: 'what a test does although the types forbid it, because it is about the refusal or the guard',
  parts: 'an object in a test with those members alone that the code under test reads',
};

/** @returns {Record<string, Record<string, number>>} how many casts a file may have, by their reason */
function allowedCasts() {
  return JSON.parse(readFileSync(join(root, 'scripts', 'checks', 'casts.json'), 'utf8'));
}

/** @param {Source[]} sources @returns {Problem[]} */
function castProblems(sources) {
  const casts = allowedCasts();
  const known = Object.values(casts).flatMap((files) => Object.entries(files));
  const unknown = Object.keys(casts).filter((reason) => CAST_REASONS[reason] === undefined);
  const forSrc = Object.keys(casts.purpose ?? {}).filter((path) => path.startsWith('src/'));
  for (const [reason, files] of Object.entries(casts)) {
    const counts = Object.values(files);
    console.log(`casts, ${reason}: ${counts.reduce((sum, count) => sum + count, 0)} in ${counts.length} files`);
  }
  const found = sources.flatMap((source) => {
    const lines = castLines(source);
    const allowed = known.reduce((sum, [path, count]) => (path === source.path ? sum + count : sum), 0);
    const message = `${lines.length} casts (lines ${lines.join(', ')}), ${allowed} in scripts/checks/casts.json: type what is cast`;
    return lines.length === allowed ? [] : [{ rule: 'cast', name: source.path, message }];
  });
  const gone = known.filter(([path]) => !sources.some((source) => source.path === path)).map(([path]) => path);
  return [
    ...found,
    ...unknown.map((name) => ({ rule: 'cast', name, message: 'this is no reason for a cast' })),
    ...forSrc.map((name) => ({ rule: 'cast', name, message: 'only a test breaks the types on purpose' })),
    ...gone.map((name) => ({ rule: 'cast', name, message: 'in scripts/checks/casts.json, but there is no such file' })),
  ];
}

/** @returns {{ rule: string, name: string, reason: string }[]} */
function readExceptions() {
  const file = join(root, 'scripts', 'checks', 'exceptions.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

await run(async () => {
  const sources = readSources(FOLDERS);
  const src = sources.filter(({ path }) => path.startsWith('src/'));
  const problems = [
    ...lengthProblems(sources),
    ...importProblems(src),
    ...startProblems(sources.filter(({ path }) => /^(scripts|bench)\//.test(path))),
    ...docProblems(src),
    ...castProblems(sources),
  ];
  const exceptions = readExceptions();
  /** @param {{ rule: string, name: string }} a @param {{ rule: string, name: string }} b */
  const same = (a, b) => a.rule === b.rule && a.name === b.name;
  const open = problems.filter((problem) => !exceptions.some((exception) => same(problem, exception)));
  const unused = exceptions.filter((exception) => !problems.some((problem) => same(problem, exception)));
  const functions = src.flatMap((source) => namedFunctions(source).map(({ lines }) => lines));
  const lines = src.map((source) => source.lines);
  console.log(figures('files in src', lines, MAX_FILE_LINES));
  console.log(figures('named functions in src', functions, MAX_FUNCTION_LINES));
  for (const { rule, name, reason } of exceptions) console.log(`excepted from ${rule}: ${name} (${reason})`);
  for (const { rule, name, message } of open) console.log(`${rule}: ${name}: ${message}`);
  for (const { rule, name } of unused) console.log(`exceptions.json: no longer needed: ${rule} ${name}`);
  return open.length + unused.length > 0 ? 1 : 0;
});
