/** What stays counted of agents that leave the record: that they were created, and what they spent. */
import { addUsage, NO_USAGE, usageBy } from '../protocol/usage';
import { ROOT_ID, type TopFacts, type TreeNode } from './node';
import type { TreeIndex } from './tree-index';

/** How many sub-agents the root's run has created so far, those included that have left the record. */
export function createdIn(tree: TreeIndex): number {
  const { turn = 0, top } = tree.get(ROOT_ID) ?? {};
  let count = leftIn(turn, top);
  for (const node of tree.all()) if (node.id !== ROOT_ID && node.turn === turn) count++;
  return count;
}

/** The record of the root once these agents are taken out of it: what they spent stays counted, their ids stay used. */
export function withoutAgents(tree: TreeIndex, root: TreeNode, gone: readonly TreeNode[]): TreeNode {
  const { turn, top } = root;
  const retired = usageBy(
    gone.map(({ agentType, usage }) => [agentType, usage] as const),
    top?.retired,
  );
  const count = leftIn(turn, top) + gone.filter((node) => node.turn === turn).length;
  const left = count > 0 ? { left: { turn, count } } : {};
  return { ...root, top: { ...top, retired, ...left, lastId: tree.nextId - 1 } };
}

const leftIn = (turn: number, top: TopFacts | undefined): number => (top?.left?.turn === turn ? top.left.count : 0);

/** The records of the agents that stay above those that go: what was spent below them is still theirs to answer for. */
export function aboveThose(tree: TreeIndex, gone: readonly TreeNode[]): TreeNode[] {
  const ids = new Set(gone.map(({ id }) => id));
  const above = new Map<number, TreeNode>();
  for (const left of gone) {
    let at = tree.get(left.parentId);
    while (at && ids.has(at.id)) at = tree.get(at.parentId);
    if (at === undefined || at.id === ROOT_ID) continue;
    const node = above.get(at.id) ?? at;
    const spent = [[left.agentType, left.usage] as const, ...Object.entries(left.retired ?? {})];
    const below = left.below ? { below: addUsage(node.below ?? NO_USAGE, left.below) } : {};
    above.set(at.id, { ...node, retired: usageBy(spent, node.retired), ...below });
  }
  return [...above.values()];
}
