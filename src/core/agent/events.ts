/**
 * What can happen to an object. Times and randomness come with the event.
 *
 * Decides: every event that a machine can be given.
 * Keeps SE3, ST1.
 */

import type { ChunkBody } from '../../protocol/chunks';
import type { Failure } from '../../protocol/errors';
import type { Json, JsonObject } from '../../protocol/json';
import type { CallResult } from '../../protocol/messages';
import type { Usage } from '../../protocol/usage';
import type { Relationship } from '../definition/definition';
import type { MessageChanges } from '../definition/hooks/hooked-message';
import type { KeptReply, ModelDelta } from '../definition/model-port';
import type { AskedBy, Child, Readable, Registered, TaskKey } from './children/child';
import type { Via } from './children/placement';
import type { Compaction } from './context/compaction';
import type { Brought, Enclosure, InboundMessage, KnownFiles, Mail, MailFacts, NewMessage } from './inbound';
import type { StopVerb } from './runs/stop-verb';
import type { HookFailure, Outcome, RepliedStep, Session, SessionNames, ShownArguments } from './state';

/** An event of a capability, by its type. */
export interface CapabilityEvent {
  readonly type: string;
}

/** How long a person may take to answer, in ms; no limit if omitted. */
export interface AnswerTime {
  readonly answerWithinMs?: number;
}

/** An answer to a call that waits for a person, checked against the schemas of its tool. */
export type PersonsAnswer =
  | { readonly kind: 'client-tool-result'; readonly result: CallResult }
  | {
      readonly kind: 'approval-response';
      readonly approved: boolean;
      readonly reason?: string;
      /** The approved arguments, if they were changed. */
      readonly input?: Json;
    };

/** What a child by a `SubagentEntry` begins with. */
export interface Registering extends Omit<Registered, 'reference' | 'spawnGroupId' | 'createdAt' | 'terminated'> {
  /** What it is told first. */
  readonly first: string;
  /** How many of them there may be by that entry; any number where it is missing. */
  readonly maxInstances?: number;
  /** Files of its parent that go with that, each of at most so many bytes. */
  readonly files?: { readonly paths: readonly string[]; readonly maxBytes: number };
  /** The same once it waits for variables: they are held for it. */
  readonly enclosed?: readonly Enclosure[];
}

/** A call as the definition understands it, before ids and slots are given out. */
export type PlannedCall = {
  readonly providerId: string;
  readonly name: string;
  readonly input: Json;
} & (
  | {
      readonly kind: 'tool';
      readonly replay: 'never' | 'safe';
      readonly finishWith: boolean;
      readonly timeoutMs: number;
      /** A person must agree first. */
      readonly approval?: AnswerTime & ShownArguments;
    }
  | ({ readonly kind: 'client' } & AnswerTime)
  | ({
      /** A child is to work on it. */
      readonly kind: 'child';
      readonly agentType: string;
      readonly addressClass: string;
      readonly className: string;
      readonly timeoutMs: number;
      /** What a named child is called. */
      readonly childName?: string;
      /** What it is told, where the arguments are not its task. */
      readonly message?: NewMessage;
      /** One whose last session failed goes on with what it remembers; it is started anew where this is missing. */
      readonly keepsMemory?: true;
      readonly first?: FirstNeed;
      /** The call awaits the end of the task, though it does not hold it. */
      readonly waits?: { readonly until?: number };
      /** Whom it reads while the task is open. */
      readonly reads?: Readable;
      /** Calls that end its session may name files that come with that. */
      readonly brings?: true;
      /** It is made by a `SubagentEntry`: what the registry is to keep of it. */
      readonly registers?: Registering;
    } & Omit<Relationship, 'child' | 'timeoutMs' | 'nameOf'>)
  /** A tool of the framework; the core works out what it does. `args` is what its schema made of the arguments. */
  | { readonly kind: 'built_in'; readonly args: Json }
  /** The session is to go on with that agent. */
  | { readonly kind: 'handoff'; readonly to: string }
  | { readonly kind: 'refused'; readonly error: Failure }
);

/** The slots that a class has free in this object, lowest first, and the first number never used. */
export interface ClassSlots {
  readonly free: readonly { readonly slot: number; readonly generation: number }[];
  readonly next: number;
}

/** The children that have names, also those that have left and are about to be removed. */
export interface LastingChildren {
  readonly count: number;
  /** How many of them were terminated; missing where none was. */
  readonly ended?: number;
  /** What one of them is called that lives, and is kept with the tree. */
  readonly example?: string;
  /** Among them those that are kept with a run. */
  readonly ofRun?: readonly (Pick<Child, 'name' | 'ofRun'> & { readonly ended?: true })[];
}

/** What the store knows of the children of this object, for those that a reply asks for. */
export interface KnownChildren {
  /** The first id never used. */
  readonly next: number;
  readonly slots: { readonly [className: string]: ClassSlots };
  /** Those of the names that are asked for, where there is one that is at rest. */
  readonly named: { readonly [name: string]: Child };
  readonly lasting: LastingChildren;
  /** Names that would be given to one of the next children and are somebody's already, where a name is to be given. */
  readonly ahead?: readonly string[];
  /** All children of the registry that have names, where one is asked for that is to be in it. */
  readonly registered?: readonly Child[];
  /** The children that live for one call, of the agents that are asked for. */
  readonly called?: readonly Child[];
  /** Those of the agent's own files that the reply names, where they are there. */
  readonly files: KnownFiles;
}

/** What a new child needs of a capability before it begins. */
export interface FirstNeed {
  readonly capability: string;
  /** The row of that capability, which has the id of the child. */
  readonly row: object;
  /** The child lives so. */
  readonly via: Via;
  /** The runs that its session has had by then. */
  readonly runsBefore: number;
}

/** What a person tells a child by way of its parent. */
export interface AskedMessage {
  /** Of the child. */
  readonly name: string;
  readonly said: Omit<NewMessage, 'messageId'>;
  readonly by: AskedBy;
}

/** What a child graph lacks; names in order. */
export interface LackedVariables {
  /** Those that it must have, whether they are there or not. */
  readonly required: readonly string[];
  /** Those of them that are not there. */
  readonly missing: readonly string[];
}

/** The same, for a call that asks for such a child. */
export interface Lacking extends LackedVariables {
  /** How many further requests may be kept. */
  readonly room: number;
  /** Those of this agent that wait already. */
  readonly waiting: readonly WaitingPlace[];
}

/** A place among the children of an entry that one has which waits for variables. */
export interface WaitingPlace {
  readonly requestId: string;
  /** The prompt of the entry. */
  readonly prompt: string;
}

/** A child that waits for variables. */
export interface VariableRequest {
  readonly requestId: string;
  readonly planned: Extract<PlannedCall, { kind: 'child' }>;
  /** The call that asked for it, and its step. */
  readonly callId: string;
  readonly stepId: number;
  /** The arguments of that call. */
  readonly written: Json;
  readonly required: readonly string[];
  /** In ms since 1970. */
  readonly at: number;
  readonly expiresAt: number;
}

/** Which model call an event speaks of; anything older is refused. */
export interface ModelFence {
  readonly runId: string;
  readonly epoch: number;
  readonly stepId: number;
  readonly attempt: number;
}

/** What a start began; nothing where it has not come. */
export interface OfStart {
  readonly runId: string | undefined;
  /** Of that run, where it is known. */
  readonly turn: number | undefined;
}

/** What can happen. `at` is ms since 1970; `token` is fresh randomness for the ids that the event mints. */
export type AgentEvent = { readonly at: number } & (
  | {
      readonly type: 'start';
      readonly token: string;
      readonly runId: string;
      readonly messages: readonly NewMessage[];
      readonly input?: Json;
      /** Replaces the custom state. */
      readonly custom?: Json;
      /** Replaces what the session is called. */
      readonly names?: SessionNames;
      readonly actor?: string;
      readonly traceparent?: string;
      /** The task that a parent gives. */
      readonly task?: TaskKey;
      /** What the parent has told with it. */
      readonly mail?: readonly Mail[];
    }
  | {
      readonly type: 'send';
      readonly token: string;
      readonly runId: string;
      readonly message: NewMessage;
      readonly actor?: string;
      readonly traceparent?: string;
    }
  /** What the request of a step leaves out was worked out. */
  | ({ readonly type: 'context_compacted'; readonly token: string; readonly compaction: Compaction } & ModelFence)
  | ({ readonly type: 'model_progress'; readonly deltas: readonly ModelDelta[] } & ModelFence)
  | ({
      readonly type: 'model_replied';
      readonly token: string;
      readonly reply: KeptReply;
      /** The last pieces of its stream, not shown yet. */
      readonly deltas: readonly ModelDelta[];
      readonly calls: readonly PlannedCall[];
      readonly children: KnownChildren;
      /** The agents of `SubagentEntry` whose variable says now that there are none of them. */
      readonly disabled?: readonly string[];
      /** What the child graphs of such agents lack of variables, by the name of the agent. */
      readonly lacking?: { readonly [agentType: string]: Lacking };
    } & ModelFence)
  /** The prompt at work begins, and with it these of its sub-agents; or why they can not. */
  | {
      readonly type: 'activated';
      readonly token: string;
      readonly runId: string;
      readonly prompt: string;
      readonly begins: readonly Extract<PlannedCall, { kind: 'child' }>[];
      readonly children: KnownChildren;
      readonly disabled: readonly string[];
      /** What those agents lack of variables. */
      readonly lacking?: { readonly [agentType: string]: Lacking };
      readonly refused?: Failure;
    }
  | ({
      readonly type: 'model_failed';
      readonly token: string;
      readonly error: Failure;
      /** Since then it waited for its turn at a provider that refused others of its tree, in ms since 1970. */
      readonly waitingSince?: number;
    } & ModelFence)
  /** The step waits for a turn at a provider that refuses requests: it sends none before that time, in ms since 1970. */
  | ({ readonly type: 'model_rests'; readonly until: number } & ModelFence)
  /** The wait of the step is over: from now on it may have sent its request. */
  | ({ readonly type: 'model_asked' } & ModelFence)
  /** Resumes an interrupted run. A parent names the task, and the run that it means. */
  | {
      readonly type: 'resume';
      readonly token: string;
      readonly runId: string;
      readonly message?: NewMessage;
      readonly mail?: readonly Mail[];
      readonly task?: TaskKey;
      readonly actor?: string;
      readonly traceparent?: string;
    }
  /** The parent tells the task that is at work something. */
  | { readonly type: 'mail'; readonly token: string; readonly task: TaskKey; readonly mail: readonly Mail[] }
  /** What a child was told cannot be given to it. */
  | {
      readonly type: 'mail_refused';
      readonly token: string;
      readonly childId: number;
      readonly number: number;
      readonly why: string;
    }
  /** A child cannot be reached, for that reason; without one it is reached again. */
  | { readonly type: 'child_reach'; readonly task: TaskKey; readonly why?: string }
  /** A child has taken what it was told, up to that number. */
  | { readonly type: 'mail_taken'; readonly childId: number; readonly upTo: number }
  /** Retries a failed run. */
  | {
      readonly type: 'retry';
      readonly token: string;
      readonly runId: string;
      readonly message?: NewMessage;
      readonly actor?: string;
      readonly traceparent?: string;
    }
  | {
      readonly type: 'answer';
      readonly token: string;
      readonly callId: string;
      readonly answer: PersonsAnswer;
      readonly actor?: string;
      /** The step of the call, where it is not the current one. */
      readonly past?: RepliedStep;
      /** The files that it names which go with the end of the session, where it is to end that. */
      readonly files?: KnownFiles;
    }
  /** The time of some answers may be up. */
  | { readonly type: 'expire'; readonly token: string }
  | {
      readonly type: 'hook_done';
      readonly token: string;
      readonly id: string;
      readonly epoch: number;
      /** How its body failed. */
      readonly error?: Failure;
      /** The run fails with it. */
      readonly failsRun?: true;
      /** What it gave in place of the message that it speaks of. */
      readonly changes?: MessageChanges;
      /** What its body recorded as spent. */
      readonly usage?: Usage;
    }
  /** A hook failed that is not owed: it was asked by a body, or for a request. */
  | ({
      readonly type: 'hook_broke';
      readonly by: string;
      readonly epoch: number;
      readonly error: Failure;
    } & Pick<HookFailure, 'hook' | 'hookId' | 'callId' | 'about'>)
  /** The hooks of the result that a sub-agent gave for a call are about to run. */
  | { readonly type: 'result_hooks'; readonly by: string; readonly epoch: number }
  | {
      readonly type: 'stop_when_said';
      readonly token: string;
      readonly id: string;
      readonly epoch: number;
      /** Whether the run ends with its step. */
      readonly stops: boolean;
      /** Why there is no answer. */
      readonly error?: Failure;
    }
  /** What was spent by work that nobody waits for any more. */
  | { readonly type: 'spent_late'; readonly usage: Usage }
  | {
      readonly type: 'tool_settled';
      readonly token: string;
      readonly callId: string;
      readonly epoch: number;
      readonly result: CallResult;
      readonly startedAt: number;
      readonly usage?: Usage;
      /** A stop cut off the body, or the hooks of its result: that is withheld then. */
      readonly cut?: 'body' | 'hooks';
      /** The body did not begin. */
      readonly unrun?: true;
      /** The files that the call names which go with the end of the session, where it is to end that. */
      readonly files?: KnownFiles;
    }
  | {
      readonly type: 'child_settled';
      readonly token: string;
      readonly task: TaskKey;
      readonly outcome: Outcome;
      readonly usage: Usage;
      /** The child's run that ended; missing where the child is gone or never began. */
      readonly runId?: string;
      /** That run never began. */
      readonly unbegun?: true;
      /** What the child had done, where it did not complete. */
      readonly done?: JsonObject;
      /** Its result for the call that holds it, with what it had done, as hooks made it. */
      readonly result?: CallResult;
      /** How far it has come with what it was told. */
      readonly mail?: MailFacts;
      /** The files that came with it. */
      readonly brought?: Brought;
    }
  /** Ends that came together: those that are refused change nothing, and the run continues after the last one. */
  | {
      readonly type: 'children_settled';
      readonly token: string;
      readonly ends: readonly Extract<AgentEvent, { type: 'child_settled' }>[];
    }
  | {
      readonly type: 'child_stop';
      readonly token: string;
      readonly task: TaskKey;
      readonly error: Failure;
      /** `abort` by default. */
      readonly verb?: StopVerb;
    }
  /** A child that rests was ended for good, or deleted (`error`), by somebody else; `atRest` is its record. */
  | {
      readonly type: 'child_gone';
      readonly token: string;
      readonly task: TaskKey;
      readonly error: Failure;
      readonly atRest?: Child;
    }
  /** A child's run waits for a person, or goes on again; `says` is its last word on how far it is. */
  | {
      readonly type: 'child_waits';
      readonly token: string;
      readonly task: TaskKey;
      readonly runId: string;
      readonly waits: boolean;
      readonly says?: string;
    }
  /** A person tells a child something that is not at work: it is its next task, or it goes on with that. */
  | ({
      readonly type: 'child_message';
      readonly token: string;
      readonly children: KnownChildren;
      readonly message: NewMessage;
    } & Pick<AskedMessage, 'name' | 'by'>)
  /** The variables are there that a child waited for; `variables` are sealed, by name. */
  | {
      readonly type: 'child_deferred';
      readonly token: string;
      readonly children: KnownChildren;
      readonly disabled?: readonly string[];
      readonly request: VariableRequest;
      readonly variables: { readonly [name: string]: string };
    }
  /** Code of the agent queues a message for it (`by` its body), or a child of it does. */
  | {
      readonly type: 'thread_message';
      readonly token: string;
      readonly message: NewMessage;
      /** Files of the agent that the message names, and what is known of them. */
      readonly files?: { readonly paths: readonly string[]; readonly known: KnownFiles };
      readonly by?: string;
      readonly epoch?: number;
    }
  /** Somebody takes back what a caller has sent. `delivered`: the session has a message of that id that waits for no step. */
  | { readonly type: 'cancel_message'; readonly messageId: string; readonly delivered: boolean }
  /** The same of what a caller has sent to a child, as long as the child has not been given it. */
  | { readonly type: 'cancel_mail'; readonly name: string; readonly messageId: string }
  /**
   * Code of the agent changes a message of its session, which is as it was read where it waits for no step. Without an
   * `epoch`, here and below, the code of an agent above does it.
   */
  | {
      readonly type: 'thread_updates';
      readonly token: string;
      readonly by: string;
      readonly epoch?: number;
      readonly message: InboundMessage;
      readonly changes: MessageChanges;
    }
  /** Code of the agent tells a child something, by its reference. */
  | {
      readonly type: 'thread_tells';
      readonly token: string;
      /** Files of the agent that go along, of which none may be larger. */
      readonly files?: { readonly paths: readonly string[]; readonly maxBytes: number };
      readonly by: string;
      readonly epoch?: number;
      readonly reference: string;
      readonly message: NewMessage;
      readonly children: KnownChildren;
      readonly disabled?: readonly string[];
    }
  /** Code of the agent ends a child for good. */
  | {
      readonly type: 'thread_ends';
      readonly token: string;
      readonly by: string;
      readonly epoch?: number;
      readonly reference: string;
      readonly children: KnownChildren;
    }
  /** A child that was interrupted is to go on. */
  | { readonly type: 'child_resume'; readonly token: string; readonly task: TaskKey }
  /** A person has decided about a child that failed and is waited for. */
  | {
      readonly type: 'child_decided';
      readonly token: string;
      readonly task: TaskKey;
      readonly decision: 'retry' | 'give_up';
      /** For the child, with its retry. */
      readonly message?: NewMessage;
    }
  /** A child is started anew in its place, in the next generation of its slot (decision 18). */
  | { readonly type: 'child_respawn'; readonly token: string; readonly task: TaskKey }
  | {
      readonly type: 'custom_changed';
      /** The call or the hook whose body does it. */
      readonly by: string;
      readonly epoch: number;
      readonly custom: Json;
      readonly patch: readonly Json[];
    }
  | {
      readonly type: 'emitted';
      readonly by: string;
      readonly epoch: number;
      readonly chunk: Extract<ChunkBody, { type: 'custom' | 'subagent_status' }>;
    }
  /** An event of a capability, which that alone understands. With a `token` the step continues after it. */
  | {
      readonly type: 'capability';
      readonly capability: string;
      readonly event: CapabilityEvent;
      readonly token?: string;
    }
  | {
      readonly type: 'stop';
      readonly token: string;
      readonly verb: StopVerb;
      readonly reason: string;
      readonly runId?: string;
      /** It is for what one start began, and for nothing else (A101). */
      readonly ofStart?: OfStart;
      /** What the run fails with, where it is a cause of its own. */
      readonly error?: Failure;
      /** The parent asks, and means the run `runId` of this task also where it has not begun yet. */
      readonly task?: TaskKey;
      /** Came with that run, for where it has not begun. */
      readonly message?: NewMessage;
      /** What the task is, for where that has not begun: its arguments, or what the parent has told. */
      readonly input?: Json;
      readonly mail?: readonly Mail[];
    }
  | { readonly type: 'outcome_acknowledged'; readonly runId: string }
  /** The parent knows whether the run waits for a person, and the word of that number. */
  | { readonly type: 'wait_acknowledged'; readonly runId: string; readonly waits: boolean; readonly word?: number }
  /** `cause`: what failed, where that is why. */
  | { readonly type: 'recover'; readonly token: string; readonly reason: string; readonly cause?: string }
);

/** What an object is created with: everything of its session but the time. */
export type NewSession = Omit<Session, 'createdAt'>;
