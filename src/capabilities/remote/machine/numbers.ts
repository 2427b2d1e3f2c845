/**
 * Numbers of a remote agent: the ranges that are accepted, and the times of a task.
 *
 * Decides: the range of every number of a chunk or a document that a remote agent sends.
 * Keeps RM29, RM30.
 */

import { RemoteError } from '../../../core/definition/remote-transport';
import type { Chunk } from '../../../protocol/chunks';
import { DATA_LIMITS } from '../../../protocol/data-limits';
import { MAX_AMOUNT } from '../../../protocol/usage';
import { isFree, namesOf } from './ids';

/** The numbers that a field may hold. */
interface Range {
  readonly most: number;
  /** Missing for one that may have a fraction. */
  readonly whole?: true;
  /** Of a time in ms since 1970: one that has come, or one that is due. */
  readonly time?: 'past' | 'due';
}

/** The last time that a date may be, in ms since 1970. */
const LAST_TIME = 8.64e15;

const COUNT: Range = { most: 1_000_000_000, whole: true };
const SEQUENCE: Range = { most: Number.MAX_SAFE_INTEGER, whole: true };
const AMOUNT: Range = { most: MAX_AMOUNT, whole: true };
const MONEY: Range = { most: MAX_AMOUNT };
const PAST: Range = { most: LAST_TIME, time: 'past' };
const DUE: Range = { most: LAST_TIME, time: 'due' };
/** In ms. */
const WAIT: Range = { most: LAST_TIME };
/** Of a field that a newer version may have added. */
const OTHER: Range = { most: Number.MAX_SAFE_INTEGER };

const each = (range: Range, ...fields: readonly string[]): { readonly [field: string]: Range } =>
  Object.fromEntries(fields.map((field) => [field, range]));

/** The range of every field, from 0 on. A test holds this table to the schemas of chunks and documents. */
export const RANGES: { readonly [field: string]: Range } = {
  ...each(
    COUNT,
    'step',
    'steps',
    'attempt',
    'attempts',
    'turn',
    'chainTurn',
    'epoch',
    'part',
    'bodies',
    'recoveries',
    'resumes',
  ),
  ...each(COUNT, 'generation', 'childId', 'task', 'running', 'queued', 'waiting', 'total', 'pendingCount'),
  ...each(COUNT, 'nextModel'),
  ...each(SEQUENCE, 'lastSequence', 'startSequence', 'chainStartSequence', 'asOfSequence'),
  ...each(AMOUNT, 'inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens'),
  ...each(AMOUNT, 'modelCalls', 'toolCalls', 'unpricedCalls', 'tokensBefore', 'tokensAfter'),
  ...each(AMOUNT, 'summaryBytes', 'cutBytes', 'bytes'),
  ...each(MONEY, 'costUsd'),
  ...each(PAST, 'timestamp', 'at', 'startedAt', 'endedAt', 'createdAt', 'requestedAt', 'lastActivity', 'since'),
  ...each(DUE, 'expiresAt', 'retryAt', 'nextAt', 'dueAt'),
  ...each(WAIT, 'retryAfterMs'),
};

/** The fields whose own names are an author's or a limit's: every number in them has one range. */
const RECORDS: { readonly [field: string]: Range } = { limits: OTHER, used: OTHER };

/**
 * Looks at every number of a chunk or a document, and at how long its ids are, but for JSON of an author.
 * @throws RemoteError `remote_invalid` that names the field
 */
export function checkTaken(value: unknown, field = '', record?: Range): void {
  if (typeof value === 'number') return checkNumber(value, field, record);
  if (typeof value === 'string') return checkLength(value, field);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) checkTaken(one, field, record);
    return;
  }
  const inner = Object.hasOwn(RECORDS, field) ? RECORDS[field] : record;
  for (const [name, one] of Object.entries(value)) if (!isFree(name)) checkTaken(one, name, inner);
}

/** Refuses ids that are longer than those that `pending` can show. */
function checkLength({ length }: string, field: string): void {
  if (length > DATA_LIMITS.maxCallId && namesOf(field) === 'id')
    throw new RemoteError('remote_invalid', `It sent ${length} characters for ${field}.`);
}

function checkNumber(value: number, field: string, record: Range | undefined): void {
  const { most, whole } = record ?? (Object.hasOwn(RANGES, field) ? RANGES[field] : undefined) ?? OTHER;
  if (value >= 0 && value <= most && (!whole || Number.isInteger(value))) return;
  const what = whole ? 'a whole number' : 'a number';
  throw new RemoteError(
    'remote_invalid',
    `It sent ${value} for ${field || 'a number'}: ${what} from 0 to ${most} is accepted.`,
  );
}

/** When the task began here, and now, in ms since 1970. */
interface Span {
  readonly from: number;
  readonly now: number;
}

/** A chunk whose times are of this task: written between its beginning here and now, due after its beginning. */
export function withTimes(chunk: Chunk, { from, now }: Span): Chunk {
  const times: { [field: string]: number } = {};
  for (const [field, value] of Object.entries(chunk)) {
    const time = Object.hasOwn(RANGES, field) ? RANGES[field]?.time : undefined;
    if (time === undefined || typeof value !== 'number') continue;
    const after = Math.max(value, from);
    times[field] = time === 'past' ? Math.min(after, now) : after;
  }
  return Object.assign({}, chunk, times);
}
