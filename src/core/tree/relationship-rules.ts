/**
 * What a child's relationship to its parent decides at the root. Each is one exhaustive switch: a further value of a
 * relationship has to be decided here before anything compiles.
 *
 * Keeps DG28, TR8.
 */
import type { Lifetime } from './node';

/** Whether a child leaves the record, and its object goes, with the turn that it worked in (W7). */
export function goesWithItsTurn({ lifetime }: { readonly lifetime: Lifetime }): boolean {
  switch (lifetime) {
    case 'call':
      return true;
    case 'named':
      return false;
  }
}

/** Whether a child that has ended takes a further task in the session that it has. */
export function takesFurtherTasks({ lifetime }: { readonly lifetime: Lifetime }): boolean {
  switch (lifetime) {
    case 'call':
      return false;
    case 'named':
      return true;
  }
}
