/**
 * Agents and tools as plain data: what people write. No platform types. A tool may refer to a child's agent, which has
 * tools: these shapes name each other, so they are in one file.
 *
 * Keeps DF8.
 */
import type * as z from 'zod';
import type { ErrorCode } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import type { SideName } from '../../protocol/sides';
import type { RootDocuments } from '../../protocol/wire/documents';
import type { ContextOptions } from './context';
import type { AnyHook } from './hooks/hooks';
import type { StopCondition } from './hooks/stop-when';
import type { Budget, Limits } from './limits';
import type { ModelPort, ProviderToolSpec, ToolSpec } from './model-port';
import type { ModelSettings } from './settings/settings';
import type { EffectContext, ToolContext } from './tool-context';
import type { AgentTypes, AuthorsFunction, ToolTypes, TYPES } from './types';
import type { VariableDefinition } from './variables';

/** The key under which a tool refers to a relationship of its agent. */
export const RELATIONSHIP: unique symbol = Symbol.for('offshoot.relationship');

/** Effect on a running child when its parent suspends for a person. */
export type ParentSuspendRule = 'continue' | 'pause' | 'respawn';

/** Effect of a failed child on its call: the failure is the result, or a person decides whether to retry the child. */
export type FailureRule = 'result' | 'wait';

/** Effect of the end of a background task while the parent is idle: its message waits, or starts a turn. */
export type IdleRule = 'keep' | 'wake';

/** How long a companion is kept: as long as its tree, or as the parent's run that started it. */
export type RetentionRule = 'tree' | 'run';

/** Whether the call that gives a companion a task waits for its end. */
export type CompanionMode = 'blocking' | 'non-blocking';

/** A companion of an agent. */
export interface Companion {
  readonly mode: CompanionMode;
  readonly description: string;
  readonly relationship: Relationship;
}

/** Rules for the workspace tools of an agent's model. */
export interface WorkspaceOptions {
  /** Removes the tools that change files. `false` by default. */
  readonly readOnly?: boolean;
  /** Requires a person's approval for each change of a file. `false` by default. */
  readonly requireApproval?: boolean;
}

/**
 * The files of a child: its own, kept with its session (`session`) or removed when its next task begins
 * (`per-invocation`); or its parent's (`inherited`), which its model may only read (`inherited-read`).
 */
export type ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read';

/**
 * The relationship of a parent and a child, to which every kind of sub-agent is compiled. Each field is a difference
 * between kinds. `createSubAgentTool` makes children that live for one call; those of `persistentAgents` have names and
 * persist.
 */
export interface Relationship {
  /** `call`: it lives for one task. `named`: it has a name among its parent's children, and outlives its tasks. */
  readonly lifetime: 'call' | 'named';
  /** `step`: the call that begins a task waits for its end. `notice`: it returns once the child has its task. */
  readonly await: 'step' | 'notice';
  /**
   * How the result of a task reaches the parent's model: as the result of the call, as a separate message, or as one in
   * the form of Standard Agents.
   */
  readonly deliver: 'result' | 'notice' | 'envelope';
  /** Where it runs: in its parent's object, in a separate one, or remotely, behind the transport of its tool. */
  readonly placement: 'facet' | 'object' | 'remote';
  readonly workspace: ChildWorkspace;
  /** It may return files with the end of a task. */
  readonly returnsFiles?: true;
  /** Its tasks may name other agents that it can read until the task ends. */
  readonly mayRead?: true;
  /** The name of a named child, from the arguments of the call; the agent's name with a number if omitted. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** Effect of a failed child on the call. */
  readonly onFailure: FailureRule;
  /** Effect of the end of a background task while the parent is idle. */
  readonly onIdle: IdleRule;
  /** How long a named child is kept; without effect on a child that lives for one call. */
  readonly retention: RetentionRule;
  /** The budget for the child and its descendants. */
  readonly budget?: Budget;
  /** Time of the child's whole run, in ms; the child's `childTimeoutMs` by default. */
  readonly timeoutMs?: number;
}

/** The context of a `requireApproval` function. */
export interface ApprovalContext<State = unknown, Env = unknown> {
  /** The custom state of the agent. */
  readonly state: State;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  readonly agent: ToolContext['agent'];
}

/**
 * Whether a call needs approval: always, never, or as a function of its input decides. A function that throws, or
 * returns anything but `false`, requires the approval. It may be called again for the same call after a crash.
 */
export type RequireApproval<Input = unknown, State = unknown, Env = unknown> =
  | boolean
  | AuthorsFunction<[input: Input, context: ApprovalContext<State, Env>], boolean | PromiseLike<boolean>>;

/** Further fields of a tool that the model sees, in addition to its description and schema. */
export type ShownTool = Pick<ToolSpec, 'strict' | 'providerOptions'> & {
  /** Example inputs. */
  readonly inputExamples?: readonly Json[];
};

/** A tool of any types. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.core.$ZodType;
  readonly outputSchema?: z.core.$ZodType | undefined;
  /** Further fields that the model sees, in addition to its description and schema. */
  readonly shown?: ShownTool;
  /** The function, if the tool runs on the server. */
  readonly execute?: AuthorsFunction<[input: unknown, context: ToolContext], unknown>;
  /** Whether an execution that a crash cut off may run again (with the same key, at most 3 times in total). */
  readonly replay: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether its result ends the run and is the run's output. */
  readonly finishWith: boolean;
  /** Where the call is executed: by its function on the server, or by the client, whose result is awaited. */
  readonly runsAt: 'server' | 'client';
  /** Whether a person must approve a call before it executes. */
  readonly requireApproval: RequireApproval;
  /** How long a person may take to answer, in ms; no limit if omitted. */
  readonly answerWithinMs?: number;
  /** The variables that `execute` reads. */
  readonly variables?: readonly VariableDefinition[];
  /** The tools that `execute` calls; this tool then needs their variables, too. */
  readonly uses?: readonly AnyTool[];
  /** The relationship that executes the call, if a child does. */
  readonly [RELATIONSHIP]?: Relationship;
}

/**
 * A tool, as `defineTool` returns it. `Types` has its types: `input` and `output` of `execute`; `state` and `env`,
 * which `execute` needs from its agent; `finishes`, whether it ends the run.
 */
export interface ToolDefinition<Types extends ToolTypes = ToolTypes> extends AnyTool {
  /** Exists only for the compiler, never at run time. */
  readonly [TYPES]?: Types;
}

/** An effect, as `defineEffect` returns it: code that runs later. */
export interface EffectDefinition {
  readonly name: string;
  readonly description: string;
  /** The schema of its arguments; any JSON if omitted. */
  readonly schema?: z.core.$ZodType;
  /** Time of one try, in ms; the agent's `toolTimeoutMs` if omitted. */
  readonly timeoutMs?: number;
  readonly execute: AuthorsFunction<[args: unknown, context: EffectContext], unknown>;
}

/** Options of a resumable sub-agent of a prompt. */
export interface ResumableOptions {
  /** The side that gets the parent's messages, including the first one. That side acts next. */
  readonly receives_messages: SideName;
  /** Sub-agents of this entry that may exist at once; terminated ones do not count. No limit by default. */
  readonly maxInstances?: number;
}

/** Where a child of this Worker lives: in its parent's object, or in one of its own. */
export type ChildPlacement = Exclude<Relationship['placement'], 'remote'>;

/** Options with which a prompt uses an agent with two sides. Property names refer to arguments of the call. */
export interface SubagentToolConfig {
  /** The agent's name: one of the prompt's `agents`, with two sides and `exposeAsTool`. */
  readonly name: string;
  /** Whether the call waits for its end; otherwise the result arrives as a message. `true` by default. */
  readonly blocking?: boolean;
  /** The argument that becomes its first message; by default all arguments, as JSON. */
  readonly initUserMessageProperty?: string;
  /** The argument with the paths of files that it gets; none by default. */
  readonly initAttachmentsProperty?: string;
  /** The argument with its display name; none by default. */
  readonly initAgentNameProperty?: string;
  /** Whether it starts when the prompt becomes active, before the first step. `false` by default. */
  readonly immediate?: boolean;
  /** The variable that switches it on (`true`, `1` or `yes`); always on by default. */
  readonly optional?: string;
  /** Whether it persists after its end and takes further messages. `false` by default. */
  readonly resumable?: false | ResumableOptions;
  /** The maximum that one such sub-agent and everything below it may spend in all its sessions; no limit by default. */
  readonly budget?: Budget;
  /** Time of one session, in ms; `childTimeoutMs` of the agent by default. */
  readonly timeoutMs?: number;
  /**
   * Where it runs: in the object of the agent that calls it (`facet`, the default), or in a separate one (`object`).
   */
  readonly placement?: ChildPlacement;
}

/** An agent that a prompt uses as a child, as it is compiled. */
export interface SubagentEntry {
  readonly config: SubagentToolConfig & Required<Pick<SubagentToolConfig, 'blocking' | 'immediate' | 'resumable'>>;
  /** The agent's name; also the name of its tool if it does not persist. */
  readonly name: string;
  /** Its description for the model. */
  readonly description: string;
  readonly relationship: Relationship;
}

/** An agent with one side that takes over a session. */
export interface Handoff {
  readonly name: string;
  /** Its description for the model. */
  readonly description: string;
  readonly agent: AgentDefinition;
}

/** A prompt, as `definePrompt` returns it: instructions, model and tools. */
export interface PromptDefinition {
  readonly name: string;
  readonly toolDescription: string;
  readonly prompt: AgentDefinition['systemPrompt'];
  readonly model: ModelSource;
  /** All its models, if it has several; `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  readonly tools: readonly AnyTool[];
  /** The tools that the provider runs itself; none if omitted. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** The agents that it uses as children, in the order of `tools`. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that may take over its session. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  readonly includeChat: boolean;
  readonly includePastTools: boolean;
  readonly parallelToolCalls: boolean;
  readonly settings: ModelSettings;
  readonly requiredSchema?: z.core.$ZodType;
  readonly variables: readonly VariableDefinition[];
  readonly env: Readonly<Record<string, string>>;
  readonly recentImageThreshold: number;
  readonly hooks: readonly AnyHook[];
}

/** A tool whose successful call ends a session or reports its progress. */
export interface SessionBinding {
  readonly name: string;
  /** The argument that is the payload; the tool's result by default. */
  readonly messageProperty?: string;
  /** The argument with the paths of files to return with the end; none by default. Not for `sessionStatus`. */
  readonly attachmentsProperty?: string;
}

/** One side of an agent that has two, as it is compiled. */
export interface Side {
  /** The name of this side that the other side reads; `Side A` or `Side B` by default. */
  readonly label: string;
  /** The definition for its steps: the agent with the prompt of this side. */
  readonly definition: AgentDefinition;
  /** Whether a reply without calls passes the turn to the other side. */
  readonly stopOnResponse: boolean;
  /** The tool whose successful call passes the turn to the other side. */
  readonly stopTool?: string;
  /** The argument of that call that the other side reads; by default the text of the reply and the result. */
  readonly stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. */
  readonly maxSteps?: number;
  readonly sessionStop?: SessionBinding;
  readonly sessionFail?: SessionBinding;
  readonly sessionStatus?: SessionBinding;
}

/**
 * Prices of a model, in US dollars per million tokens. Cached tokens are part of the input, reasoning tokens of the
 * output.
 */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache; the price of `input` by default. */
  readonly cached?: number;
  /**
   * Input written to the provider's cache. Without it the price of `input` applies, and the call counts in
   * `unpricedCalls`, because writes often cost more.
   */
  readonly cacheWrite?: number;
  /** Reasoning tokens of the output; the price of `output` by default. */
  readonly reasoning?: number;
}

/** Effect of a start during a run: it is refused, it is queued, or it interrupts that run first. */
export type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';

/**
 * Effect of a person's message while approvals of the agent are pending: it is queued behind them, or it denies them,
 * with its text as the reason that the model reads.
 */
export type PendingMessageRule = 'queue' | 'deny';

/**
 * A limit of requests by key: a rate-limit binding of Cloudflare (`ratelimits` in wrangler.jsonc), or an equivalent.
 * `limit` counts one request and resolves with whether it may be sent. If it throws, the request is sent.
 */
export interface RateLimiter {
  limit(request: { key: string }): PromiseLike<{ readonly success: boolean }>;
}

/** An AI SDK model (`LanguageModel`), of any supported version. */
export interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: AuthorsFunction<[options: never], PromiseLike<object>>;
}

/** An AI SDK model, or a function that receives the Worker's environment and returns one, or a promise of one. */
export type AiModelSource<Env = unknown> = AiModel | AuthorsFunction<[env: Env], AiModel | PromiseLike<AiModel>>;

/** A model of an agent: an AI SDK model, or one that implements Offshoot's own interface. */
export type ModelSource<Env = unknown> = (ModelPort & NoFunction) | AiModelSource<Env>;

/** One of several models, with the errors that lead to the next one. */
export interface ModelChoice<Env = unknown> {
  readonly model: ModelSource<Env>;
  /**
   * The error codes that lead to the next model. By default `model_rate_limited`, `model_overloaded`,
   * `model_unavailable`, `model_timeout`, `model_bad_reply`, `model_unauthorized` and `model_error`;
   * `context_too_large` and `model_refused` only if they are listed here.
   */
  readonly on?: readonly ErrorCode[];
}

/** The models of an agent, in the order in which they are tried: 1 to 8. */
export type GivenModels<Env = unknown> = readonly (ModelSource<Env> | ModelChoice<Env>)[];

/** A model of an agent, with the errors that lead to the next one. */
export interface ModelEntry {
  readonly model: ModelSource;
  readonly on: readonly ErrorCode[];
}

/** Excludes functions, which also have a `call`. */
interface NoFunction {
  readonly apply?: never;
}

/**
 * An agent, as `defineAgent` returns it. `Types` has its types: the `input` of a start, the `output` of its runs,
 * `state` and `env`. An agent that uses itself needs this annotation:
 * `const solver: AgentDefinition<{ input: { task: string }; output: string }> = defineAgent({ … })`.
 */
export interface AgentDefinition<Types extends AgentTypes = AgentTypes> {
  readonly name: string;
  /** `PascalCase(name)`: the class to export. */
  readonly className: string;
  /** `kebab-case(name)`: the class segment of addresses. */
  readonly addressClass: string;
  readonly description: string;
  readonly systemPrompt: string | AuthorsFunction<[context: { readonly state: unknown }], string>;
  readonly model: ModelSource;
  /** All its models, if it has several; `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  /** The settings of its requests. */
  readonly settings: ModelSettings;
  readonly tools: readonly AnyTool[];
  /** The tools among them that the provider runs itself; none if omitted. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Every kind of child that it may have, each once; its tools refer to these. */
  readonly relationships: readonly Relationship[];
  /** Its companions, which its model starts with `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z.core.$ZodType;
  readonly outputSchema?: z.core.$ZodType;
  /** Asks providers that support it for an output that fits the schema exactly. */
  readonly strictOutput?: boolean;
  readonly stateSchema?: z.core.$ZodType;
  readonly limits: Partial<Limits>;
  /** How much of the conversation a request contains; all of it if omitted. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  readonly onMessageWhilePending: PendingMessageRule;
  /** The documents of the root at an address; they are deleted with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: readonly AnyHook[];
  /** The rules of its model's workspace tools. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be a root; otherwise it works only for other agents. */
  readonly root: boolean;
  /** The price of the model, or a function of `provider/model`; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The Worker's limit of requests to a provider, for all roots together. */
  readonly modelRateLimit?: AuthorsFunction<[env: unknown], RateLimiter>;
  /** The run ends after a step if any of these returns true. */
  readonly stopWhen: readonly StopCondition[];
  /** The prompt that provided its system prompt, model and tools, if there was one. */
  readonly prompt?: PromptDefinition;
  /** The agents that its prompts use as children. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that may take over its session. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  /** Its sides, if it has two; its own system prompt, model and tools are then those of the first. */
  readonly sides?: Readonly<Record<SideName, Side>>;
  /** With two sides: the maximum number of turns of a session; no limit if omitted. */
  readonly maxSessionTurns?: number;
  /** Its title for people. */
  readonly title?: string;
  /** Example messages that the console offers. */
  readonly examples: readonly string[];
  /** Whether prompts may name it. */
  readonly exposeAsTool: boolean;
  /** Its description for the model of a prompt that names it; `description` by default. */
  readonly toolDescription?: string;
  readonly variables: readonly VariableDefinition[];
  /** Values of variables, for the agent and its sub-agents. */
  readonly env: Readonly<Record<string, string>>;
  /** The effects that its tools and hooks may schedule. */
  readonly effects: readonly EffectDefinition[];
  /** Exists only for the compiler, never at run time. */
  readonly [TYPES]?: Types;
}
