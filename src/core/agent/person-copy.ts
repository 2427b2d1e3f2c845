/**
 * A copy of a child that a person asks for: planned as by `companion__forkChild`, but by no call. Its end is told to the
 * parent's model by a message, as of any task that nobody waits for.
 *
 * CP8. The request that made a child is kept with it: the same one again changes nothing.
 */
import * as z from 'zod';
import { mintId } from '../../protocol/ids';
import { forkChild } from './built-in/companions/fork';
import type { Transition } from './changes';
import { Given, planChild } from './child-plan';
import { type Draft, refuse } from './draft';
import type { AgentEvent } from './events';
import type { Rules } from './rules';
import { taskOpened } from './task';

/** A person copies a child. */
export function onChildFork(
  draft: Draft,
  event: Extract<AgentEvent, { type: 'child_fork' }>,
  rules: Rules,
): Transition {
  const { children, token, at, name, newName, message, checkpoint, asked } = event;
  const { session, run } = draft.state;
  const open = [...draft.state.children.values()];
  const known = open.find((child) => child.name === newName) ?? children.named[newName];
  if (known?.asked === asked) return draft.done();
  if (session.terminated) return refuse('terminated', 'Its parent was ended for good, and has no further companions.');
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'Its parent is being stopped. Ask again when it has.');
  const tool = rules.builtIns.find((row) => row.name === forkChild.name);
  if (tool === undefined)
    return refuse('invalid_request', 'Only what is a companion of its parent can be copied, or a root.');
  const args = { name, newName, message, ...(checkpoint === undefined ? {} : { checkpoint }) };
  const fits = z.safeParse(tool.inputSchema, args);
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
  const marked = { ...child, asked };
  draft.setChild(marked);
  taskOpened(draft, marked);
  return draft.done();
}
