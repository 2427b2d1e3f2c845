/**
 * The end of a task, for whom it is due: the calls that await it, or the inbox.
 *
 * Decides: who hears of the end of a task; what follows for a companion with unread messages.
 * Keeps DG24, DG27, CO7.
 *
 *   endTask ─ held by its call: settleCall (call.ts) ─ closeTask (task.ts: `subagent_end`, the record) ─ `tool_end`
 *           └ else:             closeTask
 *           └ each other call that awaits it: settleCall where it needs no more, else the call keeps the end
 *           ├ and where the end is a notice that no call tells: giveNotice (task.ts)
 *           └ a child that stays goes on with what it was told and has not seen (CO5)
 *
 * A stop, and a start in place of an interrupted run, settle calls themselves, and enter at `settleCall`: what a call kept
 * until then is told by messages.
 */

import { mintId } from '../../../protocol/ids';
import type { CallResult } from '../../../protocol/messages';
import { settleCall, showFiles } from '../calls/call';
import { filesNote, withReturned, withShown } from '../calls/enclosures';
import { acceptMessage } from '../delivery';
import type { Draft } from '../draft';
import type { Rules } from '../rules';
import { isResumable } from '../runs/stop-verb';
import { stillToTerminate } from '../runs/terminate-child';
import { type Call, currentStep, type EndedTask, endedOf, openCalls } from '../state';
import { callsAwaiting, endedTask, heldToLimit, isSameTask, replanned, resultOfWait } from './await';
import { type Child, isHeldByCall, isLasting, isNotified, keyOf } from './child';
import { withoutMail } from './child-messages';
import { closeTask, giveNotice, type TaskEnd, taskOpened } from './task';

/** Ends a task, once. */
export function endTask(draft: Draft, child: Child, result: CallResult, end: TaskEnd, rules: Rules): void {
  const held = heldToLimit(result, `the sub-agent ${child.agentType}`, rules);
  const calls = callsAwaiting(draft.state, keyOf(child));
  const own = isHeldByCall(child.task) ? calls.find((call) => began(call, child)) : undefined;
  const others = calls.filter((call) => call !== own);
  const notice = isNotified(child) ? { notice: mintId('message', end.token, child.childId) } : {};
  const goesOn = stillToTerminate(child, end) ?? withWhatIsLeft(draft, child, end);
  const unread = goesOn ? 0 : unreadOf(child, end);
  if (own) settleOwn(draft, own, child, held, end, rules);
  else closeTask(draft, withoutMail(child), held, { ...end, unread, ...(others.length === 0 ? notice : {}) });
  const { brought } = end;
  const ended = {
    ...endedTask(child, held),
    ...notice,
    ...(unread > 0 ? { unread } : {}),
    ...(brought ? { brought } : {}),
  };
  // The result of the call cites them, where that is a text.
  if (own && child.registered === undefined) tellFiles(draft, child, end);
  if (goesOn) waitOn(draft, child, goesOn, end);
  const waiting = callsAwaiting(draft.state, keyOf(child)).filter((call) => call !== own);
  const told = waiting.flatMap(({ index }) => taskEnded(draft, index, ended, end.at, rules));
  if (told.length > 0) withoutNotices(draft, told);
  if (ended.notice !== undefined && waiting.length === 0) giveNotice(draft, ended, ended.notice, end.at);
  if (goesOn) beginNext(draft, goesOn);
}

/** Calls that wait for the answer to a message which the task did not see wait for the task that will see it. */
function waitOn(draft: Draft, child: Child, next: Child, { mail }: TaskEnd): void {
  const { taken = 0, unseen = 0 } = mail ?? {};
  const key = keyOf(child);
  for (const call of callsAwaiting(draft.state, key)) {
    const step = currentStep(draft.state);
    const awaited =
      call.plan.kind === 'task' ? call.plan.awaits.tasks.find((task) => isSameTask(task, key)) : undefined;
    const message = awaited?.message;
    // What was not seen of what was taken came last.
    if (step?.phase !== 'calls' || message === undefined || message <= taken - unseen) continue;
    draft.setCall(step, { ...call, plan: replanned(call.plan, key, next) }, true);
  }
}

/** How many messages a child has not seen by its end. */
function unreadOf({ mailbox }: Child, { mail: told }: TaskEnd): number {
  const untaken = (mailbox?.messages ?? []).filter(
    ({ number, message }) => number > (told?.taken ?? 0) && message.from !== 'offshoot',
  );
  return untaken.length + (told?.unseen ?? 0);
}

/** A child that completed its task, and was told something that it did not see: its next task is that. */
function withWhatIsLeft({ state: { run } }: Draft, child: Child, end: TaskEnd): Child | undefined {
  const { stop } = run?.phase === 'active' ? run : {};
  if (!isLasting(child) || end.session !== 'completed' || unreadOf(child, end) === 0) return undefined;
  if (stop && !isResumable(stop.verb)) return undefined;
  const left = withoutMail(child, end.mail?.taken ?? 0);
  const callId = left.mailbox?.messages[0]?.callId ?? child.task.callId;
  const { input: _input, by: _by, reads: _reads, ...task } = child.task;
  const { runNumber } = child;
  return {
    ...left,
    ...(end.spent === undefined ? {} : { spentBefore: end.spent }),
    task: {
      ...task,
      callId,
      number: task.number + 1,
      firstRun: runNumber + 1,
      await: 'notice',
      deliver: child.registered ? 'envelope' : 'notice',
      told: true,
    },
    // It begins when its parent goes on.
    ...(stop
      ? { state: { is: 'interrupted', cause: 'stop' } as const }
      : { runNumber: runNumber + 1, state: { is: 'working' } as const }),
  };
}

function beginNext(draft: Draft, child: Child): void {
  draft.setChild(child);
  taskOpened(draft, child);
}

/** The result of the call is the child's own: what came with it is told beside. */
function tellFiles(draft: Draft, { agentType, childId }: Child, { brought, token, at }: TaskEnd): void {
  const note = filesNote(`The sub-agent ${agentType}`, brought);
  if (note === undefined) return;
  const messageId = mintId('message', token, childId);
  acceptMessage(draft, { messageId, role: 'user', content: withShown(note, brought), from: 'offshoot' }, at);
}

const began = ({ plan }: Call, child: Child): boolean => plan.kind === 'task' && isSameTask(keyOf(child), plan.began);

/** The end of a task that its call holds is the result of the call. */
function settleOwn(draft: Draft, call: Call, child: Child, result: CallResult, end: TaskEnd, rules: Rules): void {
  const step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  const { at, spent, gone, brought } = end;
  const ended = { result, ...(spent ? { spent } : {}), ...(gone ? { gone } : {}) };
  const inNotice = isNotified(child) && result.success;
  const own = child.registered ? heldToLimit(withReturned(result, brought), `the call of ${call.name}`, rules) : result;
  const told: CallResult = inNotice ? { success: true, value: { status: 'completed' } } : own;
  settleCall(draft, step, call, told, { at, startedAt: step.repliedAt }, rules, ended);
  if (child.registered) showFiles(draft, call, [end], at);
}

/** One of the tasks that a call awaits has ended: the call tells the ends that it has, which these are, or needs more of them. */
function taskEnded(draft: Draft, index: number, task: EndedTask, at: number, rules: Rules): readonly EndedTask[] {
  const step = currentStep(draft.state);
  const call = step?.phase === 'calls' ? step.calls[index] : undefined;
  if (step?.phase !== 'calls' || call === undefined) return [];
  const ended = [...endedOf(call), task];
  const result = resultOfWait(draft, call, ended, rules);
  if (result === undefined) {
    draft.setCallState(step, call, { state: { is: 'awaiting', ended } });
    return [];
  }
  const { state: _kept, ...heard } = call;
  settleCall(draft, step, heard, result, { at, startedAt: step.repliedAt }, rules);
  showFiles(draft, call, ended, at);
  return ended;
}

/** The model has heard of these ends: calls that keep them as well owe no notice of them any more. */
export function withoutNotices(draft: Draft, told: readonly EndedTask[]): void {
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
