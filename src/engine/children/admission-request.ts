/**
 * What a parent asks its root for when a child is to start, or to go on.
 *
 * Keeps TR4.
 */
import { type Child, keyOf } from '../../core/agent/children/child';
import type { AdmissionRequest, BelowRequest } from '../../core/tree/admission';
import type { ParentAgent } from '../perform/performer';

/** The request for a child; `below`: the agents that are below it from its beginning. */
export function admissionRequest(
  agent: Pick<ParentAgent, 'state' | 'deps'>,
  child: Child,
  below: readonly BelowRequest[],
): AdmissionRequest {
  const { runNumber, budget, onFailure } = child;
  return {
    sessionId: child.sessionId,
    address: child.address,
    agentType: child.agentType,
    callId: child.task.callId,
    task: keyOf(child),
    depth: agent.state.session.depth + 1,
    timeoutMs: child.timeoutMs,
    runNumber,
    lifetime: child.lifetime,
    await: child.task.await,
    placement: child.placement.via,
    ...(budget ? { budget } : {}),
    ...(onFailure === 'wait' ? { onFailure } : {}),
    ...(child.ofRun === undefined ? {} : { retention: 'run' as const }),
    ...(runNumber > 1 && hasSlot(agent, child) ? { keepsSlot: true as const } : {}),
    ...(below.length > 0 ? { below } : {}),
  };
}

/** Whether a child still has its slot. */
function hasSlot({ deps: { store } }: Pick<ParentAgent, 'deps'>, { childId, sessionId }: Child): boolean {
  return store.child(childId)?.sessionId === sessionId;
}
