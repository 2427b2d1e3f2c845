/**
 * The messages of a chat: what people said from the transcript, answers from the log as far back as it is read.
 *
 * CH4. The last answer is the one that its stream makes, with what waits for a person.
 */

import { refuseWith } from '../../protocol/errors';
import type { Document } from '../../protocol/wire/wire-types';
import type { Thread } from '../thread';
import { earlierAnswers } from './earlier';
import { MessageFold } from './fold';
import { pastAnswers } from './past';
import { chunksNow } from './stream';
import type { UiMessage } from './ui';

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
  const before = status.run?.chainStartSequence ?? status.lastSequence + 1;
  const whole = await earlierAnswers(thread, before, { entries, runs });
  if (current) whole.set(current.id, current);
  const past = pastAnswers(entries, {
    idOf: (turn) => `${status.sessionId}.${chains.get(turn) ?? turn}`,
    agent: { address: thread.address, agentType: status.agentType },
    filesAt: thread.base,
    whole,
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
  if (answer?.ok === false) refuseWith(answer.error);
  if (answer?.bytes === undefined) return undefined;
  const fold = new MessageFold();
  for (const chunk of await chunksNow(answer.bytes, address, base)) fold.push(chunk);
  return fold.message;
}
