/**
 * The end of a sub-agent for good (Standard Agents). One at rest is given a task that is stopped before it begins, so
 * that its own session knows; one that completed what it did before it heard of its end is closed in the same way.
 *
 * Keeps SA64, SA65.
 */
import { failure } from '../../../protocol/errors';
import type { Child, Task } from '../children/child';
import type { TaskEnd } from '../children/task';
import type { RegisteredChild } from '../standard-agents/subagent-registry';

/** Why it ends. */
export const ENDED_BY_PARENT = failure('terminated', 'Its parent terminated it.');

/** A child that takes nothing any more. */
export const markedTerminated = (child: RegisteredChild, at: number): RegisteredChild => ({
  ...child,
  registered: { ...child.registered, terminated: true, terminatedAt: at },
});

/** One at rest with the task that closes it. */
export function closing(child: Child, { callId, stepId }: Pick<Task, 'callId' | 'stepId'>): Child {
  const { mail: _mail, mailTaken: _taken, ...rest } = child;
  const runNumber = child.runNumber + 1;
  const number = child.task.number + 1;
  return {
    ...rest,
    task: { number, firstRun: runNumber, callId, stepId, told: true, await: 'notice', deliver: 'result' },
    runNumber,
    state: { is: 'stopping', verb: 'terminate', error: ENDED_BY_PARENT, cause: 'stop' },
  };
}

/** The child that is still to be closed once its task has ended, if it is: it was ended for good, and did not know. */
export function stillToClose(child: Child, { session, gone, spent }: TaskEnd): Child | undefined {
  if (!child.registered?.terminated || session === 'terminated' || session === undefined || gone) return undefined;
  return { ...closing(child, child.task), ...(spent === undefined ? {} : { spentBefore: spent }) };
}
