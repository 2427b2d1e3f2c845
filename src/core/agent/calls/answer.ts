/**
 * The answer machine: what people say to calls that wait for them. An answer's way is drawn in design/flows.md.
 * Whether changed arguments fit is asked before, by `engine/take-answer.ts`; here they are kept, and told.
 *
 * Decides: which answer to an approval or a client tool counts, and with which code another is refused; what a denial, a late answer and an expired question come to (`tool_answered`).
 *
 * AN1. An answer is taken once; whoever comes later is told what was decided.
 * AN2. An answer of the wrong kind changes nothing: a client's result never passes for that of a tool which did not run.
 * AN8. Where the definition says so, a person's message denies the approvals that wait, in the transaction that accepts it.
 * AN3. After its time an approval is denied. A client's tool has failed, but its answer is still taken as long as no
 *     model has seen the failure; after that it is kept once and told to the model, and is no result (decision 16).
 */

import { beginningOf } from '../../../protocol/content/cut';
import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import type { Json } from '../../../protocol/json';
import { type CallResult, changedCallNotice, resultContent } from '../../../protocol/messages';
import type { Transition } from '../changes';
import { awaitsUntil, resultInTime } from '../children/await';
import { withoutNotices } from '../children/task-end';
import { acceptMessage } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent, PersonsAnswer } from '../events';
import { oweHook } from '../hooks/hooks';
import type { NewMessage } from '../inbound';
import type { Rules } from '../rules';
import { pendingCalls } from '../runs/status';
import { handedOver } from '../standard-agents/result-files';
import {
  type AgentState,
  type AnswerRecord,
  type Call,
  type CallPlan,
  currentStep,
  endedOf,
  openCalls,
  type RepliedStep,
} from '../state';
import { settleCall, showFiles, unrunFacts } from './call';

type AnswerEvent = Extract<AgentEvent, { type: 'answer' }>;

/** A pending call, as the tree's inbox shows it. */
export interface PendingCall {
  readonly toolCallId: string;
  /** The id of its step in the agent that owns it. */
  readonly stepId: number;
  readonly kind: 'client-tool' | 'approval';
  readonly toolName: string;
  readonly input: Json;
  /** ms since 1970. */
  readonly requestedAt: number;
  readonly expiresAt?: number;
  /** The remote agent that asks, at or below the owner; absent if the owner asks. */
  readonly at?: { readonly address: string; readonly agentType: string };
}

/** Until when a call waits, in ms since 1970; undefined where it waits for nobody or for ever. */
function deadlineOf(plan: CallPlan): number | undefined {
  if (plan.kind === 'client') return plan.expiresAt;
  return plan.kind === 'tool' ? plan.approval?.expiresAt : undefined;
}

/** What of an agent waits for a person now. */
export function pendingIn(state: AgentState): PendingCall[] {
  const step = currentStep(state);
  if (state.run?.phase !== 'active' || state.run.stop || step?.phase !== 'calls') return [];
  return pendingCalls(step).map((call) => {
    const expiresAt = deadlineOf(call.plan);
    return {
      toolCallId: call.callId,
      stepId: step.id,
      kind: call.plan.kind === 'client' ? 'client-tool' : 'approval',
      toolName: call.name,
      input: call.input,
      requestedAt: step.repliedAt,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
  });
}

/** The call that an answer is for, in the current step or in an older one. */
function callMeant(state: AgentState, callId: string, past: RepliedStep | undefined): Call | undefined {
  const { step } = state;
  const steps = step?.phase === 'calls' ? [step, past] : [past];
  for (const one of steps) {
    const call = one?.calls.find((other) => other.callId === callId);
    if (call) return call;
  }
  return undefined;
}

/** Whether a person has any say in a call. */
function isAsked({ plan }: Call): boolean {
  return plan.kind === 'client' || (plan.kind === 'tool' && plan.approval !== undefined);
}

/** What was decided, as whoever comes later is told. */
function decisionOf({ order: _order, ...record }: AnswerRecord): Json {
  return { ...record };
}

const unknown = (): Failure => failure('unknown_tool_call', 'No pending call has this id. `pending` lists all.');

const ANSWERED = 'The call was already answered: `details.decision` has the decision.';

function kindProblem({ plan }: Call, answer: PersonsAnswer): Failure | undefined {
  if (plan.kind === 'client' && answer.kind === 'approval-response')
    return failure('kind_mismatch', 'This call waits for the result of a client tool: send `client-tool-result`.');
  // A failure without a result is taken: the tool did not run either way.
  if (plan.kind === 'tool' && answer.kind === 'client-tool-result' && answer.result.success)
    return failure('kind_mismatch', 'This call waits for an approval: send `approval-response`.');
  return undefined;
}

const timedOut = ({ settled }: Call): boolean =>
  settled?.result.success === false && settled.result.error.code === 'client_tool_timeout';

/** Why an answer is not the result of its call, if it is not. */
export function whyNotAnswer(
  state: AgentState,
  question: { callId: string; answer: PersonsAnswer; at: number; past?: RepliedStep | undefined },
): Failure | undefined {
  const { run } = state;
  const call = callMeant(state, question.callId, question.past);
  if (call === undefined || !isAsked(call)) return unknown();
  const mismatch = kindProblem(call, question.answer);
  if (mismatch) return mismatch;
  const record = call.answer ?? call.settled?.answer;
  if (record) return failure('already_answered', ANSWERED, undefined, { decision: decisionOf(record) });
  if (call.settled) {
    const { result } = call.settled;
    const why = result.success ? 'The call already has its result.' : `The call has failed: ${result.error.message}`;
    return failure('late_answer', `The answer came too late. ${why}`);
  }
  if (run?.phase === 'ended') return failure('interrupted', 'The agent was interrupted. Resume it, then answer.');
  if (run?.phase !== 'active' || currentStep(state)?.phase !== 'calls') return unknown();
  if (run.stop) return failure('late_answer', `The run is being stopped: ${run.stop.reason}`);
  const deadline = deadlineOf(call.plan);
  if (call.plan.kind === 'tool' && deadline !== undefined && deadline <= question.at)
    return failure('late_answer', 'The deadline of this approval has passed, and the call counts as denied.');
  return undefined;
}

/** A person's answer. One that is refused changes nothing, but for the first late result of a client's tool. */
export function onAnswer(draft: Draft, event: AnswerEvent, rules: Rules): Transition {
  const problem = whyNotAnswer(draft.state, event);
  if (problem?.code === 'late_answer') return lateAnswer(draft, event, problem);
  if (problem) return { ok: false, refused: problem };
  const step = currentStep(draft.state);
  const call = step?.phase === 'calls' ? step.calls.find(({ callId }) => callId === event.callId) : undefined;
  if (step?.phase !== 'calls' || call === undefined) return refuse('unknown_tool_call');
  const answer = answerRecord(step, event);
  draft.emit({
    type: 'tool_answered',
    toolCallId: call.callId,
    kind: answer.kind,
    ...(answer.approved === undefined ? {} : { approved: answer.approved }),
    ...(answer.actor === undefined ? {} : { actor: answer.actor }),
  });
  if (answer.approved === true) return allow(draft, step, call, answer, event, rules);
  const facts = { at: event.at, startedAt: step.repliedAt, answer, ...unrunFacts(call) };
  const result = handedOver(draft, call, resultOfAnswer(call, event.answer), event, rules);
  settleCall(draft, step, call, result, facts, rules);
  return draft.done();
}

/** A person's message in place of answers: each approval that waits is denied, with its text as the reason (AN8). */
export function denyByMessage(
  draft: Draft,
  { message, actor, at }: Pick<Extract<AgentEvent, { type: 'send' }>, 'message' | 'actor' | 'at'>,
  rules: Rules,
): void {
  let step = currentStep(draft.state);
  if (draft.state.run?.phase !== 'active' || draft.state.run.stop || step?.phase !== 'calls') return;
  const text = beginningOf(textOf(message), MAX_REASON);
  const who = actor === undefined ? {} : { actor };
  const given = { kind: 'approval-response', approved: false } as const;
  for (const call of pendingCalls(step)) {
    const deadline = deadlineOf(call.plan);
    // What nobody allowed in time is denied for that.
    if (call.plan.kind !== 'tool' || (deadline !== undefined && deadline <= at)) continue;
    const reason = text === '' ? {} : { reason: text };
    const order = 1 + step.calls.filter((one) => one.answer ?? one.settled?.answer).length;
    draft.emit({ type: 'tool_answered', toolCallId: call.callId, ...given, ...who });
    const facts = { at, startedAt: step.repliedAt, answer: { ...given, at, order, ...who, ...reason } };
    const result = denied(call, text === '' ? undefined : text);
    step = settleCall(draft, step, call, result, { ...facts, ...unrunFacts(call) }, rules);
  }
}

/** The most characters of a message that are the reason of a denial; the model reads the message besides. */
const MAX_REASON = 1_000;

function textOf({ content }: NewMessage): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();
}

function answerRecord(step: RepliedStep, { answer, actor, at }: AnswerEvent): AnswerRecord {
  const order = 1 + step.calls.filter((call) => call.answer ?? call.settled?.answer).length;
  const facts = { kind: answer.kind, at, order, ...(actor === undefined ? {} : { actor }) };
  if (answer.kind === 'client-tool-result') return facts;
  const { approved, reason, input } = answer;
  return {
    ...facts,
    approved,
    ...(reason === undefined ? {} : { reason }),
    ...(approved && input !== undefined ? { input } : {}),
  };
}

/** The call may run now, perhaps with other arguments: then the model is told of them. */
function allow(
  draft: Draft,
  step: RepliedStep,
  call: Call,
  answer: AnswerRecord,
  event: AnswerEvent,
  rules: Rules,
): Transition {
  draft.setCallState(step, call, { answer });
  if (answer.input !== undefined) {
    const { calls } = step;
    const isOnly = calls.every(({ name, callId }) => name !== call.name || callId === call.callId);
    const place = isOnly ? undefined : 1 + calls.findIndex(({ callId }) => callId === call.callId);
    acceptMessage(draft, fromOffshoot(event, changedCallNotice(call.name, answer.input, place)), event.at);
  }
  oweHook(draft, rules, 'beforeTool', { callId: call.callId });
  return draft.done();
}

const fromOffshoot = (event: AnswerEvent, content: string) => ({
  messageId: mintId('message', event.token),
  role: 'user' as const,
  content,
  from: 'offshoot' as const,
});

function resultOfAnswer(call: Call, answer: PersonsAnswer): CallResult {
  if (answer.kind === 'client-tool-result') {
    if (call.plan.kind === 'client' || answer.result.success) return answer.result;
    return denied(call, answer.result.error.message);
  }
  return denied(call, answer.reason);
}

function denied(call: Call, reason: string | undefined): CallResult {
  const why = reason === undefined ? '' : ` The reason given: ${reason}`;
  const message = `A person did not allow the call of "${call.name}", and it did not run.${why}`;
  return { success: false, error: failure('approval_denied', message) };
}

/** The first result of a client that comes after a model has seen the failure is kept and told; all others change nothing. */
function lateAnswer(draft: Draft, event: AnswerEvent, problem: Failure): Transition {
  const call = callMeant(draft.state, event.callId, event.past);
  const stepId = isIn(draft.state.step, event.callId) ? draft.state.step?.id : event.past?.id;
  const { settled } = call ?? {};
  const isResult = event.answer.kind === 'client-tool-result';
  if (!call || !settled || stepId === undefined || !isResult || !timedOut(call) || settled.lateAt !== undefined)
    return { ok: false, refused: problem };
  draft.put({ put: 'settlement', stepId, index: call.index, settlement: { ...settled, lateAt: event.at } });
  const { step } = draft.state;
  if (step?.phase === 'calls' && isIn(step, event.callId))
    draft.setCall(step, { ...call, settled: { ...settled, lateAt: event.at } }, false);
  const result = event.answer.kind === 'client-tool-result' ? JSON.stringify(resultContent(event.answer.result)) : '';
  const content = `The client's answer to your call of "${call.name}" came after its deadline: ${result}`;
  acceptMessage(draft, fromOffshoot(event, content), event.at);
  draft.late = problem;
  return draft.done();
}

function isIn(step: AgentState['step'], callId: string): boolean {
  return step?.phase === 'calls' && step.calls.some((call) => call.callId === callId);
}

/** Answers whose time is up: an approval is denied; a client's tool has failed once nothing else keeps the step open. */
export function onExpire(draft: Draft, event: Extract<AgentEvent, { type: 'expire' }>, rules: Rules): Transition {
  let step = currentStep(draft.state);
  if (draft.state.run?.phase !== 'active' || draft.state.run.stop || step?.phase !== 'calls') return draft.done();
  for (const call of pendingCalls(step)) {
    const deadline = deadlineOf(call.plan);
    if (deadline === undefined || deadline > event.at) continue;
    if (call.plan.kind === 'client') {
      step = draft.setCallState(step, call, { state: { is: 'expired' } });
      continue;
    }
    const error = failure(
      'approval_expired',
      `The call of "${call.name}" was not approved in time, so it did not run.`,
    );
    const facts = { at: event.at, startedAt: step.repliedAt, ...unrunFacts(call) };
    step = settleCall(draft, step, call, { success: false, error }, facts, rules);
  }
  endWaits(draft, rules, event.at);
  return draft.done();
}

/** Waits for sub-agents whose time is up go on with what has ended (CO8). */
function endWaits(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  for (const call of openCalls(step)) {
    const until = awaitsUntil(call);
    const result = until === undefined || until > at ? undefined : resultInTime(draft.state, call, rules);
    // It tells the ends that it kept: no message tells them again.
    const { state: _kept, ...heard } = call;
    if (result === undefined) continue;
    settleCall(draft, step, heard, result, { at, startedAt: step.repliedAt }, rules);
    withoutNotices(draft, endedOf(call));
    showFiles(draft, call, endedOf(call), at);
    step = currentStep(draft.state);
    if (step?.phase !== 'calls') return;
  }
}

/** Settles the client's tools whose time is up, once they alone keep the step open. */
export function settleExpired(draft: Draft, rules: Rules, at: number): void {
  let step = currentStep(draft.state);
  if (step?.phase !== 'calls') return;
  const open = openCalls(step);
  if (open.some(({ state }) => state?.is !== 'expired')) return;
  for (const call of open) {
    const error = failure('client_tool_timeout', `The client sent no result for "${call.name}" in time.`);
    step = settleCall(draft, step, call, { success: false, error }, { at, startedAt: step.repliedAt }, rules);
  }
}
