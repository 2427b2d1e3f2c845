/**
 * What is owed until somebody has done it: how often it is tried, and for how long.
 *
 * Decides: the delays between tries of what is owed to others, and for how long it is tried (RM8, RM18, RM20, OP13); how late a
 * request may still come that was sent before (RM22).
 */

/** Something that is owed. Times in ms since 1970. */
export interface Tries {
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}

/** Waits before it is tried again, in ms; the last one again and again. */
const AGAIN_MS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
/** So long it is tried, in ms: a day. */
const WINDOW_MS = 86_400_000;

/** What is owed from now on. */
export const owedNow = (now: number): Tries => ({ since: now, attempts: 0, nextAt: now });

/** Whether it has been tried for long enough. */
export const isTriedEnough = ({ since }: Tries, now: number): boolean => now - since >= WINDOW_MS;

/** So long after it was given up a request may still come, in ms: an hour. */
const LATE_MS = 3_600_000;

/** Whether what was sent before this was owed, and has not come yet, comes no more. */
export const isPastComing = ({ since }: Tries, now: number): boolean => now - since >= LATE_MS;

/** The next try of what came to nothing, however long that has been so. */
export function triedAgain({ since, attempts }: Tries, now: number): Tries {
  const wait = AGAIN_MS[Math.min(attempts, AGAIN_MS.length - 1)] ?? 0;
  return { since, attempts: attempts + 1, nextAt: now + wait };
}
