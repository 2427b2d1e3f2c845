// A planted bug as a mutant, which one process tries with many others. All of it is pure.
import { parseSource, walk } from '../source.mjs';

/** @typedef {import('../mutants/operators.mjs').Mutant} Mutant @typedef {import('../mutants/operators.mjs').Whole} Whole */

/**
 * @param {import('./bugs.mjs').Bug} bug
 * @param {string} text of its file
 * @returns {Mutant | undefined} undefined for a bug that lies in no function: what runs while a file is loaded has no switch
 */
export function mutantOf({ id, file, ...edit }, text) {
  const { before, find, replace } = differing(edit);
  const start = text.indexOf(edit.find) + before;
  const end = start + find.length;
  const { program, lineOf } = parseSource(file, text);
  /** @type {Whole | undefined} */
  let whole;
  walk(program, ({ type, body }) => {
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) || !body) return;
    const own = /** @type {import('../source.mjs').Node} */ (body);
    const isWithin = own.start <= start && end <= own.end;
    if (!isWithin || (whole && own.end - own.start > whole.end - whole.start)) return;
    const isBlock = own.type === 'BlockStatement' || own.type === 'FunctionBody';
    // The braces stay: a switch goes around all statements between them.
    if (isBlock && (start === own.start || end === own.end)) return;
    whole = { start: own.start, end: own.end, is: isBlock ? 'body' : 'expression' };
  });
  return whole && { id, file, line: lineOf(start), operator: 'planted', was: find, start, end, replace, whole };
}

/** What two texts do not have in common: a function may end within `find`. @param {{ find: string, replace: string }} edit */
function differing({ find, replace }) {
  const most = Math.min(find.length, replace.length);
  let before = 0;
  while (before < most && find[before] === replace[before]) before += 1;
  let after = 0;
  while (after < most - before && find.at(-1 - after) === replace.at(-1 - after)) after += 1;
  const between = (/** @type {string} */ text) => text.slice(before, text.length - after);
  return { before, find: between(find), replace: between(replace) };
}
