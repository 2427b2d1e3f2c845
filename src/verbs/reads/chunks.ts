/**
 * The raw log in pages, both ways. A stream is for what comes; this is for what was: it opens at any sequence, and goes
 * back from there.
 *
 * Keeps W30.
 */
import * as z from 'zod';
import { shownChunk } from '../../engine/log-reader';
import type { TreeLog } from '../../engine/root/log';
import type { SequencedChunk } from '../../protocol/chunks';
import { PAGE_LIMITS } from '../../protocol/data-limits';
import { refuse } from '../../protocol/errors';
import { chunksPage } from '../../protocol/wire/readings';
import { wholeNumber } from '../../protocol/wire/schemas';
import * as shape from '../../protocol/wire/shapes';
import { fromTree } from '../verb';

/** A page looks at so many chunks of the tree at most: those of other agents and types are passed over. */
const MAX_LOOKED_AT = 5_000;

/** It ends before it has more characters of JSON; the first chunk always fits. */
const MAX_CHARACTERS = 4_000_000;

/** Back from a sequence it looks at so many chunks at once. */
const WINDOW = 500;

type Input = z.output<typeof input>;
type Page = z.output<typeof chunksPage>;

const input = z.strictObject({
  from: shape.sequence.optional().describe('The first sequence of the page; the oldest of the log by default.'),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The page ends before it. Without `from` it has the last chunks before that.'),
  limit: wholeNumber(1, PAGE_LIMITS.maxSize).optional().describe(`Chunks; ${PAGE_LIMITS.size} by default.`),
  types: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .optional()
    .describe('Types of chunks, separated by commas; all by default.'),
});

/** What is looked for in a log. */
interface Wanted {
  readonly log: TreeLog;
  readonly address: string;
  readonly limit: number;
  isWanted(chunk: SequencedChunk): boolean;
}

/** The log of an agent and all below it, in pages. */
export const chunks = fromTree({
  name: 'chunks',
  method: 'GET',
  path: 'chunks',
  action: 'read',
  summary:
    'A page of the chunks of the agent and all below it, in log order. It begins at a sequence number, or ends before one.',
  status: 200,
  errors: [],
  input,
  output: chunksPage,
  handle({ tree: { log }, node: { address }, input: given }) {
    const { limit = PAGE_LIMITS.size, types } = given;
    const { from, before } = given;
    if (from !== undefined && before !== undefined && before < from)
      refuse('invalid_request', '`before` is smaller than `from`: send only `before` to read backwards from it.');
    const kinds = types && new Set(types);
    const isWanted = ({ chunk }: SequencedChunk): boolean => kinds?.has(chunk.type) ?? true;
    const wanted = { log, address, limit, isWanted };
    const body = from === undefined && before !== undefined ? backward(wanted, before) : forward(wanted, given);
    return { body: { ...body, items: body.items.map(shownChunk), first: log.first, last: log.last } };
  },
});

type Found = Pick<Page, 'items' | 'next' | 'previous'>;

/** From a sequence on. */
function forward({ log, address, limit, isWanted }: Wanted, { from = 1, before }: Input): Found {
  const start = Math.max(from, log.first);
  const end = Math.min(before ?? Number.MAX_SAFE_INTEGER, log.last + 1);
  const items: SequencedChunk[] = [];
  const previous = start > log.first ? { previous: Math.min(start, log.last + 1) } : {};
  let size = 0;
  for (let at = start; at < end; ) {
    const { chunks: read, next } = log.page(at, address);
    for (const one of read) {
      if (one.sequence >= end) break;
      if (!isWanted(one)) continue;
      size += JSON.stringify(one.chunk).length;
      if (items.length === limit || (items.length > 0 && size > MAX_CHARACTERS))
        return { items, next: one.sequence, ...previous };
      items.push(one);
    }
    at = next;
    if (at < end && at - start >= MAX_LOOKED_AT) return { items, next: at, ...previous };
  }
  return { items, ...previous, ...(end <= log.last ? { next: end } : {}) };
}

/** The last ones before a sequence. */
function backward({ log, address, limit, isWanted }: Wanted, before: number): Found {
  const end = Math.min(before, log.last + 1);
  const items: SequencedChunk[] = [];
  const next = end <= log.last ? { next: Math.max(end, log.first) } : {};
  let size = 0;
  for (let upTo = end; upTo > log.first; ) {
    const start = Math.max(log.first, upTo - WINDOW);
    const found = between(log, address, start, upTo).filter(isWanted);
    for (const one of found.toReversed()) {
      size += JSON.stringify(one.chunk).length;
      if (items.length === limit || (items.length > 0 && size > MAX_CHARACTERS))
        return { items: items.toReversed(), previous: one.sequence + 1, ...next };
      items.push(one);
    }
    upTo = start;
    if (upTo > log.first && end - upTo >= MAX_LOOKED_AT) return { items: items.toReversed(), previous: upTo, ...next };
  }
  return { items: items.toReversed(), ...next };
}

function between(log: TreeLog, address: string, from: number, before: number): SequencedChunk[] {
  const found: SequencedChunk[] = [];
  for (let at = from; at < before; ) {
    const page = log.page(at, address);
    found.push(...page.chunks.filter(({ sequence }) => sequence < before));
    at = page.next;
  }
  return found;
}
