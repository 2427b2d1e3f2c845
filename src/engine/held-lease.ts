/**
 * What the root granted an agent last, and what its session had spent then. It is kept in memory alone: one that is lost
 * is asked for again.
 *
 * Keeps BU9.
 */

import { covers, type Lease } from '../core/tree/lease';
import { lessUsage, NO_USAGE, type Usage } from '../protocol/usage';

/** The lease of one agent. */
export class HeldLease {
  #held: { readonly granted: Lease; readonly at: Usage } | undefined;

  /** @param granted what it may spend before it has spent anything */
  constructor(granted?: Lease) {
    this.#held = granted && { granted, at: NO_USAGE };
  }

  /** Whether a model call may be made by an agent that has spent so much. */
  covers(spent: Usage): boolean {
    return this.#held !== undefined && covers(this.#held.granted, lessUsage(spent, this.#held.at));
  }

  /** A new one, for an agent that has spent so much. */
  take(granted: Lease, at: Usage): void {
    this.#held = { granted, at };
  }

  /** The root takes it back when it hears of the end of the run. */
  end(): void {
    this.#held = undefined;
  }
}
