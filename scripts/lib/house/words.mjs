// Places of banned words, by kind: pages, SPEC.md, comments, texts that people or models read, and names in code.
import { asNode, walk } from '../source.mjs';
import { BANNED, WORD_LISTS } from './banned.mjs';

/**
 * @typedef {import('../source.mjs').Node} Node
 * @typedef {import('../source.mjs').Source} Source
 * @typedef {'docs' | 'SPEC' | 'comments' | 'texts' | 'identifiers'} Kind
 * @typedef {{ kind: Kind, path: string, line: number, word: string, found: string }} Place `found` is what the text has
 * @typedef {{ text: string, start: number }} Piece of a file, by its offset
 */

/** A blank of the same length, so that offsets stay. @param {string} text */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/** A word that stands for code: it breaks no sentence, and is banned nowhere. @param {string} text */
const masked = (text) => text.replace(/[^\n]/g, 'x');

/**
 * A page without its code, apart from the comments in it, and without the targets of its links.
 * @param {string} page
 */
function proseOf(page) {
  return page
    .replace(/^```[^\n]*\n[\s\S]*?^```/gm, (block) =>
      block.replace(/^.*$/gm, (line) => {
        const at = line.search(/(^|\s)\/\/ /);
        return at < 0 ? blank(line) : blank(line.slice(0, at)) + line.slice(at).replace('//', '. ');
      }),
    )
    .replace(/`[^`\n]+`/g, masked)
    .replace(/\]\([^)\n]*\)/g, masked);
}

/**
 * The comments of a file, all else blank; `§` stands between two that are apart, so that no form reaches from one to the other.
 * @param {Source} source
 */
function commentsOf({ text, comments }) {
  let prose = '';
  for (const { start, end } of comments) {
    const before = text.slice(prose.length, start);
    prose += /\S/.test(before) ? blank(before).replace(' ', '§') : before;
    prose += text
      .slice(start, end)
      .replace(/^\/\*+|\*\/$|^\/\/|^[ \t]*\*(?!\/)/gm, blank)
      .replace(/`[^`\n]+`/g, masked);
  }
  return prose;
}

const LITERALS = new Set(['Literal', 'TemplateLiteral', 'JSXText']);

/**
 * The texts of a file: literals of two words or more, which are said to somebody, and all text of pages.
 * @param {Source} source
 * @returns {Piece[]}
 */
function textsOf({ text, program }) {
  /** @type {Piece[]} */
  const found = [];
  walk(program, (node, [parent]) => {
    if (!LITERALS.has(node.type) || (node.type === 'Literal' && typeof node.value !== 'string')) return;
    if (parent?.type === 'JSXAttribute' && asNode(parent.name).name === 'className') return;
    let piece = text.slice(node.start, node.end);
    for (const { start, end } of /** @type {Node[]} */ (node.expressions ?? [])) {
      const code = piece.slice(start - node.start, end - node.start);
      piece = piece.slice(0, start - node.start) + code.replace(/[^\n]/g, 'x') + piece.slice(end - node.start);
    }
    piece = piece.replace(/\\[nrt]/g, blank).replace(/`(?!$)[^`\n]+`(?=.)/g, masked);
    if (node.type === 'JSXText' || /\p{L}\S*\s+\S*\p{L}/u.test(piece)) found.push({ text: piece, start: node.start });
  });
  return found;
}

/** @param {unknown} pattern @returns {Node[]} the identifiers that it declares; `{ name }` takes over one that is declared elsewhere */
function declaredBy(pattern) {
  if (typeof pattern !== 'object' || pattern === null) return [];
  const node = asNode(pattern);
  const inner = (/** @type {unknown} */ list) => (Array.isArray(list) ? list.flatMap(declaredBy) : []);
  switch (node.type) {
    case 'Identifier':
      return [node];
    case 'AssignmentPattern':
      return declaredBy(node.left);
    case 'RestElement':
      return declaredBy(node.argument);
    case 'ArrayPattern':
      return inner(node.elements);
    case 'ObjectPattern':
      return inner(node.properties);
    case 'Property':
      return node.shorthand === true ? [] : declaredBy(node.value);
    default:
      return [];
  }
}

const NAMED = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
]);
const KEYED = new Set(['MethodDefinition', 'PropertyDefinition', 'TSPropertySignature', 'TSMethodSignature']);

/**
 * The names that a file declares, each where it does: of values, types, parameters, fields and methods; and the values of
 * types that are literals of one word.
 * @param {Source} source
 * @returns {{ name: string, start: number }[]}
 */
function namesOf({ program }) {
  /** @type {Node[]} */
  const found = [];
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator') found.push(...declaredBy(node.id));
    if (node.type !== 'TSFunctionType' && Array.isArray(node.params)) found.push(...node.params.flatMap(declaredBy));
    if (NAMED.has(node.type) && node.id) found.push(asNode(node.id));
    if (KEYED.has(node.type) || (node.type === 'Property' && node.method === true)) found.push(asNode(node.key));
    if (node.type === 'ImportSpecifier' && asNode(node.local).name !== asNode(node.imported).name) {
      found.push(asNode(node.local));
    }
    if (node.type === 'TSLiteralType') found.push(asNode(node.literal));
  });
  return found.flatMap(({ name, value, start }) => {
    const text = name ?? value;
    return typeof text === 'string' && /^#?[\w-]+$/.test(text) ? [{ name: text, start }] : [];
  });
}

/** A name as its words: `asItStands` is `as it stands`. @param {string} name */
export function wordsOfName(name) {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z\d]+/g, ' ')
    .trim()
    .toLowerCase();
}

/**
 * The banned words and forms of a text.
 * @param {string} text
 * @param {'prose' | 'names'} where
 * @returns {{ word: string, found: string, at: number }[]}
 */
export function bannedIn(text, where) {
  return BANNED.flatMap(({ word, [where]: pattern }) =>
    pattern === undefined
      ? []
      : [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
          word,
          found: found.replace(/\s+/g, ' '),
          at: index,
        })),
  );
}

/**
 * Those of a page of Markdown.
 * @param {'docs' | 'SPEC'} kind
 * @param {string} path
 * @param {string} page
 * @returns {Place[]}
 */
export function placesOfPage(kind, path, page) {
  return bannedIn(proseOf(page), 'prose').map(({ word, found, at }) => ({
    kind,
    path,
    line: page.slice(0, at).split('\n').length,
    word,
    found,
  }));
}

/**
 * Those of a source file: its comments, texts and names, its own name among them.
 * @param {Source} source
 * @returns {Place[]}
 */
export function placesOfSource(source) {
  const { path, lineOf } = source;
  /** @param {Kind} kind @param {number} start @param {string} text @returns {Place[]} */
  const prose = (kind, start, text) =>
    bannedIn(text, 'prose').map(({ word, found, at }) => ({ kind, path, line: lineOf(start + at), word, found }));
  /** @param {string} name @param {number} line @returns {Place[]} */
  const names = (name, line) =>
    bannedIn(wordsOfName(name), 'names').map(({ word }) => ({ kind: 'identifiers', path, line, word, found: name }));
  const [, file = ''] = /([^/.]+)[^/]*$/.exec(path) ?? [];
  const declared = namesOf(source);
  // Beside a right there is a left.
  const sides = declared.some(({ name }) => name === 'right');
  const texts = WORD_LISTS.some((list) => list.test(path)) ? [] : textsOf(source);
  return [
    ...prose('comments', 0, commentsOf(source)),
    ...texts.flatMap(({ text, start }) => prose('texts', start, text)),
    ...names(file, 1),
    ...declared
      .filter(({ name }) => !(sides && name === 'left'))
      .flatMap(({ name, start }) => names(name, lineOf(start))),
  ];
}
