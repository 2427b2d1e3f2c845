/**
 * The termination of a sub-agent (Standard Agents). An idle one gets a task that is stopped before it begins, so that its
 * own session knows. One that completed its task before it heard of its termination gets such a task, too.
 *
 * Keeps SA64, SA65.
 */
import { failure } from '../../../protocol/errors';
import type { Child, Task } from '../children/child';
import { withoutMail } from '../children/child-messages';
import type { TaskEnd } from '../children/task';
import type { RegisteredChild } from '../standard-agents/subagent-registry';

/** Why it ends. */
export const ENDED_BY_PARENT = failure('terminated', 'Its parent terminated it.');

/** A child that takes nothing any more. */
export const markedTerminated = (child: RegisteredChild, at: number): RegisteredChild => ({
  ...child,
  registered: { ...child.registered, terminated: true, terminatedAt: at },
});

/** An idle child with the task that terminates it. */
export function terminating(child: Child, { callId, stepId }: Pick<Task, 'callId' | 'stepId'>): Child {
  const runNumber = child.runNumber + 1;
  const number = child.task.number + 1;
  return {
    ...withoutMail(child),
    task: { number, firstRun: runNumber, callId, stepId, told: true, await: 'notice', deliver: 'result' },
    runNumber,
    state: { is: 'stopping', verb: 'terminate', error: ENDED_BY_PARENT, cause: 'stop' },
  };
}

/** The child that is still to be terminated once its task has ended; undefined if its session knows. */
export function stillToTerminate(child: Child, { session, gone, spent }: TaskEnd): Child | undefined {
  if (!child.registered?.terminated || session === 'terminated' || session === undefined || gone) return undefined;
  return { ...terminating(child, child.task), ...(spent === undefined ? {} : { spentBefore: spent }) };
}
