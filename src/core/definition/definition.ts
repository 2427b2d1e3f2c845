/** Agents and tools as plain data: what people write. No platform types. */
import type { z } from 'zod';
import type { FailureRule, ParentSuspendRule } from '../agent/state';
import type { RootDocuments } from '../protocol/documents';
import { OffshootError } from '../protocol/errors';
import { kebabCase, pascalCase } from '../protocol/ids';
import type { Json } from '../protocol/json';
import { type AgentHooks, HOOK_NAMES } from './hook-types';
import { type Budget, DEFAULT_LIMITS, type Limits, limitProblem } from './limits';
import type { ModelPort } from './model';

/** What a tool's body may use. */
export interface ToolContext<State = Json> {
  /** The agent's custom state, as committed last. */
  getState(): State;
  /** Changes the custom state; committed before it returns, shown as a `state_patch` chunk. */
  updateState(change: (state: State) => State): void;
  /** Shows free text about what the agent does now (`statusText`). */
  emit(statusText: string): void;
  /** Sends a `custom` chunk. */
  emitCustom(name: string, data: Json): void;
  /** Aborts when the call is stopped, timed out or superseded. */
  readonly abortSignal: AbortSignal;
  /** The same for every body of this call: give it to whatever you call. */
  readonly idempotencyKey: string;
  /** What a person agreed to, where the call needed it. */
  readonly approval?: { readonly at: number; readonly actor?: string; readonly reason?: string };
  /**
   * Who asked for the run, as the access check named them: of a sub-agent who asked for the run above it, of a resumed
   * run who resumed it. Missing where nobody is known.
   */
  readonly caller?: string;
  readonly agent: {
    readonly type: string;
    readonly sessionId: string;
    readonly address: string;
    readonly runId: string;
  };
  /** The agent's persistent files. */
  readonly files: ToolFiles;
  /** The Worker's bindings and variables. */
  readonly env: unknown;
  /** Adds what this call spent elsewhere. */
  recordUsage(usage: { inputTokens?: number; outputTokens?: number; costUsd?: number }): void;
}

/** What a file is, without its bytes. `updatedAt` is in ms since 1970, `etag` the SHA-256 of the content in hex. */
export interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly etag: string;
  readonly updatedAt: number;
}

/** Bytes of a file, from 0; what is missing means from the beginning, and to the end. */
export interface ToolFileRange {
  readonly offset?: number;
  readonly length?: number;
}

/**
 * The files of an agent, as its tools see them: those that its tools wrote, and those that people put there. Paths are
 * relative; reading or removing a missing file is an `OffshootError` `not_found`, a range that begins behind the end
 * `invalid_request`.
 */
export interface ToolFiles {
  list(prefix?: string): Promise<readonly ToolFileInfo[]>;
  /** What the file is; undefined where there is none. */
  stat(path: string): Promise<ToolFileInfo | undefined>;
  /** The bytes, whole or a part. @throws `payload_too_large` for more than `maxReadBytes` (16 MiB by default) */
  read(path: string, range?: ToolFileRange): Promise<Uint8Array>;
  /** The same as text of UTF-8; what is none, such as a character that the range cuts, becomes U+FFFD. */
  readText(path: string, range?: ToolFileRange): Promise<string>;
  /**
   * The bytes in pieces of at most 1 MiB, each read when it is asked for, of a file of any size. It stays the version
   * that it was opened as. Read it to the end or cancel it.
   */
  stream(path: string, range?: ToolFileRange): Promise<ReadableStream<Uint8Array>>;
  write(path: string, content: string | Uint8Array, options?: { mediaType?: string }): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The key under which a tool refers to a relationship of its agent. */
export const RELATIONSHIP: unique symbol = Symbol.for('offshoot.relationship');

/**
 * How a parent and a child relate: the one vocabulary that every kind of sub-agent is compiled to.
 * Each field says what may vary between kinds; today every child is ephemeral.
 */
export interface Relationship {
  /** `once`: one call, one run. */
  readonly lifetime: 'once';
  /** `step`: the parent's step waits for the result. */
  readonly await: 'step';
  readonly deliver: 'result';
  readonly placement: 'facet';
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** What becomes of the call when the child fails. */
  readonly onFailure: FailureRule;
  /** What the child may spend with everything below it. */
  readonly budget?: Budget;
  /** The child's whole run, in ms; the child's `childTimeoutMs` by default. */
  readonly timeoutMs?: number;
}

/** What a `requireApproval` function is given beside the input. */
export interface ApprovalContext {
  /** The custom state of the agent. */
  readonly state: Json;
  /** The Worker's bindings and variables. */
  readonly env: unknown;
  readonly agent: ToolContext['agent'];
}

/**
 * Whether a call needs a person's yes: always, never, or as a function of its input says. A function that throws, or
 * answers anything but `false`, asks for the approval. It may be asked again for the same call after a crash.
 */
export type RequireApproval<Input> = boolean | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>);

/** A tool, as `defineTool` returns it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  readonly outputSchema?: z.ZodType;
  /** The body, where it runs on the server. */
  readonly execute?: (input: never, context: ToolContext<never>) => unknown;
  /** Whether a body that a crash cut off may run again (same key, at most 3 times). */
  readonly replay: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether its result ends the run and is the run's output. */
  readonly finishWith: boolean;
  /** Who works on the call: its body on the server, or the client, whose answer is awaited for as long as it takes. */
  readonly runsAt: 'server' | 'client';
  /** Whether a person must agree before the body runs. */
  readonly requireApproval: RequireApproval<never>;
  /** How long a person may take to answer, in ms; as long as it takes where it is missing. */
  readonly answerWithinMs?: number;
  /** Which of its agent's relationships works on the call, where a child does. */
  readonly [RELATIONSHIP]?: Relationship;
}

/** What a model costs, in US dollars for a million tokens. Cached tokens are part of the input. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of `input` by default. */
  readonly cached?: number;
}

/** What a start does while a run goes on: it is refused, it waits, or it waits while that run is interrupted. */
export type ConcurrentEntry = 'refuse' | 'queue' | 'interrupt_previous';

/** A model, or how to get one from the Worker's environment. What it may be is up to the adapter in use. */
export type ModelSource = object | ((env: never) => unknown);

/** An agent, as `defineAgent` returns it. */
export interface AgentDefinition {
  readonly name: string;
  /** `PascalCase(name)`: the class to export. */
  readonly className: string;
  /** `kebab-case(name)`: the class segment of addresses. */
  readonly addressClass: string;
  readonly description: string;
  readonly systemPrompt: string | ((context: { state: Json }) => string);
  readonly model: ModelSource | ModelPort;
  readonly tools: readonly ToolDefinition[];
  /** Every kind of child that it may have, each once; its tools refer to them. */
  readonly relationships: readonly Relationship[];
  readonly inputSchema?: z.ZodType;
  readonly outputSchema?: z.ZodType;
  readonly stateSchema?: z.ZodType;
  readonly limits: Partial<Limits>;
  readonly concurrentEntry: ConcurrentEntry;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: (env: unknown, address: string) => RootDocuments;
  readonly hooks: AgentHooks;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** Ends the run after a step when it says so. Must be pure. */
  readonly stopWhen?: (step: StepFacts) => boolean;
}

/** What `stopWhen` sees of a step that has just been closed. */
export interface StepFacts {
  /** From 1, within the turn. */
  readonly step: number;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly success: boolean; readonly result: Json }[];
}

/** Prefix of the tools that delegate to a sub-agent. */
export const SUBAGENT_TOOL_PREFIX = 'subagent__';

const RESERVED_PREFIXES = [SUBAGENT_TOOL_PREFIX, 'companion__', 'workspace_', '__'];
const RESERVED_TOOLS = ['subagent_create', 'subagent_message', 'subagent_terminate', 'subagents'];
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function refuse(what: string): never {
  throw new OffshootError('invalid_definition', what);
}

/** A misspelt option would be left out without a word, and with it what it should guard. */
export function refuseUnknown(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length > 0) refuse(`${what} has unknown options: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
}

const TOOL_OPTIONS = [
  'name',
  'description',
  'inputSchema',
  'outputSchema',
  'execute',
  'requireApproval',
  'answerWithinMs',
  'replay',
  'timeoutMs',
  'finishWith',
];

const AGENT_OPTIONS = [
  'name',
  'description',
  'systemPrompt',
  'model',
  'tools',
  'inputSchema',
  'outputSchema',
  'stateSchema',
  'maxSteps',
  'limits',
  'concurrentEntry',
  'hooks',
  'price',
  'root',
  'documents',
  'stopWhen',
];

function checkExecution(tool: {
  name: string;
  execute: unknown;
  requireApproval?: unknown;
  timeoutMs?: number;
  answerWithinMs?: number;
}): void {
  const { name, execute, requireApproval = false, timeoutMs, answerWithinMs } = tool;
  refuseUnknown(`Tool "${name}"`, tool, TOOL_OPTIONS);
  if (typeof execute !== 'function' && execute !== 'client')
    refuse(`Tool "${name}" needs an \`execute\` function, or \`execute: 'client'\`.`);
  if (typeof requireApproval !== 'boolean' && typeof requireApproval !== 'function')
    refuse(`Tool "${name}": \`requireApproval\` must be true, false or a function.`);
  if (execute === 'client' && requireApproval !== false)
    refuse(`Tool "${name}": a tool that runs at the client is in a person's hands already; drop \`requireApproval\`.`);
  if (execute === 'client' && timeoutMs !== undefined)
    refuse(
      `Tool "${name}": \`timeoutMs\` bounds a body on the server; use \`answerWithinMs\` for the client's answer.`,
    );
  if (answerWithinMs !== undefined && execute !== 'client' && requireApproval === false)
    refuse(`Tool "${name}": \`answerWithinMs\` needs \`requireApproval\` or \`execute: 'client'\`.`);
  for (const [limit, value] of Object.entries({ timeoutMs, answerWithinMs })) {
    const problem = value === undefined ? undefined : limitProblem('timeoutMs', value);
    if (problem !== undefined) refuse(`Tool "${name}": \`${limit}\` ${problem}.`);
  }
}

/** The name of a tool that models take; those of the framework are kept for what it makes itself. */
function checkToolName(name: string, where = ''): void {
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    refuse(`${where}Tool name "${name}": use a letter or "_" first, then at most 63 letters, digits, "_" or "-".`);
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix !== undefined)
    refuse(`${where}Tool name "${name}": names that begin with "${prefix}" are reserved; choose another.`);
  if (RESERVED_TOOLS.includes(name)) refuse(`${where}Tool name "${name}" is reserved; choose another.`);
}

/**
 * Defines a tool.
 * @throws OffshootError `invalid_definition` for a name that is reserved or that models do not take, or without a body.
 */
export function defineTool<Input extends z.ZodType, State = Json>(tool: {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  description: string;
  inputSchema: Input;
  /** Checks the result, also one that a client gives. */
  outputSchema?: z.ZodType;
  /** The body; or `client`: the call waits, for as long as it takes, until a client gives its result. */
  execute: ((input: z.output<Input>, context: ToolContext<State>) => unknown) | 'client';
  /** Whether a person must agree before the body runs; not together with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z.output<Input>>;
  /**
   * How long a person may take to answer, in ms. Then an approval counts as denied (`approval_expired`), and a client's
   * tool as failed (`client_tool_timeout`). As long as it takes by default.
   */
  answerWithinMs?: number;
  /** `never` by default: a body that a crash cut off is not run again, its call gets `outcome_unknown`. */
  replay?: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  timeoutMs?: number;
  finishWith?: boolean;
}): ToolDefinition {
  const { name } = tool;
  checkToolName(name);
  checkExecution(tool);
  return Object.freeze({
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
    ...(tool.execute === 'client' ? {} : { execute: tool.execute }),
    runsAt: tool.execute === 'client' ? ('client' as const) : ('server' as const),
    requireApproval: tool.requireApproval ?? false,
    ...(tool.answerWithinMs === undefined ? {} : { answerWithinMs: tool.answerWithinMs }),
    replay: tool.replay ?? 'never',
    ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
    finishWith: tool.finishWith ?? false,
  });
}

function checkAgentName(name: string): { className: string; addressClass: string } {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    refuse(`Agent name "${name}": it must begin with a letter and hold letters, digits, "-" or "_", at most 64.`);
  }
  const className = pascalCase(name);
  const addressClass = kebabCase(className);
  if (pascalCase(addressClass) !== className) {
    refuse(
      `Agent name "${name}": the class "${className}" would be "${addressClass}" in addresses, which reads as "${pascalCase(addressClass)}"; call it "${addressClass}".`,
    );
  }
  if (addressClass === 'sub')
    refuse(`Agent name "${name}" would become "sub" in addresses, which separates levels there; choose another.`);
  return { className, addressClass };
}

/** A tool that was put together by hand is held to what the functions that make tools hold to. */
function checkTools(agent: string, tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    const { name } = tool;
    if (tool[RELATIONSHIP] === undefined) {
      checkToolName(name, `Agent "${agent}": `);
      if (typeof tool.execute !== 'function' && tool.runsAt !== 'client')
        refuse(`Agent "${agent}": make the tool "${name}" with \`defineTool\`; it has no body.`);
    } else if (!(name.startsWith(SUBAGENT_TOOL_PREFIX) && TOOL_NAME.test(name)))
      refuse(`Agent "${agent}": the tool "${name}" is a sub-agent; make it with \`createSubAgentTool\`.`);
    if (seen.has(name)) refuse(`Agent "${agent}" has two tools named "${name}"; rename one, or wrap another agent.`);
    seen.add(name);
  }
}

const ENTRIES: readonly ConcurrentEntry[] = ['refuse', 'queue', 'interrupt_previous'];

function checkBehaviour({ name, hooks = {}, concurrentEntry = 'refuse', price }: AgentOptions): void {
  for (const [hook, given] of Object.entries(hooks)) {
    if (!(HOOK_NAMES as readonly string[]).includes(hook))
      refuse(`Agent "${name}" has an unknown hook "${hook}". There are: ${HOOK_NAMES.join(', ')}.`);
    const body: unknown = typeof given === 'object' && given !== null ? given.run : given;
    if (typeof body !== 'function') refuse(`Agent "${name}": the hook "${hook}" must be a function.`);
    if (hook === 'onRunSettled' && typeof given === 'object' && given.failRun === true)
      refuse(`Agent "${name}": the hook "${hook}" cannot fail a run that ends; drop \`failRun\`.`);
  }
  if (!ENTRIES.includes(concurrentEntry))
    refuse(`Agent "${name}": \`concurrentEntry\` must be one of ${ENTRIES.join(', ')}.`);
  if (typeof price !== 'object') return;
  for (const [part, value] of Object.entries(price)) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
      refuse(`Agent "${name}": \`price.${part}\` must be US dollars for a million tokens, 0 or more.`);
  }
}

/** What `defineAgent` takes. */
export interface AgentOptions {
  /** Also names the class (`fact-checker` is exported as `FactChecker`) and the address. */
  name: string;
  description?: string;
  systemPrompt: AgentDefinition['systemPrompt'];
  model: AgentDefinition['model'];
  tools?: readonly ToolDefinition[];
  /** Checks `input` of a start; the input's JSON is the first user message. */
  inputSchema?: z.ZodType;
  /** The typed output; adds the tool `__finish__` that the model ends with. Without it, text ends the run. */
  outputSchema?: z.ZodType;
  /** The custom state; its defaults are the first state. */
  stateSchema?: z.ZodType;
  /** Steps of one turn; 50 by default. */
  maxSteps?: number;
  limits?: Partial<Limits>;
  /** What a start does while a run goes on; `refuse` by default. */
  concurrentEntry?: ConcurrentEntry;
  /** Called at points of the agent's life, in order, each once for each run and event. */
  hooks?: AgentHooks;
  /** What the model costs, so that usage and budgets know it. */
  price?: AgentDefinition['price'];
  /** `false`: it only ever works for other agents, and a start of it as a root is refused (`not_a_root`). `true` by default. */
  root?: boolean;
  /** The documents of a root of this agent, listed, removed and shared by the API, and forgotten when the root is deleted. */
  documents?: NonNullable<AgentDefinition['documents']>;
  stopWhen?: (step: StepFacts) => boolean;
}

/**
 * Defines an agent.
 * @throws OffshootError `invalid_definition` that says what to change.
 */
export function defineAgent(agent: AgentOptions): AgentDefinition {
  const names = checkAgentName(agent.name);
  refuseUnknown(`Agent "${agent.name}"`, agent, AGENT_OPTIONS);
  refuseUnknown(`The limits of agent "${agent.name}"`, agent.limits ?? {}, Object.keys(DEFAULT_LIMITS));
  const tools = agent.tools ?? [];
  checkTools(agent.name, tools);
  const limits = { ...agent.limits, ...(agent.maxSteps === undefined ? {} : { maxSteps: agent.maxSteps }) };
  for (const [limit, value] of Object.entries(limits)) {
    const problem = limitProblem(limit, value);
    if (problem !== undefined) refuse(`Agent "${agent.name}": the limit \`${limit}\` ${problem}.`);
  }
  checkBehaviour(agent);
  return Object.freeze({
    name: agent.name,
    ...names,
    description: agent.description ?? '',
    systemPrompt: agent.systemPrompt,
    model: agent.model,
    tools,
    relationships: Object.freeze([...new Set(tools.flatMap((tool) => tool[RELATIONSHIP] ?? []))]),
    ...(agent.inputSchema ? { inputSchema: agent.inputSchema } : {}),
    ...(agent.outputSchema ? { outputSchema: agent.outputSchema } : {}),
    ...(agent.stateSchema ? { stateSchema: agent.stateSchema } : {}),
    limits,
    concurrentEntry: agent.concurrentEntry ?? 'refuse',
    hooks: agent.hooks ?? {},
    root: agent.root ?? true,
    ...(agent.price ? { price: agent.price } : {}),
    ...(agent.documents ? { documents: agent.documents } : {}),
    ...(agent.stopWhen ? { stopWhen: agent.stopWhen } : {}),
  });
}
