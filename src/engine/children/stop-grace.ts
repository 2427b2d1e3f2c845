/**
 * What is left of the time that a stop gives to what had begun. It is one for all that the stopped run waits for: a
 * body, and then the hooks that its result passes (HK23).
 */
import type { BodyAgent } from '../perform/performer';

/** How long what belongs to a run may go on after its stop, in ms; 0 where the run has ended. */
export function graceLeft({ state, seat, environment }: BodyAgent, runId: string): number {
  const { run } = state;
  if (run?.phase !== 'active' || run.runId !== runId || run.stop === undefined) return 0;
  return Math.max(0, run.stop.at + seat.rules.limits.stopGraceMs - environment.now());
}
