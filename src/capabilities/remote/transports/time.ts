/**
 * Waiting for another side, no longer than it is given.
 *
 * Keeps AE2.
 */
import type { RemoteFault } from '../../../core/definition/remote-transport';
import { faulty } from './faults';

/**
 * The value of a promise. What it would have given later is let go of.
 * @throws the signal's reason when that aborts, RemoteError of that fault after `ms`
 */
export function within<Value>(
  promise: PromiseLike<Value>,
  signal: AbortSignal,
  { ms, fault, what }: { readonly ms: number; readonly fault: RemoteFault; readonly what: string },
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(faulty(fault, what)), ms);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).then(done, done);
  });
}

/** A signal that aborts with the caller's, or with RemoteError once `ms` have passed; `end` lets go of both. */
export function limited(
  signal: AbortSignal,
  ms: number,
  what: string,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(faulty('too_slow', what)), ms);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, end };
}
