/**
 * The end of a task, for whom it is due: the calls that await it, or the inbox.
 *
 *   endTask ─ held by its call: settleCall (call.ts) ─ closeTask (task.ts: `subagent_end`, the record) ─ `tool_end`
 *           └ else:             closeTask
 *           └ each other call that awaits it: settleCall where it needs no more, else the call keeps the end
 *           └ and where the end is a notice that no call tells: giveNotice (task.ts)
 *
 * A stop, and a start in place of an interrupted run, settle calls themselves, and enter at `settleCall`: what a call kept
 * until then is told by messages.
 */

import { mintId } from '../../protocol/ids';
import type { CallResult } from '../../protocol/messages';
import { settleCall } from './call';
import { type Child, isHeldByCall, isNotified, keyOf } from './child';
import type { Draft } from './draft';
import type { Rules } from './rules';
import { type Call, currentStep, type EndedTask, endedOf, openCalls } from './state';
import { closeTask, giveNotice, type TaskEnd } from './task';
import { callsAwaiting, endedTask, heldToLimit, isSameTask, resultOfWait } from './wait';

/** Ends a task, once. */
export function endTask(draft: Draft, child: Child, result: CallResult, end: TaskEnd, rules: Rules): void {
  const held = heldToLimit(result, `the sub-agent ${child.agentType}`, rules);
  const calls = callsAwaiting(draft.state, keyOf(child));
  const own = isHeldByCall(child.task) ? calls.find((call) => began(call, child)) : undefined;
  if (own) settleOwn(draft, own, child, held, end, rules);
  else closeTask(draft, child, held, end);
  const others = calls.filter((call) => call !== own);
  const notice = isNotified(child) ? { notice: mintId('message', end.token, child.childId) } : {};
  const ended = { ...endedTask(child, held), ...notice };
  const told = others.flatMap(({ index }) => taskEnded(draft, index, ended, end.at, rules));
  if (told.length > 0) withoutNotices(draft, told);
  if (ended.notice !== undefined && others.length === 0) giveNotice(draft, ended, ended.notice, end.at);
}

const began = ({ plan }: Call, child: Child): boolean => plan.kind === 'task' && isSameTask(keyOf(child), plan.began);

/** The end of a task that its call holds is the result of the call. */
function settleOwn(draft: Draft, call: Call, child: Child, result: CallResult, end: TaskEnd, rules: Rules): void {
  const step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  const { at, spent, gone } = end;
  const ended = { result, ...(spent ? { spent } : {}), ...(gone ? { gone } : {}) };
  const inNotice = isNotified(child) && result.success;
  const told: CallResult = inNotice ? { success: true, value: { status: 'completed' } } : result;
  settleCall(draft, step, call, told, { at, startedAt: step.repliedAt }, rules, ended);
}

/** One of the tasks that a call awaits has ended: the call tells the ends that it has, which these are, or needs more of them. */
function taskEnded(draft: Draft, index: number, task: EndedTask, at: number, rules: Rules): readonly EndedTask[] {
  const step = currentStep(draft.state);
  const call = step?.phase === 'calls' ? step.calls[index] : undefined;
  if (step?.phase !== 'calls' || call === undefined) return [];
  const ended = [...endedOf(call), task];
  const result = resultOfWait(call, ended, rules);
  if (result === undefined) {
    draft.setCallState(step, call, { state: { is: 'awaiting', ended } });
    return [];
  }
  const { state: _kept, ...heard } = call;
  settleCall(draft, step, heard, result, { at, startedAt: step.repliedAt }, rules);
  return ended;
}

/** The model has heard of these ends: calls that keep them as well owe no notice of them any more. */
function withoutNotices(draft: Draft, told: readonly EndedTask[]): void {
  const heard = ({ notice, ...task }: EndedTask): EndedTask =>
    notice === undefined || told.some((one) => isSameTask(one, task)) ? task : { ...task, notice };
  const step = currentStep(draft.state);
  for (const { index } of step?.phase === 'calls' ? openCalls(step) : []) {
    const now = currentStep(draft.state);
    const call = now?.phase === 'calls' ? now.calls[index] : undefined;
    if (now?.phase !== 'calls' || call === undefined || endedOf(call).length === 0) continue;
    const ended = endedOf(call).map(heard);
    draft.setCallState(now, call, { state: { is: 'awaiting', ended } });
  }
}
