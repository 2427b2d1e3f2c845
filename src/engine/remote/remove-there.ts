/** The removal of a root elsewhere whose child has left the tree here: owed until the other side has done it, or refuses (RM18). */
import { type RemoteAnswer, RemoteError } from '../../core/definition/remote-transport';
import { owesThere, type RemoteRun, removalAgain, withoutRemoval } from '../../core/tree/remote-run';
import { type Environment, pause } from '../environment';

/** The child that has left. */
export interface Leaver {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** One call of a verb there. @throws RemoteError where no lawful answer came */
  ask(verb: string, body?: undefined, idempotencyKey?: string): Promise<RemoteAnswer>;
  /** Commits a change. */
  keep(run: RemoteRun): void;
}

/** Asks for it until it is over, with growing delays. `tried` is called after each try. */
export async function removeThere(child: Leaver, closed: AbortSignal, tried: () => void): Promise<void> {
  const { environment } = child.host;
  for (let { run } = child; owesThere(run) && run.removal && !closed.aborted; { run } = child) {
    await pause(environment, run.removal.nextAt - environment.now(), closed);
    if (closed.aborted) return;
    const isOver = await removed(child);
    if (closed.aborted) return;
    child.keep(isOver ? withoutRemoval(child.run) : removalAgain(child.run, environment.now()));
    tried();
  }
}

/** Asks once; whether that is over: the root there is gone, or may not be removed from here. */
async function removed(child: Leaver): Promise<boolean> {
  try {
    const answer = await child.ask('remove', undefined, `${child.run.runId}.remove`);
    return answer.ok || (answer.status !== 429 && answer.status < 500);
  } catch (error) {
    return error instanceof RemoteError && !error.retryable;
  }
}
