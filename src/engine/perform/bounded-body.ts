/**
 * A body of an author's code, bounded in time.
 *
 * Keeps TM1, HK10.
 */
import { OffshootError } from '../../protocol/errors';
import type { Environment } from '../environment';

/** What bounds a body. */
export interface Bounds {
  /** How long it may take, in ms. */
  readonly ms: number;
  /** The error of a body whose time is up. */
  late(): OffshootError;
  /** Aborts when nobody waits for the body any more. */
  readonly signal: AbortSignal;
  /** What the body itself sees. */
  readonly controller: AbortController;
  /** How long a body that is aborted has to end by itself from then on, in ms; it is left behind at once by default. */
  readonly graceMs?: () => number;
}

/**
 * Runs a body until it ends, its time is up, or nobody waits for it; what comes first decides, the rest is ignored. One
 * that has no time at all never begins.
 */
export function bounded(environment: Environment, bounds: Bounds, body: () => unknown): Promise<unknown> {
  const { signal, controller, graceMs = () => 0 } = bounds;
  return new Promise((resolve, reject) => {
    const left = (): void => reject(new OffshootError('aborted', 'The body was aborted.'));
    let cancel = environment.timer(bounds.ms, () => {
      reject(bounds.late());
      controller.abort();
    });
    const aborted = (): boolean => {
      cancel();
      controller.abort();
      const ms = graceMs();
      if (ms > 0) cancel = environment.timer(ms, left);
      else left();
      return ms > 0;
    };
    if (signal.aborted) {
      if (!aborted()) return;
    } else signal.addEventListener('abort', aborted, { once: true });
    Promise.resolve()
      .then(body)
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal.removeEventListener('abort', aborted);
      });
  });
}
