/**
 * Agents and tools as plain data: what people write. No platform types. A tool may refer to a child's agent, which has
 * tools: these shapes name each other, so they are in one file.
 */
import type * as z from 'zod';
import type { RootDocuments } from '../../protocol/documents';
import type { Json } from '../../protocol/json';
import type { ContextOptions } from './context';
import type { AgentHooks } from './hook-types';
import type { Budget, Limits } from './limits';
import type { ModelPort } from './model-port';
import type { StopCondition } from './stop-when';
import type { ToolContext } from './tool-context';
import type { AgentTypes, AuthorsFunction, ToolTypes, TYPES } from './types';

/** The key under which a tool refers to a relationship of its agent. */
export const RELATIONSHIP: unique symbol = Symbol.for('offshoot.relationship');

/** What becomes of a running child when its parent suspends for a person. */
export type ParentSuspendRule = 'continue' | 'pause' | 'respawn';

/** What becomes of a call whose child fails: the failure is its result, or a person decides whether the child tries again. */
export type FailureRule = 'result' | 'wait';

/** What the end of a task that no call awaits does where the parent is at rest: its message waits, or begins a turn. */
export type IdleRule = 'keep' | 'wake';

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
 * (`per-invocation`), or those that its parent works on (`inherited`).
 */
export type ChildWorkspace = 'session' | 'per-invocation' | 'inherited';

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
  /** How the end of a task comes to the parent's model: as the result of the call, or as a message of its own. */
  readonly deliver: 'result' | 'notice';
  readonly placement: 'facet';
  readonly workspace: ChildWorkspace;
  /** What a named child is called, from the arguments of the call; the agent's name with a number where it is missing. */
  readonly nameOf?: (input: Json) => string | undefined;
  readonly child: AgentDefinition;
  readonly onParentSuspend: ParentSuspendRule;
  /** What becomes of the call when the child fails. */
  readonly onFailure: FailureRule;
  /** What the end of a task that no call awaits does where the parent is at rest. */
  readonly onIdle: IdleRule;
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

/** A tool, whatever its types. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  readonly outputSchema?: z.ZodType | undefined;
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

/** What a model costs, in US dollars for a million tokens. Cached tokens are part of the input. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** The price of `input` by default. */
  readonly cached?: number;
}

/** What a start does while a run goes on: it is refused, it waits, or it waits while that run is interrupted. */
export type ConcurrentStartRule = 'refuse' | 'queue' | 'interrupt_previous';

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
  readonly tools: readonly AnyTool[];
  /** Every kind of child that it may have, each once; its tools refer to them. */
  readonly relationships: readonly Relationship[];
  /** Those that stay, which its model begins by `companion__spawnAgent`. */
  readonly companions: readonly Companion[];
  readonly inputSchema?: z.ZodType;
  readonly outputSchema?: z.ZodType;
  readonly stateSchema?: z.ZodType;
  readonly limits: Partial<Limits>;
  /** How much of a conversation its model is sent; all of it where it is missing. */
  readonly context?: ContextOptions;
  readonly onConcurrentStart: ConcurrentStartRule;
  /** The documents of the root at an address; they are forgotten with it. */
  readonly documents?: AuthorsFunction<[env: unknown, address: string], RootDocuments>;
  readonly hooks: AgentHooks;
  /** Its model has the tools of a workspace, under these rules. */
  readonly workspace?: WorkspaceOptions;
  /** Whether it may be the top of a tree; otherwise it works for other agents alone. */
  readonly root: boolean;
  /** What the model costs, by `provider/model` where it is a function; unknown costs stay unknown. */
  readonly price?: Price | ((model: string) => Price | undefined);
  /** The run ends after a step when any of these says so. */
  readonly stopWhen: readonly StopCondition[];
  /** For the compiler alone: it is never there. */
  readonly [TYPES]?: Types;
}
