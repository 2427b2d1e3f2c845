// A source file with all its mutants in it, each behind a switch. All of it is pure.
import { parseSync } from 'oxc-parser';

/** @typedef {import('./operators.mjs').Mutant} Mutant */

/** The global object that switches a mutant on, and counts what is reached (runner.mjs). */
export const SWITCHES = '__mutants';

/**
 * A program that behaves as it was, unless a mutant is switched on.
 * @param {string} text of one file
 * @param {readonly Mutant[]} mutants all of that file
 * @param {(mutant: Mutant) => number} numberOf its switch, from 1
 * @returns {string}
 */
export function switched(text, mutants, numberOf) {
  const able = parses(render(text, mutants, numberOf)) ? mutants : mutants.filter((one) => parses(planted(text, one)));
  return render(text, able, numberOf);
}

/** @param {string} text @param {Mutant} mutant */
const planted = (text, { start, end, replace }) => text.slice(0, start) + replace + text.slice(end);

/** @param {string} text */
const parses = (text) => parseSync('it.tsx', text).errors.length === 0 || parseSync('it.ts', text).errors.length === 0;

/** @param {string} text @param {readonly Mutant[]} mutants @param {(mutant: Mutant) => number} numberOf */
function render(text, mutants, numberOf) {
  const places = [...Map.groupBy(mutants, ({ whole }) => `${whole.start} ${whole.end} ${whole.is}`).values()]
    .flatMap((own) => (own[0] ? [{ own, ...own[0].whole }] : []))
    .sort((one, other) => one.start - other.start || other.end - one.end);
  let at = 0;
  /** @param {number} start @param {number} end @returns {string} */
  const between = (start, end) => {
    let written = '';
    let from = start;
    for (let place = places[at]; place !== undefined && place.start < end; place = places[at]) {
      const { own, is } = place;
      at += 1;
      written += text.slice(from, place.start);
      const inner = between(place.start, place.end);
      written += { statement, expression, body }[is](own, inner);
      from = place.end;
    }
    return written + text.slice(from, end);
  };
  const reached = (/** @type {readonly Mutant[]} */ own) => `${SWITCHES}.at(${own.map(numberOf).join(',')})`;
  const is = (/** @type {Mutant} */ one) => `${SWITCHES}.on === ${numberOf(one)}`;
  const statement = (/** @type {readonly Mutant[]} */ own, /** @type {string} */ inner) =>
    `{ ${reached(own)}; if (!(${own.map(is).join(' || ')})) ${inner} }`;
  /** A change of several statements: they are there twice. */
  const body = (/** @type {readonly Mutant[]} */ own, /** @type {string} */ inner) =>
    `{ ${reached(own)}; ${own.map((one) => `if (${is(one)}) ${changedIn(one)} else `).join('')} ${inner} }`;
  const changedIn = (/** @type {Mutant} */ { start, end, replace, whole }) =>
    text.slice(whole.start, start) + replace + text.slice(end, whole.end);
  const expression = (/** @type {readonly Mutant[]} */ own, /** @type {string} */ inner) => {
    const changed = own.map((one) => `${is(one)} ? (${changedIn(one)}) : `);
    return `(${reached(own)}, ${changed.join('')}(${inner}))`;
  };
  return between(0, text.length);
}
