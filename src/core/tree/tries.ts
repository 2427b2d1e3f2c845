/**
 * What is owed until somebody has done it, such as the stop of a remote child: how often it is tried, and for how long.
 *
 * Decides: the delays between tries of what is owed to others, and for how long it is tried (RM8, RM18, RM20, OP13); how late a
 * request may still come that was sent before (RM22); how often one that is to leave is asked what it owes, how long it may
 * take to say so, at each level, and how long a parent may that lets some leave (RM20, RM23, OP12).
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

/** Waits before one that is to leave is asked again what it owes, in ms. */
export const LEAVE_AGAIN_MS: readonly number[] = [100, 1_000];

/** One that is to leave, and does not say what it owes in so long, in ms, is not asked again. */
export const LEAVE_MS = 30_000;

/** A parent that lets some leave answers within this, in ms: in the first half they may say what they owe. */
export const PARENT_LEAVES_MS = 2 * LEAVE_MS;

/** Those inside of one that is asked have so much less, in ms: it answers for itself where they do not. */
const LESS_MS = 3_000;
const LEAST_MS = 1_000;

/** How long those inside may take of one that has so long, in ms. */
export const insideLeavesWithin = (withinMs: number): number => Math.max(LEAST_MS, withinMs - LESS_MS);
