/**
 * A message of a person to a child that its parent keeps, where the child is not at work: it goes by the parent, as if its
 * model had sent it, but by no call. Its end is told to that model by a message, as of any task that nobody waits for.
 *
 * Decides: which message of a person to a child at rest is refused.
 *
 * CO24. What the parent's model would be refused, a person is refused too, with what a person can do instead.
 */
import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import { byteLength } from '../../../protocol/json';
import { sendMessage } from '../built-in/companions/send';
import { messageSubagent } from '../built-in/subagents/message';
import type { Transition } from '../changes';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import type { BuiltInPlan, Rules } from '../rules';
import { type Child, isHeldByCall } from './child';
import { Given, planChild } from './child-plan';
import { taskOpened } from './task';

type Event = Extract<AgentEvent, { type: 'child_message' }>;

const NOT_KEPT = 'This sub-agent has ended, and only its parent may give it work again.';

/** A person tells a child something. */
export function onChildMessage(draft: Draft, event: Event, rules: Rules): Transition {
  const { session, run } = draft.state;
  const child = childOf(draft, event);
  if (session.terminated) return refuse('terminated', 'Its parent was terminated, and gives it no more work.');
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'Its parent is being stopped. Send again when it has stopped.');
  if (child === undefined) return refuse('not_found');
  const refused = notByPerson(child) ?? tooLarge(event, rules) ?? notSentThere(child, event);
  if (refused) return { ok: false, refused };
  const row = child.registered ? messageSubagent.name : sendMessage.name;
  const tool = rules.builtIns.find(({ name }) => name === row);
  if (tool === undefined) return refuse('owned_by_parent', NOT_KEPT);
  const { at, token, children, message } = event;
  const call = { callId: mintId('call', token, 0), stepId: 0, index: 0 };
  const rest = { at, token, atRest: Object.values(children.named), earlier: [], files: children.files };
  const plan = tool.apply(draft, { ...call, ...rest, args: argsFor(child, message), said: message }, rules);
  if (plan.kind === 'refused') return { ok: false, refused: forPerson(plan.error, child) };
  return plan.kind === 'child' ? begin(draft, plan, event, call, rules) : draft.done();
}

/** The child of that name, be its task open or not. */
function childOf({ state }: Draft, { children, name }: Event): Child | undefined {
  const open = [...state.children.values()].find((child) => child.name === name);
  return open ?? (Object.hasOwn(children.named, name) ? children.named[name] : undefined);
}

/** Why a child is told nothing by a person now, whatever its parent's model may tell it. */
function notByPerson({ state, task }: Child): Failure | undefined {
  if (state.is === 'failed')
    return failure('owned_by_parent', 'It failed, and a person decides: retry it, with the text as `message`.');
  if (state.is !== 'ended' && isHeldByCall(task))
    return failure('owned_by_parent', 'It works on a call of its parent: if it is interrupted, resume it.');
  return undefined;
}

/** It is kept with the record of the child until that has taken it. */
function tooLarge({ message }: Event, { limits }: Rules): Failure | undefined {
  const bytes = byteLength(JSON.stringify(message));
  if (bytes <= limits.maxMessageBytes) return undefined;
  const most = `An idle companion accepts at most ${limits.maxMessageBytes} bytes with a message; this has ${bytes}.`;
  return failure('payload_too_large', `${most} Send less, or put it into a file of the companion first.`);
}

/** A task that begins elsewhere is a text. */
function notSentThere({ placement }: Child, { message: { content } }: Event): Failure | undefined {
  if (placement.via !== 'remote' || typeof content === 'string') return undefined;
  return failure(
    'invalid_request',
    'It is remote, and its tasks cannot begin with attachments: describe them in text, or send them while it works.',
  );
}

/** What the schema of the tool makes of it. What is said is the message itself. */
const argsFor = ({ registered, name = '' }: Child, { content }: Event['message']) => {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const message = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  return registered ? { referenceId: registered.reference, message } : { name, message };
};

/** It is the next task of the child. */
function begin(
  draft: Draft,
  plan: Extract<BuiltInPlan, { kind: 'child' }>,
  event: Event,
  call: { readonly callId: string; readonly stepId: number; readonly index: number },
  rules: Rules,
): Transition {
  const { waits: _waits, ...given } = plan;
  const planned = { ...given, await: 'notice', providerId: '', name: event.name } as const;
  const begun = planChild(draft, planned, { event, ...call, given: new Given(), written: null }, rules);
  if (begun.kind === 'refused') return { ok: false, refused: begun.error };
  const child = [...draft.state.children.values()].find(({ name }) => name === event.name);
  if (child === undefined) return refuse('internal');
  const asked = { ...child, task: { ...child.task, by: event.by } };
  draft.setChild(asked);
  taskOpened(draft, asked);
  return draft.done();
}

/** What a person is told where a model is told to use its tools. */
function forPerson(error: Failure, { state }: Child): Failure {
  const again = 'Send the message to its parent, whose model can start a new one under its name.';
  switch (error.code) {
    case 'terminated':
      return failure('terminated', `It was terminated, or is being terminated. ${again}`);
    case 'subagent_failed': {
      const why = state.is === 'ended' && !state.result.success ? ` (${state.result.error.message})` : '';
      return failure('owned_by_parent', `Its last task failed${why}. ${again}`);
    }
    case 'subagent_lost':
      return failure('gone', `It is gone, and so is its memory. ${again}`);
    case 'unknown_tool':
      return failure('owned_by_parent', `Its parent no longer has companions of this kind.`);
    case 'invalid_arguments':
      return failure('invalid_request', error.message);
    default:
      return error;
  }
}
