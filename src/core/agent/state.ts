/**
 * The state of one object, as the machines see it: identity, the latest run, its latest step, and what has arrived.
 * History (older steps and messages) is not in it, so the work of an event does not grow with the history.
 *
 * Decides: what a session, a run, a step and a call hold.
 *
 * SE1. Everything here is committed; nothing is remembered only in memory.
 * SE2. What is owed is derived (`owed-effects.ts`), never stored beside it.
 * - A union holds only the fields that are valid in it.
 */

import type { Failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import type { CallResult, FurtherPart, ReasoningPart, TextPart } from '../../protocol/messages';
import type { SideName } from '../../protocol/sides';
import { NO_USAGE, type Usage } from '../../protocol/usage';
import type { AnswerKind } from '../../protocol/view/waiting';
import type { WorkspaceOptions } from '../definition/definition';
import type { HookName } from '../definition/hooks/hook-types';
import type { AnyHookName } from '../definition/hooks/hooks';
import type { ModelReply, ReplyCall } from '../definition/model-port';
import type { Child, ChildSetup, TaskKey } from './children/child';
import type { Compaction } from './context/compaction';
import type { Brought, Enclosure, InboundMessage } from './inbound';
import type { Lineage, RunCaller } from './runs/lineage';
import type { StopVerb } from './runs/stop-verb';
import type { ClosingStep } from './steps/closing';
import type { Refusals } from './steps/refusals';

/** Where a tree's root is: its class and its name. */
export interface RootLocation {
  readonly className: string;
  readonly name: string;
}

/** Where a root is counted: with whom, and under which key. */
export interface RootClaim {
  readonly caller: string;
  readonly key: string;
}

/** Who a child works for. */
export interface ParentLink {
  readonly sessionId: string;
  readonly address: string;
}

/** The files that a session works on, where they are not its own for as long as it lives. */
export type SessionWorkspace =
  /** Its own, which are removed when a further task begins. */
  | { readonly is: 'per-invocation' }
  /** Those of a session above it, under the rules of that one's workspace. */
  | { readonly is: 'inherited'; readonly owner: ParentLink; readonly rules: WorkspaceOptions };

/** What a session is, set when it is created. Only its names (`displayName`, `tags`, `metadata`) may change, with a start. */
export interface Session extends Pick<ChildSetup, 'givesFiles' | 'mayRead'> {
  readonly sessionId: string;
  readonly agentType: string;
  readonly address: string;
  readonly root: RootLocation;
  /** Level in the tree; the root is 1. */
  readonly depth: number;
  /** Level in its top-level object, which is 1; `depth` where it is missing: that object is the root's. */
  readonly objectLevel?: number;
  readonly parent?: ParentLink;
  readonly workspace?: SessionWorkspace;
  readonly createdAt: number;
  readonly displayName?: string;
  readonly tags: readonly string[];
  readonly metadata?: Json;
  /** Where a root is counted, if new roots are limited. */
  readonly claim?: RootClaim;
  /** The agent that it was handed to; its own (`agentType`) where this is missing. */
  readonly active?: string;
  /** The prompts whose immediate sub-agents were begun, since it was handed over last. */
  readonly activated?: readonly string[];
  /** The step in which the custom state changed last; missing where it never did. */
  readonly customStep?: number;
  /** Set when the session was ended for good. */
  readonly terminated?: { readonly at: number; readonly reason: string };
}

/** The custom state as it was before the first change of a step. */
export interface CustomBefore {
  readonly step: number;
  readonly custom: Json;
  /** The step of the change before that one; 0 where there was none. */
  readonly changed: number;
}

/** What a session is called; what is missing stays as it is. */
export type SessionNames = Partial<Pick<Session, 'displayName' | 'tags' | 'metadata'>>;

/** How a run ended. */
export type Outcome =
  | {
      readonly status: 'completed';
      readonly output: Json;
      readonly completionReason: 'finish' | 'finish_with' | 'text' | 'stop_when' | 'session_stop' | 'session_turns';
    }
  | { readonly status: 'failed'; readonly error: Failure; readonly failureReason?: string }
  /** `superseded`: a newer start took its place. */
  | { readonly status: 'interrupted'; readonly reason: string; readonly superseded?: true }
  | { readonly status: 'terminated'; readonly reason: string };

/** A committed stop of one run. */
export interface StopRecord {
  readonly verb: StopVerb;
  readonly reason: string;
  readonly at: number;
  /** What the run fails with when it was stopped for a cause of its own (a limit); `aborted` by default. */
  readonly error?: Failure;
  /** A newer start takes the run's place. */
  readonly superseded?: true;
  /** The calls whose bodies had begun: they have a short time to end by themselves. */
  readonly bodies: readonly string[];
}

/** The hooks that a run owes; the others are asked while what they speak of is worked on. */
export type OwedHookName =
  | HookName
  | 'after_thread_created'
  | 'after_subagent_created'
  | 'before_create_message'
  | 'after_create_message'
  | 'after_update_message';

/** A hook that is owed: it is run before the run goes on. Its id is the same however often it is tried. */
export interface OwedHook {
  readonly id: string;
  readonly hook: OwedHookName;
  /** Which of several of that name; the one that has no id where this is missing. */
  readonly hookId?: string;
  readonly callId?: string;
  /** The message that it speaks of; the reply of the step where this is missing. */
  readonly messageId?: string;
  /** The child that it speaks of. */
  readonly child?: Pick<Child, 'agentType' | 'sessionId' | 'address' | 'name'>;
  /** What the run's start was given, for the hook that is told of it. */
  readonly input?: Json;
}

/** The conditions of `stopWhen` that are owed the question about the step that has just been closed. */
export interface OwedStopWhen {
  readonly id: string;
  readonly hook: 'stopWhen';
  readonly callId?: never;
  readonly messageId?: never;
}

/** Whose turn it is. */
export interface ActingSide {
  readonly acting: SideName;
  /** Turns of the session that have ended, of both sides. */
  readonly turns: number;
  /** Steps of the turn that goes on. */
  readonly steps: number;
  /** The last text that a turn ended with, where the session may end with it. */
  readonly said?: string;
}

/** A hook that threw or took too long. */
export interface HookFailure {
  readonly hook: AnyHookName;
  readonly hookId?: string;
  readonly callId?: string;
  /** What a hook spoke of that no run owed, which may be asked again about it. */
  readonly about?: string;
  readonly at: number;
  readonly error: Failure;
}

/** What a run with hooks keeps about them. */
export interface HookState {
  /** In the order in which they are run. */
  readonly owed: readonly (OwedHook | OwedStopWhen)[];
  /** The step that `stopWhen` was asked about last, and what it said; a failure where it gave no answer. */
  readonly asked?: { readonly step: number; readonly said: boolean | Failure };
  /** The step whose end was announced last. */
  readonly stepEnded?: number;
  /** How the run ends once the last hook is done. */
  readonly ending?: Outcome;
  /** Those that failed before the first step, which takes them over. */
  readonly failed?: readonly HookFailure[];
  /** Calls for which a sub-agent has given a result whose hooks have begun: while one is open, a recovery counts. */
  readonly ofResults?: readonly string[];
  /** Recoveries of the run before its first step, which counts its own. */
  readonly recoveries?: number;
}

interface RunBase {
  readonly runId: string;
  /** Raised by each recovery; results of an older epoch are refused. */
  readonly epoch: number;
  /** From 1; one for each start. */
  readonly turn: number;
  readonly startedAt: number;
  /** Missing if the caller sent neither a name nor a trace. */
  readonly caller?: RunCaller;
  /** The task whose end the parent awaits: several runs may work on it, one after another. */
  readonly task?: TaskKey;
  readonly lineage: Lineage;
  /** The number of the last message of the parent that its session has taken; missing before the first (CO4). */
  readonly mailTaken?: number;
  /** Files of its own that go with its end. */
  readonly gives?: readonly GivenFile[];
  /** The call that ended it, where files go along that this one named. */
  readonly endsBy?: string;
  /** The progress of closing its last step, so that no part of it happens twice; missing before the first part. */
  readonly closing?: ClosingStep;
  /** Whose turn it is, where the agent has two sides; missing before the first step. */
  readonly sides?: ActingSide;
  /** The children that were made after it had ended: the hooks of the next run are told of them. */
  readonly madeSince?: readonly Pick<OwedHook, 'callId' | 'child'>[];
}

/** The word of an agent on how far it is. */
export interface Word {
  readonly number: number;
  readonly text: string;
}

/** What the parent has acknowledged of a run last: that it works, or waits. `undelivered`: that, or its word, has changed since. */
export type KnownToParent = 'working' | 'waiting' | 'undelivered';

/** One execution. */
export type Run =
  | (RunBase & {
      readonly phase: 'active';
      readonly stop?: StopRecord;
      /** With a task: what its parent knows of whether the run waits for a person, and of its word. */
      readonly knownToParent?: KnownToParent;
      /** With a task: the last word of the agent on how far it is, and its number, from 1. */
      readonly word?: Word;
      readonly hooks?: HookState;
    })
  | (RunBase & {
      readonly phase: 'ended';
      readonly endedAt: number;
      /** It had its turn only to end: nothing of what it was started with was taken over (EN5). */
      readonly unbegun?: true;
      /** The number of the step that it ended with; 0 before the first. */
      readonly steps?: number;
      readonly outcome: Outcome;
      /** Whether the parent has acknowledged the outcome; always true without a task. */
      readonly acknowledged: boolean;
    });

/** A run that has not ended. */
export type ActiveRun = Extract<Run, { phase: 'active' }>;

/** Until when a person may answer, in ms since 1970; as long as it takes where it is missing. */
export interface Deadline {
  readonly expiresAt?: number;
}

/** A task that a call began. How the child is called stays here when its record is gone. */
export interface BegunTask extends TaskKey {
  readonly agentType: string;
  readonly sessionId: string;
  readonly address: string;
}

/** A task that a call awaits. `message`: it awaits the task that has read this message (CO4). */
export interface AwaitedTask extends TaskKey {
  readonly message?: number;
}

/** The tasks that a call awaits, and how many of them must end. Any call may have begun them. */
export interface Awaits {
  /** Each task once; empty if the call awaits nothing. */
  readonly tasks: readonly AwaitedTask[];
  /** The number of tasks that must end; 0 if there are none. */
  readonly need: number;
  /** The time at which the call continues with the tasks that have ended, in ms since 1970. No limit if absent. */
  readonly until?: number;
  /** The effect on the other tasks once enough have ended; they continue if absent. */
  readonly others?: 'stop';
}

/** A file that goes with the end of a run; where a call named it that was to end the run (`by`), with that end alone. */
export interface GivenFile extends Enclosure {
  readonly by?: string;
}

/** A task that a call awaits, which has ended. */
export interface EndedTask extends TaskKey {
  readonly agentType: string;
  readonly name?: string;
  readonly result: CallResult;
  /** How many messages to the child were seen by no step of it. */
  readonly unread?: number;
  /** The id of the message that tells of it, where the call does not come to. */
  readonly notice?: string;
  /** That message begins a turn where the agent is at rest. */
  readonly wakes?: true;
  /** That message is an envelope about the child of this reference. */
  readonly envelope?: string;
  /** The files that came with it. */
  readonly brought?: Brought;
  /** The call that tells of it has no room for its result, for that reason. */
  readonly leftOut?: Failure;
}

/** The arguments that a person is shown who must agree, by their hash. */
export interface ShownArguments {
  /** SHA-256 of the arguments (JSON with its keys in order), in hex. */
  readonly inputHash: string;
}

/** How a call is worked on; decided once, when the reply is committed. */
export type CallPlan =
  | {
      readonly kind: 'tool';
      readonly replay: 'never' | 'safe';
      readonly finishWith: boolean;
      readonly timeoutMs: number;
      /** A person must agree first. */
      readonly approval?: Deadline & ShownArguments;
    }
  /** The client gives the result. */
  | ({ readonly kind: 'client' } & Deadline)
  /** Children work on it: it began a task, awaits tasks, or both. */
  | { readonly kind: 'task'; readonly began?: BegunTask; readonly awaits: Awaits }
  /**
   * It has its result at once. `ends`: the run ends with this output once its siblings have their results. `handsOver`: the
   * session goes on with another agent then; `from` is the one before it, missing where that is the session's own.
   */
  | {
      readonly kind: 'immediate';
      readonly result: CallResult;
      readonly ends?: { readonly output: Json };
      readonly handsOver?: { readonly from?: string };
    }
  | { readonly kind: 'refused'; readonly error: Failure };

/** The one result that a call has, once it is settled. */
export interface Settlement {
  readonly result: CallResult;
  readonly at: number;
  readonly startedAt: number;
  /** What a child spent, or a tool recorded. */
  readonly usage?: Usage;
  /** What a person answered, where the call waited for one. */
  readonly answer?: AnswerRecord;
  /** It was settled before a body of it began, or began again. */
  readonly unrun?: true;
  /** When an answer came that was too late to be the result, in ms since 1970. */
  readonly lateAt?: number;
}

/** What a person answered. */
export interface AnswerRecord {
  readonly kind: AnswerKind;
  readonly at: number;
  /** Who, as the access check named them. */
  readonly actor?: string;
  readonly approved?: boolean;
  readonly reason?: string;
  /** The arguments that were agreed to, where a person changed them. */
  readonly input?: Json;
  /** Its place among the answers of the step, from 1. */
  readonly order: number;
}

/** How an open call stands beyond its plan, where nobody works on it now. How a child stands is in the child's record. */
export type ToolCallState =
  /** A tool's body was cut off by an interrupt, and may be run again. */
  | { readonly is: 'cut_off' }
  /** A client's tool whose time is up; its answer is taken as long as no model has seen the failure. */
  | { readonly is: 'expired' }
  /** Some of the tasks that it awaits have ended, fewer than it needs. */
  | { readonly is: 'awaiting'; readonly ended: readonly EndedTask[] };

/** One tool call of a step. */
export interface Call {
  readonly callId: string;
  readonly providerId: string;
  readonly name: string;
  readonly input: Json;
  /** Its place among the calls of the step, from 0. */
  readonly index: number;
  readonly plan: CallPlan;
  /** Its bodies so far, with the one that is due: `bodiesBegun` says how many of them have begun. */
  readonly bodies: number;
  readonly state?: ToolCallState;
  readonly answer?: AnswerRecord;
  readonly settled?: Settlement;
}

/** The failures of steps in a row that came to nothing, as hashes: the arguments of a call may be long. */
export type FailedRow = readonly string[];

/** A committed reply: its parts in order, each call by its index. */
export type ReplyPart =
  | TextPart
  | ReasoningPart
  | FurtherPart
  | (Omit<ReplyCall, 'input' | 'malformed'> & { readonly index: number });

/** The models that a turn no longer asks, as a step of it knows them. */
export interface Fallback {
  /** The failure of each, in the order of `models`, by the side or agent whose models they are. */
  readonly passedOver: Readonly<Record<string, readonly Failure[]>>;
  /** The number of the step's failures that are of those models. */
  readonly failures: number;
}

interface StepBase {
  /** From 1, over the whole session. */
  readonly id: number;
  readonly turn: number;
  /** From 1, within the turn. */
  readonly number: number;
  /** From 1; a model call that is repeated is a new attempt. */
  readonly attempt: number;
  /** Recoveries of the run since this step began. */
  readonly recoveries: number;
  /** Random part of the ids of its calls. */
  readonly token: string;
  /** The side whose step it is, where the agent has two. */
  readonly side?: SideName;
  /** The last message that it saw. */
  readonly messagesUpTo: number;
  readonly startedAt: number;
  /** Attempts that failed, in order; of `refusals` the last few. */
  readonly failures: readonly Failure[];
  /** Hooks that failed, in order: the first 20. */
  readonly hookFailures?: readonly HookFailure[];
  /** What the session has spent when this step was committed last. */
  readonly spent: Usage;
  /** What its request leaves out, where that was decided for it; else `compactedAt` is the step that it was decided for. */
  readonly compaction?: Compaction;
  readonly compactedAt?: number;
  /** The failures of the steps just before it. */
  readonly failedRow?: FailedRow;
  /** The models that its turn no longer asks. */
  readonly fallback?: Fallback;
}

/** One model call and everything that it asked for. */
export type Step =
  | (StepBase & {
      readonly phase: 'model';
      readonly notBefore: number;
      /** This attempt waits for its time, and has sent no request. */
      readonly unasked?: true;
      /** Those of its provider, for a rate limit or overload. */
      readonly refusals?: Refusals;
    })
  | (StepBase & {
      readonly phase: 'calls';
      readonly reply: readonly ReplyPart[];
      readonly model: string;
      /** The provider's id of the reply, if it sent one. */
      readonly responseId?: string;
      readonly finishReason: ModelReply['finishReason'];
      /** Notes for people on its request. */
      readonly notes?: readonly string[];
      readonly usage: Usage;
      readonly repliedAt: number;
      readonly calls: readonly Call[];
    });

/** A step whose reply is committed. */
export type RepliedStep = Extract<Step, { phase: 'calls' }>;

/** A start that waits until the run before it has ended. */
export interface QueuedStart {
  /** From 1, over the whole session; order of arrival. */
  readonly id: number;
  readonly runId: string;
  readonly messages: readonly Omit<InboundMessage, 'id' | 'at'>[];
  readonly input?: Json;
  readonly custom?: Json;
  readonly names?: SessionNames;
  readonly actor?: string;
  readonly traceparent?: string;
  readonly at: number;
  /** It was stopped while it waited: it never begins (EN5). */
  readonly stopped?: { readonly verb: StopVerb; readonly reason: string };
}

/** A row that a capability keeps. Further fields are its own. */
export interface SliceRow {
  /** Unique in the slice, at least 0. */
  readonly id: number;
  /** The child that needs it before it begins: the row goes when the first task of that child is over. */
  readonly childId?: number;
}

/** Everything that decides what an object does next. */
export interface AgentState {
  readonly session: Session;
  readonly custom: Json;
  readonly run?: Run;
  /** The latest step, of the latest run or of an older one. */
  readonly step?: Step;
  readonly lastMessage: number;
  /** Messages that no step has seen yet, in order. */
  readonly inbox: readonly InboundMessage[];
  /** The children whose task is open, by id. */
  readonly children: ReadonlyMap<number, Child>;
  /** Starts that wait for the run before them, in order. */
  readonly queued: readonly QueuedStart[];
  /** The rows of capabilities by the names of those, in order of their ids. A capability without a row is not here. */
  readonly slices: ReadonlyMap<string, readonly SliceRow[]>;
  /** What the session itself has spent, without its children. */
  readonly spent: Usage;
}

/** The current step of an active run, if it has begun one. */
export function currentStep(state: AgentState): Step | undefined {
  return state.step !== undefined && state.step.turn === state.run?.turn ? state.step : undefined;
}

/** The calls of the current step that have no result yet. */
export function openCalls(step: RepliedStep): Call[] {
  return step.calls.filter((call) => call.settled === undefined);
}

type WithChildren = Pick<AgentState, 'children'>;

function openTaskOf({ children }: WithChildren, { childId, task }: TaskKey): Child | undefined {
  const child = children.get(childId);
  return child?.task.number === task ? child : undefined;
}

/** The child whose task a call began; undefined where it began none, or that has ended. */
export function childOf(state: WithChildren, { plan }: Pick<Call, 'plan'>): Child | undefined {
  return plan.kind === 'task' && plan.began ? openTaskOf(state, plan.began) : undefined;
}

/** A row that a capability keeps, with the name of that. */
export interface ChildNeed {
  readonly capability: string;
  readonly row: SliceRow;
}

/** The need of a child that is to be met before it begins; undefined where it has none. */
export function needOf(
  { slices }: Pick<AgentState, 'slices'>,
  { childId }: Pick<Child, 'childId'>,
): ChildNeed | undefined {
  for (const [capability, rows] of slices) {
    const row = rows.find((one) => one.childId === childId);
    if (row) return { capability, row };
  }
  return undefined;
}

/** The children whose tasks a call awaits, as far as those have not ended. */
export function awaitedBy(state: WithChildren, { plan }: Pick<Call, 'plan'>): Child[] {
  return plan.kind === 'task' ? plan.awaits.tasks.flatMap((key) => openTaskOf(state, key) ?? []) : [];
}

/** The tasks that a call awaited and that have ended, in that order. */
export function endedOf({ state }: Pick<Call, 'state'>): readonly EndedTask[] {
  return state?.is === 'awaiting' ? state.ended : [];
}

/** The text of a reply. */
export function replyText(step: RepliedStep): string {
  return step.reply.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The state of a session that has done nothing. */
export function newState(session: Session, custom: Json): AgentState {
  return {
    session,
    custom,
    lastMessage: 0,
    inbox: [],
    children: new Map(),
    queued: [],
    slices: new Map(),
    spent: NO_USAGE,
  };
}
