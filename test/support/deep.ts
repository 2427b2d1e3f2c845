/** Values that no limit of depth lets through. */
import type { Json } from '../../src/protocol/json';

/** Arrays inside each other, so many levels; what lies innermost counts none. */
export function deep(levels: number, innermost: Json = 'x'): Json {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** The text of such a value. Written by hand, because a serializer may not get that far. */
export const deepText = (levels: number): string => `${'['.repeat(levels)}"x"${']'.repeat(levels)}`;
