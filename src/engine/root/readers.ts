/**
 * Those who read the log as streams of events now. In memory: with the object, its streams end.
 *
 * Keeps X34.
 */
import { mayHold } from '../../core/tree/root-claims';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';

/** The open streams of a root, by whose they are. */
export class Readers {
  readonly #open = new Map<symbol, string>();

  /** Takes a place for a stream; gives back how to leave it, or undefined where the holder has no share left. */
  enter(holder: string): (() => void) | undefined {
    if (!mayHold(WIRE_LIMITS.maxStreams, [...this.#open.values()], holder)) return undefined;
    const place = Symbol(holder);
    this.#open.set(place, holder);
    return () => void this.#open.delete(place);
  }
}
