/** The port to the directory of an agent class: Durable Objects cannot list themselves. */

/** What a root tells the directory of its class. */
export interface RootReport {
  readonly name: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** When it had its latest event, in ms since 1970. */
  readonly lastActivity: number;
  readonly status: string;
  readonly displayName?: string;
  readonly tags: readonly string[];
}

/** A root that is deleted, and what its deletion was asked with. */
export interface Deletion {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of what was begun at it: none of that is begun again when its request is repeated. */
  readonly begun?: readonly string[];
}

/** What the directory of a class does for its roots. All may be called again with the same. */
export interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  recordDeletion(deletion: Deletion): Promise<void>;
  /** Whether a root of this name was deleted in the last 24 h with that key, or had begun something with that receipt. */
  wasDeleted(name: string, key: string): Promise<boolean>;
}

/** Which roots are listed: newest first, after a position in that order. */
export interface RootsQuery {
  readonly limit: number;
  readonly after?: { readonly createdAt: number; readonly name: string };
  readonly status?: string;
  readonly tag?: string;
}

/** How many roots each caller may begin; what is missing is not limited. */
export interface NewRootLimits {
  /** Roots of a caller that are there at once; one that is deleted counts no more. */
  readonly perCaller?: number | undefined;
  /** Roots that a caller begins within any 60 s, those that were deleted since included. */
  readonly perMinute?: number | undefined;
}

/** Whether a root may be begun; if not, why, and after how many ms it may where time alone helps. */
export type ClaimAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retryAfterMs?: number };

/** The claims of one caller. Holding one and giving it back may be repeated. */
export interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}

/** How long a claim counts from which no root has come, and the time of `perMinute`, in ms. */
export const CLAIM_MS = 60_000;

/** The answer to a claim: `begun` are the times at which those of the last 60 s were begun, the oldest first. */
export function claimAnswer(limits: NewRootLimits, alive: number, begun: readonly number[], now: number): ClaimAnswer {
  const { perCaller, perMinute } = limits;
  if (perCaller !== undefined && alive >= perCaller)
    return { ok: false, message: `A caller may have ${perCaller} roots here. Delete one that is not needed.` };
  // The one whose time has to be over before there is room again.
  const first = perMinute === undefined ? undefined : begun[begun.length - perMinute];
  if (first === undefined) return { ok: true };
  const retryAfterMs = Math.max(1, first + CLAIM_MS - now);
  return { ok: false, message: `A caller may begin ${perMinute} roots a minute here. Try again later.`, retryAfterMs };
}
