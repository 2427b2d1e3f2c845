/**
 * Models that follow a script: real `LanguageModelV4`s for tests, examples and benchmarks.
 * - what a model answers depends only on its script and on the request, unless the script counts calls.
 *
 * Keeps M22, M23, M24, M37, M113, M114.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { OffshootError } from '../protocol/errors';
import type { Json } from '../protocol/json';
import { FINISH_TOOL } from '../protocol/messages';
import { checkOptions, checkScript, checkScripts, checkStep } from './check-script';
import { isNotice, type Origin, readOrigin } from './origin';
import type {
  Script,
  ScriptContext,
  ScriptFunction,
  ScriptOptions,
  ScriptRequest,
  ScriptResult,
  ScriptStep,
} from './script';
import { collect, play } from './script-stream';

/** A scripted model, with its requests. */
export interface ScriptedModel extends LanguageModelV4 {
  /** Copies of all requests, in order; empty with `record: false`. */
  readonly requests: readonly ScriptRequest[];
  /** The number of requests. */
  readonly calls: number;
}

/**
 * A model that answers every agent from one script. An entry that depends on results is a function. A request past the
 * end of a list fails with `model_error`, which says how long the list is.
 * @example
 * const model = scriptedModel([{ calls: [{ name: 'time_in', input: { zone: 'UTC' } }] }, { text: 'It is time.' }]);
 */
export function scriptedModel(script: Script, options: ScriptOptions = {}): ScriptedModel {
  checkScript('Script', script);
  const one: Route = { script, label: 'the script', title: 'Script', calls: 0 };
  return build(() => one, options);
}

/**
 * A model that answers each agent type from its own script; calls are counted per type. A request of a type without a
 * script fails with `model_error`, which lists the types that have one.
 * @example
 * const model = routingScriptedModel({
 *   planner: [{ calls: [{ name: 'subagent__timekeeper', input: { zone: 'UTC' } }] }, { text: 'At ten.' }],
 *   timekeeper: [{ finish: { time: '10:00' } }],
 * });
 */
export function routingScriptedModel(
  scripts: Readonly<Record<string, Script>>,
  options: ScriptOptions = {},
): ScriptedModel {
  checkScripts(scripts);
  const routes = new Map<string, Route>();
  for (const [type, script] of Object.entries(scripts))
    routes.set(type, { script, label: `the script of "${type}"`, title: `Script "${type}"`, calls: 0 });
  return build((agentType) => {
    const route = routes.get(agentType);
    if (route) return route;
    throw new OffshootError(
      'model_error',
      `There is no script for the agent "${agentType}", only for: ${[...routes.keys()].join(', ')}.`,
    );
  }, options);
}

interface Route {
  readonly script: Script;
  readonly label: string;
  /** Its beginning of a sentence about an entry. */
  readonly title: string;
  calls: number;
}

function build(routeOf: (agentType: string) => Route, options: ScriptOptions): ScriptedModel {
  checkOptions(options);
  const { by = 'step', record = true, modelId = 'scripted' } = options;
  const requests: ScriptRequest[] = [];
  let calls = 0;
  const next = async (asked: LanguageModelV4CallOptions): Promise<{ step: ScriptStep; ids: string }> => {
    calls += 1;
    const origin = readOrigin(asked.providerOptions);
    const route = routeOf(origin.agentType ?? '');
    route.calls += 1;
    const request = toRequest(asked, origin, route.calls);
    if (record) requests.push(structuredClone(request));
    const abortSignal = asked.abortSignal ?? new AbortController().signal;
    return {
      step: await pick(route, request, by, { abortSignal }),
      ids: `call_${by === 'call' ? request.call : request.step}`,
    };
  };
  return {
    specificationVersion: 'v4',
    provider: 'offshoot',
    modelId,
    supportedUrls: {},
    requests,
    get calls() {
      return calls;
    },
    async doStream(asked) {
      const { step, ids } = await next(asked);
      return { stream: await play(step, { ids, modelId, signal: asked.abortSignal }) };
    },
    async doGenerate(asked) {
      const { step, ids } = await next(asked);
      return collect(await play(step, { ids, modelId, signal: asked.abortSignal }));
    },
  };
}

async function pick(
  { script, label, title }: Route,
  request: ScriptRequest,
  by: 'step' | 'call',
  context: ScriptContext,
): Promise<ScriptStep> {
  const made = async (one: ScriptFunction) => {
    const step = await one(request, context);
    checkStep(`${title}: what the function returned for ${by} ${request[by]}`, step);
    return step;
  };
  if (typeof script === 'function') return made(script);
  const step = script[request[by] - 1];
  if (step) return typeof step === 'function' ? made(step) : step;
  throw new OffshootError(
    'model_error',
    `There is no answer for ${by} ${request[by]}: ${label} has ${script.length}.${unfinished(script, request)}`,
  );
}

/** The reason for a further step where an output is missing. */
function unfinished(script: Exclude<Script, ScriptFunction>, { tools }: ScriptRequest): string {
  const mayFinish = script.some((step) => typeof step === 'function' || step.finish !== undefined);
  const isMissing = tools.some(({ name }) => name === FINISH_TOOL) && !mayFinish;
  return isMissing
    ? ' An agent with an `outputSchema` ends with an entry that has `finish`; text does not end it.'
    : '';
}

function toRequest(asked: LanguageModelV4CallOptions, origin: Origin, call: number): ScriptRequest {
  const { agentType = '', sessionId = '', runId = '', step = call, attempt = 1 } = origin;
  const tools = (asked.tools ?? []).filter((tool) => tool.type === 'function');
  return {
    agentType,
    sessionId,
    runId,
    step,
    attempt,
    call,
    prompt: asked.prompt,
    ...lastTurn(asked.prompt, step),
    tools,
  };
}

/**
 * The message that the turn answers, with the results and the notices behind it. A notice counts as that message only
 * where nobody else began the turn.
 */
function lastTurn(prompt: LanguageModelV4Prompt, step: number): Pick<ScriptRequest, 'message' | 'results' | 'notices'> {
  const begin = beginOf(prompt, step);
  const said = prompt.findLastIndex((message) => message.role === 'user' && !isNotice(message));
  const at = said >= begin ? said : openingOf(prompt, begin, said);
  const last = prompt[at];
  const after = prompt.slice(at + 1);
  const results = after.flatMap(({ role, content }) => {
    if (role !== 'tool') return [];
    return content.flatMap((part) => (part.type === 'tool-result' ? [resultOf(part)] : []));
  });
  const notices = after.flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []));
  return { message: last?.role === 'user' ? textOf(last.content) : '', results, notices };
}

/** Where the turn begins: behind the last reply that was before its first step. */
function beginOf(prompt: LanguageModelV4Prompt, step: number): number {
  let replies = 0;
  return prompt.findLastIndex(({ role }) => role === 'assistant' && ++replies === step) + 1;
}

/** The last message before the first reply of a turn that Offshoot began, else the last message of anybody. */
function openingOf(prompt: LanguageModelV4Prompt, begin: number, said: number): number {
  const reply = prompt.findIndex(({ role }, index) => index >= begin && role === 'assistant');
  const opening = prompt.findLastIndex(
    ({ role }, index) => role === 'user' && index >= begin && (reply < 0 || index < reply),
  );
  return opening < 0 ? said : opening;
}

function resultOf({ toolName, output }: LanguageModelV4ToolResultPart): ScriptResult {
  const failed = output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied';
  if (output.type === 'execution-denied') return { name: toolName, value: output.reason ?? 'denied', failed };
  const value = output.type === 'content' ? textOf(output.value) : (output.value as Json);
  return { name: toolName, value, failed };
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n\n');
}
