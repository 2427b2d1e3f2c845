/**
 * Runs a hook that a run owes, and reports its end as an event.
 *
 * Keeps HK4, HK10, HK11.
 */

import { hookedMessage, replyMessage } from '../../core/agent/hooks/hooked-message';
import type { Effect } from '../../core/agent/owed-effects';
import {
  type Call,
  currentStep,
  type Outcome,
  type OwedHook,
  type RepliedStep,
  replyText,
} from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import { changesGiven } from '../../core/definition/hooks/hook-answers';
import type { HookPayloads } from '../../core/definition/hooks/hook-types';
import type { HookedMessage, MessageChanges } from '../../core/definition/hooks/hooked-message';
import type { AnyHook } from '../../core/definition/hooks/hooks';
import type { StandardHookPayloads } from '../../core/definition/hooks/standard-hooks';
import { NO_USAGE } from '../../protocol/usage';
import { findMessage } from '../object/find-message';
import type { BodyAgent } from './performer';
import { runHook } from './run-hook';

type HookEffect = Extract<Effect, { kind: 'hook' }>;
type Payload = Parameters<AnyHook['run']>[0];

const bodyOf = ({ hooks }: AgentDefinition, { hook, hookId }: OwedHook): AnyHook | undefined =>
  hooks.find((one) => one.hook === hook && one.id === hookId);

/** What a hook is told, from the state: nothing goes on while it is owed, so all of it is still there. */
function payloadOf(agent: BodyAgent, { owed }: HookEffect): Payload | undefined {
  const { run } = agent.state;
  const step = currentStep(agent.state);
  if (run?.phase !== 'active') return undefined;
  switch (owed.hook) {
    case 'onAgentStart':
      return {
        turn: run.turn,
        ...(owed.input === undefined ? {} : { input: owed.input }),
        ...(run.lineage.resumedFrom === undefined ? {} : { resumedFrom: run.lineage.resumedFrom }),
      };
    case 'onAgentComplete':
    case 'onAgentFail':
      return endPayload(run.hooks?.ending, agent.environment.now() - run.startedAt);
    case 'onRunSettled':
      return settledPayload(run.hooks?.ending, agent.environment.now() - run.startedAt);
    case 'onStepStart':
      return step && { step: step.number };
    case 'onStepEnd':
      return step?.phase === 'calls' ? stepPayload(step) : undefined;
    case 'after_thread_created':
      return threadPayload(agent);
    case 'after_subagent_created':
      return owed.child && { ...owed.child, ...(owed.callId === undefined ? {} : { toolCallId: owed.callId }) };
    case 'before_create_message':
    case 'after_create_message':
    case 'after_update_message': {
      const message = messageOf(agent, owed);
      return message && { message };
    }
    case 'beforeTool':
    case 'afterTool':
    case 'onChildSettled': {
      const call = step?.phase === 'calls' ? step.calls.find(({ callId }) => callId === owed.callId) : undefined;
      return call && callPayload(owed.hook, call);
    }
  }
}

const stepPayload = (step: RepliedStep): HookPayloads['onStepEnd'] => ({
  step: step.number,
  text: replyText(step),
  finishReason: step.finishReason,
  usage: step.usage,
});

function endPayload(ending: Outcome | undefined, durationMs: number): Payload | undefined {
  if (ending?.status === 'completed') return { output: ending.output, durationMs };
  if (ending?.status !== 'failed') return undefined;
  const { error, failureReason } = ending;
  return { error, durationMs, ...(failureReason === undefined ? {} : { failureReason }) };
}

function settledPayload(ending: Outcome | undefined, durationMs: number): Payload | undefined {
  if (ending?.status === 'interrupted' || ending?.status === 'terminated')
    return { status: ending.status, reason: ending.reason, durationMs };
  if (ending?.status === 'completed') return { status: ending.status, output: ending.output, durationMs };
  const payload = endPayload(ending, durationMs);
  return payload && 'error' in payload ? { status: 'failed', ...payload } : undefined;
}

function callPayload(hook: 'beforeTool' | 'afterTool' | 'onChildSettled', call: Call): Payload | undefined {
  const tool = { name: call.name, toolCallId: call.callId };
  const input = call.answer?.input ?? call.settled?.answer?.input ?? call.input;
  if (hook === 'beforeTool') return { tool, input };
  if (call.settled === undefined) return undefined;
  const { result, at, startedAt } = call.settled;
  if (hook === 'afterTool') return { tool, input, result, durationMs: at - startedAt };
  if (call.plan.kind !== 'task' || call.plan.began === undefined) return undefined;
  const { agentType, sessionId, address } = call.plan.began;
  return { agentType, toolCallId: call.callId, sessionId, address, result };
}

function threadPayload({ state: { session } }: BodyAgent): StandardHookPayloads['after_thread_created'] {
  const { sessionId, agentType, address, parent } = session;
  return { sessionId, agentType, address, ...(parent ? { parentSessionId: parent.sessionId } : {}) };
}

/** The message that a hook speaks of; that of the step where it is a reply. */
function messageOf(agent: BodyAgent, { messageId }: OwedHook): HookedMessage | undefined {
  const step = currentStep(agent.state);
  if (messageId === undefined) return step?.phase === 'calls' ? replyMessage(agent.state.session, step) : undefined;
  const message = findMessage(agent, messageId);
  return message && hookedMessage(message);
}

/** What it gave, where that takes the place of something. */
function answerOf(
  agent: BodyAgent,
  { hook }: OwedHook,
  payload: Payload,
  given: unknown,
): { changes?: MessageChanges } {
  if (hook !== 'before_create_message' || !('message' in payload)) return {};
  return { changes: changesGiven(payload.message, given, agent.seat.rules.limits.maxMessageBytes) };
}

/** Performs one hook; its end is an event, whatever happened. */
export async function performHook(agent: BodyAgent, effect: HookEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const { owed, runId, epoch } = effect;
  const { id } = owed;
  const hook = bodyOf(agent.seat.definition, owed);
  const payload = payloadOf(agent, effect);
  const call = { by: id, idempotencyKey: id, runId, epoch, signal };
  const ended =
    hook && payload
      ? await runHook(agent, hook, payload, call, (given) => answerOf(agent, owed, payload, given))
      : { usage: NO_USAGE, given: {} };
  const { usage } = ended;
  if (signal.aborted) return agent.spentLate(usage);
  const failed = 'error' in ended ? { error: ended.error, ...(hook?.failRun ? { failsRun: true as const } : {}) } : {};
  const answer = 'given' in ended ? ended.given : {};
  const spent = usage === NO_USAGE ? {} : { usage };
  const facts = { at: environment.now(), token: environment.token(), id, epoch };
  const done = agent.apply({ type: 'hook_done', ...facts, ...failed, ...answer, ...spent });
  if (!done.ok) agent.spentLate(usage);
}
