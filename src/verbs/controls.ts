/**
 * What is legal now at an agent: what it says itself, what its parent says, and what the record says of its place.
 *
 * Keeps A82.
 */
import type { ControlsOver, OwnControls } from '../core/agent/controls';
import { controlsOf, interruptedBelow } from '../core/tree/controls';
import { type ChildNode, hasBegun, isLive, type TreeNode } from '../core/tree/node';
import type { ObjectRuntime } from '../engine/object';
import type { RootRuntime } from '../engine/root';
import { type ShownControls, shownControls } from '../protocol/controls';
import { forkOfPlace } from './fork';
import { nameOf } from './standing';

/** The controls of an agent, at the root. `own` is missing of one that has not begun. */
export async function shownControlsOf(
  { object, tree, node }: { readonly object: ObjectRuntime; readonly tree: RootRuntime; readonly node: TreeNode },
  own: OwnControls | undefined,
): Promise<ShownControls> {
  const over = node.kind === 'child' && asksParent(node) ? await askParent(object, tree, node) : undefined;
  const waitsBelow = own !== undefined && own.resume !== true && own.resume.code === 'awaiting_input';
  const below = waitsBelow && (await goesOnBelow(object, tree, node));
  const now = tree.tree.get(node.id) ?? node;
  const asked = { own, over, below, waits: tree.pending(now).length > 0, fork: forkOfPlace(object, now) };
  return shownControls(controlsOf(tree.tree, now, asked));
}

/** True where a parent has something to say: its child is at rest, in the queue, or has a name. */
function asksParent(node: ChildNode): boolean {
  return !isLive(node) || !hasBegun(node) || node.schedule.phase === 'queued' || node.lifetime === 'named';
}

/** What the parent says; undefined where it is gone. */
async function askParent(
  object: ObjectRuntime,
  { tree }: RootRuntime,
  node: ChildNode,
): Promise<ControlsOver | undefined> {
  const parent = tree.parentOf(node);
  if (parent === undefined) return undefined;
  const answer = await object.send(parent.address, { type: 'controls', task: node.task, name: nameOf(node) });
  return answer.answer === 'done' ? answer.controls : undefined;
}

/** Whether something that was interrupted below an agent can go on. */
async function goesOnBelow(object: ObjectRuntime, tree: RootRuntime, node: TreeNode): Promise<boolean> {
  for (const below of interruptedBelow(tree.tree, node))
    if ((await askParent(object, tree, below))?.resume === true) return true;
  return false;
}
