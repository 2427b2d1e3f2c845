/**
 * A wait of a step before its model is asked, of any length: a near time by a timer, a later one by the alarm, so that
 * nothing is in memory for it.
 *
 * Keeps B10, MT12.
 */
import { currentStep } from '../../core/agent/state';
import { HELD_MS, pause } from '../environment';
import type { ModelAgent } from '../perform/performer';

/** The alarm rings so long before the time, in ms: a step that is taken up before it has lost nothing but its wait. */
const EARLY_MS = 1_000;

/** Waits until that time, in ms since 1970. A later one than the step has committed is committed first. */
export async function restUntil(agent: ModelAgent, until: number, signal: AbortSignal): Promise<void> {
  const { environment, modelTurns, link } = agent;
  try {
    for (let ms = until - environment.now(); ms > 0 && !signal.aborted; ms = until - environment.now()) {
      if (ms <= HELD_MS) return await pause(environment, ms, signal);
      if (!kept(agent, () => commit(agent, until))) {
        await pause(environment, HELD_MS, signal);
        continue;
      }
      const rung = modelTurns.rung(signal);
      modelTurns.restsUntil = until - EARLY_MS;
      link.rests(until - EARLY_MS);
      await rung;
    }
  } finally {
    modelTurns.restsUntil = undefined;
  }
}

/**
 * Commits that the wait of a step is over. A crash after that is counted: the step may have sent its request.
 */
export async function asksNow(agent: ModelAgent, signal: AbortSignal): Promise<void> {
  const step = currentStep(agent.state);
  const { run } = agent.state;
  if (signal.aborted || run?.phase !== 'active' || step?.phase !== 'model' || !step.unasked) return;
  const fence = { runId: run.runId, epoch: run.epoch, stepId: step.id, attempt: step.attempt };
  // Without the mark a crash in the request is not counted as one: no reason to keep the request back.
  const isKept = kept(agent, () => agent.apply({ type: 'model_asked', at: agent.environment.now(), ...fence }));
  if (isKept) await agent.deps.durable().catch((error: unknown) => lost(agent, error));
}

/** Does what stores how a step waits. False where the store failed: nothing of it is kept, and the step works on. */
function kept(agent: ModelAgent, store: () => void): boolean {
  try {
    store();
    return true;
  } catch (error) {
    lost(agent, error);
    return false;
  }
}

function lost({ environment }: ModelAgent, error: unknown): void {
  environment.report('The wait of a step for its model could not be stored.', error);
}

function commit(agent: ModelAgent, until: number): void {
  const step = currentStep(agent.state);
  const { run } = agent.state;
  if (run?.phase !== 'active' || step?.phase !== 'model' || step.notBefore >= until) return;
  const fence = { runId: run.runId, epoch: run.epoch, stepId: step.id, attempt: step.attempt };
  agent.apply({ type: 'model_rests', at: agent.environment.now(), until, ...fence });
}
