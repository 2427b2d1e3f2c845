/**
 * The hook machine: what an author's code is owed to be told (decisions 15 and 23).
 *
 * Decides: which hook is owed when, and their order; what a failed hook does.
 *
 * HK1. A hook is owed from the transaction that it speaks of; hooks run one at a time, in order.
 * HK2. While one is owed no step begins or is closed, no run ends, and the tool that it comes before does not run.
 * HK3. A hook that fails is shown and changes nothing.
 * HK9. Where its definition says so, it fails the run.
 */

import { boundedText, type Failure, failure } from '../../../protocol/errors';
import { addUsage, type Usage } from '../../../protocol/usage';
import type { HookName } from '../../definition/hooks/hook-types';
import type { Transition } from '../changes';
import type { Child } from '../children/child';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';
import {
  type ActiveRun,
  type AgentState,
  currentStep,
  type HookFailure,
  type Outcome,
  type OwedHook,
  type OwedHookName,
  openCalls,
  type Step,
} from '../state';
import { withDone } from '../steps/closing';
import { createHookDone } from './create-hooks';

/** Whether a run waits for a hook. */
export function owesHook(run: ActiveRun): boolean {
  return run.hooks !== undefined && run.hooks.owed.length > 0;
}

/** Whether the body of a call waits for its hook. */
export function awaitsHook(run: ActiveRun, callId: string): boolean {
  return run.hooks?.owed.some((owed) => owed.hook === 'beforeTool' && owed.callId === callId) ?? false;
}

/** Most hooks that failed of which a step keeps the errors; the stream tells of all. */
export const MAX_HOOK_FAILURES = 20;
/** Longer error texts are cut there. Unit: characters. */
const MAX_HOOK_ERROR = 1_000;

/** What an owed hook speaks of, where that is not the run or its step. */
type About = Pick<OwedHook, 'callId' | 'input' | 'messageId' | 'child'>;

/** Owes a hook, where the definition has it; whether it has. A run that is being stopped owes none. */
export function oweHook(draft: Draft, rules: Rules, hook: OwedHookName, about: About = {}): boolean {
  const { run } = draft.state;
  const ids = rules.hooks.get(hook);
  if (run?.phase !== 'active' || run.stop || ids === undefined) return false;
  const step = currentStep(draft.state);
  const what = about.messageId ?? about.child?.sessionId ?? about.callId ?? step?.id ?? 0;
  const fresh = ids.map((hookId) => ({
    id: `${run.runId} ${what} ${hook}${hookId === undefined ? '' : ` ${hookId}`}`,
    hook,
    ...(hookId === undefined ? {} : { hookId }),
    ...about,
  }));
  const before = run.hooks?.owed ?? [];
  // What is owed already is told how it stands then.
  const owed = [...before, ...fresh.filter(({ id }) => !before.some((one) => one.id === id))];
  const ended = hook === 'onStepEnd' && step ? { stepEnded: step.id } : {};
  const committed = hook === 'onStepEnd' ? committedIn(run, step) : run;
  draft.setRun({ ...committed, hooks: { ...run.hooks, ...ended, owed } });
  return true;
}

/** A child was made: the run is told of it; where none goes on, the next one. */
export function childMade(
  draft: Draft,
  rules: Rules,
  { agentType, sessionId, address, name }: Child,
  { callId, stepId }: { readonly callId: string; readonly stepId: number },
): void {
  if (!rules.hooks.has('after_subagent_created')) return;
  const child = { agentType, sessionId, address, ...(name === undefined ? {} : { name }) };
  const about = { ...(stepId === 0 ? {} : { callId }), child };
  const { run } = draft.state;
  if (run?.phase === 'ended') draft.setRun({ ...run, madeSince: [...(run.madeSince ?? []), about] });
  else oweHook(draft, rules, 'after_subagent_created', about);
}

/** Owes the last hooks of a run that is about to end so; whether there are any. */
export function oweLastHook(draft: Draft, rules: Rules, run: ActiveRun, ending: Outcome): boolean {
  if (run.hooks?.ending) return false;
  const owed = lastHooks(run, rules, ending);
  if (owed.length === 0) return false;
  // What was interrupted leaves its step open.
  const committed = ending.status === 'interrupted' ? run : committedIn(run, currentStep(draft.state));
  draft.setRun({ ...committed, hooks: { ...run.hooks, ending, owed } });
  return true;
}

/** A run may come to a second end while its first is told, by a stop: so the ids say which end they tell of. */
function lastHooks({ runId }: ActiveRun, rules: Rules, ending: Outcome): OwedHook[] {
  const { status } = ending;
  const named = LAST[status];
  const of = status === 'failed' ? ` ${ending.error.code}` : '';
  const last: OwedHook[] = named && rules.hooks.has(named) ? [{ id: `${runId} ${named}${of}`, hook: named }] : [];
  return [...last, ...settledHook(runId, rules, status)];
}

function settledHook(runId: string, rules: Rules, status: Outcome['status']): OwedHook[] {
  const hook = 'onRunSettled';
  return rules.hooks.has(hook) ? [{ id: `${runId} ${hook} ${status}`, hook }] : [];
}

/** The end of a step is in the log before its hook runs, so a run that is stopped then does not write it again. */
function committedIn(run: ActiveRun, step: Step | undefined): ActiveRun {
  return step?.phase === 'calls' ? withDone(run, step.id, 'committed') : run;
}

const LAST: { readonly [Status in Outcome['status']]?: HookName } = {
  completed: 'onAgentComplete',
  failed: 'onAgentFail',
};

/** A run without what it keeps about hooks. */
export function withoutHooks({ hooks: _hooks, ...run }: ActiveRun): ActiveRun {
  return run;
}

/** A run whose hooks are owed no more, because it is stopped. Which of results have begun is still known. */
export function dropHooks(run: ActiveRun): ActiveRun {
  const ofResults = run.hooks?.ofResults;
  return { ...withoutHooks(run), ...(ofResults ? { hooks: { owed: [], ofResults } } : {}) };
}

/** What a hook spent is kept with the step; before the first one, with the step that begins when the hook is done. */
function spendOf(draft: Draft, usage: Usage): void {
  const { step } = draft.state;
  draft.spend(usage);
  if (step) draft.setStep({ ...step, spent: addUsage(step.spent, usage) });
}

/** Shows that a hook failed, and keeps it with the step; before the first one, with the run until that begins. */
function noteFailure(
  draft: Draft,
  run: ActiveRun,
  owed: Pick<HookFailure, 'hook' | 'hookId' | 'callId' | 'about'>,
  given: Failure,
  at: number,
  failsRun: boolean,
): ActiveRun {
  const { hook, hookId, callId, about } = owed;
  const error = { ...given, message: boundedText(given.message, MAX_HOOK_ERROR) };
  const which = { hook, ...(hookId === undefined ? {} : { hookId }) };
  draft.emit({
    type: 'hook_failed',
    ...which,
    ...(callId === undefined ? {} : { toolCallId: callId }),
    error,
    failsRun,
  });
  const of = { ...(callId === undefined ? {} : { callId }), ...(about === undefined ? {} : { about }) };
  const failed: HookFailure = { ...which, ...of, at, error };
  const step = currentStep(draft.state);
  const kept = (step ? step.hookFailures : run.hooks?.failed) ?? [];
  if (kept.length >= MAX_HOOK_FAILURES) return run;
  const failures = [...kept, failed];
  if (step === undefined) return { ...run, hooks: { owed: [], ...run.hooks, failed: failures } };
  draft.setStep({ ...step, hookFailures: failures });
  return run;
}

/** A hook failed that is not owed: it is shown once for what it speaks of, however often that is worked on. */
export function onHookBroke(draft: Draft, event: Extract<AgentEvent, { type: 'hook_broke' }>): void {
  const { run } = draft.state;
  const { hook, hookId, about } = event;
  const known = currentStep(draft.state)?.hookFailures ?? [];
  const isKnown = known.some((one) => one.hook === hook && one.hookId === hookId && one.about === about);
  // Of one that is not kept nobody knows later whether it was shown.
  const isFull = known.length >= MAX_HOOK_FAILURES;
  if (run?.phase === 'active' && !isKnown && !isFull) noteFailure(draft, run, event, event.error, event.at, false);
}

/** The hooks of a sub-agent's result begin: from here on they may take the process down, and it tells of its end again. */
export function onResultHooks(draft: Draft, { by }: Extract<AgentEvent, { type: 'result_hooks' }>): void {
  const { run } = draft.state;
  if (run?.phase !== 'active' || hooksResult(draft.state, by)) return;
  const others = run.hooks?.ofResults?.filter((callId) => hooksResult(draft.state, callId)) ?? [];
  draft.setRun({ ...run, hooks: { owed: [], ...run.hooks, ofResults: [...others, by] } });
}

/** Whether hooks of the result of an open call have begun: of that call, or of any. */
export function hooksResult(state: AgentState, callId?: string): boolean {
  const step = currentStep(state);
  if (state.run?.phase !== 'active' || step?.phase !== 'calls') return false;
  const begun = state.run.hooks?.ofResults ?? [];
  return openCalls(step).some((call) => begun.includes(call.callId) && (callId ?? call.callId) === call.callId);
}

/** What the hooks of a request, or of the reply to it, change and say is done by it: as long as that is awaited. */
export const requestBy = ({ runId }: Pick<ActiveRun, 'runId'>, { id }: Pick<Step, 'id'>): string =>
  `${runId} ${id} request`;

/** A hook's body has ended. `fail` stops the run that it fails. */
export function onHookDone(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'hook_done' }>,
  rules: Rules,
  fail: (error: Failure) => void,
): Transition {
  const { run: before } = draft.state;
  const first = before?.phase === 'active' ? before.hooks?.owed[0] : undefined;
  if (before?.phase !== 'active' || before.epoch !== event.epoch || first?.id !== event.id || first.hook === 'stopWhen')
    return refuse('superseded', 'This hook is no longer awaited.');
  if (event.usage) spendOf(draft, event.usage);
  // The very last one tells of an end: it makes none.
  const failsRun = event.failsRun === true && first.hook !== 'onRunSettled';
  const run = event.error ? noteFailure(draft, before, first, event.error, event.at, failsRun) : before;
  const { owed: _owed, ...hooks } = run.hooks ?? { owed: [] };
  if (event.error === undefined || !failsRun) {
    draft.setRun({ ...run, hooks: { ...hooks, owed: before.hooks?.owed.slice(1) ?? [] } });
    createHookDone(draft, first, event.changes ?? {}, rules);
    return draft.done();
  }
  const error = failure('hook_failed', `The hook ${first.hook} failed the run: ${event.error.message}`);
  const ending: Outcome = { status: 'failed', error, failureReason: error.code };
  // The run ends otherwise than its last hook was told; the very last one hears of the end as it is.
  if (hooks.ending)
    draft.setRun({ ...run, hooks: { ...hooks, owed: settledHook(run.runId, rules, 'failed'), ending } });
  else {
    draft.setRun(run);
    fail(error);
  }
  return draft.done();
}
