/**
 * What a placement decides: where a child lives, whether it gets the place that its relationship asks for, and how long it
 * may be silent when it is stopped (SP14).
 */

import { type Failure, failure } from '../../protocol/errors';
import type { Relationship } from '../definition/definition';
import { type Limits, MAX_FACET_LEVELS } from '../definition/limits';

/** Where a child lives, and how its parent finds it there. */
export type Placement =
  /** In its parent's object. `segment`: what its address calls it below the parent, a slot with its generation, or a name. */
  | { readonly via: 'facet'; readonly className: string; readonly segment: string }
  /** Elsewhere: the root of another tree. `way`: whose transport leads there, the name of a tool or of a companion's agent. */
  | { readonly via: 'remote'; readonly className: string; readonly segment: string; readonly way: string };

/** A way to place a child. */
export type Via = Placement['via'];

/** The same for children of every placement. */
export function everyPlacement<Value>(value: Value): { readonly [via in Via]: Value } {
  return { facet: value, remote: value };
}

/** How long a child may be silent when it is told to stop, in ms; then it is given up (SP14). */
export const ANSWERS_WITHIN_MS: { readonly [via in Via]: number } = {
  facet: 15_000,
  // Its parent answers for it at once, and asks it again and again.
  remote: 15_000,
};

/** How a new child is placed, or why there can be none, with advice that a model can follow. */
export type PlacementChoice = { readonly via: Via } | { readonly refused: Failure };

/**
 * How a child of an agent at this level is placed; the root is at level 1. Facets end at level `MAX_FACET_LEVELS`;
 * what lives elsewhere is the root of another tree, and only `maxDepth` bounds it here. A
 * further placement is a member of `Placement`, its decision here, and its transport in the tables of host and testing.
 */
export function placementBelow(
  level: number,
  wanted: Relationship['placement'],
  { maxDepth }: Pick<Limits, 'maxDepth'>,
): PlacementChoice {
  const levels = wanted === 'facet' ? Math.min(maxDepth, MAX_FACET_LEVELS) : maxDepth;
  if (level < levels) return { via: wanted };
  return {
    refused: failure(
      'max_depth',
      `This agent is at level ${level} of ${levels}: it cannot have sub-agents. Do the work yourself.`,
    ),
  };
}
