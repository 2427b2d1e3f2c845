/**
 * A stream that stays open and gives nothing may hang: how the run there stands is asked beside it.
 *
 * Decides: how long a stream is silent before that is asked, and before one is closed whose run waits for a person.
 * Keeps RM21, B10.
 */
import { type Came, isToBeRepeated, RemoteError } from '../../core/definition/remote-transport';
import { isStreamBehind, type RemoteRun } from '../../core/tree/remote-run';
import { isSuspended } from '../../protocol/status';
import { type Environment, pause } from '../environment';

/** In ms. */
const QUIET_MS = 60_000;
/** In ms. An open stream would keep the object in memory; the alarm comes for the next look. */
const CLOSED_AFTER_MS = 1_000;

/** The child whose log the stream gives. */
export interface Followed {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** What comes of one call of a verb there. */
  ask(verb: string): Promise<Came>;
  /** It is there. */
  heard(): void;
}

/** Closes the stream of a run that waits for a person, where it is silent for a moment. */
export async function closeSoon(child: Followed, stream: AbortController): Promise<void> {
  const { cursor, status } = child.run;
  if (!isSuspended(status)) return;
  await pause(child.host.environment, CLOSED_AFTER_MS, stream.signal);
  if (child.run.cursor === cursor) stream.abort(new RemoteError('remote_timed_out', 'Its run waits for a person.'));
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
