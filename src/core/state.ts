/**
 * The state of one object, as the machines see it: identity, the latest run, its latest step, and what has arrived.
 * History (older steps and messages) is not in it, so the work of an event does not grow with the history.
 *
 * SE1. Everything here is committed; nothing is remembered only in memory.
 * SE2. What is owed is derived (`effects.ts`), never stored beside it.
 * SE3. A union holds only the fields that are valid in it.
 */
import type { Failure } from './errors';
import type { Json } from './json';
import type { CallResult, FilePart, ReasoningPart, TextPart } from './messages';
import type { ReplyCall } from './model';
import type { Usage } from './usage';

/** Where a tree's root is: its class and its name. */
export interface RootLocation {
  readonly className: string;
  readonly name: string;
}

/** The call of its parent that a child works on. A newer generation makes an older one void. */
export interface ParentLink {
  readonly sessionId: string;
  readonly address: string;
  readonly callId: string;
  readonly generation: number;
}

/** What a session is, set when it is created. Only its names (`displayName`, `tags`, `metadata`) may change, with a start. */
export interface Session {
  readonly sessionId: string;
  readonly agentType: string;
  readonly address: string;
  readonly root: RootLocation;
  /** Level in the tree; the root is 1. */
  readonly depth: number;
  readonly parent?: ParentLink;
  readonly createdAt: number;
  readonly displayName?: string;
  readonly tags: readonly string[];
  readonly metadata?: Json;
}

/** How a run ended. */
export type Outcome =
  | {
      readonly status: 'completed';
      readonly output: Json;
      readonly completionReason: 'finish' | 'finish_with' | 'text' | 'stop_when';
    }
  | { readonly status: 'failed'; readonly error: Failure; readonly failureReason?: string }
  | { readonly status: 'interrupted'; readonly reason: string }
  | { readonly status: 'terminated'; readonly reason: string };

/** A committed stop of one run. */
export interface StopRecord {
  readonly verb: 'abort' | 'terminate';
  readonly reason: string;
  readonly at: number;
  /** What the run fails with when it was stopped for a cause of its own (a limit); `aborted` by default. */
  readonly error?: Failure;
}

interface RunFacts {
  readonly runId: string;
  /** Raised by each recovery; results of an older epoch are refused. */
  readonly epoch: number;
  /** From 1; one for each start. */
  readonly turn: number;
  readonly startedAt: number;
  readonly resumedFrom?: string;
}

/** One execution. */
export type Run =
  | (RunFacts & { readonly phase: 'active'; readonly stop?: StopRecord })
  | (RunFacts & {
      readonly phase: 'ended';
      readonly endedAt: number;
      readonly outcome: Outcome;
      /** Whether the parent has acknowledged the outcome; always true without a parent. */
      readonly told: boolean;
    });

/** A run that has not ended. */
export type ActiveRun = Extract<Run, { phase: 'active' }>;

/** How a call is worked on; decided once, when the reply is committed. */
export type CallPlan =
  | {
      readonly kind: 'tool';
      readonly replay: 'never' | 'safe';
      readonly finishWith: boolean;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'child';
      readonly agentType: string;
      readonly className: string;
      readonly slot: number;
      readonly generation: number;
      readonly sessionId: string;
      readonly address: string;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'finish'; readonly output: Json }
  | { readonly kind: 'refused'; readonly error: Failure };

/** The one result that a call has, once it is settled. */
export interface Settlement {
  readonly result: CallResult;
  readonly at: number;
  readonly startedAt: number;
  /** What a child spent, or a tool recorded. */
  readonly usage?: Usage;
}

/** One tool call of a step. */
export interface Call {
  readonly callId: string;
  readonly providerId: string;
  readonly name: string;
  readonly input: Json;
  /** Its place among the calls of the step, from 0. */
  readonly index: number;
  readonly plan: CallPlan;
  /** Bodies begun so far, the running one included. Above 1 only after a crash. */
  readonly bodies: number;
  /** Why a child is being stopped before it has ended, if it is. */
  readonly stopping?: Failure;
  readonly settled?: Settlement;
}

/** A committed reply: its parts in order, each call by its index. */
export type ReplyPart =
  | TextPart
  | ReasoningPart
  | (Omit<ReplyCall, 'input' | 'malformed'> & { readonly index: number });

interface StepFacts {
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
  /** The last message that it saw. */
  readonly messagesUpTo: number;
  readonly startedAt: number;
  /** Attempts that failed, in order. */
  readonly failures: readonly Failure[];
  /** What the session has spent when this step was committed last. */
  readonly spent: Usage;
}

/** One model call and everything that it asked for. */
export type Step =
  | (StepFacts & { readonly phase: 'model'; readonly notBefore: number })
  | (StepFacts & {
      readonly phase: 'calls';
      readonly reply: readonly ReplyPart[];
      readonly model: string;
      readonly finishReason: string;
      readonly usage: Usage;
      readonly repliedAt: number;
      readonly calls: readonly Call[];
    });

/** A step whose reply is committed. */
export type RepliedStep = Extract<Step, { phase: 'calls' }>;

/** A message that arrived, in order of arrival. */
export interface InboundMessage {
  /** From 1, over the whole session; order of delivery. */
  readonly id: number;
  readonly messageId: string;
  readonly role: 'user' | 'system';
  readonly content: string | readonly (TextPart | FilePart)[];
  /** Who sent it: `caller`, `parent`, or `offshoot` for what the framework adds. */
  readonly from: 'caller' | 'parent' | 'offshoot';
  readonly at: number;
  readonly metadata?: Json;
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
  /** What the session itself has spent, without its children. */
  readonly spent: Usage;
}

/** The status of a session, as people see it. */
export type SessionStatus =
  | 'idle'
  | 'queued'
  | 'running'
  | 'suspended_client_tool'
  | 'suspended_awaiting_children'
  | 'suspended_step_partial'
  | 'interrupted'
  | 'completed'
  | 'failed'
  | 'terminated';

/** The status of a session from its state alone. */
export function statusOf(state: AgentState): SessionStatus {
  const { run } = state;
  if (run === undefined) return 'idle';
  return run.phase === 'active' ? 'running' : run.outcome.status;
}

/** The current step of an active run, if it has begun one. */
export function currentStep(state: AgentState): Step | undefined {
  return state.step !== undefined && state.step.turn === state.run?.turn ? state.step : undefined;
}

/** The calls of the current step that have no result yet. */
export function openCalls(step: RepliedStep): Call[] {
  return step.calls.filter((call) => call.settled === undefined);
}

/** The text of a reply. */
export function replyText(step: RepliedStep): string {
  return step.reply.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
