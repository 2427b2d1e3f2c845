/**
 * How a session stands, from its state alone. A run that waits is not marked as such: its calls say what it waits for
 * (decision 11).
 *
 * Decides: which status a session has.
 * Keeps SU1, CO6.
 */
import type { AwaitedAnswer, AwaitedChild } from '../../../protocol/chunks';
import type { JsonObject } from '../../../protocol/json';
import type { SessionStatus, SuspendedStatus } from '../../../protocol/status';
import { type Child, isLasting } from '../children/child';
import { type AgentState, awaitedBy, type Call, currentStep, openCalls, type RepliedStep } from '../state';

/** Whether an open call waits for a person's answer. */
function asksPerson({ plan, state, answer }: Call): boolean {
  switch (plan.kind) {
    case 'client':
      return state?.is !== 'expired';
    case 'tool':
      return plan.approval !== undefined && answer === undefined;
    case 'task':
    case 'immediate':
    case 'refused':
      return false;
  }
}

/** Whether a child does nothing by itself: it waits for a person, or for somebody to let it go on. */
function rests({ state }: Child): boolean {
  switch (state.is) {
    case 'waiting':
    case 'interrupted':
    case 'failed':
      return true;
    case 'working':
    case 'stopping':
    case 'respawning':
    case 'ended':
      return false;
  }
}

/** The open calls of a step that wait for a person's answer, in order. */
export function pendingCalls(step: RepliedStep): Call[] {
  return openCalls(step).filter(asksPerson);
}

/** Whether an open call is worked on by a child. */
const hasChild = ({ plan }: Call): boolean => plan.kind === 'task';

/** The status of a run that waits, and whether nothing is at work below it. */
interface Wait {
  readonly status: SuspendedStatus;
  readonly rests: boolean;
}

/** The waits of states that were asked about: one event asks several times. */
const KNOWN = new WeakMap<AgentState, { readonly wait: Wait | undefined }>();

/**
 * How a run waits, if it does: for a person itself (and for children as well), or only for children that wait, or that have
 * a name (CO6). With a tool, a hook or any other awaited child at work it is running.
 */
export function suspensionOf(state: AgentState): SuspendedStatus | undefined {
  return waitOf(state)?.status;
}

/** Whether a run waits with nothing at work below it: for a person, or for children that do. */
export function isAtRest(state: AgentState): boolean {
  return waitOf(state)?.rests === true;
}

function waitOf(state: AgentState): Wait | undefined {
  const known = KNOWN.get(state) ?? { wait: findWait(state) };
  KNOWN.set(state, known);
  return known.wait;
}

function findWait(state: AgentState): Wait | undefined {
  const { run } = state;
  const step = currentStep(state);
  if (run?.phase !== 'active' || run.stop || step?.phase !== 'calls') return undefined;
  if (run.hooks && run.hooks.owed.length > 0) return undefined;
  // The calls alone say whether a person or a tool is waited for; children are looked up only where that decides nothing.
  let [person, children] = [false, false];
  for (const call of step.calls) {
    if (call.settled !== undefined) continue;
    if (hasChild(call)) children = true;
    else if (asksPerson(call)) person = true;
    else if (call.state?.is !== 'expired') return undefined;
  }
  if (person) return { status: children ? 'suspended_step_partial' : 'suspended_client_tool', rests: true };
  return children ? waitForChildren(state, step) : undefined;
}

/** The wait of a run for children alone: the first of them at work decides that there is none. */
function waitForChildren(state: AgentState, { calls }: RepliedStep): Wait | undefined {
  let [consults, waits] = [false, false];
  for (const call of calls) {
    if (call.settled !== undefined || !hasChild(call) || call.state?.is === 'expired') continue;
    const awaited = awaitedBy(state, call);
    if (awaited.length === 0) return undefined;
    if (awaited.every(rests)) waits = true;
    else if (awaited.every(isLasting)) consults = true;
    else return undefined;
  }
  return consults || waits ? { status: 'suspended_awaiting_children', rests: !consults } : undefined;
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
  const children = openCalls(step).flatMap((call) =>
    awaitedBy(state, call).map((child): AwaitedChild => {
      const waits = child.state.is === 'failed' ? 'failed' : 'waiting';
      return { callId: call.callId, subSessionId: child.sessionId, status: rests(child) ? waits : 'working' };
    }),
  );
  return { pending, children };
}
