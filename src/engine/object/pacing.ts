/**
 * Turns of much work of one object that would keep out everything else while it goes on.
 *
 * Decides: how many children begin at once in one object, and how many are told to leave.
 * Keeps DG12.
 *
 * - At most `AT_ONCE` works are under way, in the order in which they came. One that takes longer than `WITHIN_MS`
 *     is not waited for.
 * - After each that begins, a timer lets in whatever else has come: requests, stops, other agents. The platform looks
 *     for those only when nothing is left to do.
 */
import type { Environment } from '../environment';

/** Works that are under way at once. */
const AT_ONCE = 8;
/** The shortest time after which a timer rings, in ms. */
const TURN_MS = 1;
/** A work that has not ended after so long, in ms, gives its place to the next. */
const WITHIN_MS = 5_000;

/** A work that waits for its turn. */
interface Waiting {
  work: () => Promise<void>;
  readonly begin: () => void;
  readonly done: Promise<void>;
}

/** Gives works their turn. */
export class Turns {
  readonly #waiting = new Map<string, Waiting>();
  #underWay = 0;
  /** One has begun in this turn of the event loop. */
  #begun = false;

  constructor(readonly environment: Environment) {}

  /** Whether a work waits for its turn. */
  waits(id: string): boolean {
    return this.#waiting.has(id);
  }

  /**
   * Does a work when its turn has come. Rejects where the work does. One that waits under the same id is not done any more:
   * the new one has its turn, and whoever asked for either of them hears how that ends.
   */
  take(id: string, work: () => Promise<void>): Promise<void> {
    const known = this.#waiting.get(id);
    if (known) {
      known.work = work;
      return known.done;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      work,
      begin: () => {
        const leave = this.#enter();
        waiting.work().finally(leave).then(resolve, reject);
      },
      done: promise,
    };
    this.#waiting.set(id, waiting);
    this.#next();
    return promise;
  }

  /** Takes a place; gives back how to leave it. */
  #enter(): () => void {
    let inside = true;
    this.#underWay++;
    const leave = (): void => {
      if (!inside) return;
      inside = false;
      cancel();
      this.#underWay--;
      this.#next();
    };
    const cancel = this.environment.timer(WITHIN_MS, leave);
    return leave;
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#begun || this.#underWay >= AT_ONCE) return;
    const [id, { begin }] = first;
    this.#waiting.delete(id);
    this.#begun = true;
    this.environment.timer(TURN_MS, () => {
      this.#begun = false;
      this.#next();
    });
    begin();
  }
}

/** So many children one message lets their parent remove, and so many agents are asked at once as they leave. */
const FEW = 32;

/** All of them, some at a time. */
export function* few<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < all.length; at += FEW) yield all.slice(at, at + FEW);
}
