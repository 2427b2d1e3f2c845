/**
 * What the machines need to know of a definition. Plain data but for the tools of the framework, whose functions must be
 * pure.
 *
 * Keeps SE6.
 */
import type * as z from 'zod';
import type { ErrorCode } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import type { CallResult } from '../../protocol/messages';
import type { AgentDefinition, AnyTool, ConcurrentStartRule } from '../definition/definition';
import type { AnyHookName } from '../definition/hooks/hooks';
import type { Limits } from '../definition/limits';
import type { Child } from './children/child';
import type { Draft } from './draft';
import type { PlannedCall } from './events';
import type { KnownFiles, NewMessage } from './inbound';
import type { SidesRules } from './standard-agents/sides';
import type { RegisteredChild } from './standard-agents/subagent-registry';
import type { Awaits, CallPlan, EndedTask, Session } from './state';

/** The rules of one agent. */
export interface Rules {
  readonly limits: Limits;
  /** The failures of each of its models after which the next is asked. */
  readonly models: readonly (readonly ErrorCode[])[];
  /** The tools that the agent must end with; none where its text is its output. */
  readonly finishTools: readonly string[];
  /** The tools of the framework that the agent is offered beside its own. */
  readonly builtIns: readonly BoundTool[];
  /** Those of them that are performed like its own, and those whose calls children by a `SubagentEntry` work on. */
  readonly performed: readonly AnyTool[];
  /** What a start does while a run goes on. */
  readonly onConcurrentStart: ConcurrentStartRule;
  /** A person's message denies the approvals that wait. */
  readonly deniesByMessage?: true;
  /** The hooks that the definition has: the ids of each name in their order, undefined for the one that has none. */
  readonly hooks: ReadonlyMap<AnyHookName, readonly (string | undefined)[]>;
  /** The prompt, where it has sub-agents that begin with it. */
  readonly activates?: string;
  /** Whether the definition has conditions that may end a run after a step. */
  readonly stopWhen: boolean;
  /** What people are told of who speaks, where the session was handed to it. */
  readonly speaker?: string;
  /** Its sides, where it has two: the rules are those of the side whose turn it is. */
  readonly sides?: SidesRules;
}

/**
 * A tool of the framework: a row of the table `BUILT_IN_TOOLS`. Its calls are worked out by the core in the transaction of
 * their reply, from the state; where that does not hold what they need, they are performed like those of an agent's own
 * tool, by the body that the engine has under the name.
 */
export interface BuiltInTool {
  /** Of those that `defineTool` refuses, so that no tool of an author has it. */
  readonly name: string;
  /** What it is to an agent; undefined for one that does not have it. Asked once for each definition and trait. Pure. */
  of(definition: AgentDefinition, session: SessionTraits): OfferedTool | PerformedTool | undefined;
}

/** What a session may do by what its parent says, or by who has worked for it, whatever its definition. */
export interface SessionTraits extends Pick<Session, 'givesFiles' | 'mayRead'> {
  /** It was handed to this definition. */
  readonly handed?: true;
  /** Another agent that works for it may have sub-agents, and some that stay. */
  readonly inherits?: { readonly any: boolean; readonly lasting: boolean };
}

/** Such a tool whose body is the engine's. */
export interface PerformedTool extends Pick<AnyTool, 'description' | 'inputSchema' | 'replay' | 'requireApproval'> {
  readonly performed: true;
}

/** Such a tool that the core works out, as one agent has it. All its functions must be pure and not throw. */
export interface OfferedTool {
  readonly description: string;
  /** Further options of how a model is shown it; none by default. */
  readonly shown?: AnyTool['shown'];
  /** Whether it ends the run; then it is no use to an agent whose text is its output. */
  readonly endsRun: boolean;
  /** The argument that is the output of the run, where that is not all of them. */
  readonly outputKey?: string;
  /** What its arguments must fit, and what is made of them. */
  readonly inputSchema: z.core.$ZodType;
  /** Whether its model is shown it now, by the children of the registry; always where this is missing. */
  offered?(registry: readonly RegisteredChild[]): boolean;
  /**
   * Says that a call acts on children, and which of those with names it has to know that have no open task. It must name
   * whom it may give a task. Without it no child is known, and none can be made.
   */
  needs?(args: Json): NeededChildren;
  /**
   * What a call does: called once for each call, in the order of the reply. The draft holds what the calls before it did;
   * the step that they belong to is not part of it yet. The call is on the stream already (`tool_start`), and its result
   * follows by itself. What cannot be done is `refused`.
   */
  apply(draft: Draft, call: BuiltInCall, rules: Rules): BuiltInPlan;
  /** The result of a call that gave a child a task and awaits nothing. By default it says who has the task. */
  began?(child: Child): CallResult;
  /**
   * The result of a call that awaited tasks, from those that have ended, in that order; `open` are those that had not when
   * its time was up, `input` is what the model gave. Needed where there are several, or a time.
   */
  tell?(ended: readonly EndedTask[], rest: { readonly open: readonly Child[]; readonly input: Json }): CallResult;
}

/** Which children with names a call has to know, and which of the agent's own files. */
export interface NeededChildren {
  readonly names: readonly string[];
  /** It may begin one whose name is to be given. */
  readonly unnamed?: true;
  /** All children of the registry. */
  readonly registered?: true;
  /** Those of that agent that live for one call. */
  readonly called?: string;
  readonly files?: readonly string[];
}

/** A tool of the framework that the core works out, and that an agent has. */
export type BoundTool = OfferedTool & Pick<BuiltInTool, 'name'>;

/** A call of such a tool. */
export interface BuiltInCall {
  readonly callId: string;
  /** The step that it belongs to. */
  readonly stepId: number;
  /** Its place among the calls of the reply, from 0. */
  readonly index: number;
  /** What the schema made of the arguments. */
  readonly args: Json;
  /** When the reply came, in ms since 1970, and randomness for ids, the same for all its calls. */
  readonly at: number;
  readonly token: string;
  /** The children of `needs`, as they were before the reply; those whose task is open are in the draft. */
  readonly atRest: readonly Child[];
  /** The children that live for one call, of the agents that the reply asks for, where their objects are there. */
  readonly called?: readonly Child[];
  /** The agents of `SubagentEntry` that are switched off now. */
  readonly disabled?: readonly string[];
  /** What a person says to the child, in place of what the arguments say. */
  readonly said?: NewMessage;
  /** What the calls before it in the reply do. */
  readonly earlier: readonly CallPlan[];
  /** The files of `needs`, as far as they are there. */
  readonly files: KnownFiles;
}

/**
 * What is to become of such a call: it has its result at once, a child works on it, it awaits tasks that other calls
 * began, or it is refused. The child is of one of the agent's relationships: the slots that those may take come with the
 * reply.
 */
export type BuiltInPlan =
  | Extract<CallPlan, { kind: 'immediate' | 'refused' }>
  | Omit<Extract<PlannedCall, { kind: 'child' }>, 'providerId' | 'name'>
  | ({ readonly kind: 'wait' } & Awaits);
