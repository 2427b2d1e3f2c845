/**
 * Whether a parent reaches its child, as readers of the tree see it.
 *
 * DG32. A child that its parent cannot reach says why in its status text, until it is reached: once for each of its runs
 *     and each time, however often it is tried.
 */
import type { Transition } from '../changes';
import type { Draft } from '../draft';
import type { AgentEvent } from '../events';
import { isOpen } from './child';

/** A child is not reached, or is reached again; nothing where that is known, or its task is over. */
export function onChildReach(
  draft: Draft,
  { task: { childId, task }, why }: Extract<AgentEvent, { type: 'child_reach' }>,
): Transition {
  const child = draft.state.children.get(childId);
  if (child === undefined || child.task.number !== task || !isOpen(child)) return draft.done();
  const { unreached, ...reached } = child;
  const isSaid = unreached === child.runNumber;
  if (isSaid === (why !== undefined)) return draft.done();
  const said = { type: 'subagent_status', subSessionId: child.sessionId } as const;
  if (why === undefined) draft.emit({ ...said, status: 'reached', statusText: '' });
  else draft.emit({ ...said, status: 'unreached', statusText: why });
  draft.setChild(why === undefined ? reached : { ...reached, unreached: child.runNumber });
  return draft.done();
}
