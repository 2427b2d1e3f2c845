/**
 * A child that its parent cannot reach, as readers of the tree see it.
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
  { task: key, why }: Extract<AgentEvent, { type: 'child_reach' }>,
): Transition {
  const child = draft.state.children.get(key.childId);
  if (child === undefined || child.task.number !== key.task || !isOpen(child)) return draft.done();
  const { unreached, ...task } = child.task;
  const isSaid = unreached === child.runNumber;
  if (why === undefined ? unreached === undefined : isSaid) return draft.done();
  const said = { type: 'subagent_status', subSessionId: child.sessionId } as const;
  // The text of a run that has begun since is not about this.
  if (why === undefined) draft.emit({ ...said, status: 'reached', ...(isSaid ? { statusText: '' } : {}) });
  else draft.emit({ ...said, status: 'unreached', statusText: why });
  draft.setChild({ ...child, task: why === undefined ? task : { ...task, unreached: child.runNumber } });
  return draft.done();
}
