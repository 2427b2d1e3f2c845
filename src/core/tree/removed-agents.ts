/**
 * What stays counted of agents that leave the record: that they were created, and what they spent.
 *
 * Decides: what stays counted of agents that were deleted.
 * Keeps BU10, US6.
 */
import { usageBy } from '../../protocol/usage';
import { type ChildNode, ROOT_ID, type RootNode } from './node';
import type { TreeIndex } from './tree-index';

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
 * Those whose objects stand alone, and that nobody above them may be there to remove (OP6). The root looks after its own
 * children by its records of them.
 */
export function leftBehind(gone: readonly ChildNode[]): ChildNode[] {
  return gone.filter(({ placement, parentId }) => placement === 'object' && parentId !== ROOT_ID);
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
