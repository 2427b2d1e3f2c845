/**
 * The removal of a remote root whose child was removed here: pending until the other side has done it, or refuses.
 *
 * Keeps RM18.
 */
import { type Came, isToBeRepeated } from '../../../core/definition/remote-transport';
import type { Environment } from '../../../engine/environment';
import { hasPendingCleanup, removalAgain, withoutRemoval } from '../machine/cleanup';
import type { RemoteRun, RemovedRun } from '../machine/state';

/** The child that was removed. */
export interface Removed {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** The answer to one call of a remote verb. */
  ask(verb: string, body?: undefined, idempotencyKey?: string): Promise<Came>;
  /** Commits a change. */
  keep(run: RemovedRun): void;
}

/** The waits between tries, and the end of all tries. */
interface Delays {
  readonly closed: AbortSignal;
  rest(ms: number): Promise<void>;
}

/** Asks for it until it is over, with growing delays. `tried` is called after each try. */
export async function sendRemoval(child: Removed, { closed, rest }: Delays, tried: () => void): Promise<void> {
  const { environment } = child.host;
  for (let { run } = child; hasPendingCleanup(run) && run.removal && !closed.aborted; { run } = child) {
    const ms = run.removal.nextAt - environment.now();
    if (ms > 0) await rest(ms);
    if (closed.aborted) return;
    if (ms > 0) continue;
    const came = await child.ask('remove', undefined, `${run.runId}.remove`);
    if (closed.aborted || child.run.is !== 'removed') return;
    // What refuses lets nobody remove it from here.
    child.keep(isToBeRepeated(came) ? removalAgain(child.run, environment.now()) : withoutRemoval(child.run));
    tried();
  }
}
