/**
 * The call machine: what becomes of each tool call, and its one result.
 *
 * CL1. A call is committed, with its plan, before anything works on it.
 * CL2. A call has exactly one result, ever; a second one changes nothing.
 * CL3. The tool bodies that run are the first `maxConcurrentCalls` open ones in order: derived, so that a crash at any
 *     moment knows which bodies may have begun.
 * CL4. A body that a crash cut off runs again only if its tool says so, at most `maxToolReplays` times in all.
 */
import type { Transition } from './changes';
import { childClosed, planChild, resultOf } from './delegation';
import { type Draft, refuse } from './draft';
import { type Failure, failure } from './errors';
import type { AgentEvent, PlannedCall } from './events';
import { mintId } from './ids';
import type { CallResult } from './messages';
import type { Rules } from './rules';
import { type Call, type CallPlan, currentStep, openCalls, type RepliedStep, type Step } from './state';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** The open tool calls whose bodies run now (CL3). */
export function runningTools(step: RepliedStep, rules: Rules): Call[] {
  return openCalls(step)
    .filter((call) => call.plan.kind === 'tool')
    .slice(0, rules.limits.maxConcurrentCalls);
}

function planOf(
  draft: Draft,
  planned: PlannedCall,
  slots: Map<string, number>,
  event: Event<'model_replied'>,
  index: number,
  rules: Rules,
): CallPlan {
  switch (planned.kind) {
    case 'tool':
      return { kind: 'tool', replay: planned.replay, finishWith: planned.finishWith, timeoutMs: planned.timeoutMs };
    case 'child':
      return planChild(draft, planned, slots, event, index, rules);
    case 'finish':
      return { kind: 'finish', output: planned.output };
    case 'refused':
      return { kind: 'refused', error: planned.error };
  }
}

/** The call id of the n-th call that an attempt of a step asks for. */
export function callIdOf(step: Pick<Step, 'token' | 'attempt'>, index: number): string {
  return mintId('call', step.attempt === 1 ? step.token : `${step.token}${step.attempt}`, index);
}

/** Gives each planned call its id, and a child its slot; announces them in order. */
export function planCalls(draft: Draft, step: Step, event: Event<'model_replied'>, rules: Rules): Call[] {
  const slots = new Map<string, number>();
  let finished = false;
  return event.calls.map((planned, index) => {
    let plan = planOf(draft, planned, slots, event, index, rules);
    if (plan.kind === 'finish') {
      if (finished)
        plan = {
          kind: 'refused',
          error: failure('superseded', 'Another call of this step has ended the run already.'),
        };
      finished = true;
    }
    const call: Call = {
      callId: callIdOf(step, index),
      providerId: planned.providerId,
      name: planned.name,
      input: planned.input,
      index,
      plan,
      bodies: 1,
    };
    draft.emit({ type: 'tool_start', toolCallId: call.callId, toolName: call.name, arguments: call.input });
    if (plan.kind === 'child') {
      draft.put({ put: 'child', stepId: step.id, call });
      draft.emit({
        type: 'subagent_start',
        subAgentType: plan.agentType,
        subSessionId: plan.sessionId,
        subAddress: plan.address,
        callId: call.callId,
        mode: 'ephemeral',
        placement: 'facet',
        generation: plan.generation,
      });
    }
    return call;
  });
}

/** Commits the one result of a call, and shows it. */
function settleCall(
  draft: Draft,
  step: RepliedStep,
  call: Call,
  result: CallResult,
  facts: { at: number; startedAt: number; usage?: NonNullable<Call['settled']>['usage'] },
): RepliedStep {
  const next = draft.settle(step, call, { result, ...facts });
  if (call.plan.kind === 'child') childClosed(draft, call, call.plan, result, facts.usage);
  draft.emit(
    result.success
      ? { type: 'tool_end', toolCallId: call.callId, result: result.value, success: true }
      : { type: 'tool_end', toolCallId: call.callId, success: false, error: result.error },
  );
  return next;
}

/** Closes the calls that nobody works on: those that were refused, and those that only end the run. */
export function closeIdleCalls(draft: Draft, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    const result = idleResult(call.plan);
    if (result) step = settleCall(draft, step, call, result, { at, startedAt: at });
  }
}

function idleResult(plan: CallPlan): CallResult | undefined {
  if (plan.kind === 'refused') return { success: false, error: plan.error };
  return plan.kind === 'finish' ? { success: true, value: { finished: true } } : undefined;
}

/** Settles every open tool call with one failure: their bodies are no longer owed, and so are aborted. */
export function cutTools(draft: Draft, error: Failure, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    if (call.plan.kind === 'tool')
      step = settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt });
  }
}

/** An open call of the current step, or why its result is not wanted. */
export function openCall(draft: Draft, callId: string): { step: RepliedStep; call: Call } | Transition {
  const step = currentStep(draft.state);
  const call = step?.phase === 'calls' ? step.calls.find((other) => other.callId === callId) : undefined;
  if (step?.phase !== 'calls' || call === undefined) return refuse('superseded', 'This call is no longer awaited.');
  return { step, call };
}

/** A tool's body has ended. */
export function onToolSettled(draft: Draft, event: Event<'tool_settled'>): Transition {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.epoch !== event.epoch)
    return refuse('superseded', 'This body belongs to a run that was taken over.');
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.settled) return draft.done();
  const usage = event.usage;
  draft.spend({
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    modelCalls: 0,
    toolCalls: 0,
    ...usage,
  });
  settleCall(draft, step, call, event.result, {
    at: event.at,
    startedAt: event.startedAt,
    ...(usage ? { usage } : {}),
  });
  return draft.done();
}

/** After a crash: bodies that may run again do, others are settled as unknown (CL4). Children are asked again by the host. */
export function recoverCalls(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of runningTools(step, rules)) {
    if (call.plan.kind !== 'tool') continue;
    if (call.plan.replay === 'safe' && call.bodies < rules.limits.maxToolReplays) {
      step = draft.setCall(step, { ...call, bodies: call.bodies + 1 }, true);
      continue;
    }
    const error: Failure = failure(
      'outcome_unknown',
      `The tool "${call.name}" was running when the agent crashed. Whether it took effect is unknown: look before you repeat it.`,
    );
    step = settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt });
  }
}

/** A child has ended (or is lost): its call gets its result, once. */
export function onChildSettled(draft: Draft, event: Event<'child_settled'>): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { step, call, plan } = found;
  if (call.settled) return draft.done();
  const result = call.stopping
    ? { success: false as const, error: call.stopping }
    : resultOf(event.outcome, plan.agentType);
  settleCall(draft, step, call, result, { at: event.at, startedAt: step.repliedAt, usage: event.usage });
  return draft.done();
}

/** A child is to be stopped (its time is up): committed first, then told; its call is settled when it has ended. */
export function onChildStop(draft: Draft, event: Event<'child_stop'>): Transition {
  const found = openDelegation(draft, event);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.settled || call.stopping) return draft.done();
  draft.setCall(step, { ...call, stopping: event.error }, true);
  return draft.done();
}

function openDelegation(draft: Draft, event: { callId: string; generation: number }) {
  if (draft.state.run?.phase !== 'active') return refuse('superseded', 'The run that asked for this has ended.');
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.plan.kind !== 'child' || call.plan.generation !== event.generation) {
    return refuse('superseded', 'This outcome belongs to another delegation.');
  }
  return { step, call, plan: call.plan };
}
