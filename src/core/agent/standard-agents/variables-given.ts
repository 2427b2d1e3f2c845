/**
 * Sub-agents that waited for variables: their calls were refused with what is missing, and they begin when somebody has
 * given the values.
 *
 * Keeps SA34, SAW9, SAW10.
 *
 * - One begins by the same plan as any other, with its caps and switches asked again.
 * - Who takes the request deletes it in the same transaction, so it begins one child.
 */

import { keptForLater } from '../calls/enclosures';
import type { Transition } from '../changes';
import { Given, planChild } from '../children/child-plan';
import { taskOpened } from '../children/task';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { Rules } from '../rules';

/** Somebody has given what was missing: the child begins, as it was planned. */
export function onChildDeferred(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'child_deferred' }>,
  rules: Rules,
): Transition {
  const { session, run } = draft.state;
  const { request, variables } = event;
  if (session.terminated) return refuse('gone', 'The parent of this agent was terminated.');
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'The parent of this agent is being stopped. Set the values when it has stopped.');
  const { requestId, callId, stepId, written } = request;
  const { waits: _waits, ...given } = request.planned;
  // Its call has its result: the end comes as a message.
  const planned = { ...given, await: 'notice', deliver: 'envelope' } as const;
  const planning = { event, callId, stepId, index: 0, given: new Given(), written };
  const plan = planChild(draft, planned, planning, rules);
  if (plan.kind === 'refused') return { ok: false, refused: plan.error };
  const child = plan.kind === 'task' && plan.began ? draft.state.children.get(plan.began.childId) : undefined;
  if (child === undefined) return refuse('internal');
  const equipped = { ...child, variables };
  draft.setChild(equipped);
  draft.put({ put: 'no_variable_request', requestId });
  keptForLater(draft, request);
  taskOpened(draft, equipped);
  return draft.done();
}
