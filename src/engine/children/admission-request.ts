/**
 * What a parent asks its root for when a child is to start, or to go on.
 *
 * Keeps TR4.
 */
import type { Child } from '../../core/agent/children/child';
import type { AdmissionRequest, BelowRequest } from '../../core/tree/admission';
import type { RequestedTask } from '../../core/tree/node';
import type { ParentAgent } from '../perform/performer';

/** The request for a child; `below`: the agents that are below it from its beginning. */
export function admissionRequest(
  agent: Pick<ParentAgent, 'state' | 'deps'>,
  child: Child,
  below: readonly BelowRequest[],
): AdmissionRequest {
  const { sessionId, address, agentType, childId, runNumber, lifetime, placement } = child;
  return {
    ...{ sessionId, address, agentType, childId, runNumber, lifetime },
    depth: agent.state.session.depth + 1,
    placement: placement.via,
    task: requestedTask(child),
    ...(runNumber > 1 && hasSlot(agent, child) ? { keepsSlot: true as const } : {}),
    ...(below.length > 0 ? { below } : {}),
  };
}

/** The task of a child, as the root records it. */
function requestedTask({ task, terms: { timeoutMs, budget, onFailure }, ofRun }: Child): RequestedTask {
  const { number, callId } = task;
  return {
    ...{ number, callId, timeoutMs },
    await: task.await,
    ...(budget ? { budget } : {}),
    ...(onFailure === 'wait' ? { onFailure } : {}),
    ...(ofRun === undefined ? {} : { removal: 'after_run' }),
  };
}

/** Whether a child still has its slot. */
function hasSlot({ deps: { store } }: Pick<ParentAgent, 'deps'>, { childId, sessionId }: Child): boolean {
  return store.child(childId)?.sessionId === sessionId;
}
