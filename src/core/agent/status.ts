/**
 * How a session stands, from its state alone. A run that waits is not marked as such: its calls say what it waits for
 * (decision 11).
 */
import type { AwaitedAnswer, AwaitedChild } from '../protocol/chunks';
import type { JsonObject } from '../protocol/json';
import type { SessionStatus, SuspendedStatus } from '../protocol/status';
import { type AgentState, type Call, currentStep, openCalls, type RepliedStep } from './state';

/** What an open call waits for: work that goes on, a person, or nothing that is under way. */
function waitsFor(call: Call): 'work' | 'person' | 'child' | 'nothing' {
  const { plan, stand } = call;
  switch (plan.kind) {
    case 'client':
      return stand?.is === 'expired' ? 'nothing' : 'person';
    case 'tool':
      return plan.approval && call.answer === undefined ? 'person' : 'work';
    case 'child':
      return stand?.is === 'waiting' || stand?.is === 'interrupted' || stand?.is === 'failed' ? 'child' : 'work';
    case 'immediate':
    case 'refused':
      return 'work';
  }
}

/** The open calls of a step that wait for a person's answer, in order. */
export function pendingCalls(step: RepliedStep): Call[] {
  return openCalls(step).filter((call) => waitsFor(call) === 'person');
}

/** Whether an open call is worked on by a child. */
const hasChild = ({ plan }: Call): boolean => plan.kind === 'child';

/**
 * How a run waits, if it does: for a person itself (and for children as well), or only for children that wait. With a
 * tool, a hook or an awaited child at work it is running.
 */
export function suspensionOf(state: AgentState): SuspendedStatus | undefined {
  const { run } = state;
  const step = currentStep(state);
  if (run?.phase !== 'active' || run.stop || step?.phase !== 'calls') return undefined;
  if (run.hooks && run.hooks.owed.length > 0) return undefined;
  const open = openCalls(step);
  const kinds = new Set(open.map(waitsFor));
  const children = open.some(hasChild);
  if (open.some((call) => !hasChild(call) && waitsFor(call) === 'work')) return undefined;
  if (kinds.has('person')) return children ? 'suspended_step_partial' : 'suspended_client_tool';
  return kinds.has('child') && !kinds.has('work') ? 'suspended_awaiting_children' : undefined;
}

/** The status of a session. */
export function statusOf(state: AgentState): SessionStatus {
  const { run, session } = state;
  if (session.terminated) return 'terminated';
  if (run === undefined) return 'idle';
  if (run.phase === 'ended') return run.outcome.status;
  return suspensionOf(state) ?? 'running';
}

/** What a caller is told whose request comes while a run goes on: how it stands, and which one it is. */
export function busyDetails(state: AgentState): JsonObject {
  return { status: statusOf(state), ...(state.run ? { runId: state.run.runId } : {}) };
}

/** What a suspended run waits for, as its chunk tells it. */
export function waitsOf(state: AgentState): { pending: AwaitedAnswer[]; children: AwaitedChild[] } {
  const step = currentStep(state);
  if (step?.phase !== 'calls') return { pending: [], children: [] };
  const pending = pendingCalls(step).map(
    (call): AwaitedAnswer => ({
      toolCallId: call.callId,
      toolName: call.name,
      kind: call.plan.kind === 'client' ? 'client-tool' : 'approval',
    }),
  );
  const children = openCalls(step).flatMap((call): AwaitedChild[] => {
    if (call.plan.kind !== 'child') return [];
    const waits = call.stand?.is === 'failed' ? 'failed' : 'waiting';
    const status = waitsFor(call) === 'child' ? waits : 'working';
    return [{ callId: call.callId, subSessionId: call.plan.sessionId, status }];
  });
  return { pending, children };
}
