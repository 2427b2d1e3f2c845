/**
 * Copies of data, as they go from one object to another.
 *
 * Keeps TT1.
 */

/** Levels of data that are copied by hand: `structuredClone` takes deeper ones, and circles. */
const DEEP = 12;

/**
 * A copy as `structuredClone` makes it. Values of JSON are copied by hand, in a fifth of the time: an object in two
 * places is copied twice there.
 * @throws DataCloneError for functions and symbols
 */
export function copied<Value>(value: Value): Value;
export function copied(value: unknown): unknown {
  return isWhole(value) ? value : copyAt(value, DEEP);
}

const isWhole = (value: unknown): boolean =>
  value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol');

function copyAt(value: unknown, deep: number): unknown {
  if (deep > 0 && Array.isArray(value)) return value.map((one) => (isWhole(one) ? one : copyAt(one, deep - 1)));
  if (deep === 0 || !isPlain(value)) return structuredClone(value);
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) if (!isWhole(copy[key])) copy[key] = copyAt(copy[key], deep - 1);
  return copy;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
