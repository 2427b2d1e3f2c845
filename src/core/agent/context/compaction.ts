/**
 * The compaction of a transcript: what a request leaves out, and what stands there. Pure.
 *
 * Decides: when a summary is due, what a request leaves out, and how tokens are estimated.
 *
 * CX3. It is cut between steps alone, so every call that stays has its result; the messages that began the newest turn
 *     stay, and so does the newest step where its results are not answered yet.
 * CX9. Where that is too much by itself, its parts are cut, each with a mark.
 */
import { type Failure, OffshootError } from '../../../protocol/errors';
import type { Message } from '../../../protocol/messages';
import type { Usage } from '../../../protocol/usage';
import type { ContextOptions } from '../../definition/context';
import { bytesOf, cutLines, cutMessage, MIN_PART_BYTES, messageBytes } from './size';

/** Messages that arrived, by their ids: after one, up to and with another. */
export interface MessageRange {
  readonly after: number;
  readonly upTo: number;
}

/** Who made a summary. */
export type SummaryBy = 'digest' | 'model' | 'function';

/** A compaction, as it is kept with the step before whose request it was made. It holds until the next one. */
export interface Compaction {
  /** From 1, over the whole session. */
  readonly number: number;
  /** The steps and messages that a request leaves out: those up to here. 0 where it leaves out none. */
  readonly upToStep: number;
  readonly upToMessage: number;
  /** The first step that it newly leaves out; none where it cuts alone. */
  readonly fromStep?: number;
  /** What stands in their place; empty where it leaves out none. */
  readonly summary: string;
  readonly by: SummaryBy;
  /** Messages of these that stay: they began the turn that goes on. */
  readonly pinned?: MessageRange;
  /** What stays of older steps and of messages up to that one has parts of so many bytes at most. */
  readonly cut?: { readonly bytes: number; readonly upToMessage: number };
  /** The estimate of tokens went by this. */
  readonly tokensPerByte: number;
  /** The request before and after, by the estimate. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly startedAt: number;
  readonly at: number;
  /** What making the summary cost. */
  readonly usage?: Usage;
  /** Why the digest stands there in place of what the definition asks for. */
  readonly error?: Failure;
}

/** What a step added to the transcript: what it was the first to see, then its reply with the results. */
export interface Section {
  readonly arrived: readonly Message[];
  readonly said: readonly Message[];
  /** The step; none for what the request to come is the first to see. */
  readonly stepId?: number;
  readonly messagesUpTo: number;
  /** Where it begins a turn: the messages that do. */
  readonly opens?: MessageRange;
}

/** A transcript as far as a request may hold it, before the next one. */
export interface ContextNow {
  /** The compaction that holds. */
  readonly last?: Compaction;
  readonly pinned: readonly Message[];
  /** What is not left out yet; the last one is what no step has seen. */
  readonly sections: readonly Section[];
  /** The request as it would be, by the estimate. */
  readonly tokens: number;
  /** The messages of it, and its system prompt and tools. */
  readonly bytes: number;
  readonly fixedBytes: number;
  /** What a request of other messages is estimated by. */
  readonly tokensPerByte: number;
}

/** A compaction that is due. */
export interface DueCompaction {
  /** What is newly left out, in order. */
  readonly dropped: readonly Section[];
  readonly kept: readonly Section[];
  readonly pinned: { readonly messages: readonly Message[]; readonly range?: MessageRange };
  /** What all messages may have, and of it the text of the summary. Unit: bytes. */
  readonly room: number;
  readonly summaryBytes: number;
}

/** Tokens of a byte where nothing is known: four bytes for one. */
const TOKENS_PER_BYTE = 1 / 4;

/** What a provider's count may come to, in tokens of a byte; one beyond is no measure. */
const PLAUSIBLE = { min: 1 / 10, max: 1 };

/** What a provider has not counted may come to more, and to no less than this. */
const MARGIN = 1.05;
const LEAST = 1 / 5;

/** The most that a summary has. Unit: bytes. */
const MAX_SUMMARY_BYTES = 32_768;

/** With less room for all messages than that, a request is refused. Unit: bytes. */
export const MIN_ROOM = 2_048;

/** A request that a provider counted: its tokens, and its bytes. */
export interface CountedRequest {
  readonly inputTokens: number;
  readonly bytes: number;
}

/**
 * How many tokens a request of so many bytes comes to, which begins as one that a provider counted, or that is estimated
 * by what a compaction went by; and what other messages come to.
 */
export function estimate(
  bytes: number,
  known: CountedRequest | number | undefined,
): Pick<ContextNow, 'tokens' | 'tokensPerByte'> {
  if (typeof known === 'object') {
    const measured = known.inputTokens / known.bytes;
    if (measured >= PLAUSIBLE.min && measured <= PLAUSIBLE.max) {
      const more = (bytes - known.bytes) * Math.max(measured, TOKENS_PER_BYTE) * MARGIN;
      return { tokens: Math.ceil(known.inputTokens + more), tokensPerByte: Math.max(measured * MARGIN, LEAST) };
    }
  }
  const tokensPerByte = typeof known === 'number' ? known : TOKENS_PER_BYTE;
  return { tokens: Math.ceil(bytes * tokensPerByte), tokensPerByte };
}

const HEAD =
  '[Summary of the conversation so far. It replaces the older messages; what it reports about the request below is already done.]\n\n';

/** Unit: bytes. */
const HEAD_BYTES = 192;

/** The message that stands for what is left out. */
export const summaryMessage = (summary: string): Message => ({
  role: 'user',
  content: HEAD + summary,
  from: 'offshoot',
});

const messagesOf = ({ arrived, said }: Section): readonly Message[] => [...arrived, ...said];
const sectionBytes = (section: Section): number => bytesOf(section.arrived) + bytesOf(section.said);

/** What is kept in any case begins here: what is newest, and the step before where no turn begins. */
function firstKept(sections: readonly Section[]): number {
  const newest = sections.length - 1;
  return sections[newest]?.opens ? newest : Math.max(0, newest - 1);
}

/** The messages that began the newest turn, where they are not among what is kept from a place on. */
function pinnedBefore({ sections, pinned, last }: ContextNow, from: number): DueCompaction['pinned'] {
  const opening = sections.findLastIndex(({ opens }) => opens !== undefined);
  const section = sections[opening];
  if (section?.opens) return opening < from ? { messages: section.arrived, range: section.opens } : { messages: [] };
  return { messages: pinned, ...(last?.pinned ? { range: last.pinned } : {}) };
}

/** The compaction that a request needs; undefined where it fits. @throws OffshootError `context_too_large` */
export function dueCompaction(
  now: ContextNow,
  { maxTokens, keepRecentTokens = Math.floor(maxTokens / 2) }: ContextOptions,
): DueCompaction | undefined {
  const { sections, fixedBytes } = now;
  if (now.tokens <= maxTokens) return undefined;
  const room = Math.floor(maxTokens / now.tokensPerByte) - fixedBytes;
  if (room < MIN_ROOM) throw tooLarge(maxTokens);
  const summaryBytes = Math.min(Math.floor(room / 4), MAX_SUMMARY_BYTES) - HEAD_BYTES;
  const keep = Math.min(Math.floor(keepRecentTokens / now.tokensPerByte), room - summaryBytes - HEAD_BYTES);
  let from = sections.length;
  let bytes = 0;
  for (const section of sections.toReversed()) {
    bytes += sectionBytes(section);
    const all = bytes + bytesOf(pinnedBefore(now, from - 1).messages);
    if (from - 1 < firstKept(sections) && all > keep) break;
    from--;
  }
  // What is new was taken for more than it is.
  if (from === 0 && now.bytes <= room) return undefined;
  const parts = { dropped: sections.slice(0, from), kept: sections.slice(from), pinned: pinnedBefore(now, from) };
  return { ...parts, room, summaryBytes };
}

/** Tokens of a request with so many bytes of other messages, by the estimate. */
function tokensOf({ fixedBytes, tokensPerByte: by }: ContextNow, bytes: number): number {
  return Math.ceil((fixedBytes + bytes) * by);
}

const tooLarge = (maxTokens: number): OffshootError =>
  new OffshootError(
    'context_too_large',
    `The request does not fit into \`context.maxTokens\` (${maxTokens}), even after older messages were omitted and long ones cut. Raise it, or shorten the system prompt, the tools or the number of calls in a step.`,
  );

/** What a compaction is made of beside what is due. */
export interface MadeSummary {
  readonly summary: string;
  readonly by: SummaryBy;
  readonly usage?: Usage;
  readonly error?: Failure;
  readonly startedAt: number;
  readonly at: number;
}

/** The record of a compaction, from its summary. @throws OffshootError `context_too_large` */
export function compactionOf(
  now: ContextNow,
  due: DueCompaction,
  made: MadeSummary,
  { maxTokens }: ContextOptions,
): Compaction {
  const { dropped, kept, pinned, room } = due;
  const { last } = now;
  const edge = dropped.at(-1);
  const summary = cutLines(made.summary.split('\n'), due.summaryBytes);
  const head = summary === '' ? 0 : messageBytes(summaryMessage(summary));
  const rest = [...pinned.messages, ...kept.flatMap(messagesOf)];
  const whole = bytesOf(rest);
  const cut = whole > room - head ? fitting(rest, room - head) : undefined;
  if (cut === 'too large') throw tooLarge(maxTokens);
  const newest = now.sections.at(-1)?.messagesUpTo ?? 0;
  return {
    number: (last?.number ?? 0) + 1,
    upToStep: edge?.stepId ?? last?.upToStep ?? 0,
    upToMessage: edge?.messagesUpTo ?? last?.upToMessage ?? 0,
    ...(dropped[0]?.stepId === undefined ? {} : { fromStep: dropped[0].stepId }),
    ...made,
    summary,
    ...(pinned.range ? { pinned: pinned.range } : {}),
    ...(cut ? { cut: { bytes: cut.bytes, upToMessage: newest } } : {}),
    tokensPerByte: now.tokensPerByte,
    tokensBefore: now.tokens,
    tokensAfter: tokensOf(now, head + (cut?.all ?? whole)),
  };
}

/** The most that a part may have for all messages to fit. */
function fitting(messages: readonly Message[], room: number): { bytes: number; all: number } | 'too large' {
  for (let bytes = Math.max(MIN_PART_BYTES, room); ; bytes = Math.max(MIN_PART_BYTES, Math.floor(bytes * 0.75))) {
    const all = bytesOf(messages.map((message) => cutMessage(message, bytes)));
    if (all <= room) return { bytes, all };
    if (bytes === MIN_PART_BYTES) return 'too large';
  }
}
