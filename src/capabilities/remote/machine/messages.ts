/**
 * The messages of a parent to its remote child: kept here until the other side has taken them, each once.
 *
 * Keeps RM11, CO4, A110.
 */

import { wordsOf } from '../../../core/agent/enclosures';
import type { Mail, MailFacts, NewMessage } from '../../../core/agent/inbound';
import type { Json, JsonObject } from '../../../protocol/json';
import { isEnded } from '../../../protocol/status';
import type { PlacedRun, RemoteMessage } from './state';

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

/** The body of its start: its arguments, or its first message. */
export function bodyOfStart(run: PlacedRun, input: Json): JsonObject {
  if (input !== null || run.messages.taken === undefined) return { input };
  const first = messageOfStart(run, input);
  if (first === undefined) return { message: RESUME_MESSAGE };
  return { message: first.text, ...(first.to === undefined ? {} : { to: first.to }) };
}
