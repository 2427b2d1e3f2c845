/**
 * The delegation machine: a child that works on a call.
 *
 * DG1. The ref (call, slot, generation, session id) is committed before the child exists.
 * DG2. A call that a child works on is settled by that child's committed outcome, or when the child is lost; a stop asks
 *     the child first and waits for its end, so the child's chunks always come before the end of the call.
 * DG3. An outcome of another generation is refused.
 */
import type { Draft } from './draft';
import { type Failure, failure } from './errors';
import type { AgentEvent, PlannedCall } from './events';
import { mintId } from './ids';
import type { CallResult } from './messages';
import type { Rules } from './rules';
import { type Call, type CallPlan, currentStep, type Outcome } from './state';
import { NO_USAGE, type Usage } from './usage';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type ChildPlan = Extract<CallPlan, { kind: 'child' }>;

/** The address segment of an ephemeral child: slot and generation. */
export function slotName(slot: number, generation: number): string {
  return `${slot}~${generation}`;
}

/** Gives a child its slot and session, or refuses it with advice that the model can follow. */
export function planChild(
  draft: Draft,
  planned: Extract<PlannedCall, { kind: 'child' }>,
  used: Map<string, number>,
  event: Event<'model_replied'>,
  index: number,
  rules: Rules,
): CallPlan {
  const { session } = draft.state;
  const { maxDepth, maxChildren } = rules.limits;
  if (session.depth + 1 > maxDepth) {
    return refused(
      failure(
        'max_depth',
        `This agent is at level ${session.depth} of ${maxDepth}: it cannot have sub-agents. Do the work yourself.`,
      ),
    );
  }
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
  };
}

const refused = (error: Failure): CallPlan => ({ kind: 'refused', error });

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

/** Marks every open child of the current step as being stopped. */
export function stopChildren(draft: Draft, error: Failure): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of step.calls) {
    if (call.plan.kind === 'child' && call.settled === undefined && call.stopping === undefined) {
      step = draft.setCall(step, { ...call, stopping: error }, true);
    }
  }
}
