/**
 * The sides of an agent that has two: they speak in turns.
 *
 * Keeps SA1.
 */

/** Both, in the order in which they are defined. */
export const SIDES = ['side_a', 'side_b'] as const;

/** One of the two sides. */
export type SideName = (typeof SIDES)[number];

/** The side that speaks to this one. */
export const otherSide = (side: SideName): SideName => (side === 'side_a' ? 'side_b' : 'side_a');
