/**
 * The cascade: what a parent's wait means to its children, and what each child's standing means to a parent that goes on.
 *
 * CS1. What a parent does about a child when it goes on is one total function over the child's status and its reason,
 *     and what its call does with a failure.
 * CS2. A child that its parent's rule paused goes on with its parent; one that was failed for it is started anew.
 * CS4. While the parent waits for a person none of its children works whose rule is `pause` or `respawn`.
 */

import type { FailureRule } from '../definition/definition';
import { failure } from '../protocol/errors';
import type { SessionStatus } from '../protocol/status';
import type { Draft } from './draft';
import type { NewMessage } from './inbound';
import { type AgentState, type Call, currentStep, openCalls, type Stand } from './state';
import { suspensionOf } from './status';

/** How a child stands, as a parent that goes on finds it. */
export type ChildStatus = SessionStatus | 'not_started' | 'lost';

/** What the parent does about it. */
export type ResumeAction =
  /** Starts it. */
  | 'start'
  /** Waits for it: it is queued, works, or waits for a person itself, be it for somebody to retry it. */
  | 'wait'
  /** Takes its outcome as the result of the call, also where that is a failure. */
  | 'drain'
  /** Starts it anew. */
  | 'respawn'
  /** Lets it go on from its ledger. */
  | 'resume'
  /** Settles the call as lost, once. */
  | 'settle_lost';

/** The one table of the cascade. */
export function whenParentResumes(
  status: ChildStatus,
  failureReason?: string,
  onFailure: FailureRule = 'result',
): ResumeAction {
  switch (status) {
    case 'not_started':
      return 'start';
    case 'idle':
    case 'queued':
    case 'running':
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return 'wait';
    case 'completed':
    case 'terminated':
      return 'drain';
    case 'failed':
      if (failureReason === 'parent_suspended') return 'respawn';
      // Who aborts it wants its parent to go on.
      return onFailure === 'wait' && failureReason !== 'aborted' ? 'wait' : 'drain';
    case 'interrupted':
      return 'resume';
    case 'lost':
      return 'settle_lost';
  }
}

/** How a child stands as far as its parent knows. */
function standingOf(stand: Stand | undefined): { status: ChildStatus; failureReason?: string; onFailure?: 'wait' } {
  switch (stand?.is) {
    case undefined:
    case 'working':
    case 'stopping':
      return { status: 'running' };
    case 'waiting':
      return { status: 'suspended_client_tool' };
    case 'interrupted':
      return { status: 'interrupted' };
    case 'failed':
      return { status: 'failed', onFailure: 'wait' };
    case 'respawning':
      return { status: 'failed', failureReason: 'parent_suspended' };
    case 'halted':
    case 'expired':
      return { status: 'not_started' };
  }
}

/** How often a child was begun: by its start, and by each resume or retry. */
export function entryOf({ stand }: Call): number {
  return stand !== undefined && 'entry' in stand ? stand.entry : 1;
}

/** What came with a retry and has not gone to the child yet. */
export function messageFor({ stand }: Call): { readonly message?: NewMessage } {
  return stand !== undefined && 'message' in stand && stand.message ? { message: stand.message } : {};
}

/** Whether the agent itself waits for a person, with nothing of its own at work. */
export function waitsForPerson(state: AgentState): boolean {
  const status = suspensionOf(state);
  return status === 'suspended_client_tool' || status === 'suspended_step_partial';
}

/** After every event: children are paused by their parent's wait, and go on when it is over (CS2). */
export function cascade(draft: Draft): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  const waits = waitsForPerson(draft.state);
  for (const call of openCalls(step)) {
    const stand = nextStand(call, waits);
    if (stand) step = draft.stand(step, call, { stand });
  }
}

function nextStand(call: Call, waits: boolean): Stand | undefined {
  const { plan, stand } = call;
  if (plan.kind !== 'child') return undefined;
  const entry = entryOf(call);
  const rule = plan.onParentSuspend ?? 'continue';
  if (waits && rule !== 'continue' && (stand === undefined || stand.is === 'working')) {
    const error = failure('parent_suspended', 'Its parent waits for a person.');
    return { is: 'stopping', entry, verb: rule === 'pause' ? 'interrupt' : 'abort', error, ...messageFor(call) };
  }
  if (!waits && stand?.is === 'interrupted' && stand.cause === 'parent_suspended') {
    return { is: 'working', entry: entry + 1, ...messageFor(call) };
  }
  return undefined;
}

/** A run goes on: each child that stands still is looked up in the table (CS1). Whether any of them goes on. */
export function resumeChildren(draft: Draft): boolean {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return false;
  const waits = waitsForPerson(draft.state);
  let resumed = false;
  for (const call of openCalls(step)) {
    if (call.plan.kind !== 'child') continue;
    const { status, failureReason, onFailure } = standingOf(call.stand);
    if (whenParentResumes(status, failureReason, onFailure) !== 'resume') continue;
    const entry = entryOf(call);
    const pausedAgain = waits && call.plan.onParentSuspend === 'pause';
    const stand: Stand = pausedAgain
      ? { is: 'interrupted', entry, cause: 'parent_suspended', ...messageFor(call) }
      : { is: 'working', entry: entry + 1, ...messageFor(call) };
    resumed ||= !pausedAgain;
    step = draft.stand(step, call, { stand });
  }
  return resumed;
}
