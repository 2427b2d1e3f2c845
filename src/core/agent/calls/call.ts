/**
 * The call machine: what becomes of each tool call, and its one result.
 *
 * Decides: which of several calls that end a run wins; which bodies run at once; whether a body runs again after a
 * crash; the result of a call that was cut off.
 *
 * CL1. A call is committed, with its plan, before anything works on it.
 * CL2. A call has exactly one result, ever; a second one changes nothing.
 * CL6. The tool bodies that run are the first `maxConcurrentCalls` open ones: in order, those that a person allowed
 *     after the others and in the order of the answers. Derived, so that a crash at any moment knows which bodies may
 *     have begun; and no body loses its place to another.
 * RC3. A body that a crash cut off runs again only if its tool says so, at most `maxToolReplays` times in all.
 */

import { beginningOf } from '../../../protocol/content/cut';
import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import type { CallResult } from '../../../protocol/messages';
import { MAX_STATUS_TEXT } from '../../../protocol/shown/status-text';
import { addUsage } from '../../../protocol/usage';
import type { ModelReply } from '../../definition/model-port';
import type { Transition } from '../changes';
import { endedAtOnce, isSameTask, planWait, resultOfWait } from '../children/await';
import { type Child, isHeldByCall, usageOf } from '../children/child';
import { Given, type Planning, planChild } from '../children/child-plan';
import { accepted, closeTask, giveNotice, type TaskEnd, taskOpened } from '../children/task';
import { acceptMessage, reportWord } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent, AnswerTime, PlannedCall } from '../events';
import { awaitsHook, oweHook } from '../hooks/hooks';
import type { BuiltInCall, BuiltInPlan, Rules } from '../rules';
import { pendingCalls } from '../runs/status';
import { failureByStop, isResumable } from '../runs/stop-verb';
import { handTo } from '../standard-agents/handoff';
import { handedOver } from '../standard-agents/result-files';
import { statusOfCall } from '../standard-agents/sides';
import {
  type Call,
  type CallPlan,
  childOf,
  currentStep,
  type Deadline,
  type EndedTask,
  endedOf,
  openCalls,
  type RepliedStep,
  type Settlement,
  type Step,
  type StopRecord,
} from '../state';
import type { CallBase } from './call-plan';
import { type EndsWithFiles, shownWith } from './enclosures';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** The open tool calls whose bodies run now (CL6). */
export function runningTools(step: RepliedStep, rules: Rules): Call[] {
  return openCalls(step)
    .filter(({ plan, answer, state }) => {
      if (plan.kind !== 'tool' || state?.is === 'cut_off') return false;
      return plan.approval === undefined || answer?.approved === true;
    })
    .sort((one, other) => (one.answer?.order ?? 0) - (other.answer?.order ?? 0) || one.index - other.index)
    .slice(0, rules.limits.maxConcurrentCalls);
}

/** A call whose tool is known, with what the framework's own tools have made of theirs. */
type WorkedOut =
  | Exclude<PlannedCall, { kind: 'built_in' }>
  | (CallBase & Extract<BuiltInPlan, { kind: 'immediate' | 'wait' }>);

/** Has the row of a tool of the framework work out its call; any other call stays as it is. */
function workOut(draft: Draft, planned: PlannedCall, call: Omit<BuiltInCall, 'args'>, rules: Rules): WorkedOut {
  if (planned.kind !== 'built_in') return planned;
  const { providerId, name, input, args } = planned;
  const facts = { providerId, name, input };
  const tool = rules.builtIns.find((row) => row.name === name);
  if (tool) return { ...facts, ...tool.apply(draft, { ...call, args }, rules) };
  return { ...facts, kind: 'refused', error: failure('unknown_tool', `The tool "${name}" no longer exists.`) };
}

type NoWait = Exclude<WorkedOut, { kind: 'wait' }>;

function planOf(draft: Draft, planned: NoWait, planning: Planning, rules: Rules): CallPlan {
  const { event } = planning;
  switch (planned.kind) {
    case 'tool': {
      const { replay, finishWith, timeoutMs, approval } = planned;
      const gate = approval ? { approval: { inputHash: approval.inputHash, ...deadlineFrom(event.at, approval) } } : {};
      return { kind: 'tool', replay, finishWith, timeoutMs, ...gate };
    }
    case 'client':
      return { kind: 'client', ...deadlineFrom(event.at, planned) };
    case 'child':
      return planChild(draft, planned, planning, rules);
    case 'immediate': {
      const { result, ends } = planned;
      return { kind: 'immediate', result, ...(ends ? { ends } : {}) };
    }
    case 'handoff':
      return handoffTo(draft, planned.to);
    case 'refused':
      return { kind: 'refused', error: planned.error };
  }
}

/** Hands the session over; the agent that does so works until the step is closed. */
function handoffTo(draft: Draft, to: string): CallPlan {
  const { active: from } = draft.state.session;
  handTo(draft, to);
  const result = { success: true, value: `From the next step on, the agent "${to}" takes over this session.` } as const;
  return { kind: 'immediate', result, handsOver: from === undefined ? {} : { from } };
}

const deadlineFrom = (at: number, { answerWithinMs }: AnswerTime): Deadline =>
  answerWithinMs === undefined ? {} : { expiresAt: at + answerWithinMs };

/** The call id of the n-th call that an attempt of a step asks for. */
export function callIdOf(step: Pick<Step, 'token' | 'attempt'>, index: number): string {
  return mintId('call', step.attempt === 1 ? step.token : `${step.token}${step.attempt}`, index);
}

/** Gives each planned call its id, and a child its slot; announces them in order. */
export function planCalls(draft: Draft, step: Step, event: Event<'model_replied'>, rules: Rules): Call[] {
  const given = new Given();
  const { at, token } = event;
  const { named, called = [], files } = event.children;
  const atRest = Object.values(named);
  const { disabled = [] } = event;
  const earlier: CallPlan[] = [];
  let finished = false;
  const calls: Call[] = [];
  for (const [index, asked] of event.calls.entries()) {
    const callId = callIdOf(step, index);
    const whole = wholeOf(asked, event.reply);
    draft.emit({ type: 'tool_start', toolCallId: callId, toolName: whole.name, arguments: whole.input });
    const built = { callId, stepId: step.id, index, at, token, atRest, called, earlier, disabled, files };
    const planned = workOut(draft, handsOnce(whole, earlier), built, rules);
    const { plan, ended } =
      planned.kind === 'wait'
        ? planWait(draft, planned, atRest)
        : {
            plan: planOf(draft, planned, { event, callId, stepId: step.id, index, given, written: whole.input }, rules),
            ended: [],
          };
    earlier.push(plan);
    // What the model wrote, whatever came of it: what it reads of its own calls later.
    const { providerId, name, input } = whole;
    const call = { callId, providerId, name, input, index, plan: endsOnce(plan, finished), bodies: 1 };
    finished ||= plan.kind === 'immediate' && plan.ends !== undefined;
    announce(draft, call);
    for (const [before, one] of calls.entries()) calls[before] = withEnds(draft, step, one, endedAtOnce(draft, one));
    calls.push(withEnds(draft, step, call, ended));
  }
  return calls;
}

/** A new call with these ends of tasks beside those that it keeps. */
function withEnds(draft: Draft, step: Step, call: Call, ends: readonly EndedTask[]): Call {
  const kept = endedOf(call);
  const further = ends.filter((end) => !kept.some((one) => isSameTask(one, end)));
  if (further.length === 0) return call;
  return draft.callWithState(step, call, { is: 'awaiting', ended: [...kept, ...further] });
}

/** The first call of a step that hands the session over is the one that does. */
function handsOnce(planned: PlannedCall, earlier: readonly CallPlan[]): PlannedCall {
  if (planned.kind !== 'handoff') return planned;
  if (!earlier.some((plan) => plan.kind === 'immediate' && plan.handsOver !== undefined)) return planned;
  const { providerId, name, input } = planned;
  const error = failure('superseded', 'Another call of this step has already handed the session over.');
  return { providerId, name, input, kind: 'refused', error };
}

/** The first call of a step that ends the run is the one that does. */
function endsOnce(plan: CallPlan, finished: boolean): CallPlan {
  if (plan.kind !== 'immediate' || plan.ends === undefined || !finished) return plan;
  return { kind: 'refused', error: failure('superseded', 'Another call of this step has already ended the run.') };
}

/** A call of a reply that is whole. Of one that was cut nobody knows what its calls were going to say (ST10). */
function wholeOf(planned: PlannedCall, { finishReason }: ModelReply): PlannedCall {
  if (planned.kind === 'refused' || (finishReason !== 'length' && finishReason !== 'content-filter')) return planned;
  const { providerId, name, input } = planned;
  const why = finishReason === 'length' ? 'at the output limit of the model' : 'by a content filter';
  const message = `The reply was cut off ${why}, so none of its calls was executed. Call again, with less in one reply.`;
  return { providerId, name, input, kind: 'refused', error: failure('invalid_arguments', message) };
}

/** Shows the child that works on a call, and that a person is asked. */
function announce(draft: Draft, call: Call): void {
  const child = childOf(draft.state, call);
  // One that is started anew is shown when it is.
  if (child?.state.is === 'working') taskOpened(draft, child);
  askPerson(draft, call);
}

/** Shows that a call waits for a person, where it does. */
function askPerson(draft: Draft, { plan, callId, name, input }: Call): void {
  const facts = { toolCallId: callId, toolName: name, arguments: input };
  if (plan.kind === 'client') {
    const { kind: _kind, ...deadline } = plan;
    draft.emit({ type: 'client_tool_request', ...facts, ...deadline });
  }
  if (plan.kind === 'tool' && plan.approval) draft.emit({ type: 'tool_approval_request', ...facts, ...plan.approval });
}

/** Calls that wait for a person ask again in the run that goes on. */
export function askAgain(draft: Draft): void {
  const step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of pendingCalls(step)) askPerson(draft, call);
}

/** Owes the hooks that come before the calls which begin at once. */
export function oweToolHooks(draft: Draft, rules: Rules): void {
  const step = currentStep(draft.state);
  if (step?.phase !== 'calls' || !rules.hooks.has('beforeTool')) return;
  for (const { plan, callId, answer } of openCalls(step)) {
    const begins = plan.kind === 'tool' && (plan.approval === undefined || answer?.approved === true);
    if (begins || plan.kind === 'client') oweHook(draft, rules, 'beforeTool', { callId });
  }
}

/** How many bodies of a call have begun, where `running` says whether one runs now. Only tools have bodies. */
export function bodiesBegun({ plan, settled, state, bodies }: Call, running: boolean): number {
  if (plan.kind !== 'tool') return 0;
  const begun = settled ? settled.unrun !== true : running || state?.is === 'cut_off';
  return begun ? bodies : bodies - 1;
}

/** What a call is settled with that nobody works on: whether a body of it is still due. */
export function unrunFacts({ plan, state }: Call): Pick<Settlement, 'unrun'> {
  return plan.kind === 'tool' && state?.is !== 'cut_off' ? { unrun: true } : {};
}

/**
 * Commits the one result of a call, and shows it; with the task that it held, which ends so. Ends of others that it was
 * still to tell are told by their messages.
 */
export function settleCall(
  draft: Draft,
  step: RepliedStep,
  call: Call,
  result: CallResult,
  facts: Omit<Settlement, 'result'>,
  rules: Rules,
  ended: Pick<TaskEnd, 'spent' | 'gone'> & { readonly result?: CallResult } = {},
): RepliedStep {
  const answer = facts.answer ?? call.answer;
  const child = childOf(draft.state, call);
  const held = child && isHeldByCall(child.task) ? child : undefined;
  const usage = facts.usage ?? (held && usageOf(held, ended.spent));
  const whole = { result, ...facts, ...(answer ? { answer } : {}), ...(usage ? { usage } : {}) };
  const next = draft.settle(step, call, whole);
  tellStatus(draft, { ...call, settled: whole }, rules);
  if (held) {
    closeTask(draft, held, ended.result ?? result, { at: facts.at, ...ended });
    oweHook(draft, rules, 'onChildSettled', { callId: call.callId });
  }
  for (const task of endedOf(call))
    if (task.notice !== undefined && !isKeptIn(next, task)) giveNotice(draft, task, task.notice, facts.at);
  draft.emit(
    result.success
      ? { type: 'tool_end', toolCallId: call.callId, result: result.value, success: true }
      : { type: 'tool_end', toolCallId: call.callId, success: false, error: result.error },
  );
  if (!held && hasDone(call)) oweHook(draft, rules, 'afterTool', { callId: call.callId });
  return next;
}

/** Whether a call did anything that its result tells of, other than ending the run. */
function hasDone({ plan }: Call): boolean {
  switch (plan.kind) {
    case 'tool':
    case 'client':
    case 'task':
      return true;
    case 'immediate':
      return plan.ends === undefined;
    case 'refused':
      return false;
  }
}

/** What the tool for it says of the session: its own word, which changes nothing else. */
function tellStatus(draft: Draft, call: Call, { sides }: Rules): void {
  const { run, session } = draft.state;
  const binding = sides && run?.phase === 'active' && run.sides ? sides.of[run.sides.acting].sessionStatus : undefined;
  if (binding === undefined || binding.name !== call.name) return;
  const statusText = beginningOf(statusOfCall(binding, call), MAX_STATUS_TEXT);
  if (statusText === '') return;
  draft.emit({ type: 'subagent_status', subSessionId: session.sessionId, status: 'running', statusText });
  reportWord(draft, statusText);
}

/** Whether an open call keeps the end of a task, and tells it, or gives its notice when it is closed. */
function isKeptIn(step: RepliedStep, task: EndedTask): boolean {
  return openCalls(step).some((call) => endedOf(call).some((kept) => isSameTask(kept, task)));
}

/** Closes the calls that nobody works on: those that were refused, and those that have their result at once. */
export function closeIdleCalls(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    const result = idleResult(draft, call, rules);
    // What it tells needs no message.
    const { state: _told, ...heard } = call;
    if (result === undefined) continue;
    step = settleCall(draft, step, heard, result, { at, startedAt: at }, rules);
    showFiles(draft, call, endedOf(call), at);
  }
}

/** Shows the model the pictures and PDF files that came with the ends which a call reports, behind its result. */
export function showFiles(draft: Draft, { callId }: Call, ends: EndsWithFiles, at: number): void {
  const content = shownWith(ends);
  if (content === undefined) return;
  const messageId = mintId('message', `${tokenOf(callId)}.files`);
  acceptMessage(draft, { messageId, role: 'user', content, from: 'offshoot' }, at);
}

/** The part of a call's id that no other call has. */
const tokenOf = (callId: string): string => callId.slice(callId.indexOf('_') + 1);

function idleResult(draft: Draft, call: Call, rules: Rules): CallResult | undefined {
  const { plan } = call;
  switch (plan.kind) {
    case 'refused':
      return { success: false, error: plan.error };
    case 'immediate':
      return plan.result;
    case 'task': {
      const child = plan.awaits.need === 0 ? childOf(draft.state, call) : undefined;
      return child ? begunResult(call, child, rules) : resultOfWait(draft, call, endedOf(call), rules);
    }
    case 'tool':
    case 'client':
      return undefined;
  }
}

/** The result of a call that gave a child a task, and awaits nothing. */
function begunResult({ name }: Call, child: Child, { builtIns }: Rules): CallResult {
  return builtIns.find((tool) => tool.name === name)?.began?.(child) ?? accepted(child);
}

/** An open call of the current step, or why its result is not wanted. */
export function openCall(draft: Draft, callId: string): { step: RepliedStep; call: Call } | Transition {
  const step = currentStep(draft.state);
  const call = step?.phase === 'calls' ? step.calls.find((other) => other.callId === callId) : undefined;
  if (step?.phase !== 'calls' || call === undefined) return refuse('superseded', 'This call is no longer awaited.');
  return { step, call };
}

/** A tool's body has ended. */
export function onToolSettled(draft: Draft, event: Event<'tool_settled'>, rules: Rules): Transition {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.epoch !== event.epoch)
    return refuse('superseded', 'This body belongs to a run that was taken over.');
  const found = openCall(draft, event.callId);
  if ('ok' in found) return found;
  const { step, call } = found;
  if (call.settled || call.state?.is === 'cut_off') return draft.done();
  if (event.usage) draft.spend(event.usage);
  if (event.cut && run.stop) {
    const { at, startedAt, usage, unrun } = event;
    const facts = { at, startedAt, ...(usage ? { usage } : {}), ...(unrun ? { unrun } : {}) };
    const known = event.cut === 'hooks' && !event.result.success ? { error: event.result.error } : {};
    cutOffBody(draft, step, call, run.stop, { ...facts, ...known }, rules);
    return draft.done();
  }
  const { at, startedAt, usage, unrun } = event;
  const facts = { at, startedAt, ...(usage ? { usage } : {}), ...(unrun ? { unrun } : {}) };
  settleCall(draft, step, call, handedOver(draft, call, event.result, event, rules), facts, rules);
  return draft.done();
}

/**
 * A body that a stop cut off, or the hooks of its result (`error`). What may be run again is left to the run that resumes this one; anything else has its one
 * result, which says what became of it.
 */
function cutOffBody(
  draft: Draft,
  step: RepliedStep,
  call: Call,
  stop: StopRecord,
  { error, ...facts }: Pick<Settlement, 'at' | 'startedAt' | 'usage' | 'unrun'> & { readonly error?: Failure },
  rules: Rules,
): void {
  if (isResumable(stop.verb) && call.plan.kind === 'tool' && call.plan.replay === 'safe') {
    const next = draft.setCallState(step, call, {
      state: { is: 'cut_off' },
      ...(call.answer ? { answer: call.answer } : {}),
    });
    // There is no result yet that could tell what it has spent.
    if (facts.usage) draft.setStep({ ...next, spent: addUsage(next.spent, facts.usage) });
    return;
  }
  const message = `The tool "${call.name}" was cut off while it ran: ${stop.reason} Whether it took effect is unknown: check before you repeat it.`;
  settleCall(draft, step, call, { success: false, error: error ?? failureByStop(stop.verb, message) }, facts, rules);
}

/** After a crash: bodies that may run again do, others are settled as unknown (RC3). Children are asked again by the engine. */
export function recoverCalls(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  const { run } = draft.state;
  if (step?.phase !== 'calls' || run?.phase !== 'active') return;
  const begun = run.stop
    ? openCalls(step).filter(({ callId }) => run.stop?.bodies.includes(callId))
    : runningTools(step, rules);
  for (const call of begun) {
    if (call.plan.kind !== 'tool' || call.state?.is === 'cut_off' || awaitsHook(run, call.callId)) continue;
    if (run.stop) {
      cutOffBody(draft, step, call, run.stop, { at, startedAt: step.repliedAt }, rules);
      step = currentStep(draft.state);
      if (step?.phase !== 'calls') return;
      continue;
    }
    if (call.plan.replay === 'safe' && call.bodies < rules.limits.maxToolReplays) {
      step = draft.setCall(step, { ...call, bodies: call.bodies + 1 }, true);
      continue;
    }
    const error: Failure = failure(
      'outcome_unknown',
      `The tool "${call.name}" was running when the agent crashed. Whether it took effect is unknown: check before you repeat it.`,
    );
    step = settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt }, rules);
  }
}
