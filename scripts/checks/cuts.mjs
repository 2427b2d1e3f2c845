// Texts for people and models are cut by src/protocol/content/cut.ts alone, which cuts between characters. Fails on every other
// `slice`, `substring` or `substr` of a text whose places are a fixed length or a limit. Places that were found in the
// text are taken. scripts/checks/cuts.json has the cuts that split no character, by reason and file, with their number.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { run } from '../lib/fail.mjs';
import { root } from '../lib/paths.mjs';
import { asNode, readSources, walk } from '../lib/source.mjs';

/**
 * @typedef {import('../lib/source.mjs').Node} Node
 * @typedef {import('../lib/source.mjs').Source} Source
 * @typedef {{ path: string, line: number, text: string }} Cut
 */

const CUTS = new Set(['slice', 'substring', 'substr']);
/** A name of a limit, whatever its type. */
const LIMIT = /^(max|most|limit|room|budget|longest|width)/i;
const EXEMPT = 'src/protocol/content/cut.ts';

/** Which project knows the types of a file. */
const PROJECTS = [
  { config: 'src/console/tsconfig.json', has: (/** @type {string} */ path) => path.startsWith('src/console/') },
  { config: 'tsconfig.json', has: (/** @type {string} */ path) => !path.startsWith('src/console/') },
];

/** Why a cut at a fixed place can split no character. */
const REASONS = {
  ours: 'ids, hashes, tokens, dates and marks of ours: letters of ASCII alone',
  ascii: 'what was reduced to ASCII right before',
  marks: 'a mark or a header in ASCII is read: what is cut is only compared, or matched by a pattern of ASCII',
  words: 'endings of English words, which a rule has matched',
};

/** @param {import('typescript/unstable/sync').Checker} checker @param {Source} source @returns {Cut[]} */
function cutsOf(checker, source) {
  const file = join(root, source.path);
  const typeAt = (/** @type {Node} */ node) => {
    const type = checker.getTypeAtPosition(file, node.end - 1);
    return type ? checker.typeToString(type) : '';
  };
  /** @param {unknown} value @returns {boolean} */
  const isLength = (value) => {
    const node = asNode(value);
    const parts = [node.left, node.right, node.argument, node.consequent, node.alternate, node.expression];
    if (node.type === 'Literal') return Number(node.value) > 1;
    if (node.type === 'CallExpression')
      return /^Math\./.test(source.text.slice(node.start)) && /** @type {unknown[]} */ (node.arguments).some(isLength);
    if (node.type !== 'Identifier' && node.type !== 'MemberExpression')
      return parts.some((part) => part && isLength(part));
    const name = source.text.slice(node.start, node.end).split('.').at(-1) ?? '';
    return LIMIT.test(name) || Number(typeAt(node)) > 1;
  };
  /** @type {Cut[]} */
  const found = [];
  walk(source.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const callee = asNode(node.callee);
    const name = callee.type === 'MemberExpression' ? asNode(callee.property) : undefined;
    if (name === undefined || !CUTS.has(String(name.name))) return;
    if (!(/** @type {unknown[]} */ (node.arguments).some(isLength))) return;
    if (!typeAt(name).endsWith('=> string')) return;
    const text = source.text.slice(node.start, node.end).replaceAll(/\s+/g, ' ');
    found.push({ path: source.path, line: source.lineOf(name.start), text });
  });
  return found;
}

await run(async () => {
  const sources = readSources(['src']).filter(({ path }) => path !== EXEMPT);
  const api = new API({ cwd: root });
  const cuts = PROJECTS.flatMap(({ config, has }) => {
    const project = api.updateSnapshot({ openProject: join(root, config) }).getProject(join(root, config));
    if (project === undefined) throw new Error(`There is no project ${config}.`);
    return sources.filter(({ path }) => has(path)).flatMap((source) => cutsOf(project.checker, source));
  });
  api.close();
  /** @type {Record<string, Record<string, number>>} */
  const listed = JSON.parse(readFileSync(join(root, 'scripts', 'checks', 'cuts.json'), 'utf8'));
  const problems = Object.keys(listed)
    .filter((reason) => !(reason in REASONS))
    .map((reason) => `cuts.json: "${reason}" is no reason.`);
  const files = new Set([...cuts.map(({ path }) => path), ...Object.values(listed).flatMap(Object.keys)]);
  for (const path of [...files].sort()) {
    const here = cuts.filter((cut) => cut.path === path);
    const allowed = Object.values(listed).reduce((sum, counts) => sum + (counts[path] ?? 0), 0);
    if (here.length === allowed) continue;
    problems.push(
      `${path}: ${here.length} cuts at a fixed place, ${allowed} in scripts/checks/cuts.json: use beginningOf or endOf`,
    );
    problems.push(...here.map(({ line, text }) => `  line ${line}: ${text}`));
  }
  for (const problem of problems) console.log(problem);
  return problems.length > 0 ? 1 : 0;
});
