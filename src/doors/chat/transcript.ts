/**
 * The messages of a chat: those that are over from the transcript, the last answer from the log.
 *
 * CH4. The last answer is the one that its stream makes, with what waits for a person.
 */

import type { Document } from '../../protocol/wire-types';
import type { Thread } from '../thread';
import { MessageFold } from './fold';
import { pastAnswers } from './past';
import { chunksNow } from './stream';
import type { UiChunk, UiMessage } from './ui';

type Status = Document<'status'>;

/** So many messages of the transcript are looked at, at most: those before are left out. */
const MAX_ENTRIES = 5_000;

/** The messages of the chat at an address. */
export async function transcriptOf(thread: Thread): Promise<{ messages: readonly UiMessage[] }> {
  const [look] = await thread.allow([{ verb: 'status' }, { verb: 'messages' }]);
  const status = await thread.status(look);
  if (status === undefined) return { messages: [] };
  const { items: entries } = await thread.transcript(MAX_ENTRIES);
  const runs = await thread.runsFrom(entries.find(({ turn }) => turn !== undefined)?.turn ?? 1);
  const chains = new Map(runs.map(({ turn, chainTurn }) => [turn, chainTurn]));
  const current = await currentAnswer(thread, status);
  const past = pastAnswers(entries, {
    idOf: (turn) => `${status.sessionId}.${chains.get(turn) ?? turn}`,
    agent: { address: thread.address, agentType: status.agentType },
    filesAt: thread.base,
    ...(current ? { current } : {}),
  });
  return { messages: past };
}

/** The last answer, where the log has all of it and may be read. */
async function currentAnswer(thread: Thread, { run }: Status): Promise<UiMessage | undefined> {
  if (run?.chainStartSequence === undefined) return undefined;
  const { address, base } = thread;
  const [allowed] = await thread.allow([{ verb: 'stream', input: { from: run.chainStartSequence } }]);
  const answer = await allowed?.ask();
  if (answer?.ok !== true || answer.bytes === undefined) return undefined;
  return messageOf(await chunksNow(answer.bytes, address, base));
}

function messageOf(chunks: readonly UiChunk[]): UiMessage | undefined {
  const [start] = chunks;
  if (start?.type !== 'start') return undefined;
  const fold = new MessageFold();
  for (const chunk of chunks) fold.push(chunk);
  const { messageId: id, messageMetadata: metadata } = start;
  return { id, role: 'assistant', ...(metadata ? { metadata } : {}), parts: fold.parts };
}
