/**
 * The events of copies in an agent's machine.
 *
 * Decides: which chunk a copied root begins its log with.
 * Keeps CP8, CP30, CP35.
 */
import * as z from 'zod';
import type { CapabilityMachine } from '../../core/agent/capability';
import type { Transition } from '../../core/agent/changes';
import { Given, planChild } from '../../core/agent/children/child-plan';
import { taskOpened } from '../../core/agent/children/task';
import { type Draft, refuse } from '../../core/agent/draft';
import type { AgentEvent } from '../../core/agent/events';
import type { Rules } from '../../core/agent/rules';
import { statusOf } from '../../core/agent/runs/status';
import { mintId } from '../../protocol/ids';
import type { ForkEvent } from './messages';
import { COPIES, copyRows, UNCONFIRMED } from './source';
import { forkChild, keepChild } from './tools';

/** The events of copies. */
export type CopyEvent =
  /** A root begins with the memory of another one; `upTo` is the step that it remembers last. */
  | {
      readonly type: 'copied';
      readonly from: { readonly address: string; readonly sessionId: string };
      readonly upTo?: number;
    }
  | ForkEvent
  /** The tree knows of the session. */
  | { readonly type: 'confirmed' };

/** An event of copies, as the agent's machine takes it. `at` is in ms since 1970. */
export function copyEvent(at: number, event: CopyEvent, token?: string): AgentEvent {
  return { type: 'capability', capability: COPIES, at, event, ...(token === undefined ? {} : { token }) };
}

/** The shortest task. */
const WORD = '.';

/** The machine of copies. */
export const copiesMachine: CapabilityMachine = {
  name: COPIES,
  tools: [forkChild, keepChild],
  on(draft, event: CopyEvent & { readonly at: number; readonly token?: string }, { rules }) {
    switch (event.type) {
      case 'copied':
        return onCopied(draft, event);
      case 'fork':
        return onFork(draft, { ...event, token: event.token ?? '' }, rules);
      case 'confirmed':
        copyRows.drop(draft, UNCONFIRMED);
        return draft.done();
    }
  },
  tries(verb, { name, children, token }) {
    if (verb !== 'fork') return undefined;
    // A name that no child has.
    return { type: 'fork', children, name, newName: `c${token.slice(0, 64)}`, message: WORD } satisfies ForkEvent;
  },
};

/** The log of the copy begins with its original. */
function onCopied(draft: Draft, { from, upTo }: Extract<CopyEvent, { type: 'copied' }>): Transition {
  draft.emit({
    type: 'session_copied',
    fromAddress: from.address,
    fromSessionId: from.sessionId,
    ...(upTo === undefined ? {} : { checkpointId: `${from.sessionId}.${upTo}` }),
    status: statusOf(draft.state),
  });
  return draft.done();
}

/** A person copies a child: planned as by `companion__forkChild`, but by no call. Its end is a message to the parent's model. */
function onFork(
  draft: Draft,
  event: ForkEvent & { readonly at: number; readonly token: string },
  rules: Rules,
): Transition {
  const { children, token, at, name, newName, message, checkpoint } = event;
  const { session, run } = draft.state;
  if (session.terminated) return refuse('terminated', 'Its parent was terminated, and takes no more companions.');
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'Its parent is being stopped. Try again when it has stopped.');
  const tool = rules.builtIns.find((row) => row.name === forkChild.name);
  if (tool === undefined) return refuse('invalid_request', 'Only a root or a companion of its parent can be copied.');
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
  taskOpened(draft, child);
  return draft.done();
}
