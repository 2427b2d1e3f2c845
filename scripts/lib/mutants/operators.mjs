// The operators of the mutation tester: small wrong programs made from a right one. All of it is pure.
import { createHash } from 'node:crypto';
import { parseSource, walk } from '../source.mjs';

/** @typedef {import('../source.mjs').Node} Node */

/**
 * One change of one file: the text from `start` to `end` becomes `replace`. `whole` is the expression, the statement or
 * the body of a function that it changes: a switch around that chooses between both.
 * @typedef {{ operator: string, start: number, end: number, replace: string }} Edit
 * @typedef {{ start: number, end: number, is: 'expression' | 'statement' | 'body' }} Whole
 * @typedef {Edit & { whole: Whole, id: string, file: string, line: number, was: string }} Mutant
 */

/** What takes the place of a binary operator. */
const BINARY = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['+', '-'],
  ['-', '+'],
]);
const LOGICAL = new Map([
  ['&&', '||'],
  ['||', '&&'],
]);
/** A larger number is a measure, of which one more changes nothing that a test should hold. */
const MOST_COUNTED = 2;
/** What takes the place of a method; where it is empty, its call is left out. */
const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['filter', ''],
  ['toSorted', ''],
]);

/**
 * @param {string} file from the project's root
 * @param {string} text
 * @returns {Mutant[]} every mutant of a file, in the order of its text
 */
export function mutantsOf(file, text) {
  const { program, lineOf } = parseSource(file, text);
  /** @type {(Edit & { whole: Whole })[]} */
  const edits = [];
  walk(program, (node, parents) => {
    if (parents.some(({ type }) => type.startsWith('TS') && !/As|NonNull|Satisfies/.test(type))) return;
    for (const edit of editsOf(node, parents, text)) edits.push({ ...edit, whole: wholeOf(node, parents, edit) });
  });
  edits.sort((one, other) => one.start - other.start || one.end - other.end);
  return edits.map((edit) => {
    const was = text.slice(edit.start, edit.end);
    const line = lineOf(edit.start);
    // The same change elsewhere in the file is another mutant; a change of other lines makes no new one of it.
    const same = edits.filter(
      ({ start, end, operator }) => operator === edit.operator && text.slice(start, end) === was,
    );
    const key = [file, edit.operator, was, edit.replace, same.indexOf(edit)].join('\0');
    return { ...edit, id: createHash('sha256').update(key).digest('hex').slice(0, 10), file, line, was };
  });
}

/** @param {Node} node @param {readonly Node[]} parents @param {Edit} edit @returns {Whole} */
function wholeOf(node, parents, edit) {
  if (node.type === 'ExpressionStatement') return { start: node.start, end: node.end, is: 'statement' };
  const part = /** @type {Node} */ (
    node.type === 'SpreadElement' ? node.argument : edit.operator === 'negate' ? node.test : node
  );
  // A part of `a?.b()` by itself would lose what stops the rest of it.
  const chain =
    node.type === 'CallExpression'
      ? parents.find(({ type }) => !/^(?:Call|Member|TSNonNull)Expression$/.test(type))
      : undefined;
  const { start, end } = chain?.type === 'ChainExpression' ? chain : part;
  return { start, end, is: 'expression' };
}

/** @param {Node} node @param {readonly Node[]} parents the nearest first @param {string} text @returns {Edit[]} */
function editsOf(node, [parent], text) {
  const of = (/** @type {Node} */ { start, end }) => text.slice(start, end);
  const edit = (
    /** @type {string} */ operator,
    /** @type {string} */ replace,
    /** @type {Node} */ { start, end } = node,
  ) => ({
    operator,
    start,
    end,
    replace,
  });
  const sub = (/** @type {string} */ key) => /** @type {Node} */ (node[key]);
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      // A comparison of its own is turned by its operator.
      return /^[=!]==$/.test(String(sub('test').operator))
        ? []
        : [edit('negate', `!(${of(sub('test'))})`, sub('test'))];
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorEdits(node, sub('left'), sub('right'), text);
    case 'ExpressionStatement':
      return isEffect(sub('expression')) && parent?.type !== 'Program' ? [edit('drop statement', ';')] : [];
    case 'SpreadElement':
      return parent?.type === 'ObjectExpression' || parent?.type === 'ArrayExpression'
        ? [edit('drop spread', parent.type === 'ObjectExpression' ? '{}' : '[]', sub('argument'))]
        : [];
    case 'Literal':
      if (typeof node.value === 'boolean') return [edit('flip', String(!node.value))];
      return typeof node.value === 'number' && node.value <= MOST_COUNTED
        ? [edit('one more', `(${of(node)} + 1)`)].filter(() => !isKey(node, parent))
        : [];
    case 'CallExpression':
      return methodEdits(node, text);
    default:
      return [];
  }
}

/** @param {Node} node @param {Node} left @param {Node} right @param {string} text @returns {Edit[]} */
function operatorEdits(node, left, right, text) {
  const operator = String(node.operator);
  const other = (node.type === 'LogicalExpression' ? LOGICAL : BINARY).get(operator);
  const at = text.indexOf(operator, left.end);
  const isText = (/** @type {Node} */ { type, value }) => type === 'TemplateLiteral' || typeof value === 'string';
  if (other === undefined || at < 0 || at >= right.start) return [];
  if ((operator === '+' && (isText(left) || isText(right))) || /\/[/*]/.test(text.slice(left.end, at))) return [];
  return [{ operator: `${operator} is ${other}`, start: at, end: at + operator.length, replace: other }];
}

/** @param {Node} node a call @param {string} text @returns {Edit[]} */
function methodEdits(node, text) {
  const callee = /** @type {Node} */ (node.callee);
  if (callee.type !== 'MemberExpression' || callee.computed === true) return [];
  const [object, property] = [/** @type {Node} */ (callee.object), /** @type {Node} */ (callee.property)];
  const other = METHODS.get(String(property.name));
  if (other === undefined) return [];
  const operator = `${property.name} is ${other || 'left out'}`;
  return other === ''
    ? [{ operator, start: object.end, end: node.end, replace: '' }]
    : [{ operator, start: property.start, end: property.end, replace: other }].filter(
        () => /^(?:some|every)$/.test(other) || text.slice(object.start, object.end) === 'Math',
      );
}

/** @param {Node} expression whether it is there for what it does */
const isEffect = ({ type, argument }) =>
  type === 'CallExpression' ||
  type === 'AssignmentExpression' ||
  type === 'UpdateExpression' ||
  (type === 'AwaitExpression' && /** @type {Node} */ (argument).type === 'CallExpression');

/** @param {Node} node @param {Node | undefined} parent */
const isKey = (node, parent) => parent?.key === node || parent?.type === 'MemberExpression';
