// Reads the project's own source as syntax trees, for the checks.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './paths.mjs';

/** Files that programs write: nobody reads them as source. */
export const GENERATED = new Set(['src/store/migrations.ts']);

/**
 * @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node
 * @typedef {object} Source
 * @property {string} path from the project's root
 * @property {string} text
 * @property {number} lines
 * @property {Node} program
 * @property {{ type: string, value: string, start: number, end: number }[]} comments
 * @property {(offset: number) => number} lineOf the line of an offset, from 1
 */

/**
 * All source files below some folders of the project, without generated ones, in the order of their paths.
 * @param {string[]} folders
 * @returns {Source[]}
 */
export function readSources(folders) {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(tsx?|mjs)$/.test(path) && !/node_modules|\.wrangler/.test(path))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  );
  return paths
    .filter((path) => !GENERATED.has(path))
    .sort()
    .map(readSource);
}

/** @param {string} path */
const readSource = (path) => parseSource(path, readFileSync(join(root, path), 'utf8'));

/**
 * A text as a source file.
 * @param {string} path
 * @param {string} text
 * @returns {Source}
 */
export function parseSource(path, text) {
  const { program, comments } = parseSync(path, text);
  /** @type {number[]} */
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lines = text.endsWith('\n') ? starts.length - 1 : starts.length;
  const lineOf = (/** @type {number} */ offset) => starts.filter((start) => start <= offset).length;
  return { path, text, lines, program: asNode(program), comments, lineOf };
}

/** @param {unknown} value */
function isNode(value) {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}

/**
 * A value of the tree as a node.
 * @param {unknown} value
 * @returns {Node}
 */
export function asNode(value) {
  return /** @type {Node} */ (value);
}

/**
 * The children of a node, by the name of the field that holds them, in the order of the source.
 * @param {Node} node
 * @returns {[string, Node][]}
 */
function childrenOf(node) {
  return Object.entries(node).flatMap(([key, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.filter(isNode).map((child) => /** @type {[string, Node]} */ ([key, asNode(child)]));
  });
}

/**
 * Visits a node and all below it, parents first.
 * @param {Node} node
 * @param {(node: Node, parents: readonly Node[]) => void} visit
 * @param {readonly Node[]} [parents] the nearest first
 */
export function walk(node, visit, parents = []) {
  visit(node, parents);
  for (const [, child] of childrenOf(node)) walk(child, visit, [node, ...parents]);
}

/**
 * The text of a string literal or of a template without its expressions.
 * @param {unknown} value
 * @returns {string | undefined} undefined when it is anything else
 */
export function literalText(value) {
  if (!isNode(value)) return undefined;
  const node = asNode(value);
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  const parts = /** @type {{ value: { cooked: string | null } }[]} */ (node.quasis);
  return parts.map(({ value: { cooked } }) => cooked ?? '').join('…');
}
