/** What of a tree waits for a person, as its root keeps it. */
import type { PendingCall } from './answer';

/** A call that waits for a person, or did; its input is kept as long as it waits. */
export interface PendingRow {
  readonly toolCallId: string;
  /** The owner's id in the record. */
  readonly node: number;
  readonly open: boolean;
  readonly item: PendingCall;
}

/**
 * What changes at the root when an agent tells what of it waits for a person now.
 * @param open what the root holds as open of that agent
 * @returns the rows to write; none where nothing has changed
 */
export function pendingChanges(
  node: number,
  open: readonly PendingRow[],
  now: readonly PendingCall[],
): readonly PendingRow[] {
  const waiting = new Map(now.map((item) => [item.toolCallId, item]));
  const closed = open
    .filter(({ toolCallId }) => !waiting.has(toolCallId))
    .map((row) => ({ ...row, open: false, item: { ...row.item, input: null } }));
  const known = new Set(open.map(({ toolCallId }) => toolCallId));
  const opened = now
    .filter(({ toolCallId }) => !known.has(toolCallId))
    .map((item) => ({ toolCallId: item.toolCallId, node, open: true, item }));
  return [...closed, ...opened];
}

/** When the next of these answers is due, in ms since 1970; undefined where none has a time. */
export function nextExpiry(rows: Iterable<PendingRow>): number | undefined {
  let next: number | undefined;
  for (const { item } of rows) {
    if (item.expiresAt !== undefined && (next === undefined || item.expiresAt < next)) next = item.expiresAt;
  }
  return next;
}
