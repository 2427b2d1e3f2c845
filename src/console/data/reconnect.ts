/** How a page waits for a server that is gone: from half a second on, twice as long each time, and no two pages alike. */
import type { Clock } from '../../client';

const FIRST_MS = 500;
const MOST_MS = 15_000;

/** The wait before the next try, in ms. `random` is from 0 to 1. */
export function waitOf(tries: number, random: number): number {
  const whole = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** A client's clock whose waits are those, told before each of them. */
export class Reconnects implements Clock {
  #tries = 0;
  readonly #tell: (inMs: number) => void;

  constructor(tell: (inMs: number) => void) {
    this.#tell = tell;
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
    this.#tell(inMs);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, inMs);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}
