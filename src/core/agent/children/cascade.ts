/**
 * The cascade: what a parent's wait means to its children, and their status or failure to the parent (decisions 13,
 * 18). A further rule is a row of the tables here.
 *
 * Decides: what `pause`, `respawn` and `continue` do to a child; what a child's failure means (`onFailure`).
 *
 * CS1. What a parent does about a child when it goes on is one total function over the child's status and its reason,
 *     and what its call does with a failure.
 * CS2. A child that its parent's rule paused goes on with its parent.
 * CS6. One that was failed for it is started anew.
 * CS4. While the parent waits for a person none of its children works whose rule is `pause` or `respawn`.
 */

import { failure } from '../../../protocol/errors';
import type { SessionStatus } from '../../../protocol/status';
import type { FailureRule } from '../../definition/definition';
import type { Draft } from '../draft';
import { suspensionOf } from '../runs/status';
import type { StopVerb } from '../runs/stop-verb';
import type { AgentState } from '../state';
import { type Child, type ChildState, messageFor } from './child';

/** How a child stands, as a parent that goes on finds it. */
export type ChildStatus = SessionStatus | 'not_started' | 'lost';

/** What the parent does about it. */
export type ResumeAction =
  /** Starts it. */
  | 'start'
  /** Waits for it: it is queued, works, or waits for a person itself, be it for somebody to retry it. */
  | 'wait'
  /** Takes its outcome as the end of its task, also where that is a failure. */
  | 'drain'
  /** Starts it anew. */
  | 'respawn'
  /** Lets it go on from its ledger. */
  | 'resume'
  /** Ends its task as lost, once. */
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
      return failureReason === 'parent_suspended' ? 'respawn' : afterFailure(onFailure, failureReason);
    case 'interrupted':
      return 'resume';
    case 'lost':
      return 'settle_lost';
  }
}

/** What becomes of a failure, by the rule of its tool. */
function afterFailure(rule: FailureRule, reason: string | undefined): 'drain' | 'wait' {
  switch (rule) {
    case 'result':
      return 'drain';
    case 'wait':
      // Who aborts it wants its parent to go on.
      return reason === 'aborted' ? 'drain' : 'wait';
  }
}

/** The status of a child as far as its parent knows. */
function statusOfChild(state: ChildState): { status: ChildStatus; failureReason?: string; onFailure?: FailureRule } {
  switch (state.is) {
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
    case 'ended':
      return { status: 'completed' };
  }
}

/** Whether the agent itself waits for a person, with nothing of its own at work. */
export function waitsForPerson(state: AgentState): boolean {
  const status = suspensionOf(state);
  return status === 'suspended_client_tool' || status === 'suspended_step_partial';
}

/** After every event: children are paused by their parent's wait, and go on when it is over (CS2). */
export function cascade(draft: Draft): void {
  if (draft.state.children.size === 0) return;
  const waits = waitsForPerson(draft.state);
  for (const child of draft.state.children.values()) {
    const next = waits ? paused(child) : unpaused(child);
    if (next) draft.setChild(next);
  }
}

/** A child that its parent's wait stops, where it has such a rule. */
function paused(child: Child): Child | undefined {
  if (child.state.is !== 'working') return undefined;
  const error = failure('parent_suspended', 'Its parent waits for a person.');
  const stopped = (verb: StopVerb): Child => ({
    ...child,
    state: { is: 'stopping', verb, error, cause: 'parent_suspended', ...messageFor(child) },
  });
  switch (child.terms.onParentSuspend) {
    case 'continue':
      return undefined;
    case 'pause':
      return stopped('interrupt');
    case 'respawn':
      return stopped('abort');
  }
}

function unpaused(child: Child): Child | undefined {
  return child.state.is === 'interrupted' && child.state.cause === 'parent_suspended' ? resumed(child) : undefined;
}

/**
 * Whether a child is to be started anew now: one that was failed for its parent's wait, when that is over; one that a
 * further task begins, unless its parent is interrupted, with which it rests like every other child.
 */
export function isRespawnDue(state: AgentState, { fresh }: Extract<ChildState, { is: 'respawning' }>): boolean {
  const { run } = state;
  if (run?.phase === 'active' ? run.stop : run?.outcome.status === 'interrupted') return false;
  return fresh === true || (run?.phase === 'active' && !waitsForPerson(state));
}

/** A child that goes on, in the next run of its session. */
export function resumed(child: Child): Child {
  return { ...child, runNumber: child.runNumber + 1, state: { is: 'working', ...messageFor(child) } };
}

/**
 * A run goes on, and of the children that stand still those that the table resumes (CS1); one that is to be started anew
 * is owed by owed-effects.ts. Whether any of them goes on.
 */
export function resumeChildren(draft: Draft): boolean {
  const waits = waitsForPerson(draft.state);
  let goesOn = false;
  for (const child of draft.state.children.values()) {
    const { status, failureReason, onFailure } = statusOfChild(child.state);
    if (whenParentResumes(status, failureReason, onFailure) !== 'resume') continue;
    const pausedAgain = waits && child.terms.onParentSuspend === 'pause';
    goesOn ||= !pausedAgain;
    draft.setChild(
      pausedAgain
        ? { ...child, state: { is: 'interrupted', cause: 'parent_suspended', ...messageFor(child) } }
        : resumed(child),
    );
  }
  return goesOn;
}
