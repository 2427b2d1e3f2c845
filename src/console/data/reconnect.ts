/** How a page waits for a server that is gone: from half a second on, twice as long each time, and no two pages alike. */
import type { Clock } from '../../client';

const FIRST_MS = 500;
const MOST_MS = 15_000;

/** The wait before the next try, in ms. `random` is from 0 to 1. */
export function waitOf(tries: number, random: number): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Until the next try, in whole seconds; 0 while one is under way. */
export const secondsTo = (nextAt: number, now: number): number => Math.max(0, Math.ceil((nextAt - now) / 1_000));

/** A client's clock whose waits are those. When each is over is told before it. */
export class Reconnects implements Clock {
  #tries = 0;
  #end: (() => void) | undefined;
  readonly #tell: (nextAt: number) => void;

  /** @param tell gets the time of the next try, in ms since 1970 */
  constructor(tell: (nextAt: number) => void) {
    this.#tell = tell;
  }

  /** Ends the wait, where there is one: somebody wants it tried now. */
  skip(): void {
    this.#tries = 0;
    this.#end?.();
  }

  /** The connection is there again. */
  reset(): void {
    this.#tries = 0;
  }

  /** ms since 1970. */
  now(): number {
    return Date.now();
  }

  /** Waits longer each time, whatever it is asked for; an abort ends it. */
  wait(_ms: number, signal: AbortSignal): Promise<void> {
    const inMs = waitOf(this.#tries, Math.random());
    this.#tries += 1;
    this.#tell(this.now() + inMs);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#end = undefined;
        resolve();
      };
      const timer = setTimeout(end, inMs);
      this.#end = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
