/**
 * Answers before the last one, made again from the log and the transcript.
 *
 * CH13. They are as their streams made them. The pieces of texts are not read again: an agent's own texts are in its
 *       transcript, and those of sub-agents are left out.
 */
import { CHUNKS, type Chunk, type ChunkType, type SequencedChunk } from '../../protocol/chunks';
import { isObject } from '../../protocol/json';
import type { Document } from '../../protocol/wire/wire-types';
import type { Thread } from '../thread';
import { Answer } from './answer';
import { MessageFold } from './fold';
import type { UiMessage } from './ui';

type Entry = Document<'message'>;
type Run = Document<'run'>;

/** Pages of the log that are read for them: each has at most 500 chunks, and fewer where these are long or far apart. */
const MAX_PAGES = 10;

const PIECES: readonly ChunkType[] = ['text_delta', 'thinking', 'tool_arg_stream_start', 'tool_arg_stream_delta'];
const READ = Object.keys(CHUNKS)
  .filter((type) => !PIECES.some((piece) => piece === type))
  .join();

/** The answers that the newest part of the log before a sequence has whole, by their ids. */
export async function earlierAnswers(
  thread: Thread,
  before: number,
  { entries, runs }: { readonly entries: readonly Entry[]; readonly runs: readonly Run[] },
): Promise<Map<string, UiMessage>> {
  const starts = chainStarts(runs).filter((start) => start < before);
  const texts = textsIn(entries);
  const made = new Map<string, UiMessage>();
  let upTo = before;
  let read: SequencedChunk[] = [];
  for (let page = 0; page < MAX_PAGES && starts.length > 0; page += 1) {
    const found: Document<'chunks'> = await thread.body('chunks', { types: READ, limit: 500, before: upTo });
    read = [...found.items, ...read];
    upTo = found.previous ?? 0;
    for (let start = starts.at(-1); start !== undefined && start >= upTo; start = starts.at(-1)) {
      starts.pop();
      const from = start;
      const own = read.filter(({ sequence }) => sequence >= from);
      read = read.filter(({ sequence }) => sequence < from);
      const message = messageOf(thread, own, texts);
      if (message) made.set(message.id, message);
    }
  }
  return made;
}

/** Where the chains of runs begin in the log, oldest first. */
const chainStarts = (runs: readonly Run[]): number[] =>
  [...new Set(runs.flatMap(({ chainStartSequence: start }) => (start === undefined ? [] : [start])))].toSorted(
    (one, other) => one - other,
  );

type Pieces = readonly { readonly type: 'text_delta' | 'thinking'; readonly part: number; readonly delta: string }[];

const placeOf = (turn: number, step: number): string => `${turn}.${step}`;

/** The texts and thoughts of the replies in a transcript. */
function textsIn(entries: readonly Entry[]): ReadonlyMap<string, Pieces> {
  const texts = new Map<string, Pieces>();
  for (const { role, turn, step, content } of entries) {
    if (role !== 'assistant' || turn === undefined || step === undefined) continue;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!Array.isArray(parts)) continue;
    const pieces = parts.flatMap((part, index): Pieces => {
      if (!isObject(part) || typeof part.text !== 'string' || part.text === '') return [];
      if (part.type === 'text') return [{ type: 'text_delta', part: index, delta: part.text }];
      return part.type === 'reasoning' ? [{ type: 'thinking', part: index, delta: part.text }] : [];
    });
    texts.set(placeOf(turn, step), pieces);
  }
  return texts;
}

/** The answer that the chunks of one chain make. */
function messageOf(
  { address, base }: Thread,
  chunks: readonly SequencedChunk[],
  texts: ReadonlyMap<string, Pieces>,
): UiMessage | undefined {
  const answer = new Answer(address, base, true);
  const fold = new MessageFold();
  let turn = 0;
  const push = (chunk: Chunk): void => {
    for (const one of answer.push(chunk)) fold.push(one);
  };
  for (const { chunk } of chunks) {
    push(chunk);
    if (chunk.address !== address) continue;
    if (chunk.type === 'run_started') turn = chunk.turn;
    if (chunk.type !== 'step_started') continue;
    const { agentId, agentType, runId, step, attempt, timestamp } = chunk;
    for (const piece of texts.get(placeOf(turn, step)) ?? [])
      push({ agentId, agentType, address, runId, step, attempt, timestamp, ...piece });
  }
  for (const one of answer.end()) fold.push(one);
  return fold.message;
}
