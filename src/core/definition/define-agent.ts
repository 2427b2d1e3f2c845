/**
 * Agents as people define them, checked.
 *
 * Decides: which options an agent has, and what is refused.
 * Keeps DF1, DF4, DF10, DF24, DF29, F17.
 */
import type * as z from 'zod';
import { kebabCase, pascalCase } from '../../protocol/ids';
import type { Json } from '../../protocol/json';
import type { SideName } from '../../protocol/sides';
import type { RootDocuments } from '../../protocol/wire/documents';
import { checkEffects } from './check-effects';
import { oneOf } from './children/child-options';
import { companionsOf, type PersistentAgent } from './children/companion';
import { type ContextOptions, checkContext } from './context';
import { checkToolName, SUBAGENT_TOOL_PREFIX, TOOL_NAME } from './define-tool';
import {
  type AgentDefinition,
  type AnyTool,
  type ConcurrentStartRule,
  type EffectDefinition,
  type GivenModels,
  type ModelSource,
  type PendingMessageRule,
  type Price,
  type PromptDefinition,
  type RateLimiter,
  RELATIONSHIP,
  type Side,
  type WorkspaceOptions,
} from './definition';
import { type AnyTools, toolsOf } from './given-tools';
import type { AgentHooks } from './hooks/hook-types';
import { compiledHooks, type HooksOption, hooksWith } from './hooks/hooks';
import type { StopCondition } from './hooks/stop-when';
import {
  checkKinds,
  checkNeeded,
  invalidDefinition,
  labelOf,
  needsMore,
  refuseOtherThanPrompt,
  refuseUnknown,
} from './invalid';
import { DEFAULT_LIMITS, type Limits, limitProblem } from './limits';
import { modelsGiven } from './models/models';
import { checkPrice } from './price';
import { checkModelSchema, checkSchema } from './schemas/check-schema';
import { jsonSchemaOf, strictProblem } from './schemas/schema';
import { settingsOf } from './settings/check';
import type { ModelSettings } from './settings/settings';
import type { EnvOf, FinishesOf, JsonOf, OutputOf, StateOf } from './types';
import { checkEnv, checkVariables, type VariableDefinition } from './variables';

/** Options that a prompt provides. */
const OF_PROMPT = ['systemPrompt', 'model', 'models', 'settings', 'tools'] as const;
const AGENT_OPTIONS = [
  'name',
  'description',
  ...OF_PROMPT,
  'inputSchema',
  'outputSchema',
  'strictOutput',
  'stateSchema',
  'maxSteps',
  'limits',
  'context',
  'onConcurrentStart',
  'onMessageWhilePending',
  'hooks',
  'price',
  'modelRateLimit',
  'root',
  'documents',
  'persistentAgents',
  'stopWhen',
  'workspace',
  'prompt',
  'title',
  'examples',
  'exposeAsTool',
  'toolDescription',
  'variables',
  'env',
  'effects',
];
/** The kinds of options that are checked by their kind alone. */
const TEXTS = { description: 'text', title: 'text', toolDescription: 'text' } as const;
const FLAGS = { root: 'flag', exposeAsTool: 'flag', strictOutput: 'flag' } as const;
const OTHERS = { modelRateLimit: 'function', documents: 'function', persistentAgents: 'list' } as const;
const KINDS = { ...TEXTS, ...FLAGS, ...OTHERS };
const WORKSPACE_OPTIONS = ['readOnly', 'requireApproval'];

function checkAgentName(name: string): { className: string; addressClass: string } {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    invalidDefinition(
      `Agent name "${name}": it must begin with a letter and contain letters, digits, "-" or "_", at most 64.`,
    );
  }
  const className = pascalCase(name);
  const addressClass = kebabCase(className);
  if (pascalCase(addressClass) !== className) {
    invalidDefinition(
      `Agent name "${name}": in addresses it would become "${addressClass}", which stands for another class, "${pascalCase(addressClass)}"; name the agent "${addressClass}".`,
    );
  }
  if (addressClass === 'sub')
    invalidDefinition(
      `Agent name "${name}" would become "sub" in addresses, which separates levels there; choose another.`,
    );
  return { className, addressClass };
}

/** A tool that was put together by hand is held to what the functions that make tools hold to. */
function checkTools(agent: string, tools: readonly AnyTool[]): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    const { name } = tool;
    if (tool[RELATIONSHIP] === undefined) {
      checkToolName(name, `Agent "${agent}": `);
      if (typeof tool.execute !== 'function' && tool.runsAt !== 'client')
        invalidDefinition(`Agent "${agent}": make the tool "${name}" with \`defineTool\`; it has no \`execute\`.`);
      checkModelSchema(`Agent "${agent}", tool "${name}"`, 'inputSchema', tool.inputSchema);
    } else if (!(name.startsWith(SUBAGENT_TOOL_PREFIX) && TOOL_NAME.test(name)))
      invalidDefinition(`Agent "${agent}": the tool "${name}" is a sub-agent; make it with \`createSubAgentTool\`.`);
    if (seen.has(name))
      invalidDefinition(`Agent "${agent}" has two tools named "${name}"; rename one, or wrap another agent.`);
    seen.add(name);
  }
}

/** The schemas of an agent. @throws OffshootError `invalid_definition` */
function checkSchemas(agent: AnyAgentOptions, tools: readonly AnyTool[]): void {
  const { name, inputSchema, outputSchema, stateSchema, strictOutput = false } = agent;
  const where = `Agent "${name}"`;
  if (inputSchema !== undefined) checkModelSchema(where, 'inputSchema', inputSchema);
  if (stateSchema !== undefined) checkSchema(where, 'stateSchema', stateSchema);
  if (outputSchema === undefined) {
    if (strictOutput) invalidDefinition(`${where}: \`strictOutput\` needs an \`outputSchema\`.`);
    return;
  }
  // Where tools return the output, the model returns none.
  if (tools.some(({ finishWith }) => finishWith)) checkSchema(where, 'outputSchema', outputSchema);
  else checkModelSchema(where, 'outputSchema', outputSchema);
  const problem = strictOutput ? strictProblem(jsonSchemaOf(outputSchema)) : undefined;
  if (problem !== undefined) invalidDefinition(`${where}: \`strictOutput\` is not possible: ${problem}.`);
}

const conditionsOf = (given: AgentOptions['stopWhen'] = []): readonly StopCondition[] =>
  isConditions(given) ? [...given] : [given];

const isConditions = (given: NonNullable<AgentOptions['stopWhen']>): given is readonly StopCondition[] =>
  Array.isArray(given);

function checkBehaviour(agent: AnyAgentOptions): void {
  const { name, onConcurrentStart = 'refuse', onMessageWhilePending = 'queue', price } = agent;
  checkKinds(`Agent "${name}"`, agent, KINDS);
  oneOf(`Agent "${name}"`, 'onMessageWhilePending', onMessageWhilePending, ['queue', 'deny']);
  oneOf(`Agent "${name}"`, 'onConcurrentStart', onConcurrentStart, ['refuse', 'queue', 'interrupt_previous']);
  checkPrice(name, price);
}

/** The rules of a workspace, if there is one. @throws OffshootError `invalid_definition` */
function workspaceOf(agent: string, given: unknown): { workspace?: WorkspaceOptions } {
  if (given === undefined || given === false) return {};
  if (given === true) return { workspace: {} };
  if (typeof given !== 'object' || given === null)
    invalidDefinition(`Agent "${agent}": \`workspace\` must be true, false or an object.`);
  refuseUnknown(`The workspace of agent "${agent}"`, given, WORKSPACE_OPTIONS);
  for (const [option, value] of Object.entries(given))
    if (typeof value !== 'boolean')
      invalidDefinition(`Agent "${agent}": \`workspace.${option}\` must be true or false.`);
  return { workspace: Object.freeze({ ...given }) };
}

/** The type of an omitted schema: any JSON. */
export interface AnyJson extends z.core.$ZodType<Json, Json> {}

/** The type of an omitted `outputSchema`. */
interface NoOutputSchema extends z.core.$ZodType<unknown, unknown> {
  readonly none: true;
}

/** A value of unknown type is checked at run time. */
type Fits<Value, Wanted> = unknown extends Value ? true : [Value] extends [Wanted] ? true : false;

/** A state is stored as JSON and validated after each change, so its schema must accept its own output. */
type TakenAgain<Schema extends z.core.$ZodType> =
  Fits<JsonOf<z.output<Schema>>, z.input<Schema>> extends true
    ? unknown
    : 'The `stateSchema` must accept its own output: remove the transformation.';

/** Any one of them. */
type ToolOf<Tools extends AnyTools> = Tools extends readonly (infer Tool)[] ? Tool : Tools[keyof Tools];

/** A tool of an agent, or why the compiler refuses it. */
type Checked<Tool, State, Wanted> = [Tool] extends [{ readonly isProviderExecuted: false }]
  ? 'A model provider only describes this tool, and the agent would have to run it: make one with `tool()`.'
  : [State] extends [StateOf<Tool>]
    ? FinishesOf<Tool> extends true
      ? Fits<OutputOf<Tool>, Wanted> extends true
        ? Tool
        : 'The result of this `finishWith` tool does not fit the `outputSchema` of the agent.'
      : Tool
    : 'This tool needs a custom state that the `stateSchema` of the agent does not have.';

/** The `env` of an agent's functions: the Worker's bindings. Tools and sub-agents may declare which they need. */
type EnvOfAll<Tool> = [Tool] extends [never]
  ? Cloudflare.Env
  : Cloudflare.Env &
      ((Tool extends unknown ? (env: EnvOf<Tool>) => void : never) extends (env: infer Env) => void ? Env : unknown);

/** The output of a run: by the schema, or else text, or the result of a tool that ends the run. */
type Ending<OutputSchema extends z.core.$ZodType, Tool> = OutputSchema extends NoOutputSchema
  ? string | (Tool extends unknown ? (FinishesOf<Tool> extends true ? JsonOf<OutputOf<Tool>> : never) : never)
  : JsonOf<z.output<OutputSchema>>;

/** One model or several; an agent with both is refused. */
type OneOrSeveral = { model: object } | { models: object };

/** Options of `defineAgent`. The schemas determine the types of its hooks, its tools and its callers. */
export interface AgentOptions<
  InputSchema extends z.core.$ZodType = z.core.$ZodType,
  OutputSchema extends z.core.$ZodType = z.core.$ZodType,
  StateSchema extends z.core.$ZodType = z.core.$ZodType,
  Tools extends AnyTools = readonly AnyTool[],
> {
  /** Name of the agent, from which its address and its class (`FactChecker` for `fact-checker`) are derived. */
  name: string;
  /** Text that says what the agent can do, for the model of an agent that uses it as a tool. Empty by default. */
  description?: string;
  /** System prompt, or a function such as `({ state }) => …`, which gets the custom state and is called for each step. */
  systemPrompt: string | ((context: { readonly state: JsonOf<z.output<StateSchema>> }) => string);
  /**
   * An AI SDK `LanguageModel` (version 5, 6 or 7), or a function that receives the Worker's `env` and returns one. The
   * function may be asynchronous, and is called once for each environment. You cannot pass a model's name. An agent has
   * either `model` or `models`.
   */
  model?: ModelSource<EnvOfAll<ToolOf<Tools>>>;
  /**
   * Up to 8 models: if one fails, the request goes to the next. A run keeps the model that answered; the next run
   * begins with the first.
   */
  models?: GivenModels<EnvOfAll<ToolOf<Tools>>>;
  /** Settings for the model's requests, such as temperature, length and thinking. Default: the provider's. */
  settings?: ModelSettings;
  /**
   * Tools for the model; none by default. Pass a list of tools from `defineTool` and `createSubAgentTool`, or an object
   * with the tools by name. The object may contain AI SDK tools: `{ search: tool({ … }), [clock.name]: clock }`.
   */
  tools?: Tools & {
    readonly [Key in keyof Tools]: Checked<Tools[Key], JsonOf<z.output<StateSchema>>, z.input<OutputSchema>>;
  };
  /** Schema of the `input` of a start, and of a parent's call. The first user message contains the input as JSON. */
  inputSchema?: InputSchema;
  /** Schema of the output. The model ends the run with the tool `__finish__`; without a schema, text ends the run. */
  outputSchema?: OutputSchema;
  /**
   * Asks providers that support it for an output that fits the schema exactly. Every property of the schema must then
   * be required. `false` by default.
   */
  strictOutput?: boolean;
  /**
   * Schema of the custom state. Its defaults form the initial state, and it validates each change (`updateState`). The
   * schema must accept its own output and be synchronous.
   */
  stateSchema?: StateSchema & TakenAgain<StateSchema>;
  /**
   * Companions, none by default. The model starts them by name, sends them tasks, waits for them and ends them, with
   * tools named `companion__…`. Companions keep their memory until they are terminated or their root is removed.
   */
  persistentAgents?: readonly PersistentAgent[];
  /** Maximum number of steps of a run and its resumes; 50 by default. */
  maxSteps?: number;
  /** Limits of the agent; `DEFAULT_LIMITS` has the defaults. */
  limits?: Partial<Limits>;
  /** Size of the conversation in a request; older messages are summarized. By default, all messages are sent. */
  context?: ContextOptions<JsonOf<z.output<StateSchema>>, EnvOfAll<ToolOf<Tools>>>;
  /** Effect of a start during a run; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Effect of a person's message while approvals are pending. `queue` (default): it waits. `deny`: it denies them. */
  onMessageWhilePending?: PendingMessageRule;
  /**
   * Functions that Offshoot calls at certain points of a run, one at a time. A list may also contain hooks from
   * `defineHook`.
   */
  hooks?: HooksOption<
    AgentHooks<
      JsonOf<z.output<StateSchema>>,
      EnvOfAll<ToolOf<Tools>>,
      JsonOf<z.output<InputSchema>>,
      Ending<OutputSchema, ToolOf<Tools>>
    >
  >;
  /**
   * Tools for the agent's files (`workspace_read_file` and others). With `true`, the model gets all of them; an
   * object can restrict them. None by default.
   */
  workspace?: boolean | WorkspaceOptions;
  /** Price of the model, which usage and budgets need to count costs. */
  price?: Price | ((model: string) => Price | undefined);
  /**
   * Limit for the model requests of all roots together: a rate-limit binding, asked before each request with the
   * provider's name as the key. A refused request waits as after a provider's rate limit. None by default.
   */
  modelRateLimit?: (env: EnvOfAll<ToolOf<Tools>>) => RateLimiter;
  /** Whether the agent can be a root. With `false`, a start is refused (`not_a_root`). `true` by default. */
  root?: boolean;
  /** Your store of documents for tools. The API lists, removes and shares them, and deletes them with the root. */
  documents?: (env: EnvOfAll<ToolOf<Tools>>, address: string) => RootDocuments;
  /**
   * Functions that are called after each step, and perhaps again after a crash. If one returns true, or a promise of
   * true, the run ends with the text of that step. If one throws or takes longer than `hookTimeoutMs`, the run fails.
   * The AI SDK's stop conditions work unchanged: `stopWhen: [isStepCount(20), hasToolCall('publish')]`.
   */
  stopWhen?: StopCondition | readonly StopCondition[];
  /** Title that people see; the name by default. */
  title?: string;
  /** Example messages that the console offers: at most 10, of up to 500 characters. None by default. */
  examples?: readonly string[];
  /** Whether prompts may name this agent (`definePrompt`). `false` by default. */
  exposeAsTool?: boolean;
  /** Description for the model of a prompt that names this agent; `description` by default. */
  toolDescription?: string;
  /** Variables that the agent needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables, which the session's values override. None by default. */
  env?: Readonly<Record<string, string>>;
  /** Effects (`defineEffect`) that the agent's tools and hooks may schedule. None by default. */
  effects?: readonly EffectDefinition[];
}

/** Options of `defineAgent` for an agent with a prompt, which provides its system prompt, model and tools. */
export interface PromptAgentOptions<
  InputSchema extends z.core.$ZodType = z.core.$ZodType,
  OutputSchema extends z.core.$ZodType = z.core.$ZodType,
  StateSchema extends z.core.$ZodType = z.core.$ZodType,
> extends Omit<AgentOptions<InputSchema, OutputSchema, StateSchema>, (typeof OF_PROMPT)[number]> {
  /** The prompt, as `definePrompt` returns it. */
  prompt: PromptDefinition;
}

/** The same, of any type. */
export type AnyAgentOptions = Pick<AgentDefinition, 'name'> &
  Partial<
    Omit<
      AgentDefinition,
      | 'className'
      | 'addressClass'
      | 'relationships'
      | 'companions'
      | 'subagents'
      | 'handoffs'
      | 'sides'
      | 'tools'
      | 'hooks'
      | 'models'
      | 'providerTools'
      | 'stopWhen'
      | 'workspace'
    >
  > & {
    readonly workspace?: boolean | WorkspaceOptions;
    readonly stopWhen?: AgentOptions['stopWhen'];
    readonly models?: GivenModels;
    readonly tools?: AnyTools;
    readonly hooks?: HooksOption;
    readonly persistentAgents?: readonly PersistentAgent[];
    readonly maxSteps?: number;
  };

/**
 * Defines an agent.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const timekeeper = defineAgent({
 *   name: 'timekeeper',
 *   systemPrompt: 'Tell the time in the zone that you are asked for.',
 *   model: defaultModel,
 *   tools: [clock],
 *   inputSchema: z.object({ zone: z.string() }),
 *   outputSchema: z.object({ time: z.string() }),
 * });
 */
export function defineAgent<
  InputSchema extends z.core.$ZodType = AnyJson,
  OutputSchema extends z.core.$ZodType = NoOutputSchema,
  StateSchema extends z.core.$ZodType = AnyJson,
>(
  agent: PromptAgentOptions<InputSchema, OutputSchema, StateSchema>,
): AgentDefinition<{
  input: z.input<InputSchema>;
  output: Ending<OutputSchema, never>;
  state: JsonOf<z.output<StateSchema>>;
  initialState: z.input<StateSchema>;
  env: Cloudflare.Env;
}>;
export function defineAgent<
  InputSchema extends z.core.$ZodType = AnyJson,
  OutputSchema extends z.core.$ZodType = NoOutputSchema,
  StateSchema extends z.core.$ZodType = AnyJson,
  const Tools extends AnyTools = readonly [],
>(
  agent: AgentOptions<InputSchema, OutputSchema, StateSchema, Tools> & OneOrSeveral,
): AgentDefinition<{
  input: z.input<InputSchema>;
  output: Ending<OutputSchema, ToolOf<Tools>>;
  state: JsonOf<z.output<StateSchema>>;
  initialState: z.input<StateSchema>;
  env: EnvOfAll<ToolOf<Tools>>;
}>;
export function defineAgent(agent: AnyAgentOptions): AgentDefinition {
  refuseUnknown(labelOf('Agent', agent), agent, AGENT_OPTIONS);
  return compiledAgent(agent);
}

/** The two sides of an agent, and for how long they speak. */
interface Sides {
  readonly sides: Readonly<Record<SideName, Side>>;
  readonly maxSessionTurns?: number;
}

type WorkedBy = 'systemPrompt' | 'model' | 'models' | 'tools' | 'providerTools' | 'hooks';

/** What an agent works by: its own, or that of its prompt. @throws OffshootError `invalid_definition` */
function workedBy(agent: AnyAgentOptions): Pick<AgentDefinition, WorkedBy | 'settings'> {
  const { name, prompt } = agent;
  const where = `Agent "${name}"`;
  const hooks = compiledHooks(where, agent.hooks);
  if (prompt === undefined) {
    const { systemPrompt } = agent;
    const models = modelsGiven(where, agent);
    if (systemPrompt === undefined || models === undefined) needsMore(where, { systemPrompt, model: models });
    if (typeof systemPrompt !== 'function')
      checkNeeded(where, 'systemPrompt', systemPrompt, 'what the agent does, such as "Answer questions about orders."');
    checkPriceOf(agent, models);
    const tools = toolsOf(name, agent.tools ?? []);
    const names = tools.tools.map((tool) => tool.name);
    return { systemPrompt, ...models, settings: settingsOf(where, agent.settings, names), ...tools, hooks };
  }
  refuseOtherThanPrompt(where, prompt);
  const twice = OF_PROMPT.find((option) => agent[option] !== undefined);
  if (twice !== undefined)
    invalidDefinition(`Agent "${name}" has a \`prompt\` and \`${twice}\`; leave out one: the prompt has its own.`);
  checkPriceOf(agent, prompt);
  return {
    systemPrompt: prompt.prompt,
    model: prompt.model,
    settings: prompt.settings,
    ...(prompt.models ? { models: prompt.models } : {}),
    tools: prompt.tools,
    ...(prompt.providerTools ? { providerTools: prompt.providerTools } : {}),
    hooks: hooksWith(where, hooks, prompt.hooks),
  };
}

/** One price for several models would be wrong for all but one of them. */
function checkPriceOf({ name, price }: AnyAgentOptions, { models = [] }: Pick<AgentDefinition, 'models'>): void {
  if (models.length > 1 && typeof price === 'object')
    invalidDefinition(`Agent "${name}" has several \`models\`: give \`price\` as a function of the model's name.`);
}

/** The limits of an agent; a prompt whose tools run one after the other is one, where the agent sets none itself. */
function limitsGiven({ name, limits = {}, maxSteps, prompt }: AnyAgentOptions): Partial<Limits> {
  refuseUnknown(`The limits of agent "${name}"`, limits, Object.keys(DEFAULT_LIMITS));
  const inTurn = prompt && !prompt.parallelToolCalls ? { maxConcurrentCalls: 1 } : {};
  const all = { ...inTurn, ...limits, ...(maxSteps === undefined ? {} : { maxSteps }) };
  for (const [limit, value] of Object.entries(all)) {
    const problem = limitProblem(limit, value);
    if (problem !== undefined) invalidDefinition(`Agent "${name}": the limit \`${limit}\` ${problem}.`);
  }
  return all;
}

/** An agent of checked options; of two sides, with those. @throws OffshootError `invalid_definition` */
export function compiledAgent(agent: AnyAgentOptions, dual?: Sides): AgentDefinition {
  const names = checkAgentName(agent.name);
  const { prompt } = agent;
  checkBehaviour(agent);
  const { tools, ...own } = workedBy(agent);
  checkTools(agent.name, tools);
  checkSchemas(agent, tools);
  const limits = limitsGiven(agent);
  for (const condition of conditionsOf(agent.stopWhen)) {
    if (typeof condition !== 'function')
      invalidDefinition(`Agent "${agent.name}": \`stopWhen\` must be a function, or a list of functions.`);
  }
  const companions = companionsOf(agent.name, agent.persistentAgents ?? []);
  if (agent.context !== undefined) checkContext(agent.name, agent.context);
  const related = [
    ...new Set(tools.flatMap((tool) => tool[RELATIONSHIP] ?? [])),
    ...companions.map(({ relationship }) => relationship),
  ];
  const prompts = dual ? [dual.sides.side_a, dual.sides.side_b].map(({ definition }) => definition) : [];
  const inputSchema = agent.inputSchema ?? prompt?.requiredSchema;
  return Object.freeze({
    name: agent.name,
    ...names,
    description: agent.description ?? '',
    ...own,
    tools,
    get relationships() {
      if (dual) return [...new Set(prompts.flatMap(({ relationships }) => relationships))];
      return [...related, ...(prompt?.subagents ?? []).map(({ relationship }) => relationship)];
    },
    companions,
    ...(inputSchema ? { inputSchema } : {}),
    ...(agent.outputSchema ? { outputSchema: agent.outputSchema } : {}),
    ...(agent.strictOutput ? { strictOutput: true } : {}),
    ...(agent.stateSchema ? { stateSchema: agent.stateSchema } : {}),
    limits,
    ...(agent.context ? { context: Object.freeze({ ...agent.context }) } : {}),
    onConcurrentStart: agent.onConcurrentStart ?? 'refuse',
    onMessageWhilePending: agent.onMessageWhilePending ?? 'queue',
    root: agent.root ?? true,
    ...workspaceOf(agent.name, agent.workspace),
    ...(agent.price ? { price: agent.price } : {}),
    ...(agent.modelRateLimit ? { modelRateLimit: agent.modelRateLimit } : {}),
    ...(agent.documents ? { documents: agent.documents } : {}),
    stopWhen: Object.freeze(conditionsOf(agent.stopWhen)),
    ...(prompt ? { prompt } : {}),
    get subagents() {
      return dual ? prompts.flatMap(({ subagents }) => subagents) : (prompt?.subagents ?? []);
    },
    get handoffs() {
      return dual ? prompts.flatMap(({ handoffs }) => handoffs) : (prompt?.handoffs ?? []);
    },
    ...(dual ?? {}),
    ...exposureOf(agent),
  });
}

/** An agent has so many examples at most, and each so many characters. */
const MAX_EXAMPLES = 10;
const MAX_EXAMPLE = 500;

function examplesOf({ name, examples = [] }: AnyAgentOptions): readonly string[] {
  const fits = (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_EXAMPLE;
  if (!Array.isArray(examples) || examples.length > MAX_EXAMPLES || !examples.every(fits))
    invalidDefinition(
      `Agent "${name}": \`examples\` must be at most ${MAX_EXAMPLES} strings of 1 to ${MAX_EXAMPLE} characters.`,
    );
  return examples;
}

function exposureOf(agent: AnyAgentOptions) {
  const { name, title, exposeAsTool = false, toolDescription, variables = [], env = {}, effects = [] } = agent;
  return {
    ...(title === undefined ? {} : { title }),
    examples: Object.freeze([...examplesOf(agent)]),
    exposeAsTool,
    ...(toolDescription === undefined ? {} : { toolDescription }),
    variables: checkVariables(`Agent "${name}"`, variables),
    env: checkEnv(`Agent "${name}"`, env),
    effects: checkEffects(`Agent "${name}"`, effects),
  };
}
