/**
 * Races what a provider does against the caller's signal and the clock, so that a provider that ignores its
 * abort signal cannot hold a call. One watch serves one call, or what is left of one.
 *
 * Decides: when a model call counts as dead.
 * Keeps M32, M33.
 */
import { OffshootError } from '../protocol/errors';

/** What ends a wait early is an `OffshootError`: the caller's, or `model_timeout`. */
export class Watch {
  readonly #caller: AbortSignal;
  readonly #provider = new AbortController();
  #ended: OffshootError | undefined;
  #aborted = false;
  #wake: ((error: OffshootError) => void) | undefined;
  /** One timer for all that is expected: a stream brings many parts, and a timer for each costs more than its part. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rings = 0;
  #until = 0;
  #late = (): string => '';

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** What the provider is given: aborted with the caller's signal, at a timeout and when the call fails. */
  get signal(): AbortSignal {
    return this.#provider.signal;
  }

  /** The error that ended the watch; nothing while it runs. */
  get ended(): OffshootError | undefined {
    return this.#ended;
  }

  /** Whether it was the caller's signal that ended the watch. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** Sets the clock anew: without another `expect` within `ms`, the call ends with `model_timeout`. */
  expect(ms: number, late: () => string): void {
    if (this.#ended) return;
    this.#late = late;
    this.#until = Date.now() + ms;
    if (this.#timer === undefined || this.#until < this.#rings) this.#arm(ms);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#rings = Date.now() + ms;
    this.#timer = setTimeout(() => this.#ring(), ms);
  }

  /** What was expected may have come meanwhile: then it is the next thing that is waited for. */
  #ring(): void {
    this.#timer = undefined;
    const left = this.#until - Date.now();
    if (left > 0) this.#arm(left);
    else this.end(new OffshootError('model_timeout', this.#late()));
  }

  /** The outcome of `work`, or the error that ended the watch before. One race at a time. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#wake = reject;
      work.then(resolve, reject);
      if (this.#ended) reject(this.#ended);
    });
  }

  /** Ends the call with `error`, unless it has ended: the provider is told to stop. */
  end(error: OffshootError): void {
    if (this.#ended) return;
    this.#ended = error;
    clearTimeout(this.#timer);
    // The waiting race is settled before the provider hears of it: its own abort error would say less.
    this.#wake?.(error);
    this.#provider.abort(error);
  }

  /** Releases the timer and the listener. Safe to call twice. */
  close(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#onAbort);
    this.#wake = undefined;
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#caller.reason;
    this.#aborted = this.#ended === undefined;
    this.end(reason instanceof OffshootError ? reason : new OffshootError('aborted', 'The model call was aborted.'));
  };
}
