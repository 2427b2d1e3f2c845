/** The removal of a root elsewhere whose child has left the tree here: owed until the other side has done it, or refuses (RM18). */
import { type Came, isToBeRepeated } from '../../core/definition/remote-transport';
import { owesThere, type RemoteRun, removalAgain, withoutRemoval } from '../../core/tree/remote-run';
import type { Environment } from '../environment';

/** The child that has left. */
export interface Leaver {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** What comes of one call of a verb there. */
  ask(verb: string, body?: undefined, idempotencyKey?: string): Promise<Came>;
  /** Commits a change. */
  keep(run: RemoteRun): void;
}

/** The waits between tries, and the end of all tries. */
interface Delays {
  readonly closed: AbortSignal;
  rest(ms: number): Promise<void>;
}

/** Asks for it until it is over, with growing delays. `tried` is called after each try. */
export async function removeThere(child: Leaver, { closed, rest }: Delays, tried: () => void): Promise<void> {
  const { environment } = child.host;
  for (let { run } = child; owesThere(run) && run.removal && !closed.aborted; { run } = child) {
    const ms = run.removal.nextAt - environment.now();
    if (ms > 0) await rest(ms);
    if (closed.aborted) return;
    if (ms > 0) continue;
    const came = await child.ask('remove', undefined, `${child.run.runId}.remove`);
    if (closed.aborted) return;
    // What refuses lets nobody remove it from here.
    child.keep(isToBeRepeated(came) ? removalAgain(child.run, environment.now()) : withoutRemoval(child.run));
    tried();
  }
}
