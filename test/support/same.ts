/**
 * Comparisons that a property makes at each of its steps. `expect` takes longer than most of what it compares, so it is
 * asked only where two values differ, and says how.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/** Fails where two values are not one, as `toBe` does. */
export function isSame<Value>(found: Value, wanted: NoInfer<Value>, what: string): void {
  if (!Object.is(found, wanted)) expect(found, what).toBe(wanted);
}

/** Fails where two values differ, as `toEqual` does. */
export function equals(found: unknown, wanted: unknown, what: string): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found, what).toEqual(wanted);
}

/** Fails where there is something. */
export function isEmpty(found: readonly unknown[], what: string): void {
  if (found.length > 0) expect(found, what).toEqual([]);
}
