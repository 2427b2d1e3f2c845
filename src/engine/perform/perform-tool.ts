/**
 * Runs the body of a tool, bounded in time, and brings its result back as an event.
 *
 * Decides: the time of a body, and its grace after a stop (`stopGraceMs`).
 * Keeps CL4, SP6, TM1.
 */

import { toolOf } from '../../core/agent/calls/call-plan';
import type { Effect } from '../../core/agent/owed-effects';
import { filesOfCall } from '../../core/agent/standard-agents/result-files';
import type { AnswerRecord } from '../../core/agent/state';
import type { AnyTool } from '../../core/definition/definition';
import { argumentsSchema } from '../../core/definition/schemas/schema';
import type { ToolContext } from '../../core/definition/tool-context';
import { type ErrorCode, failure, failureOf, OffshootError } from '../../protocol/errors';
import { toJson } from '../../protocol/json';
import type { CallResult } from '../../protocol/messages';
import { companionBody } from '../children/perform-companion-tools';
import { graceLeft } from '../children/stop-grace';
import { knownFiles } from '../files/bring-enclosures';
import { workspaceBody } from '../workspace/bodies';
import { hookedResult, withheld } from './ask-hooks';
import { bodyContext } from './body-context';
import { bounded } from './bounded-body';
import { type Misfit, parse } from './check-calls';
import type { BodyAgent } from './performer';

type ToolEffect = Extract<Effect, { kind: 'tool' }>;
type Body = NonNullable<AnyTool['execute']>;

/** A result as its schemas make it, or as it is where there is none; it is JSON within the limits, or a failure. */
async function checkedResult(agent: BodyAgent, tool: AnyTool, value: unknown): Promise<CallResult> {
  const schemas = [tool.outputSchema, tool.finishWith ? agent.seat.definition.outputSchema : undefined];
  const what = `The result of "${tool.name}"`;
  let given = value;
  for (const schema of schemas) {
    if (schema === undefined) continue;
    const fits = await parse(schema, value);
    if (!fits.ok) return failed('tool_result_invalid', `${what} does not match its schema: ${fits.problem}`);
    given = fits.value;
  }
  const plain = toJson(given, agent.seat.rules.limits.maxToolResultBytes);
  if (plain.ok) return { success: true, value: plain.json };
  if (!plain.tooLarge) return failed('tool_result_invalid', `${what} is not JSON: ${plain.problem}.`);
  return failed(
    'tool_result_too_large',
    `${what} is too large: ${plain.problem}. Ask for less, or have it written to a file.`,
  );
}

const failed = (code: ErrorCode, message: string): CallResult => ({ success: false, error: failure(code, message) });

/** The failure of a call whose tool has another schema than when it was planned. */
function misfit(name: string, { problem, fields = [] }: Misfit): CallResult {
  const message = `The arguments of "${name}" do not fit: ${problem}`;
  return { success: false, error: failure('invalid_arguments', message, false, { fields: [...fields] }) };
}

/** Why a call has no body to run, if it has none. */
function missing(effect: ToolEffect): CallResult {
  const message = `The tool "${effect.call.name}" is no longer part of this agent.`;
  return { success: false, error: failure('unknown_tool', message) };
}

/** The body of a tool of the framework. */
function frameworkBody(agent: BodyAgent, name: string): Body | undefined {
  const looking = companionBody(name);
  if (looking) return (input) => looking(input, agent);
  const body = workspaceBody(name);
  if (body === undefined) return undefined;
  const { rules } = agent.seat;
  const files = agent.deps.files(agent.state.session);
  return (input, { idempotencyKey: key, abortSignal: signal }: ToolContext) =>
    body(input, { files, key, signal, limits: rules.limits });
}

async function resultOf(
  agent: BodyAgent,
  effect: ToolEffect,
  signal: AbortSignal,
  { controller, run }: { controller: AbortController; run: (input: unknown, execute: Body) => unknown },
): Promise<CallResult> {
  const { name } = effect.call;
  const meant = toolOf(agent.seat, name);
  const tool = meant?.is === 'tool' ? meant.tool : undefined;
  const execute = tool && (tool.execute ?? frameworkBody(agent, tool.name));
  if (tool === undefined || execute === undefined) return missing(effect);
  const { timeoutMs: ms } = effect;
  const late = () => new OffshootError('tool_timeout', `The tool "${name}" did not end within ${ms} ms.`);
  try {
    const given = effect.call.answer?.input ?? effect.call.input;
    const parsed = await parse(argumentsSchema(tool.inputSchema), structuredClone(given));
    if (!parsed.ok) return misfit(name, parsed);
    // A stop may have come while the arguments were checked.
    if (signal.aborted) return { success: false, error: failure('aborted') };
    const graceMs = () => graceLeft(agent, effect.runId);
    const bounds = { ms, late, signal, controller, graceMs };
    const value = await bounded(agent.environment, bounds, () => run(parsed.value, execute));
    return await checkedResult(agent, tool, value);
  } catch (error) {
    return { success: false, error: failureOf(error, 'tool_failed') };
  }
}

/** What is kept of the end of a body: its result as hooks make it, and whether a stop cut off it or them. */
async function keptResult(
  agent: BodyAgent,
  effect: ToolEffect,
  own: CallResult,
  fence: Parameters<typeof hookedResult>[3],
): Promise<{ readonly result: CallResult; readonly cut?: 'body' | 'hooks' }> {
  const { call } = effect;
  // The core says what becomes of it: nothing of what it gave is kept.
  if (fence.signal.aborted && !own.success) return { result: own, cut: 'body' };
  const made = await hookedResult(agent, call, own, fence);
  if (made) return { result: await fittingResult(agent, effect, made, own) };
  return { result: { success: false, error: withheld(`The tool "${call.name}"`) }, cut: 'hooks' };
}

/** What hooks made of a result; of one that ends the run only what its schemas take. */
async function fittingResult(agent: BodyAgent, { call }: ToolEffect, made: CallResult, own: CallResult) {
  const meant = toolOf(agent.seat, call.name);
  if (made === own || !made.success || meant?.is !== 'tool' || !meant.tool.finishWith) return made;
  return checkedResult(agent, meant.tool, made.value);
}

const approvalOf = ({ at, actor, reason }: AnswerRecord): NonNullable<ToolContext['approval']> => ({
  at,
  ...(actor === undefined ? {} : { actor }),
  ...(reason === undefined ? {} : { reason }),
});

/**
 * Performs one body of a tool; its end is an event, whatever happened. An abort of the signal gives the body a short
 * time to end by itself; a success within it still counts.
 */
export async function performTool(agent: BodyAgent, effect: ToolEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const startedAt = environment.now();
  const { callId } = effect.call;
  const fence = { by: callId, idempotencyKey: callId, runId: effect.runId, epoch: effect.epoch };
  const controller = new AbortController();
  const { context, spent, secrets } = bodyContext(agent, fence, controller.signal);
  const { answer } = effect.call;
  let begun = false;
  const run = (input: unknown, execute: Body): unknown => {
    begun = true;
    return execute(input, answer ? { ...context, approval: approvalOf(answer) } : context);
  };
  const own = secrets.in(await resultOf(agent, effect, signal, { controller, run }));
  const { result, cut } = await keptResult(agent, effect, own, { ...fence, signal });
  const files = knownFiles(agent.deps.kept, filesOfCall(agent.state, agent.seat.rules, effect.call));
  const answered = agent.apply({
    type: 'tool_settled',
    at: environment.now(),
    token: environment.token(),
    callId,
    epoch: effect.epoch,
    result,
    startedAt,
    usage: { ...spent.close(), toolCalls: begun ? 1 : 0 },
    ...(begun ? {} : { unrun: true as const }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...(cut ? { cut } : {}),
  });
  // Whoever took the run over has settled the call; what was spent on it counts all the same.
  if (!answered.ok && signal.aborted) agent.spentLate(spent.close());
}
