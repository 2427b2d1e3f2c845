/**
 * What is legal now at an agent: its own answers, those of its parent, and what the record says of its place.
 *
 * Keeps A82.
 */
import { keyOf } from '../../core/agent/children/child';
import type { ControlsOver, OwnControls } from '../../core/agent/controls';
import type { ChildNode, TreeNode } from '../../core/tree/node';
import { answerOfParent, GONE } from '../../core/tree/verbs/by-parent';
import { asksFor, controlsOf, interruptedBelow, waitsForPerson } from '../../core/tree/verbs/controls';
import type { ObjectRuntime } from '../../engine/object/object';
import type { RootRuntime } from '../../engine/root/root';
import { type Control, type ShownControls, shownControls } from '../../protocol/shown/controls';
import { forkOfPlace } from '../actions/fork';
import { nameOf } from '../reads/standing';

/** The controls of an agent, at the root. `own` is missing of one that has not begun. */
export async function shownControlsOf(
  { object, tree, node }: { readonly object: ObjectRuntime; readonly tree: RootRuntime; readonly node: TreeNode },
  own: OwnControls | undefined,
): Promise<ShownControls> {
  const asks = asksFor(tree.tree, node, own);
  const over = node.kind === 'child' && asks.parent ? await askParent(object, tree, node) : undefined;
  const below = asks.below ? await askBelow(object, tree, node) : undefined;
  const now = tree.tree.get(node.id) ?? node;
  const waits = tree.pending(now).length > 0;
  return shownControls(controlsOf(tree.tree, now, { own, over, below, waits, fork: forkOfPlace(object, now) }));
}

/** The answers of the parent; undefined where it is gone. */
async function askParent(
  object: ObjectRuntime,
  { tree }: RootRuntime,
  node: ChildNode,
): Promise<ControlsOver | undefined> {
  const parent = tree.parentOf(node);
  if (parent === undefined) return undefined;
  const answer = await object.send(parent.address, { type: 'controls', task: keyOf(node), name: nameOf(node) });
  return answer.answer === 'done' ? answer.controls : undefined;
}

/** Whether something that was interrupted below an agent can continue; the first refusal where nothing can. */
async function askBelow(object: ObjectRuntime, tree: RootRuntime, node: TreeNode): Promise<Control> {
  let first: Control | undefined;
  for (const below of interruptedBelow(tree.tree, node)) {
    const { resume: said } = (await askParent(object, tree, below)) ?? GONE;
    const answer = answerOfParent(tree.tree, below, { ask: 'resume', said });
    if (answer === true) return true;
    first ??= answer;
  }
  return first ?? waitsForPerson(tree.tree, node);
}
