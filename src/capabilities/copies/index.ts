/**
 * Copies, as a row of the list of capabilities. README.md of this folder explains them.
 *
 * Keeps CP1.
 */
import type { Capability } from '../../engine/capability';
import type { ObjectRuntime } from '../../engine/object/object';
import { Copies } from './children';
import { copiesMachine } from './machine';
import { CopiesAtObject } from './object';
import { forkParts } from './verb';

/** The row of copies. */
export const copies: Capability<unknown, ObjectRuntime> = {
  ...copiesMachine,
  beforeChildren: () => new Copies(),
  atObject: (object) => new CopiesAtObject(object),
  verbs: { fork: forkParts },
};
