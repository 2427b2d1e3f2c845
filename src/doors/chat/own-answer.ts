/**
 * The answer of a message, found by the id of that message.
 *
 * CH15, CH18. A message that is sent again gets the answer that its agent gave to it, and no other one.
 */
import { parseAddress } from '../../protocol/address';
import type { SequencedChunk } from '../../protocol/chunks';
import { isSuspended } from '../../protocol/status';
import type { Document } from '../../protocol/wire/wire-types';
import { isAtWork } from '../at-work';
import type { Thread } from '../thread';
import type { From } from './response';

type Status = Document<'status'>;

/** A message that an agent has. */
export interface SentNow {
  readonly messageId: string;
  /** True where it was sent before this request. */
  readonly isAgain: boolean;
  /** True where its agent was at work, or where its parent passes it on. */
  readonly isQueued?: boolean;
}

/** A part of the log that a response is made of. */
export interface Section {
  readonly from: Extract<From, { kind: 'message' }>;
  /** The sequence that it is read from. */
  readonly start: number;
}

/** Pages of the log that are looked through, each of at most 5,000 chunks. */
const MAX_LOG_PAGES = 20;

/** The beginning of the answer that an agent is at, or gave last. */
export const startOf = ({ run }: Status): number => run?.chainStartSequence ?? run?.startSequence ?? 1;

/**
 * The section of the answer to a message; undefined where there is none, or it is too old. `before`: the status before
 * a new one was sent.
 */
export async function answerOf(
  thread: Thread,
  sent: SentNow,
  now: Status,
  before?: Status,
): Promise<Section | undefined> {
  const { messageId, isAgain } = sent;
  const newest = { from: { kind: 'message', messageId, ...awaited(thread, sent, now) } as const, start: startOf(now) };
  const isSearched = isAgain || isPassed(before, now);
  if (!isSearched || (await waits(thread, messageId))) return newest;
  const start = await readAt(thread, messageId);
  return start === undefined ? undefined : { ...newest, start };
}

/** True where the answer of another person may have begun since a message was sent. */
function isPassed(before: Status | undefined, now: Status): boolean {
  const { turn = 0, chainTurn = 0 } = before?.run ?? {};
  const isBusy = before !== undefined && (isAtWork(before) || isSuspended(before.status));
  return (now.run?.chainTurn ?? 0) > (isBusy ? chainTurn : turn + 1);
}

/** The run that reads a message which no step has read yet. */
function awaited(
  { address }: Thread,
  { isAgain, isQueued }: SentNow,
  now: Status,
): { readonly run?: string; readonly after?: string } {
  const runId = now.run?.runId;
  if (now.status === 'queued') return { after: runId ?? '' };
  if (isAtWork(now) || isSuspended(now.status)) return runId === undefined ? {} : { run: runId };
  const isOnItsWay = isQueued && !isAgain && parseAddress(address).below.length > 0;
  return isOnItsWay ? { after: runId ?? '' } : {};
}

/** True while no step has read a message. */
async function waits(thread: Thread, messageId: string): Promise<boolean> {
  const entry = await thread.newest((one) => one.messageId === messageId);
  return entry?.controls !== undefined;
}

/** Where the answer begins in which a message was read; undefined where the log does not say so. */
async function readAt(thread: Thread, messageId: string): Promise<number | undefined> {
  const isMeant = ({ chunk }: SequencedChunk) =>
    chunk.address === thread.address && 'messageId' in chunk && chunk.messageId === messageId;
  const found = await newestChunk(thread, 'message_delivered,message_cancelled', Number.MAX_SAFE_INTEGER, isMeant);
  return found?.chunk.type === 'message_delivered' ? chainAt(thread, found.sequence) : undefined;
}

/** Where the answer begins that a chunk of the log belongs to. */
export async function chainAt(thread: Thread, sequence: number): Promise<number> {
  const { address } = thread;
  const found = await newestChunk(thread, 'run_started', sequence + 1, ({ chunk }) => chunk.address === address);
  if (found?.chunk.type !== 'run_started') return sequence;
  // The cursor of a run is its turn.
  const { items } = await thread.body<{ readonly items: readonly Document<'run'>[] }>('runs', {
    ...{ cursor: String(found.chunk.chainTurn - 1), limit: 1 },
  });
  return items[0]?.chainStartSequence ?? found.sequence;
}

/** The newest chunk before a sequence that is meant; undefined where the pages that are looked through have none. */
export async function newestChunk(
  thread: Thread,
  types: string,
  before: number,
  isMeant: (one: SequencedChunk) => boolean,
): Promise<SequencedChunk | undefined> {
  let upTo: number | undefined = before;
  for (let page = 0; page < MAX_LOG_PAGES && upTo !== undefined; page += 1) {
    const found: Document<'chunks'> = await thread.body('chunks', { types, limit: 500, before: upTo });
    const meant = found.items.findLast(isMeant);
    if (meant) return meant;
    upTo = found.previous;
  }
  return undefined;
}
