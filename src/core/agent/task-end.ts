/**
 * The end of a task, for whom it is due: the call that waits for it, or the inbox.
 *
 *   endTask ─ awaited: settleCall (call.ts) ─ closeTask (task.ts: `subagent_end`, the record) ─ `tool_end`
 *           └ else:    closeTask
 *           └ and where the end is a notice: giveNotice (task.ts)
 *
 * A stop, and a start in place of an interrupted run, settle calls themselves, and enter at `settleCall`.
 */

import { failure } from '../../protocol/errors';
import { byteLength } from '../../protocol/json';
import type { CallResult } from '../../protocol/messages';
import { settleCall } from './call';
import { type Child, isAwaited, isNotified } from './child';
import type { Draft } from './draft';
import type { Rules } from './rules';
import { type Call, currentStep, type RepliedStep } from './state';
import { closeTask, giveNotice, type TaskEnd } from './task';

/** The call of the current step that waits for the end of a task. */
export function awaitingCall(
  { state }: Draft,
  { childId, task }: Child,
): { step: RepliedStep; call: Call } | undefined {
  const step = currentStep(state);
  const call =
    step?.phase === 'calls'
      ? step.calls.find(({ plan }) => plan.kind === 'task' && plan.childId === childId && plan.task === task.number)
      : undefined;
  return step?.phase === 'calls' && call ? { step, call } : undefined;
}

/** Ends a task, once. */
export function endTask(draft: Draft, child: Child, result: CallResult, end: TaskEnd, rules: Rules): void {
  const held = within(result, child, rules);
  const found = isAwaited(child) ? awaitingCall(draft, child) : undefined;
  if (found) {
    const { at, spent, gone } = end;
    const ended = { result: held, ...(spent ? { spent } : {}), ...(gone ? { gone } : {}) };
    const { step, call } = found;
    settleCall(draft, step, call, delivered(child, held), { at, startedAt: step.repliedAt }, rules, ended);
  } else closeTask(draft, child, held, end);
  if (isNotified(child)) giveNotice(draft, child, held, end);
}

/** What a call says of a task whose end it awaited. */
function delivered(child: Child, result: CallResult): CallResult {
  if (!isNotified(child) || !result.success) return result;
  return { success: true, value: { status: 'completed' } };
}

/** A child's output is held to the limit of any result: the model reads it, and it stays in the transcript. */
function within(result: CallResult, { agentType }: Child, { limits }: Rules): CallResult {
  const bytes = result.success ? byteLength(JSON.stringify(result.value)) : 0;
  if (bytes <= limits.maxToolResultBytes) return result;
  const what = `The result of the sub-agent ${agentType} has ${bytes} bytes, more than ${limits.maxToolResultBytes}.`;
  const error = failure('tool_result_too_large', `${what} Ask it for less, or to write it to a file.`);
  return { success: false, error };
}
