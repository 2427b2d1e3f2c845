/**
 * Where a child lives, whether it gets the place that it asks for, and how long it may be silent when it is stopped.
 *
 * Decides: how deep a tree is; how long a silent child is waited for, by its placement.
 * Keeps OP2, SP14, DG31.
 */

import { type Failure, failure } from '../../../protocol/errors';
import type { Relationship } from '../../definition/definition';
import { type Limits, MAX_FACET_LEVELS } from '../../definition/limits';

/** Where a child lives, and how its parent finds it there. */
export type Placement =
  /** In its parent's object. `segment`: what its address calls it below the parent, a slot with its generation, or a name. */
  | { readonly via: 'facet'; readonly className: string; readonly segment: string }
  /** In an object of its own, which is found by the child's session; `segment` as for a facet. */
  | { readonly via: 'object'; readonly className: string; readonly segment: string }
  /** Elsewhere: the root of another tree. `way`: whose transport leads there, the name of a tool or of a companion's agent. */
  | { readonly via: 'remote'; readonly className: string; readonly segment: string; readonly way: string };

/** A way to place a child. */
export type Via = Placement['via'];

/** The same for children of every placement. */
export function everyPlacement<Value>(value: Value): { readonly [via in Via]: Value } {
  return { facet: value, object: value, remote: value };
}

/** How long a child may be silent when it is told to stop, in ms; then it is given up (SP14). */
export const ANSWERS_WITHIN_MS: { readonly [via in Via]: number } = {
  facet: 15_000,
  object: 15_000,
  // Its parent answers for it at once, and asks it again and again.
  remote: 15_000,
};

/** How a new child is placed, or why there can be none, with advice that a model can follow. */
export type PlacementChoice = { readonly via: Via } | { readonly refused: Failure };

/** Where an agent is: its level in the tree, and that in its top-level object where it is another one; each begins with 1. */
export interface Levels {
  readonly depth: number;
  readonly objectLevel?: number;
}

/**
 * How a child of an agent at this level is placed. Facets end at level `MAX_FACET_LEVELS` of their top-level object: a child
 * below that gets an object of its own, in which levels are counted anew (OP2). What lives elsewhere is the root of another
 * tree; `maxDepth` bounds them all. A further placement is a member of `Placement`, its decision here, and its transport in
 * the tables of host and testing.
 */
export function placementBelow(
  { depth, objectLevel = depth }: Levels,
  wanted: Relationship['placement'],
  { maxDepth }: Pick<Limits, 'maxDepth'>,
): PlacementChoice {
  if (depth >= maxDepth)
    return {
      refused: failure(
        'max_depth',
        `This agent is at level ${depth} of ${maxDepth}: it cannot have sub-agents. Do the work yourself.`,
      ),
    };
  return { via: wanted === 'facet' && objectLevel >= MAX_FACET_LEVELS ? 'object' : wanted };
}

/** The levels of a child that is placed so. */
export function levelsBelow({ depth, objectLevel = depth }: Levels, via: Via): Levels {
  const level = via === 'object' ? 1 : objectLevel + 1;
  return level === depth + 1 ? { depth: level } : { depth: depth + 1, objectLevel: level };
}
