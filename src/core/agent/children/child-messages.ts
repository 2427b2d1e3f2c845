/**
 * Messages of a parent to its child. A message is no task: it reaches the task that is at work.
 *
 * Decides: how many messages wait for one companion; what of them a child has read.
 *
 *   parent  post (a row of the child's record) ─ owed until `mail_taken` ─ what no task saw begins the next one
 *   child   onMail / start / resume: takes what it has not taken yet, by number
 *
 * CO4. A message that was accepted is taken once by the child, in order, however often it is sent.
 * CO5. What a child did not see before its task ended begins its next task; where the child takes none any more, its
 *     parent's model is told that it was not read.
 */
import { mintId } from '../../../protocol/ids';
import { receive } from '../calls/enclosures';
import type { Transition } from '../changes';
import { acceptMessage, announceQueued } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Mail, MailFacts, NewMessage } from '../inbound';
import { isResumable } from '../runs/stop-verb';
import type { AgentState, Run } from '../state';
import type { Child, Mailbox } from './child';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

const NO_MAIL: Mailbox = { messages: [], last: 0 };

/** So many messages may wait for one child. */
export const MAX_MAIL = 100;

/** A child that is told something: it keeps the message until it has taken it. */
export function posted(child: Child, message: NewMessage, callId: string): Child {
  const { messages, last, ...taken } = child.mailbox ?? NO_MAIL;
  const number = last + 1;
  return { ...child, mailbox: { messages: [...messages, { number, message, callId }], last: number, ...taken } };
}

/** The child without the messages up to a number, or without any. */
export function withoutMail(child: Child, upTo = Number.POSITIVE_INFINITY): Child {
  const { mailbox } = child;
  if (mailbox === undefined) return child;
  const { messages, last } = mailbox;
  return { ...child, mailbox: { messages: messages.filter(({ number }) => number > upTo), last } };
}

/** What a child was told, and has not taken. */
export function untaken({ mailbox: { messages, taken = 0 } = NO_MAIL }: Child): readonly Mail[] {
  return messages.filter(({ number }) => number > taken);
}

/** The child has taken messages; nothing where it is known. */
export function onMailTaken(draft: Draft, { childId, upTo }: Event<'mail_taken'>): Transition {
  const child = draft.state.children.get(childId);
  if (child === undefined || !untaken(child).some(({ number }) => number <= upTo)) return draft.done();
  // A session that takes the place of this one knows nothing of what this one was told.
  const { mailbox, terms } = child;
  const isRepeated = mailbox !== undefined && terms.onParentSuspend === 'respawn';
  draft.setChild(isRepeated ? { ...child, mailbox: { ...mailbox, taken: upTo } } : withoutMail(child, upTo));
  return draft.done();
}

/** A message cannot be given to the child, because a file of it cannot: the parent's model is told so. */
export function onMailRefused(draft: Draft, { childId, number, why, token, at }: Event<'mail_refused'>): Transition {
  const child = draft.state.children.get(childId);
  if (child === undefined || !child.mailbox?.messages.some((one) => one.number === number)) return draft.done();
  draft.setChild(withoutMessage(child, number));
  const content = `Your message to ${child.name ?? child.agentType} was not delivered, because its files could not be copied: ${why}`;
  acceptMessage(draft, { messageId: mintId('message', token), role: 'user', content, from: 'offshoot' }, at);
  return draft.done();
}

/**
 * Takes back what a caller has sent to a child that stands still. One that is at work may have it already, and is asked
 * itself.
 */
export function onCancelMail(draft: Draft, { name, messageId }: Event<'cancel_mail'>): Transition {
  const child = [...draft.state.children.values()].find((one) => one.name === name);
  const mail = child && untaken(child).find(({ message }) => message.messageId === messageId);
  if (child === undefined || mail === undefined) return refuse('not_found', `There is no message "${messageId}" here.`);
  const { from } = mail.message;
  if (from !== 'caller')
    return refuse('not_cancellable', `Only messages of callers can be cancelled: this one is from "${from}".`);
  if (child.state.is === 'working' || child.state.is === 'waiting')
    return refuse('unavailable', 'The message is in transit to the companion. Try again.');
  draft.setChild(withoutMessage(child, mail.number));
  return draft.done();
}

function withoutMessage(child: Child, number: number): Child {
  const { mailbox } = child;
  if (mailbox === undefined) return child;
  return { ...child, mailbox: { ...mailbox, messages: mailbox.messages.filter((one) => one.number !== number) } };
}

/** How far a child has come with what it was told; undefined where that is of no interest to its parent. */
export function mailFacts({ run, inbox }: Pick<AgentState, 'run' | 'inbox'>): MailFacts | undefined {
  const unseen = inbox.filter(({ from }) => from !== 'offshoot').length;
  if (run?.mailTaken === undefined && unseen === 0) return undefined;
  return { taken: run?.mailTaken ?? 0, unseen };
}

/** A message from the parent, for the task that is at work. */
export function onMail(draft: Draft, { task, mail, at }: Event<'mail'>): Transition {
  const { run, session } = draft.state;
  if (session.terminated) return refuse('terminated');
  // Its task is still to come, and brings the message along; or it has ended, and its parent is about to hear so.
  if (run?.phase !== 'active' || run.task?.task !== task.task)
    return refuse('superseded', 'This agent is not working on that task.');
  if (run.stop && !isResumable(run.stop.verb)) return refuse('superseded', 'This agent is being stopped.');
  queueMessages(draft, mail, at);
  return draft.done();
}

/** Takes what was not taken yet into the inbox of a run that was active before: it waits for the next step. */
export function queueMessages(draft: Draft, queued: readonly Mail[] | undefined, at: number): void {
  const { run } = draft.state;
  // A run that is stopped for ever has no next step.
  const continues = run?.phase === 'active' && (run.stop === undefined || isResumable(run.stop.verb));
  for (const { message } of continues && queued ? fresh(run, queued) : []) announceQueued(draft, message);
  takeMail(draft, queued, at);
}

/** Takes what was not taken yet into the inbox of the run that begins. */
export function takeMail(draft: Draft, mail: readonly Mail[] | undefined, at: number): void {
  const { run, session } = draft.state;
  const taken = run && mail ? fresh(run, mail) : [];
  const last = taken.at(-1);
  if (run === undefined || last === undefined) return;
  for (const { message } of taken) {
    receive(draft, session.parent?.sessionId ?? '', message.files);
    acceptMessage(draft, message, at);
  }
  draft.setRun({ ...run, mailTaken: last.number });
}

const fresh = ({ mailTaken = 0 }: Run, mail: readonly Mail[]): Mail[] =>
  mail.filter(({ number }) => number > mailTaken);
