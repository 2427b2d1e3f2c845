/** The sides of an agent that has two: they speak in turns. */

/** Which of the two. */
export type SideName = 'side_a' | 'side_b';

/** Both, in the order in which they are defined. */
export const SIDES: readonly SideName[] = ['side_a', 'side_b'];

/** The side that speaks to this one. */
export const otherSide = (side: SideName): SideName => (side === 'side_a' ? 'side_b' : 'side_a');
