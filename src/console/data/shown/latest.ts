/** Loads of which the last one counts. */
export class Latest {
  #stop: AbortController | undefined;

  /** Loads in place of what is loading. `then` gets the result, unless another load has begun, or this one was stopped. */
  async load<Result>(load: (signal: AbortSignal) => Promise<Result>, then: (result: Result) => void): Promise<void> {
    this.stop();
    const stop = new AbortController();
    this.#stop = stop;
    const result = await load(stop.signal);
    if (!stop.signal.aborted) then(result);
  }

  /** Stops what is loading. */
  stop(): void {
    this.#stop?.abort();
  }
}
