/**
 * Checks the calls of a reply against what authors wrote: their schemas, with what the model is told where arguments do
 * not fit, and whether a person must agree. Both may wait.
 *
 * Decides: what a model is told of arguments that do not fit; whether a call needs an approval.
 * Keeps CL4, CL13, A37, ST10.
 */
import * as z from 'zod';
import { $ZodAsyncError } from 'zod/v4/core';
import { type CallBase, type MeantTool, plannedChild, plannedTool, toolOf } from '../../core/agent/calls/call-plan';
import type { PlannedCall } from '../../core/agent/events';
import type { Seat } from '../../core/agent/seat';
import { givenBy, plannedSubagent } from '../../core/agent/standard-agents/subagent-call';
import type { AnyTool, ApprovalContext } from '../../core/definition/definition';
import type { ModelReply, ReplyCall } from '../../core/definition/model-port';
import { checkSize, MAX_CALLS_OF_A_STEP } from '../../core/definition/reply-size';
import { argumentsSchema } from '../../core/definition/schemas/schema';
import { beginningOf } from '../../protocol/content/cut';
import { exactJson } from '../../protocol/content/exact-json';
import { type ErrorCode, failure, failureOf } from '../../protocol/errors';
import { byteLength, type Json, toJson } from '../../protocol/json';
import type { Environment } from '../environment';
import { inputHashOf } from './input-hash';

type Hashes = Pick<Environment, 'sha256'>;

/** A name of a tool that there is not is told to the model with at most so many characters. */
const MAX_SAID_NAME = 200;

/** What does not fit, by the path of its field (`to.0.name`; empty for the whole). */
export type FieldProblem = { readonly path: string; readonly message: string };

/** A value that does not fit: in words, and by its fields where its schema named them. */
export interface Misfit {
  readonly ok: false;
  readonly problem: string;
  readonly fields?: readonly FieldProblem[];
}

/** As many things that do not fit are told. */
const MAX_PROBLEMS = 8;

/** A sentence for each thing that does not fit, with its path: something a model can act on. */
function explain(error: z.ZodError): Misfit {
  const fields = error.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({ path: path.join('.'), message }));
  const problem = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return { ok: false, problem, fields };
}

/** Checks a value and gives what the schema makes of it, which need not be JSON, or why it does not fit. */
export async function parse(schema: z.core.$ZodType, value: unknown): Promise<{ ok: true; value: unknown } | Misfit> {
  try {
    const parsed = await z.safeParseAsync(schema, value);
    return parsed.success ? { ok: true, value: parsed.data } : explain(parsed.error);
  } catch (error) {
    // A refinement or a transformation that throws is a value that does not fit.
    return { ok: false, problem: failureOf(error).message };
  }
}

/** Checks a value and gives what the schema makes of it as JSON, or why it does not fit. */
export async function fit(schema: z.core.$ZodType, value: unknown): Promise<{ ok: true; json: Json } | Misfit> {
  const parsed = await parse(schema, value);
  return parsed.ok ? toJson(parsed.value) : parsed;
}

/**
 * The same, at once: for what is committed before a body goes on. A schema that has to wait for something is none for it.
 */
export function parseNow(schema: z.core.$ZodType, value: unknown): { ok: true; value: unknown } | Misfit {
  try {
    const parsed = z.safeParse(schema, value);
    return parsed.success ? { ok: true, value: parsed.data } : explain(parsed.error);
  } catch (error) {
    const waits = error instanceof $ZodAsyncError;
    return {
      ok: false,
      problem: waits ? 'its schema is asynchronous, but a state is checked synchronously' : failureOf(error).message,
    };
  }
}

const refused = (facts: CallBase, code: ErrorCode, problem: string): PlannedCall => ({
  ...facts,
  kind: 'refused',
  error: failure(code, problem),
});

async function planCall(seat: Seat, call: ReplyCall, context: ApprovalContext, hashes: Hashes): Promise<PlannedCall> {
  const { toolName: name, providerId } = call;
  const most = seat.rules.limits.maxToolResultBytes;
  // What is no JSON is kept as the text that came.
  const given = toJson(call.malformed ?? call.input, most);
  const facts = { providerId, name, input: given.ok ? given.json : null };
  const meant = toolOf(seat, name);
  if (meant === undefined) return refused(facts, 'unknown_tool', unknownTool(seat, name));
  const no = (problem: string) => refused(facts, 'invalid_arguments', `The arguments of "${name}" ${problem}`);
  if (call.malformed !== undefined) return no(notRead(call.malformed));
  if (!given.ok) return no(`cannot be accepted: ${given.problem}. Send less, or several calls.`);
  const checked = await parse(argumentsSchema(meant.tool.inputSchema), JSON.parse(given.text));
  if (!checked.ok) return no(`do not fit: ${checked.problem}`);
  if (meant.is === 'tool') {
    const gated = await needsApproval(meant.tool, checked.value, context);
    return plannedTool(
      seat.definition,
      meant.tool,
      facts,
      gated ? { inputHash: inputHashOf(hashes, facts.input) } : undefined,
    );
  }
  if (meant.is === 'handoff') return { ...facts, kind: 'handoff', to: meant.to };
  const made = toJson(checked.value, most);
  if (!made.ok) return no(`cannot be used: their schema does not produce JSON: ${made.problem}.`);
  if (meant.is === 'child' && meant.entry) {
    const given = givenBy(meant.entry, made.json);
    if ('problem' in given) return no(`do not fit: ${given.problem}`);
    const bytes = byteLength(given.first);
    const { maxMessageBytes } = seat.rules.limits;
    if (bytes > maxMessageBytes)
      return no(`make a message of ${bytes} bytes, more than ${maxMessageBytes}. Shorten it.`);
    return { ...facts, ...plannedSubagent(seat.definition, meant.entry, given) };
  }
  if (meant.is === 'child') {
    const task = await taskFor(meant, made.json);
    return task.ok
      ? plannedChild(facts, task.json, meant.relationship)
      : no(`do not fit the sub-agent: ${task.problem}`);
  }
  return { ...facts, kind: 'built_in', args: made.json };
}

/** The message to a model about arguments that could not be read. */
function notRead(text: string): string {
  const read = exactJson(text);
  const isJson = !read.ok && read.isJson;
  return isJson ? `cannot be used: the JSON ${read.problem}.` : 'are not valid JSON. Send one JSON object.';
}

/** What a child is given: what its own schema makes of what the schema of the tool made, where these are two. */
async function taskFor({ tool, relationship }: Extract<MeantTool, { is: 'child' }>, made: Json) {
  const { inputSchema } = relationship.child;
  return inputSchema === undefined || inputSchema === tool.inputSchema
    ? { ok: true as const, json: made }
    : fit(inputSchema, made);
}

function unknownTool({ tools }: Seat, name: string): string {
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  return `There is no tool "${beginningOf(name, MAX_SAID_NAME)}". Your tools: ${known}.`;
}

/** Whether a person must agree; also where the author's function throws, so that a fault never lets a call through. */
async function needsApproval(tool: AnyTool, value: unknown, context: ApprovalContext): Promise<boolean> {
  const { requireApproval, runsAt } = tool;
  if (runsAt === 'client') return false;
  if (typeof requireApproval !== 'function') return requireApproval;
  try {
    const { state, env, agent } = context;
    return (await requireApproval(value, { ...structuredClone({ state, agent }), env })) !== false;
  } catch {
    return true;
  }
}

/**
 * Sorts the calls of a reply by kind and checks their arguments: what is wrong is a refused call.
 * @throws OffshootError `model_bad_reply` where there are more calls than a step can hold, or the reply is too large.
 */
export async function planReply(
  seat: Seat,
  reply: ModelReply,
  context: ApprovalContext,
  hashes: Hashes,
): Promise<PlannedCall[]> {
  checkSize(reply);
  const calls = reply.content.filter((part) => part.type === 'tool-call');
  const planned = await Promise.all(
    calls.slice(0, MAX_CALLS_OF_A_STEP).map((call) => planCall(seat, call, context, hashes)),
  );
  const excess = calls
    .slice(MAX_CALLS_OF_A_STEP)
    .map(({ providerId, toolName: name }) =>
      refused(
        { providerId, name, input: null },
        'invalid_arguments',
        `A step takes at most ${MAX_CALLS_OF_A_STEP} calls.`,
      ),
    );
  return [...planned, ...excess];
}
