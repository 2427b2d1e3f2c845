import { g as RootDocuments } from "./messages.js";
import { F as Json } from "./chunks.js";
import { A as EnvOf, D as AgentHooks, E as Limits, F as OutputOf, I as Result, L as StateOf, P as JsonOf, _ as ToolDefinition, c as AnyTool, d as ModelSource, f as ParentSuspendRule, g as StepFacts, h as RequireApproval, j as FinishesOf, k as AgentTypes, l as ConcurrentStartRule, p as Price, s as AgentDefinition, u as FailureRule, w as Budget, z as ToolContext } from "./scripted.js";
import { n as ModelProvider } from "./provider.js";
import { z } from "zod";
import { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
/** Stands for a schema that is not there: any JSON. */
interface AnyJson extends z.ZodType<Json, Json> {}
/** Stands for an `outputSchema` that is not there. */
interface NoOutputSchema extends z.ZodType<unknown, unknown> {
  readonly none: true;
}
/** What is not known of a value is checked when it is there. */
type Fits<Value, Wanted> = unknown extends Value ? true : [Value] extends [Wanted] ? true : false;
/** A tool of an agent, or why the compiler refuses it. */
type Checked<Tool, State, Wanted> = [State] extends [StateOf<Tool>] ? FinishesOf<Tool> extends true ? Fits<OutputOf<Tool>, Wanted> extends true ? Tool : 'The result of this `finishWith` tool does not fit the `outputSchema` of the agent.' : Tool : 'This tool needs a custom state that the `stateSchema` of the agent does not give.';
/** What an agent's bodies get as `env`: all of the Worker's, of which its tools and sub-agents may name what they need. */
type EnvOfAll<Tool> = [Tool] extends [never] ? Cloudflare.Env : Cloudflare.Env & ((Tool extends unknown ? (env: EnvOf<Tool>) => void : never) extends ((env: infer Env) => void) ? Env : unknown);
/** What a run ends with: by the schema, else with text, or with the result of a tool that ends the run. */
type Ending<OutputSchema extends z.ZodType, Tool> = OutputSchema extends NoOutputSchema ? string | (Tool extends unknown ? (FinishesOf<Tool> extends true ? JsonOf<OutputOf<Tool>> : never) : never) : JsonOf<z.output<OutputSchema>>;
/** What `defineAgent` takes. The schemas say what its hooks, its tools and whoever runs it may rely on. */
interface AgentOptions<InputSchema extends z.ZodType = z.ZodType, OutputSchema extends z.ZodType = z.ZodType, StateSchema extends z.ZodType = z.ZodType, Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** Also names the class (`fact-checker` is exported as `FactChecker`) and the address. */
  name: string;
  /** What it can do: the model of an agent that has it as a tool reads it. Empty by default. */
  description?: string;
  /** What its model is told first; as a function, with the custom state of each step. */
  systemPrompt: string | ((context: {
    readonly state: JsonOf<z.output<StateSchema>>;
  }) => string);
  /**
   * A `LanguageModel` of the AI SDK (of any version that it takes), the text `provider/model`, or a function of the
   * Worker's environment that gives one, such as `defaultModel`; it is asked once for each environment.
   */
  model: ModelSource<EnvOfAll<Tools[number]>>;
  /** What its model may call: made by `defineTool` and `createSubAgentTool`, each name once. None by default. */
  tools?: Tools & { readonly [Key in keyof Tools]: Checked<Tools[Key], JsonOf<z.output<StateSchema>>, z.input<OutputSchema>>; };
  /** Checks `input` of a start, and the task of a parent; the input's JSON is the first user message. */
  inputSchema?: InputSchema;
  /** The typed output; adds the tool `__finish__` that the model ends with. Without it, text ends the run. */
  outputSchema?: OutputSchema;
  /** The custom state; its defaults are the first state. */
  stateSchema?: StateSchema;
  /** Steps of one turn; 50 by default. */
  maxSteps?: number;
  /** What it may use; `DEFAULT_LIMITS` has the defaults and their units. */
  limits?: Partial<Limits>;
  /** What a start does while a run goes on; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Called at points of the agent's life, in order, each once for each run and event. */
  hooks?: AgentHooks<JsonOf<z.output<StateSchema>>, EnvOfAll<Tools[number]>, JsonOf<z.output<InputSchema>>, Ending<OutputSchema, Tools[number]>>;
  /** What the model costs, so that usage and budgets know it. */
  price?: Price | ((model: string) => Price | undefined);
  /** `false`: it only ever works for other agents, and a start of it as a root is refused (`not_a_root`). `true` by default. */
  root?: boolean;
  /** The documents of a root of this agent, listed, removed and shared by the API, and forgotten when the root is deleted. */
  documents?: (env: EnvOfAll<Tools[number]>, address: string) => RootDocuments;
  /** Ends the run after a step, with the text of that step, when it answers true. Asked after each step; must be pure. */
  stopWhen?: (step: StepFacts) => boolean;
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
declare function defineAgent<InputSchema extends z.ZodType = AnyJson, OutputSchema extends z.ZodType = NoOutputSchema, StateSchema extends z.ZodType = AnyJson, const Tools extends readonly AnyTool[] = readonly []>(agent: AgentOptions<InputSchema, OutputSchema, StateSchema, Tools>): AgentDefinition<{
  input: z.input<InputSchema>;
  output: Ending<OutputSchema, Tools[number]>;
  state: JsonOf<z.output<StateSchema>>;
  initialState: z.input<StateSchema>;
  env: EnvOfAll<Tools[number]>;
}>;
/** Prefix of the tools that delegate to a sub-agent. */
declare const SUBAGENT_TOOL_PREFIX = "subagent__";
/** The body of a tool. */
type ToolBody<Input, Output, State, Env> = (input: Input, context: ToolContext<State, Env>) => Result<Output>;
/** What `defineTool` takes. */
interface ToolOptions<InputSchema extends z.ZodType, OutputSchema extends z.ZodType, Output, State, Env, Finishes extends boolean> {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  /** The model reads it. */
  description: string;
  /** What the model gives, checked before the body runs; the body gets what it makes of it. */
  inputSchema: InputSchema;
  /** Checks the result, also one that a client gives; the body is held to it by the compiler, too. */
  outputSchema?: OutputSchema;
  /** The body; or `client`: the call waits, for as long as it takes, until a client gives its result. */
  execute: ToolBody<z.output<InputSchema>, Output, State, Env> | 'client';
  /** Whether a person must agree before the body runs; not together with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z.output<InputSchema>, State, Env>;
  /**
   * How long a person may take to answer, in ms. Then an approval counts as denied (`approval_expired`), and a client's
   * tool as failed (`client_tool_timeout`). As long as it takes by default.
   */
  answerWithinMs?: number;
  /** `never` by default: a body that a crash cut off is not run again, its call gets `outcome_unknown`. */
  replay?: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  timeoutMs?: number;
  /**
   * Whether its result ends the run and is the run's output; a failure does not end it. The result must fit the
   * `outputSchema` of the agent. `false` by default.
   */
  finishWith?: Finishes;
}
/**
 * Defines a tool.
 * @throws OffshootError `invalid_definition` for a name that is reserved or that models do not take, or without a body.
 * @example
 * const clock = defineTool({
 *   name: 'time_in',
 *   description: 'The time of day in a time zone.',
 *   inputSchema: z.object({ zone: z.string() }),
 *   execute: ({ zone }) => new Date().toLocaleTimeString('en-GB', { timeZone: zone }),
 * });
 */
declare function defineTool<InputSchema extends z.ZodType, OutputSchema extends z.ZodType = z.ZodUnknown, Output extends z.input<OutputSchema> = z.input<OutputSchema>, State = unknown, Env = Cloudflare.Env, Finishes extends boolean = false>(tool: ToolOptions<InputSchema, OutputSchema, Output, State, Env, Finishes>): ToolDefinition<{
  input: z.output<InputSchema>;
  output: Output;
  state: State;
  env: Env;
  finishes: Finishes;
}>;
/** Whether a tool name belongs to an ephemeral sub-agent. */
declare function isSubAgentTool(name: string): boolean;
/** How an agent is used as a tool. */
interface SubAgentOptions {
  /** The tool is `subagent__<name>`; the agent's own name by default. So one agent may be several tools of another. */
  name?: string;
  /** What the parent's model reads; the agent's own description by default. */
  description?: string;
  /** The child's whole run, in ms; 10 minutes by default. */
  timeoutMs?: number;
  /** Refuses an agent without an `outputSchema`; otherwise its text is its output. */
  requireOutputSchema?: boolean;
  /**
   * What becomes of the child when this agent suspends for a person while it runs: `continue` (default) lets it go on
   * and keeps its result, `pause` interrupts it and resumes it with the parent, `respawn` fails it and starts it anew.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * What becomes of the call when the child fails: with `result` (default) its failure is the result, which this agent's
   * model reads; with `wait` this agent waits until a person lets the child try again, by `retry` at the child's address,
   * or gives it up by `abort`. A child that was stopped, whose time was up, or that is lost is never waited for.
   */
  onFailure?: FailureRule;
  /** What the child may spend with everything below it. */
  budget?: Budget;
}
/** An agent, or a function that gives it: one that is still being defined. */
type AgentSource<Types extends AgentTypes> = AgentDefinition<Types> | (() => AgentDefinition<Types>);
/** The tool of a sub-agent: what it takes, and what comes back. */
type SubAgentTool<Types extends AgentTypes, Input> = ToolDefinition<{
  input: Input;
  output: Types['output'];
  state: unknown;
  env: Types['env'];
  finishes: false;
}>;
/** What a parent's schema makes of the arguments must be what the child takes; else the compiler says why not. */
type Taken<Schema extends z.ZodType, Types extends AgentTypes> = unknown extends Types['input'] ? unknown : [JsonOf<z.output<Schema>>] extends [Types['input']] ? unknown : 'What this schema makes of the arguments does not fit the `inputSchema` of the sub-agent.';
/** An agent without an `inputSchema` takes anything: its parent has to say what it is asked. */
type WithInput<Types extends AgentTypes> = unknown extends Types['input'] ? unknown : Json extends Types['input'] ? 'This agent has no `inputSchema`: give it one, or give createSubAgentTool a schema of its own.' : unknown;
/** Options as they are given, a misspelt one refused. */
type Known<Options> = { [Key in keyof Options]: Key extends keyof SubAgentOptions ? SubAgentOptions[Key] : 'A sub-agent has no such option.'; };
/**
 * Makes an agent usable as the tool `subagent__<name>`: each call creates a child, runs it once and returns its output.
 * The arguments become the child's first user message (as JSON) and its initial state. They are checked by the child's
 * `inputSchema`; a schema of the tool's own is what the model is shown instead, and what it makes of the arguments is
 * then checked by the child's. What does not fit is told to the parent's model, and no child begins.
 * A failed child is a value for the parent's model: `{ success: false, error, code }`.
 * An agent that uses itself, or two that use each other, come as a function, with a `name`; `maxDepth` ends such a tree.
 * @throws OffshootError `invalid_definition` for a name, a time or a rule that is none, when there is no schema, and when
 *   `requireOutputSchema` is set and the agent has no such schema (of a function: when the Worker begins)
 * @param schemaOrOptions the tool's own schema, or the options where it has none
 * @example
 * const planner = defineAgent({
 *   name: 'planner',
 *   systemPrompt: 'Plan a call. Ask the timekeeper for the time at both ends.',
 *   model: defaultModel,
 *   tools: [createSubAgentTool(timekeeper, { timeoutMs: 60_000 })],
 * });
 */
declare function createSubAgentTool<Types extends AgentTypes, Given extends z.ZodType | SubAgentOptions = Record<never, never>>(definition: AgentSource<Types> & (Given extends z.ZodType ? unknown : WithInput<Types>), schemaOrOptions?: Given & (Given extends z.ZodType ? Taken<Given, Types> : Known<Given>), options?: Given extends z.ZodType ? SubAgentOptions : never): SubAgentTool<Types, Given extends z.ZodType ? z.output<Given> : Types['input']>;
/** A model object of the AI SDK, of version 5 (`v2`), 6 (`v3`) or 7 (`v4`). */
type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;
/** A model that the environment chooses: use it as the `model` of an agent. */
interface ModelFromEnv {
  /** @throws OffshootError `invalid_definition` for a wrong setting, or where none is set, saying what to set */
  (env: object): Promise<LanguageModel>;
  /** In one line, which model is chosen and why; for a wrong setting, what is wrong. Never throws. */
  describe(env: object): string;
}
/** What `modelFromEnv` does beside choosing among providers. */
interface ModelFromEnvOptions {
  /** The model for an environment that chooses none. Without it, such an environment is an error. */
  readonly otherwise?: Exclude<LanguageModel, string>;
}
/**
 * A model that the environment chooses, in this order: what `OFFSHOOT_MODEL` names (`provider/model`); what a provider
 * offers by itself, as the binding `AI` does; `otherwise`. The package of a provider is loaded when it is chosen.
 * @example
 * const model = modelFromEnv([anthropic], { otherwise: scriptedModel([{ text: 'No key is set.' }]) });
 */
declare function modelFromEnv(providers: readonly ModelProvider[], { otherwise }?: ModelFromEnvOptions): ModelFromEnv;
export { SubAgentOptions as a, SUBAGENT_TOOL_PREFIX as c, defineAgent as d, LanguageModel as i, defineTool as l, ModelFromEnvOptions as n, createSubAgentTool as o, modelFromEnv as r, isSubAgentTool as s, ModelFromEnv as t, AgentOptions as u };