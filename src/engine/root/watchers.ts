/**
 * Those who look at the record again after each change of it.
 *
 * Keeps A49.
 */
import type { Environment } from '../environment';

/** Watchers of a record. */
export class Watchers {
  readonly #watchers = new Set<() => void>();

  constructor(readonly environment: Environment) {}

  /** The record has changed. */
  notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Called after each change; gives back how to stop it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Waits until a condition holds, which is looked at after each change, but at most so long, in ms; whether it holds. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (holds: boolean): void => {
        stop();
        cancel();
        resolve(holds);
      };
      const stop = this.watch(() => condition() && settle(true));
      const cancel = this.environment.timer(ms, () => settle(false));
    });
  }
}
