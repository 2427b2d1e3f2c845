/**
 * The named children of an agent that is copied, as the copy has them: at rest, each with a separate session below it.
 *
 * CP12, CP42, CP43. Children get their ids from the copy's session, so making the copy again means the same children.
 */

import { type Child, hasForgotten, isLasting, isOpen } from '../../core/agent/children/child';
import { levelsBelow } from '../../core/agent/children/placement';
import type { ParentLink, Session, SessionWorkspace } from '../../core/agent/state';
import { failure } from '../../protocol/errors';
import type { CallResult } from '../../protocol/messages';
import type { Cut } from './memory';
import type { AlongWith } from './messages';
import type { CopiedSession } from './source';

/** Who is copied, what it becomes, and where it is cut. */
export interface CopiedParent {
  readonly original: Session;
  readonly session: CopiedSession;
  readonly cut?: Cut | undefined;
}

const WAS_AT_WORK: CallResult = {
  success: false,
  error: failure('interrupted', 'It was working when it was copied; that task ends only in the original.'),
};

/** True for a child that comes along with a copy of its parent. Work in progress is no part of an earlier step. */
function isCopiedWith(child: Child, { cut }: CopiedParent): boolean {
  const { state, task, placement, registered } = child;
  if (!isLasting(child) || placement.via === 'remote' || state.is === 'respawning') return false;
  // The copy does not have the run that such a child is kept with.
  if (hasForgotten(child) || registered?.terminated || child.ofRun !== undefined) return false;
  if (cut === undefined) return true;
  return !isOpen(child) && task.stepId > 0 && task.stepId <= cut.step;
}

/** A child as the copy of its parent has it; undefined where it stays with the original alone. */
export function copiedChild(child: Child, copied: CopiedParent): Child | undefined {
  const { original, session } = copied;
  if (!isCopiedWith(child, copied)) return undefined;
  const { childId, agentType, address, lifetime, name, placement, terms, setup } = child;
  const { runNumber, mailbox, state, task } = child;
  const sessionId = `${session.sessionId}_n${childId.toString(36)}`;
  const { number, stepId, firstRun, deliver, told } = task;
  const group = { spawnGroupId: `${session.sessionId}.${stepId}` };
  const registered = child.registered && { ...child.registered, ...(child.registered.spawnGroupId ? group : {}) };
  return {
    childId,
    sessionId,
    agentType,
    address: `${session.address}${address.slice(original.address.length)}`,
    lifetime,
    ...(name === undefined ? {} : { name }),
    ...(registered ? { registered } : {}),
    placement,
    terms,
    setup,
    // No call of the copy gave it.
    task: {
      number,
      callId: `c_${sessionId.slice(2)}`,
      stepId,
      await: task.await,
      deliver,
      firstRun,
      ...(told ? { told } : {}),
    },
    begun: true,
    runNumber,
    ...(mailbox === undefined ? {} : { mailbox: { messages: [], last: mailbox.last } }),
    state: restOf(state),
  };
}

function restOf(state: Child['state']): Child['state'] {
  if (state.is !== 'ended') return { is: 'ended', result: WAS_AT_WORK, session: 'interrupted' };
  const { notice: _notice, unread: _unread, ...rest } = state;
  return rest;
}

/** The session of a child that comes along. `was` is the one that it had. */
export function sessionAlong(
  child: Child,
  was: Pick<Child, 'sessionId' | 'address'>,
  session: CopiedSession,
): CopiedSession {
  const { sessionId, agentType, address } = child;
  const { workspace: _rule, ...rights } = child.setup;
  const threadName = child.registered?.threadName;
  return {
    sessionId,
    agentType,
    address,
    root: session.root,
    ...levelsBelow(session, child.placement.via),
    parent: { sessionId: session.sessionId, address: session.address },
    tags: threadName === undefined ? [] : [`name:${threadName}`],
    ...(threadName === undefined ? {} : { displayName: threadName }),
    ...rights,
    copyOf: { sessionId: was.sessionId, address: was.address },
  };
}

/**
 * The files of a session that comes along: its own, or those that its parent gave it, or passed on. Its own rules stay: a
 * child that may only read one's files reads those of the copy (WS26).
 */
export function workspaceAlong(
  { workspace }: Session,
  parent: ParentLink,
  { was, workspace: passed }: AlongWith,
): SessionWorkspace | undefined {
  if (workspace?.is !== 'inherited') return workspace;
  if (workspace.owner.sessionId === was) return { ...workspace, owner: parent };
  return passed?.is === 'inherited' ? { ...workspace, owner: passed.owner } : (passed ?? workspace);
}
