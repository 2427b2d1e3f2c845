/**
 * What code that works for a session does to its queue and its children, and what a child of it tells it (Standard
 * Agents).
 *
 * Decides: what code of a session may queue, and for whom.
 * Keeps SA53, SA55, SA56, SAW40.
 *
 * - Who has a body queues by it: once nobody waits for the body, it queues nothing.
 * - A child by its reference takes what the tools of the model would give it, by the same functions.
 */
import { failure } from '../../../protocol/errors';
import { byteLength } from '../../../protocol/json';
import { messageChild } from '../built-in/subagents/message';
import { endChild } from '../built-in/subagents/terminate';
import { enclose, ownFiles } from '../calls/enclosures';
import type { Transition } from '../changes';
import { Given, planChild } from '../children/child-plan';
import { taskOpened } from '../children/task';
import { acceptMessage, announceQueued } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import { oweHook } from '../hooks/hooks';
import type { NewMessage } from '../inbound';
import type { BuiltInCall, Rules } from '../rules';
import { endsSession } from '../runs/stop-verb';
import { isTerminated, type RegisteredChild } from './subagent-registry';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** A message of the session's own code, or of a child: the next step sees it; a root at rest takes a turn. */
export function onThreadMessage(draft: Draft, event: Event<'thread_message'>, rules: Rules): Transition {
  const { session, run, inbox } = draft.state;
  const { message } = event;
  const long = tooLong(message, rules);
  if (long) return long;
  const verb = run?.phase === 'active' ? run.stop?.verb : undefined;
  if (session.terminated || (verb && endsSession(verb)))
    return refuse('terminated', 'The session was terminated: it takes no messages.');
  if (inbox.length >= rules.limits.maxInbox)
    return refuse(
      'inbox_full',
      `${rules.limits.maxInbox} messages are already queued there. Queue it when they have been read.`,
    );
  if (run?.phase === 'active' && !message.silent) announceQueued(draft, message);
  const files = event.files ? ownFiles(draft, event.files.known, event.files.paths) : [];
  if ('kind' in files) return { ok: false, refused: files.error };
  // At rest it begins a turn where it may: `wakes`.
  acceptMessage(draft, files.length === 0 ? message : { ...message, files }, event.at);
  return draft.done();
}

/** The session's own code changes a message, which later requests have so. */
export function onThreadUpdates(draft: Draft, event: Event<'thread_updates'>, rules: Rules): Transition {
  const { inbox } = draft.state;
  const { messageId } = event.message;
  const message = inbox.find((one) => one.messageId === messageId) ?? event.message;
  draft.setMessage({ ...message, ...event.changes });
  oweHook(draft, rules, 'after_update_message', { messageId });
  return draft.done();
}

/** The session's own code tells a child something. */
export function onThreadTells(draft: Draft, event: Event<'thread_tells'>, rules: Rules): Transition {
  const long = tooLong(event.message, rules);
  if (long) return long;
  const { run } = draft.state;
  if (run?.phase === 'active' && run.stop)
    return refuse('already_running', 'The run is being stopped: it gives no more work.');
  const child = meant(draft, event);
  if (child === undefined) return refuse('not_found', `There is no child with the reference "${event.reference}".`);
  if (!child.registered.resumable)
    return child.state.is === 'ended'
      ? refuse('terminated', 'This sub-agent existed for one call, which has its result.')
      : refuse('invalid_input', 'This sub-agent exists for one call: it takes no messages.');
  const call = callOf(draft, event);
  const { paths = [], maxBytes } = event.files ?? {};
  const files = paths.length === 0 ? [] : enclose(draft, call, paths, maxBytes);
  if ('kind' in files) return { ok: false, refused: files.error };
  const message = files.length === 0 ? event.message : { ...event.message, files };
  const plan = messageChild(draft, child, message, call, { waits: false });
  if (plan.kind === 'refused') return { ok: false, refused: plan.error };
  if (plan.kind !== 'child') return draft.done();
  const planned = { ...plan, providerId: '', name: 'subagent_message' } as const;
  const { callId, stepId } = call;
  const planning = { event, callId, stepId, index: 0, given: new Given(), written: null };
  const begun = planChild(draft, planned, planning, rules);
  if (begun.kind === 'refused') return { ok: false, refused: begun.error };
  const next = draft.state.children.get(child.childId);
  if (next === undefined) return refuse('internal');
  taskOpened(draft, next);
  return draft.done();
}

/** The session's own code ends a child for good. */
export function onThreadEnds(draft: Draft, event: Event<'thread_ends'>, rules: Rules): Transition {
  const child = meant(draft, event);
  if (child === undefined) return refuse('not_found', `There is no child with the reference "${event.reference}".`);
  if (!isTerminated(child)) endChild(draft, child, callOf(draft, event), rules);
  return draft.done();
}

/** The child of a reference: also one that lived for a call which has its result. */
function meant(
  draft: Draft,
  { reference, children }: Event<'thread_tells' | 'thread_ends'>,
): RegisteredChild | undefined {
  const open = [...draft.state.children.values()].find((child) => child.registered?.reference === reference);
  const child = open ?? children.named[reference];
  return child?.registered ? { ...child, registered: child.registered } : undefined;
}

/** As a call of the model's: by the call or the hook whose body it is. */
function callOf(draft: Draft, event: Event<'thread_tells' | 'thread_ends'>): BuiltInCall {
  const { by, at, token, children } = event;
  const disabled = 'disabled' in event && event.disabled ? { disabled: event.disabled } : {};
  const stepId = draft.state.step?.id ?? 0;
  return {
    callId: by,
    stepId,
    index: 0,
    args: null,
    at,
    token,
    atRest: [],
    earlier: [],
    files: children.files,
    ...disabled,
  };
}

function tooLong({ content }: NewMessage, { limits }: Rules): Transition | undefined {
  const bytes = byteLength(typeof content === 'string' ? content : JSON.stringify(content));
  if (bytes <= limits.maxMessageBytes) return undefined;
  const error = failure(
    'payload_too_large',
    `The message has ${bytes} bytes, more than ${limits.maxMessageBytes}. Shorten it, or write it to a file.`,
  );
  return { ok: false, refused: error };
}
