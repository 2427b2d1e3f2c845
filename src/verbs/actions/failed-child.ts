/**
 * What a person decides about a sub-agent that failed and whose parent waits for it: another try, or none.
 *
 * Keeps A64, A70, DG23, DG24, CO30.
 *
 * A64. Its parent decides, once: who comes second is refused, whatever either of them asked.
 */

import { keyOf } from '../../core/agent/children/child';
import type { NewMessage } from '../../core/agent/inbound';
import { type ChildNode, hasEndedTask, isEndedAsWaitedFor, isWaitedFor, type TreeNode } from '../../core/tree/node';
import { takesFurtherTasks } from '../../core/tree/relationship-rules';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { type Failure, failure } from '../../protocol/errors';
import { locate } from '../locate';

/** How long a parent may take to hear that its child failed, in ms. */
const HEARD_MS = 2_000;

/** The agent of a call, where it failed under a parent that waits for a person then. */
export function waitedFor(object: ObjectRuntime, call: VerbCall): ChildNode | undefined {
  return childOf(object, call, isWaitedFor);
}

/** The agent of a call, where it was ended for good and its parent may still wait for it. */
export function endedAsWaitedFor(object: ObjectRuntime, call: VerbCall): ChildNode | undefined {
  return childOf(object, call, isEndedAsWaitedFor);
}

/** The agent of a call, where it is named, and rests or waits for a person who lets it try again. */
export function restingNamed(object: ObjectRuntime, call: VerbCall): ChildNode | undefined {
  return childOf(object, call, isRestingNamed);
}

const isRestingNamed = (node: TreeNode): node is ChildNode =>
  node.kind === 'child' && takesFurtherTasks(node) && (hasEndedTask(node) || isWaitedFor(node));

/** Tells the parent of an agent that rested that a person has ended it for good: nothing else would (CO30). */
export async function tellEnded(object: ObjectRuntime, child: ChildNode, error: Failure): Promise<void> {
  const { tree } = object;
  const parent = tree?.tree.parentOf(child);
  if (tree === undefined || parent === undefined) return;
  // It may not have heard yet how the task ended.
  await tree.until(() => !tree.tree.hasOpenTask(child), HEARD_MS);
  await object.send(parent.address, { type: 'child_gone', task: keyOf(child), error });
}

function childOf(
  object: ObjectRuntime,
  { path }: VerbCall,
  is: (node: TreeNode) => node is ChildNode,
): ChildNode | undefined {
  if (!object.isRoot || path.length === 0) return undefined;
  const found = locate(object, path);
  return found.at === 'record' && is(found.node) ? found.node : undefined;
}

/** Tells the parent what was decided; gives back why it does not take it. */
export async function decide(
  object: ObjectRuntime,
  child: ChildNode,
  decision: 'retry' | 'give_up',
  message?: NewMessage,
): Promise<Failure | undefined> {
  const { tree } = object;
  const { id, sessionId } = child;
  const task = keyOf(child);
  const parent = tree?.tree.parentOf(child)?.address ?? '';
  const given = message === undefined ? {} : { message };
  const tell = async (): Promise<Failure | undefined> => {
    const reply = await object.send(parent, { type: 'child_decided', task, decision, ...given });
    if (reply.answer === 'absent') return failure('superseded', 'The parent of this agent is gone.');
    return reply.answer === 'refused' ? reply.error : undefined;
  };
  const heard = (): boolean => tree?.hasHandedOn(sessionId) ?? true;
  const sure = heard();
  const refused = await tell();
  if (sure || refused === undefined) return refused;
  const node = tree?.tree.get(id);
  const waits = node !== undefined && (isWaitedFor(node) || isEndedAsWaitedFor(node));
  if (!waits || (refused.code !== 'already_running' && refused.code !== 'run_superseded')) return refused;
  // Its parent may not have heard yet that it failed.
  await tree?.until(heard, HEARD_MS);
  return tell();
}
