/**
 * What stays counted of agents that leave the record: that they were created, and what they spent; and what is owed of the
 * removal of their objects.
 *
 * Decides: what stays counted of agents that were deleted; when the removal of an object is tried again, and
 * for how long the deletion of a tree waits for agents that do not answer.
 * Keeps BU10, US6, RM20, RM23, OP13.
 */
import { usageBy } from '../../protocol/usage';
import { type ChildNode, type RemovedNode, type Removing, ROOT_ID, type RootNode, type TopFacts } from './node';
import type { TreeIndex } from './tree-index';
import { isTriedEnough, owedNow, type Tries, triedAgain } from './tries';

type Removals = Pick<TopFacts, 'pendingRemovals' | 'removedSessions' | 'removalTries'>;

/** How many sub-agents the root's run has created so far, those included that have left the record. */
export function createdIn(tree: TreeIndex): number {
  const root = tree.root();
  if (root === undefined) return 0;
  let count = removedIn(root);
  for (const { createdInTurn } of tree.allChildren()) if (createdInTurn === root.turn) count++;
  return count;
}

const removedIn = ({ turn, top: { removed } }: RootNode): number => (removed.turn === turn ? removed.count : 0);

/** The record of the root once these agents are taken out of it: what they spent stays counted, their ids stay used. */
export function withoutAgents(tree: TreeIndex, root: RootNode, gone: readonly ChildNode[]): RootNode {
  const { turn, top } = root;
  const retired = usageBy(
    gone.map(({ agentType, usage }) => [agentType, usage] as const),
    top.retired,
  );
  const count = removedIn(root) + gone.filter(({ createdInTurn }) => createdInTurn === turn).length;
  return { ...root, top: { ...top, retired, removed: { turn, count }, lastId: tree.nextId - 1 } };
}

/**
 * The rows of those among removed agents that have objects of their own, and maybe no parent that would erase these
 * (OP6). The root erases the objects of its own children by its records of them.
 */
export function toErase(gone: readonly ChildNode[]): RemovedNode[] {
  return gone.flatMap(({ id, sessionId, address, placement, parentId }) =>
    placement === 'object' && parentId !== ROOT_ID ? [{ kind: 'removed', id, sessionId, address, placement }] : [],
  );
}

/** The records of the children that stay above those that go: what was spent below them is still theirs to answer for. */
export function aboveThose(tree: TreeIndex, gone: readonly ChildNode[]): ChildNode[] {
  const ids = new Set(gone.map(({ id }) => id));
  const above = new Map<number, ChildNode>();
  for (const left of gone) {
    let at = tree.parentOf(left);
    while (at && ids.has(at.id)) at = tree.parentOf(at);
    if (at?.kind !== 'child') continue;
    const node = above.get(at.id) ?? at;
    const spent = [[left.agentType, left.usage] as const, ...Object.entries(left.retired ?? {})];
    above.set(at.id, { ...node, retired: usageBy(spent, node.retired) });
  }
  return [...above.values()];
}

/** When the removal of an object at such an address is tried next, in ms since 1970; undefined where it was not tried in vain. */
export const removalAt = ({ removalTries }: Removals, address: string): number | undefined =>
  removalTries?.[address]?.nextAt;

/** Whether it has been tried for long enough: then the object goes, whatever it does not say (RM20). */
export function isLastRemoval({ removalTries }: Removals, address: string, now: number): boolean {
  const tries = removalTries?.[address];
  return tries !== undefined && isTriedEnough(tries, now);
}

/** When a deletion of a tree is gone on with, in ms since 1970; undefined where that may be at once. */
export const deletionAt = ({ tries }: Removing, now: number): number | undefined =>
  tries && tries.nextAt > now ? tries.nextAt : undefined;

/** What has failed is tried again, however long that has been so (OP13). */
export const failedAgain = (tries: Tries | undefined, now: number): Tries => triedAgain(tries ?? owedNow(now), now);

/** A deletion in which agents did not say what they owe; undefined once it was tried for long enough: then they go (RM23). */
export function deletionInVain(removing: Removing, now: number): Removing | undefined {
  const { tries = owedNow(now) } = removing;
  return isTriedEnough(tries, now) ? undefined : { ...removing, tries: triedAgain(tries, now) };
}

/** Whether the deletion of a tree was tried for long enough: then its agents go, whatever they do not say (RM23). */
export const isLastDeletion = ({ removing }: Pick<TopFacts, 'removing'>, now: number): boolean =>
  removing?.tries !== undefined && isTriedEnough(removing.tries, now);

/** What is owed of removals once those at these addresses came to nothing. Two that were under way at once are one try. */
export function removedInVain(owed: Removals, addresses: readonly string[], now: number): Removals {
  const removalTries = { ...owed.removalTries };
  for (const address of addresses) {
    const tries = removalTries[address] ?? owedNow(now);
    if (owed.pendingRemovals.includes(address) && tries.nextAt <= now) removalTries[address] = triedAgain(tries, now);
  }
  return { ...owed, removalTries };
}

/** What is owed of these removals alone, with the session that was at an address, and how it was tried. */
export function removalsOwed(owed: Removals, pendingRemovals: readonly string[]): Removals {
  return {
    pendingRemovals,
    removedSessions: only(owed.removedSessions, pendingRemovals),
    removalTries: only(owed.removalTries, pendingRemovals),
  };
}

function only<Kept>(all: Readonly<Record<string, Kept>> = {}, addresses: readonly string[]): Record<string, Kept> {
  return Object.fromEntries(Object.entries(all).filter(([address]) => addresses.includes(address)));
}
