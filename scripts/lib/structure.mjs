// What the checks want to know about one source file: its functions, imports and exports.
import { asNode, literalText, walk } from './source.mjs';

/**
 * @typedef {import('./source.mjs').Node} Node
 * @typedef {import('./source.mjs').Source} Source
 */

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** @type {Map<string, 'test' | 'group'>} */
const TEST_CALLS = new Map([
  ['it', 'test'],
  ['test', 'test'],
  ['describe', 'group'],
  ['suite', 'group'],
]);

/** @param {unknown} node @returns {string | undefined} the name of an identifier, private name or plain key */
function nameOf(node) {
  if (typeof node !== 'object' || node === null) return undefined;
  const { type, name, value } = asNode(node);
  if (type === 'PrivateIdentifier') return `#${name}`;
  return typeof name === 'string' ? name : typeof value === 'string' ? value : undefined;
}

/** @param {Node} node @param {readonly Node[]} parents @returns {string | undefined} undefined when it has no name */
function functionName(node, parents) {
  const own = nameOf(node.id);
  if (own) return own;
  const [parent] = parents;
  if (parent?.type === 'VariableDeclarator' && parent.init === node) return nameOf(parent.id);
  const keyed = ['MethodDefinition', 'PropertyDefinition', 'Property', 'AccessorProperty'];
  if (!parent || !keyed.includes(parent.type) || parent.value !== node) return undefined;
  const owner = parents.find(({ type }) => type === 'ClassDeclaration' || type === 'ClassExpression');
  const name = nameOf(parent.key);
  return name && owner ? `${nameOf(owner.id) ?? 'class'}.${name}` : name;
}

const HOOKS = new Set(['afterAll', 'afterEach', 'beforeAll', 'beforeEach']);

/**
 * Lines of the hooks that a file declares outside of any function. In a module that test files share without isolation
 * such a hook runs for the first file alone, because the module is evaluated once.
 * @param {Source} source
 * @returns {number[]}
 */
export function hooksOfModule({ program, lineOf }) {
  const statements = /** @type {Node[]} */ (program.body);
  return statements.flatMap(({ type, expression, start }) => {
    const callee = type === 'ExpressionStatement' ? asNode(asNode(expression).callee) : undefined;
    return callee && HOOKS.has(nameOf(callee) ?? '') ? [lineOf(start)] : [];
  });
}

/**
 * The calls of a file that declare a test or a group of tests, with the modifiers between, as in `it.each(…)(…)`.
 * @param {Source} source
 * @returns {{ kind: 'test' | 'group', modifiers: string[], args: Node[], line: number }[]}
 */
export function testCalls(source) {
  /** @type {{ kind: 'test' | 'group', modifiers: string[], args: Node[], line: number }[]} */
  const found = [];
  walk(source.program, (node, [parent]) => {
    // Of the two calls in `it.each(rows)(title, body)` only the outer one declares.
    if (node.type !== 'CallExpression' || (parent?.type === 'CallExpression' && parent.callee === node)) return;
    /** @type {string[]} */
    const modifiers = [];
    let callee = asNode(node.callee);
    while (callee.type === 'CallExpression' || callee.type === 'MemberExpression') {
      if (callee.type === 'MemberExpression') modifiers.unshift(nameOf(callee.property) ?? '');
      callee = asNode(callee.type === 'CallExpression' ? callee.callee : callee.object);
    }
    const kind = TEST_CALLS.get(nameOf(callee) ?? '');
    const args = /** @type {Node[]} */ (node.arguments);
    if (kind && callee.type === 'Identifier') found.push({ kind, modifiers, args, line: source.lineOf(node.start) });
  });
  return found;
}

/**
 * The functions of a file that have a name, methods and named arrow functions among them, with their lines.
 * @param {Source} source
 * @returns {{ name: string, line: number, lines: number }[]}
 */
export function namedFunctions(source) {
  /** @type {{ name: string, line: number, lines: number }[]} */
  const found = [];
  walk(source.program, (node, parents) => {
    if (!FUNCTIONS.has(node.type)) return;
    const name = functionName(node, parents);
    if (!name) return;
    const line = source.lineOf(node.start);
    found.push({ name, line, lines: source.lineOf(node.end - 1) - line + 1 });
  });
  return found;
}

/**
 * Every module that a file imports, re-exports or names in a type, as written. `dynamic` is what is imported by a call,
 * only once that is reached.
 * @param {Source} source
 * @returns {{ specifier: string, line: number, dynamic: boolean }[]}
 */
export function imports(source) {
  /** @type {{ specifier: string, line: number, dynamic: boolean }[]} */
  const found = [];
  walk(source.program, (node) => {
    const from = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'];
    if (node.type !== 'TSImportType' && !from.includes(node.type)) return;
    const specifier = literalText(node.source) ?? literalText(node.argument);
    if (specifier === undefined) return;
    found.push({ specifier, line: source.lineOf(node.start), dynamic: node.type === 'ImportExpression' });
  });
  return found;
}

/** @param {Node} declaration @returns {string[]} */
function declaredNames(declaration) {
  if (declaration.type !== 'VariableDeclaration') return [nameOf(declaration.id) ?? 'default'];
  const declarators = /** @type {Node[]} */ (declaration.declarations);
  return declarators.map(({ id }) => nameOf(id) ?? 'pattern');
}

/**
 * What a file declares and exports, and whether a doc comment stands right before the declaration. The first of
 * several overloads speaks for all. Re-exports from other files are not listed.
 * @param {Source} source
 * @returns {{ name: string, line: number, documented: boolean }[]}
 */
export function exportedSymbols(source) {
  /** @param {Node} node */
  const isDocumented = (node) =>
    source.comments.some(
      ({ type, value, end }) =>
        type === 'Block' &&
        value.startsWith('*') &&
        end <= node.start &&
        /^\s*$/.test(source.text.slice(end, node.start)),
    );
  /** @type {Map<string, { name: string, line: number, documented: boolean, exported: boolean }>} */
  const symbols = new Map();
  /** @type {string[]} */
  const listed = [];
  for (const statement of /** @type {Node[]} */ (source.program.body)) {
    const exported = statement.type.startsWith('Export');
    const declaration = exported ? statement.declaration : statement;
    if (exported && !declaration && !statement.source) {
      const specifiers = /** @type {Node[]} */ (statement.specifiers ?? []);
      listed.push(...specifiers.flatMap(({ local }) => nameOf(local) ?? []));
    }
    if (!declaration) continue;
    for (const name of declaredNames(asNode(declaration))) {
      const known = symbols.get(name);
      const documented = (known?.documented ?? false) || isDocumented(statement);
      symbols.set(name, { name, line: source.lineOf(statement.start), documented, exported });
    }
  }
  return [...symbols.values()].filter(({ name, exported }) => exported || listed.includes(name));
}

/**
 * The casts of a file (`x as T`, `<T>x` and `x!`), with their lines; `as const` is none, `as unknown as T` is one.
 * @param {Source} source
 * @returns {number[]}
 */
export function castLines(source) {
  /** @type {number[]} */
  const found = [];
  walk(source.program, (node, [parent]) => {
    if (!CASTS.has(node.type) || (parent && CASTS.has(parent.type))) return;
    const to = node.typeAnnotation === undefined ? undefined : asNode(node.typeAnnotation);
    if (to && source.text.slice(to.start, to.end) === 'const') return;
    found.push(source.lineOf(node.start));
  });
  return found;
}

const CASTS = new Set(['TSAsExpression', 'TSTypeAssertion', 'TSNonNullExpression']);
