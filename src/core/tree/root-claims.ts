/**
 * Limits of callers: of new roots, decided from the claims that a directory holds, and of the sockets, streams and tokens of
 * one root.
 *
 * Decides: how many roots a caller may begin, and how much of a root it may hold.
 * Keeps A65, X34.
 */

/** The number of roots that each caller may create; an omitted limit does not apply. */
export interface NewRootLimits {
  /** The number of roots that a caller may have; deleted roots do not count. */
  readonly perCaller?: number | undefined;
  /** The number of roots that a caller may create within any 60 s, including those deleted since. */
  readonly perMinute?: number | undefined;
}

/** The decision about a new root; a refusal has its reason, and a delay in ms if waiting helps. */
export type ClaimAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retryAfterMs?: number };

/** How long a claim counts from which no root has come, and the time of `perMinute`, in ms. */
export const CLAIM_MS = 60_000;

/** The answer to a claim: `begun` are the times at which those of the last 60 s were begun, the oldest first. */
export function claimAnswer(limits: NewRootLimits, alive: number, begun: readonly number[], now: number): ClaimAnswer {
  const { perCaller, perMinute } = limits;
  if (perCaller !== undefined && alive >= perCaller)
    return { ok: false, message: `A caller may have ${perCaller} roots. Delete one that is no longer needed.` };
  // The one whose time has to be over before there is room again.
  const first = perMinute === undefined ? undefined : begun[begun.length - perMinute];
  if (first === undefined) return { ok: true };
  const retryAfterMs = Math.max(1, first + CLAIM_MS - now);
  return { ok: false, message: `A caller may create ${perMinute} roots per minute. Try again later.`, retryAfterMs };
}

/**
 * True where a holder may hold one more of `most`, where `holders` names the holder of each that is held: as many as are free
 * beside them. One holder alone gets half of them, the next one half of the rest; some are always free for another.
 */
export function mayHold(most: number, holders: readonly string[], holder: string): boolean {
  const own = holders.reduce((sum, one) => (one === holder ? sum + 1 : sum), 0);
  return own < most - holders.length;
}
