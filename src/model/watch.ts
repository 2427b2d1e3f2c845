/**
 * Races what a provider does against the caller's signal and the clock, so that a provider that ignores its
 * abort signal cannot hold a call. One watch serves one call, or what is left of one.
 */
import { OffshootError } from '../core/errors';

/** What ends a wait early is an `OffshootError`: the caller's, or `model_timeout`. */
export class Watch {
  readonly #caller: AbortSignal;
  readonly #provider = new AbortController();
  #ended: OffshootError | undefined;
  #aborted = false;
  #wake: ((error: OffshootError) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => this.end(new OffshootError('model_timeout', late())), ms);
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
