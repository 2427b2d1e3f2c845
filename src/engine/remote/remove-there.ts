/** The removal of a root elsewhere whose child has left the tree here: owed until the other side has done it, or refuses (RM18). */
import { RemoteError } from '../../core/definition/remote-transport';
import { owesThere, removalAgain, withoutRemoval } from '../../core/tree/remote-run';
import { pause } from '../environment';
import type { RemoteRunner } from './runner';

/** Asks for it until it is over, with growing delays. `tried` is called after each try. */
export async function removeThere(runner: RemoteRunner, closed: AbortSignal, tried: () => void): Promise<void> {
  const { environment } = runner.host;
  for (let { run } = runner; owesThere(run) && run.removal && !closed.aborted; { run } = runner) {
    await pause(environment, run.removal.nextAt - environment.now(), closed);
    if (closed.aborted) return;
    const isOver = await removed(runner);
    if (closed.aborted) return;
    runner.keep(isOver ? withoutRemoval(runner.run) : removalAgain(runner.run, environment.now()));
    tried();
  }
}

/** Asks once; whether that is over: the root there is gone, or may not be removed from here. */
async function removed(runner: RemoteRunner): Promise<boolean> {
  try {
    const answer = await runner.ask('remove', undefined, `${runner.run.runId}.remove`);
    return answer.ok || (answer.status !== 429 && answer.status < 500);
  } catch (error) {
    return error instanceof RemoteError && !error.retryable;
  }
}
