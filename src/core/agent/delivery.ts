/**
 * The delivery machine: messages on their way in, outcomes and waits on their way out. What of a wait is sent is in
 * `owed-effects.ts` (`waitEffect`), the parent's side in `delegation.ts` (`onChildWaits`).
 *
 * Decides: which step sees a message; when a message may be taken back; how long an outcome is owed.
 *
 * DL1. An accepted message is a row; steps see messages in the order of arrival, each once.
 * DL8. What a caller has sent can be taken back until a step begins with it; what anybody else has written is not theirs.
 * DL3. An outcome is owed to the parent until the parent has acknowledged it.
 */

import type { BodyOf } from '../../protocol/chunks';
import { beginningOf } from '../../protocol/content/cut';
import { DATA_LIMITS } from '../../protocol/data-limits';
import { type Failure, failure } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import type { Json } from '../../protocol/json';
import { addUsage } from '../../protocol/usage';
import type { Transition } from './changes';
import { type Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import type { InboundMessage, NewMessage } from './inbound';
import { isAtRest } from './runs/status';
import type { AgentState, KnownToParent, Step } from './state';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Accepts a message: it is a row from here on. */
export function acceptMessage(draft: Draft, message: NewMessage, at: number): void {
  draft.addMessage({ ...message, id: draft.state.lastMessage + 1, at });
}

/** Announces a message that an agent takes while it works or waits (DL5): its next step sees it. */
export function announceQueued(draft: Draft, { messageId, from }: Pick<NewMessage, 'messageId' | 'from'>): void {
  draft.emit({ type: 'message_queued', messageId, from });
}

/** The arguments of a task as the first message of it. */
export function taskMessage(input: Json, token: string): NewMessage {
  return { messageId: mintId('message', token), role: 'user', content: JSON.stringify(input), from: 'parent' };
}

/** The step that begins now sees everything that has arrived. */
export function deliverInbox(draft: Draft, step: Step): void {
  for (const message of draft.state.inbox) {
    if (message.from !== 'offshoot' && !message.silent) {
      draft.emit({ type: 'message_delivered', ...shownMessage(message) }, step);
    }
  }
  draft.state = { ...draft.state, inbox: [] };
}

/** Takes back what a caller has sent, where no step has seen it. */
export function onCancelMessage(draft: Draft, { messageId, delivered }: Event<'cancel_message'>): Transition {
  const message = draft.state.inbox.find((one) => one.messageId === messageId);
  if (message === undefined && delivered)
    return refuse('already_delivered', 'A step has read it. Send the correction in another message.');
  if (message === undefined) return refuse('not_found', `There is no message "${messageId}" here.`);
  const against = whyNotTakenBack(draft.state, message);
  if (against) return { ok: false, refused: against };
  draft.dropMessage(messageId);
  draft.emit({ type: 'message_cancelled', messageId });
  return draft.done();
}

/** Why a message that no step has seen cannot be taken back, if it cannot (DL8). */
export function whyNotTakenBack(
  { run, session }: Pick<AgentState, 'run' | 'session'>,
  { from }: Pick<InboundMessage, 'from'>,
): Failure | undefined {
  if (from !== 'caller')
    return failure('not_cancellable', `Only messages of callers can be cancelled: this one is from "${from}".`);
  // Its parent has heard with its end what no step of it has seen, and counts on that.
  if (session.parent && run?.phase !== 'active')
    return failure('owned_by_parent', 'This sub-agent has ended, and its next task begins with the message.');
  return undefined;
}

/** What the stream shows of a message: a chunk is read by everybody, so the whole of a long one stays in the transcript. */
function shownMessage({
  messageId,
  from,
  role,
  content,
  files: enclosed = [],
}: InboundMessage): Omit<BodyOf<'message_delivered'>, 'type'> {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const whole = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const inside = parts.flatMap((part) => (part.type === 'file' ? [part.filename ?? part.mediaType] : []));
  const files = [...inside, ...enclosed.map(({ path }) => path)];
  const text = beginningOf(whole, DATA_LIMITS.maxShownText);
  const attachments = files
    .slice(0, DATA_LIMITS.maxShownAttachments)
    .map((name) => beginningOf(name, DATA_LIMITS.maxShownName));
  const isWhole = text === whole && files.every((name, index) => name === attachments[index]);
  return {
    messageId,
    from,
    role,
    text,
    ...(files.length === 0 ? {} : { attachments }),
    ...(isWhole ? {} : { cut: true }),
  };
}

/** What came to light of spending that nobody waits for any more: it counts, and is no event of a run that has ended. */
export function onSpentLate(draft: Draft, event: Event<'spent_late'>): Transition {
  const { step } = draft.state;
  if (step === undefined) return draft.done();
  draft.spend(event.usage);
  draft.setStep({ ...step, spent: addUsage(step.spent, event.usage) });
  return draft.done();
}

/** What a parent knows of a run once it has heard whether that waits. */
export function knownAs(waits: boolean): KnownToParent {
  return waits ? 'waiting' : 'working';
}

/** A run begins to wait, or goes on: from here on its parent may have heard of it or not. */
export function owesWait(draft: Draft): void {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.stop || run.task === undefined) return;
  const now = knownAs(isAtRest(draft.state));
  if (run.knownToParent !== now && run.knownToParent !== 'undelivered')
    draft.setRun({ ...run, knownToParent: 'undelivered' });
}

/** The agent has said how far it is: its parent has it in its registry. */
export function reportWord(draft: Draft, text: string): void {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.task === undefined || run.word?.text === text) return;
  draft.setRun({ ...run, word: { number: (run.word?.number ?? 0) + 1, text }, knownToParent: 'undelivered' });
}

/** The parent knows whether the run waits for a person, and its word; nothing where that has changed since. */
export function onWaitAcknowledged(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'wait_acknowledged' }>,
): Transition {
  const { run } = draft.state;
  const waits = isAtRest(draft.state);
  if (run?.phase !== 'active' || run.runId !== event.runId || waits !== event.waits) return draft.done();
  if (run.word?.number !== event.word) return draft.done();
  if (run.knownToParent !== knownAs(waits)) draft.setRun({ ...run, knownToParent: knownAs(waits) });
  return draft.done();
}

/** The parent has the outcome. */
export function onOutcomeAcknowledged(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'outcome_acknowledged' }>,
): Transition {
  const { run } = draft.state;
  if (run?.phase === 'ended' && run.runId === event.runId && !run.acknowledged)
    draft.setRun({ ...run, acknowledged: true });
  return draft.done();
}
