/**
 * A copy of a child that a person asks for: planned as by `companion__forkChild`, but by no call. Its end is told to the
 * parent's model by a message, as of any task that nobody waits for.
 *
 * Keeps CP8.
 */

import type { Transition } from '../../core/agent/changes';
import { Given, planChild } from '../../core/agent/child-plan';
import { type Draft, refuse } from '../../core/agent/draft';
import type { Rules } from '../../core/agent/rules';
import { taskOpened } from '../../core/agent/task';
import { mintId } from '../../protocol/ids';
import { forkChild } from './fork-tool';
import type { ForkEvent } from './messages';

/** A person copies a child. */
export function onFork(
  draft: Draft,
  event: ForkEvent & { readonly at: number; readonly token: string },
  rules: Rules,
): Transition {
  const { children, token, at, name, newName, message, checkpoint } = event;
  const { session, run } = draft.state;
  if (session.terminated) return refuse('terminated', 'Its parent was ended for good, and has no further companions.');
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'Its parent is being stopped. Ask again when it has.');
  const tool = rules.builtIns.find((row) => row.name === forkChild.name);
  if (tool === undefined)
    return refuse('invalid_request', 'Only what is a companion of its parent can be copied, or a root.');
  const args = { name, newName, message, ...(checkpoint === undefined ? {} : { checkpoint }) };
  const fits = tool.inputSchema.safeParse(args);
  if (!fits.success) return refuse('invalid_request', fits.error.issues.map((issue) => issue.message).join(' '));
  const call = { callId: mintId('call', token, 0), stepId: 0, index: 0 };
  const atRest = Object.values(children.named);
  const plan = tool.apply(draft, { ...call, args, at, token, atRest, earlier: [], files: children.files }, rules);
  if (plan.kind === 'refused') return { ok: false, refused: plan.error };
  if (plan.kind !== 'child') return refuse('internal');
  const { waits: _waits, ...given } = plan;
  const task = { ...given, await: 'notice', deliver: 'notice', providerId: '', name: tool.name } as const;
  const planning = { event, ...call, given: new Given(), written: null };
  const begun = planChild(draft, task, planning, rules);
  if (begun.kind === 'refused') return { ok: false, refused: begun.error };
  const child = [...draft.state.children.values()].find((one) => one.name === newName);
  if (child === undefined) return refuse('internal');
  taskOpened(draft, child);
  return draft.done();
}
