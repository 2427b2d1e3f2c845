/**
 * The ways into a session: a start, a message, a resume, another try.
 *
 * Decides: what a second start does (`onConcurrentStart`); what a message does to an agent at work, at rest or interrupted;
 * what may be resumed or retried; how many starts and messages wait.
 *
 * EN1. What a start does while a run goes on is the definition's `onConcurrentStart`; a start that is accepted is kept
 *     until it has its turn, and its run has one outcome whatever happens.
 * EN5. One that is stopped while it waits begins nothing, and ends when it has its turn.
 * EN2. With `interrupt_previous` it takes the place of the run before it: at once, or when that has stopped.
 * DL5. A message to an agent that works or waits is seen by its next step; one to an interrupted agent lets it go on, one to
 *     any other agent at rest begins a turn.
 * DL7. One that comes to a run without a further step begins the next turn of a root, once that run has completed (`wake`).
 * RS1. A resume goes on from the ledger: what is settled stays, what is open goes on, messages keep their order.
 * RS3. A retry asks a question again that failed; otherwise the next step follows what is settled.
 */

import { failure } from '../../../protocol/errors';
import { runNumberOf } from '../../../protocol/ids';
import { patchOf } from '../../../protocol/view/patch';
import { denyByMessage } from '../calls/answer';
import { askAgain, oweToolHooks, settleCall } from '../calls/call';
import type { Transition } from '../changes';
import { resumeChildren } from '../children/cascade';
import type { TaskKey } from '../children/child';
import { queueMessages, takeMail } from '../children/child-messages';
import { changeCustom } from '../custom-state';
import { acceptMessage, announceQueued } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent } from '../events';
import { showInbox } from '../hooks/create-hooks';
import type { Rules } from '../rules';
import { type AgentState, currentStep, type Outcome, openCalls, type QueuedStart } from '../state';
import { type EndedRun, endRun, resumeRun, retryRun, startAnew, startRun } from './run';
import { busyDetails, isAtRest } from './status';
import { recordOf, stopRun } from './stop';
import { endsSession, failureByStop, isResumable } from './stop-verb';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type Moment = { readonly at: number; readonly token: string };

const TERMINATED = 'The session was terminated. Start a new one under another name, or delete this one first.';

/** A new turn with its messages; or a place behind the run that goes on (EN1). */
export function onStart(draft: Draft, event: Event<'start'>, rules: Rules): Transition {
  const { run, session } = draft.state;
  if (event.task && isBegun(draft.state, event.runId)) {
    if (run?.phase === 'active') queueMessages(draft, event.mail, event.at);
    return tellAgain(draft);
  }
  if (session.terminated) return refuse('terminated', TERMINATED);
  if (run?.phase === 'active') return event.task ? busy(draft) : behind(draft, event, rules);
  if (run && draft.state.queued.length > 0) return afterOthers(draft, run, event, rules);
  begin(draft, event, rules, event.at);
  return draft.done();
}

/** A run goes on: it works, or it waits for a person. */
function busy(draft: Draft): Transition {
  const details = busyDetails(draft.state);
  return isAtRest(draft.state)
    ? refuse('awaiting_input', 'The run waits for a person: answer the pending calls, or interrupt it.', details)
    : refuse('already_running', 'A run is in progress: wait for its end, send it a message, or stop it.', details);
}

/** Whether a run of a child, or a later one, has begun already. */
function isBegun({ session, run }: AgentState, runId: string): boolean {
  return run !== undefined && runNumberOf(session.sessionId, run.runId) >= runNumberOf(session.sessionId, runId);
}

/** A parent asks for what has begun: where it has ended, the parent does not know, and is told again. */
function tellAgain(draft: Draft): Transition {
  const { run } = draft.state;
  if (run?.phase === 'ended' && run.acknowledged && run.task) draft.setRun({ ...run, acknowledged: false });
  return draft.done();
}

type Start = Pick<
  Event<'start'>,
  'runId' | 'messages' | 'input' | 'custom' | 'names' | 'actor' | 'traceparent' | 'task' | 'mail'
>;

function begin(draft: Draft, start: Start, rules: Rules, at: number): void {
  const before = draft.state.custom;
  if (start.custom !== undefined) changeCustom(draft, start.custom);
  if (start.names !== undefined) draft.setSession({ ...draft.state.session, ...start.names });
  const { actor, traceparent } = start;
  const asked = {
    ...(actor === undefined ? {} : { actor }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const task = start.task ? { task: start.task } : {};
  startAnew(draft, { runId: start.runId, at, ...asked, ...task }, rules, start.input);
  // After the run has begun: the chunk belongs to it.
  const patch = start.custom === undefined ? [] : patchOf(before, start.custom);
  if (patch.length > 0) draft.emit({ type: 'state_patch', patch });
  for (const message of start.messages) acceptMessage(draft, message, at);
  takeMail(draft, start.mail, at);
}

function behind(draft: Draft, event: Event<'start'>, rules: Rules): Transition {
  const { run } = draft.state;
  const { onConcurrentStart } = rules;
  if (onConcurrentStart === 'refuse') return busy(draft);
  const refused = enqueue(draft, event, rules);
  if (refused) return refused;
  const { runId, at } = event;
  if (onConcurrentStart === 'interrupt_previous' && run?.phase === 'active') {
    const reason = `A newer start takes its place: ${runId}`;
    const stop = run.stop ?? recordOf(draft, run, { verb: 'interrupt', reason, at }, rules);
    if (run.stop === undefined) stopRun(draft, { stop: { ...stop, superseded: true }, token: event.token }, rules);
    else if (isResumable(stop.verb)) draft.setRun({ ...run, stop: { ...stop, superseded: true } });
  }
  return draft.done();
}

/** Starts wait behind a run that was interrupted: they go first, and it is given up for them. */
function afterOthers(draft: Draft, run: EndedRun, event: Event<'start'>, rules: Rules): Transition {
  const refused = enqueue(draft, event, rules);
  if (refused) return refused;
  const { outcome } = run;
  if (outcome.status === 'interrupted') draft.setRun({ ...run, outcome: { ...outcome, superseded: true } });
  return draft.done();
}

/** Keeps a start until it has its turn; a refusal where too many wait. */
function enqueue(draft: Draft, event: Event<'start'>, { limits }: Rules): Transition | undefined {
  const { queued } = draft.state;
  if (queued.length >= limits.maxQueuedStarts)
    return refuse(
      'too_many_starts',
      `${limits.maxQueuedStarts} starts are already queued. Start again when they have run.`,
    );
  const { runId, messages, input, custom, names, actor, traceparent, at } = event;
  const given = {
    ...(input === undefined ? {} : { input }),
    ...(custom === undefined ? {} : { custom }),
    ...(names === undefined ? {} : { names }),
    ...(actor === undefined ? {} : { actor }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  draft.queue({ id: (queued.at(-1)?.id ?? 0) + 1, runId, messages, ...given, at });
  return undefined;
}

/** The next start that waits, if it may begin: whether there was one. */
export function takeQueued(draft: Draft, rules: Rules, moment: Moment): boolean {
  const { run, queued } = draft.state;
  const [next] = queued;
  if (run?.phase !== 'ended' || next === undefined) return false;
  // What was interrupted to be resumed is resumed first, or replaced by a start.
  if (run.outcome.status === 'interrupted' && run.outcome.superseded !== true) return false;
  draft.unqueue(next);
  const outcome = unwanted(draft, next, rules);
  if (outcome) endUnbegun(draft, next, rules, outcome, moment.at);
  else begin(draft, next, rules, moment.at);
  return true;
}

/** How a start ends that was accepted and is not wanted any more: its session was ended, or newer ones take its place. */
function unwanted({ state }: Draft, { runId, stopped }: QueuedStart, rules: Rules): Outcome | undefined {
  const { onConcurrentStart } = rules;
  const { terminated } = state.session;
  if (terminated) return { status: 'terminated', reason: terminated.reason };
  if (stopped) {
    // There is nothing that a resume could go on with, so it has failed with an interrupt, too.
    const error = failureByStop(stopped.verb, stopped.reason);
    return { status: 'failed', error, failureReason: error.code };
  }
  if (onConcurrentStart !== 'interrupt_previous' || state.queued.length === 0) return undefined;
  return { status: 'interrupted', reason: `A newer start takes the place of ${runId}.`, superseded: true };
}

/** Every run that was accepted has an outcome, also one that never begins. */
function endUnbegun(draft: Draft, start: QueuedStart, rules: Rules, outcome: Outcome, at: number): void {
  startAnew(draft, { runId: start.runId, at }, { ...rules, hooks: new Map() });
  if (draft.state.run?.phase === 'active') endRun(draft, draft.state.run, outcome, at);
  if (draft.state.run?.phase === 'ended') draft.setRun({ ...draft.state.run, unbegun: true });
}

/** A message for the next step, or the first of a new turn. One for an interrupted agent lets it go on. */
export function onSend(draft: Draft, event: Event<'send'>, rules: Rules): Transition {
  const { run, session, inbox } = draft.state;
  if (session.terminated) return refuse('terminated', TERMINATED);
  const working = run?.phase === 'active';
  if (!working && session.parent) {
    const advice =
      run?.outcome.status === 'interrupted'
        ? 'This sub-agent is interrupted: resume it, with the text as `message`.'
        : 'This sub-agent has ended, and only its parent may give it work again.';
    return refuse('owned_by_parent', advice);
  }
  // It has had its last step, and begins none by itself.
  if (working && session.parent && run.hooks?.ending && run.hooks.ending.status !== 'interrupted')
    return refuse('owned_by_parent', 'This sub-agent is ending, and only its parent may give it work again.');
  // Nobody would ever see it: a session that is being ended has no further step, nor has a sub-agent that is aborted.
  const verb = working ? run.stop?.verb : undefined;
  if (verb && (endsSession(verb) || (session.parent && !isResumable(verb)))) return refuse('terminated', TERMINATED);
  // A message to an agent at rest begins a turn, which sees all that waits.
  if (working && inbox.length >= rules.limits.maxInbox) {
    return refuse(
      'inbox_full',
      `${rules.limits.maxInbox} messages wait for the agent's next step. Send again when it has read them.`,
    );
  }
  if (run?.phase === 'ended' && run.outcome.status === 'interrupted') resumeInterrupted(draft, run, event, rules);
  else if (!working) startRun(draft, event, rules);
  else announceQueued(draft, event.message);
  if (working && rules.deniesByMessage) denyByMessage(draft, event, rules);
  acceptMessage(draft, event.message, event.at);
  if (!working) showInbox(draft, rules);
  return draft.done();
}

/** Goes on with an interrupted run, or with children that were interrupted under a run that waits for them. */
export function onResume(draft: Draft, event: Event<'resume'>, rules: Rules): Transition {
  const { run, session } = draft.state;
  // From the parent: what it means has happened already, or something newer has.
  const fromParent = event.task !== undefined;
  if (fromParent && isBegun(draft.state, event.runId)) {
    if (run?.phase === 'active') queueMessages(draft, event.mail, event.at);
    return tellAgain(draft);
  }
  if (session.terminated) return refuse('terminated', TERMINATED);
  // Its parent is answered when it goes on, however that came about.
  if (run?.phase === 'active' && fromParent) {
    queueMessages(draft, event.mail, event.at);
    return draft.done();
  }
  if (run?.phase === 'active') {
    if (run.stop) {
      const advice = 'The run is being stopped. Resume it when it has ended.';
      return refuse('already_running', advice, busyDetails(draft.state));
    }
    if (!resumeChildren(draft)) return busy(draft);
  } else if (run?.outcome.status === 'interrupted') {
    if (session.parent && !fromParent)
      return refuse('owned_by_parent', 'Its parent is resuming this sub-agent, or already has. Read its status.');
    resumeInterrupted(draft, run, event, rules);
  } else if (run?.outcome.status === 'failed' && fromParent) {
    retryRun(draft, run, event, rules);
  } else {
    if (fromParent) return draft.done();
    const advice = run?.outcome.status === 'failed' ? ' It failed: retry it instead.' : ' A start begins a new turn.';
    return refuse('not_resumable', `Only an interrupted run can be resumed.${advice}`);
  }
  const asksAgain = run?.phase === 'ended';
  if (event.message && !asksAgain) announceQueued(draft, event.message);
  if (event.message) acceptMessage(draft, event.message, event.at);
  takeMail(draft, event.mail, event.at);
  if (asksAgain) showInbox(draft, rules);
  return draft.done();
}

function resumeInterrupted(
  draft: Draft,
  run: EndedRun,
  event: { runId: string; at: number; actor?: string; traceparent?: string; task?: TaskKey },
  rules: Rules,
): void {
  resumeRun(draft, run, event, rules);
  repeatCutOff(draft, rules, event.at);
  // A stop drops the hooks that were owed, and this is another run.
  oweToolHooks(draft, rules);
  askAgain(draft);
  resumeChildren(draft);
}

/** Bodies that an interrupt cut off run again, as often as they may. */
function repeatCutOff(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    if (call.state?.is !== 'cut_off') continue;
    const { state: _state, ...left } = call;
    if (call.bodies < rules.limits.maxToolReplays) {
      draft.setCallState(step, call, call.answer ? { answer: call.answer } : {});
      step = draft.setCall(step, { ...left, bodies: call.bodies + 1 }, true);
      continue;
    }
    const error = failure('outcome_unknown', `The tool "${call.name}" was interrupted too often to be run again.`);
    step = settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt }, rules);
  }
}

/** Tries a failed run again: a question that failed is asked again; otherwise the next step follows what is settled. */
export function onRetry(draft: Draft, event: Event<'retry'>, rules: Rules): Transition {
  const { run, session } = draft.state;
  if (session.terminated) return refuse('terminated', TERMINATED);
  if (run?.phase === 'active') return busy(draft);
  if (run === undefined || run.outcome.status !== 'failed')
    return refuse('not_retryable', 'Only a failed run can be retried. Resume an interrupted run, or start a new one.');
  if (run.unbegun)
    return refuse('not_retryable', 'It was stopped before it began, so there is nothing to retry. Start a new run.');
  retryRun(draft, run, event, rules);
  if (event.message) acceptMessage(draft, event.message, event.at);
  showInbox(draft, rules);
  return draft.done();
}
