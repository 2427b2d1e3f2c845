/**
 * What the engine takes from where it runs.
 *
 * Keeps SE3.
 */

/** Time, randomness and timers, so that the same engine runs in a Durable Object and in a test's process. */
export interface Environment {
  /** ms since 1970. */
  now(): number;
  /** Fresh randomness: 16 characters of [a-z0-9] or more. */
  token(): string;
  /** SHA-256 of a text, in hex. At once: whoever waited for it would give others a turn in the middle of a reply. */
  sha256(text: string): string;
  /** Calls back after `ms`, once, unless cancelled. Nothing that must happen may depend on it alone. */
  timer(ms: number, callback: () => void): () => void;
  /** The Worker's bindings and variables, for models and tools. */
  readonly bindings: unknown;
  /** Reports what cannot be reported to anyone who waits. */
  report(problem: string, error?: unknown): void;
  /** Called after each commit; a test may crash the object here. */
  committed?(what: string): void;
}

/** The longest wait, in ms, that a timer holds in memory where the alarm ends it, too: so long the platform keeps what is idle. */
export const HELD_MS = 10_000;

/**
 * Waits for a time at which the alarm rings. A timer holds the object in memory only where that is near; a later time holds
 * nothing: the alarm aborts the signal, or begins the next life of the object.
 */
export function untilRung(environment: Environment, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= HELD_MS) return pause(environment, ms, signal);
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A promise that resolves after `ms`, or at once when the signal aborts. For what works: the alarm knows nothing of it. */
export function pause(environment: Environment, ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = environment.timer(ms, resolve);
    signal?.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
}

/** What was asked, if it answers within so long, in ms. @throws what that throws, and where it does not answer in time */
export async function inTime<Answer>(environment: Environment, ms: number, asked: Promise<Answer>): Promise<Answer> {
  const answered = new AbortController();
  const late = pause(environment, ms, answered.signal).then(() => {
    throw new Error('It did not answer.');
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    answered.abort();
  }
}

/** The same; undefined where it fails or does not answer in time. */
export function within<Answer>(
  environment: Environment,
  ms: number,
  asked: Promise<Answer>,
): Promise<Answer | undefined> {
  return inTime(environment, ms, asked).catch(() => undefined);
}
