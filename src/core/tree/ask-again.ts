/**
 * Another side that did not answer, while a child works there: it is asked again until the patience with it is over.
 *
 * Decides: the delays between calls of it (RM9, RM11).
 */

/** Waits before another side is asked again, in ms; then the longest one again and again. */
const AGAIN_MS = [100, 250, 500, 1_000, 2_500, 5_000];

/** The wait before another side is asked again, in ms, after so many tries. */
export const askAgainMs = (tries: number): number => AGAIN_MS[tries] ?? LONGEST_AGAIN_MS;

/** The longest of these waits, in ms. */
export const LONGEST_AGAIN_MS = 15_000;
