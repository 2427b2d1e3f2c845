/**
 * What of a tree waits for a person, as its root keeps it.
 *
 * Keeps A35, TR6, RM28.
 */

import type { Chunk } from '../../protocol/chunks';
import type { Json } from '../../protocol/json';
import type { PendingCall } from '../agent/calls/answer';

/** A call that waits for a person, as its owner tells its root: the arguments are in the chunk that asks. */
export type WaitingCall = Omit<PendingCall, 'input'>;

/** A call that waits for a person, or did; its input is kept as long as it waits. */
export interface PendingRow {
  readonly toolCallId: string;
  /** The owner's id in the record. */
  readonly node: number;
  readonly open: boolean;
  readonly item: PendingCall;
}

/** The key of a call that waits: its agent with its id. Two agents may have calls of one id. */
export const keyOf = ({ node, toolCallId }: Pick<PendingRow, 'node' | 'toolCallId'>): string => `${node} ${toolCallId}`;

/**
 * What changes at the root when an agent tells what of it waits for a person now.
 * @param open what the root holds as open of that agent
 * @param chunks what came with it: a call is opened by the chunk that asks, which holds its arguments; a repeated
 *     request replaces the arguments
 * @returns the rows to write; none where nothing has changed
 */
export function pendingChanges(
  node: number,
  open: readonly PendingRow[],
  now: readonly WaitingCall[],
  chunks: readonly Chunk[],
): readonly PendingRow[] {
  const waiting = new Map(now.map((item) => [item.toolCallId, item]));
  const closed = open
    .filter(({ toolCallId }) => !waiting.has(toolCallId))
    .map((row) => ({ ...row, open: false, item: { ...row.item, input: null } }));
  const asked = argumentsIn(chunks);
  const opened = now.flatMap((item) => {
    const input = asked.get(item.toolCallId);
    return input === undefined ? [] : [{ toolCallId: item.toolCallId, node, open: true, item: { ...item, input } }];
  });
  return [...closed, ...opened];
}

/** The arguments of the calls that these chunks open, by id. */
function argumentsIn(chunks: readonly Chunk[]): ReadonlyMap<string, Json> {
  const asked = new Map<string, Json>();
  for (const chunk of chunks)
    if (chunk.type === 'tool_approval_request' || chunk.type === 'client_tool_request')
      asked.set(chunk.toolCallId, chunk.arguments);
  return asked;
}

/**
 * When an owner of these answers is to be woken next because the time of one is up, in ms since 1970; undefined where none
 * has a time. What has been up before anybody looked is woken for at once, and again with the next beat where it was.
 */
export function nextExpiry(
  rows: Iterable<PendingRow>,
  woken: ReadonlySet<string>,
  { now, beatMs }: { now: number; beatMs: number },
): number | undefined {
  let next: number | undefined;
  for (const row of rows) {
    const { item } = row;
    if (item.expiresAt === undefined) continue;
    const due = woken.has(keyOf(row)) ? now + beatMs : Math.max(now, item.expiresAt);
    if (next === undefined || due < next) next = due;
  }
  return next;
}
