/**
 * A person's answer at the agent that waits for it. Its way down and up is drawn in design/flows.md.
 *
 * Decides: in which order an answer to an approval or a client tool is looked at. What is wrong with one, with which code, is said in core/agent/calls/answer.ts.
 * Keeps AN1, AN2, AN6, AN10.
 *
 * A36. What is wrong with an answer is said in one order: unknown, another kind, answered already, too late, another
 *      input than was shown, and only then what does not fit a schema. So nobody mends an answer that is not wanted.
 */
import type * as z from 'zod';
import { whyNotAnswer } from '../core/agent/calls/answer';
import { toolOf } from '../core/agent/calls/call-plan';
import type { Transition } from '../core/agent/changes';
import type { PersonsAnswer } from '../core/agent/events';
import { filesOfCall } from '../core/agent/standard-agents/result-files';
import type { Call, RepliedStep, Step } from '../core/agent/state';
import type { AnyTool } from '../core/definition/definition';
import { argumentsSchema } from '../core/definition/schemas/schema';
import { sentence } from '../protocol/content/sentence';
import { type Failure, failure } from '../protocol/errors';
import { canonical, type Json, toJson } from '../protocol/json';
import { knownFiles } from './files/bring-enclosures';
import { hookedResult } from './perform/ask-hooks';
import { type FieldProblem, fit, parse } from './perform/check-calls';
import type { AnsweringAgent } from './perform/performer';

/** An answer, as it came. */
export interface GivenAnswer {
  readonly callId: string;
  readonly answer: PersonsAnswer;
  /** The hash of the arguments that the person was shown, where they say. */
  readonly inputHash?: string;
  readonly actor: string;
  /** The step of the call, where it is known. */
  readonly stepId?: number;
  /** It is not taken after the look, so no hook sees it. */
  readonly isTrial?: true;
}

/** An answer that its call wanted when it was looked at, as the schemas of its tool make it. */
export interface CheckedAnswer extends GivenAnswer {
  readonly toolName: string;
}

/** What came of an answer. `kept`: it came too late to be the result, and is told to the model beside it. */
export type Reception = { readonly ok: true } | { readonly ok: false; readonly kept?: true; readonly error: Failure };

/**
 * Looks at an answer before it is taken: whether its call wants it, and then whether it fits. Changes nothing.
 * What it says may be over when it resolves: `takeAnswer` decides.
 */
export async function checkAnswer(
  agent: AnsweringAgent,
  given: GivenAnswer,
): Promise<{ readonly ok: true; readonly checked: CheckedAnswer } | (Reception & { readonly ok: false })> {
  const found = callOf(agent, given);
  const at = agent.environment.now();
  const problem = whyNotAnswer(agent.state, { ...factsOf(agent, given), answer: given.answer, at });
  // A late result of a client may be worth keeping: the core says.
  if (found === undefined || (problem && problem.code !== 'late_answer'))
    return { ok: false, error: problem ?? failure('unknown_tool_call') };
  const other = problem ? undefined : changed(given, found);
  if (other) return { ok: false, error: other };
  const fits = await fitted(agent, given.answer, found);
  if (!fits.ok) return { ok: false, error: problem ?? fits.error };
  if (given.isTrial)
    return problem ? { ok: false, error: problem } : { ok: true, checked: { ...given, toolName: found.name } };
  const answer = await hooked(agent, fits.answer, found);
  if (answer === undefined) return { ok: false, error: problem ?? cutOff(agent, given) };
  return { ok: true, checked: { ...given, answer, toolName: found.name } };
}

/**
 * Takes an answer that was checked, or says why not: its time may have passed since, or another one may have come. Of
 * several at once the first one counts. `inTransaction` is called where something of it is kept.
 */
export function takeAnswer(
  agent: AnsweringAgent,
  checked: CheckedAnswer,
  inTransaction?: (reception: Reception) => void,
): Reception {
  const { answer, actor } = checked;
  const { environment } = agent;
  const call = callOf(agent, checked);
  const files = call ? knownFiles(agent.deps.kept, filesOfCall(agent.state, agent.seat.rules, call)) : {};
  const facts = {
    at: environment.now(),
    token: environment.token(),
    ...factsOf(agent, checked),
    answer,
    actor,
    ...(Object.keys(files).length === 0 ? {} : { files }),
  };
  const applied = agent.apply({ type: 'answer', ...facts }, (taken) => inTransaction?.(receptionOf(taken)));
  return receptionOf(applied);
}

function receptionOf(applied: Transition): Reception {
  if (!applied.ok) return { ok: false, error: applied.refused };
  return applied.late ? { ok: false, kept: true, error: applied.late } : { ok: true };
}

/** Which call is meant, with its step where that is not the current one. */
function factsOf(agent: AnsweringAgent, given: GivenAnswer): { callId: string; past?: RepliedStep } {
  const past = pastStep(agent, given);
  return past ? { callId: given.callId, past } : { callId: given.callId };
}

/** The step of the call, where it is not the current one. */
function pastStep({ state, deps }: AnsweringAgent, { callId, stepId }: GivenAnswer): RepliedStep | undefined {
  if (stepId === undefined || isIn(state.step, callId)) return undefined;
  const [step] = deps.store.steps({ after: stepId - 1, upTo: stepId });
  return step?.phase === 'calls' ? step : undefined;
}

function isIn(step: Step | undefined, callId: string): boolean {
  return step?.phase === 'calls' && step.calls.some((call) => call.callId === callId);
}

function callOf(agent: AnsweringAgent, given: GivenAnswer): Call | undefined {
  const { step: current } = agent.state;
  const step = pastStep(agent, given) ?? (current?.phase === 'calls' ? current : undefined);
  return step?.calls.find((call) => call.callId === given.callId);
}

function changed({ inputHash }: GivenAnswer, { plan }: Call): Failure | undefined {
  const current = plan.kind === 'tool' ? plan.approval?.inputHash : undefined;
  if (inputHash === undefined || current === undefined || inputHash === current) return undefined;
  const what =
    'The arguments of the call do not match this hash. Read `pending` again, and answer the call that it shows.';
  return failure('input_changed', what, false, { inputHash: current });
}

type Fitted = { readonly ok: true; readonly answer: PersonsAnswer } | { readonly ok: false; readonly error: Failure };

const misfit = (error: Failure): Fitted => ({ ok: false, error });

const goneTool = (name: string): Failure =>
  failure('unknown_tool', `The tool "${name}" is no longer part of this agent. Deny the call, or add the tool again.`);

/** The refusal of an approval that would spend itself on a call which cannot run: the call still waits. */
function misfitArguments(
  name: string,
  { problem, fields = [] }: { readonly problem: string; readonly fields?: readonly FieldProblem[] },
  isStored: boolean,
): Failure {
  const whose = isStored ? "The call's own arguments no longer match" : 'The arguments do not match';
  const advice = isStored ? ' Approve with an `input` that matches, or deny the call.' : '';
  const what = `${whose} the schema of "${name}": ${sentence(problem)}${advice}`;
  return failure('invalid_arguments', what, false, { fields: [...fields] });
}

/** The answer as the schemas of its tool make it, or what does not fit. */
async function fitted(agent: AnsweringAgent, answer: PersonsAnswer, call: Call): Promise<Fitted> {
  const meant = toolOf(agent.seat, call.name);
  const tool = meant?.is === 'tool' ? meant.tool : undefined;
  if (answer.kind === 'client-tool-result') return fittedResult(agent, answer, call, tool);
  if (!answer.approved) return { ok: true, answer };
  const given = answer.input === undefined ? undefined : taken(agent, answer.input, 'invalid_arguments');
  if (given?.ok === false) return given;
  if (tool === undefined) return misfit(goneTool(call.name));
  const schema = argumentsSchema(tool.inputSchema);
  const parsed = await parse(schema, structuredClone(given ? given.json : call.input));
  if (!parsed.ok) return misfit(misfitArguments(call.name, parsed, given === undefined));
  // A body reads the model's own arguments itself.
  if (given === undefined) return { ok: true, answer };
  const made = toJson(parsed.value);
  const isKept = made.ok && (await makesTheSame(schema, made.json));
  return { ok: true, answer: { ...answer, input: isKept ? made.json : given.json } };
}

/**
 * True where a schema turns a value into that same value. The schema reads the body's arguments again. Arguments that it
 * would change once more are therefore approved as they came, so that the body gets what was approved.
 */
async function makesTheSame(schema: z.core.$ZodType, value: Json): Promise<boolean> {
  const again = await fit(schema, value);
  return again.ok && canonical(again.json) === canonical(value);
}

/** Why an answer is not taken whose hooks a stop cut off: as it came it is nobody's to see (HK24). */
function cutOff(agent: AnsweringAgent, given: GivenAnswer): Failure {
  const at = agent.environment.now();
  const why = whyNotAnswer(agent.state, { ...factsOf(agent, given), answer: given.answer, at });
  const again = 'A stop came before the hooks of this result ended, so it was discarded. Send it again.';
  return why ?? failure('interrupted', again);
}

/** What a client gives for a call, as the hooks for results make it; undefined where a stop cut them off. */
async function hooked(agent: AnsweringAgent, answer: PersonsAnswer, call: Call): Promise<PersonsAnswer | undefined> {
  const { run } = agent.state;
  if (answer.kind !== 'client-tool-result' || run === undefined) return answer;
  const { runId, epoch } = run;
  const fence = { by: call.callId, runId, epoch, signal: agent.runSignal.during(agent.state) };
  const result = await hookedResult(agent, call, answer.result, fence);
  return result && { ...answer, result };
}

type ClientsAnswer = Extract<PersonsAnswer, { kind: 'client-tool-result' }>;

async function fittedResult(
  agent: AnsweringAgent,
  answer: ClientsAnswer,
  call: Call,
  tool: AnyTool | undefined,
): Promise<Fitted> {
  if (!answer.result.success) return { ok: true, answer };
  const given = taken(agent, answer.result.value, 'invalid_input');
  if (!given.ok) return given;
  if (tool?.outputSchema === undefined) return { ok: true, answer };
  const checked = await fit(tool.outputSchema, given.json);
  if (checked.ok) return { ok: true, answer: { ...answer, result: { success: true, value: checked.json } } };
  const what = `The result does not match the schema of "${call.name}": ${checked.problem}`;
  return misfit(
    failure('invalid_input', what, false, 'fields' in checked ? { fields: [...(checked.fields ?? [])] } : undefined),
  );
}

/** What a person gave, within the limits of the agent. */
function taken(
  agent: AnsweringAgent,
  value: Json,
  code: 'invalid_arguments' | 'invalid_input',
): { ok: true; json: Json } | (Fitted & { ok: false }) {
  const given = toJson(value, agent.seat.rules.limits.maxToolResultBytes);
  if (given.ok) return given;
  return { ok: false, error: failure(given.tooLarge ? 'payload_too_large' : code, `This answer: ${given.problem}.`) };
}
