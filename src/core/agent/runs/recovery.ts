/**
 * Recovery: a run that was active when its object left memory.
 * Its epoch rises, so nothing from before can report. A model call is repeated as a new attempt of its step; calls are
 * looked at one by one; children are asked again by the engine. Recovering without progress is bounded; a run that only
 * waits for its children had nothing under way that could be lost, so it may be recovered any number of times; one that
 * is suspended, or has yet to wait before it asks its model, is left as it is.
 *
 * Decides: how often a run may be recovered (`maxRecoveries`).
 * Keeps RC4, RC6, TM4.
 */

import { failure } from '../../../protocol/errors';
import { recoverCalls, runningTools } from '../calls/call';
import type { Transition } from '../changes';
import type { Draft } from '../draft';
import type { AgentEvent } from '../events';
import { hooksResult, owesHook } from '../hooks/hooks';
import type { Rules } from '../rules';
import { waitsForActivation } from '../standard-agents/immediate-subagents';
import { type ActiveRun, currentStep } from '../state';
import { endAfterHooks } from './run';
import { suspensionOf } from './status';
import { stopRun } from './stop';

/** Takes up an active run again; a session at rest, or one that waits for a person, is left as it is. */
export function onRecover(draft: Draft, event: Extract<AgentEvent, { type: 'recover' }>, rules: Rules): Transition {
  const { run } = draft.state;
  if (run?.phase !== 'active' || suspensionOf(draft.state) !== undefined) return draft.done();
  const step = currentStep(draft.state);
  // A request that waited had not been sent, however late its step is woken.
  const isIdle = !owesHook(run) && !hooksResult(draft.state) && !run.stop && !run.hooks?.ending;
  if (step?.phase === 'model' && event.reason === 'restart' && isIdle && step.unasked) return draft.done();
  const waits =
    step?.phase === 'calls' &&
    runningTools(step, rules).length === 0 &&
    !owesHook(run) &&
    !hooksResult(draft.state) &&
    !waitsForActivation(draft.state, run, rules);
  const recoveries = ((step ?? run.hooks)?.recoveries ?? 0) + (waits ? 0 : 1);
  const next = recovered(run, step ? undefined : recoveries);
  draft.setRun(next);
  draft.emit({ type: 'run_recovered', reason: event.reason });
  const ending = run.hooks?.ending;
  if (recoveries > rules.limits.maxRecoveries && (ending || !run.stop)) {
    if (ending === undefined) return giveUp(draft, next, rules, event);
    // The last hook is given up; the run ends as it was about to.
    draft.setRun({ ...next, hooks: { ...run.hooks, ending, owed: [] } });
    return draft.done();
  }
  if (step === undefined || waits) return draft.done();
  if (step.phase === 'model') {
    if (run.stop || ending) {
      draft.setStep({ ...step, recoveries });
      return draft.done();
    }
    const { notBefore: retryAt } = step;
    draft.emit({ type: 'step_discarded', reason: 'recovered', ...(retryAt > event.at ? { retryAt } : {}) });
    draft.setStep({ ...step, recoveries, attempt: step.attempt + 1 });
  } else {
    draft.setStep({ ...step, recoveries });
    recoverCalls(draft, rules, event.at);
  }
  return draft.done();
}

/** The run in its next epoch. Before the first step it counts itself: for its hooks, and what begins with its prompt. */
function recovered(run: ActiveRun, recoveries: number | undefined): ActiveRun {
  const next = { ...run, epoch: run.epoch + 1 };
  return recoveries === undefined ? next : { ...next, hooks: { owed: [], ...run.hooks, recoveries } };
}

function giveUp(
  draft: Draft,
  run: ActiveRun,
  rules: Rules,
  { at, token, cause }: { at: number; token: string; cause?: string },
): Transition {
  const why = cause === undefined ? '' : ` The last cause: ${cause}`;
  const error = failure(
    'max_recoveries',
    `The run was recovered ${rules.limits.maxRecoveries} times without committing a step.${why}`,
  );
  if (currentStep(draft.state)?.phase === 'calls') {
    // What the crash cut off has its own result: only that says that its outcome is unknown.
    recoverCalls(draft, rules, at);
    stopRun(draft, { stop: { verb: 'abort', reason: error.message, at, error, bodies: [] }, token }, rules);
  } else endAfterHooks(draft, run, { status: 'failed', error, failureReason: error.code }, at, rules);
  return draft.done();
}
