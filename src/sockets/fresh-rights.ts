/**
 * Rights of sockets that were confirmed a moment ago, so that not each frame and chunk asks for them again.
 *
 * Keeps X11, W40.
 */
import type { Failure } from '../protocol/errors';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

/** A right that a socket needs again and again: to be sent chunks, or to send frames to an agent's own handlers. */
export type FreshRight = 'read' | 'write';

/** What is known of one right of a socket. */
interface Known {
  /** When it was confirmed last, in ms since 1970. */
  confirmedAt?: number;
  asking?: Promise<Failure | undefined>;
}

/** The rights of all sockets of a tree. */
export class FreshRights {
  readonly #now: () => number;
  readonly #known: Record<FreshRight, WeakMap<WebSocket, Known>> = { read: new WeakMap(), write: new WeakMap() };

  /** @param now ms since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why a socket does not have a right, as `ask` says; nothing where it has it, or had it within `freshRightMs`. */
  refusal(
    socket: WebSocket,
    right: FreshRight,
    ask: () => Promise<Failure | undefined>,
  ): undefined | Promise<Failure | undefined> {
    const known = this.#known[right].get(socket) ?? {};
    this.#known[right].set(socket, known);
    const age = this.#now() - (known.confirmedAt ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back makes nothing fresh.
    if (age >= 0 && age < WIRE_LIMITS.freshRightMs) return undefined;
    // Asked once for all who wait, so that frames keep their order.
    known.asking ??= ask()
      .then((refused) => {
        if (refused === undefined) known.confirmedAt = this.#now();
        return refused;
      })
      // A question that failed is no answer to the next frame.
      .finally(() => delete known.asking);
    return known.asking;
  }

  /** Has the rights of a socket asked for again. */
  forget(socket: WebSocket): void {
    for (const known of Object.values(this.#known)) known.delete(socket);
  }
}
