/**
 * When an object that holds nothing goes, and when one that goes ends.
 *
 * Decides: how long an empty object stays.
 *
 * A50. Whoever looks at an address first often starts there a moment later, and a call that meets the end of its object
 *      is made again by `askRoot`, but stands as an error in the log. So both wait until nobody has asked for a while.
 */
import { NOTHING_HERE, type ObjectAnswer, type ObjectCall } from '../engine/object/object-calls';
import { GONE } from '../engine/tree-messages';
import { failure } from '../protocol/errors';

/** Time goes by in ticks of so many ms, so that no clock is asked. */
const TICK_MS = 10;
/** Ticks that an object which holds nothing stays for the next call. */
const EMPTY_TICKS = 5;
/** Ticks that an object which goes has to be left alone before it ends; answers go out meanwhile. */
const QUIET_TICKS = 3;
/** Ticks that it waits for that at most: whoever asks on and on finds a new object before `askRoot` gives up. */
const MOST_TICKS = 60;

/** What a departure needs. */
export interface DepartureDeps {
  timer(ms: number, callback: () => void): () => void;
  /** Whether the object holds nothing and nobody is being answered. */
  isEmpty(): boolean;
  /** Takes the object from storage, then calls `endOnceQuiet`. */
  leave(): void;
  /** Ends the object. */
  end(): void;
}

/** The going of one object. */
export class Departure {
  readonly #deps: DepartureDeps;
  /** Ticks since the last call. */
  #quiet = 0;
  #ticking = false;

  constructor(deps: DepartureDeps) {
    this.#deps = deps;
  }

  /** Somebody asks. */
  called(): void {
    this.#quiet = 0;
  }

  /** Somebody was answered: the object leaves where it is empty and stays so, unasked. Harmless when called again. */
  answered(): void {
    if (this.#ticking || !this.#deps.isEmpty()) return;
    this.#ticking = true;
    this.#deps.timer(TICK_MS, () => this.#tickEmpty());
  }

  #tickEmpty(): void {
    this.#quiet++;
    const empty = this.#deps.isEmpty();
    if (empty && this.#quiet < EMPTY_TICKS) {
      this.#deps.timer(TICK_MS, () => this.#tickEmpty());
      return;
    }
    this.#ticking = false;
    if (empty) this.#deps.leave();
  }

  /** Ends the object once nobody has asked for a while. */
  endOnceQuiet(): void {
    this.#tickLeaving(MOST_TICKS);
  }

  #tickLeaving(left: number): void {
    this.#deps.timer(TICK_MS, () => {
      this.#quiet++;
      if (this.#quiet >= QUIET_TICKS || left <= 1) this.#deps.end();
      else this.#tickLeaving(left - 1);
    });
  }
}

/** The answer of an object that is leaving: nothing is here, and the caller asks again. */
export function leavingAnswer(call: ObjectCall, isChild: boolean): ObjectAnswer<ObjectCall> {
  // Its parent tries again, and finds a new object.
  if (isChild) throw new Error(NOTHING_HERE);
  if (call.kind === 'root') return GONE;
  return call.kind === 'agent' ? { answer: 'absent' } : { ok: false, error: failure('unavailable', NOTHING_HERE) };
}
