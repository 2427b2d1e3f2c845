/**
 * What a person decides about a sub-agent that failed and whose parent waits for it: another try, or none.
 *
 * A64. Its parent decides, once: who comes second is refused, whatever either of them asked.
 */

import type { NewMessage } from '../core/agent/inbound';
import { type ChildNode, isEndedAsWaitedFor, isWaitedFor, type TreeNode } from '../core/tree/node';
import { pause } from '../engine/environment';
import type { ObjectRuntime } from '../engine/object';
import type { VerbCall } from '../engine/object-calls';
import { type Failure, failure } from '../protocol/errors';
import { locate } from './locate';

/** How long a parent may take to hear that its child failed, and after how long it is asked again; in ms. */
const HEARD_MS = 2_000;
const ASK_AGAIN_MS = 50;

/** The agent of a call, where it failed under a parent that waits for a person then. */
export function waitedFor(object: ObjectRuntime, call: VerbCall): ChildNode | undefined {
  return childOf(object, call, isWaitedFor);
}

/** The agent of a call, where it was ended for good and its parent may still wait for it. */
export function endedAsWaitedFor(object: ObjectRuntime, call: VerbCall): ChildNode | undefined {
  return childOf(object, call, isEndedAsWaitedFor);
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
  const { environment, tree } = object;
  const { id, task } = child;
  const parent = tree?.tree.parentOf(child)?.address ?? '';
  const given = message === undefined ? {} : { message };
  const until = environment.now() + HEARD_MS;
  for (;;) {
    const reply = await object.send(parent, { type: 'child_decided', task, decision, ...given });
    if (reply.answer === 'done') return undefined;
    if (reply.answer === 'absent') return failure('superseded', 'The agent that asked for this one is gone.');
    const { code } = reply.error;
    const node = tree?.tree.get(id);
    // Its parent may not have heard yet that it failed.
    const waits = node !== undefined && (isWaitedFor(node) || isEndedAsWaitedFor(node));
    const unheard = waits && (code === 'already_running' || code === 'run_superseded');
    if (!unheard || environment.now() >= until) return reply.error;
    await pause(environment, ASK_AGAIN_MS);
  }
}
