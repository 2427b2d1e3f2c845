/**
 * A stop on its way to a remote agent: with the start that it is for, and without it where that side cannot take it so.
 *
 * Keeps RM25.
 */
import type { Came } from '../../../core/definition/remote-transport';
import type { Environment } from '../../../engine/environment';
import { boundedText } from '../../../protocol/errors';
import type { JsonObject } from '../../../protocol/json';
import type { RemoteRun, RemoteStop } from '../machine/state';
import { isForgotten, isWithoutStart, startToStop, stoppedByStatus } from '../machine/stop';

/** The child that is stopped. */
export interface Stopped {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** The answer to one call of a remote verb. */
  ask(verb: string, body?: JsonObject, idempotencyKey?: string): Promise<Came>;
}

/** The answer to a stop. `knew`: its start was answered by then. */
export async function sendStop(child: Stopped, { verb, reason }: RemoteStop, knew: boolean): Promise<Came> {
  const { run, host } = child;
  const body = { reason: boundedText(reason, 500) };
  // The other side takes each once: one that may have come too early is not repeated, but another one.
  const key = `${run.runId}.${verb}${knew ? '.begun' : ''}`;
  const start = startToStop(run, host.environment.now());
  if (start === undefined) return child.ask(verb, body, key);
  const came = await child.ask(verb, { ...body, start }, `${key}.start`);
  if (!isWithoutStart(child.run, came)) return came;
  // Nobody there keeps turns of others from a stop without a start.
  const said = isForgotten(child.run, came) ? stoppedByStatus(child.run, await child.ask('status')) : undefined;
  return said ?? child.ask(verb, body, key);
}
