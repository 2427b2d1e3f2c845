/** Runs the body of a tool, bounded in time, and brings its result back as an event. */
import { createPatch } from 'rfc6902';
import type { ToolContext, ToolDefinition } from '../core/definition';
import type { Effect } from '../core/effects';
import { failure, failureOf, OffshootError } from '../core/errors';
import { byteLength, type Json, toJson } from '../core/json';
import type { CallResult } from '../core/messages';
import { fit } from '../core/plan';
import type { AgentRuntime } from './agent';

type ToolEffect = Extract<Effect, { kind: 'tool' }>;

/** Longer status texts are cut. Unit: characters. */
const MAX_STATUS_TEXT = 1_000;

interface Spent {
  inputTokens: number;
  outputTokens: number;
  costUsd?: number;
}

function contextOf(agent: AgentRuntime, effect: ToolEffect, signal: AbortSignal, spent: Spent): ToolContext {
  const { session } = agent.state;
  const { callId } = effect.call;
  const { epoch } = effect;
  const apply = (event: Parameters<AgentRuntime['apply']>[0]): void => {
    const answer = agent.apply(event);
    if (!answer.ok) throw new OffshootError(answer.refused.code, answer.refused.message);
  };
  return {
    getState: () => structuredClone(agent.state.custom),
    updateState(change) {
      const before = agent.state.custom;
      const custom = plain(agent, changed(change, before), 'The custom state');
      const patch = createPatch(before, custom) as unknown as Json[];
      if (patch.length > 0)
        apply({ type: 'custom_changed', at: agent.environment.now(), callId, epoch, custom, patch });
    },
    emit(statusText) {
      const chunk = {
        type: 'subagent_status',
        subSessionId: session.sessionId,
        status: 'running',
        statusText: statusText.slice(0, MAX_STATUS_TEXT),
      } as const;
      apply({ type: 'emitted', at: agent.environment.now(), callId, epoch, chunk });
    },
    emitCustom(name, given) {
      const data = plain(agent, given, 'The data of a custom chunk');
      apply({ type: 'emitted', at: agent.environment.now(), callId, epoch, chunk: { type: 'custom', name, data } });
    },
    abortSignal: signal,
    idempotencyKey: callId,
    agent: { type: session.agentType, sessionId: session.sessionId, address: session.address, runId: effect.runId },
    files: agent.around.files,
    env: agent.environment.bindings,
    recordUsage(usage) {
      spent.inputTokens += amount(usage.inputTokens);
      spent.outputTokens += amount(usage.outputTokens);
      if (usage.costUsd !== undefined) spent.costUsd = (spent.costUsd ?? 0) + amount(usage.costUsd);
    },
  };
}

/** What is no amount counts nothing, so that it does not spoil the sums. */
function amount(given: number | undefined): number {
  return given !== undefined && given >= 0 && given < Number.POSITIVE_INFINITY ? given : 0;
}

/** What a change makes of a copy of the state. It is committed before `updateState` returns, so there is no waiting for it. */
function changed(change: (state: Json) => unknown, before: Json): unknown {
  const next = change(structuredClone(before));
  if (next === undefined || next instanceof Promise) {
    throw new OffshootError(
      'invalid_input',
      'The function given to updateState must return the new state, not a promise and not nothing.',
    );
  }
  return next;
}

/** What a body hands over as JSON, within the limit that its result has. */
function plain(agent: AgentRuntime, value: unknown, what: string): Json {
  const json = toJson(value);
  if (!json.ok) throw new OffshootError('invalid_input', `${what} must be JSON: ${json.problem}`);
  const bytes = byteLength(json.text);
  const most = agent.rules.limits.maxToolResultBytes;
  if (bytes > most) {
    throw new OffshootError(
      'payload_too_large',
      `${what} has ${bytes} bytes, more than ${most}. Keep less, or write it to a file.`,
    );
  }
  return json.json;
}

/** The body, raced with its time limit and its abort; whichever comes first decides, the rest is ignored. */
function bounded(
  agent: AgentRuntime,
  effect: ToolEffect,
  controller: AbortController,
  body: () => unknown,
): Promise<unknown> {
  const { name } = effect.call;
  return new Promise((resolve, reject) => {
    const cancel = agent.environment.timer(effect.timeoutMs, () => {
      reject(new OffshootError('tool_timeout', `The tool "${name}" did not end within ${effect.timeoutMs} ms.`));
      controller.abort();
    });
    controller.signal.addEventListener('abort', () => {
      cancel();
      reject(new OffshootError('aborted', `The tool "${name}" was aborted.`));
    });
    Promise.resolve().then(body).then(resolve, reject).finally(cancel);
  });
}

async function checkedResult(agent: AgentRuntime, tool: ToolDefinition, value: unknown): Promise<CallResult> {
  const schemas = [tool.outputSchema, tool.finishWith ? agent.definition.outputSchema : undefined];
  let json: Json = null;
  const plain = toJson(value);
  if (!plain.ok)
    return {
      success: false,
      error: failure('tool_result_invalid', `The result of "${tool.name}" is not JSON: ${plain.problem}`),
    };
  json = plain.json;
  for (const schema of schemas) {
    if (schema === undefined) continue;
    const checked = await fit(schema, value);
    if (!checked.ok)
      return {
        success: false,
        error: failure(
          'tool_result_invalid',
          `The result of "${tool.name}" does not fit its schema: ${checked.problem}`,
        ),
      };
    json = checked.json;
  }
  const bytes = byteLength(JSON.stringify(json));
  const most = agent.rules.limits.maxToolResultBytes;
  if (bytes > most) {
    const advice = `The result of "${tool.name}" has ${bytes} bytes, more than ${most}. Ask for less, or have it written to a file.`;
    return { success: false, error: failure('tool_result_too_large', advice) };
  }
  return { success: true, value: json };
}

async function resultOf(
  agent: AgentRuntime,
  effect: ToolEffect,
  signal: AbortSignal,
  spent: Spent,
): Promise<CallResult> {
  const tool = agent.definition.tools.find(({ name }) => name === effect.call.name);
  if (tool?.execute === undefined) {
    return {
      success: false,
      error: failure('unknown_tool', `The tool "${effect.call.name}" is not part of this agent any more.`),
    };
  }
  const { execute } = tool;
  const controller = new AbortController();
  signal.addEventListener('abort', () => controller.abort(), { once: true });
  const context = contextOf(agent, effect, controller.signal, spent);
  try {
    const parsed = await tool.inputSchema.safeParseAsync(structuredClone(effect.call.input));
    if (!parsed.success) return { success: false, error: failure('invalid_arguments') };
    // A stop may have come while the arguments were checked.
    if (signal.aborted) return { success: false, error: failure('aborted') };
    const value = await bounded(agent, effect, controller, () => execute(parsed.data as never, context as never));
    return await checkedResult(agent, tool, value);
  } catch (error) {
    return { success: false, error: failureOf(error, 'tool_failed') };
  }
}

/** Performs one body of a tool; its end is an event, whatever happened. */
export async function performTool(agent: AgentRuntime, effect: ToolEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const startedAt = environment.now();
  const spent: Spent = { inputTokens: 0, outputTokens: 0 };
  const result = await resultOf(agent, effect, signal, spent);
  if (signal.aborted) return;
  agent.apply({
    type: 'tool_settled',
    at: environment.now(),
    token: environment.token(),
    callId: effect.call.callId,
    epoch: effect.epoch,
    result,
    startedAt,
    usage: { ...spent, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, toolCalls: 1 },
  });
}
