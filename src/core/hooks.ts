/**
 * The hook machine: what an author's code is owed to be told.
 *
 * HK1. A hook is owed from the transaction that it speaks of; hooks run one at a time, in order.
 * HK2. While one is owed no step begins or is closed, no run ends, and the tool that it comes before does not run.
 * HK3. A hook that fails changes nothing, unless its definition says that it fails the run.
 */
import type { Transition } from './changes';
import { type Draft, refuse } from './draft';
import { type Failure, failure } from './errors';
import type { AgentEvent } from './events';
import type { HookName } from './hook-types';
import type { Rules } from './rules';
import { type ActiveRun, currentStep, type Outcome, type Step } from './state';
import { addUsage, type Usage } from './usage';

/** Whether a run waits for a hook. */
export function owesHook(run: ActiveRun): boolean {
  return run.hooks !== undefined && run.hooks.owed.length > 0;
}

/** Whether the body of a call waits for its hook. */
export function awaitsHook(run: ActiveRun, callId: string): boolean {
  return run.hooks?.owed.some((owed) => owed.hook === 'beforeTool' && owed.callId === callId) ?? false;
}

/** Owes a hook, where the definition has it; whether it has. A run that is being stopped owes none. */
export function oweHook(draft: Draft, rules: Rules, hook: HookName, callId?: string): boolean {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.stop || !rules.hooks.has(hook)) return false;
  const step = currentStep(draft.state);
  const id = `${run.runId} ${callId ?? step?.id ?? 0} ${hook}`;
  const owed = [...(run.hooks?.owed ?? []), { id, hook, ...(callId === undefined ? {} : { callId }) }];
  const ended = hook === 'onStepEnd' && step ? { stepEnded: step.id } : {};
  draft.setRun({ ...run, ...closedStep(hook, step), hooks: { ...run.hooks, ...ended, owed } });
  return true;
}

/** Owes the last hook of a run that is about to end so; whether there is one. */
export function oweLastHook(draft: Draft, rules: Rules, run: ActiveRun, ending: Outcome): boolean {
  const hook = LAST[ending.status];
  if (hook === undefined || !rules.hooks.has(hook) || run.hooks?.ending) return false;
  const closed = closedStep(hook, currentStep(draft.state));
  draft.setRun({ ...run, ...closed, hooks: { ...run.hooks, ending, owed: [{ id: `${run.runId} ${hook}`, hook }] } });
  return true;
}

/** The step whose end was announced before this hook, so that a run that is stopped meanwhile does not tell it again. */
function closedStep(hook: HookName, step: Step | undefined): { stepClosed?: number } {
  const closes = hook === 'onStepEnd' || hook === LAST.completed || hook === LAST.failed;
  return closes && step?.phase === 'calls' ? { stepClosed: step.id } : {};
}

const LAST: { readonly [Status in Outcome['status']]?: HookName } = {
  completed: 'onAgentComplete',
  failed: 'onAgentFail',
};

/** A run without what it keeps about hooks: a stop drops those that are owed. */
export function withoutHooks({ hooks: _hooks, ...run }: ActiveRun): ActiveRun {
  return run;
}

/** What a hook spent is kept with the step; before the first one, with the step that begins when the hook is done. */
function spendOf(draft: Draft, usage: Usage): void {
  const { step } = draft.state;
  draft.spend(usage);
  if (step) draft.setStep({ ...step, spent: addUsage(step.spent, usage) });
}

/** A hook's body has ended. `fail` stops the run that it fails. */
export function onHookDone(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'hook_done' }>,
  fail: (error: Failure) => void,
): Transition {
  const { run } = draft.state;
  const first = run?.phase === 'active' ? run.hooks?.owed[0] : undefined;
  if (run?.phase !== 'active' || run.epoch !== event.epoch || run.hooks === undefined || first?.id !== event.id)
    return refuse('superseded', 'This hook is no longer awaited.');
  if (event.usage) spendOf(draft, event.usage);
  const owed = run.hooks.owed.slice(1);
  if (event.error === undefined) {
    draft.setRun({ ...run, hooks: { ...run.hooks, owed } });
    return draft.done();
  }
  const error = failure('hook_failed', `The hook ${first.hook} failed the run: ${event.error.message}`);
  const ending: Outcome = { status: 'failed', error, failureReason: error.code };
  if (run.hooks.ending) draft.setRun({ ...run, hooks: { owed: [], ending } });
  else fail(error);
  return draft.done();
}
