/**
 * Prices of models, checked.
 *
 * Decides: which parts a price has.
 * Keeps US8.
 */
import type { Price } from './definition';
import { invalidDefinition } from './invalid';

const PARTS = ['input', 'output', 'cached', 'cacheWrite', 'reasoning'] as const satisfies readonly (keyof Price)[];
const NEEDED = ['input', 'output'] as const satisfies readonly (keyof Price)[];

const isKnown = (part: string): part is keyof Price => PARTS.some((known) => known === part);
const isPrice = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;

/** The first thing that is wrong with a price; undefined where nothing is. */
export function priceProblem(price: unknown): string | undefined {
  if (typeof price !== 'object' || price === null) return 'must be an object, or a function that returns one';
  const given = Object.entries(price);
  const unknown = given.find(([part]) => !isKnown(part));
  if (unknown) return `has the unknown part "${unknown[0]}". Available parts: ${PARTS.join(', ')}`;
  const wrong = given.find(([, value]) => value !== undefined && !isPrice(value))?.[0];
  const missing = NEEDED.find((part) => !given.some(([name, value]) => name === part && value !== undefined));
  const part = wrong ?? missing;
  return part && `needs \`${part}\` in US dollars for a million tokens, 0 or more`;
}

/** @throws OffshootError `invalid_definition` */
export function checkPrice(agent: string, price: unknown): void {
  const problem = price === undefined || typeof price === 'function' ? undefined : priceProblem(price);
  if (problem !== undefined) invalidDefinition(`Agent "${agent}": its \`price\` ${problem}.`);
}
