/**
 * The pace of one tree at one provider: how fast its requests may go, learned from what the provider refused.
 *
 * Decides: when the next request to a provider that has refused one may go, and how the pace slows down and grows.
 *
 * MT4. A refusal closes the way to its provider for the whole tree: as long as the provider asks for, else for a time that
 *     doubles while nothing passes. One for overload closes it only as long as the provider asks for, and slows nothing.
 * MT5. Refusals of requests that went before the last lesson teach nothing new: a burst that is refused slows the pace once.
 * MT6. Each turn that is given makes the pace a little faster; after a refusal behind turns that passed it grows more slowly.
 */

/** The pace of a tree at one provider. Times in ms since 1970. */
export interface Pace {
  /** Between two requests, in ms. */
  readonly intervalMs: number;
  /** `intervalMs` is multiplied with it for each turn. */
  readonly growth: number;
  /** No turn is given before. */
  readonly closedUntil: number;
  /** The lesson that it has from refusals, from 1. */
  readonly round: number;
  /** Turns given in this round. */
  readonly given: number;
  /** Refusals in a row with nothing that passed between them. */
  readonly strikes: number;
  /** The last refusal. */
  readonly refusedAt: number;
}

/** A turn that was given: its place in the lessons of its pace. */
export interface PlaceInPace {
  readonly round: number;
  readonly number: number;
}

/** A refusal of a provider, as the root hears of it. */
export interface Refusal {
  readonly at: number;
  /** As long as the provider asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** It was for overload: it teaches nothing of how fast this tree may go. */
  readonly overloaded?: true;
  /** The turn that the request had; missing for one that went without. */
  readonly place?: PlaceInPace;
}

/** The limits that a pace goes by. */
export interface PaceLimits {
  readonly modelRetryBaseMs: number;
  readonly modelRetryAfterMs: number;
}

/** The first guess: so many requests in the time of the first wait. */
const FIRST_GUESS = 3;
/** The pace grows by so much for each turn: fast while the limit is unknown, slowly once it was met at work. */
const FAST = 0.93;
const SLOW = 0.99;
/** So many turns in a row that passed say that the limit has become looser. */
const MANY = 24;
const QUICK = 0.95;
/** After a refusal behind turns that passed the pace is so much slower, and where nothing passed it halves. */
const EASED = 1.4;
const HALVED = 2;
/** A provider that has refused nothing for so long has no limit that is met, in ms; longer than the windows of providers. */
const FORGOTTEN_MS = 120_000;

/** The pace of a provider that has refused nothing for its rate. */
const NO_PACE: Pace = { intervalMs: 0, growth: 1, closedUntil: 0, round: 0, given: 0, strikes: 0, refusedAt: 0 };

/** The pace after a refusal. */
export function paceAfter(before: Pace | undefined, refusal: Refusal, limits: PaceLimits): Pace {
  const { at, place } = refusal;
  const { modelRetryBaseMs: base, modelRetryAfterMs: most } = limits;
  const asked = refusal.retryAfterMs === undefined ? undefined : Math.min(Math.max(1, refusal.retryAfterMs), most);
  if (refusal.overloaded)
    return { ...NO_PACE, ...before, refusedAt: at, closedUntil: Math.max(before?.closedUntil ?? 0, at + (asked ?? 0)) };
  if (before === undefined || before.round === 0) {
    const first = { intervalMs: base / FIRST_GUESS, growth: FAST, round: 1, given: 0, strikes: 1 };
    return { ...first, refusedAt: at, closedUntil: Math.max(before?.closedUntil ?? 0, at + (asked ?? base)) };
  }
  const closed = (ms: number): number => Math.max(before.closedUntil, at + ms);
  if (place?.round !== before.round) return { ...before, refusedAt: at, closedUntil: closed(asked ?? 0) };
  const next = { refusedAt: at, round: before.round + 1, given: 0 };
  if (place.number > 1) {
    const intervalMs = Math.min(before.intervalMs * EASED, most);
    return { ...next, growth: SLOW, strikes: 0, intervalMs, closedUntil: closed(asked ?? intervalMs) };
  }
  const strikes = before.strikes + 1;
  const intervalMs = Math.min(before.intervalMs * (strikes > 1 ? HALVED : EASED), most);
  const wait = Math.min(base * 2 ** (strikes - 1), most);
  return { ...next, growth: before.growth, strikes, intervalMs, closedUntil: closed(asked ?? wait) };
}

/** The pace after a turn is given; `chance` from 0 to 1 sets the next turn a little apart from those of other trees. */
export function paceGiven(before: Pace, at: number, chance: number): Pace {
  const gap = before.intervalMs * (1 + SPREAD * (chance - 0.5));
  return {
    ...before,
    given: before.given + 1,
    intervalMs: before.intervalMs * (before.given < MANY ? before.growth : Math.min(before.growth, QUICK)),
    closedUntil: Math.max(before.closedUntil, at) + gap,
  };
}

/** Turns are so much earlier or later than the pace says, as a part of the interval. */
const SPREAD = 0.2;

/** True for a pace that holds nobody up any more. */
export function isForgotten(pace: Pace, now: number): boolean {
  return now - pace.refusedAt >= FORGOTTEN_MS;
}
