/** Trying again: the waits between tries, and when a server counts as gone (SPEC K10). */
import { Refused, Unreachable } from './errors';

/** The clock of a client. */
export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Settles after that time, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of a browser, and of Node. */
export const realClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    }),
};

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;

/** Without an answer for so long, a server counts as gone, in ms. */
export const GIVE_UP_MS = 60_000;

/** The wait before the next try after so many failed ones before the last, in ms. */
export function backoffOf(tries: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(Math.max(tries, 0), 10), MAX_BACKOFF_MS);
}

/** The refusals that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set(['unavailable', 'newer_format']);

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): error is Refused | Unreachable {
  return error instanceof Unreachable || (error instanceof Refused && PASSING.has(error.code));
}

/**
 * Asks until a server answers: what `attempt` does must be harmless when it is done twice. Gives up a minute after the
 * first failure.
 * @param lost called with each failure that another try follows
 * @throws {Refused} when the server refuses, {Unreachable} when it stays away, the signal's reason, or what else
 *   `attempt` throws
 */
export async function untilAnswered<Value>(
  clock: Clock,
  signal: AbortSignal,
  attempt: () => Promise<Value>,
  lost: (problem: string) => void = () => undefined,
): Promise<Value> {
  let since: number | undefined;
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      since ??= clock.now();
      if (!mayPass(error) || clock.now() - since >= GIVE_UP_MS) throw error;
      lost(error.message);
      await clock.wait(backoffOf(tried), signal);
      signal.throwIfAborted();
    }
  }
}
