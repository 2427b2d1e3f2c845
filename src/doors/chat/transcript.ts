/**
 * The messages of a chat: those that are over from the transcript, the last answer from the log.
 *
 * CH4. The last answer is the one that its stream makes, with what waits for a person.
 */

import { failure, refuseWith } from '../../protocol/errors';
import type { Document, Page, Transcript } from '../../protocol/wire-types';
import { MessageFold } from './fold';
import { pastAnswers } from './past';
import { askNow, type ChatPlace } from './place';
import { chunksNow } from './stream';
import type { UiChunk, UiMessage } from './ui';

type Status = Document<'status'>;

/** So many messages of the transcript are looked at, at most: those before are left out. */
const MAX_ENTRIES = 5_000;

/** The pages of a list. @param from where the first one begins */
async function pagesOf<Item>(
  place: ChatPlace,
  verb: 'messages' | 'runs',
  from: { readonly last: number } | { readonly cursor: string },
): Promise<Item[]> {
  let items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const input = { limit: 500, ...(cursor === undefined ? from : { cursor }) };
    const page = await askNow<Page<Item> | Transcript>(place, { address: place.address, verb, input });
    items = [...items, ...(page.items as readonly Item[])].slice(-MAX_ENTRIES);
    cursor = page.cursor;
    if (cursor === undefined) return items;
  }
}

/** The messages of the chat at an address. */
export async function transcriptOf(place: ChatPlace): Promise<{ messages: readonly UiMessage[] }> {
  const { request, address } = place;
  const [look] = await request.agents.allow([
    { address, verb: 'status' },
    { address, verb: 'messages' },
  ]);
  const answer = await look?.ask();
  if (answer?.ok === false && answer.error.code === 'not_found') return { messages: [] };
  if (answer?.ok !== true) refuseWith(answer?.error ?? failure('internal'));
  const status = answer.body as unknown as Status;
  const entries = await pagesOf<Document<'message'>>(place, 'messages', { last: MAX_ENTRIES });
  // The cursor of a run is its turn.
  const firstTurn = entries.find(({ turn }) => turn !== undefined)?.turn ?? 1;
  const runs = await pagesOf<Document<'run'>>(place, 'runs', { cursor: String(Math.max(0, firstTurn - 1)) });
  const chains = new Map(runs.map(({ turn, chainTurn }) => [turn, chainTurn]));
  const current = await currentAnswer(place, status);
  const past = pastAnswers(entries, {
    idOf: (turn) => `${status.sessionId}.${chains.get(turn) ?? turn}`,
    agent: { address, agentType: status.agentType },
    filesAt: request.base,
    ...(current ? { current } : {}),
  });
  return { messages: past };
}

/** The last answer, where the log has all of it. */
async function currentAnswer(place: ChatPlace, { run }: Status): Promise<UiMessage | undefined> {
  if (run?.chainStartSequence === undefined) return undefined;
  const { request, address } = place;
  const [allowed] = await request.agents.allow([{ address, verb: 'stream', input: { from: run.chainStartSequence } }]);
  const answer = await allowed?.ask();
  if (answer?.ok !== true || answer.bytes === undefined) return undefined;
  return messageOf(await chunksNow(answer.bytes, address, request.base));
}

function messageOf(chunks: readonly UiChunk[]): UiMessage | undefined {
  const [start] = chunks;
  if (start?.type !== 'start') return undefined;
  const fold = new MessageFold();
  for (const chunk of chunks) fold.push(chunk);
  const { messageId: id, messageMetadata: metadata } = start;
  return { id, role: 'assistant', ...(metadata ? { metadata } : {}), parts: fold.parts };
}
