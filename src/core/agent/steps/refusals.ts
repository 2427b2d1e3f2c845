/**
 * Refusals of a provider that a step waits out.
 *
 * Keeps ST20.
 */

/** The refusals of one step. */
export interface Refusals {
  /** The first one, in ms since 1970. */
  readonly since: number;
  readonly count: number;
  /** As long as the last one asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** The last one was for overload: how fast this tree asks makes no difference. */
  readonly overloaded?: true;
}
