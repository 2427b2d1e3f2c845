/** What a definition says about a reply: which calls are what, whether their arguments fit, and what the model is shown. */
import { z } from 'zod';
import type { PlannedCall } from '../core/agent/events';
import type { Rules } from '../core/agent/rules';
import type { AgentDefinition, ApprovalContext, Relationship, ToolDefinition } from '../core/definition/definition';
import { HOOK_NAMES } from '../core/definition/hook-types';
import { DATA_LIMITS, limitsOf } from '../core/definition/limits';
import type { ModelReply, ReplyCall, ToolSpec } from '../core/definition/model';
import { relationshipOf } from '../core/definition/relationship';
import { type ErrorCode, failure, failureOf, OffshootError } from '../core/protocol/errors';
import { isObject, type Json, type JsonObject, toJson } from '../core/protocol/json';
import { FINISH_TOOL } from '../core/protocol/messages';

/** More calls than this in one reply are not worked on. */
export const MAX_CALLS_OF_A_STEP = 1024;
/** A name of a tool that there is not is told to the model with at most so many characters. */
const MAX_SAID_NAME = 200;
/** A reply with more calls than this is no reply. Their results have keys of their own up to this number. */
export const MAX_CALLS_OF_A_REPLY = 4096;

/**
 * How an agent with a typed output ends: by its own `finishWith` tools where it has some, because `__finish__` beside
 * them would be a way past what they check; else by `__finish__`.
 */
function finishTools(definition: AgentDefinition): string[] {
  if (definition.outputSchema === undefined) return [];
  const own = definition.tools.filter((tool) => tool.finishWith).map((tool) => tool.name);
  return own.length > 0 ? own : [FINISH_TOOL];
}

/** The rules of a definition, for the machines. */
export function rulesOf(definition: AgentDefinition): Rules {
  const rules = {
    limits: limitsOf(definition.limits),
    finishTools: finishTools(definition),
    concurrentEntry: definition.concurrentEntry,
    hooks: new Set(HOOK_NAMES.filter((name) => definition.hooks[name] !== undefined)),
  };
  return definition.stopWhen ? { ...rules, stopWhen: definition.stopWhen } : rules;
}

/** JSON Schema of a zod schema, as models read it. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest as JsonObject;
}

/**
 * The arguments of `__finish__`: the output itself where it is an object, else `{ output }`, because models give the
 * arguments of a tool as an object.
 */
function finishArguments(output: z.ZodType): { schema: z.ZodType; unwrap: (json: Json) => Json } {
  if (jsonSchemaOf(output).type === 'object') return { schema: output, unwrap: (json) => json };
  return { schema: z.object({ output }), unwrap: (json) => (isObject(json) ? (json.output ?? null) : json) };
}

/** The tools that a model is shown: those of the definition, and `__finish__` where the output is typed. */
export function toolSpecs(definition: AgentDefinition): ToolSpec[] {
  const specs = definition.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: jsonSchemaOf(tool.inputSchema),
  }));
  if (definition.outputSchema === undefined || !finishTools(definition).includes(FINISH_TOOL)) return specs;
  const description = 'Ends your work. Call it once, with your final output.';
  return [
    ...specs,
    { name: FINISH_TOOL, description, inputSchema: jsonSchemaOf(finishArguments(definition.outputSchema).schema) },
  ];
}

/** A sentence for each thing that does not fit, with its path: something a model can act on. */
function explain(error: z.ZodError): string {
  return error.issues
    .slice(0, 8)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ');
}

/** Checks a value and gives what the schema makes of it, which need not be JSON, or why it does not fit. */
export async function parse(
  schema: z.ZodType,
  value: unknown,
): Promise<{ ok: true; value: unknown } | { ok: false; problem: string }> {
  try {
    const parsed = await schema.safeParseAsync(value);
    return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problem: explain(parsed.error) };
  } catch (error) {
    // A refinement or a transformation that throws is a value that does not fit.
    return { ok: false, problem: failureOf(error).message };
  }
}

/** Checks a value and gives what the schema makes of it as JSON, or why it does not fit. */
export async function fit(
  schema: z.ZodType,
  value: unknown,
): Promise<{ ok: true; json: Json } | { ok: false; problem: string }> {
  const parsed = await parse(schema, value);
  return parsed.ok ? toJson(parsed.value) : parsed;
}

async function planCall(
  definition: AgentDefinition,
  tools: ReadonlyMap<string, ToolDefinition>,
  call: ReplyCall,
  context: ApprovalContext,
): Promise<PlannedCall> {
  const most = limitsOf(definition.limits).maxToolResultBytes;
  const given = toJson(call.input, most);
  const facts = { providerId: call.providerId, name: call.toolName, input: given.ok ? given.json : null };
  const refused = (code: ErrorCode, problem: string): PlannedCall => ({
    ...facts,
    kind: 'refused',
    error: failure(code, problem),
  });
  const what = `The arguments of "${call.toolName.slice(0, MAX_SAID_NAME)}"`;
  const ends = call.toolName === FINISH_TOOL && finishTools(definition).includes(FINISH_TOOL);
  const finish = ends && definition.outputSchema ? finishArguments(definition.outputSchema) : undefined;
  const tool = tools.get(call.toolName);
  const schema = finish?.schema ?? tool?.inputSchema;
  if (schema === undefined) {
    const known = [...tools.keys()].join(', ') || 'none';
    return refused(
      'unknown_tool',
      `There is no tool "${call.toolName.slice(0, MAX_SAID_NAME)}". Your tools: ${known}.`,
    );
  }
  if (call.malformed !== undefined)
    return refused('invalid_arguments', `${what} are not valid JSON. Send one JSON object.`);
  if (!given.ok)
    return refused('invalid_arguments', `${what} cannot be taken: ${given.problem}. Send less, or several calls.`);
  const checked = await parse(schema, given.json);
  if (!checked.ok) return refused('invalid_arguments', `${what} do not fit: ${checked.problem}`);
  const relationship = tool && relationshipOf(tool);
  if (tool && !relationship) return planTool(definition, tool, facts, checked.value, context);
  const made = toJson(checked.value, most);
  if (!made.ok)
    return refused(
      'invalid_arguments',
      `${what} cannot be taken: their schema makes no JSON of them: ${made.problem}.`,
    );
  if (relationship) return planChild(facts, made.json, relationship);
  return { ...facts, kind: 'finish', output: finish ? finish.unwrap(made.json) : made.json };
}

function planChild(
  facts: { providerId: string; name: string },
  input: Json,
  { child, onParentSuspend, onFailure, budget, timeoutMs = limitsOf(child.limits).childTimeoutMs }: Relationship,
): PlannedCall {
  return {
    ...facts,
    input,
    kind: 'child',
    agentType: child.name,
    className: child.className,
    addressClass: child.addressClass,
    timeoutMs: Math.min(timeoutMs, budget?.maxWallMs ?? timeoutMs),
    onParentSuspend,
    ...(onFailure === 'wait' ? { onFailure } : {}),
    ...(budget ? { budget } : {}),
  };
}

async function planTool(
  definition: AgentDefinition,
  tool: ToolDefinition,
  facts: { providerId: string; name: string; input: Json },
  value: unknown,
  context: ApprovalContext,
): Promise<PlannedCall> {
  const time = tool.answerWithinMs === undefined ? {} : { answerWithinMs: tool.answerWithinMs };
  if (tool.runsAt === 'client') return { ...facts, kind: 'client', ...time };
  const timeoutMs = tool.timeoutMs ?? limitsOf(definition.limits).toolTimeoutMs;
  const approval = (await needsApproval(tool, value, context)) ? { approval: time } : {};
  return { ...facts, kind: 'tool', replay: tool.replay, finishWith: tool.finishWith, timeoutMs, ...approval };
}

/** Whether a person must agree. What cannot say so is asked for: a gate that breaks stays shut. */
async function needsApproval(tool: ToolDefinition, value: unknown, context: ApprovalContext): Promise<boolean> {
  const { requireApproval } = tool;
  if (typeof requireApproval !== 'function') return requireApproval;
  try {
    return (await requireApproval(value as never, context)) !== false;
  } catch {
    return true;
  }
}

/**
 * Sorts the calls of a reply by kind and checks their arguments: what is wrong is a refused call.
 * @throws OffshootError `model_bad_reply` where there are more calls than a step can hold, or the reply is too large.
 */
export async function planReply(
  definition: AgentDefinition,
  reply: ModelReply,
  context: ApprovalContext,
): Promise<PlannedCall[]> {
  const tools = new Map(definition.tools.map((tool) => [tool.name, tool]));
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  if (calls.length > MAX_CALLS_OF_A_REPLY) {
    throw new OffshootError(
      'model_bad_reply',
      `The reply asks for ${calls.length} calls, more than ${MAX_CALLS_OF_A_REPLY}.`,
    );
  }
  const characters = reply.content.reduce((sum, part) => sum + sizeOf(part), 0);
  if (characters > DATA_LIMITS.maxReplyCharacters) throw tooLong(characters);
  const planned = await Promise.all(
    calls.slice(0, MAX_CALLS_OF_A_STEP).map((call) => planCall(definition, tools, call, context)),
  );
  const excess = calls.slice(MAX_CALLS_OF_A_STEP).map((call) => ({
    providerId: call.providerId,
    name: call.toolName,
    input: null,
    kind: 'refused' as const,
    error: failure('invalid_arguments', `A step takes at most ${MAX_CALLS_OF_A_STEP} calls.`),
  }));
  return [...planned, ...excess];
}

/** What a part of a reply counts, in characters; the arguments of a call have a limit of their own. */
function sizeOf(part: ModelReply['content'][number]): number {
  return part.type === 'tool-call' ? part.toolName.length + part.providerId.length : part.text.length;
}

/** A reply that is longer than any that is kept. Asking again would cost the same once more. */
export function tooLong(characters: number): OffshootError {
  const most = DATA_LIMITS.maxReplyCharacters;
  const message = `The reply has ${characters} characters or more; one of at most ${most} is taken. Set the model an output limit.`;
  return new OffshootError('model_bad_reply', message, { retryable: false });
}
