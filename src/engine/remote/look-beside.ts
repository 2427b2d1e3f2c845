/**
 * A stream that stays open and gives nothing may hang: how the run there stands is asked beside it.
 *
 * Decides: how long a stream gives nothing before that is asked.
 * Keeps RM21.
 */
import { type Came, isToBeRepeated, RemoteError } from '../../core/definition/remote-transport';
import { isStreamBehind, type RemoteRun } from '../../core/tree/remote-run';
import { type Environment, pause } from '../environment';

/** In ms. */
const QUIET_MS = 60_000;

/** The child whose log the stream gives. */
export interface Followed {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** What comes of one call of a verb there. */
  ask(verb: string): Promise<Came>;
  /** It is there. */
  heard(): void;
}

/** Looks as long as the stream is open, and leaves it where it is behind. */
export async function lookBeside(child: Followed, stream: AbortController): Promise<void> {
  const { signal } = stream;
  while (!signal.aborted) {
    const { cursor } = child.run;
    await pause(child.host.environment, QUIET_MS, signal);
    if (signal.aborted || child.run.cursor > cursor) continue;
    const came = await child.ask('status');
    if (signal.aborted || child.run.cursor > cursor || isToBeRepeated(came)) continue;
    if (!isStreamBehind(child.run, came)) child.heard();
    else stream.abort(new RemoteError('remote_timed_out', 'The stream gives nothing of what is there.'));
  }
}
