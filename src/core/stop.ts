/**
 * The stop machine: a stop is a committed record of one run.
 *
 * SP1. A stop for another run is refused, and changes nothing.
 * SP2. Tools and model calls are no longer owed from the commit on, so their signals abort; children are asked to stop
 *     and awaited, so that a stop leaves none behind.
 */
import { cutTools } from './call';
import type { Transition } from './changes';
import { stopChildren } from './delegation';
import { type Draft, refuse } from './draft';
import { failure } from './errors';
import type { AgentEvent } from './events';
import { endRun, stopOutcome } from './run';
import { type ActiveRun, currentStep } from './state';

/** A stop arrives. Asking again is harmless: the first record stays. */
export function onStop(draft: Draft, event: Extract<AgentEvent, { type: 'stop' }>): Transition {
  const { run } = draft.state;
  if (event.runId !== undefined && run !== undefined && event.runId !== run.runId) {
    return refuse('run_superseded', 'Another run has taken its place; look at the status for its id.');
  }
  if (run?.phase !== 'active' || run.stop) return draft.done();
  const stop = { verb: event.verb, reason: event.reason, at: event.at };
  const stopped: ActiveRun = { ...run, stop };
  draft.setRun(stopped);
  if (currentStep(draft.state)?.phase === 'calls') {
    const error = failure('aborted', event.reason);
    cutTools(draft, error, event.at);
    stopChildren(draft, error);
  } else {
    endRun(draft, stopped, stopOutcome(stop), event.at);
  }
  return draft.done();
}
