/**
 * Agents and tools as plain data: what people write. No platform types. A tool may refer to a child's agent, which has
 * tools: these shapes name each other, so they are in one file.
 *
 * Keeps DF8.
 */
import type * as z from 'zod';
import type { RootDocuments } from '../../protocol/documents';
import type { ErrorCode } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import type { SideName } from '../../protocol/sides';
import type { ContextOptions } from './context';
import type { AnyHook } from './hooks';
import type { Budget, Limits } from './limits';
import type { ModelPort, ProviderToolSpec, ToolSpec } from './model-port';
import type { ModelSettings } from './settings/settings';
import type { StopCondition } from './stop-when';
import type { EffectContext, ToolContext } from './tool-context';
import type { AgentTypes, AuthorsFunction, ToolTypes, TYPES } from './types';
import type { VariableDefinition } from './variables';

/** The key under which a tool refers to a relationship of its agent. */
export const RELATIONSHIP: unique symbol = Symbol.for('offshoot.relationship');

/** What becomes of a running child when its parent suspends for a person. */
export type ParentSuspendRule = 'continue' | 'pause' | 'respawn';

/** What becomes of a call whose child fails: the failure is its result, or a person decides whether the child tries again. */
export type FailureRule = 'result' | 'wait';

/** What the end of a task that no call awaits does where the parent is at rest: its message waits, or begins a turn. */
export type IdleRule = 'keep' | 'wake';

/** How long a child with a name is kept: with its tree, or with the run of its parent that began it. */
export type RetentionRule = 'tree' | 'run';

/** Whether whoever gives a companion a task waits for the end of it. */
export type CompanionMode = 'blocking' | 'non-blocking';

/** A companion as an agent has it. */
export interface Companion {
  readonly mode: CompanionMode;
  readonly description: string;
  readonly relationship: Relationship;
}

/** What the model of an agent may do with its files, by the tools of its workspace. */
export interface WorkspaceOptions {
  /** Only to look: there is no tool that changes a file. `false` by default. */
  readonly readOnly?: boolean;
  /** A person must agree to each change of a file. `false` by default. */
  readonly requireApproval?: boolean;
}

/**
 * Which files a child works on: its own, which stay with its session (`session`) or are removed when a further task begins
 * (`per-invocation`), or those that its parent works on (`inherited`), which its model may only read (`inherited-read`).
 */
export type ChildWorkspace = 'session' | 'per-invocation' | 'inherited' | 'inherited-read';

/**
 * How a parent and a child relate: the one vocabulary that every kind of sub-agent is compiled to.
 * Each field says what may vary between kinds. `createSubAgentTool` makes children that live for one call; those of
 * `persistentAgents` are told apart by names, and stay.
 */
export interface Relationship {
  /** `call`: it lives for one task. `named`: it has a name among its parent's children, and outlives its tasks. */
  readonly lifetime: 'call' | 'named';
  /** `step`: the call that begins a task awaits its end. `notice`: it does not; it says that the child has its task. */
  readonly await: 'step' | 'notice';
  /**
   * How the end of a task comes to the parent's model: as the result of the call, as a message of its own, or as one in the
   * words of Standard Agents.
   */
  readonly deliver: 'result' | 'notice' | 'envelope';
  /** Where it lives: in its parent's object, in one of its own, or elsewhere, behind the transport of its tool. */
  readonly placement: 'facet' | 'object' | 'remote';
  readonly workspace: ChildWorkspace;
  /** It may hand files of its own over with the end of a task. */
  readonly returnsFiles?: true;
  /** Its tasks may name other agents that it reads meanwhile. */
  readonly mayRead?: true;
  /** What a named child is called, from the arguments of the call; the agent's name with a number where it is missing. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** What becomes of the call when the child fails. */
  readonly onFailure: FailureRule;
  /** What the end of a task that no call awaits does where the parent is at rest. */
  readonly onIdle: IdleRule;
  /** How long a named child is kept; one that lives for one call goes with its turn whatever this says. */
  readonly retention: RetentionRule;
  /** What the child may spend with everything below it. */
  readonly budget?: Budget;
  /** The child's whole run, in ms; the child's `childTimeoutMs` by default. */
  readonly timeoutMs?: number;
}

/** What a `requireApproval` function is given beside the input. */
export interface ApprovalContext<State = unknown, Env = unknown> {
  /** The custom state of the agent. */
  readonly state: State;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  readonly agent: ToolContext['agent'];
}

/**
 * Whether a call needs a person's yes: always, never, or as a function of its input says. A function that throws, or
 * answers anything but `false`, asks for the approval. It may be asked again for the same call after a crash.
 */
export type RequireApproval<Input = unknown, State = unknown, Env = unknown> =
  | boolean
  | AuthorsFunction<[input: Input, context: ApprovalContext<State, Env>], boolean | PromiseLike<boolean>>;

/** A tool as a model is shown it, beside its description and schema. */
export type ShownTool = Pick<ToolSpec, 'strict' | 'providerOptions'> & {
  /** Inputs that its schema takes. */
  readonly inputExamples?: readonly Json[];
};

/** A tool, whatever its types. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.core.$ZodType;
  readonly outputSchema?: z.core.$ZodType | undefined;
  /** Further options of how a model is shown it, beside its description and schema. */
  readonly shown?: ShownTool;
  /** The body, where it runs on the server. */
  readonly execute?: AuthorsFunction<[input: unknown, context: ToolContext], unknown>;
  /** Whether a body that a crash cut off may run again (same key, at most 3 times). */
  readonly replay: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  readonly timeoutMs?: number;
  /** Whether its result ends the run and is the run's output. */
  readonly finishWith: boolean;
  /** Who works on the call: its body on the server, or the client, whose answer is awaited for as long as it takes. */
  readonly runsAt: 'server' | 'client';
  /** Whether a person must agree before the body runs. */
  readonly requireApproval: RequireApproval;
  /** How long a person may take to answer, in ms; as long as it takes where it is missing. */
  readonly answerWithinMs?: number;
  /** The variables that its body reads. */
  readonly variables?: readonly VariableDefinition[];
  /** The tools that its body calls: what they ask for, it asks for too. */
  readonly uses?: readonly AnyTool[];
  /** Which of its agent's relationships works on the call, where a child does. */
  readonly [RELATIONSHIP]?: Relationship;
}

/**
 * A tool, as `defineTool` returns it. `Types` is what the compiler knows of it: `input`, what its body gets; `output`,
 * what its body gives; `state` and `env`, which its body needs of its agent; `finishes`, whether it ends the run.
 */
export interface ToolDefinition<Types extends ToolTypes = ToolTypes> extends AnyTool {
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}

/** Work for later, as `defineEffect` returns it. */
export interface EffectDefinition {
  readonly name: string;
  readonly description: string;
  /** What it is scheduled with; any JSON where it is missing. */
  readonly schema?: z.core.$ZodType;
  /** One try, in ms; the agent's `toolTimeoutMs` where it is missing. */
  readonly timeoutMs?: number;
  readonly execute: AuthorsFunction<[args: unknown, context: EffectContext], unknown>;
}

/** How a resumable sub-agent of a prompt is treated. */
export interface ResumableOptions {
  /** The side of the sub-agent that messages of its parent are for, the first one too: that side acts next. */
  readonly receives_messages: SideName;
  /** How many there may be at once by this entry, those that were terminated aside; any number by default. */
  readonly maxInstances?: number;
}

/** Where a child of this Worker lives: in its parent's object, or in one of its own. */
export type ChildPlacement = Exclude<Relationship['placement'], 'remote'>;

/** How a prompt uses an agent of two sides. Names of properties are those of the arguments of the call. */
export interface SubagentToolConfig {
  /** The agent: one of the prompt's `agents`, with two sides and `exposeAsTool`. */
  readonly name: string;
  /** Whether the call waits for its end; otherwise the end is a message. `true` by default. */
  readonly blocking?: boolean;
  /** The argument that is its first message; all arguments as JSON by default. */
  readonly initUserMessageProperty?: string;
  /** The argument with the paths of the files that it is given; none by default. */
  readonly initAttachmentsProperty?: string;
  /** The argument with its display name; none by default. */
  readonly initAgentNameProperty?: string;
  /** It is called when the prompt becomes active, before the first step. `false` by default. */
  readonly immediate?: boolean;
  /** The variable that turns it on (`true`, `1` or `yes`); it is always on by default. */
  readonly optional?: string;
  /** Whether it stays after its end and takes further messages. `false` by default. */
  readonly resumable?: false | ResumableOptions;
  /** What one of them may spend in all its sessions, with everything below it; without end by default. */
  readonly budget?: Budget;
  /** Time of one session, in ms; `childTimeoutMs` of the agent by default. */
  readonly timeoutMs?: number;
  /** Where it lives: in the object of the agent that calls it (`facet`, the default), or in one of its own (`object`). */
  readonly placement?: ChildPlacement;
}

/** An agent that a prompt uses as a child, as it is compiled. */
export interface SubagentEntry {
  readonly config: SubagentToolConfig & Required<Pick<SubagentToolConfig, 'blocking' | 'immediate' | 'resumable'>>;
  /** The agent's name, and that of its tool where it does not stay. */
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  readonly relationship: Relationship;
}

/** An agent of one side that takes a session over. */
export interface Handoff {
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  readonly agent: AgentDefinition;
}

/** A prompt, as `definePrompt` returns it: what a model is told, which model it is, and what it may call. */
export interface PromptDefinition {
  readonly name: string;
  readonly toolDescription: string;
  readonly prompt: AgentDefinition['systemPrompt'];
  readonly model: ModelSource;
  /** All its models, where it has several: `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  readonly tools: readonly AnyTool[];
  /** The tools that a provider runs itself; none where it is missing. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** The agents that it uses as children, in the order of `tools`. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that it may hand its session to. Read only when all of them are defined. */
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

/** A tool whose successful call ends a session, or tells of it. */
export interface SessionBinding {
  readonly name: string;
  /** The argument that is the payload; what the tool gives by default. */
  readonly messageProperty?: string;
  /** The argument with the paths of the files that go along with the end; none by default. Refused of `sessionStatus`. */
  readonly attachmentsProperty?: string;
}

/** One side of an agent that has two, as it is compiled. */
export interface Side {
  /** What the other side reads of who speaks; `Side A` or `Side B` by default. */
  readonly label: string;
  /** What its steps work by: the agent with the prompt of this side. */
  readonly definition: AgentDefinition;
  /** Whether a reply without calls gives the turn to the other side. */
  readonly stopOnResponse: boolean;
  /** The tool whose successful call gives the turn to the other side. */
  readonly stopTool?: string;
  /** The argument of that call which the other side reads; the text of the reply and the result by default. */
  readonly stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. */
  readonly maxSteps?: number;
  readonly sessionStop?: SessionBinding;
  readonly sessionFail?: SessionBinding;
  readonly sessionStatus?: SessionBinding;
}

/** Prices of a model, in US dollars for a million tokens. Tokens of a cache are part of the input, thoughts of the output. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that came from the provider's cache; the price of `input` by default. */
  readonly cached?: number;
  /**
   * Input that was written to the provider's cache. Without it such input costs what `input` costs, and the call counts
   * in `unpricedCalls`, because writes often cost more.
   */
  readonly cacheWrite?: number;
  /** Output that the model thought; the price of `output` by default. */
  readonly reasoning?: number;
}

/** What a start does while a run goes on: it is refused, it waits, or it waits while that run is interrupted. */
export type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';

/**
 * What a person's message does to approvals of the agent that wait: it waits behind them, or it denies them, with its text
 * as the reason that the model reads.
 */
export type PendingMessageRule = 'queue' | 'deny';

/**
 * A limit of requests by key: a rate-limit binding of Cloudflare (`ratelimits` in wrangler.jsonc), or what does the same.
 * `limit` counts one request and resolves with whether it may be sent; where it throws, the request is sent.
 */
export interface RateLimiter {
  limit(request: { key: string }): PromiseLike<{ readonly success: boolean }>;
}

/** A model of the AI SDK (`LanguageModel`), of any version that it takes. */
export interface AiModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly doStream: AuthorsFunction<[options: never], PromiseLike<object>>;
}

/** A model of the AI SDK, or a function of the Worker's environment that gives one, also later. */
export type AiModelSource<Env = unknown> = AiModel | AuthorsFunction<[env: Env], AiModel | PromiseLike<AiModel>>;

/** What an agent's model may be: one of the AI SDK, or one that speaks Offshoot's own port. */
export type ModelSource<Env = unknown> = (ModelPort & NoFunction) | AiModelSource<Env>;

/** A model of several, and the failures after which the next one is asked. */
export interface ModelChoice<Env = unknown> {
  readonly model: ModelSource<Env>;
  /**
   * The codes after which the next model is asked. By default `model_rate_limited`, `model_overloaded`,
   * `model_unavailable`, `model_timeout`, `model_bad_reply`, `model_unauthorized` and `model_error`; `context_too_large` and `model_refused` only where they are
   * named here.
   */
  readonly on?: readonly ErrorCode[];
}

/** The models of an agent, in the order in which they are asked: 1 to 8. */
export type GivenModels<Env = unknown> = readonly (ModelSource<Env> | ModelChoice<Env>)[];

/** A model of an agent, with the failures after which the next one is asked. */
export interface ModelEntry {
  readonly model: ModelSource;
  readonly on: readonly ErrorCode[];
}

/** Functions have a `call` too, and are no port for that. */
interface NoFunction {
  readonly apply?: never;
}

/**
 * An agent, as `defineAgent` returns it. `Types` is what the compiler knows of it: `input`, what a start takes; `output`,
 * what its runs end with; `state` and `env`. An agent that names itself is annotated with it:
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
  /** All its models, where it has several: `model` is the first of them. */
  readonly models?: readonly ModelEntry[];
  /** The settings of its requests. */
  readonly settings: ModelSettings;
  readonly tools: readonly AnyTool[];
  /** The tools among them that a provider runs itself; none where it is missing. */
  readonly providerTools?: readonly ProviderToolSpec[];
  /** Every kind of child that it may have, each once; its tools refer to them. */
  readonly relationships: readonly Relationship[];
  /** Those that stay, which its model begins by `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z.core.$ZodType;
  readonly outputSchema?: z.core.$ZodType;
  /** Asks for the output exactly as its schema says, of a provider that can decode so. */
  readonly strictOutput?: boolean;
  readonly stateSchema?: z.core.$ZodType;
  readonly limits: Partial<Limits>;
  /** How much of a conversation its model is sent; all of it where it is missing. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  readonly onMessageWhilePending: PendingMessageRule;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: readonly AnyHook[];
  /** Its model has the tools of a workspace, under these rules. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The Worker's own limit of requests to a provider, over all roots. */
  readonly modelRateLimit?: AuthorsFunction<[env: unknown], RateLimiter>;
  /** The run ends after a step when any of these says so. */
  readonly stopWhen: readonly StopCondition[];
  /** The prompt that its system prompt, model and tools are from, where it was defined by one. */
  readonly prompt?: PromptDefinition;
  /** The agents that its prompts use as children. Read only when all of them are defined. */
  readonly subagents: readonly SubagentEntry[];
  /** The agents that it may hand its session to. Read only when all of them are defined. */
  readonly handoffs: readonly Handoff[];
  /** Its sides, where it has two; its own system prompt, model and tools are those of the first then. */
  readonly sides?: Readonly<Record<SideName, Side>>;
  /** With two sides: turns of a session, after which it has ended; any number where it is missing. */
  readonly maxSessionTurns?: number;
  /** What people read of it. */
  readonly title?: string;
  /** Messages that it may be started with, for people who begin. */
  readonly examples: readonly string[];
  /** Whether prompts may name it. */
  readonly exposeAsTool: boolean;
  /** What the model of a prompt that names it reads; the description by default. */
  readonly toolDescription?: string;
  readonly variables: readonly VariableDefinition[];
  /** Values of variables, for itself and what it uses. */
  readonly env: Readonly<Record<string, string>>;
  /** What its tools and hooks may schedule. */
  readonly effects: readonly EffectDefinition[];
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}
