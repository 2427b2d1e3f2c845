/**
 * Rows of a tree's record as format 1 holds them: the facts of a child's task one by one, and a removed agent as a child
 * with a mark. Such a row is written in the newest shape when its agent changes next.
 *
 * Keeps SO3.
 */
import type { TaskKey } from '../../core/agent/children/child';
import type { ChildNode, NodeTask, RemovedNode, TreeRow } from '../../core/tree/node';
import type { Tries } from '../../core/tree/tries';

/** The row of a child, or of a removed agent, of format 1. */
export interface OlderNode extends Omit<ChildNode, 'childId' | 'task'>, Omit<NodeTask, 'number' | 'removal'> {
  readonly task: TaskKey;
  readonly retention?: 'run';
  readonly leaving?: true;
  readonly left?: true;
  readonly erasing?: Tries;
}

const isOlder = (stored: TreeRow | OlderNode): stored is OlderNode => stored.kind === 'child' && 'callId' in stored;

/** A row of any format, in the shape of the newest. */
export function nodeOf(stored: TreeRow | OlderNode): TreeRow {
  return isOlder(stored) ? newer(stored) : stored;
}

function newer(stored: OlderNode): ChildNode | RemovedNode {
  const { task: key, callId, turn, timeoutMs, budget, onFailure, hasWaited, ...facts } = stored;
  const { await: awaiting, retention, leaving, left, erasing, ...node } = facts;
  if (left) return removed(stored);
  const task: NodeTask = {
    ...{ number: key.task, callId, turn, timeoutMs, await: awaiting },
    ...(budget ? { budget } : {}),
    ...(onFailure ? { onFailure } : {}),
    ...(leaving || retention ? { removal: leaving ? 'when_idle' : 'after_run' } : {}),
    ...(hasWaited ? { hasWaited } : {}),
  };
  return { ...node, childId: key.childId, task };
}

function removed({ id, sessionId, address, erasing }: OlderNode): RemovedNode {
  return { kind: 'removed', id, sessionId, address, placement: 'object', ...(erasing ? { tries: erasing } : {}) };
}
