/**
 * How children stand by the root's record, for their parent: what its own rows do not hold.
 *
 * Keeps CO20.
 */
import type { PendingCall } from '../agent/calls/answer';
import type { Look, LookedCall } from '../agent/children/child-standing';
import type { TreeIndex } from './tree-index';

/** At most so many calls are told of one child; all are counted. */
const MAX_CALLS_TOLD = 20;

/** A call that waits, and the id of the agent that it belongs to. */
interface Owned {
  readonly node: number;
  readonly item: PendingCall;
}

/** Those of these sessions that are children of that agent, each once. */
export function looksAt(
  index: TreeIndex,
  parentId: number,
  sessionIds: readonly string[],
  waiting: readonly Owned[],
): Look[] {
  const wanted = new Set(sessionIds);
  const calls = callsBelow(index, parentId, waiting);
  return [...wanted].flatMap((sessionId): Look[] => {
    const node = index.childBySession(sessionId);
    if (node?.parentId !== parentId) return [];
    const { status, statusText, usage, lastAt } = node;
    const pending = calls.get(node.id) ?? [];
    const facts = { sessionId, status, statusText, usage, ...(lastAt === undefined ? {} : { lastAt }) };
    return [{ ...facts, pending: pending.slice(0, MAX_CALLS_TOLD), pendingCount: pending.length }];
  });
}

/** The calls that wait at or below each child of an agent, by the child's id: one pass over what waits in the tree. */
function callsBelow(index: TreeIndex, parentId: number, waiting: readonly Owned[]): ReadonlyMap<number, LookedCall[]> {
  const found = new Map<number, LookedCall[]>();
  const inOrder = waiting.toSorted((one, other) => one.item.requestedAt - other.item.requestedAt);
  for (const { node, item } of inOrder) {
    const owner = index.get(node);
    const child = owner && childAbove(index, parentId, node);
    if (owner === undefined || child === undefined) continue;
    const { toolCallId, toolName, kind, requestedAt, expiresAt } = item;
    const time = expiresAt === undefined ? {} : { expiresAt };
    const call = { toolCallId, toolName, kind, requestedAt, ...time, address: owner.address };
    found.set(child, [...(found.get(child) ?? []), call]);
  }
  return found;
}

/** Which child of an agent has that one at or below it. */
function childAbove(index: TreeIndex, parentId: number, id: number): number | undefined {
  for (let node = index.get(id); node?.kind === 'child'; node = index.get(node.parentId))
    if (node.parentId === parentId) return node.id;
  return undefined;
}
