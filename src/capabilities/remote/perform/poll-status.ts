/**
 * A stream that stays open and gives nothing may hang: how the run there stands is asked beside it.
 *
 * Decides: how long a stream is silent before that is asked, and before one is closed whose run waits for a person, or was
 * stopped.
 * Keeps RM21, RM36, B10.
 */
import { type Came, isToBeRepeated, RemoteError } from '../../../core/definition/remote-transport';
import { type Environment, pause } from '../../../engine/environment';
import { isSuspended } from '../../../protocol/status';
import { isStreamBehind } from '../machine/log';
import type { PlacedRun } from '../machine/state';
import { isStoppedHard } from '../machine/stop';

/** In ms. */
const QUIET_MS = 60_000;
/** In ms. An open stream would keep the object in memory; the alarm comes for the next look. */
const CLOSED_AFTER_MS = 1_000;

/** The child whose log the stream gives. */
export interface Followed {
  /** Missing once it was removed from its place here. */
  readonly placed: PlacedRun | undefined;
  readonly host: { readonly environment: Environment };
  /** The answer to one call of a remote verb. */
  ask(verb: string): Promise<Came>;
  /** It is there. */
  heard(): void;
}

/** Closes the stream of a run that waits for a person, or was stopped hard, where it is silent for a moment. */
export async function closeSoon(child: Followed, stream: AbortController): Promise<void> {
  const before = child.placed;
  if (before === undefined || !(isSuspended(before.status) || isStoppedHard(before))) return;
  await pause(child.host.environment, CLOSED_AFTER_MS, stream.signal);
  if (child.placed?.cursor === before.cursor)
    stream.abort(new RemoteError('remote_timed_out', 'Its run waits for a person, or was stopped.'));
}

/** Looks as long as the stream is open, and leaves it where it is behind. */
export async function pollStatus(child: Followed, stream: AbortController): Promise<void> {
  const { signal } = stream;
  while (!signal.aborted) {
    const cursor = child.placed?.cursor ?? 0;
    const moved = (): boolean => signal.aborted || (child.placed?.cursor ?? 0) > cursor;
    await pause(child.host.environment, QUIET_MS, signal);
    if (moved()) continue;
    const came = await child.ask('status');
    if (moved() || isToBeRepeated(came)) continue;
    if (!isStreamBehind({ cursor }, came)) child.heard();
    else stream.abort(new RemoteError('remote_timed_out', 'The stream does not deliver the events that the log has.'));
  }
}
