/**
 * Tools as people define them, checked.
 *
 * Decides: which names of tools are reserved.
 * Keeps DF1, DF4, DF29, DF52.
 */
import type * as z from 'zod';
import { isObject, type Json, type JsonObject, toJson } from '../../protocol/json';
import type { AnyTool, RequireApproval, ShownTool, ToolDefinition } from './definition';
import { checkKinds, checkNeeded, invalidDefinition, labelOf, refuseUnknown } from './invalid';
import { limitProblem } from './limits';
import { checkModelSchema, checkSchema } from './schemas/check-schema';
import { jsonSchemaOf, strictProblem } from './schemas/schema';
import type { ProviderOptions } from './settings/settings';
import type { ToolContext } from './tool-context';
import type { Result } from './types';
import { checkVariables, type VariableDefinition } from './variables';

/** Prefix of the tools that delegate to a sub-agent. */
export const SUBAGENT_TOOL_PREFIX = 'subagent__';

/** Prefix of the tools for companions. */
export const COMPANION_TOOL_PREFIX = 'companion__';

const RESERVED_PREFIXES = [SUBAGENT_TOOL_PREFIX, COMPANION_TOOL_PREFIX, 'workspace_', '__'];
const RESERVED_TOOLS = ['subagent_create', 'subagent_message', 'subagent_terminate', 'subagents'];
/** What models take as the name of a tool. */
export const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

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
  'variables',
  'uses',
  'strict',
  'inputExamples',
  'providerOptions',
];

/** A description has so many characters at most: each request has it, and a server of MCP writes its own. */
const MAX_DESCRIPTION = 32_768;

const REPLAYS: readonly string[] = ['never', 'safe'];

function checkExecution(tool: {
  name: string;
  execute: unknown;
  requireApproval?: unknown;
  replay?: string;
  timeoutMs?: number;
  answerWithinMs?: number;
}): void {
  const { name, execute, requireApproval = false, timeoutMs, answerWithinMs } = tool;
  checkKinds(`Tool "${name}"`, tool, { finishWith: 'flag', variables: 'list', uses: 'list' });
  if (!REPLAYS.includes(tool.replay ?? 'never'))
    invalidDefinition(`Tool "${name}": \`replay\` must be one of ${REPLAYS.join(', ')}.`);
  if (typeof execute !== 'function' && execute !== 'client')
    invalidDefinition(`Tool "${name}" needs an \`execute\` function, or \`execute: 'client'\`.`);
  if (typeof requireApproval !== 'boolean' && typeof requireApproval !== 'function')
    invalidDefinition(`Tool "${name}": \`requireApproval\` must be true, false or a function.`);
  if (execute === 'client' && requireApproval !== false)
    invalidDefinition(`Tool "${name}": a client tool already needs a person; remove \`requireApproval\`.`);
  if (execute === 'client' && timeoutMs !== undefined)
    invalidDefinition(
      `Tool "${name}": \`timeoutMs\` limits an execution on the server; use \`answerWithinMs\` for the client's answer.`,
    );
  if (answerWithinMs !== undefined && execute !== 'client' && requireApproval === false)
    invalidDefinition(`Tool "${name}": \`answerWithinMs\` needs \`requireApproval\` or \`execute: 'client'\`.`);
  for (const [limit, value] of Object.entries({ timeoutMs, answerWithinMs })) {
    const problem = value === undefined ? undefined : limitProblem('timeoutMs', value);
    if (problem !== undefined) invalidDefinition(`Tool "${name}": \`${limit}\` ${problem}.`);
  }
}

/** The name of a tool that models take; those of the framework are kept for what it makes itself. */
export function checkToolName(name: string, where = ''): void {
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    invalidDefinition(
      `${where}Tool name "${name}": use a letter or "_" first, then at most 63 letters, digits, "_" or "-".`,
    );
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix !== undefined)
    invalidDefinition(`${where}Tool name "${name}": names that begin with "${prefix}" are reserved; choose another.`);
  // A package that looks names up in an object finds a function under such a name.
  if (RESERVED_TOOLS.includes(name) || name in Object.prototype)
    invalidDefinition(`${where}Tool name "${name}" is reserved; choose another.`);
}

/** A tool as a model is shown it. @throws OffshootError `invalid_definition` for what no provider could use */
function shownAs(
  name: string,
  inputSchema: z.core.$ZodType,
  { strict = false, inputExamples = [], providerOptions = {} }: { readonly [Option in keyof ShownTool]: unknown },
): { shown?: ShownTool } {
  const where = `Tool "${name}"`;
  if (typeof strict !== 'boolean') invalidDefinition(`${where}: \`strict\` must be true or false.`);
  const problem = strict ? strictProblem(jsonSchemaOf(inputSchema)) : undefined;
  if (problem !== undefined) invalidDefinition(`${where}: \`strict\` is not possible: ${problem}.`);
  const examples = jsonGiven(where, 'inputExamples', inputExamples);
  if (!Array.isArray(examples)) invalidDefinition(`${where}: \`inputExamples\` must be a list of inputs.`);
  const options = optionsOf(where, jsonGiven(where, 'providerOptions', providerOptions));
  const shown = {
    ...(strict ? { strict } : {}),
    ...(examples.length === 0 ? {} : { inputExamples: examples }),
    ...(Object.keys(options).length === 0 ? {} : { providerOptions: options }),
  };
  return Object.keys(shown).length === 0 ? {} : { shown };
}

function jsonGiven(where: string, option: string, value: unknown): Json {
  const made = toJson(value);
  return made.ok ? made.json : invalidDefinition(`${where}: \`${option}\` must be JSON: ${made.problem}.`);
}

function optionsOf(where: string, given: Json): ProviderOptions {
  const options: { [provider: string]: JsonObject } = {};
  for (const [provider, one] of isObject(given) ? Object.entries(given) : [])
    if (isObject(one)) options[provider] = one;
  if (!isObject(given) || Object.keys(options).length < Object.keys(given).length)
    invalidDefinition(`${where}: \`providerOptions\` must be an object of options by the name of a provider.`);
  return options;
}

function usedTools(name: string, uses: readonly AnyTool[]): readonly AnyTool[] {
  if (!Array.isArray(uses) || uses.some((tool) => typeof tool !== 'object' || tool === null || !('runsAt' in tool)))
    invalidDefinition(`Tool "${name}": \`uses\` must be a list of tools.`);
  return Object.freeze([...uses]);
}

/** The function that executes a tool. */
export type ToolBody<Input, Output, State, Env> = (input: Input, context: ToolContext<State, Env>) => Result<Output>;

/** Options of `defineTool`. */
export interface ToolOptions<
  InputSchema extends z.core.$ZodType,
  OutputSchema extends z.core.$ZodType,
  Output,
  State,
  Env,
  Finishes extends boolean,
  ApprovalState = State,
  ApprovalEnv = Env,
> {
  /** Name of letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Schema of the arguments. It validates them, and `execute` gets the parsed value. */
  inputSchema: InputSchema;
  /** Schema of the result, including a client's result. The compiler checks `execute` against it. */
  outputSchema?: OutputSchema;
  /** Function that executes a call, or `'client'` if a client executes the call and sends the result. */
  execute: ToolBody<z.output<InputSchema>, Output, State, Env> | 'client';
  /** Whether a person must approve a call before it executes. Not with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z.output<InputSchema>, ApprovalState, ApprovalEnv>;
  /**
   * How long a person or client may take to answer, in ms. After that, an approval counts as denied
   * (`approval_expired`), and a client tool as failed (`client_tool_timeout`). No limit by default.
   */
  answerWithinMs?: number;
  /**
   * Effect of a crash on a running call. `safe`: the call runs again. `never` (default): it fails with
   * `outcome_unknown`.
   */
  replay?: 'never' | 'safe';
  /** Time that one execution may take, in ms; 2 minutes by default. */
  timeoutMs?: number;
  /**
   * Whether the tool's result ends the run as its output. If the tool fails, the run continues. The result must
   * match the agent's `outputSchema`. `false` by default.
   */
  finishWith?: Finishes;
  /** Variables that `execute` reads (`context.variable`). None by default. */
  variables?: readonly VariableDefinition[];
  /** Tools that `execute` calls itself; this tool then needs their variables, too. None by default. */
  uses?: readonly AnyTool[];
  /**
   * Asks providers that support it for arguments that fit the schema exactly. Every property of the schema must then be
   * required. `false` by default.
   */
  strict?: boolean;
  /** Example inputs for the model. None by default. */
  inputExamples?: readonly z.input<InputSchema>[];
  /** Options for certain providers, by the provider's name. None by default. */
  providerOptions?: Readonly<Record<string, object>>;
}

/**
 * Defines a tool.
 * @throws OffshootError `invalid_definition` for a reserved or invalid name, or without `execute`
 * @example
 * const clock = defineTool({
 *   name: 'time_in',
 *   description: 'The time of day in a time zone.',
 *   inputSchema: z.object({ zone: z.string() }),
 *   execute: ({ zone }) => new Date().toLocaleTimeString('en-GB', { timeZone: zone }),
 * });
 */
export function defineTool<
  InputSchema extends z.core.$ZodType,
  OutputSchema extends z.core.$ZodType = z.core.$ZodUnknown,
  Output extends z.input<OutputSchema> = z.input<OutputSchema>,
  State = unknown,
  Env = Cloudflare.Env,
  Finishes extends boolean = false,
  // Separate parameters, so that an approval written before the body does not decide what the body may need.
  ApprovalState = State,
  ApprovalEnv = Env,
>(
  tool: ToolOptions<InputSchema, OutputSchema, Output, State, Env, Finishes, ApprovalState, ApprovalEnv>,
): ToolDefinition<{
  input: z.output<InputSchema>;
  output: Output;
  state: State & ApprovalState;
  env: Env & ApprovalEnv;
  finishes: Finishes;
}>;
export function defineTool(tool: AnyToolOptions): ToolDefinition {
  refuseUnknown(labelOf('Tool', tool), tool, TOOL_OPTIONS);
  checkToolName(tool.name);
  checkNeeded(
    `Tool "${tool.name}"`,
    'description',
    tool.description,
    'when the model should call it, and what it does',
  );
  return compiledTool(tool);
}

/** Options of whatever types: a body takes what its schema makes, which the compiler cannot see here. */
type AnyToolOptions = Omit<
  ToolOptions<z.core.$ZodType, z.core.$ZodType, unknown, unknown, unknown, boolean>,
  'execute' | 'requireApproval'
> & {
  readonly execute: NonNullable<AnyTool['execute']> | 'client';
  readonly requireApproval?: RequireApproval;
};

/** A tool of checked names of options. Other libraries make tools without a description, which is empty then. */
export function compiledTool(tool: AnyToolOptions): ToolDefinition {
  const { name } = tool;
  checkToolName(name);
  checkExecution(tool);
  const { length } = tool.description;
  if (length > MAX_DESCRIPTION)
    invalidDefinition(`Tool "${name}": \`description\` has ${length} characters, more than ${MAX_DESCRIPTION}.`);
  checkModelSchema(`Tool "${name}"`, 'inputSchema', tool.inputSchema);
  if (tool.outputSchema !== undefined) checkSchema(`Tool "${name}"`, 'outputSchema', tool.outputSchema);
  const { strict, inputExamples, providerOptions } = tool;
  return Object.freeze({
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
    ...shownAs(name, tool.inputSchema, { strict, inputExamples, providerOptions }),
    ...(tool.execute === 'client' ? {} : { execute: tool.execute }),
    runsAt: tool.execute === 'client' ? ('client' as const) : ('server' as const),
    requireApproval: tool.requireApproval ?? false,
    ...(tool.answerWithinMs === undefined ? {} : { answerWithinMs: tool.answerWithinMs }),
    replay: tool.replay ?? 'never',
    ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
    finishWith: tool.finishWith ?? false,
    ...(tool.variables ? { variables: checkVariables(`Tool "${name}"`, tool.variables) } : {}),
    ...(tool.uses ? { uses: usedTools(name, tool.uses) } : {}),
  });
}
