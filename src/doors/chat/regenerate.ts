/**
 * The last answer of a chat, made again.
 *
 * CH11. A failed answer is tried again by another run, a stopped one continues in its place, and one that is not over is
 *       sent once more. A completed one does not change.
 */
import { refuse, refuseWith } from '../../protocol/errors';
import { isSuspended } from '../../protocol/status';
import type { Document } from '../../protocol/wire/wire-types';
import { isAtWork } from '../at-work';
import type { Thread } from '../thread';
import { idInChat, isPersons } from './past';
import type { Again } from './request';
import type { From } from './response';

type Status = Document<'status'>;

/** True where a message is the last one that a person sent. */
async function isLastAsked(thread: Thread, messageId: string): Promise<boolean> {
  const last = await thread.newest(isPersons);
  return last === undefined || messageId === (idInChat(last.metadata) ?? last.messageId);
}

/** @throws OffshootError `invalid_request` for an answer that is not the last one */
async function checkLast(thread: Thread, { answerId, messageId }: Again, { sessionId, run }: Status): Promise<void> {
  const id = `${sessionId}.${run?.chainTurn}`;
  const isLast =
    messageId === undefined ? answerId === undefined || answerId === id : await isLastAsked(thread, messageId);
  if (!isLast)
    refuse('invalid_request', 'Only the last answer of an agent can be regenerated. Load the messages again.');
}

/**
 * Makes the last answer again; the part of the log that its stream begins with.
 * @throws OffshootError for an answer that stays as it is, and as `retry` and `resume` refuse
 */
export async function madeAgain(thread: Thread, again: Again, status: Status | undefined): Promise<From> {
  if (status?.run === undefined) return refuse('not_found', 'This conversation has not begun: send a message.');
  await checkLast(thread, again, status);
  if (isAtWork(status) || isSuspended(status.status)) return { kind: 'start' };
  if (status.status === 'completed' || status.status === 'idle')
    refuse(
      'invalid_request',
      'A completed answer cannot be changed. Fork the agent at a checkpoint before it (POST A/fork), and open a chat at the copy.',
    );
  const { runId } = status.run;
  // A run is continued once, however often that is asked for.
  const answer = await thread.ask(status.status === 'failed' ? 'retry' : 'resume', {}, `regenerate.${runId}`);
  // Somebody else was faster.
  if (!answer.ok && answer.error.code !== 'already_running') refuseWith(answer.error);
  return { kind: 'start', after: runId };
}
