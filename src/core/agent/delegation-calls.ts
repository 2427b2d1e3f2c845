/** What a call says of the child that works on it: its place, and the chunks that open and close its work. */

import { type Failure, failure } from '../protocol/errors';
import { mintId } from '../protocol/ids';
import type { CallResult } from '../protocol/messages';
import { NO_USAGE, type Usage } from '../protocol/usage';
import type { Draft } from './draft';
import type { AgentEvent, PlannedCall } from './events';
import { placementBelow } from './placement';
import type { Rules } from './rules';
import type { Call, CallPlan, Outcome, Step } from './state';

/** The plan of a call that a child works on. */
export type ChildPlan = Extract<CallPlan, { kind: 'child' }>;

/** The address segment of an ephemeral child: slot and generation. */
export function slotName(slot: number, generation: number): string {
  return `${slot}~${generation}`;
}

/** Gives a child its slot and session, or refuses it with advice that the model can follow. */
export function planChild(
  draft: Draft,
  planned: Extract<PlannedCall, { kind: 'child' }>,
  used: Map<string, number>,
  event: Extract<AgentEvent, { type: 'model_replied' }>,
  index: number,
  rules: Rules,
): CallPlan {
  const { session } = draft.state;
  const { maxChildren } = rules.limits;
  const placed = placementBelow(session.depth, rules.limits);
  if ('refused' in placed) return refused(placed.refused);
  const alive = [...used.values()].reduce((sum, count) => sum + count, 0);
  if (alive >= maxChildren) {
    return refused(
      failure(
        'max_children',
        `At most ${maxChildren} sub-agents may be alive at once. Call the others in a later step.`,
      ),
    );
  }
  const taken = used.get(planned.className) ?? 0;
  used.set(planned.className, taken + 1);
  const facts = event.slots[planned.className] ?? { free: [], next: 1 };
  const free = facts.free[taken];
  const slot = free?.slot ?? facts.next + taken - facts.free.length;
  const generation = (free?.generation ?? 0) + 1;
  return {
    kind: 'child',
    agentType: planned.agentType,
    className: planned.className,
    slot,
    generation,
    sessionId: mintId('session', event.token, index),
    address: `${session.address}/sub/${planned.addressClass}/${slotName(slot, generation)}`,
    timeoutMs: planned.timeoutMs,
    ...(planned.onParentSuspend ? { onParentSuspend: planned.onParentSuspend } : {}),
    ...(planned.onFailure ? { onFailure: planned.onFailure } : {}),
    ...(planned.budget ? { budget: planned.budget } : {}),
  };
}

const refused = (error: Failure): CallPlan => ({ kind: 'refused', error });

/** The child's part in the beginning of its call: its row, and the chunk that opens the delegation. */
export function childOpened(draft: Draft, step: Pick<Step, 'id'>, call: Call, plan: ChildPlan): void {
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

/** The child's part in the end of its call: the chunk that closes the delegation. */
export function childClosed(
  draft: Draft,
  call: Call,
  plan: ChildPlan,
  result: CallResult,
  usage: Usage | undefined,
): void {
  const facts = {
    type: 'subagent_end' as const,
    subAgentType: plan.agentType,
    subSessionId: plan.sessionId,
    callId: call.callId,
    generation: plan.generation,
    usage: usage ?? NO_USAGE,
  };
  draft.emit(
    result.success
      ? { ...facts, success: true, result: result.value }
      : { ...facts, success: false, error: result.error },
  );
}

/** What a child's outcome is to its parent's model. */
export function resultOf(outcome: Outcome, agentType: string): CallResult {
  switch (outcome.status) {
    case 'completed':
      return { success: true, value: outcome.output };
    case 'failed':
      return { success: false, error: outcome.error };
    case 'interrupted':
      return {
        success: false,
        error: failure('interrupted', `The sub-agent ${agentType} was interrupted: ${outcome.reason}`),
      };
    case 'terminated':
      return {
        success: false,
        error: failure('terminated', `The sub-agent ${agentType} was terminated: ${outcome.reason}`),
      };
  }
}
