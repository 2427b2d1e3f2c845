/**
 * A task as its parent tells of it: the chunks that open and close it, its one end, and what a model reads of that.
 *
 * Decides: the chunks that open and close a task; what a parent's model reads of an end.
 * Keeps CS8, CO7, DG14.
 */
import { type Failure, failure } from '../../../protocol/errors';
import { type CallResult, shownValue } from '../../../protocol/messages';
import { NO_USAGE, type Usage } from '../../../protocol/usage';
import { filesNote, withShown } from '../calls/enclosures';
import { acceptMessage } from '../delivery';
import type { Draft } from '../draft';
import type { Brought, MailFacts } from '../inbound';
import { envelopeOf } from '../standard-agents/envelope';
import { isRegistered, standingOf, timedEnd } from '../standard-agents/subagent-registry';
import type { EndedTask, Outcome } from '../state';
import { type Child, type ChildState, isHeldByCall, isLasting, keyOf, modeOf, slotOf, usageOf } from './child';

/** The result of a call that does not wait for its child: who works on it. */
export function accepted(child: Child): CallResult {
  if (isRegistered(child)) return { success: true, value: standingOf(child) };
  const { agentType, name, address, task } = child;
  const value = { status: 'started', agent: agentType, name: name ?? null, address, task: task.number };
  return { success: true, value };
}

/** Shows that a child has its task. */
export function taskOpened(draft: Draft, child: Child): void {
  draft.emit({
    type: 'subagent_start',
    subAgentType: child.agentType,
    subSessionId: child.sessionId,
    subAddress: child.address,
    ...(child.name === undefined ? {} : { name: child.name }),
    callId: child.task.callId,
    mode: modeOf(child),
    placement: child.placement.via,
    generation: slotOf(child.placement)?.generation ?? 1,
    ...keyOf(child),
  });
}

/** Shows that a task has ended. */
export function taskClosed(draft: Draft, child: Child, result: CallResult, usage: Usage | undefined): void {
  const facts = {
    type: 'subagent_end' as const,
    subAgentType: child.agentType,
    subSessionId: child.sessionId,
    callId: child.task.callId,
    generation: slotOf(child.placement)?.generation ?? 1,
    ...keyOf(child),
    usage: usage ?? NO_USAGE,
  };
  draft.emit(
    result.success
      ? { ...facts, success: true, result: result.value }
      : { ...facts, success: false, error: result.error },
  );
}

/** What is known of a child when its task ends. */
export interface TaskEnd {
  readonly at: number;
  readonly token: string;
  /** What its session has spent, where it told. */
  readonly spent?: Usage;
  /** Its store is gone. */
  readonly gone?: true;
  /** How its own run ended, where it told so. */
  readonly session?: Outcome['status'];
  /** How far it had come with what it was told. */
  readonly mail?: MailFacts;
  /** The id of the message that tells of it, where one does. */
  readonly notice?: string;
  /** How many messages to it were seen by no step. */
  readonly unread?: number;
  /** The files that came with it. */
  readonly brought?: Brought;
}

/** What is left of a child's session; of one that ended by no word of its own, what is known of it. */
function sessionAfter(
  { state }: Child,
  { gone, session }: Omit<TaskEnd, 'token'>,
): Pick<Extract<ChildState, { is: 'ended' }>, 'gone' | 'session'> {
  if (gone || session) return { ...(gone ? { gone } : {}), ...(session ? { session } : {}) };
  switch (state.is) {
    case 'failed':
      return { session: 'failed' };
    case 'respawning':
      // CO3. A name that was to begin afresh does not go on with what was before.
      return state.fresh ? { gone: true } : { session: 'failed' };
    case 'working':
    case 'waiting':
    case 'stopping':
    case 'interrupted':
    case 'ended':
      return {};
  }
}

/**
 * The one end of a task: it is shown, and no longer among those that are open. A child that lived for the step of its
 * call has no row of its end: the result of the call is that.
 */
export function closeTask(draft: Draft, child: Child, result: CallResult, end: Omit<TaskEnd, 'token'>): void {
  const usage = usageOf(child, end.spent);
  // One that is to be started anew was closed when it ended.
  if (child.state.is !== 'respawning') taskClosed(draft, child, result, usage);
  const outlives = isLasting(child) || !isHeldByCall(child.task);
  if (outlives) {
    const ended = {
      is: 'ended',
      result,
      ...sessionAfter(child, end),
      ...(end.notice === undefined ? {} : { notice: end.notice }),
      ...(end.unread ? { unread: end.unread } : {}),
      ...(end.brought ? { brought: end.brought } : {}),
    } as const;
    const spent = end.spent === undefined ? {} : { spentBefore: end.spent };
    draft.setChild(timedEnd({ ...child, ...spent, state: ended }, end.at));
  }
  draft.dropFromOpen(child.childId);
}

/** Tells the parent's model of the end of a task by a message of its own. */
export function giveNotice(draft: Draft, ended: EndedTask, messageId: string, at: number): void {
  const { agentType, name, task, result, unread = 0, wakes, brought } = ended;
  if (ended.envelope !== undefined)
    return acceptMessage(draft, { messageId, ...envelopeOf(ended, ended.envelope) }, at);
  const who = `The sub-agent ${name ?? agentType} (task ${task})`;
  const left = unread === 0 ? '' : ` It did not read the last ${unread} of your messages.`;
  const note = filesNote('It', brought);
  const files = note === undefined ? '' : `\n${note}`;
  const shown = result.success ? shownValue(result.value) : undefined;
  const text = result.success
    ? `${who} has ended its task: ${JSON.stringify(shown?.value)}${left}${files}`
    : `${who} ${hasEnded(result.error)}: ${result.error.message}${left}${files}`;
  const content = withShown(text, brought, shown?.files);
  acceptMessage(draft, { messageId, role: 'user', content, from: 'offshoot', ...(wakes ? { wakes } : {}) }, at);
}

/** How a task ended that was not completed. */
function hasEnded({ code }: Failure): string {
  if (code === 'terminated') return 'was terminated';
  return code === 'interrupted' ? 'was interrupted' : 'has failed';
}

/** What a child's outcome is to its parent's model. */
export function resultOf(outcome: Outcome, agentType: string): CallResult {
  switch (outcome.status) {
    case 'completed':
      return { success: true, value: outcome.output };
    case 'failed':
      return { success: false, error: outcome.error };
    case 'interrupted':
      return {
        success: false,
        error: failure('interrupted', `The sub-agent ${agentType} was interrupted: ${outcome.reason}`),
      };
    case 'terminated':
      return {
        success: false,
        error: failure('terminated', `The sub-agent ${agentType} was terminated: ${outcome.reason}`),
      };
  }
}
