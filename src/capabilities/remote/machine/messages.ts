/**
 * The messages of a parent to its remote child: kept here until the other side has taken them, each once.
 *
 * Keeps RM11, CO4, A110.
 */

import { wordsOf } from '../../../core/agent/calls/enclosures';
import type { Mail, MailFacts, NewMessage } from '../../../core/agent/inbound';
import type { Json, JsonObject } from '../../../protocol/json';
import { isEnded } from '../../../protocol/status';
import type { MessageSent, PlacedRun, RemoteMessage, RemoteRun } from './state';

/** The same child with these messages of its parent; one that was taken already is not taken again (CO4). */
export function withMail(run: PlacedRun, mail: readonly Mail[] = []): PlacedRun {
  const { taken = 0, waiting } = run.messages;
  const fresh = mail.filter(({ number }) => number > taken);
  const last = fresh.at(-1);
  if (last === undefined) return run;
  const came = fresh.map(({ number, message }) => messageOf(message, `${run.sessionId}.mail.${number}`));
  return { ...run, messages: { waiting: [...waiting, ...came], taken: last.number } };
}

/** The same child with a message that comes with its run, once. */
export function withMessage(run: PlacedRun, message: NewMessage | undefined): PlacedRun {
  const { waiting } = run.messages;
  if (message === undefined || waiting.some(({ key }) => key === message.messageId)) return run;
  return { ...run, messages: { ...run.messages, waiting: [...waiting, messageOf(message, message.messageId)] } };
}

function messageOf({ content, role, to }: NewMessage, key: string): RemoteMessage {
  return { key, text: wordsOf(content), role, ...(to === undefined ? {} : { to }) };
}

/** The same child, where the other side has taken that message. */
export function withoutMessage(run: PlacedRun, { key }: RemoteMessage): PlacedRun {
  const waiting = run.messages.waiting.filter((one) => one.key !== key);
  return { ...run, messages: { ...run.messages, waiting } };
}

/** The same child with what is known of the way of that message. */
function withSent(run: PlacedRun, key: string, sent: MessageSent | undefined): PlacedRun {
  const waiting = run.messages.waiting.map(({ sent: before, ...one }): RemoteMessage => {
    const now = one.key === key ? sent : before;
    return now === undefined ? one : { ...one, sent: now };
  });
  return { ...run, messages: { ...run.messages, waiting } };
}

/** The same child whose message is sent to a run from now on. */
export const messageSent = (run: PlacedRun, { key }: RemoteMessage, chainRunId: string): PlacedRun =>
  withSent(run, key, { by: 'send', chainRunId });

/** The same child whose message was not taken by what it was sent with. */
export function messageRefused(run: PlacedRun, { key }: RemoteMessage): PlacedRun {
  const sent = run.messages.waiting.find((one) => one.key === key)?.sent;
  return sent === undefined ? run : withSent(run, key, sent.by === 'send' ? { ...sent, isRefused: true } : undefined);
}

/** The same child where what let it continue was not answered: the message of that may have been taken. */
export function messageResumed(run: PlacedRun): PlacedRun {
  const first = messageOfResume(run);
  return first && first.sent === undefined ? withSent(run, first.key, { by: 'resume', key: run.runId }) : run;
}

/** The message that may have been taken, although nobody here knows so. Each waits for the answer of the one before. */
export function messageInDoubt({ messages }: PlacedRun): (RemoteMessage & { readonly sent: MessageSent }) | undefined {
  const [first] = messages.waiting;
  const sent = first?.sent;
  return first === undefined || sent === undefined || (sent.by === 'send' && sent.isRefused)
    ? undefined
    : { ...first, sent };
}

/** The message that is sent next while the child works there; nothing where it does not, or is being stopped. */
export function nextMessage({ messages, remote, local, stop, status }: PlacedRun): RemoteMessage | undefined {
  const works = remote.is === 'begun' && local.is === 'active' && stop === undefined && !isEnded(status);
  return works ? messages.waiting[0] : undefined;
}

/** How far it has come with its messages, for its parent. */
export function mailFactsOf({ messages: { taken, waiting } }: PlacedRun): MailFacts | undefined {
  return taken === undefined ? undefined : { taken, unseen: waiting.length };
}

/** The message of a start that has no arguments and no message. */
const RESUME_MESSAGE = 'Continue with your last task.';

/** The message that goes with its start; nothing where that has arguments. */
export const messageOfStart = ({ messages: { taken, waiting } }: PlacedRun, input: Json): RemoteMessage | undefined =>
  input === null && taken !== undefined ? waiting[0] : undefined;

/** The message that goes with what lets it continue. One that was sent to its run is sent again under the same key. */
export const messageOfResume = ({ messages: { waiting } }: PlacedRun): RemoteMessage | undefined =>
  waiting[0]?.sent?.by === 'send' ? undefined : waiting[0];

/** The body of what lets it continue. */
export const bodyOfResume = (message: RemoteMessage | undefined): JsonObject =>
  message === undefined ? {} : { message: message.text };

/** The body of its start: its arguments, or its first message. */
export function bodyOfStart(run: PlacedRun, input: Json): JsonObject {
  if (input !== null || run.messages.taken === undefined) return { input };
  const first = messageOfStart(run, input);
  if (first === undefined) return { message: RESUME_MESSAGE };
  return { message: first.text, ...(first.to === undefined ? {} : { to: first.to }) };
}

/** A child whose start or resume was answered: its message went with that. */
export const withoutFirst = (run: RemoteRun, first: RemoteMessage | undefined): RemoteRun =>
  first && run.is === 'placed' ? withoutMessage(run, first) : run;
