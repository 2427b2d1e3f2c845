// Members of interfaces and of tables in the source, each with its doc comment.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { asNode, parseSource, walk } from '../source.mjs';

/** @typedef {import('../source.mjs').Node} Node */
/** @typedef {{ name: string, optional: boolean, type: string, says: string }} Member */

/** @param {string} path */
const sourceOf = (path) => parseSource(path, readFileSync(join(root, path), 'utf8'));

/** The text of a comment on one line. @param {string} comment */
const plainly = (comment) =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, '').trim())
    .join(' ')
    .trim();

/** A type as a reader of a table needs it: without the types that the compiler infers. @param {string} text */
function shortType(text) {
  let short = text.replaceAll(/\s+/g, ' ').trim();
  if (short.includes('=>') && !short.includes(' | ')) return 'function';
  // From the inside out.
  for (let before = ''; before !== short; ) {
    before = short;
    short = short
      .replaceAll(/\bRecord<[^<>]*>/g, 'object')
      .replaceAll(/\bz\.(?:input|output|infer)<[^<>]*>/g, 'value')
      .replaceAll(/\b(?:Partial|Readonly|Required)<([^<>]*)>/g, '$1');
    short = short.replaceAll(/<[^<>]*>/g, '');
  }
  short = short.replaceAll(/\breadonly /g, '').replace(/ & .*/, '');
  short = short
    .replaceAll(/\([^()]*(?:\([^()]*\)[^()]*)*\) => [\w |]+/g, 'function')
    .replaceAll('(function)', 'function');
  return short
    .replace(/^z\.\w+$/, 'zod schema')
    .replace(/^(?:Input|Output|State)Schema$/, 'zod schema')
    .replace(/^\| /, '');
}

/**
 * The members of one interface.
 * @param {string} path
 * @param {string} name
 * @returns {Member[]}
 */
export function membersOf(path, name) {
  const source = sourceOf(path);
  /** @type {Member[]} */
  const found = [];
  walk(source.program, (node) => {
    if (node.type !== 'TSInterfaceDeclaration' || asNode(node.id).name !== name) return;
    for (const member of /** @type {Node[]} */ (asNode(node.body).body)) {
      const annotation = member.typeAnnotation ? asNode(member.typeAnnotation) : undefined;
      const type = annotation === undefined ? 'function' : source.text.slice(annotation.start + 1, annotation.end);
      const key = asNode(member.key).name;
      found.push({
        name: String(key),
        optional: member.optional === true,
        type: shortType(type),
        says: commentBefore(source, member),
      });
    }
  });
  if (found.length === 0) throw new Error(`${path} has no interface ${name}.`);
  return found;
}

/**
 * The comment of each property of a constant that holds an object.
 * @param {string} path
 * @param {string} name
 * @returns {Map<string, string>}
 */
export function commentsOf(path, name) {
  const source = sourceOf(path);
  /** @type {Map<string, string>} */
  const found = new Map();
  walk(source.program, (node) => {
    if (node.type !== 'VariableDeclarator' || asNode(node.id).name !== name) return;
    let value = asNode(node.init);
    while (value.type !== 'ObjectExpression') value = asNode(value.expression);
    for (const property of /** @type {Node[]} */ (value.properties))
      found.set(String(asNode(property.key).name), commentBefore(source, property));
  });
  if (found.size === 0) throw new Error(`${path} has no object ${name}.`);
  return found;
}

/** @param {import('../source.mjs').Source} source @param {Node} node */
function commentBefore({ comments, text }, node) {
  const comment = comments.findLast(
    ({ end, value }) => end <= node.start && value.startsWith('*') && text.slice(end, node.start).trim() === '',
  );
  return comment === undefined ? '' : plainly(comment.value.slice(1));
}
