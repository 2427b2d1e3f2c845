import { Bt as OutputOf, C as RateLimiter, D as RetentionRule, F as Budget, Ft as EnvOf, Gt as EffectContext, Ht as StateOf, It as FinishesOf, K as StopCondition, L as Limits, M as ToolDefinition, Mt as AgentTypes, N as WorkspaceOptions, Nt as AuthorsFunction, O as SessionBinding, P as VariableDefinition, S as PromptDefinition, T as RequireApproval, Vt as Result, _t as ReasoningOptions, b as PendingMessageRule, bt as AgentHooks, d as EffectDefinition, f as FailureRule, h as IdleRule, ht as ModelSettings, i as AnyTool, j as SubagentToolConfig, jt as ContextOptions, l as CompanionMode, o as ChildPlacement, ot as HooksOption, p as GivenModels, qt as ToolContext, s as ChildWorkspace, t as AgentDefinition, u as ConcurrentStartRule, v as ModelSource, x as Price, y as ParentSuspendRule, yt as ToolChoice, zt as JsonOf } from "./definition.js";
import { t as RemoteTransportSource } from "./elsewhere.js";
import { E as Json } from "./chunks.js";
import { n as RootDocuments } from "./documents.js";
import "./remote-transport.js";
import { n as ModelProvider } from "./provider.js";
import "./scripted.js";
import * as z$1 from "zod";
import { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
/** Options of `defineEffect`. */
interface EffectOptions<Schema extends z$1.core.$ZodType = z$1.core.$ZodType> {
  /** Its name, by the rules for tools. A package may prefix its own name and `/`. */
  name: string;
  /** Description for people. */
  description: string;
  /** The schema of its arguments; any JSON by default. */
  schema?: Schema;
  /** Time of one try, in ms; the agent's `toolTimeoutMs` by default. */
  timeoutMs?: number;
  /**
   * The function, which runs at least once when it is due. So pass `context.idempotencyKey` to each service that it
   * calls. Its result is ignored. If it throws or takes too long, it is tried again, `maxEffectTries` times in total.
   */
  execute: (args: z$1.output<Schema>, context: EffectContext) => unknown;
}
/**
 * Defines an effect: code that runs later. Tools and hooks of an agent that lists it in `effects` schedule it by name.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const remind = defineEffect({
 *   name: 'remind',
 *   description: 'Reminds whoever asked.',
 *   schema: z.object({ text: z.string() }),
 *   execute: ({ text }, { idempotencyKey }) =>
 *     fetch('https://mail.example/send', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: text }),
 * });
 */
declare function defineEffect<Schema extends z$1.core.$ZodType = z$1.core.$ZodType<unknown>>(options: EffectOptions<Schema>): EffectDefinition;
/** An agent, or a function that returns it if it is not defined yet. */
type AgentSource<Types extends AgentTypes = AgentTypes> = AgentDefinition<Types> | (() => AgentDefinition<Types>);
/** Options of every child. */
interface ChildOptions {
  /** Time limit for the child's whole task, in ms, not counting waits for people; 10 minutes by default. */
  timeoutMs?: number;
  /**
   * Effect on a working child when this agent suspends for a person. `continue` (default) lets it continue and keeps
   * its result. `pause` interrupts it, and `respawn` fails it. When this agent continues, the child resumes or starts
   * again.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * Effect of a failed child on its task. With `result` (default) the failure ends the task, and this agent's model reads
   * it. With `wait` the task stays open until a person sends `retry` or `abort` to the child's address. A task never
   * waits for a child that was stopped, timed out or lost.
   */
  onFailure?: FailureRule;
  /**
   * Effect of a task that ends while no call waits for it and this agent is idle. `keep` (default): the result waits
   * for the next turn. `wake`: it starts a turn, unless the last run was cut off (stopped, timed out, failed by a hook
   * or by crashes). Only a root is woken.
   */
  onIdle?: IdleRule;
  /** Limit for the child together with its descendants. */
  budget?: Budget;
  /**
   * Whether the child works with this agent's files. The child then has no other files. The child's model gets
   * workspace tools with the options of this agent's `workspace`; with `'read'`, only those that read. The child's
   * tools and hooks can read and write the files with `context.files`. The child may not have a `workspace`. `false` by
   * default.
   */
  inheritWorkspace?: boolean | 'read';
  /**
   * Whether the child's model can return files with its answer, with the tool `__attach__`. This agent gets copies
   * when the task ends. It cannot be combined with `inheritWorkspace`. `false` by default.
   */
  returnsFiles?: boolean;
  /**
   * Where the child runs. `facet` (default): in this agent's object, where it starts fast. `object`: in its own object,
   * possibly on another core or machine, which continues while this agent is evicted. Below the fourth level of one
   * object, every child gets its own object.
   */
  placement?: ChildPlacement;
}
/** How long the files of a companion are kept: with its session, or for one task. */
type WorkspaceLifetime = Exclude<ChildWorkspace, 'inherited' | 'inherited-read'>;
/** A remote agent. */
interface RemoteAgentOptions<Output extends z$1.core.$ZodType, Env> {
  /** Its description for the model. */
  description: string;
  /**
   * The schema of its output; any JSON if omitted. An output that does not fit fails the task with `output_invalid`.
   */
  outputSchema?: Output;
  /** The transport to it. */
  transport: RemoteTransportSource<Env>;
  /** The name of its class on the remote side: `researcher` or `Researcher`. */
  remoteAgentType: string;
}
/** Options of a remote agent used as a tool. Options that need the child's own store are refused. */
interface RemoteSubAgentOptions<Input extends z$1.core.$ZodType, Output extends z$1.core.$ZodType, Env> extends RemoteAgentOptions<Output, Env>, Pick<ChildOptions, 'timeoutMs' | 'onParentSuspend' | 'onFailure' | 'onIdle' | 'budget'> {
  /** The schema of the remote agent's input. */
  inputSchema: Input;
  /** The call returns at once; the agent's result is a message that a later step reads. `false` by default. */
  background?: boolean;
}
/**
 * Turns a remote agent into the tool `subagent__<name>`. Each call starts a new root on the remote side and runs it
 * once. Its chunks are in this tree's log, people answer its questions in this tree, and stops reach it. The transport
 * checks and limits its data. If the remote side is lost, refuses the call or breaks the protocol, the call fails with
 * `subagent_lost` or `subagent_failed`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const researcher = createRemoteSubAgentTool('researcher', {
 *   description: 'Researches a question in the other team’s Worker.',
 *   inputSchema: z.object({ question: z.string() }),
 *   transport: new HttpRemoteAgentTransport({ url: 'https://research.example' }),
 *   remoteAgentType: 'researcher',
 * });
 */
declare function createRemoteSubAgentTool<Input extends z$1.core.$ZodType, Output extends z$1.core.$ZodType = z$1.core.$ZodType, Env = unknown>(name: string, options: RemoteSubAgentOptions<Input, Output, Env>): ToolDefinition<{
  input: z$1.output<Input>;
  output: z$1.output<Output>;
  state: unknown;
  env: Env;
  finishes: false;
}>;
/**
 * Defines a remote agent for `persistentAgents`: a companion whose session is a root on the remote side, where its
 * memory is stored. It works with the same tools as any companion. It cannot be sent files or copied; such calls are
 * refused. In this tree its agent name is `remoteAgentType`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const critic = defineRemoteAgent({
 *   description: 'Judges a draft, in the Worker of another team.',
 *   transport: new HttpRemoteAgentTransport({ url: 'https://critics.example' }),
 *   remoteAgentType: 'critic',
 * });
 * const writer = defineAgent({
 *   name: 'writer',
 *   systemPrompt: 'Write, and send each draft to your critic.',
 *   model: defaultModel,
 *   persistentAgents: [{ agent: critic }],
 * });
 */
declare function defineRemoteAgent<Output extends z$1.core.$ZodType = z$1.core.$ZodType, Env = unknown>(options: RemoteAgentOptions<Output, Env>): AgentDefinition<{
  input: unknown;
  output: z$1.output<Output>;
  state: unknown;
  env: Env;
}>;
/**
 * An AI SDK tool, made by `tool()` or `dynamicTool()`; its name is its key in `tools`. A tool without `execute` is
 * executed by the client. A tool that a provider runs itself (`anthropic.tools.webSearch_20250305()`) is sent to that
 * provider; a tool that a provider only describes is refused.
 */
interface AiTool {
  readonly type?: 'function' | 'dynamic' | 'provider' | 'provider-defined' | undefined;
  /** Of a tool that a provider defines: its id there, its settings, and whether the provider runs it. */
  readonly id?: string | undefined;
  readonly args?: object | undefined;
  readonly isProviderExecuted?: boolean | undefined;
  readonly description?: string | AuthorsFunction<[options: object], string> | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly execute?: AuthorsFunction<[input: unknown, options: object], unknown> | undefined;
  /** A result as the model reads it. */
  readonly toModelOutput?: AuthorsFunction<[result: {
    readonly toolCallId: string;
    readonly input: unknown;
    readonly output: unknown;
  }], unknown> | undefined;
  readonly needsApproval?: boolean | AuthorsFunction<[input: unknown, options: object], boolean | PromiseLike<boolean>> | undefined;
  readonly strict?: boolean | undefined;
  readonly inputExamples?: readonly {
    readonly input: unknown;
  }[] | undefined;
  readonly providerOptions?: Readonly<Record<string, object>> | undefined;
}
/**
 * Returns true for the name of a companion tool.
 * @example
 * const calls = ['companion__spawnAgent', 'clock'].filter(isCompanionTool);
 */
declare function isCompanionTool(name: string): boolean;
/** An entry of `persistentAgents`: an agent as a companion of another. */
interface PersistentAgent<Types extends AgentTypes = AgentTypes> extends ChildOptions {
  /** The agent, or a function that returns it if it is not defined yet. List each agent once. */
  agent: AgentSource<Types>;
  /**
   * `blocking` (default): the call that begins a task waits for its output (`suspended_awaiting_children`).
   * `non-blocking`: the call returns at once, and the output arrives as a message. Each call may override this.
   */
  mode?: CompanionMode;
  /** Description for the parent's model; the agent's own by default. */
  description?: string;
  /**
   * Lifetime of the companion's files. `session` (default): as long as the companion exists. `per-invocation`: until
   * its next task begins. It has no effect with `inheritWorkspace`.
   */
  workspaceLifetime?: WorkspaceLifetime;
  /**
   * Lifetime of the companion. `tree` (default): as long as its root. `run`: until the end of the run that started it.
   * An interrupted run has not ended, because it can be resumed. Each call may override this.
   */
  retention?: RetentionRule;
  /**
   * Whether a task may name this agent and its other companions for reading. Until the task ends, the tool `__read__`
   * shows their messages, custom state and files. `false` by default.
   */
  mayRead?: boolean;
}
/**
 * Returns true for the name of a sub-agent tool.
 * @example
 * const delegates = planner.tools.filter(({ name }) => isSubAgentTool(name));
 */
declare function isSubAgentTool(name: string): boolean;
/** Options of an agent used as a tool. */
interface SubAgentOptions extends ChildOptions {
  /**
   * Name of the tool, `subagent__<name>`; the agent's name by default. With different names, one agent can be several
   * tools.
   */
  name?: string;
  /** Description for the parent's model; the agent's own by default. */
  description?: string;
  /** Refuses an agent without an `outputSchema`. Without this option, such an agent returns its text. */
  requireOutputSchema?: boolean;
  /**
   * Whether the call returns at once. The child's result is then a message that a later step reads. `false` by default.
   */
  background?: boolean;
}
/** The tool of a sub-agent, with its input and output. */
type SubAgentTool<Types extends AgentTypes, Input> = ToolDefinition<{
  input: Input;
  output: Types['output'];
  state: unknown;
  env: Types['env'];
  finishes: false;
}>;
/** Checks that the output of the parent's schema fits the child's input; otherwise the compiler says why not. */
type Taken<Schema extends z$1.core.$ZodType, Types extends AgentTypes> = unknown extends Types['input'] ? unknown : [JsonOf<z$1.output<Schema>>] extends [Types['input']] ? unknown : 'The output of this schema does not fit the `inputSchema` of the sub-agent.';
/** An agent without an `inputSchema` needs a schema from its parent. */
type WithInput<Types extends AgentTypes> = unknown extends Types['input'] ? unknown : Json extends Types['input'] ? 'This agent has no `inputSchema`: add one, or pass a schema to createSubAgentTool.' : unknown;
/** The given options; a misspelt one is refused. */
type Known<Options> = { [Key in keyof Options]: Key extends 'budget' ? KnownBudget<Options[Key]> : Key extends keyof SubAgentOptions ? SubAgentOptions[Key] : 'A sub-agent has no such option.'; };
type KnownBudget<Given> = Given extends object ? { [Key in keyof Given]: Key extends keyof Budget ? Budget[Key] : never; } : Given;
/**
 * Turns an agent into the tool `subagent__<name>`: each call creates a child, runs it once and returns its output. The
 * arguments become the child's first user message (as JSON) and its initial state. The child's `inputSchema` checks
 * them. If you pass another schema, the model sees that one, and the child's checks its output. Arguments that do not
 * fit are an error that the parent's model reads, and no child is created. A failed child is a result for the parent's
 * model: `{ success: false, error, code }`. For an agent that uses itself, or two that use each other, pass a function
 * and a `name`; `maxDepth` limits such a tree.
 * @throws OffshootError `invalid_definition` for an invalid name, time or rule, without a schema, or if
 *   `requireOutputSchema` is set and the agent has no `outputSchema` (for a function: when the Worker starts)
 * @param schemaOrOptions another schema for the tool, or the options if there is none
 * @example
 * const planner = defineAgent({
 *   name: 'planner',
 *   systemPrompt: 'Plan a call. Ask the timekeeper for the time at both ends.',
 *   model: defaultModel,
 *   tools: [createSubAgentTool(timekeeper, { timeoutMs: 60_000 })],
 * });
 */
declare function createSubAgentTool<Types extends AgentTypes, Given extends z$1.core.$ZodType | SubAgentOptions = Record<never, never>>(definition: AgentSource<Types> & (Given extends z$1.core.$ZodType ? unknown : WithInput<Types>), schemaOrOptions?: Given & (Given extends z$1.core.$ZodType ? Taken<Given, Types> : Known<Given>), options?: Given extends z$1.core.$ZodType ? SubAgentOptions : never): SubAgentTool<Types, Given extends z$1.core.$ZodType ? z$1.output<Given> : Types['input']>;
/** The agents that a prompt names, or a function that returns them if some are not defined yet. */
type NamedAgents = readonly AgentSource[] | (() => readonly AgentSource[]);
/** The tools of an agent: a list of Offshoot's tools, or an object by name, which may also have AI SDK tools. */
type AnyTools = readonly AnyTool[] | Readonly<Record<string, AnyTool | AiTool>>;
/** Options that a prompt provides. */
declare const OF_PROMPT: readonly ['systemPrompt', 'model', 'models', 'settings', 'tools'];
/** The type of an omitted schema: any JSON. */
interface AnyJson extends z$1.core.$ZodType<Json, Json> {}
/** The type of an omitted `outputSchema`. */
interface NoOutputSchema extends z$1.core.$ZodType<unknown, unknown> {
  readonly none: true;
}
/** A value of unknown type is checked at run time. */
type Fits<Value, Wanted> = unknown extends Value ? true : [Value] extends [Wanted] ? true : false;
/** A state is stored as JSON and validated after each change, so its schema must accept its own output. */
type TakenAgain<Schema extends z$1.core.$ZodType> = Fits<JsonOf<z$1.output<Schema>>, z$1.input<Schema>> extends true ? unknown : 'The `stateSchema` must accept its own output: remove the transformation.';
/** Any one of them. */
type ToolOf<Tools extends AnyTools> = Tools extends readonly (infer Tool)[] ? Tool : Tools[keyof Tools];
/** A tool of an agent, or why the compiler refuses it. */
type Checked<Tool, State, Wanted> = [Tool] extends [{
  readonly isProviderExecuted: false;
}] ? 'A model provider only describes this tool, and the agent would have to run it: make one with `tool()`.' : [State] extends [StateOf<Tool>] ? FinishesOf<Tool> extends true ? Fits<OutputOf<Tool>, Wanted> extends true ? Tool : 'The result of this `finishWith` tool does not fit the `outputSchema` of the agent.' : Tool : 'This tool needs a custom state that the `stateSchema` of the agent does not have.';
/** The `env` of an agent's functions: the Worker's bindings. Tools and sub-agents may declare which they need. */
type EnvOfAll<Tool> = [Tool] extends [never] ? Cloudflare.Env : Cloudflare.Env & ((Tool extends unknown ? (env: EnvOf<Tool>) => void : never) extends ((env: infer Env) => void) ? Env : unknown);
/** The output of a run: by the schema, or else text, or the result of a tool that ends the run. */
type Ending<OutputSchema extends z$1.core.$ZodType, Tool> = OutputSchema extends NoOutputSchema ? string | (Tool extends unknown ? (FinishesOf<Tool> extends true ? JsonOf<OutputOf<Tool>> : never) : never) : JsonOf<z$1.output<OutputSchema>>;
/** One model or several; an agent with both is refused. */
type OneOrSeveral = {
  model: object;
} | {
  models: object;
};
/** Options of `defineAgent`. The schemas determine the types of its hooks, its tools and its callers. */
interface AgentOptions<InputSchema extends z$1.core.$ZodType = z$1.core.$ZodType, OutputSchema extends z$1.core.$ZodType = z$1.core.$ZodType, StateSchema extends z$1.core.$ZodType = z$1.core.$ZodType, Tools extends AnyTools = readonly AnyTool[]> {
  /** Name of the agent, from which its address and its class (`FactChecker` for `fact-checker`) are derived. */
  name: string;
  /** Text that says what the agent can do, for the model of an agent that uses it as a tool. Empty by default. */
  description?: string;
  /** System prompt, or a function such as `({ state }) => …`, which gets the custom state and is called for each step. */
  systemPrompt: string | ((context: {
    readonly state: JsonOf<z$1.output<StateSchema>>;
  }) => string);
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
  tools?: Tools & { readonly [Key in keyof Tools]: Checked<Tools[Key], JsonOf<z$1.output<StateSchema>>, z$1.input<OutputSchema>>; };
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
  context?: ContextOptions<JsonOf<z$1.output<StateSchema>>, EnvOfAll<ToolOf<Tools>>>;
  /** Effect of a start during a run; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Effect of a person's message while approvals are pending. `queue` (default): it waits. `deny`: it denies them. */
  onMessageWhilePending?: PendingMessageRule;
  /**
   * Functions that Offshoot calls at certain points of a run, one at a time. A list may also contain hooks from
   * `defineHook`.
   */
  hooks?: HooksOption<AgentHooks<JsonOf<z$1.output<StateSchema>>, EnvOfAll<ToolOf<Tools>>, JsonOf<z$1.output<InputSchema>>, Ending<OutputSchema, ToolOf<Tools>>>>;
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
interface PromptAgentOptions<InputSchema extends z$1.core.$ZodType = z$1.core.$ZodType, OutputSchema extends z$1.core.$ZodType = z$1.core.$ZodType, StateSchema extends z$1.core.$ZodType = z$1.core.$ZodType> extends Omit<AgentOptions<InputSchema, OutputSchema, StateSchema>, (typeof OF_PROMPT)[number]> {
  /** The prompt, as `definePrompt` returns it. */
  prompt: PromptDefinition;
}
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
declare function defineAgent<InputSchema extends z$1.core.$ZodType = AnyJson, OutputSchema extends z$1.core.$ZodType = NoOutputSchema, StateSchema extends z$1.core.$ZodType = AnyJson>(agent: PromptAgentOptions<InputSchema, OutputSchema, StateSchema>): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: Ending<OutputSchema, never>;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: Cloudflare.Env;
}>;
declare function defineAgent<InputSchema extends z$1.core.$ZodType = AnyJson, OutputSchema extends z$1.core.$ZodType = NoOutputSchema, StateSchema extends z$1.core.$ZodType = AnyJson, const Tools extends AnyTools = readonly []>(agent: AgentOptions<InputSchema, OutputSchema, StateSchema, Tools> & OneOrSeveral): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: Ending<OutputSchema, ToolOf<Tools>>;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: EnvOfAll<ToolOf<Tools>>;
}>;
/** Prefix of the tools that delegate to a sub-agent. */
declare const SUBAGENT_TOOL_PREFIX = "subagent__";
/** Prefix of the tools for companions. */
declare const COMPANION_TOOL_PREFIX = "companion__";
/** The function that executes a tool. */
type ToolBody<Input, Output, State, Env> = (input: Input, context: ToolContext<State, Env>) => Result<Output>;
/** Options of `defineTool`. */
interface ToolOptions<InputSchema extends z$1.core.$ZodType, OutputSchema extends z$1.core.$ZodType, Output, State, Env, Finishes extends boolean, ApprovalState = State, ApprovalEnv = Env> {
  /** Name of letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Schema of the arguments. It validates them, and `execute` gets the parsed value. */
  inputSchema: InputSchema;
  /** Schema of the result, including a client's result. The compiler checks `execute` against it. */
  outputSchema?: OutputSchema;
  /** Function that executes a call, or `'client'` if a client executes the call and sends the result. */
  execute: ToolBody<z$1.output<InputSchema>, Output, State, Env> | 'client';
  /** Whether a person must approve a call before it executes. Not with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z$1.output<InputSchema>, ApprovalState, ApprovalEnv>;
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
  inputExamples?: readonly z$1.input<InputSchema>[];
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
declare function defineTool<InputSchema extends z$1.core.$ZodType, OutputSchema extends z$1.core.$ZodType = z$1.core.$ZodUnknown, Output extends z$1.input<OutputSchema> = z$1.input<OutputSchema>, State = unknown, Env = Cloudflare.Env, Finishes extends boolean = false, ApprovalState = State, ApprovalEnv = Env>(tool: ToolOptions<InputSchema, OutputSchema, Output, State, Env, Finishes, ApprovalState, ApprovalEnv>): ToolDefinition<{
  input: z$1.output<InputSchema>;
  output: Output;
  state: State & ApprovalState;
  env: Env & ApprovalEnv;
  finishes: Finishes;
}>;
/** One side of an agent with two sides. Options that name a tool refer to the tools of its prompt. */
interface SideConfig {
  /** The name of this side that the other side reads, at most 64 characters; `Side A` and `Side B` by default. */
  label?: string;
  /** The prompt, as `definePrompt` returns it. */
  prompt: PromptDefinition;
  /** Whether a reply without calls passes the turn to the other side. `true` by default. */
  stopOnResponse?: boolean;
  /** A tool whose successful call passes the turn to the other side. */
  stopTool?: string;
  /** The argument of that call that the other side reads; the tool's result by default. */
  stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. No limit by default. */
  maxSteps?: number;
  /** A tool whose successful call completes the session. */
  sessionStop?: string | SessionBinding;
  /** A tool whose successful call fails the session. */
  sessionFail?: string | SessionBinding;
  /** A tool whose call reports the progress of the session. */
  sessionStatus?: string | SessionBinding;
}
/** Options of `defineDualAgent`. */
interface DualAgentOptions<InputSchema extends z$1.core.$ZodType = z$1.core.$ZodType, StateSchema extends z$1.core.$ZodType = z$1.core.$ZodType> {
  /** Name of the agent; also names the class and the address. */
  name: string;
  /** Title that people see; the name by default. */
  title?: string;
  /** Example messages, as for `defineAgent`. */
  examples?: readonly string[];
  /** Description for the model of an agent that has it as a tool. Empty by default. */
  description?: string;
  /** Whether prompts may name it. `false` by default. */
  exposeAsTool?: boolean;
  /** Its description for the model of a prompt that names it; `description` by default. */
  toolDescription?: string;
  /** Turns of one session, of both sides together; the last one completes it. No limit by default. */
  maxSessionTurns?: number;
  /** The side that acts first by default. */
  sideA: SideConfig;
  sideB: SideConfig;
  /** Checks `input` of a start, and the task of a parent; `requiredSchema` of the first side's prompt by default. */
  inputSchema?: InputSchema;
  /** The custom state, as for `defineAgent`. */
  stateSchema?: StateSchema;
  /** Steps of one session, of both sides together; 50 by default. */
  maxSteps?: number;
  /** Its limits; `DEFAULT_LIMITS` has the defaults and their units. */
  limits?: Partial<Limits>;
  /** Effect of a start during a session; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Effect of a person's message while approvals are pending, as for `defineAgent`. */
  onMessageWhilePending?: PendingMessageRule;
  /** Hooks of both sides. A prompt's own hooks replace those of the same name. */
  hooks?: HooksOption;
  /** Tools for the agent's files, for both sides, as for `defineAgent`. None by default. */
  workspace?: boolean | WorkspaceOptions;
  /** Price of its models, as for `defineAgent`. */
  price?: Price | ((model: string) => Price | undefined);
  /** The Worker's limit of model requests, as for `defineAgent`. None by default. */
  modelRateLimit?: (env: Cloudflare.Env) => RateLimiter;
  /** `false`: the agent works only for other agents. `true` by default. */
  root?: boolean;
  /** Documents of a root of this agent, as for `defineAgent`. */
  documents?: (env: Cloudflare.Env, address: string) => RootDocuments;
  /** Variables that the agent needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables, for both sides and what they use. None by default. */
  env?: Readonly<Record<string, string>>;
  /** Effects (`defineEffect`) that the tools and hooks of both sides may schedule. None by default. */
  effects?: readonly EffectDefinition[];
}
/**
 * Defines an agent with two sides, each with a separate prompt: one works, and the other answers it, until one of them
 * ends the session. It is run, called and stopped like any agent; its output is text.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const approve = defineTool({
 *   name: 'approve',
 *   description: 'Approves the text and ends the work.',
 *   inputSchema: z.object({ text: z.string() }),
 *   execute: () => 'Approved.',
 * });
 * const writer = defineDualAgent({
 *   name: 'writer',
 *   maxSessionTurns: 8,
 *   sideA: { label: 'Author', prompt: definePrompt({ name: 'drafting', prompt: 'Write the text.', model: defaultModel }) },
 *   sideB: {
 *     label: 'Editor',
 *     prompt: definePrompt({ name: 'reviewing', prompt: 'Approve it, or say what to mend.', model: defaultModel, tools: [approve] }),
 *     sessionStop: { name: 'approve', messageProperty: 'text' },
 *   },
 * });
 */
declare function defineDualAgent<InputSchema extends z$1.core.$ZodType = AnyJson, StateSchema extends z$1.core.$ZodType = AnyJson>(options: DualAgentOptions<InputSchema, StateSchema>): AgentDefinition<{
  input: z$1.input<InputSchema>;
  output: string;
  state: JsonOf<z$1.output<StateSchema>>;
  initialState: z$1.input<StateSchema>;
  env: Cloudflare.Env;
}>;
/** Options of `definePrompt`. */
interface PromptOptions {
  /** Name of letters, digits, `_` and `-`, beginning with a letter or `_`; at most 64 characters. */
  name: string;
  /** What it does. Empty by default. */
  toolDescription?: string;
  /** The system prompt, or a function of the custom state, called for each step. */
  prompt: PromptDefinition['prompt'];
  /**
   * The model, as for `defineAgent`: an AI SDK `LanguageModel`, or a function that receives the Worker's `env` and
   * returns one.
   */
  model?: PromptDefinition['model'];
  /** Several models in place of one, as for `defineAgent`. */
  models?: GivenModels;
  /**
   * Tools for the model, and names of `agents`. An agent with one side takes over the session. An agent with two sides
   * becomes a sub-agent that the call waits for; an object with its name may say otherwise. None by default.
   */
  tools?: readonly (AnyTool | string | SubagentToolConfig)[];
  /**
   * Tools that the model's provider runs itself, by name: `{ web_search: openai.tools.webSearch() }`. None by default.
   */
  providerTools?: Readonly<Record<string, AiTool>>;
  /** The agents that `tools` names, or a function that returns them if some are not defined yet. None by default. */
  agents?: NamedAgents;
  /** Whether the model sees the conversation before the current run. `false` by default. */
  includeChat?: boolean;
  /** With `includeChat`: whether it also sees the tool calls and results of that conversation. `false` by default. */
  includePastTools?: boolean;
  /**
   * Whether the tools of one reply run in parallel; otherwise they run one at a time. Sub-agents always run in
   * parallel. `false` by default. `settings.parallelToolCalls: false` asks the model for one call per reply.
   */
  parallelToolCalls?: boolean;
  /** The tool that the model must call, the same as `settings.toolChoice`; `auto` by default. */
  toolChoice?: ToolChoice;
  /** Other settings of its requests. */
  settings?: ModelSettings;
  /** The schema of the input of an agent with this prompt. */
  requiredSchema?: z$1.core.$ZodType;
  /** Variables that the agent needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables. None by default. */
  env?: Readonly<Record<string, string>>;
  /** The amount of reasoning, the same as `settings.reasoning`. */
  reasoning?: ReasoningOptions;
  /** In how many of the newest messages the model sees images; 10 by default. */
  recentImageThreshold?: number;
  /** Hooks, which replace the agent's hooks of the same name. */
  hooks?: HooksOption;
}
/**
 * Defines a prompt.
 * @throws OffshootError `invalid_definition` that says what to change; for problems that show only when the `agents`
 *   function is called, when the Worker starts
 * @example
 * const drafting = definePrompt({
 *   name: 'drafting',
 *   prompt: 'Write the text that you are asked for, and better it as you are told.',
 *   model: defaultModel,
 *   includeChat: true,
 * });
 */
declare function definePrompt(options: PromptOptions): PromptDefinition;
/** A model object of the AI SDK, of version 5 (`v2`), 6 (`v3`) or 7 (`v4`). */
type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;
/** A model chosen by the environment: use it as the `model` of an agent. */
interface ModelFromEnv {
  /** @throws OffshootError `invalid_definition` for a wrong or missing setting, with what to set */
  (env: object): Promise<LanguageModel>;
  /** One line on which model is chosen and why, or on what is wrong with a setting. Never throws. */
  describe(env: object): string;
}
/** Options of `modelFromEnv`. */
interface ModelFromEnvOptions {
  /** The model for an environment that chooses none. Without it, such an environment is an error. */
  readonly otherwise?: Exclude<LanguageModel, string>;
}
/**
 * A model chosen by the environment, in this order: the one that `OFFSHOOT_MODEL` names (`provider/model`); one that a
 * provider offers without it, such as the `AI` binding; `otherwise`. The package of a provider is loaded when the
 * provider is chosen.
 * @example
 * const model = modelFromEnv([anthropic], { otherwise: scriptedModel([{ text: 'No key is set.' }]) });
 */
declare function modelFromEnv(providers: readonly ModelProvider[], options?: ModelFromEnvOptions): ModelFromEnv;
export { ChildOptions as A, isCompanionTool as C, createRemoteSubAgentTool as D, RemoteSubAgentOptions as E, defineEffect as M, defineRemoteAgent as O, PersistentAgent as S, RemoteAgentOptions as T, defineAgent as _, PromptOptions as a, createSubAgentTool as b, SideConfig as c, SUBAGENT_TOOL_PREFIX as d, ToolBody as f, PromptAgentOptions as g, AgentOptions as h, LanguageModel as i, EffectOptions as j, AgentSource as k, defineDualAgent as l, defineTool as m, ModelFromEnvOptions as n, definePrompt as o, ToolOptions as p, modelFromEnv as r, DualAgentOptions as s, ModelFromEnv as t, COMPANION_TOOL_PREFIX as u, NamedAgents as v, AiTool as w, isSubAgentTool as x, SubAgentOptions as y };