/** Runs a hook of the definition, bounded in time, and reports its end as an event. */

import type { Effect } from '../core/agent/effects';
import { type Call, currentStep, type Outcome, type RepliedStep, replyText } from '../core/agent/state';
import type { AgentDefinition } from '../core/definition/definition';
import type { Hook, HookBody, HookContext, HookName, HookPayloads } from '../core/definition/hook-types';
import { failureOf, OffshootError } from '../protocol/errors';
import { NO_USAGE } from '../protocol/usage';
import { bodyContext, type Spent } from './body-context';
import { bounded } from './bounded';
import type { BodyAgent } from './performer';
import type { ReadSecrets } from './read-secrets';

type HookEffect = Extract<Effect, { kind: 'hook' }>;
type Payload = HookPayloads[HookName];

function bodyOf(definition: AgentDefinition, name: HookName): { run: HookBody; failRun: boolean } | undefined {
  const hook: Hook | undefined = definition.hooks[name];
  if (hook === undefined) return undefined;
  if (typeof hook === 'function') return { run: hook, failRun: false };
  return { run: hook.run, failRun: hook.failRun === true };
}

function contextOf(
  agent: BodyAgent,
  effect: HookEffect,
  signal: AbortSignal,
): { context: HookContext; spent: Spent; secrets: ReadSecrets } {
  const { parent, tags, metadata } = agent.state.session;
  const { id } = effect.owed;
  const { context: common, ...kept } = bodyContext(
    agent,
    { by: id, idempotencyKey: id, runId: effect.runId, epoch: effect.epoch },
    signal,
  );
  const context = {
    ...common,
    tags,
    stepCount: currentStep(agent.state)?.number ?? 0,
    ...(parent ? { parentSessionId: parent.sessionId } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { context, ...kept };
}

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
        ...(run.resumedFrom === undefined ? {} : { resumedFrom: run.resumedFrom }),
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

type Body = NonNullable<ReturnType<typeof bodyOf>>;

/** Runs the body: what it spent, and how it failed. What a stop cuts off is nobody's failure. */
async function runBody(agent: BodyAgent, effect: HookEffect, signal: AbortSignal, body: Body, payload: Payload) {
  const { environment, seat } = agent;
  const controller = new AbortController();
  const { context, spent, secrets } = contextOf(agent, effect, controller.signal);
  const ms = seat.rules.limits.hookTimeoutMs;
  const late = () => new OffshootError('hook_failed', `The hook ${effect.owed.hook} did not end within ${ms} ms.`);
  try {
    await bounded(environment, { ms, late, signal, controller }, () => body.run(payload, context));
  } catch (thrown) {
    const error = failureOf(thrown, 'hook_failed');
    if (!signal.aborted) environment.report(`The hook ${effect.owed.hook} failed.`, secrets.thrown(thrown, error));
    return { usage: spent.close(), error: secrets.in(error) };
  }
  return { usage: spent.close() };
}

/** Performs one hook; its end is an event, whatever happened. */
export async function performHook(agent: BodyAgent, effect: HookEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const body = bodyOf(agent.seat.definition, effect.owed.hook);
  const payload = payloadOf(agent, effect);
  const ended = body && payload ? await runBody(agent, effect, signal, body, payload) : { usage: NO_USAGE };
  const { usage } = ended;
  if (signal.aborted) return agent.spentLate(usage);
  const { id } = effect.owed;
  const failed = 'error' in ended ? { error: ended.error, ...(body?.failRun ? { failsRun: true as const } : {}) } : {};
  const spent = usage === NO_USAGE ? {} : { usage };
  const facts = { at: environment.now(), token: environment.token(), id, epoch: effect.epoch };
  const done = agent.apply({ type: 'hook_done', ...facts, ...failed, ...spent });
  if (!done.ok) agent.spentLate(usage);
}
