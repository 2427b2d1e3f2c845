/**
 * Steps: one model call and everything that it asked for.
 *
 * Decides: what ends a run; what follows a step; what going past `maxSteps` means. The numbers themselves are limits.
 *
 * ST1. What an older epoch, step or attempt reports is refused.
 * ST2. A step that begins is counted; going past `maxSteps` is a failure, never a silent success.
 * ST3. A step is closed in the transaction that settles its last call; the next step, or the end, is in the same one.
 */

import type { ChunkBody } from '../../../protocol/chunks';
import { codeFacts, type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import type { ReplyFilePart } from '../../../protocol/messages';
import type { SideName } from '../../../protocol/sides';
import { lessUsage, usdText } from '../../../protocol/usage';
import type { ModelDelta } from '../../definition/model-port';
import { settleExpired } from '../calls/answer';
import { callIdOf, closeIdleCalls, oweToolHooks, planCalls } from '../calls/call';
import type { Transition } from '../changes';
import { cascade } from '../children/cascade';
import { acceptMessage, deliverInbox } from '../delivery';
import { type Draft, refuse } from '../draft';
import type { AgentEvent, ModelFence } from '../events';
import { oweCreateHooks } from '../hooks/create-hooks';
import { oweHook, owesHook } from '../hooks/hooks';
import type { Rules } from '../rules';
import { endAfterHooks, endRun, startRun } from '../runs/run';
import { takeQueued } from '../runs/start-and-resume';
import { advanceStopped } from '../runs/stop';
import { goingOn } from '../standard-agents/handoff';
import { deferStep, owesActivation } from '../standard-agents/immediate-subagents';
import { givingFor } from '../standard-agents/result-files';
import { afterStep, boundEnd, firstSide, goOn, type SidesRules } from '../standard-agents/sides';
import {
  type ActingSide,
  type ActiveRun,
  type AgentState,
  currentStep,
  type Outcome,
  openCalls,
  type RepliedStep,
  replyText,
  type Step,
} from '../state';
import { isDone } from './closing';
import { committed } from './committed';
import { asksNext, passedBefore } from './fallback';
import { endOfFailures, failedBefore } from './repeated-failure';
import { oweStopWhen, stoppedBy } from './stop-when';

type Event<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
/** What the machines go by, asked of each state: it changes with whose turn it is. */
type RulesOf = (state: AgentState) => Rules;
type Moment = { readonly at: number; readonly token: string };

/** The top of a step: honour the limit, drain the inbox, ask the model. */
function beginStep(draft: Draft, run: ActiveRun, rules: Rules, moment: Moment): void {
  if (owesActivation(draft.state, rules)) return deferStep(draft);
  const number = (currentStep(draft.state)?.number ?? 0) + 1;
  const error = limitReached(draft, run, number, rules);
  if (error) {
    // What its hooks used up before the first step they would use up again: nothing begins another run by itself.
    const byHooks = currentStep(draft.state) ? {} : { failureReason: error.code };
    return endAfterHooks(draft, run, { status: 'failed', error, ...byHooks }, moment.at, rules);
  }
  if (oweCreateHooks(draft, rules)) return deferStep(draft);
  const side = rules.sides && run.sides?.acting;
  const step: Step = {
    phase: 'model',
    id: (draft.state.step?.id ?? 0) + 1,
    turn: run.turn,
    number,
    attempt: 1,
    recoveries: 0,
    token: moment.token,
    ...(side ? { side } : {}),
    messagesUpTo: draft.state.lastMessage,
    startedAt: moment.at,
    failures: [],
    spent: draft.state.spent,
    notBefore: moment.at,
    ...(run.hooks?.failed ? { hookFailures: run.hooks.failed } : {}),
    ...compactedBefore(draft.state.step),
    ...failedBefore(draft.state.step, run.turn, rules),
    ...passedBefore(draft.state.step, run.turn),
  };
  if (run.hooks?.failed || run.hooks?.recoveries) {
    const { failed: _failed, recoveries: _recoveries, ...hooks } = run.hooks;
    draft.setRun({ ...run, hooks });
  }
  deliverInbox(draft, step);
  draft.setStep(step);
  draft.emit({ type: 'step_started', ...(side ? { side } : {}), ...speakerOf(rules, side) });
  oweHook(draft, rules, 'onStepStart');
}

/** What people are told of who speaks: a side, or the agent that the session was handed to. */
function speakerOf({ sides, speaker }: Rules, side: SideName | undefined): { readonly speaker?: string } {
  const said = side ? (sides?.of[side].label ?? side) : speaker;
  return said === undefined ? {} : { speaker: said };
}

/** What the requests before a step left out, its own leaves out as well. */
function compactedBefore(last: Step | undefined): Pick<Step, 'compactedAt'> {
  const compactedAt = last?.compaction ? last.id : last?.compactedAt;
  return compactedAt === undefined ? {} : { compactedAt };
}

/** Which of its limits a run has reached that wants to ask its model once more, if any (ST2). */
export function limitReached(draft: Draft, run: ActiveRun, number: number, { limits }: Rules): Failure | undefined {
  const over = (
    code: 'max_steps' | 'max_tokens' | 'max_cost',
    limit: 'maxSteps' | 'maxTokens' | 'maxCostUsd',
    what: string,
  ): Failure =>
    failure(code, `The run ${what}. Raise \`limits.${limit}\` and retry, or ask for less at once.`, undefined, {
      limit: `limits.${limit}`,
    });
  if (number > limits.maxSteps)
    return over('max_steps', 'maxSteps', `used its ${limits.maxSteps} steps without ending`);
  const spent = lessUsage(draft.state.spent, run.lineage.usageAtChainStart);
  const tokens = spent.inputTokens + spent.outputTokens;
  if (tokens >= limits.maxTokens)
    return over('max_tokens', 'maxTokens', `used ${tokens} tokens; it may use ${limits.maxTokens}`);
  const { costUsd = 0 } = spent;
  if (costUsd >= limits.maxCostUsd)
    return over(
      'max_cost',
      'maxCostUsd',
      `spent ${usdText(costUsd)} US dollars; it may spend ${usdText(limits.maxCostUsd)}`,
    );
  return undefined;
}

/** The run and step that a model event speaks of, or a refusal when they are no longer current (ST1). */
export function fenced(
  draft: Draft,
  fence: ModelFence,
): { run: ActiveRun; step: Extract<Step, { phase: 'model' }> } | Transition {
  const { run } = draft.state;
  const step = currentStep(draft.state);
  const current =
    run?.phase === 'active' &&
    run.stop === undefined &&
    run.hooks?.ending === undefined &&
    run.runId === fence.runId &&
    run.epoch === fence.epoch &&
    step?.phase === 'model' &&
    step.id === fence.stepId &&
    step.attempt === fence.attempt;
  return current
    ? { run, step }
    : refuse('superseded', 'This answer belongs to a model call that is no longer awaited.');
}

function deltaChunk(step: Step, delta: ModelDelta, { builtIns }: Rules): ChunkBody {
  switch (delta.type) {
    case 'text':
      return { type: 'text_delta', part: delta.part, delta: delta.delta };
    case 'thinking':
      return { type: 'thinking', part: delta.part, delta: delta.delta };
    case 'provider_call': {
      const { part, id: providerCallId, toolName, input } = delta;
      return { type: 'provider_tool_start', part, providerCallId, toolName, arguments: input };
    }
    case 'provider_result': {
      const { part, id: providerCallId, toolName, result, success } = delta;
      return { type: 'provider_tool_end', part, providerCallId, toolName, result, success };
    }
    case 'source': {
      const { type: _type, id: sourceId, ...source } = delta.source;
      return { type: 'reply_source', part: delta.part, sourceId, ...source };
    }
    case 'tool_arg_start': {
      const { index, toolName } = delta;
      const outputKey = builtIns.find(({ name }) => name === toolName)?.outputKey;
      const toolCallId = callIdOf(step, index);
      return { type: 'tool_arg_stream_start', toolCallId, toolName, ...(outputKey === undefined ? {} : { outputKey }) };
    }
    case 'tool_arg_delta':
      return { type: 'tool_arg_stream_delta', toolCallId: callIdOf(step, delta.index), delta: delta.delta };
  }
}

function fileChunk(part: number, file: ReplyFilePart): ChunkBody {
  const { type: _type, providerMetadata: _metadata, ...facts } = file;
  return { type: 'reply_file', part, ...facts };
}

/** Pieces of a reply while it streams: chunks alone, no state. */
export function onModelProgress(draft: Draft, event: Event<'model_progress'>, rules: Rules): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  for (const delta of event.deltas) draft.emit(deltaChunk(now.step, delta, rules));
  return draft.done();
}

/** A whole reply: committed with its calls before any of them begins. */
export function onModelReplied(draft: Draft, event: Event<'model_replied'>, rules: Rules): Transition {
  const now = fenced(draft, event);
  if ('ok' in now) return now;
  const { step } = now;
  for (const delta of event.deltas) draft.emit(deltaChunk(step, delta, rules));
  draft.spend(event.reply.usage);
  if (
    event.reply.finishReason === 'content-filter' &&
    asksNext(draft, step, { error: refusedReply(), at: event.at }, rules)
  )
    return draft.done();
  const { notBefore: _notBefore, phase: _phase, refusals: _refusals, unasked: _unasked, ...facts } = step;
  oweHook(draft, rules, 'after_create_message');
  let index = 0;
  const reply = event.reply.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const { input: _input, malformed: _malformed, ...rest } = part;
    return { ...rest, index: index++ };
  });
  const replied: RepliedStep = {
    ...facts,
    phase: 'calls',
    reply,
    model: event.reply.model,
    ...(event.reply.responseId === undefined ? {} : { responseId: event.reply.responseId }),
    finishReason: event.reply.finishReason,
    ...(event.reply.notes === undefined ? {} : { notes: event.reply.notes }),
    usage: event.reply.usage,
    repliedAt: event.at,
    spent: draft.state.spent,
    calls: planCalls(draft, step, event, rules),
  };
  draft.setStep(replied);
  for (const [part, file] of reply.entries()) if (file.type === 'reply-file') draft.emit(fileChunk(part, file));
  closeIdleCalls(draft, rules, event.at);
  oweToolHooks(draft, rules);
  return draft.done();
}

/** The output that the calls of a step end the run with, if one does: a tool of the framework first, else a `finishWith` tool. */
function finishing(step: RepliedStep): Outcome | undefined {
  for (const { plan } of step.calls) {
    if (plan.kind === 'immediate' && plan.ends)
      return { status: 'completed', output: plan.ends.output, completionReason: 'finish' };
  }
  for (const call of step.calls) {
    if (call.plan.kind === 'tool' && call.plan.finishWith && call.settled?.result.success === true) {
      return { status: 'completed', output: call.settled.result.value, completionReason: 'finish_with' };
    }
  }
  return undefined;
}

/** The end that a step is by itself, before `stopWhen` is asked. */
const ownEnd = (step: RepliedStep, rules: Rules): Outcome | undefined =>
  finishing(step) ?? cutOff(step) ?? endOfFailures(step, rules);

function outcomeOf(run: ActiveRun, step: RepliedStep, rules: Rules): Outcome | undefined {
  const finished = ownEnd(step, rules);
  if (finished) return finished;
  const stopped = stoppedBy(run, step, rules);
  if (stopped || step.calls.length > 0 || step.finishReason === 'paused') return stopped;
  return rules.finishTools.length > 0
    ? undefined
    : { status: 'completed', output: replyText(step), completionReason: 'text' };
}

const refusedReply = (): Failure => failure('model_refused', 'A content filter stopped the reply of the model.');

/** The failure that a reply is that is not whole: a filter always, an output limit where it has no calls to ask for again. */
function cutOff({ finishReason, calls }: RepliedStep): Outcome | undefined {
  if (finishReason === 'content-filter') return { status: 'failed', error: refusedReply() };
  if (finishReason !== 'length' || calls.length > 0) return undefined;
  const advice = 'Raise the output limit of the model, or ask for less at once.';
  return { status: 'failed', error: failure('output_limit', `${codeFacts('output_limit').title} ${advice}`) };
}

/**
 * Whether a run goes on although it could end: a message that was accepted while it worked is seen by its next step.
 * Past the last step there is none, and what `stopWhen` ends has ended.
 */
function isSpokenTo(draft: Draft, step: RepliedStep, outcome: Outcome, rules: Rules): boolean {
  if (outcome.status !== 'completed' || outcome.completionReason === 'stop_when') return false;
  // What the framework adds is no reason to go on.
  return draft.state.inbox.some(({ from }) => from !== 'offshoot') && step.number < rules.limits.maxSteps;
}

const reminder = (tools: readonly string[]): string =>
  `Your answer was not delivered: this agent ends by calling the tool ${tools.join(' or ')}. Call it now, or continue with your other tools.`;

/**
 * Goes as far as the state allows, after every event: an active run without a step begins one; a step whose calls all
 * have their results is committed, and ends the run or begins the next step; behind a run that has ended, the next start
 * begins that waits.
 */
export function advance(draft: Draft, rulesOf: RulesOf, moment: Moment): void {
  do {
    const { run } = draft.state;
    if (run?.phase === 'active') advanceRun(draft, run, rulesOf, moment);
  } while (takeQueued(draft, rulesOf(draft.state), moment) || wake(draft, rulesOf(draft.state), moment));
}

/**
 * A root at rest begins a turn for what it was told that wants it (CO9), and for what a caller said to a run that completed
 * without a step that saw it (DL7), unless its last run was broken off: one that was interrupted waits to be resumed, and what people, a limit of time, a hook or crashes ended does not begin again by itself.
 */
function wake(draft: Draft, rules: Rules, { at, token }: Moment): boolean {
  const { run, session, inbox, queued } = draft.state;
  if (session.parent || session.terminated || run?.phase !== 'ended' || queued.length > 0) return false;
  if (run.outcome.status === 'interrupted' || run.outcome.status === 'terminated') return false;
  if (run.outcome.status === 'failed' && run.outcome.failureReason !== undefined) return false;
  const completed = run.outcome.status === 'completed';
  if (!inbox.some(({ wakes, from }) => wakes || (completed && from === 'caller'))) return false;
  startRun(draft, { runId: mintId('run', token, 1), at }, rules);
  return true;
}

function advanceRun(draft: Draft, before: ActiveRun, rulesOf: RulesOf, moment: Moment): void {
  const rules = rulesOf(draft.state);
  if (before.stop === undefined) cascade(draft);
  const { run } = draft.state;
  if (run?.phase !== 'active' || owesHook(run)) return;
  if (run.hooks?.ending) return endRun(draft, run, run.hooks.ending, moment.at);
  if (run.stop) return advanceStopped(draft, run, run.stop, rules, moment.at);
  settleExpired(draft, rules, moment.at);
  const step = currentStep(draft.state);
  if (step === undefined) {
    if (rules.sides === undefined || run.sides) return beginStep(draft, run, rules, moment);
    const begun = { ...run, sides: { acting: firstSide(draft.state.inbox), turns: 0, steps: 0 } };
    draft.setRun(begun);
    return beginStep(draft, begun, rulesOf(draft.state), moment);
  }
  if (isDone(run, step.id, 'deferred')) return beginStep(draft, run, rules, moment);
  if (step.phase === 'calls' && openCalls(step).length === 0) closeStep(draft, step, rules, moment, rulesOf);
}

/** A step whose calls have all their results (ST3). */
function closeStep(draft: Draft, step: RepliedStep, rules: Rules, moment: Moment, rulesOf: RulesOf): void {
  if (endsStep(draft, step, rules)) return;
  const { run } = draft.state;
  if (run?.phase !== 'active' || owesHook(run)) return;
  if (rules.sides) return closeSideStep(draft, step, run, rules, rules.sides, moment, rulesOf);
  if (ownEnd(step, rules) === undefined && oweStopWhen(draft, step, rules)) return;
  const outcome = outcomeOf(run, step, rules);
  if (outcome && !isSpokenTo(draft, step, outcome, rules)) return endAfterHooks(draft, run, outcome, moment.at, rules);
  if (outcome === undefined && step.calls.length === 0 && step.finishReason !== 'paused') {
    const nudge = {
      messageId: mintId('message', moment.token),
      role: 'user',
      content: reminder(rules.finishTools),
      from: 'offshoot',
    } as const;
    acceptMessage(draft, nudge, moment.at);
  }
  const next = goingOn(draft, run);
  beginStep(draft, next, rulesOf(draft.state), moment);
}

/** The same for a step of one of two sides: it ends the session, gives the turn to the other side, or goes on with it. */
function closeSideStep(
  draft: Draft,
  step: RepliedStep,
  run: ActiveRun,
  rules: Rules,
  sides: SidesRules,
  moment: Moment,
  rulesOf: RulesOf,
): void {
  const { acting, steps } = run.sides ?? FIRST_TURN;
  const counted = { ...run, sides: { ...(run.sides ?? FIRST_TURN), steps: steps + 1 } };
  const side = sides.of[acting];
  const ending = boundEnd(side, step);
  const bound = ending?.outcome ?? cutOff(step) ?? endOfFailures(step, rules);
  const spoken = bound !== undefined && isSpokenTo(draft, step, bound, rules);
  const next = afterStep(sides, counted, step);
  const outcome = spoken ? undefined : (bound ?? next.ended);
  const gives = givingFor(run, outcome ? ending?.call : undefined);
  if (outcome) {
    draft.setRun(gives);
    return endAfterHooks(draft, gives, outcome, moment.at, rules);
  }
  // Whoever spoke to a session that was about to end is answered by the side that they spoke to.
  const following = spoken ? { ...next.sides, acting: firstSide(draft.state.inbox) } : next.sides;
  const goesOn = { ...gives, sides: following };
  draft.setRun(goesOn);
  if (following.acting === acting && step.calls.length === 0 && !spoken) {
    const nudge = { messageId: mintId('message', moment.token), role: 'user', from: 'offshoot', to: acting } as const;
    acceptMessage(draft, { ...nudge, content: goOn(side) }, moment.at);
  }
  const handed = goingOn(draft, goesOn);
  beginStep(draft, handed, rulesOf(draft.state), moment);
}

const FIRST_TURN: ActingSide = { acting: 'side_a', turns: 0, steps: 0 };

/** Announces the end of a step, once; whether its hook is to be waited for. */
function endsStep(draft: Draft, step: RepliedStep, rules: Rules): boolean {
  const { run } = draft.state;
  if (run?.phase !== 'active' || run.hooks?.stepEnded === step.id) return false;
  if (!isDone(run, step.id, 'committed')) draft.emit(committed(draft.state, step));
  return oweHook(draft, rules, 'onStepEnd');
}
