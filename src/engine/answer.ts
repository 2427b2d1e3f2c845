/**
 * A person's answer at the agent that waits for it.
 *
 * A36. What is wrong with an answer is said in one order: unknown, another kind, answered already, too late, another
 *      input than was shown, and only then what does not fit a schema. So nobody mends an answer that is not wanted.
 */
import { whyNotAnswer } from '../core/agent/answer';
import type { PersonsAnswer } from '../core/agent/events';
import type { Call, RepliedStep } from '../core/agent/state';
import type { ToolDefinition } from '../core/definition/definition';
import { type Failure, failure } from '../core/protocol/errors';
import { type Json, toJson } from '../core/protocol/json';
import type { AgentRuntime } from './agent';
import type { VerbCall } from './calls';
import { fit, parse } from './plan';

/** An answer on its way down: the root knows in which step its call is. */
export interface AnswerCall extends VerbCall {
  readonly stepId?: number;
}

/** An answer, as it came. */
export interface GivenAnswer {
  readonly callId: string;
  readonly answer: PersonsAnswer;
  /** The hash of the arguments that the person was shown, where they say, and how it is worked out. */
  readonly shown?: { readonly hash: string; of(input: Json): string };
  readonly actor: string;
  /** The step of the call, where it is known. */
  readonly stepId?: number;
}

/** What came of an answer. */
export type Reception = { readonly ok: true } | { readonly ok: false; readonly error: Failure };

/** What is around an answer. `accepted` and `kept` (too late to be the result) are called in its transaction. */
export interface AnswerHost {
  /** Called right before the answer is taken, after all waiting; what it throws refuses the answer. */
  before(): void;
  accepted(toolName: string, runId: string | undefined): void;
  kept(toolName: string): void;
}

/** Takes an answer, or says why not. Of several at once the first one counts. */
export async function submitAnswer(agent: AgentRuntime, given: GivenAnswer, host: AnswerHost): Promise<Reception> {
  const { environment } = agent;
  const found = callOf(agent, given);
  const problem = whyNot(agent, given, given.answer);
  if (found === undefined || (problem && problem.code !== 'late_answer'))
    return { ok: false, error: problem ?? failure('unknown_tool_call') };
  const other = problem ? undefined : changed(given, found);
  if (other) return { ok: false, error: other };
  const checked = await fitted(agent, given.answer, found);
  if (!checked.ok) return { ok: false, error: problem ?? checked.error };
  const { answer } = checked;
  host.before();
  // While it was checked, its time may have passed, or another answer may have come and the run gone on.
  const late = whyNot(agent, given, answer);
  const { actor } = given;
  const applied = agent.apply(
    { type: 'answer', at: environment.now(), token: environment.token(), ...factsOf(agent, given), answer, actor },
    () => (late ? host.kept(found.name) : host.accepted(found.name, agent.state.run?.runId)),
  );
  if (!applied.ok) return { ok: false, error: applied.refused };
  return late ? { ok: false, error: late } : { ok: true };
}

function whyNot(agent: AgentRuntime, given: GivenAnswer, answer: PersonsAnswer): Failure | undefined {
  return whyNotAnswer(agent.state, { ...factsOf(agent, given), answer, at: agent.environment.now() });
}

/** Which call is meant, with its step where that is not the current one. */
function factsOf(agent: AgentRuntime, given: GivenAnswer): { callId: string; past?: RepliedStep } {
  const past = pastStep(agent, given);
  return past ? { callId: given.callId, past } : { callId: given.callId };
}

/** The step of the call, where it is not the current one. */
function pastStep({ state, around }: AgentRuntime, { callId, stepId }: GivenAnswer): RepliedStep | undefined {
  if (stepId === undefined || isIn(state.step, callId)) return undefined;
  const [step] = around.store.steps({ after: stepId - 1, upTo: stepId });
  return step?.phase === 'calls' ? step : undefined;
}

function isIn(step: AgentRuntime['state']['step'], callId: string): boolean {
  return step?.phase === 'calls' && step.calls.some((call) => call.callId === callId);
}

function callOf(agent: AgentRuntime, given: GivenAnswer): Call | undefined {
  const { step: current } = agent.state;
  const step = pastStep(agent, given) ?? (current?.phase === 'calls' ? current : undefined);
  return step?.calls.find((call) => call.callId === given.callId);
}

function changed({ shown }: GivenAnswer, { input }: Call): Failure | undefined {
  const current = shown?.of(input);
  if (current === undefined || shown?.hash === current) return undefined;
  const what =
    'The arguments of the call are not those of this hash. Look at `pending` again, and answer what is there.';
  return failure('input_changed', what, false, { inputHash: current });
}

type Checked = { readonly ok: true; readonly answer: PersonsAnswer } | { readonly ok: false; readonly error: Failure };

const misfit = (error: Failure): Checked => ({ ok: false, error });

/** The answer as the schemas of its tool make it, or what does not fit. */
async function fitted(agent: AgentRuntime, answer: PersonsAnswer, call: Call): Promise<Checked> {
  const tool = agent.definition.tools.find(({ name }) => name === call.name);
  if (answer.kind === 'client-tool-result') return fittedResult(agent, answer, call, tool);
  if (answer.input === undefined) return { ok: true, answer };
  const given = taken(agent, answer.input, 'invalid_arguments');
  if (!given.ok) return given;
  if (tool === undefined)
    return misfit(failure('unknown_tool', `The tool "${call.name}" is not part of this agent any more.`));
  const parsed = await parse(tool.inputSchema, given.json);
  if (!parsed.ok) {
    const what = `The arguments do not fit what "${call.name}" takes: ${parsed.problem}`;
    return misfit(failure('invalid_arguments', what));
  }
  // The body's arguments are read by the schema again: what it turns into something else is agreed to as it came.
  const made = toJson(parsed.value);
  const again = made.ok ? await parse(tool.inputSchema, made.json) : undefined;
  return { ok: true, answer: { ...answer, input: made.ok && again?.ok ? made.json : given.json } };
}

type ClientsAnswer = Extract<PersonsAnswer, { kind: 'client-tool-result' }>;

async function fittedResult(
  agent: AgentRuntime,
  answer: ClientsAnswer,
  call: Call,
  tool: ToolDefinition | undefined,
): Promise<Checked> {
  if (!answer.result.success) return { ok: true, answer };
  const given = taken(agent, answer.result.value, 'invalid_input');
  if (!given.ok) return given;
  if (tool?.outputSchema === undefined) return { ok: true, answer };
  const checked = await fit(tool.outputSchema, given.json);
  if (checked.ok) return { ok: true, answer: { ...answer, result: { success: true, value: checked.json } } };
  return misfit(failure('invalid_input', `The result does not fit what "${call.name}" gives: ${checked.problem}`));
}

/** What a person gave, within the limits of the agent. */
function taken(
  agent: AgentRuntime,
  value: Json,
  code: 'invalid_arguments' | 'invalid_input',
): { ok: true; json: Json } | (Checked & { ok: false }) {
  const given = toJson(value, agent.rules.limits.maxToolResultBytes);
  if (given.ok) return given;
  return { ok: false, error: failure(given.tooLarge ? 'payload_too_large' : code, `This answer: ${given.problem}.`) };
}
