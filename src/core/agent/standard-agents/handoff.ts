/**
 * Handoffs: a call by which another agent takes the session over. Who works is kept in the session, in the transaction of
 * the reply; the step with the call is still closed by whoever made it, and the next one is that agent's.
 *
 * Decides: from when on another agent works for a session.
 * Keeps SAH1, SAH2, SAH4.
 */
import type { Draft } from '../draft';
import { type ActiveRun, type AgentState, type CallPlan, currentStep, type Step } from '../state';
import { isDone, withDone } from '../steps/closing';

type Handing = Extract<CallPlan, { kind: 'immediate' }>;

/** The call of a step that hands the session over, if there is one. */
export function handingIn(step: Step | undefined): Handing | undefined {
  if (step?.phase !== 'calls') return undefined;
  for (const { plan } of step.calls) if (plan.kind === 'immediate' && plan.handsOver) return plan;
  return undefined;
}

/** The same for a run whose step with that call is not closed yet. */
export function handingOver(state: Pick<AgentState, 'run' | 'step'>): Handing | undefined {
  const { run, step } = state;
  if (run?.phase !== 'active' || step?.turn !== run.turn || isDone(run, step.id, 'handed_over')) return undefined;
  return handingIn(step);
}

/** The name of the agent that works for a session now; undefined where it is the session's own. */
export function workerOf(state: Pick<AgentState, 'session' | 'run' | 'step'>): string | undefined {
  const handing = handingOver(state);
  return handing ? handing.handsOver?.from : state.session.active;
}

/** Notes who has the session from now on; what begins with a prompt begins again with theirs. */
export function handTo(draft: Draft, to: string): void {
  const { activated: _activated, ...session } = draft.state.session;
  draft.setSession({ ...session, active: to });
}

/** The run as it goes on behind a step that is closed: with the agent that this was handed to, if it was. */
export function goingOn(draft: Draft, run: ActiveRun): ActiveRun {
  const step = currentStep(draft.state);
  if (step === undefined || handingOver(draft.state) === undefined) return run;
  const { sides: _sides, ...rest } = run;
  const next = withDone(rest, step.id, 'handed_over');
  draft.setRun(next);
  return next;
}
