import { $ as ConcurrentStartRule, At as ModelReply, Bt as AnyHookName, Ft as ToolSpec, G as AgentDefinition, It as Budget, J as AnyTool, Mn as MessageChanges, Nt as ReplyCall, Ot as ModelDelta, Rt as Limits, X as ChildWorkspace, at as ParentSuspendRule, ct as Relationship, en as HookName, ft as Side, gt as WorkspaceOptions, jn as HookedMessage, kn as SubagentRegistryEntry, kt as ModelPort } from "./index.js";
import { v as TreeShown } from "./client.js";
import { a as Chunk, g as JsonObject, h as JsonLike, l as SequencedChunk, m as Json, s as ChunkBody } from "./chunks.js";
import { C as TextPart, M as Failure, S as ReasoningPart, b as Message, d as Usage, h as CallResult, i as SessionStatus, j as ErrorCode, p as SideName, v as FilePart, x as MessageRole } from "./status.js";
import { N as AnswerKind } from "./reduce.js";
import "./remote-transport.js";
import { n as Action } from "./actions.js";
import * as z$1 from "zod";
/** A file that goes with a message or an end, as whoever gets it has it. */
interface Enclosure {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** SHA-256 of the content, in hex. */
  readonly etag: string;
}
/** What the files of an agent are that somebody asked about, by path. */
type KnownFiles = {
  readonly [path: string]: Omit<Enclosure, 'path'>;
};
/** What came with the end of a task: files, or why they could not be brought. */
type Brought = {
  readonly files: readonly Enclosure[];
} | {
  readonly failed: string;
};
/** A message that arrived, in order of arrival. */
interface InboundMessage {
  /** From 1, over the whole session; order of delivery. */
  readonly id: number;
  readonly messageId: string;
  readonly role: MessageRole;
  readonly content: string | readonly (TextPart | FilePart)[];
  /** Who sent it: `caller`, `parent`, a child, the agent's own code (`agent`), or `offshoot` for what the framework adds. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly at: number;
  readonly metadata?: Json;
  /** The side that it is for, where the agent has two; the first by default. */
  readonly to?: SideName;
  /** It begins a turn of a root at rest (CO9). */
  readonly wakes?: true;
  /** It is for the model, not for a person who reads along. */
  readonly silent?: true;
  /** Files that came with it. */
  readonly files?: readonly Enclosure[];
  /** How many of the hooks that it passes before a step sees it have ended; none where this is missing. */
  readonly hooked?: number;
}
/** What a parent tells its child: numbered over the life of the child, so that each is taken once (CO4). */
interface Mail {
  /** From 1. */
  readonly number: number;
  readonly message: NewMessage;
  /** The call that wrote it. */
  readonly callId: string;
}
/** What is told with the end of a run of what it was told. */
interface MailFacts {
  /** The number of the last message that was taken; 0 before the first. */
  readonly taken: number;
  /** How many messages no step has seen. */
  readonly unseen: number;
}
/** A message on its way in; its id and time are set when it is accepted. */
type NewMessage = Pick<InboundMessage, 'messageId' | 'role' | 'content' | 'from' | 'metadata' | 'to' | 'wakes' | 'silent' | 'files'>;
/** Where a child lives, and how its parent finds it there. */
type Placement =
/** In its parent's object. `segment`: what its address calls it below the parent, a slot with its generation, or a name. */
{
  readonly via: 'facet';
  readonly className: string;
  readonly segment: string;
} |
/** In an object of its own, which is found by the child's session; `segment` as for a facet. */
{
  readonly via: 'object';
  readonly className: string;
  readonly segment: string;
} |
/** Elsewhere: the root of another tree. `way`: whose transport leads there, the name of a tool or of a companion's agent. */
{
  readonly via: 'remote';
  readonly className: string;
  readonly segment: string;
  readonly way: string;
};
/** A way to place a child. */
type Via = Placement['via'];
/** How a run is stopped: softly and resumable, hard, or together with its session. A later verb is stronger (SP7). */
declare const STOP_VERBS: readonly ['interrupt', 'abort', 'terminate'];
/** One of them. */
type StopVerb = (typeof STOP_VERBS)[number];
/** Which task of which child: what everything that is said of a child is fenced by. */
interface TaskKey {
  /** From 1, over the session of the parent. */
  readonly childId: number;
  /** From 1, over the life of the child. One that is started anew has the next. */
  readonly task: number;
}
/** Where a copy comes from, as its parent knows it. */
interface CopySource {
  readonly sessionId: string;
  readonly address: string;
  readonly placement: Placement;
  /** The run of that session that was meant last. */
  readonly runNumber: number;
  /** It perhaps has not begun: then there is no memory, and the copy has none. */
  readonly mayBeNew?: true;
  /** The copy remembers nothing after that step. */
  readonly upTo?: number;
}
/** Who asked for something, and in which trace (W3C). */
interface AskedBy {
  readonly actor: string;
  readonly traceparent?: string;
}
/** Whom a child may read while its task is open: its parent, and children of that by their names. */
interface Readable {
  readonly parent?: true;
  readonly names: readonly string[];
}
/** What a child was asked to do: the task that is open, or the last one. */
interface Task {
  readonly number: number;
  /** The call that began it, and its step. */
  readonly callId: string;
  readonly stepId: number;
  /** Whether that call holds it. Who else awaits it is said by the calls. */
  readonly await: Relationship['await'];
  readonly deliver: Relationship['deliver'];
  /** The run of the child's session that it begins with: later ones go on with it. */
  readonly firstRun: number;
  /** The arguments, where no step keeps them until the child has them. */
  readonly input?: Json;
  /** Who asked for it, and in which trace, where that was a person; else it is asked for as its parent's run is. */
  readonly by?: AskedBy;
  /** It is what the child is told: there are no arguments. */
  readonly told?: true;
  /** Whom it reads meanwhile. */
  readonly reads?: Readable;
  /** Its session begins as a copy of that one. Of a first task alone. */
  readonly copyOf?: CopySource;
}
/** Why a child stands still: somebody has stopped it, or its parent waits for a person. */
type StillCause = 'stop' | 'parent_suspended';
/** How a child stands as far as its parent knows. A `message` came with a retry, and goes to the child with the run that begins next. */
type ChildState = {
  readonly is: 'working';
  readonly message?: NewMessage;
} |
/** Its run waits for a person. */
{
  readonly is: 'waiting';
} | {
  readonly is: 'stopping';
  readonly verb: StopVerb;
  readonly error: Failure;
  /** For its parent's wait, or by whoever stopped it; missing in rows of earlier releases. Read by `stopCauseOf`. */
  readonly cause?: StillCause;
  readonly message?: NewMessage;
  /** It was told something since: once it has stopped it goes on with that. */
  readonly goesOn?: true;
} |
/** It goes on from its ledger. `parent_suspended`: it was interrupted by its parent, until that goes on. */
{
  readonly is: 'interrupted';
  readonly cause: StillCause;
  /** What it had spent on its task by then. */
  readonly usage?: Usage;
  readonly message?: NewMessage;
} |
/** It failed, and a person decides: it tries again, or this is the end of its task. */
{
  readonly is: 'failed';
  readonly error: Failure;
  readonly usage?: Usage;
} |
/**
 * It is started anew: it was failed because its parent suspended, until that goes on; or (`fresh`) its name was given a
 * task after its last session had failed, which nobody has yet.
 */
{
  readonly is: 'respawning';
  readonly usage?: Usage;
  readonly fresh?: true;
} |
/**
 * Its task has ended. Only of a child that outlives its task, or of one that its call did not hold. `gone`: with its
 * store. `session`: how its own run ended, where it told so.
 */
{
  readonly is: 'ended';
  readonly result: CallResult;
  readonly gone?: true;
  readonly session?: 'completed' | 'failed' | 'interrupted' | 'terminated';
  /** The id of the message that told of it. */
  readonly notice?: string;
  /** How many messages to it were seen by no step. */
  readonly unread?: number;
  /** The files that came with it. */
  readonly brought?: Brought;
};
/** What the registry of a parent keeps of a child by a `SubagentEntry`, set when it is made. */
interface Registered {
  /** Its stable address for its parent's model: a UUID, and the name of one that stays. */
  readonly reference: string;
  /** The prompt whose entry it was made by. */
  readonly prompt: string;
  readonly title?: string;
  readonly description: string;
  readonly resumable: boolean;
  /** The side of it that messages of its parent are for, where that is said. */
  readonly receives?: SideName;
  readonly blocking: boolean;
  /** What its parent's model called it. */
  readonly threadName?: string;
  /** The step whose calls made it; missing where no call did. */
  readonly spawnGroupId?: string;
  /** In ms since 1970. */
  readonly createdAt: number;
  /** Its parent has ended it for good: whatever it says afterwards does not change that. */
  readonly terminated?: true;
  /** When that was, or when its parent heard that somebody else did so, in ms since 1970. */
  readonly terminatedAt?: number;
}
/** A child. */
interface Child {
  /** From 1, over the session of its parent. */
  readonly childId: number;
  readonly sessionId: string;
  readonly agentType: string;
  readonly address: string;
  readonly lifetime: Relationship['lifetime'];
  /** What its parent calls it; unique among the children of the parent that have names. */
  readonly name?: string;
  /** Only of one by a `SubagentEntry`. */
  readonly registered?: Registered;
  /** Values of variables that its session begins with, sealed, by name: for its whole child graph. */
  readonly variables?: {
    readonly [name: string]: string;
  };
  readonly placement: Placement;
  /** For a task, in ms. */
  readonly timeoutMs: number;
  readonly onParentSuspend: ParentSuspendRule;
  readonly onFailure: Relationship['onFailure'];
  /** Only where it begins a turn. */
  readonly onIdle?: 'wake';
  readonly budget?: Budget;
  /** Which files its session works on, fixed when that begins; missing where they are its own. */
  readonly workspace?: Exclude<ChildWorkspace, 'session'>;
  /** Its session may hand files over with the end of a task; fixed when that begins. */
  readonly gives?: true;
  /** Its session has the tool to read others; fixed when that begins. */
  readonly mayRead?: true;
  /** Calls that end its session may name files that come with that. */
  readonly brings?: true;
  /** It goes with that run of its parent (its `chainTurn`); missing where it is kept with the tree. */
  readonly ofRun?: number;
  readonly task: Task;
  /** Its session has begun: that is known from an end of its own, or because it came along with a copy. */
  readonly begun?: true;
  /** Which run of its session is meant: raised by each further task, resume and retry. */
  readonly runNumber: number;
  /** What its parent has told it, in order, and it has not taken yet. */
  readonly mail?: readonly Mail[];
  /** The number of the last one. */
  readonly lastMail?: number;
  /** Of one that may be started anew: what it has taken of them, which its next session has to be told again. */
  readonly mailTaken?: number;
  /** The request that made it, where a person asked for it: one that comes again makes no second. */
  readonly asked?: string;
  /** What its session had spent by the end of the task before, where there was one. */
  readonly spentBefore?: Usage;
  readonly state: ChildState;
}
/** Messages that arrived, by their ids: after one, up to and with another. */
interface MessageRange {
  readonly after: number;
  readonly upTo: number;
}
/** Who made a summary. */
type SummaryBy = 'digest' | 'model' | 'function';
/** A compaction, as it is kept with the step before whose request it was made. It holds until the next one. */
interface Compaction {
  /** From 1, over the whole session. */
  readonly number: number;
  /** The steps and messages that a request leaves out: those up to here. 0 where it leaves out none. */
  readonly upToStep: number;
  readonly upToMessage: number;
  /** The first step that it newly leaves out; none where it cuts alone. */
  readonly fromStep?: number;
  /** What stands in their place; empty where it leaves out none. */
  readonly summary: string;
  readonly by: SummaryBy;
  /** Messages of these that stay: they began the turn that goes on. */
  readonly pinned?: MessageRange;
  /** What stays of older steps and of messages up to that one has parts of so many bytes at most. */
  readonly cut?: {
    readonly bytes: number;
    readonly upToMessage: number;
  };
  /** The estimate of tokens went by this. */
  readonly tokensPerByte: number;
  /** The request before and after, by the estimate. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly startedAt: number;
  readonly at: number;
  /** What making the summary cost. */
  readonly usage?: Usage;
  /** Why the digest stands there in place of what the definition asks for. */
  readonly error?: Failure;
}
/** What a step added to the transcript: what it was the first to see, then its reply with the results. */
interface Section {
  readonly arrived: readonly Message[];
  readonly said: readonly Message[];
  /** The step; none for what the request to come is the first to see. */
  readonly stepId?: number;
  readonly messagesUpTo: number;
  /** Where it begins a turn: the messages that do. */
  readonly opens?: MessageRange;
}
/** A transcript as far as a request may hold it, before the next one. */
interface ContextNow {
  /** The compaction that holds. */
  readonly last?: Compaction;
  readonly pinned: readonly Message[];
  /** What is not left out yet; the last one is what no step has seen. */
  readonly sections: readonly Section[];
  /** The request as it would be, by the estimate. */
  readonly tokens: number;
  /** The messages of it, and its system prompt and tools. */
  readonly bytes: number;
  readonly fixedBytes: number;
  /** What a request of other messages is estimated by. */
  readonly tokensPerByte: number;
}
/** Collects what one event changes. Machines write through it; nobody outside sees it half done. */
declare class Draft {
  #private;
  state: AgentState;
  /** Set where what a person sent is kept too late to be a result: why. */
  late: Failure | undefined;
  /** Set where a scheduled effect is given up: why. */
  givenUp: Failure | undefined;
  constructor(state: AgentState);
  put(change: Change): void;
  /** Adds a chunk of the current step, or of the given one. */
  emit(body: ChunkBody, at?: {
    number: number;
    attempt: number;
  }): void;
  /** Says what becomes of a file. */
  moveFile(move: FileMove): void;
  setSession(session: Session): void;
  setRun(run: Run): void;
  setStep(step: Step): void;
  /** Replaces a call of the current step; `persist` says whether its step's row must be written again. */
  setCall(step: RepliedStep, call: Call, persist: boolean): RepliedStep;
  /** Says how an open call stands: one small row, not that of the whole step. */
  setCallState(step: RepliedStep, call: Call, state: Pick<Call, 'state' | 'answer'>): RepliedStep;
  /** A new call of a step that is being committed, which stands so. */
  callWithState(step: Pick<Step, 'id'>, call: Call, state: ToolCallState): Call;
  /** A child as it stands now. `reuses`: it takes a slot that another one had. */
  setChild(child: Child, reuses?: boolean): void;
  /** A child as this draft has written it; undefined where it has not. */
  written(childId: number): Child | undefined;
  /** A child has no open task any more: `children` holds open tasks alone, and its row stays as it was written last. */
  dropFromOpen(childId: number): void;
  settle(step: RepliedStep, call: Call, settlement: Settlement): RepliedStep;
  queue(start: QueuedStart): void;
  /** A start that waits, in its place, as it is now. */
  setQueued(start: QueuedStart): void;
  unqueue(start: QueuedStart): void;
  /** An effect as it is scheduled now. */
  setErrand(errand: Errand): void;
  dropErrand({ id }: Errand): void;
  addMessage(message: InboundMessage): void;
  /** A message as it is from here on, whether a step has seen it or not. */
  setMessage(message: InboundMessage): void;
  /** Takes back a message that no step has seen yet; nothing where one has. */
  dropMessage(messageId: string): void;
  spend(usage: Usage): void;
  done(): Applied;
}
/** The sides of an agent, and how many turns its sessions have. */
interface SidesRules {
  readonly of: Readonly<Record<SideName, Side>>;
  readonly maxTurns?: number;
}
/** A child that is in the registry. */
type RegisteredChild = Child & {
  readonly registered: Registered;
};
/** The rules of one agent. */
interface Rules {
  readonly limits: Limits;
  /** The tools that the agent must end with; none where its text is its output. */
  readonly finishTools: readonly string[];
  /** The tools of the framework that the agent is offered beside its own. */
  readonly builtIns: readonly BoundTool[];
  /** Those of them that are performed like its own, and those whose calls children by a `SubagentEntry` work on. */
  readonly performed: readonly AnyTool[];
  /** What a start does while a run goes on. */
  readonly onConcurrentStart: ConcurrentStartRule;
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
interface BuiltInTool {
  /** Of those that `defineTool` refuses, so that no tool of an author has it. */
  readonly name: string;
  /** What it is to an agent; undefined for one that does not have it. Asked once for each definition and trait. Pure. */
  of(definition: AgentDefinition, session: SessionTraits): OfferedTool | PerformedTool | undefined;
}
/** What a session may do by what its parent says, or by who has worked for it, whatever its definition. */
interface SessionTraits extends Pick<Session, 'givesFiles' | 'mayRead'> {
  /** It was handed to this definition. */
  readonly handed?: true;
  /** Another agent that works for it may have sub-agents, and some that stay. */
  readonly inherits?: {
    readonly any: boolean;
    readonly lasting: boolean;
  };
}
/** Such a tool whose body is the engine's. */
interface PerformedTool extends Pick<AnyTool, 'description' | 'inputSchema' | 'replay' | 'requireApproval'> {
  readonly performed: true;
}
/** Such a tool that the core works out, as one agent has it. All its functions must be pure and not throw. */
interface OfferedTool {
  readonly description: string;
  /** Whether it ends the run; then it is no use to an agent whose text is its output. */
  readonly endsRun: boolean;
  /** What its arguments must fit, and what is made of them. */
  readonly inputSchema: z$1.ZodType;
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
  tell?(ended: readonly EndedTask[], rest: {
    readonly open: readonly Child[];
    readonly input: Json;
  }): CallResult;
}
/** Which children with names a call has to know, and which of the agent's own files. */
interface NeededChildren {
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
type BoundTool = OfferedTool & Pick<BuiltInTool, 'name'>;
/** A call of such a tool. */
interface BuiltInCall {
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
type BuiltInPlan = Extract<CallPlan, {
  kind: 'immediate' | 'refused';
}> | Omit<Extract<PlannedCall, {
  kind: 'child';
}>, 'providerId' | 'name'> | ({
  readonly kind: 'wait';
} & Awaits);
/** How a step failed, and how many in a row have by now. */
interface SameFailure {
  /** A hash: the arguments of a call may be long. */
  readonly key: string;
  readonly count: number;
}
/** Where a tree's root is: its class and its name. */
interface RootLocation {
  readonly className: string;
  readonly name: string;
}
/** Where a root is counted: with whom, and under which key. */
interface RootClaim {
  readonly caller: string;
  readonly key: string;
}
/** Who a child works for. */
interface ParentLink {
  readonly sessionId: string;
  readonly address: string;
}
/** The files that a session works on, where they are not its own for as long as it lives. */
type SessionWorkspace =
/** Its own, which are removed when a further task begins. */
{
  readonly is: 'per-invocation';
} |
/** Those of a session above it, under the rules of that one's workspace. */
{
  readonly is: 'inherited';
  readonly owner: ParentLink;
  readonly rules: WorkspaceOptions;
};
/** What a session is, set when it is created. Only its names (`displayName`, `tags`, `metadata`) may change, with a start. */
interface Session {
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
  /** It may hand files over with the end of a task. */
  readonly givesFiles?: true;
  /** Its tasks may name others that it reads. */
  readonly mayRead?: true;
  readonly createdAt: number;
  readonly displayName?: string;
  readonly tags: readonly string[];
  readonly metadata?: Json;
  /** Where a root is counted, if new roots are limited. */
  readonly claim?: RootClaim;
  /** The session that this one began as a copy of, and its address. */
  readonly copyOf?: {
    readonly sessionId: string;
    readonly address: string;
    readonly mayBeNew?: true;
    /** The step after which it was cut. */
    readonly upTo?: number;
  };
  /** The agent that it was handed to; its own (`agentType`) where this is missing. */
  readonly active?: string;
  /** The prompts whose immediate sub-agents were begun, since it was handed over last. */
  readonly activated?: readonly string[];
  /** The step in which the custom state changed last; missing where it never did. */
  readonly customStep?: number;
  /** Set when the session was ended for good. */
  readonly terminated?: {
    readonly at: number;
    readonly reason: string;
  };
}
/** The custom state as it was before the first change of a step. */
interface CustomBefore {
  readonly step: number;
  readonly custom: Json;
  /** The step of the change before that one; 0 where there was none. */
  readonly changed: number;
}
/** What a session is called; what is missing stays as it is. */
type SessionNames = Partial<Pick<Session, 'displayName' | 'tags' | 'metadata'>>;
/** How a run ended. */
type Outcome = {
  readonly status: 'completed';
  readonly output: Json;
  readonly completionReason: 'finish' | 'finish_with' | 'text' | 'stop_when' | 'session_stop' | 'session_turns';
} | {
  readonly status: 'failed';
  readonly error: Failure;
  readonly failureReason?: string;
} |
/** `superseded`: a newer start took its place. */
{
  readonly status: 'interrupted';
  readonly reason: string;
  readonly superseded?: true;
} | {
  readonly status: 'terminated';
  readonly reason: string;
};
/** A committed stop of one run. */
interface StopRecord {
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
type OwedHookName = HookName | 'after_thread_created' | 'after_subagent_created' | 'before_create_message' | 'after_create_message' | 'after_update_message';
/** A hook that is owed: it is run before the run goes on. Its id is the same however often it is tried. */
interface OwedHook {
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
interface OwedStopWhen {
  readonly id: string;
  readonly hook: 'stopWhen';
  readonly callId?: never;
  readonly messageId?: never;
}
/** Whose turn it is. */
interface ActingSide {
  readonly acting: SideName;
  /** Turns of the session that have ended, of both sides. */
  readonly turns: number;
  /** Steps of the turn that goes on. */
  readonly steps: number;
  /** The last text that a turn ended with, where the session may end with it. */
  readonly said?: string;
}
/** A hook that threw or took too long. */
interface HookFailure {
  readonly hook: AnyHookName;
  readonly hookId?: string;
  readonly callId?: string;
  /** What a hook spoke of that no run owed, which may be asked again about it. */
  readonly about?: string;
  readonly at: number;
  readonly error: Failure;
}
/** What a run with hooks keeps about them. */
interface HookState {
  /** In the order in which they are run. */
  readonly owed: readonly (OwedHook | OwedStopWhen)[];
  /** The step that `stopWhen` was asked about last, and what it said; a failure where it gave no answer. */
  readonly asked?: {
    readonly step: number;
    readonly said: boolean | Failure;
  };
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
  /** The run that this one goes on with, or tries again. */
  readonly resumedFrom?: string;
  /** Who asked for it, as the access check named them. */
  readonly actor?: string;
  /** The trace that it belongs to (W3C), where who asked for it named one. */
  readonly traceparent?: string;
  /** What the parent is told the end of: the run may be one of several for the same task. */
  readonly task?: TaskKey;
  /** The turn that its chain began with: a resumed run belongs to the chain of the run that it goes on with. */
  readonly chainTurn: number;
  /** The turn that its conversation began with, where it tries a failed run again; that of its chain by default. */
  readonly askedTurn?: number;
  /** The run of that turn. */
  readonly chainRunId: string;
  /** What the session had spent before that. */
  readonly usageAtChainStart: Usage;
  /** The same before this run, where it goes on with another one; not told by releases that did not keep it. */
  readonly usageAtStart?: Usage;
  /** The last message that a step of an older turn has seen: what came next asked for its chain, or for what it tries again. */
  readonly askedAfter?: number;
  /** The number of the last message of the parent that its session has taken; missing before the first (CO4). */
  readonly mailTaken?: number;
  /** Files of its own that go with its end. */
  readonly gives?: readonly GivenFile[];
  /** The call that ended it, where files go along that this one named. */
  readonly endsBy?: string;
  /** The step that was shown as committed while the run had still to wait: for a hook, or to be resumed. */
  readonly committedStep?: number;
  /** The step that was closed when the next one had to wait: for the sub-agents that begin with its prompt, or for hooks. */
  readonly deferredAfter?: number;
  /** The step that was closed, and whose call handed the session over: the next is of that agent. */
  readonly handedAfter?: number;
  /** Whose turn it is, where the agent has two sides; missing before the first step. */
  readonly sides?: ActingSide;
  /** The children that were made after it had ended: the hooks of the next run are told of them. */
  readonly madeSince?: readonly Pick<OwedHook, 'callId' | 'child'>[];
}
/** What the parent has acknowledged of a run last: that it works, or waits. `undelivered`: it has changed since. */
type KnownToParent = 'working' | 'waiting' | 'undelivered';
/** One execution. */
type Run = (RunBase & {
  readonly phase: 'active';
  readonly stop?: StopRecord;
  /** With a task: what its parent knows of whether the run waits for a person. */
  readonly knownToParent?: KnownToParent;
  readonly hooks?: HookState;
}) | (RunBase & {
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
/** Until when a person may answer, in ms since 1970; as long as it takes where it is missing. */
interface Deadline {
  readonly expiresAt?: number;
}
/** A task that a call began. How the child is called stays here when its record is gone. */
interface BegunTask extends TaskKey {
  readonly agentType: string;
  readonly sessionId: string;
  readonly address: string;
}
/** A task that a call awaits. `message`: the end of the one that has seen this message is meant (CO4). */
interface AwaitedTask extends TaskKey {
  readonly message?: number;
}
/** What a call waits for: so many of these tasks must end, whichever call began them. */
interface Awaits {
  /** Each once; none where the call waits for nothing. */
  readonly tasks: readonly AwaitedTask[];
  /** All of them, one, or a number between; 0 where there are none. */
  readonly need: number;
  /** When the call goes on with what has ended by then, in ms since 1970; as late as it takes where it is missing. */
  readonly until?: number;
  /** What becomes of the others once as many have ended as it needs: they work on where this is missing. */
  readonly others?: 'stop';
}
/** A file that goes with the end of a run; where a call named it that was to end the run (`by`), with that end alone. */
interface GivenFile extends Enclosure {
  readonly by?: string;
}
/** A task that a call awaits, which has ended. */
interface EndedTask extends TaskKey {
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
interface ShownArguments {
  /** SHA-256 of the arguments (JSON with its keys in order), in hex. */
  readonly inputHash: string;
}
/** How a call is worked on; decided once, when the reply is committed. */
type CallPlan = {
  readonly kind: 'tool';
  readonly replay: 'never' | 'safe';
  readonly finishWith: boolean;
  readonly timeoutMs: number;
  /** A person must agree first. */
  readonly approval?: Deadline & ShownArguments;
} |
/** The client gives the result. */
({
  readonly kind: 'client';
} & Deadline) |
/** Children work on it: it began a task, awaits tasks, or both. */
{
  readonly kind: 'task';
  readonly began?: BegunTask;
  readonly awaits: Awaits;
} |
/**
 * It has its result at once. `ends`: the run ends with this output once its siblings have their results. `handsOver`: the
 * session goes on with another agent then; `from` is the one before it, missing where that is the session's own.
 */
{
  readonly kind: 'immediate';
  readonly result: CallResult;
  readonly ends?: {
    readonly output: Json;
  };
  readonly handsOver?: {
    readonly from?: string;
  };
} | {
  readonly kind: 'refused';
  readonly error: Failure;
};
/** The one result that a call has, once it is settled. */
interface Settlement {
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
interface AnswerRecord {
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
type ToolCallState =
/** A tool's body was cut off by an interrupt, and may be run again. */
{
  readonly is: 'cut_off';
} |
/** A client's tool whose time is up; its answer is taken as long as no model has seen the failure. */
{
  readonly is: 'expired';
} |
/** Some of the tasks that it awaits have ended, fewer than it needs. */
{
  readonly is: 'awaiting';
  readonly ended: readonly EndedTask[];
};
/** One tool call of a step. */
interface Call {
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
/** A committed reply: its parts in order, each call by its index. */
type ReplyPart = TextPart | ReasoningPart | (Omit<ReplyCall, 'input' | 'malformed'> & {
  readonly index: number;
});
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
  /** Attempts that failed, in order. */
  readonly failures: readonly Failure[];
  /** Hooks that failed, in order: the first 20. */
  readonly hookFailures?: readonly HookFailure[];
  /** What the session has spent when this step was committed last. */
  readonly spent: Usage;
  /** What its request leaves out, where that was decided for it; else `compactedAt` is the step that it was decided for. */
  readonly compaction?: Compaction;
  readonly compactedAt?: number;
  /** How the steps before it failed, where they did so in the same way. */
  readonly sameFailure?: SameFailure;
}
/** One model call and everything that it asked for. */
type Step = (StepBase & {
  readonly phase: 'model';
  readonly notBefore: number;
}) | (StepBase & {
  readonly phase: 'calls';
  readonly reply: readonly ReplyPart[];
  readonly model: string;
  /** The provider's id of the reply, where it gave one. */
  readonly responseId?: string;
  readonly finishReason: ModelReply['finishReason'];
  /** What people are told of its request. */
  readonly notes?: readonly string[];
  readonly usage: Usage;
  readonly repliedAt: number;
  readonly calls: readonly Call[];
});
/** A step whose reply is committed. */
type RepliedStep = Extract<Step, {
  phase: 'calls';
}>;
/** A start that waits until the run before it has ended. */
interface QueuedStart {
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
  readonly stopped?: {
    readonly verb: StopVerb;
    readonly reason: string;
  };
}
/** An effect that an author's code has scheduled, and that is not done. */
interface Errand {
  /** From 1; order of arrival among those that are not done. */
  readonly id: number;
  /** What authors know it by. */
  readonly effectId: string;
  readonly name: string;
  readonly args: Json;
  readonly scheduledAt: number;
  /** When it is to be done, or tried again, in ms since 1970. */
  readonly dueAt: number;
  /** How often it was begun. */
  readonly tries: number;
}
/** Everything that decides what an object does next. */
interface AgentState {
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
  /** Scheduled effects that are not done, in order of arrival. */
  readonly errands: readonly Errand[];
  /** What the session itself has spent, without its children. */
  readonly spent: Usage;
}
/** How long a person may take to answer, in ms; as long as it takes where it is missing. */
interface AnswerTime {
  readonly answerWithinMs?: number;
}
/** An answer to a call that waits for a person, checked against the schemas of its tool. */
type PersonsAnswer = {
  readonly kind: 'client-tool-result';
  readonly result: CallResult;
} | {
  readonly kind: 'approval-response';
  readonly approved: boolean;
  readonly reason?: string;
  /** The arguments that were agreed to, where they were changed. */
  readonly input?: Json;
};
/** What a child by a `SubagentEntry` begins with. */
interface Registering extends Omit<Registered, 'reference' | 'spawnGroupId' | 'createdAt' | 'terminated'> {
  /** What it is told first. */
  readonly first: string;
  /** How many of them there may be by that entry; any number where it is missing. */
  readonly maxInstances?: number;
  /** Files of its parent that go with that, each of at most so many bytes. */
  readonly files?: {
    readonly paths: readonly string[];
    readonly maxBytes: number;
  };
  /** The same once it waits for variables: they are held for it. */
  readonly enclosed?: readonly Enclosure[];
}
/** A call as the definition understands it, before ids and slots are given out. */
type PlannedCall = {
  readonly providerId: string;
  readonly name: string;
  readonly input: Json;
} & ({
  readonly kind: 'tool';
  readonly replay: 'never' | 'safe';
  readonly finishWith: boolean;
  readonly timeoutMs: number;
  /** A person must agree first. */
  readonly approval?: AnswerTime & ShownArguments;
} | ({
  readonly kind: 'client';
} & AnswerTime) | ({
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
  /** The child is made as a copy of that one. */
  readonly copyOf?: CopySource;
  /** The call awaits the end of the task, though it does not hold it. */
  readonly waits?: {
    readonly until?: number;
  };
  /** Whom it reads while the task is open. */
  readonly reads?: Readable;
  /** Calls that end its session may name files that come with that. */
  readonly brings?: true;
  /** It is made by a `SubagentEntry`: what the registry is to keep of it. */
  readonly registers?: Registering;
} & Omit<Relationship, 'child' | 'timeoutMs' | 'nameOf'>) |
/** A tool of the framework; the core works out what it does. `args` is what its schema made of the arguments. */
{
  readonly kind: 'built_in';
  readonly args: Json;
} |
/** The session is to go on with that agent. */
{
  readonly kind: 'handoff';
  readonly to: string;
} | {
  readonly kind: 'refused';
  readonly error: Failure;
});
/** The slots that a class has free in this object, lowest first, and the first number never used. */
interface ClassSlots {
  readonly free: readonly {
    readonly slot: number;
    readonly generation: number;
  }[];
  readonly next: number;
}
/** The children that have names, also those that have left and are about to be removed. */
interface LastingChildren {
  readonly count: number;
  /** What one of them is called that is kept with the tree. */
  readonly example?: string;
  /** Among them those that are kept with a run. */
  readonly ofRun?: readonly Pick<Child, 'name' | 'ofRun'>[];
}
/** What the store knows of the children of this object, for those that a reply asks for. */
interface KnownChildren {
  /** The first id never used. */
  readonly next: number;
  readonly slots: {
    readonly [className: string]: ClassSlots;
  };
  /** Those of the names that are asked for, where there is one that is at rest. */
  readonly named: {
    readonly [name: string]: Child;
  };
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
/** What a person asks for who copies a child. */
interface AskedCopy {
  /** Of the child. */
  readonly name: string;
  readonly newName: string;
  /** The first task of the copy. */
  readonly message: string;
  readonly checkpoint?: string;
  /** Of the request: one that comes again has the same. */
  readonly asked: string;
}
/** What a person tells a child by way of its parent. */
interface AskedMessage {
  /** Of the child. */
  readonly name: string;
  readonly said: Omit<NewMessage, 'messageId'>;
  readonly by: AskedBy;
}
/** What a child graph lacks; names in order. */
interface LackedVariables {
  /** Those that it must have, whether they are there or not. */
  readonly required: readonly string[];
  /** Those of them that are not there. */
  readonly missing: readonly string[];
}
/** The same, for a call that asks for such a child. */
interface Lacking extends LackedVariables {
  /** How many further requests may be kept. */
  readonly room: number;
  /** Those of this agent that wait already. */
  readonly waiting: readonly WaitingPlace[];
}
/** A place among the children of an entry that one has which waits for variables. */
interface WaitingPlace {
  readonly requestId: string;
  /** The prompt of the entry. */
  readonly prompt: string;
}
/** A child that waits for variables. */
interface VariableRequest {
  readonly requestId: string;
  readonly planned: Extract<PlannedCall, {
    kind: 'child';
  }>;
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
interface ModelFence {
  readonly runId: string;
  readonly epoch: number;
  readonly stepId: number;
  readonly attempt: number;
}
/** What a start began; nothing where it has not come. */
interface OfStart {
  readonly runId: string | undefined;
  /** Of that run, where it is known. */
  readonly turn: number | undefined;
}
/** What can happen. `at` is ms since 1970; `token` is fresh randomness for the ids that the event mints. */
type AgentEvent = {
  readonly at: number;
} & ({
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
} | {
  readonly type: 'send';
  readonly token: string;
  readonly runId: string;
  readonly message: NewMessage;
  readonly actor?: string;
  readonly traceparent?: string;
} |
/** What the request of a step leaves out was worked out. */
({
  readonly type: 'context_compacted';
  readonly token: string;
  readonly compaction: Compaction;
} & ModelFence) | ({
  readonly type: 'model_progress';
  readonly deltas: readonly ModelDelta[];
} & ModelFence) | ({
  readonly type: 'model_replied';
  readonly token: string;
  readonly reply: ModelReply;
  /** The last pieces of its stream, not shown yet. */
  readonly deltas: readonly ModelDelta[];
  readonly calls: readonly PlannedCall[];
  readonly children: KnownChildren;
  /** The agents of `SubagentEntry` whose variable says now that there are none of them. */
  readonly disabled?: readonly string[];
  /** What the child graphs of such agents lack of variables, by the name of the agent. */
  readonly lacking?: {
    readonly [agentType: string]: Lacking;
  };
} & ModelFence) |
/** The prompt at work begins, and with it these of its sub-agents; or why they can not. */
{
  readonly type: 'activated';
  readonly token: string;
  readonly runId: string;
  readonly prompt: string;
  readonly begins: readonly Extract<PlannedCall, {
    kind: 'child';
  }>[];
  readonly children: KnownChildren;
  readonly disabled: readonly string[];
  /** What those agents lack of variables. */
  readonly lacking?: {
    readonly [agentType: string]: Lacking;
  };
  readonly refused?: Failure;
} | ({
  readonly type: 'model_failed';
  readonly token: string;
  readonly error: Failure;
} & ModelFence) |
/** A root begins with the memory of another one. */
{
  readonly type: 'copied';
  readonly from: {
    readonly address: string;
    readonly sessionId: string;
  };
  /** The step that it remembers last. */
  readonly upTo?: number;
} |
/** Goes on with an interrupted run. A parent names the task, and the run that it means. */
{
  readonly type: 'resume';
  readonly token: string;
  readonly runId: string;
  readonly message?: NewMessage;
  readonly mail?: readonly Mail[];
  readonly task?: TaskKey;
  readonly actor?: string;
  readonly traceparent?: string;
} |
/** The parent tells the task that is at work something. */
{
  readonly type: 'mail';
  readonly token: string;
  readonly task: TaskKey;
  readonly mail: readonly Mail[];
} |
/** What a child was told cannot be given to it. */
{
  readonly type: 'mail_refused';
  readonly token: string;
  readonly childId: number;
  readonly number: number;
  readonly why: string;
} |
/** A child has taken what it was told, up to that number. */
{
  readonly type: 'mail_taken';
  readonly childId: number;
  readonly upTo: number;
} |
/** Tries a failed run again. */
{
  readonly type: 'retry';
  readonly token: string;
  readonly runId: string;
  readonly message?: NewMessage;
  readonly actor?: string;
  readonly traceparent?: string;
} | {
  readonly type: 'answer';
  readonly token: string;
  readonly callId: string;
  readonly answer: PersonsAnswer;
  readonly actor?: string;
  /** The step of the call, where it is not the current one. */
  readonly past?: RepliedStep;
  /** The files that it names which go with the end of the session, where it is to end that. */
  readonly files?: KnownFiles;
} |
/** The time of some answers may be up. */
{
  readonly type: 'expire';
  readonly token: string;
} | {
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
} |
/** A hook failed that is not owed: it was asked by a body, or for a request. */
({
  readonly type: 'hook_broke';
  readonly by: string;
  readonly epoch: number;
  readonly error: Failure;
} & Pick<HookFailure, 'hook' | 'hookId' | 'callId' | 'about'>) |
/** The hooks of the result that a sub-agent gave for a call are about to run. */
{
  readonly type: 'result_hooks';
  readonly by: string;
  readonly epoch: number;
} | {
  readonly type: 'stop_when_said';
  readonly token: string;
  readonly id: string;
  readonly epoch: number;
  /** Whether the run ends with its step. */
  readonly stops: boolean;
  /** Why there is no answer. */
  readonly error?: Failure;
} |
/** What was spent by work that nobody waits for any more. */
{
  readonly type: 'spent_late';
  readonly usage: Usage;
} | {
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
} | {
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
} | {
  readonly type: 'child_stop';
  readonly token: string;
  readonly task: TaskKey;
  readonly error: Failure;
  /** `abort` by default. */
  readonly verb?: StopVerb;
} |
/** A child that rests was ended for good, or deleted (`error`), by somebody else; `atRest` is its record. */
{
  readonly type: 'child_gone';
  readonly token: string;
  readonly task: TaskKey;
  readonly error: Failure;
  readonly atRest?: Child;
} |
/** A child's run waits for a person, or goes on again. */
{
  readonly type: 'child_waits';
  readonly token: string;
  readonly task: TaskKey;
  readonly runId: string;
  readonly waits: boolean;
} |
/** A person copies a child: the copy has its first task without a call. */
({
  readonly type: 'child_fork';
  readonly token: string;
  readonly children: KnownChildren;
} & AskedCopy) |
/** A person tells a child something that is not at work: it is its next task, or it goes on with that. */
({
  readonly type: 'child_message';
  readonly token: string;
  readonly children: KnownChildren;
  readonly message: NewMessage;
} & Pick<AskedMessage, 'name' | 'by'>) |
/** The variables are there that a child waited for; `variables` are sealed, by name. */
{
  readonly type: 'child_deferred';
  readonly token: string;
  readonly children: KnownChildren;
  readonly disabled?: readonly string[];
  readonly request: VariableRequest;
  readonly variables: {
    readonly [name: string]: string;
  };
} |
/** Code of the agent queues a message for it (`by` its body), or a child of it does. */
{
  readonly type: 'thread_message';
  readonly token: string;
  readonly message: NewMessage;
  /** Files of the agent that the message names, and what is known of them. */
  readonly files?: {
    readonly paths: readonly string[];
    readonly known: KnownFiles;
  };
  readonly by?: string;
  readonly epoch?: number;
} |
/** Somebody takes back what a caller has sent. `delivered`: the session has a message of that id that waits for no step. */
{
  readonly type: 'cancel_message';
  readonly messageId: string;
  readonly delivered: boolean;
} |
/** The same of what a caller has sent to a child, as long as the child has not been given it. */
{
  readonly type: 'cancel_mail';
  readonly name: string;
  readonly messageId: string;
} |
/** Code of the agent changes a message of its session, which is as it was read where it waits for no step. */
{
  readonly type: 'thread_updates';
  readonly token: string;
  readonly by: string;
  readonly epoch: number;
  readonly message: InboundMessage;
  readonly changes: MessageChanges;
} |
/** Code of the agent tells a child something, by its reference. */
{
  readonly type: 'thread_tells';
  readonly token: string;
  /** Files of the agent that go along, of which none may be larger. */
  readonly files?: {
    readonly paths: readonly string[];
    readonly maxBytes: number;
  };
  readonly by: string;
  readonly epoch: number;
  readonly reference: string;
  readonly message: NewMessage;
  readonly children: KnownChildren;
  readonly disabled?: readonly string[];
} |
/** Code of the agent ends a child for good. */
{
  readonly type: 'thread_ends';
  readonly token: string;
  readonly by: string;
  readonly epoch: number;
  readonly reference: string;
  readonly children: KnownChildren;
} |
/** A child that was interrupted is to go on. */
{
  readonly type: 'child_resume';
  readonly token: string;
  readonly task: TaskKey;
} |
/** A person has decided about a child that failed and is waited for. */
{
  readonly type: 'child_decided';
  readonly token: string;
  readonly task: TaskKey;
  readonly decision: 'retry' | 'give_up';
  /** For the child, with its retry. */
  readonly message?: NewMessage;
} |
/** A child is started anew in its place, in the next generation of its slot (decision 18). */
{
  readonly type: 'child_respawn';
  readonly token: string;
  readonly task: TaskKey;
} | {
  readonly type: 'custom_changed';
  /** The call or the hook whose body does it. */
  readonly by: string;
  readonly epoch: number;
  readonly custom: Json;
  readonly patch: readonly Json[];
} | {
  readonly type: 'emitted';
  readonly by: string;
  readonly epoch: number;
  readonly chunk: Extract<ChunkBody, {
    type: 'custom' | 'subagent_status';
  }>;
} |
/** An author's code schedules an effect, or takes one back. `by`: the call, the hook or the effect whose body does it. */
{
  readonly type: 'errand_scheduled';
  readonly by: string;
  readonly epoch: number;
  readonly effectId: string;
  readonly name: string;
  readonly args: Json;
  readonly dueAt: number;
} | {
  readonly type: 'errand_removed';
  readonly by: string;
  readonly epoch: number;
  readonly effectId: string;
} | {
  readonly type: 'errand_begun';
  readonly effectId: string;
} | {
  readonly type: 'errand_done';
  readonly effectId: string;
  /** Which try it was, from 1. */
  readonly attempt: number;
  readonly error?: Failure;
} | {
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
} | {
  readonly type: 'outcome_acknowledged';
  readonly runId: string;
} |
/** The parent knows whether the run waits for a person. */
{
  readonly type: 'wait_acknowledged';
  readonly runId: string;
  readonly waits: boolean;
} |
/** `cause`: what failed, where that is why. */
{
  readonly type: 'recover';
  readonly token: string;
  readonly reason: string;
  readonly cause?: string;
});
/** What an object is created with: everything of its session but the time. */
type NewSession = Omit<Session, 'createdAt'>;
/** One row to write. Calls are kept with their step; their results are rows of their own. */
type Change = {
  readonly put: 'session';
  readonly session: Session;
} | {
  readonly put: 'custom';
  readonly custom: Json;
} | {
  readonly put: 'custom_before';
  readonly before: CustomBefore;
} | {
  readonly put: 'run';
  readonly run: Run;
} | {
  readonly put: 'step';
  readonly step: Step;
} |
/** How an open call stands; its result takes the place of this row. */
{
  readonly put: 'call_state';
  readonly stepId: number;
  readonly index: number;
  readonly state: Pick<Call, 'state' | 'answer'>;
} | {
  readonly put: 'settlement';
  readonly stepId: number;
  readonly index: number;
  readonly settlement: Settlement;
} | {
  readonly put: 'queued';
  readonly start: QueuedStart;
} | {
  readonly put: 'unqueued';
  readonly id: number;
} | {
  readonly put: 'errand';
  readonly errand: Errand;
} | {
  readonly put: 'no_errand';
  readonly id: number;
} | {
  readonly put: 'message';
  readonly message: InboundMessage;
} |
/** A message that no step has seen is taken back. */
{
  readonly put: 'no_message';
  readonly id: number;
} |
/** A child that waits for variables. */
{
  readonly put: 'variable_request';
  readonly request: VariableRequest;
} | {
  readonly put: 'no_variable_request';
  readonly requestId: string;
} |
/** `reuses`: it takes the slot of one that was released, whose row goes. */
{
  readonly put: 'child';
  readonly child: Child;
  readonly reuses: boolean;
};
/** A chunk before its base is added. */
interface Emission {
  readonly body: ChunkBody;
  /** The run that it tells of: one event may end a run and begin the next. */
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
}
/** What becomes of a file, in the transaction of an event (`enclosures.ts`). */
type FileMove =
/** It is held under a key, as it is. */
{
  readonly move: 'hold';
  readonly key: string;
  readonly path: string;
} |
/** What is held under a key is held under another one from here on. */
{
  readonly move: 'rename';
  readonly key: string;
  readonly to: string;
} |
/** What came under a key is a file from here on. */
{
  readonly move: 'place';
  readonly key: string;
  readonly path: string;
} |
/** What is kept under keys that begin so is not wanted any more; of these only what is before a key, where one is given. */
{
  readonly move: 'drop';
  readonly prefix: string;
  readonly before?: string;
};
/** What an event did. */
interface Applied {
  readonly ok: true;
  readonly state: AgentState;
  readonly changes: readonly Change[];
  readonly chunks: readonly Emission[];
  readonly moves?: readonly FileMove[];
  /** Why what a person sent is kept beside the result of its call, and is not that result. */
  readonly late?: Failure;
  /** Why a scheduled effect is not tried again. */
  readonly givenUp?: Failure;
}
/** What an event did, or why it did nothing. */
type Transition = Applied | {
  readonly ok: false;
  readonly refused: Failure;
};
/** A call that waits for a person, as the tree's inbox shows it. */
interface PendingCall {
  readonly toolCallId: string;
  /** Where its owner finds it: the id of the step. */
  readonly stepId: number;
  readonly kind: 'client-tool' | 'approval';
  readonly toolName: string;
  readonly input: Json;
  /** ms since 1970. */
  readonly requestedAt: number;
  readonly expiresAt?: number;
  /** Who asks, where that is an agent elsewhere, at or below its owner. */
  readonly at?: {
    readonly address: string;
    readonly agentType: string;
  };
}
/**
 * What the engine takes from where it runs.
 *
 * Keeps SE3.
 */
/** Time, randomness and timers, so that the same engine runs in a Durable Object and in a test's process. */
interface Environment {
  /** ms since 1970. */
  now(): number;
  /** Fresh randomness: 16 characters of [a-z0-9] or more. */
  token(): string;
  /** SHA-256 of a text, in hex. At once: whoever waited for it would give others a turn in the middle of a reply. */
  sha256(text: string): string;
  /** Calls back after `ms`, once, unless cancelled. Nothing that must happen may depend on it alone. */
  timer(ms: number, callback: () => void): () => void;
  /** The Worker's bindings and variables, for models and tools. */
  readonly bindings: unknown;
  /** Reports what cannot be reported to anyone who waits. */
  report(problem: string, error?: unknown): void;
  /** Called after each commit; a test may crash the object here. */
  committed?(what: string): void;
}
/** What a copy is made with. */
interface CopyFacts {
  /** That of the copy. */
  readonly session: Session;
  /** The session that it was. */
  readonly original: string;
  /** Randomness for the ids of its memory. */
  readonly token: string;
  /** ms since 1970. */
  readonly at: number;
  /** The step that it remembers last, and what of that there was then: all where it is missing. */
  readonly cut?: Cut;
  /** Its children, as it has them. */
  readonly children?: readonly Child[];
}
/** Where a memory ends that goes on behind it. */
interface Cut {
  readonly step: number;
  readonly turn: number;
  readonly message: number;
  /** The run of that step had further ones, or had not ended. */
  readonly inRun: boolean;
  /** With `inRun`, of an agent with two sides: whose turn it was in that step. */
  readonly sides?: ActingSide;
  /** The custom state at that step, where it has changed since. */
  readonly state?: Omit<CustomBefore, 'step'>;
  /** The agent that the session had been handed to by then. */
  readonly active?: string;
  /** That step had no reply yet. */
  readonly unanswered?: true;
  /** The calls of that step which awaited children that had not ended, by index. */
  readonly open?: readonly number[];
}
/** Times are ms since 1970, as the agent wrote them. */
interface Progress {
  readonly runId: string;
  readonly startedAt: number;
  /** Missing while the run goes on. */
  readonly endedAt?: number;
  /** The step that it is at, from 1; 0 before the first. */
  readonly step: number;
  /** How often the run was taken up after a crash. */
  readonly recoveries: number;
  /** Why it failed, in at most 500 characters. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
}
/**
 * What is owed until somebody has done it: how often it is tried, and for how long.
 *
 * Decides: the delays between tries of what is owed to others, and for how long it is tried (RM8, RM18, RM20, OP13); how late a
 * request may still come that was sent before (RM22); how often one that is to leave is asked what it owes, how long it may
 * take to say so, at each level, and how long a parent may that lets some leave (RM20, RM23, OP12).
 */
/** Something that is owed. Times in ms since 1970. */
interface Tries {
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}
/** How long a child lives: for one call, or beyond its tasks under a name. */
type Lifetime = Relationship['lifetime'];
/** Whether the call that began a task holds it, or the parent hears of its end in a notice. */
type Awaiting = Relationship['await'];
/** How an agent came to its end, as far as the root knows. */
type End =
/** Its run ended, at this time in ms since 1970. */
{
  readonly by: 'itself';
  readonly at: number;
} |
/** It was lost, or abandoned with an agent above it or with its call: it has no word any more. */
{
  readonly by: 'abandoned';
  readonly at: number;
} |
/** It was abandoned before it began. Its parent has the last word, with the end of its call; until then it is as it was. */
{
  readonly by: 'withdrawn';
};
/** A stop that an agent elsewhere has not acknowledged: it is sent again. Times in ms since 1970. */
interface StopOwed {
  readonly verb: StopVerb;
  /** The run here that it is for. */
  readonly runId: string;
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}
/**
 * Whether an agent works, and until when it may. `timeLeft` is what it has left of its `timeoutMs`, in ms, while its clock
 * stands; `deadline` is when its time is up, in ms since 1970.
 */
type Schedule =
/** A root before its first run. */
{
  readonly phase: 'idle';
} |
/** It waits for a concurrency slot. `place`: who came to the queue later has a higher one. */
{
  readonly phase: 'queued';
  readonly timeLeft: number;
  readonly place: number;
} | {
  readonly phase: 'working';
  readonly deadline: number;
} |
/** Its run waits for a person, and holds no slot. */
{
  readonly phase: 'waiting';
  readonly timeLeft: number;
} | {
  readonly phase: 'ended';
  readonly timeLeft: number;
  readonly end: End;
};
/** What agents spent, by type. */
type UsageByType = {
  readonly [agentType: string]: Usage;
};
/** What the record holds of every agent. */
interface AgentFacts {
  readonly id: number;
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  /** Level in the tree; the root is 1. */
  readonly depth: number;
  readonly schedule: Schedule;
  /** How it stands, as it is shown. */
  readonly status: SessionStatus;
  readonly statusText: string;
  /** How many chunks of it are in the log: its own number of the last one. */
  readonly lastChunk: number;
  /** The sequence of that chunk in the log; 0 before the first. */
  readonly sequence: number;
  /** When it wrote that chunk, in ms since 1970. */
  readonly lastAt?: number;
  readonly usage: Usage;
  /** How far its newest run has come; missing before its first. */
  readonly progress?: Progress;
  /** It came along with a copy: it is there, also while it has said nothing. */
  readonly along?: true;
  /** The tasks of its own children that are open, as it told with its last chunks: how many of which it awaits; 0 of the others. */
  readonly openTasks?: readonly Awaits[];
  /** When the next of its scheduled effects, or what it owes elsewhere, is due, in ms since 1970, as it told last; missing where nothing is. */
  readonly effectAt?: number;
  /** It owes something to agents elsewhere that have left the tree. */
  readonly owesElsewhere?: true;
  /** How long it may work, in ms: the run of a root, the task of a child. */
  readonly timeoutMs: number;
  readonly createdAt: number;
}
/** The root itself, with what the record holds of the whole tree. */
interface RootNode extends AgentFacts {
  readonly kind: 'root';
  /** The turn that it is in. */
  readonly turn: number;
  readonly top: TopFacts;
}
/** An agent below the root. */
interface ChildNode extends AgentFacts {
  readonly kind: 'child';
  readonly parentId: number;
  /** The call that gave it its task. */
  readonly callId: string;
  /** The task that it works on, or worked on last. */
  readonly task: TaskKey;
  /** The root's turn in which it was given that task. */
  readonly turn: number;
  /** The root's turn in which it was created. */
  readonly createdInTurn: number;
  readonly lifetime: Lifetime;
  readonly await: Awaiting;
  readonly placement: Relationship['placement'];
  /** Which run of its session is meant, from 1. */
  readonly runNumber: number;
  /** What it may spend with everything below it. */
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  /** It is kept with the run of its parent; missing where it stays as long as the tree. */
  readonly retention?: 'run';
  /** That run has ended: it leaves the record when it rests. */
  readonly leaving?: true;
  /** It has something for its parent that may not have come there, while nobody at work would ask for it. */
  readonly undelivered?: true;
  /** It has waited for a person, or for a child that did: its parent need not ask it how it stands. */
  readonly hasWaited?: true;
  /** What agents below it spent that have left the record. */
  readonly retired?: UsageByType;
  /** Only of one elsewhere. */
  readonly stopOwed?: StopOwed;
  /** It is in the record no more; its row stays until its object is erased. */
  readonly left?: true;
  /** How often that was tried in vain. */
  readonly erasing?: Tries;
}
/** One agent of the tree. */
type TreeNode = RootNode | ChildNode;
/** What the record of the root holds beside its own agent. */
interface TopFacts {
  /** What agents spent that are no longer in the record. */
  readonly retired: UsageByType;
  /** How many sub-agents that this turn created have left the record: they were created all the same. */
  readonly removed: {
    readonly turn: number;
    readonly count: number;
  };
  /** The highest id that was ever given, so that none is given twice. */
  readonly lastId: number;
  /** What the whole tree had spent when the turn began. */
  readonly usageAtTurnStart: Usage;
  /** The addresses of agents that left the record, were deleted or not kept under one that is, while their objects may still be there. */
  readonly pendingRemovals: readonly string[];
  /** Which session each of them had, by its address: another one may have begun in its place since. */
  readonly removedSessions?: Readonly<Record<string, string>>;
  /** Those of them whose removal came to nothing so far, by their addresses. */
  readonly removalTries?: Readonly<Record<string, Tries>>;
  /** What the directory was told last, as the text of `reportedText`. */
  readonly reported?: string;
  /** The tree is being deleted. */
  readonly removing?: Removing;
}
/** The deletion of a tree: what it was asked with, and its tries where some of its agents did not answer, or it failed. */
interface Removing {
  readonly key?: string;
  readonly tries?: Tries;
}
/** A call that waits for a person, as its owner tells its root: the arguments are in the chunk that asks. */
type WaitingCall = Omit<PendingCall, 'input'>;
/** A call that waits for a person, or did; its input is kept as long as it waits. */
interface PendingRow {
  readonly toolCallId: string;
  /** The owner's id in the record. */
  readonly node: number;
  readonly open: boolean;
  readonly item: PendingCall;
}
/** What an agent may still spend before it asks again. It may ask its model as long as something of each is left. */
interface Lease {
  readonly tokens: number;
  readonly costUsd: number;
  readonly steps: number;
}
/** By the id of the agent. */
declare class ListedNodes {
  #private;
  /** In no order that would outlive this memory. */
  all(): TreeNode[];
  /** A text that is another one when something is to be told of them, and the same whatever order they came in. */
  get digest(): string;
  /** An agent as it stands now. */
  set(node: TreeNode): void;
  delete(id: number): void;
}
/** The sub-agents below one by how they stand, and the last sequence at or below it. */
interface Below {
  readonly childCounts: {
    readonly running: number;
    readonly queued: number;
    readonly waiting: number;
    readonly total: number;
  };
  readonly lastSequence: number;
}
/** The phases of agents that are live. */
type LivePhase = Exclude<Schedule['phase'], 'idle' | 'ended'>;
/** The nodes of a tree by id, session and address, with the counts that decisions need. Changed only through `set` and `remove`. */
declare class TreeIndex {
  #private;
  readonly held: Map<string, {
    readonly lease: Lease;
    readonly at: Usage;
  }>;
  readonly deleted: Set<string>;
  /** The agents that lists over all roots have something of. */
  readonly listed: ListedNodes;
  /**
   * What is kept in memory alone, and outlives a record that is read anew.
   * @param held the leases that are set aside, by session
   * @param deleted the sessions that were deleted: a request which was on its way may still ask for one
   */
  constructor(nodes?: Iterable<TreeNode>, held?: Map<string, {
    readonly lease: Lease;
    readonly at: Usage;
  }>, deleted?: Set<string>);
  get nextId(): number;
  /** For who comes to the queue next. */
  get nextPlace(): number;
  get(id: number): TreeNode | undefined;
  /** The root's own node; there once its session is. */
  root(): RootNode | undefined;
  bySession(sessionId: string): TreeNode | undefined;
  /** The same where it is a child. */
  childBySession(sessionId: string): ChildNode | undefined;
  byAddress(address: string): TreeNode | undefined;
  /** The parent of a child; a root has none. */
  parentOf(node: TreeNode): TreeNode | undefined;
  all(): IterableIterator<TreeNode>;
  /** All but the root. */
  allChildren(): Generator<ChildNode>;
  /** The agents in a phase, in no order that would outlive this memory. */
  at(phase: LivePhase): ReadonlyMap<number, TreeNode>;
  /** The agents that have something for their parents. */
  get undelivered(): ReadonlyMap<number, ChildNode>;
  /** When an agent of the tree wrote its latest chunk, in ms since 1970; 0 where none has. */
  get lastAt(): number;
  /** The agents that were kept with a run which has ended. */
  get leaving(): ReadonlyMap<number, ChildNode>;
  /** The agents with scheduled effects, which may be done: nobody ended them or an agent above them for good. */
  withEffects(): Generator<TreeNode & {
    readonly effectAt: number;
  }>;
  /** Whether an agent was ended for good, or one above it: nothing begins below it any more. */
  isEnded(node: TreeNode): boolean;
  /**
   * Those at work, in the queue or waiting that nobody stops although an agent above them was ended for good: their own
   * parents are at rest, so the stop did not reach these.
   */
  strays(): ChildNode[];
  children(id: number): ChildNode[];
  /** The node and everything below it; each parent before its children. */
  subtree(id: number): TreeNode[];
  /** All agents below the root by how they stand. */
  childCounts(): Below['childCounts'];
  /** A child by its number at its parent: where one was started anew, the one that came last. */
  childOf(parentId: number, childId: number): ChildNode | undefined;
  /** Whether an agent waits for live children of its own, and lends them its concurrency slot (TR10). */
  lends(node: TreeNode): boolean;
  /** Whether the task of a child is open: its parent has told of no end of it, and may still go on (TR11). */
  hasOpenTask(node: ChildNode): boolean;
  /** Agents that hold a concurrency slot: they work, and do not just wait for children of their own. */
  slotsTaken(): number;
  set(node: TreeNode): void;
  remove(id: number): void;
}
/** Chunks on their way to the log, with what the root keeps of their sender. */
interface Batch {
  readonly sessionId: string;
  /** The sender's own number of the first chunk. */
  readonly first: number;
  readonly chunks: readonly Chunk[];
  readonly status: SessionStatus;
  /** Its status says that it waits, but a child that it awaits works. */
  readonly consults?: true;
  readonly usage: Usage;
  /** What of the sender waits for a person now. */
  readonly pending?: readonly WaitingCall[];
  /** The tasks of the sender's own children that are open now, and which of them it awaits (TR10, TR11). */
  readonly openTasks?: readonly Awaits[];
  /** When the next scheduled effect of the sender, or what it owes elsewhere, is due, in ms since 1970. */
  readonly effectAt?: number;
  /** It owes something to agents elsewhere that have left the tree (RM18). */
  readonly owesElsewhere?: true;
  /** The stop that a sender elsewhere has not acknowledged. */
  readonly stopOwed?: StopOwed;
}
/** What is due of an agent beside its run, as it tells. */
type Dues = Pick<Batch, 'effectAt' | 'owesElsewhere'>;
/** A stop that the other side has not taken yet, or took. */
interface OwedStop extends Tries {
  readonly verb: StopVerb;
  readonly reason: string;
  /** It was acknowledged, or is not asked for any more. */
  readonly settled?: 'taken' | 'given_up';
}
/** A start that was sent. */
interface SentStart {
  readonly key: string;
  /** In ms since 1970. */
  readonly at: number;
}
/** A message that it is to be told there. */
interface Tell {
  /** A repeated one is known by it. */
  readonly key: string;
  readonly text: string;
  readonly role: MessageRole;
  readonly to?: SideName;
}
/** What the other side is asked for next: to begin, to go on, or nothing but how it stands. */
type RemotePhase = 'starting' | 'resuming' | 'following';
/** One child. */
interface RemoteRun {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly root: RootLocation;
  /** Whose transport leads there: a tool, or the kind of a companion. */
  readonly way: string;
  readonly addressClass: string;
  /** Of the root there. */
  readonly name: string;
  readonly task: TaskKey;
  /** The run here, and who asked for it. */
  readonly runId: string;
  readonly actor?: string;
  readonly traceparent?: string;
  readonly startedAt: number;
  readonly phase: RemotePhase;
  /** It was sent at least once: whether the other side has it is known by its answer alone. */
  readonly asked?: true;
  /** The start of this task that was sent last: its key, and since when it is sent. A release that did not keep it has none. */
  readonly start?: SentStart;
  /** The session there, and the first run of the chain of this task. */
  readonly theirs?: {
    readonly sessionId: string;
    readonly chainRunId: string;
  };
  /** The session there of the tasks before: it remembers them. */
  readonly memory?: string;
  /** What it is to be told there, in order; the first of them begins a task that has no arguments, or goes with a resume. */
  readonly tell?: readonly Tell[];
  /** What it was told with a start that waited there: it is told that again where this never begins. */
  readonly toldInQueue?: Tell;
  /** The number of the last message of its parent that was taken here. */
  readonly mailTaken?: number;
  /** What its log says before this task begins there is of others, and is passed over. */
  readonly passing?: true;
  /** The last sequence of the log there that was taken. */
  readonly cursor: number;
  /** The child's own number of its last chunk. */
  readonly last: number;
  /** What the root has not acknowledged. */
  readonly kept: readonly Omit<Batch, 'sessionId'>[];
  readonly status: SessionStatus;
  /** How it ended, as its log has told it; its status there may be of another run by then. */
  readonly end?: Outcome;
  readonly step: number;
  readonly attempt: number;
  readonly waiting: readonly WaitingCall[];
  readonly usage: Usage;
  /** Whether the parent was told that it waits. */
  readonly waitTold?: true;
  readonly stop?: OwedStop;
  readonly outcome?: Outcome;
  /** The parent knows the outcome, or wants none. */
  readonly told?: true;
  /** The child left its place here; only its stop, and the removal of what is there, are still owed. */
  readonly left?: true;
  /** Another task, or somebody else, may be there by now: its stop goes by its start alone. */
  readonly astray?: true;
  /** Of the root there, whose child has left. */
  readonly removal?: Tries;
  /** Whose way it is, by the name of that agent, where another one has taken over what is owed to it. */
  readonly by?: string;
}
/** A batch that the root has not acknowledged yet, at its position in the outbox. */
interface OutgoingBatch {
  readonly position: number;
  readonly batch: Omit<Batch, 'sessionId'>;
}
/** What a slot holds or held last. */
interface SlotRow {
  readonly childId: number;
  readonly generation: number;
  /** The child was released, and the slot may be used again. */
  readonly free: boolean;
}
/** Who did what to an agent. */
interface AuditEntry {
  /** ms since 1970. */
  readonly at: number;
  /** As the access check named them; `parent` and `offshoot` are the framework's own. */
  readonly actor: string;
  /** What was done: the name of a verb, or of what the framework did. */
  readonly action: string;
  readonly runId?: string;
  readonly detail?: Json;
}
/** What was accepted under an idempotency key. */
interface Receipt {
  /** A digest of the body. */
  readonly body: string;
  /** The status that HTTP gives, and what was answered. */
  readonly answer: {
    readonly status: number;
    readonly body: JsonLike;
  };
}
/** The value of a variable, as it is at rest. */
interface StoredVariable {
  /** What a `Vault` made of it. */
  readonly sealed: string;
  /** It was given for a whole child graph: each agent below that asks for it scoped has it too. */
  readonly granted?: true;
}
/** Which rows to read: after a key, up to and with a key, at most so many, in order. */
interface Range {
  readonly after?: number;
  readonly upTo?: number;
  readonly limit?: number;
}
/** What is there when a function returns: no promise. */
type AtOnce<Result> = Result & (Result extends PromiseLike<unknown> ? never : unknown);
/** The storage of one agent. Values are owned by the caller; nothing returned is changed later. */
interface AgentStore {
  /** Runs the body in one transaction: all of it is kept, or nothing. A body that returns a promise is refused. */
  transaction<Result>(body: () => AtOnce<Result>): Result;
  /** The state, or undefined where no session was created. */
  load(): AgentState | undefined;
  /** Whether the run or the step that `load` gave last is not whole, because something in it was nested too deep. */
  readonly cut: boolean;
  /**
   * Makes the session that is there the copy that it is to be, and gives its state: its memory is named anew, and what was
   * under way, waited or was to be sent is dropped (`core/agent/copy.ts`), with all of its children. Custom state stays.
   * Call it inside a transaction.
   */
  becomeCopy(facts: CopyFacts): AgentState;
  /** About how many bytes the memory has: runs, steps, results and messages. */
  bytes(): number;
  /** Removes a memory that has no session: what was left of a copy. Call it inside a transaction. */
  clear(): void;
  /** Creates the session; of a memory that is there already, where it is a copy's. */
  create(state: AgentState): void;
  /** Writes changes; call it inside a transaction. Writing the same change again is harmless. */
  write(changes: readonly Change[]): void;
  /** Keeps a batch until the root has it; a position that is used again is overwritten. */
  keep(batch: OutgoingBatch): void;
  /** The kept batches in order of their first number; acknowledged ones may be among them. */
  outbox(): OutgoingBatch[];
  runs(range: Range): Run[];
  /** Steps with their settled calls, by id. */
  steps(range: Range): Step[];
  messages(range: Range): InboundMessage[];
  /** The custom state before its first change in each step in which it changed, by step. */
  customBefore(range: Range): CustomBefore[];
  /** Entries of the audit; their ids count up. The oldest go when there are more than 10,000. */
  audit(range: Range): (AuditEntry & {
    readonly id: number;
  })[];
  /** Call it inside the transaction of what it tells of. */
  addAudit(entry: AuditEntry): void;
  /** The slots that a class has free, for the next children of it. */
  slots(className: string): ClassSlots;
  slot(className: string, slot: number): SlotRow | undefined;
  /** The first id that no child ever had. */
  nextChild(): number;
  /** A child that was not released, by its id. */
  child(childId: number): Child | undefined;
  /** The same by its name. */
  named(name: string): Child | undefined;
  /** All of them that were not released. */
  children(): Child[];
  /** Those that have names, by id: at most so many after an id. */
  lastingChildren(page: {
    readonly after: number;
    readonly limit: number;
  }): Child[];
  /** How many have names, what one of them is called, and those that may be kept with a run. */
  countLasting(): LastingChildren;
  /** Names that end in `-` and a number that no child ever had: they are somebody's, and not to be given. */
  namesAhead(): string[];
  /** Releases children, so that their slots and names are used again. */
  release(childIds: readonly number[]): void;
  receipt(key: string, now: number): Receipt | undefined;
  /** The keys of all receipts. */
  receiptKeys(now: number): string[];
  /** Remembers an acceptance for `ageMs`; receipts that are past their age are removed. */
  addReceipt(key: string, receipt: Receipt, now: number, ageMs: number): void;
  /** What is kept of a child that lives elsewhere, by its session. */
  remote(sessionId: string): RemoteRun | undefined;
  /** The arguments of its task. */
  remoteInput(sessionId: string): Json | undefined;
  /** Keeps a child in place of what was there, and the arguments where they are given. */
  setRemote(run: RemoteRun, input?: Json): void;
  /** Forgets it. */
  dropRemote(sessionId: string): void;
  /** The sessions of all that are kept. */
  remotes(): string[];
  /** A child that waits for variables, before its time is up. */
  variableRequest(requestId: string, now: number): VariableRequest | undefined;
  /** All of them, in the order of their ids. */
  variableRequests(now: number): VariableRequest[];
  /** The value that the session itself was given. */
  variable(name: string): StoredVariable | undefined;
  /** The names of all of them, in order. */
  variableNames(): string[];
  /** Keeps a value in place of the one before, or none. */
  setVariable(name: string, value: StoredVariable | undefined): void;
}
/** A child, as far as its parent must know it to reach it. */
interface ChildRef {
  /** Its session: an object of its own is found by it. */
  readonly sessionId: string;
  readonly address: string;
  readonly placement: Placement;
}
/** What can be said to a child: for each kind of message, the message and its answer. */
type Messages = {
  readonly [kind: string]: {
    readonly message: {
      readonly kind: string;
    };
    readonly answer: object;
  };
};
/** How the parent of a child reaches it. */
interface ChildTransport<Said extends Messages> {
  /**
   * Sends a message, and makes the child if it is not there. What several calls send to one child gets there in the order
   * of the calls; each is answered for itself.
   * The message stays as it is until this settles; the answer is the caller's own and holds nothing of the child's object.
   * What a child refuses is an answer. @throws whatever went wrong on the way where no answer came: the child was not
   * reached, or its answer was lost, and nobody can tell which. So messages are such that sending one again is harmless;
   * the port itself never does.
   */
  send<Kind extends keyof Said>(child: ChildRef, message: Said[Kind]['message'] & {
    readonly kind: Kind;
  }): Promise<Said[Kind]['answer']>;
  /**
   * Removes a child with its store and everything below it; harmless where it is gone already. Once this has resolved its
   * place may be used again, by a newer generation; until then nothing may be sent there, and a generation that has been
   * followed by another may not be removed any more. @throws where it may still be there; then try again.
   */
  remove(child: ChildRef): Promise<void>;
  /**
   * Makes a child with what the store of another one holds at this moment, and with copies of everything below that one.
   * Harmless where the child is there already, or was said to be due. What it holds is not its own until it is told so: it
   * must not go on with it. @returns whether either of them is there: without an original nothing is made
   * @throws where it may not have been made; then try again
   */
  copy(source: ChildRef, child: ChildRef): Promise<boolean>;
  /**
   * Says that these children are about to be made, so that many can be made fast. Makes none of them, and may be left out.
   * @throws where nothing was prepared; the children are made all the same when they are sent to.
   */
  prepare?(due: readonly ChildRef[]): Promise<void>;
}
/** The transport of each placement: a placement without one does not compile. */
type Transports<Said extends Messages> = { readonly [via in Via]: ChildTransport<Said>; };
/** That of children elsewhere, which are at work in the object of their parent and owe things that nobody else asks for. */
interface ElsewhereTransport<Said extends Messages> extends ChildTransport<Said> {
  /** Goes on with what is owed; harmless where that is under way. */
  open(): void;
  /** When what is owed to children that have left their places is due next, in ms since 1970; undefined where nothing is. */
  owedAt(): number | undefined;
  /** All places are given up, to be paid for by another object: what is owed, each with the name of the agent whose way it is. */
  leave(by: string): RemoteRun[];
  /** What another object owed is owed here from now on; `open` goes on with it. */
  adopt(owed: readonly RemoteRun[]): void;
  /** Gives up all places, and resolves once nothing is owed. */
  paid(): Promise<void>;
  /** Ends everything in memory: nothing is sent or kept from then on. */
  stop(): void;
}
/** Those of the placements that the host knows: what reaches children elsewhere comes with their definitions (`engine/children-elsewhere`). */
type HostTransports<Said extends Messages> = Omit<Transports<Said>, 'remote'>;
/** One of two sides, as it sees the session. */
interface Viewer {
  readonly side: SideName;
  readonly sides: SidesRules;
}
/** A definition at work. Whoever asks for it again for the same definition gets the same one, so nothing is worked out twice. */
declare class Seat {
  #private;
  readonly definition: AgentDefinition;
  readonly table: readonly BuiltInTool[];
  readonly workspace: WorkspaceOptions | undefined;
  readonly viewer?: Viewer | undefined;
  readonly session: SessionTraits;
  readonly rules: Rules;
  /**
   * @param table the tools of the framework that there are
   * @param workspace what its model may do with the files that it works on
   * @param viewer the side that it is of, where it is one of two
   * @param session what its session may do beside
   */
  constructor(definition: AgentDefinition, table?: readonly BuiltInTool[], workspace?: WorkspaceOptions | undefined, viewer?: Viewer | undefined, session?: SessionTraits);
  /** The same for a state: of who works for the session, and of two sides the one whose turn it is. */
  at(state: AgentState): Seat;
  /**
   * The same for a session: one that works on the files of another has the tools for them, under that one's rules; one that
   * may hand files over, or read others, has the tool for that.
   */
  over({ workspace, givesFiles, mayRead }: Pick<Session, 'workspace' | 'givesFiles' | 'mayRead'>): Seat;
  /** The same without these of its sub-agents, which are switched off now. */
  without(agents: readonly string[]): Seat;
  /** The tools that a model is shown: those of the definition, and those of the framework that it is offered. */
  get tools(): readonly ToolSpec[];
}
/**
 * The port to the files of one agent. Bytes come and go in pieces; every adapter passes one contract suite.
 *
 * Keeps FS1, FS9, FS10.
 */
/** What a file is written from. Text becomes UTF-8. */
type FileBody = ReadableStream<Uint8Array> | Uint8Array | ArrayBuffer | string;
/** What a file is, without its bytes. */
type FileInfo = {
  /** Without a leading slash. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** SHA-256 of the content, in hex, without quotation marks. The same bytes have the same one. */
  readonly etag: string;
  /** When this content became the file's, in ms. */
  readonly updatedAt: number;
};
/** A page of a listing. */
interface FilePage {
  /** In the order of the paths' bytes. */
  readonly items: readonly FileInfo[];
  /** Where the next page goes on; missing on the last one. */
  readonly cursor?: string;
}
/** Which page of which files. */
interface ListOptions {
  /** From the page before. */
  readonly cursor?: string;
  /** Items, 1 to 500; 100 by default. */
  readonly limit?: number;
  /** Only paths that begin with this text; it need not end at a slash. */
  readonly prefix?: string;
}
/** Which bytes of a file; all of them by default. */
interface ByteRange {
  /** The first byte, from 0. */
  readonly offset?: number | undefined;
  /** How many bytes; more than there are means to the end. */
  readonly length?: number | undefined;
}
/** Chooses the bytes when the file is known. */
type RangeChoice = (file: FileInfo) => ByteRange;
/** A file that is being read: one version of it, whole, whatever happens to the path meanwhile. */
interface OpenFile {
  readonly file: FileInfo;
  /** Where `body` begins, and how many bytes it has. */
  readonly offset: number;
  readonly length: number;
  /**
   * Pieces of at most 1 MiB, each read when it is asked for. Read it to the end or cancel it: until then a version
   * that was replaced keeps its space.
   */
  readonly body: ReadableStream<Uint8Array>;
}
/** How a file is written. */
interface WriteOptions {
  /** Default: `text/plain; charset=utf-8` for text, else `application/octet-stream`. */
  readonly mediaType?: string;
  /** The bytes that the body must have, where the caller knows (a `Content-Length`): any other number is refused. */
  readonly size?: number;
  /** Write only over this version (its `etag`), or with `null` only where there is no file yet. */
  readonly ifMatch?: string | null;
  /** Called in the transaction that makes the file be there, with what it is then. */
  readonly inTransaction?: (file: FileInfo) => void;
}
/** How a file is removed. */
interface RemoveOptions {
  /** Remove only this version (its `etag`). */
  readonly ifMatch?: string;
  /** Called in the transaction that removes the file. */
  readonly inTransaction?: () => void;
}
/**
 * The files of one agent. Every path is taken with or without a leading slash, and refused with `invalid_request`
 * as `filePath` says. Every method may be called again after a failure.
 */
interface FileStore {
  /**
   * Files in the order of their paths. A page shows what is there when it is read.
   * @throws `invalid_request` for a bad limit or prefix, `invalid_cursor` for a cursor that is none.
   */
  list(options?: ListOptions): Promise<FilePage>;
  /** What the file is, or nothing when there is none. */
  stat(path: string): Promise<FileInfo | undefined>;
  /**
   * The file with its bytes.
   * @throws `not_found`; `invalid_request` for a range that begins behind the end.
   */
  open(path: string, range?: ByteRange | RangeChoice): Promise<OpenFile>;
  /** The bytes alone: the `body` of `open`. */
  read(path: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Makes the body the file's content. Until it is there as a whole the old content stays, also through a crash;
   * a body that fails leaves nothing behind, and its own error is thrown. Of several writers the last to finish wins,
   * unless `ifMatch` says otherwise. The body belongs to the store until this settles; a stream is read to its end,
   * or cancelled.
   * @throws `payload_too_large` past the limit of a file; `too_many_files` for one more than there may be; `superseded`
   * when `ifMatch` does not hold; `invalid_request` for a bad media type, or a body that is not what it was said to be.
   */
  write(path: string, body: FileBody, options?: WriteOptions): Promise<FileInfo>;
  /**
   * Makes a content that fits into one row the file's, at once: call it inside a transaction. Otherwise as `write`.
   * @throws `payload_too_large` past `MAX_SMALL_BYTES`; `too_many_files`; `invalid_request`
   */
  put(path: string, content: Uint8Array, options?: Pick<WriteOptions, 'mediaType'>): FileInfo;
  /** Removes the file. @throws `not_found`; `superseded` when `ifMatch` does not hold. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** Removes all files at once: call it inside a transaction. What they hold is freed by the next write or removal. */
  clear(): void;
  /** How many bytes all files have. */
  bytes(): number;
  /** Frees what uploads left over that a crash cut off. The first write or removal does it too; cheap when there is nothing. */
  sweep(): Promise<void>;
  /** What is kept beside the files. */
  readonly kept: KeptFiles;
}
/** What bytes that come must be, and where they are a file later. */
interface StageOptions extends Pick<FileInfo, 'path' | 'size' | 'mediaType' | 'etag'> {
  /** Called in the transaction that keeps them; what it throws keeps nothing. */
  readonly inTransaction: () => void;
}
/**
 * Contents that are kept under keys: they are no files, are in no listing, and count as none. A key is the caller's own.
 * All but `stage` is done at once: call what changes something inside a transaction.
 */
interface KeptFiles {
  /** What a file is now, or nothing where there is none. @throws as `filePath` does */
  look(path: string): FileInfo | undefined;
  /** Keeps what the file is now, whatever becomes of it; at most 1 MiB of it is copied. @throws `not_found` */
  hold(key: string, path: string): void;
  /** What is kept under a key. */
  kept(key: string): FileInfo | undefined;
  /** The same with its bytes. */
  open(key: string): OpenFile | undefined;
  /**
   * Keeps bytes from elsewhere, as `write` does. @throws as `write`, and `internal` for bytes that are not those which
   * were announced
   */
  stage(key: string, body: FileBody, options: StageOptions): Promise<void>;
  /** What is kept under a key is kept under another one. @throws `internal` where nothing is kept */
  rename(key: string, to: string): void;
  /** What is kept becomes a file, in place of one that is there. @throws `internal` where nothing is kept */
  place(key: string, path: string): void;
  /**
   * Drops everything whose key begins so; with `before` only keys that come before that one, in the order of their bytes.
   * What they hold is freed by the next write or removal.
   */
  drop(prefix: string, before?: string): void;
}
/** How a file is written by an agent. */
interface WorkWriteOptions extends Pick<WriteOptions, 'mediaType' | 'size' | 'ifMatch'> {
  /** Unique in the tree: what is asked again under it, also after a crash, is done once. */
  readonly key?: string;
}
/** How a file is removed by an agent. */
interface WorkRemoveOptions {
  readonly ifMatch?: string;
  readonly key?: string;
}
/** What was done once: the file as it was written, or nothing of it where it was removed. */
interface DoneFile {
  readonly file?: FileInfo | undefined;
}
/**
 * The files that an agent works on. As `FileStore` says, whose they are makes no difference; where they are those of
 * another agent, everything may also be refused with `gone` (the task has ended, or the owner is not there any more) and
 * `unavailable` (the owner was not reached).
 */
interface WorkFiles {
  list(options?: ListOptions): Promise<FilePage>;
  stat(path: string): Promise<FileInfo | undefined>;
  open(path: string, range?: ByteRange): Promise<OpenFile>;
  write(path: string, body: FileBody, options?: WorkWriteOptions): Promise<FileInfo>;
  remove(path: string, options?: WorkRemoveOptions): Promise<void>;
  /** What was done under a key within the last 24 h; undefined where nothing was. */
  done(key: string): Promise<DoneFile | undefined>;
}
/** What the arguments of `__read__` must fit. */
declare const readInput: z$1.ZodObject<{
  of: z$1.ZodOptional<z$1.ZodString>;
  what: z$1.ZodEnum<{
    file: "file";
    files: "files";
    messages: "messages";
    state: "state";
  }>;
  path: z$1.ZodOptional<z$1.ZodString>;
  offset: z$1.ZodDefault<z$1.ZodInt>;
  cursor: z$1.ZodOptional<z$1.ZodString>;
  limit: z$1.ZodDefault<z$1.ZodInt>;
}, z$1.core.$strict>;
/** What a child asks to read. */
type Reading = z$1.output<typeof readInput>;
/** A child that wants to start, or to go on. */
interface AdmissionRequest {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly callId: string;
  readonly task: TaskKey;
  readonly depth: number;
  readonly timeoutMs: number;
  readonly budget?: Budget;
  /** Its parent waits for a person when it fails. */
  readonly onFailure?: 'wait';
  /** It is kept with the run of its parent. */
  readonly retention?: 'run';
  /** Which run of its session it asks for, from 1: so asking again is told apart from asking once more. */
  readonly runNumber: number;
  readonly lifetime: Lifetime;
  readonly await: Awaiting;
  readonly placement: Relationship['placement'];
  /** The parent's row of the slot still names this child. A deletion would have freed the slot, so one that the root does not know has never begun. */
  readonly keepsSlot?: true;
  /** Of a copy: who comes along with it, each after its parent. */
  readonly below?: readonly AlongRequest[];
}
/** A child that comes along with a copy of its parent, at rest; `parent` is its session. */
interface AlongRequest extends Omit<AdmissionRequest, 'below'> {
  readonly parent: string;
  readonly status: SessionStatus;
}
/** What the root says to it. */
type Admission =
/** `begun`: its chunks are in the log, so it must exist already. */
{
  readonly childId: number;
  readonly answer: 'start';
  readonly begun: boolean;
  readonly lease?: Lease;
} | {
  readonly childId: number;
  readonly answer: 'queued';
} | {
  readonly childId: number;
  readonly answer: 'refused';
  readonly error: Failure;
};
/**
 * Whether a caller may begin one more root: the limits of new roots, decided from the claims that its directory holds.
 *
 * Decides: how many roots a caller may begin.
 * Keeps A65.
 */
/** How many roots each caller may begin; what is missing is not limited. */
interface NewRootLimits {
  /** Roots of a caller that are there at once; one that is deleted counts no more. */
  readonly perCaller?: number | undefined;
  /** Roots that a caller begins within any 60 s, those that were deleted since included. */
  readonly perMinute?: number | undefined;
}
/** Whether a root may be begun; if not, why, and after how many ms it may where time alone helps. */
type ClaimAnswer = {
  readonly ok: true;
} | {
  readonly ok: false;
  readonly message: string;
  readonly retryAfterMs?: number;
};
/** A call at or below a child that waits for a person. */
interface LookedCall extends Pick<PendingCall, 'toolCallId' | 'toolName' | 'kind' | 'requestedAt' | 'expiresAt'> {
  /** Of the agent whose call it is. */
  readonly address: string;
}
/** How one child stands. */
interface Look {
  readonly sessionId: string;
  readonly status: SessionStatus;
  /** What it said last of what it does; empty where it said nothing. */
  readonly statusText: string;
  /** When it told the root something last, in ms since 1970; missing before. */
  readonly lastAt?: number;
  readonly usage: Usage;
  /** The first calls at or below it that wait for a person, in the order of their asking, and how many there are. */
  readonly pending: readonly LookedCall[];
  readonly pendingCount: number;
}
/** Whether a verb is taken now, or why not. */
type Control = true | Failure;
/** What a parent says to what is asked of a child by way of it. */
interface ControlsOver {
  readonly tell: Control;
  readonly fork: Control;
  readonly resume: Control;
  readonly retry: Control;
  readonly giveUp: Control;
  readonly interrupt: Control;
  readonly abort: Control;
  readonly terminate: Control;
}
/** What the session of a child that comes along takes from its parent: which one it was, and which files it has now. */
interface AlongWith {
  readonly was: string;
  readonly workspace?: SessionWorkspace;
}
/** A lease, or why there is none. */
type Grant = {
  readonly ok: true;
  readonly lease: Lease;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** An agent that is copied, or comes along, as the copy is to have it. */
interface PlannedCopy {
  /** Its place in the record of the copy. */
  readonly request: AlongRequest;
  readonly session: NewSession;
  readonly placement: Placement;
  /** Up to where it remembers. */
  readonly cut: Cut;
  /** Its own children, as it has them. */
  readonly children: readonly Child[];
  /** About how many bytes of memory and files it has now. */
  readonly bytes: number;
}
/** An event without what only its receiver can add: its time, and randomness. */
type Sent<Event> = Event extends unknown ? Omit<Event, 'at' | 'token'> : never;
/** What an object tells another one that is an event there as it is: of its own run, or of a child of its. */
type EventMessage = Sent<Extract<AgentEvent, {
  type: 'child_settled' | 'child_waits' | 'child_stop' | 'child_resume' | 'child_decided' | 'resume' | 'mail' | 'stop' | 'expire';
}>>;
type MessageOf<Type extends EventMessage['type']> = Extract<EventMessage, {
  type: Type;
}>;
/** What a child tells its parent, by way of the root: its outcome, or that its run waits for a person or goes on. */
type Delivery = (MessageOf<'child_settled'> & {
  readonly runId: string;
}) | MessageOf<'child_waits'>;
/** To its parent: a child that rests was ended for good, or deleted, and why. */
type ChildGoneMessage = Omit<Sent<Extract<AgentEvent, {
  type: 'child_gone';
}>>, 'atRest'>;
/** Gives a child its task: its session where it has none yet, and the run of the task, in one transaction of the child. */
interface AssignMessage {
  readonly type: 'assign';
  readonly session: NewSession;
  /** Missing where what it is told is all of its task. */
  readonly input?: Json;
  readonly mail?: readonly Mail[];
  /** The child has begun before, so an empty store means that it is lost. */
  readonly begun: boolean;
  readonly task: TaskKey;
  readonly runId: string;
  /** What the child may spend to begin with. */
  readonly lease?: Lease;
  /** Values of variables for its whole child graph, sealed, by name. */
  readonly variables?: {
    readonly [name: string]: string;
  };
  /** Who asked for the run above, and in which trace. */
  readonly actor?: string;
  readonly traceparent?: string;
}
/**
 * What is below a copy comes along with it: it becomes the copy's own, and the answer says who it is (CP12). With `rests`
 * the one that is told becomes that session too; without, it will with its first task. With `planned` it does in any case, up
 * to where that says: it has facets of the copy, those in objects are there.
 */
interface ComeAlongMessage {
  readonly type: 'come_along';
  readonly session: NewSession;
  readonly rests?: AlongWith;
  readonly planned?: readonly PlannedCopy[];
}
/**
 * An agent above is copied, or (without `rests`) this one itself: what is its copy to have of this agent, and of those below
 * it who come along? Nothing changes.
 */
interface PlanCopyMessage {
  readonly type: 'plan_copy';
  readonly session: NewSession;
  readonly rests?: AlongWith;
  readonly request: Omit<AlongRequest, 'status'>;
  readonly placement: Placement;
  /** At most so many come along. */
  readonly most: number;
}
/** It sends what was planned to the object of the new root, or to that of the copy of a companion, for the last on the way. */
interface SendCopyMessage {
  readonly type: 'send_copy';
  readonly copy: string;
  readonly to: RootLocation | ChildRef;
  /** Empty where that object is the one of its own copy. */
  readonly way: readonly ChildRef[];
  readonly planned: PlannedCopy;
}
/** From an object to an agent below it, or to itself. */
type AgentMessage = EventMessage | AssignMessage | ComeAlongMessage | PlanCopyMessage | SendCopyMessage | ChildGoneMessage |
/** Copy a child of yours, as a person asks. */
({
  readonly type: 'fork';
} & AskedCopy) |
/** Tell a child of yours, as a person asks: once for the key and its body. */
({
  readonly type: 'tell';
  readonly asked?: {
    readonly key: string;
    readonly body: string;
  };
} & AskedMessage) |
/** A person takes back what they have sent to a child of yours. */
{
  readonly type: 'take_back';
  readonly name: string;
  readonly messageId: string;
} |
/** What a person may ask of a child of yours by way of you; `name` is its segment. Nothing comes of asking. */
{
  readonly type: 'controls';
  readonly task: TaskKey;
  readonly name: string;
} |
/** Go on with what you owe; `sessionId` is whom the root means. */
{
  readonly type: 'wake';
  readonly sessionId: string;
} |
/** The time of scheduled effects of yours has come. */
{
  readonly type: 'effects_due';
  readonly sessionId: string;
} |
/** These children of yours have a concurrency slot now. */
{
  readonly type: 'admitted';
  readonly childIds: readonly number[];
} |
/** Remove these children of yours with their stores, and free their slots. */
{
  readonly type: 'remove';
  readonly segments: readonly LeavingSegment[];
} |
/**
 * Your object is about to be removed: what you owe elsewhere is owed by whoever says this. `isLast`: also where somebody
 * inside of you does not say what that is. Whoever says this waits for so long, in ms.
 */
{
  readonly type: 'leave';
  readonly isLast?: true;
  readonly withinMs?: number;
};
/** A message that an agent has told a child, and whether that has begun anything with it. */
interface Told {
  readonly messageId: string;
  readonly delivery: 'queued' | 'started';
}
/** What an agent answers. `absent`: no session is here. */
type AgentAnswer =
/**
 * `flush`: the agent was stopped by its parent and has ended; its parent relays all that it has still to say.
 * `endsWithinMs`: it was, and has not ended yet; it may take so long from now.
 * `sent`: what it has told a child of its, as a person asked.
 * `along`: who is there now, where it was told to come along, and how it stands itself.
 * `apart`: or that somebody below it is in an object, so that it is to be planned.
 * `told`: it was woken, and its parent has acknowledged the end of its last run: it has nothing for it.
 * `effectAt`: asked about what is due of it, or told to remove children, when the next of that is, in ms since 1970.
 * `owesElsewhere`: some of it is owed to agents elsewhere that have left (RM18).
 * `owed`: what it owed elsewhere, when it was told to leave.
 * `stay`: the addresses of children that it was told to remove, and that are there still.
 * `controls`: what a person may ask of the child that was meant.
 * `planned`: what the copy of an agent above, or its own, is to have of it and of those below it, each after its parent.
 */
{
  readonly answer: 'done';
  readonly flush?: RootRequest;
  readonly endsWithinMs?: number;
  readonly sent?: Told;
  readonly told?: true;
  readonly effectAt?: number;
  readonly owesElsewhere?: true;
  readonly owed?: readonly RemoteRun[];
  readonly stay?: readonly string[];
  readonly controls?: ControlsOver;
  readonly planned?: readonly PlannedCopy[];
  readonly along?: {
    readonly status: SessionStatus;
    readonly below: readonly AlongRequest[];
  };
  readonly apart?: true;
} | {
  readonly answer: 'absent';
} | {
  readonly answer: 'refused';
  readonly error: Failure;
};
/** From an agent to its root: everything that it has to say, in one call. */
interface RootRequest {
  readonly sessionId: string;
  readonly batches: readonly Batch[];
  readonly admit: readonly AdmissionRequest[];
  readonly deliver: readonly Delivery[];
  /** Asks what the sender may spend. */
  readonly lease?: true;
  /** Asks how these children of the sender stand, by their session ids. */
  readonly look?: readonly string[];
  /** Children that will not start: they leave the queue. */
  readonly withdraw: readonly string[];
  /** Children that are gone: they hold no place any more. */
  readonly lost: readonly string[];
  /** What children of the sender gave it to take to the root. */
  readonly relayed?: readonly RootRequest[];
}
/**
 * What the root answers. Batches up to `merged` (the sender's own number) are in the log. `refused`: the root is there and
 * nothing of the request was kept; `why` says what its transaction failed with.
 */
interface RootAnswer {
  readonly merge: 'merged' | 'gone' | 'refused';
  /** With `gone`: the sender is in no record, so nobody will ever ask for it or erase it (OP10). */
  readonly unknown?: true;
  readonly why?: string;
  readonly merged: number;
  readonly admissions: readonly Admission[];
  /** The session ids that were still queued, and now have ended. */
  readonly withdrawn: readonly string[];
  readonly grant?: Grant;
  /** Those of the children that the sender asked about which are in the record. */
  readonly looks?: readonly Look[];
  /** The answers to the requests that were relayed, in their order. */
  readonly relayed?: readonly RootAnswer[];
}
/** One level of a way down: a child of this class in this slot. */
interface Segment {
  readonly className: string;
  readonly addressClass: string;
  readonly name: string;
}
/**
 * Who is to leave a place. Without a session it is whoever is there. `isLast`: whatever it does not say (RM20). `isAgain`:
 * it was tried before in vain, which was reported.
 */
interface LeavingSegment extends Segment {
  readonly sessionId?: string;
  readonly isLast?: true;
  readonly isAgain?: true;
}
/** A call of a verb on its way to the agent that it is for. */
interface VerbCall {
  readonly kind: 'verb';
  readonly path: readonly Segment[];
  readonly verb: string;
  readonly input: JsonLike;
  /** Who asks, as the access check named them; idempotency keys are kept apart by it. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** The trace of who asks (W3C): a run that the call begins belongs to it. */
  readonly traceparent?: string;
  /** How many roots the caller may begin, where that is limited. */
  readonly newRoots?: NewRootLimits;
  /** The root does not know the agent: its parent says why, and the agent itself is not called. */
  readonly lookOnly?: true;
  /** An agent above the one that is called was ended for good, as the root knows it: nothing begins there any more. */
  readonly endedAbove?: true;
  /** The task of the agent that is called has ended, as its parent knows it: where nobody is there, it never began. */
  readonly ended?: true;
  /** In which step the call is that is answered, as the root knows it. */
  readonly stepId?: number;
  /** The request that opened what goes on after the answer: its right is asked again meanwhile. */
  readonly opening?: RequestOpening;
  /** The signed token that it is asked with: the root knows whether it still counts. */
  readonly token?: TokenUse;
  /** Bytes that come with the call. */
  readonly bytes?: ReadableStream<Uint8Array>;
}
/** A signed token that was shown, as far as its root decides on it. */
interface TokenUse {
  readonly id: string;
  /** The one call that may be answered with it. */
  readonly call?: string;
  /** When it ends, in ms since 1970. */
  readonly endsAt: number;
}
/** The answer to a verb: its output (and `bytes` where it is a file or a stream), or a failure as data. */
type VerbAnswer = {
  readonly ok: true;
  readonly body: JsonLike;
  readonly status?: number;
  readonly bytes?: ReadableStream<Uint8Array>;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** The request that opened a socket or a stream, as far as rights may depend on it, and the number of the door that let it in. */
interface RequestOpening {
  readonly door: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}
/** Whether what a request opened may still be done, and by which signed token; its root knows whether that still counts. */
type RightNow = {
  readonly ok: true;
  readonly token?: TokenUse;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** Asks a root for a socket at one of its agents. */
interface SocketCall {
  readonly kind: 'socket';
  readonly path: readonly Segment[];
  readonly opening: RequestOpening;
  /** The signed token or ticket that opens it. */
  readonly token?: TokenUse;
}
/** A pass that opens the socket, once and soon; or why there is none. */
type SocketAnswer = {
  readonly ok: true;
  readonly pass: string;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** A message on its way to the agent that it is for. */
interface AgentCall {
  readonly kind: 'agent';
  readonly path: readonly Segment[];
  readonly message: AgentMessage;
}
/** What is asked of the files of an agent above. The bytes of a file that is written come beside it. */
type FilesAsk = {
  readonly op: 'list';
  readonly options: ListOptions;
} | {
  readonly op: 'stat';
  readonly path: string;
} | {
  readonly op: 'open';
  readonly path: string;
  readonly range: ByteRange;
} | {
  readonly op: 'write';
  readonly path: string;
  readonly options: WorkWriteOptions;
} | {
  readonly op: 'remove';
  readonly path: string;
  readonly options: WorkRemoveOptions;
} | {
  readonly op: 'done';
  readonly key: string;
} |
/** Whether a file that is to go with a message is there already; nobody but the parent or a child at work asks. */
{
  readonly op: 'has';
  readonly file: Enclosure;
} |
/** Such a file comes. */
{
  readonly op: 'take';
  readonly file: Enclosure;
};
/** From an agent that works on the files of one above it, on its way to that one. */
interface FilesCall {
  readonly kind: 'files';
  readonly path: readonly Segment[];
  /** The session whose files are meant. */
  readonly owner: string;
  /** Who asks. */
  readonly asker: ParentLink;
  readonly ask: FilesAsk;
  readonly bytes?: ReadableStream<Uint8Array>;
}
/** What the files gave, as their method does; the bytes of a file that was opened come beside it. */
type FilesGave = {
  readonly op: 'list';
  readonly gives: FilePage;
} | {
  readonly op: 'stat';
  readonly gives: FileInfo | undefined;
} | {
  readonly op: 'open';
  readonly gives: Omit<OpenFile, 'body'>;
  readonly bytes: ReadableStream<Uint8Array>;
} | {
  readonly op: 'write';
  readonly gives: FileInfo;
} | {
  readonly op: 'remove';
} | {
  readonly op: 'done';
  readonly gives: DoneFile | undefined;
} | {
  readonly op: 'has';
  readonly gives: boolean;
} | {
  readonly op: 'take';
};
/** What came of it, or a failure as data. */
type FilesAnswer = ({
  readonly ok: true;
} & FilesGave) | {
  readonly ok: false;
  readonly error: Failure;
};
/** From an agent to those above it: what is the value of this variable? It goes down to its parent. */
interface VariablesCall {
  readonly kind: 'variables';
  readonly path: readonly Segment[];
  /** The session of the parent. */
  readonly owner: string;
  readonly name: string;
  /** Only what was given for a whole child graph counts. */
  readonly scoped: boolean;
}
/** The value, sealed; `ends`: nobody further up is asked. */
type VariablesAnswer = {
  readonly ok: true;
  readonly sealed?: string;
  readonly ends?: boolean;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** From a session to its parent: how does it stand, or a message for it. It goes down to the parent. */
interface ThreadCall {
  readonly kind: 'thread';
  readonly path: readonly Segment[];
  /** The session of the parent. */
  readonly owner: string;
  /** The session that asks: a child of that one. */
  readonly asker: string;
  /** A message, with what it is known again by where it comes twice. */
  readonly tells?: {
    readonly key: string;
    readonly message: NewMessage;
  };
  /** What it wants to read of the parent, or of a child of that. */
  readonly reads?: Reading;
}
/** How the parent stands, and its entry of who asks. */
type ThreadAnswer = {
  readonly ok: true;
  readonly status: SessionStatus;
  readonly entry?: SubagentRegistryEntry;
  /** What it has read. */
  readonly read?: JsonLike;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** What a parent says to the object of a child: for the child itself, or for an agent below it. */
type ChildCalls = {
  readonly agent: {
    readonly message: AgentCall;
    readonly answer: AgentAnswer;
  };
  readonly verb: {
    readonly message: VerbCall;
    readonly answer: VerbAnswer;
  };
  readonly files: {
    readonly message: FilesCall;
    readonly answer: FilesAnswer;
  };
  readonly variables: {
    readonly message: VariablesCall;
    readonly answer: VariablesAnswer;
  };
  readonly thread: {
    readonly message: ThreadCall;
    readonly answer: ThreadAnswer;
  };
  readonly copy: {
    readonly message: CopyCall;
    readonly answer: CopyAnswer;
  };
};
/** What an agent says to its root. */
interface RootCall {
  readonly kind: 'root';
  readonly request: RootRequest;
}
/** Who asks for a copy of a root, for the receipt that stays at the copy. */
interface CopyBy {
  readonly caller: string;
  /** The key of the receipt, and a digest of the request. */
  readonly receipt?: {
    readonly key: string;
    readonly body: string;
  };
  readonly newRoots?: NewRootLimits;
}
/** What an agent that is copied tells the object that its copy is to be in. */
type CopyAsk =
/** Whether the copy is there already, or something else is. */
{
  readonly op: 'look';
  readonly by: CopyBy;
} |
/** The copy of a root begins: its session, and who comes along, each after its parent. */
{
  readonly op: 'begin';
  readonly by: CopyBy;
  readonly session: string;
  readonly below: readonly AlongRequest[];
} |
/**
 * That of one who comes along does. `children`: or that of a companion, which has these; the record of the tree that it
 * is in has everybody by then.
 */
{
  readonly op: 'enter';
  readonly children?: readonly Child[];
} |
/** A portion of its memory, named anew. */
{
  readonly op: 'rows';
  readonly rows: readonly Change[];
} |
/** A file; its bytes come beside it. */
{
  readonly op: 'file';
  readonly path: string;
  readonly mediaType: string;
  readonly size: number;
} |
/** How long ago something of it came there last, in ms: the answer's body. */
{
  readonly op: 'heard';
} |
/** That was all of one who comes along. */
{
  readonly op: 'rest';
  readonly session: NewSession;
  readonly custom: Json;
} |
/** That was all: the copy is there from here on, with all who come along. */
{
  readonly op: 'end';
  readonly session: Pick<Session, 'sessionId' | 'customStep' | 'copyOf' | 'active'> & SessionNames;
  readonly custom: Json;
  readonly resume: boolean;
} | {
  readonly op: 'drop';
};
/** A root or a companion is copied into this object, or one below that into the last on the way. */
interface CopyCall {
  readonly kind: 'copy';
  /** Which try of which copy it is. */
  readonly copy: string;
  /** From here down to where the copy is to be. */
  readonly way: readonly ChildRef[];
  /** It has come by an object above on that way. */
  readonly passed?: true;
  readonly ask: CopyAsk;
  readonly bytes?: ReadableStream<Uint8Array>;
}
/** `body`: the copy is there, by now or already. */
type CopyAnswer = {
  readonly ok: true;
  readonly body?: JsonLike;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** Everything that is said to an object. */
type ObjectCalls = ChildCalls & {
  readonly root: {
    readonly message: RootCall;
    readonly answer: RootAnswer;
  };
  readonly socket: {
    readonly message: SocketCall;
    readonly answer: SocketAnswer;
  };
};
/** Everything that one object says to another. */
type ObjectCall = ObjectCalls[keyof ObjectCalls]['message'];
/** The answer to each kind of call. */
type ObjectAnswer<Call extends ObjectCall> = ObjectCalls[Call['kind']]['answer'];
/** What goes with an agent's chunks: how it stands after them. */
type SenderStatus = Pick<Batch, 'status' | 'usage' | 'pending' | 'openTasks' | 'consults' | keyof Dues>;
/** Where an agent's chunks go. `keep` is called inside the transaction, `flush` after it. */
interface ChunkSink {
  keep(chunks: readonly Chunk[], facts: SenderStatus): void;
  flush(): void;
  /** The transaction was rolled back: what `keep` took is forgotten. */
  abandon(): void;
  /**
   * All that the root has still to hear of an agent that has ended, for its parent to take there (OB5). Undefined where
   * it is too much, or nobody is above: then it goes its own way.
   */
  finalFlush?(delivery: Delivery): RootRequest | undefined;
  /** The agent's own number of its last chunk. */
  readonly number: number;
}
interface Asked {
  admit: AdmissionRequest[];
  deliver: Delivery[];
  lease?: true;
  look?: string[];
  withdraw: string[];
  lost: string[];
}
/** Whose outbox it is. */
interface OutboxOwner {
  /** Whether a child is still to work as it was asked for: a request may have waited for a root that was not there (A17). */
  owes(request: AdmissionRequest): boolean;
  /** Called when the root says that this agent is no part of the tree any more; `unknown`: it is in no record either. */
  gone(unknown: boolean): void;
  /** Called when something of what it has to say can never be sent, and something was put in its place (OB6). */
  unsendable(why: string): void;
}
/** The outbox of an agent that is not the root. */
declare class Outbox implements ChunkSink {
  #private;
  readonly store: AgentStore;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly askRoot: (request: RootRequest) => Promise<RootAnswer>;
  readonly owner: OutboxOwner;
  number: number;
  constructor(store: AgentStore, environment: Environment, sessionId: string, askRoot: (request: RootRequest) => Promise<RootAnswer>, owner: OutboxOwner,
  /** What the store holds of earlier batches; undefined for a session that has just begun. */
  kept: readonly OutgoingBatch[] | undefined);
  keep(chunks: readonly Chunk[], facts: SenderStatus): void;
  flush(): void;
  abandon(): void;
  finalFlush(delivery: Delivery): RootRequest | undefined;
  /** Asks the root; everything kept so far goes along. Resolves with the answer to the call that carried it. */
  ask(what: Partial<Asked>): Promise<RootAnswer>;
  /** Resolves once the root has everything kept so far, or has this agent as one that works; also when nothing more is sent (OB4). */
  recorded(): Promise<void>;
  /** Asks the root whether it knows of this agent; whether it has said so or not within so long, in ms. */
  reached(ms: number): Promise<boolean>;
  /** Sends nothing more. */
  stop(): void;
}
/** A call that waits for a person, as the directory lists it: its arguments are at its root. */
interface ListedCall extends Omit<PendingCall, 'input' | 'stepId' | 'at'> {
  readonly address: string;
  readonly agentType: string;
  /** How its arguments begin. */
  readonly preview: string;
}
/** A run that failed. `at` is in ms since 1970. */
interface ListedFailure {
  readonly runId: string;
  readonly address: string;
  readonly agentType: string;
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** The message without what differs from run to run. */
  readonly pattern: string;
}
/** A sub-agent that stays, or lives elsewhere. */
interface ListedChild {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly name: string;
  readonly mode: 'ephemeral' | 'persistent';
  readonly placement: ChildNode['placement'];
  readonly status: SessionStatus;
  /** Which of its tasks it is at, from 1. */
  readonly task: number;
  readonly usage: Usage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly stopOwed?: StopOwed;
}
/** What of a tree is told beside how its root stands. */
interface TreeReport {
  /** When an agent of the tree wrote its latest chunk, in ms since 1970. */
  readonly lastActivity: number;
  readonly pendingCount: number;
  /** Of the whole tree. */
  readonly usage: Usage;
  readonly childCounts: Below['childCounts'];
  /** Sub-agents whose last run failed. */
  readonly failedCount: number;
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  /** The ones asked first. */
  readonly pending: readonly ListedCall[];
  /** The newest ones. */
  readonly failures: readonly ListedFailure[];
  /** Those that were active last. */
  readonly children: readonly ListedChild[];
}
/** One row of the log: chunks of one agent that follow each other. */
interface LogRow {
  /** The sequence of its first chunk. */
  readonly first: number;
  /** The agent's id in the record. */
  readonly node: number;
  /** The agent's own number of its first chunk. */
  readonly number: number;
  readonly chunks: readonly Chunk[];
}
/** A token or ticket that was given for a part of the tree; never its text. */
interface GivenToken {
  readonly id: string;
  /** The agent at and below which it counts. */
  readonly address: string;
  readonly actions: readonly Action[];
  /** The one call that it answers. */
  readonly toolCallId?: string;
  /** A digest of the request that made it. */
  readonly asked: string;
  /** For whom or what it is, in the words of who made it. */
  readonly label?: string;
  /** ms since 1970. */
  readonly createdAt: number;
  /** Who made it, as the access check named them. */
  readonly createdBy: string;
  /** The token by which it was made: it ends with that one. */
  readonly madeBy?: string;
  /** ms since 1970. */
  readonly endsAt: number;
  /** It opens one socket; `opened` once it has. */
  readonly ticket?: 'new' | 'opened';
  /** When it was taken back, in ms since 1970. */
  readonly revokedAt?: number;
}
/**
 * The record of a tree, its log and its turns.
 *
 * What is given in stays the caller's, and what is given back is the caller's: neither is changed later. Call the methods
 * that write inside a transaction; with a failure of the storage, which each may throw, that is rolled back. Writing the
 * same again is harmless but for `append`.
 */
interface TreeStore {
  /** The agents of the record, by id: each as it was put last. */
  nodes(): TreeNode[];
  /** Writes one agent: one row, whether it was there or not. */
  put(node: TreeNode): void;
  /** Takes agents out of the record; ids that are not there are passed over. */
  removeNodes(ids: readonly number[]): void;
  /** Writes a token: one row, whether it was there or not. */
  putToken(token: GivenToken): void;
  /** A token as it was written last; undefined for one that is not known (any more). */
  token(id: string): GivenToken | undefined;
  /** All of them, by id. */
  tokens(): GivenToken[];
  /** Forgets tokens; ids that are not there are passed over. */
  dropTokens(ids: readonly string[]): void;
  /** Writes a call that waits for a person, or does no more. */
  putPending(row: PendingRow): void;
  /** The calls that wait for a person now, in no order. */
  openPending(): PendingRow[];
  /** A call that waits for a person, or did; undefined for one that never did, or whose agent was dropped. */
  pending(callId: string): PendingRow | undefined;
  /** Forgets the calls of an agent, those that wait no more included. */
  dropPending(node: number): void;
  /** Adds a row to the log. Throws where its first sequence is taken: one is given once (LG1). Without chunks do not call it. */
  append(row: LogRow): void;
  /**
   * Rows from the one that holds the sequence on, in order: at most `limit`, and beyond the first only as long as all of
   * them together have at most so many characters of JSON.
   */
  read(sequence: number, limit: number, characters: number): LogRow[];
  /** The newest rows of an agent that begin before a sequence, the newest first, at most `limit`. */
  readBack(node: number, before: number, limit: number): LogRow[];
  /** The sequence of an agent's own chunk number; 0 where the log does not hold it. */
  sequenceOf(node: number, number: number): number;
  /** The sequences at which runs of an agent begin, by the ids of the runs, from a sequence on. */
  beginnings(node: number, from: number): Map<string, number>;
  /** The sequences that the log holds. An empty log begins at 1 and ends at 0. */
  extent(): {
    first: number;
    last: number;
  };
  /** Characters of JSON in the rows that begin at a sequence or after it, and before another. */
  size(from: number, to: number): number;
  /** Remembers where the log of a turn of the root begins; what is remembered of that turn already stays. */
  beginTurn(turn: number, first: number): void;
  /** The turns that are remembered, oldest first. */
  turns(): {
    turn: number;
    first: number;
  }[];
  /** Removes the rows that begin before a sequence, and the turns before a turn. */
  compact(sequence: number, turn: number): void;
}
/** What the root's half is given; everything outside of it is reached through this. */
interface RootDeps {
  readonly environment: Environment;
  readonly store: TreeStore;
  /** Runs the body in one transaction of the root's object: all of it is kept, or nothing. */
  transaction<Result>(body: () => AtOnce<Result>): Result;
  /** Sends a message to an agent of the tree by its address. Throws when it cannot be reached; twice is harmless. */
  send(address: string, message: AgentMessage): Promise<AgentAnswer>;
  /** Sets the one alarm, in ms since 1970, or takes it back; what was set before is replaced. */
  arm(time: number | undefined): void;
  /** Tells the directory how the root stands, where there is one. Throws when it cannot be told; twice is harmless. */
  report?(self: RootNode, report: TreeReport): Promise<void>;
  /** Agents were taken out of the record: their objects may go, and their slots be used again. */
  released(): void;
  /** Some of these objects are being removed: the alarm brings that back where it is lost. */
  isSweeping(): boolean;
  readonly limits: Limits;
}
/** Where the log begins from now on. */
interface Kept {
  /** The oldest run that stays. */
  readonly turn: number;
  /** The first sequence that stays. */
  readonly first: number;
}
/** The log in memory: its extent, and its listeners. The rows are in the store. */
declare class TreeLog {
  #private;
  readonly store: TreeStore;
  constructor(store: TreeStore);
  /** The oldest sequence that is whole. */
  get first(): number;
  /** The newest sequence; 0 when nothing was written. */
  get last(): number;
  /** Writes chunks of one agent, and gives the sequence of the last; call it inside a transaction, then `committed` or `rolledBack`. */
  append(node: number, number: number, chunks: readonly Chunk[]): number;
  /** The sequences at which these runs of an agent begin, by their ids; not of those whose beginning is no longer in the log. */
  beginnings(node: number, runIds: readonly string[]): ReadonlyMap<string, number>;
  /** Removes what is older; call it inside a transaction. Readers who ask for it are told where the log begins. */
  compact(kept: Kept): void;
  committed(): void;
  rolledBack(): void;
  /** Chunks at or below an address from a sequence on, at most a page, and where to go on. */
  page(from: number, address: string): {
    chunks: SequencedChunk[];
    next: number;
  };
  /** Told after chunks were committed; gives back how to stop it. */
  listen(listener: () => void): () => void;
}
/** The root's half of a tree, in memory. */
declare class RootRuntime {
  #private;
  readonly deps: RootDeps;
  /** What is removed or erased now: an alarm that rings meanwhile does not do so again (OP12). */
  readonly atWork: Set<unknown>;
  constructor(deps: RootDeps);
  /** The agents of the tree. Another one after a transaction that failed: do not keep it. */
  get tree(): TreeIndex;
  get log(): TreeLog;
  /** The root's own node; created with its session. */
  self(): RootNode | undefined;
  /** The first node of a tree; call it inside the transaction that creates the session. */
  found(session: Session): void;
  /** A new turn of the root begins; call it inside its transaction. */
  beginTurn(turn: number, openTasks: readonly Awaits[]): void;
  /** The oldest turn of the root whose log is there, whole. */
  get oldestTurn(): number | undefined;
  /** The root agent's own way for chunks: straight into the log, in the same transaction. */
  sink(): ChunkSink;
  /** What an agent may spend before it asks again. */
  lease(sessionId: string): Grant;
  /** The calls at or below an agent that wait for a person, the one that has waited longest first. */
  pending(node: TreeNode): {
    readonly node: TreeNode;
    readonly item: PendingCall;
  }[];
  /** How many calls of each agent wait for a person, by its id; of most there are none. */
  pendingCounts(): ReadonlyMap<number, number>;
  /** The agent that a call belongs to which waits for a person, or did. */
  ownerOf(toolCallId: string): {
    readonly node: TreeNode;
    readonly item: PendingCall;
  } | undefined;
  /** Takes an agent with all below it out of the record for good: from this commit on its object is owed to go. */
  remove(node: ChildNode, inTransaction?: () => void): void;
  /** The addresses of agents that left the record, while their objects may still be there. */
  get pendingRemovals(): readonly string[];
  /** Whether an address belongs to a deleted agent, or lies below one, whose object may still be there. */
  isBeingRemoved(address: string): boolean;
  /** Agents that left the record with one above them, whose objects stand alone and are still to be erased. */
  get left(): readonly ChildNode[];
  /** The objects of these are erased; those of the others are tried again, ever less often (OP13). */
  erased(gone: readonly ChildNode[], others: readonly ChildNode[]): void;
  /** The object of a child of the root, which has left with its turn, could not be removed: its removal is owed (OP13). */
  leftInVain(child: Pick<ChildNode, 'address' | 'sessionId'>): void;
  /** The objects of these agents are gone. */
  removed(addresses: readonly string[]): void;
  /** Those whose removal is due now. */
  get dueRemovals(): readonly string[];
  /** The objects of these agents are there still: their removal is tried again. */
  removedInVain(addresses: readonly string[]): void;
  /** Whether the removal of what has left an address was tried in vain. */
  wasTried(address: string): boolean;
  /** Who has left an address and is to go, as its parent finds it: the session that was there, and whether this is the last try. */
  leaving(address: string): LeavingSegment[];
  /** Writes facts of the root alone, in a transaction of its own. */
  note(facts: Partial<TopFacts>): void;
  /** Whether the directory does not know yet how the root stands. */
  owesReport(): boolean;
  /** What the directory is told of the tree now, and the text by which that is known again. */
  told(self: RootNode): {
    report: TreeReport;
    text: string;
  };
  /** Called after each change of the record; gives back how to stop it. */
  watch(watcher: () => void): () => void;
  /** Waits until a condition holds, which is looked at after each change, but at most so long, in ms; whether it holds. */
  until(condition: () => boolean, ms: number): Promise<boolean>;
  /** After a commit: readers are told, what may go goes, the directory is told soon, the alarm is set. */
  changed(): void;
  /** The tree goes: who asks from now on is no part of it, so that nobody begins unseen while its objects are erased (OP10). */
  close(): void;
  /** From an agent below the root: taken in one turn with what others say in the same moment (RT6). */
  takeWithOthers(request: RootRequest): Promise<RootAnswer>;
  /** Everything that an agent has to say, in one transaction (RT1). */
  take(request: RootRequest): Promise<RootAnswer>;
  /** Whether the parent of a child is known to have heard what the child said last. */
  hasHandedOn(sessionId: string): boolean;
  /** An agent has said that it owes something elsewhere, whatever else is due of it: it is woken for that. */
  owing(address: string, { effectAt, owesElsewhere }: Dues): void;
  /** The alarm has come. */
  alarm(): Promise<void>;
}
/** How an agent speaks to its root. */
interface RootLink {
  readonly sink: ChunkSink;
  /** Asks the root; the chunks that were kept so far go along. */
  ask(what: Parameters<Outbox['ask']>[0]): Promise<RootAnswer>;
  /**
   * Takes to the root what children gave to this agent, in one transaction there: an answer for each, in their order.
   * Doing it again is harmless. @throws where the root was not reached, or its answer was lost
   */
  relay(requests: readonly RootRequest[]): Promise<readonly RootAnswer[]>;
  /** What the agent may spend before it asks again. */
  lease(): Promise<Grant>;
  /** Resolves once the alarm of the root would bring the agent back to what it has committed (OB4). */
  recorded(): Promise<void>;
  /** Asks the root whether it knows of the agent; whether it has said so or not within so long, in ms. */
  reached(ms: number): Promise<boolean>;
  stop(): void;
}
/** What an agent reaches of the world outside it. */
interface AgentDeps {
  readonly environment: Environment;
  readonly store: AgentStore;
  /** Whether a session is of this object, and not of the one that this object is a copy of. */
  isOwn(session: Session): boolean;
  /** What a session of that state works by. */
  seat(state: AgentState): Seat;
  /** Resolved on first use, so that a model that cannot be configured fails the run and not the object. */
  model(definition: AgentDefinition): Promise<ModelPort>;
  /** The way to its children, wherever they live. */
  readonly children: Required<ChildTransport<ChildCalls>>;
  /** When what is owed to children elsewhere that have left is due next, in ms since 1970. */
  owedAt(): number | undefined;
  /** The files that a session works on. */
  files(session: Session): WorkFiles;
  /** The value of a variable for a session of that state; undefined where nobody gave one. @throws OffshootError */
  variable(state: AgentState, name: string): Promise<string | undefined>;
  /** What the graph of a child lacks of variables; undefined where nothing. @throws OffshootError */
  lacks(state: AgentState, child: AgentDefinition): Promise<LackedVariables | undefined>;
  /** Removes the session's own files; called in the transaction of the event that begins a further task without them. */
  clearFiles(): void;
  /** Says something to its parent. @throws where that was not reached */
  askThread(root: RootLocation, call: ThreadCall): Promise<ThreadAnswer>;
  /** What is kept of the session's own files for others, and what came for it. */
  readonly kept: KeptFiles;
  /** Asks for something of the files of an agent of its tree. @throws where that was not reached */
  askFiles(root: RootLocation, call: FilesCall): Promise<FilesAnswer>;
  /** Resolves once all that was committed survives a crash. */
  durable(): Promise<void>;
  /** What the agent may spend to begin with. */
  readonly lease?: Lease;
  /** Called in the transaction that creates the session. */
  created?(session: Session): void;
  /** Called in the transaction of an event that begins a run which goes on with no other. */
  runBegins?(turn: number, openTasks: readonly Awaits[]): void;
  /** How the agent speaks to its root; `sink` is its own way for chunks. */
  root(state: AgentState, owner: OutboxOwner): RootLink;
}
/** The beginnings of the children of one agent. */
declare class Beginnings {
  #private;
  /** @param state as it was when the agent came into memory: an earlier life may have begun its children */
  constructor(state: AgentState);
  /** Whether nothing was ever sent to the session of a child, in this life or an earlier one. */
  isUnsent({ sessionId, runNumber, task }: Child): boolean;
  /** Waits for something that children wait for: until then they are about to begin. */
  after(awaited: readonly Promise<unknown>[], children: readonly Child[]): Promise<void>;
  /** Whether a child waits for something, and begins then. */
  waits(sessionId: string): boolean;
  /** The start of a child is under way. */
  begin({ sessionId }: Child, start: Promise<void>): Promise<void>;
  /** The start of a child that is under way, if one is. */
  starting({ sessionId }: Child): Promise<void> | undefined;
  /** The run of a child that is meant has begun. */
  begun(child: Child): void;
  hasBegun(child: Child): boolean;
  /** Forgets of children what nobody asks any more. */
  keepOnly({ children }: AgentState): void;
}
/** What came of a copy. */
type MadeCopy =
/** It is there; `below`: who came along. */
{
  readonly is: 'made';
  readonly below: readonly AlongRequest[];
} |
/** It never will be there: the child never begins, and its parent reads the error. */
{
  readonly is: 'refused';
  readonly error: Failure;
} |
/** It could not be made, and the child is lost. `again`: it was begun, and may be whole the next time. */
{
  readonly is: 'lost';
  readonly why: string;
  readonly again?: true;
};
/** The lease of one agent. */
declare class HeldLease {
  #private;
  /** @param granted what it may spend before it has spent anything */
  constructor(granted?: Lease);
  /** Whether a model call may be made by an agent that has spent so much. */
  covers(spent: Usage): boolean;
  /** A new one, for an agent that has spent so much. */
  take(granted: Lease, at: Usage): void;
  /** The root takes it back when it hears of the end of the run. */
  end(): void;
}
/** Gives works their turn. */
declare class Turns {
  #private;
  readonly environment: Environment;
  constructor(environment: Environment);
  /** Whether a work waits for its turn. */
  waits(id: string): boolean;
  /**
   * Does a work when its turn has come. Rejects where the work does. One that waits under the same id is not done any more:
   * the new one has its turn, and whoever asked for either of them hears how that ends.
   */
  take(id: string, work: () => Promise<void>): Promise<void>;
}
type WithRun = Pick<AgentState, 'run'>;
/** One signal for each run. */
declare class RunSignal {
  #private;
  /** Aborts once the run that is at work now is stopped or has ended; never, where none is. */
  during(state: WithRun): AbortSignal;
  /** The state has changed: aborts where its run is another one, or is not at work any more. */
  look(state: WithRun): void;
  abort(): void;
}
/** What the model of a session has to see before a step. Holds every message of its request. */
declare class Transcript {
  #private;
  readonly store: Pick<AgentStore, 'steps' | 'messages'>;
  readonly viewer?: Viewer | undefined;
  /** @param viewer the side that sees it, where the agent has two */
  constructor(store: Pick<AgentStore, 'steps' | 'messages'>, viewer?: Viewer | undefined);
  /** The messages that a step sees: those of earlier steps, and what arrived up to its beginning. */
  before(step: Step): readonly Message[];
  /** Where what came after the steps before a turn begins, among the messages that a step sees. */
  beginningOf(turn: number): number;
  /** What a compaction of the request of that step goes by, which has been asked for. */
  now(step: Step, fixedBytes: number): ContextNow;
}
/** An agent at work: how it stands, what it works by, and the way a result comes back. */
interface WorkingAgent {
  readonly environment: Environment;
  /** As it was committed last. */
  readonly state: AgentState;
  /** What the session works by now: it is kept for one effect at most. */
  readonly seat: Seat;
  /** Applies an event in one transaction; a refusal changes nothing and is returned. */
  apply(event: AgentEvent): Transition;
  /** Counts what was spent by work that nobody waits for any more. */
  spentLate(usage: Usage): void;
}
/** Whose body it is, as far as its session is concerned. */
interface ThreadFence {
  readonly by: string;
  readonly runId: string;
  readonly epoch: number;
  readonly idempotencyKey: string;
  /** It is a hook of a change of a message. */
  readonly ofChange?: true;
  /** Aborts when the body is not waited for any more. */
  readonly signal: AbortSignal;
}
/** One whose tool, hook or scheduled effect runs. */
interface BodyAgent extends Omit<WorkingAgent, 'apply'> {
  /** `inTransaction` is called in the transaction of an event that was taken. */
  apply(event: AgentEvent, inTransaction?: (applied: Applied) => void): Transition;
  readonly deps: Pick<AgentDeps, 'files' | 'kept' | 'variable' | 'durable' | 'askThread'> & {
    readonly store: Pick<AgentStore, 'named' | 'lastingChildren' | 'countLasting' | 'nextChild' | 'slots' | 'receipt' | 'addReceipt' | 'addAudit' | 'messages'>;
  };
  readonly link: Pick<RootLink, 'ask'>;
  /** For hooks that no effect stands for. */
  readonly runSignal: Pick<RunSignal, 'during'>;
  /** What is changed of a message, as the hooks for it make it. */
  hookedChanges(message: HookedMessage, changes: MessageChanges, call: ThreadFence): Promise<MessageChanges>;
}
/** One whose `stopWhen` is asked. */
interface StoppableAgent extends WorkingAgent {
  readonly deps: {
    readonly store: Pick<AgentStore, 'steps'>;
  };
}
/** One whose model is asked. */
interface ModelAgent extends BodyAgent {
  readonly deps: BodyAgent['deps'] & Pick<AgentDeps, 'model' | 'lacks'> & {
    readonly store: Pick<AgentStore, 'children' | 'variableRequests' | 'namesAhead'>;
  };
  readonly transcript: Pick<Transcript, 'before' | 'now' | 'beginningOf'>;
  readonly lease: HeldLease;
  readonly link: Pick<RootLink, 'ask' | 'lease'>;
}
/** The copies that the children of an agent begin as (`Copies`). */
interface MadeCopies {
  make(agent: ParentAgent): void;
  awaited(child: Child): Promise<unknown>[];
  made(child: Child): MadeCopy | undefined;
  giveUp(agent: ParentAgent, child: Child): Promise<void>;
}
/** One whose children begin, are stopped, or are started anew. */
interface ParentAgent extends WorkingAgent {
  readonly deps: Pick<AgentDeps, 'children' | 'kept'> & {
    readonly store: Pick<AgentStore, 'child'>;
  };
  readonly link: Pick<RootLink, 'ask' | 'relay'>;
  /** How far its children have begun. */
  readonly beginnings: Beginnings;
  /** The copies that its children begin as. */
  readonly copies: MadeCopies;
  /** By when each child that is being stopped has ended or is given up, as far as is known, in ms since 1970; by effect. */
  readonly stoppedBy: Map<string, number>;
  /** The turns in which its children begin. */
  readonly turns: Turns;
  /** Whether an effect is still owed. */
  owes(id: string): boolean;
  /** Aborts once what is in flight is no longer owed. */
  signalOf(id: string): AbortSignal | undefined;
  /**
   * Takes what children deliver that came together, in one transaction; an end that hooks are asked about as soon as they
   * have answered (HK25). What is refused changes nothing.
   */
  takeEnds(ends: readonly Delivery[]): Promise<void>;
}
/** One that a person answers. */
interface AnsweringAgent extends BodyAgent {
  readonly deps: BodyAgent['deps'] & {
    readonly store: Pick<AgentStore, 'steps'>;
  };
}
/** The copies that one agent has made, or is making, in this life; by session. */
declare class Copies {
  #private;
  /** Begins to make every copy that is owed. Making one again is harmless: an earlier life may have made it. */
  make(agent: ParentAgent): void;
  /** A child has never begun, and never will: what there is of the copy that it was to be goes, at the latest when that is made. */
  giveUp(agent: ParentAgent, child: Child): Promise<void>;
  /** What a child waits for before it begins: the copy that it is to be, and those that are made of it (CP1). */
  awaited({ sessionId }: Child): Promise<unknown>[];
  /** What came of the copy that a child is to be; undefined while it is made, and of one that is to be none. */
  made({ sessionId }: Child): MadeCopy | undefined;
}
/** At the child: the answer to the stop of its parent, which is its final flush where its end comes soon. */
declare class StopAnswer {
  #private;
  readonly environment: Environment;
  constructor(environment: Environment);
  /** Whether a parent waits for the end. */
  get isAwaited(): boolean;
  /**
   * Waits for the end of what `stop` stops, for a bounded time; `stop` says whether there is anything to wait for. Gives
   * the final flush, or nothing where the child goes its own way.
   */
  after(stop: () => boolean): Promise<RootRequest | undefined>;
  /** Answers the parent that waits, if one does. */
  give(flush: RootRequest | undefined): void;
}
/** The session begins with the memory that lies in the store; `next` is what it does at once. */
interface Adoption {
  readonly next?: AgentEvent | undefined;
}
/** One agent in memory. It exists only while its session does. */
declare class AgentRuntime implements BodyAgent, StoppableAgent, ModelAgent, ParentAgent, AnsweringAgent {
  #private;
  readonly deps: AgentDeps;
  readonly link: RootLink;
  readonly beginnings: Beginnings;
  readonly copies: Copies;
  readonly turns: Turns;
  readonly lease: HeldLease;
  readonly stoppedBy: Map<string, number>;
  readonly runSignal: RunSignal;
  readonly stopAnswer: StopAnswer;
  private constructor();
  /** The agent whose session is in the store, if there is one of its own. It is resumed before anything else, whatever comes first. */
  static load(deps: AgentDeps): AgentRuntime | undefined;
  /** A new session and its first event, in one transaction. With `copyOf` it takes over what is in the store, up to a cut (CP2). */
  static create(deps: AgentDeps, created: {
    session: NewSession;
    custom: Json;
    event: AgentEvent;
    cut?: Cut | undefined;
    adopts?: Adoption | undefined;
    children?: readonly Child[] | undefined;
  }, inTransaction?: (state: AgentState) => void): {
    agent: AgentRuntime;
    transition: Transition;
  };
  get state(): AgentState;
  get seat(): Seat;
  /** What the model of the seat sees: each side reads the session as its own. */
  get transcript(): Transcript;
  get environment(): Environment;
  /** Takes up what a crash or an eviction left, once, and goes on. */
  resume(): void;
  /**
   * Applies an event: one transaction, together with `inTransaction`; then what is owed is started.
   * A refusal changes nothing and is returned.
   */
  apply(event: AgentEvent, inTransaction?: (applied: Applied) => void): Transition;
  /** Keeps for the root what is owed elsewhere, which is no event. Call it inside a transaction, and what it returns after that. */
  keepDues(): () => void;
  /** Starts what is owed and not in flight; aborts what is in flight and not owed (EG2). */
  pump(): void;
  owes(id: string): boolean;
  /** Whether a child has not begun: nothing was ever sent to it, neither in this life nor in an earlier one. */
  isToBegin(sessionId: string): boolean;
  /** Whether a child waits for its turn, or for copies (the one that it is to be, those made of it), and begins then. */
  isAboutToBegin(sessionId: string): boolean;
  signalOf(id: string): AbortSignal | undefined;
  hookedChanges(message: HookedMessage, changes: MessageChanges, call: ThreadFence): Promise<MessageChanges>;
  spentLate(usage: Usage): void;
  /** A message from the root or the parent. Most are events as they are. */
  receive(message: AgentMessage): Promise<AgentAnswer>;
  applyAll(events: readonly AgentEvent[]): void;
  takeEnds(ends: readonly Delivery[]): Promise<void>;
  /** Whether it does nothing any more. */
  get isStopped(): boolean;
  /** Ends everything in memory: nothing more is performed or sent. */
  stop(): void;
}
/** The object whose children they are. */
interface RemoteParent {
  readonly environment: Environment;
  readonly store: AgentStore;
  /**
   * What the agent knows of those that a way leads to, by the name of the tool or of the companion's agent; `by` is the
   * name of the agent below whose way it is, where that is another one.
   */
  agentBy(way: string, by?: string): AgentDefinition | undefined;
  /** Keeps for the root when something is owed. Call it inside a transaction, and what it returns after that: it sends it. */
  keepDues(): () => void;
  /** @throws where the root was not reached, or its answer was lost */
  askRoot(root: RemoteRun['root'], request: RootRequest): Promise<RootAnswer>;
}
/** The children elsewhere of one object, whatever its definitions bring. */
declare class Elsewhere implements ElsewhereTransport<ChildCalls> {
  #private;
  readonly parent: RemoteParent;
  readonly definition: AgentDefinition;
  /** @param definition that of the object's class */
  constructor(parent: RemoteParent, definition: AgentDefinition);
  send<Kind extends keyof ChildCalls>(child: ChildRef, message: ChildCalls[Kind]['message'] & {
    readonly kind: Kind;
  }): Promise<ChildCalls[Kind]['answer']>;
  remove(child: ChildRef): Promise<void>;
  copy(source: ChildRef, child: ChildRef): Promise<boolean>;
  open(): void;
  owedAt(): number | undefined;
  /** Whether any agent at or below this one may owe anything elsewhere, by what is defined. */
  get mayOwe(): boolean;
  leave(by: string): RemoteRun[];
  adopt(owed: readonly RemoteRun[]): void;
  paid(): Promise<void>;
  stop(): void;
}
/** How a root stands, as it is listed. */
interface ListedRoot {
  readonly name: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** When it had its latest event, in ms since 1970. */
  readonly lastActivity: number;
  readonly status: string;
  readonly displayName?: string;
  readonly tags: readonly string[];
  /** The display name, else how its first message begins: at most 200 characters. */
  readonly title?: string;
  /** How the message begins that its newest turn was asked with: at most 200 characters. */
  readonly preview?: string;
  /** The step that its newest run is at, or has ended with; 0 before the first. */
  readonly steps?: number;
  readonly pendingCount?: number;
  readonly usage?: TreeReport['usage'];
  readonly childCounts?: TreeReport['childCounts'];
  readonly failedCount?: number;
  readonly error?: TreeReport['error'];
}
/** What a root tells the directory of its class: all of what is listed of it, each time. One of an older release tells less. */
interface RootReport extends ListedRoot, Partial<Pick<TreeReport, 'pending' | 'failures' | 'children'>> {}
/** A root that is deleted, and what its deletion was asked with. */
interface Deletion {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of what was begun at it: none of that is begun again when its request is repeated. */
  readonly begun?: readonly string[];
}
/** What the directory of a class does for its roots. All may be called again with the same. */
interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  recordDeletion(deletion: Deletion): Promise<void>;
  /** Whether a root of this name was deleted in the last 24 h with that key, or had begun something with that receipt. */
  wasDeleted(name: string, key: string): Promise<boolean>;
}
/** A place in a list over roots: the time that it is ordered by, in ms since 1970, and what tells apart those of one time. */
interface ListPosition {
  readonly at: number;
  readonly key: string;
}
/** Which roots are listed: the latest first, by when they began or were active, after a position in that order. */
interface RootsQuery {
  readonly limit: number;
  /** `createdAt` by default. */
  readonly by?: 'createdAt' | 'lastActivity';
  readonly after?: ListPosition;
  readonly statuses?: readonly string[];
  readonly tag?: string;
  /** A text in the name, the title or a tag, in any case of ASCII. */
  readonly q?: string;
}
/** Which of them: those that wait for a person oldest first, others the latest first. */
interface ListedQuery {
  readonly limit: number;
  readonly after?: ListPosition;
  /** Fields that have these values. */
  readonly where?: {
    readonly [field: string]: string;
  };
  /** Those at that time or after it, in ms since 1970. */
  readonly since?: number;
  /** A text in its name or address, in any case of ASCII. */
  readonly q?: string;
  /** Those that owe a stop alone. */
  readonly owing?: boolean;
}
/** One of a list, with its place in that. */
interface ListedAt<Item> extends ListPosition {
  readonly item: Item;
}
/** Failed runs of one agent type that have the same code, and messages that are alike. */
interface CauseCount {
  readonly code: string;
  /** Empty for those of an older release. */
  readonly pattern: string;
  readonly agentType: string;
  readonly count: number;
  /** ms since 1970. */
  readonly lastAt: number;
}
/** The lists of one class, which wake no root. */
interface DirectoryLists {
  roots(query: RootsQuery): Promise<readonly ListedRoot[]>;
  pending(query: ListedQuery): Promise<readonly ListedAt<ListedCall>[]>;
  errors(query: ListedQuery): Promise<readonly ListedAt<ListedFailure>[]>;
  children(query: ListedQuery): Promise<readonly ListedAt<ListedChild>[]>;
  /** The causes of failed runs with these fields since a time, the most frequent first. */
  causes(since: number, where?: ListedQuery['where']): Promise<readonly CauseCount[]>;
}
/** The claims of one caller. Holding one and giving it back may be repeated. */
interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}
/** The stores of one object. Nothing is made and nothing is written before `open` or `make`; use them after one of these. */
interface ObjectStores {
  readonly agent: AgentStore;
  /** The store of a tree; of a top-level object alone. @throws TypeError for any other object */
  tree(): TreeStore;
  /**
   * Brings the stores that are there to this release. False where none were ever made: then nothing is written. Doing it
   * again changes nothing. @throws Error for a storage that a newer release wrote
   */
  open(): boolean;
  /** Makes the stores where they are not there; otherwise as `open`. */
  make(): void;
}
/** The object of a root, as far as its claim goes. */
interface ClaimedObject {
  readonly agent: {
    readonly state: {
      readonly session: Pick<Session, 'claim'>;
    };
  } | undefined;
  readonly environment: Pick<Environment, 'token' | 'report'>;
  readonly ports: {
    rootClaims?(caller: string): RootClaimsPort | undefined;
  };
}
/** The object that a copy comes into, as far as copies go. */
interface CopyTarget extends ClaimedObject {
  readonly agent: {
    readonly state: AgentState;
  } | undefined;
  readonly tree: Pick<RootRuntime, 'self'> | undefined;
  readonly environment: Environment;
  readonly store: AgentStore;
  readonly children: Pick<ChildTransport<ChildCalls>, 'send' | 'remove'>;
  readonly ports: ClaimedObject['ports'] & {
    readonly topLevel: RootLocation | undefined;
    readonly standsAlone?: true;
    readonly stores: ObjectStores;
    readonly files: FileStore;
    arm(time: number): void;
    directory?(): DirectoryPort | undefined;
    erase?(): void;
  };
  newRootSession(facts: Partial<NewSession> & Pick<NewSession, 'tags'>): NewSession;
  create(session: NewSession, custom: Json, event: AgentEvent, inTransaction: (state: AgentState) => void, begins: {
    readonly adopts: Adoption;
  }): Promise<Transition>;
  /** Begins a session at rest with the memory that has come. */
  rest(session: NewSession, custom: Json): AgentState;
}
/** Takes copies into one object. */
declare class CopyIn {
  #private;
  readonly object: CopyTarget;
  constructor(object: CopyTarget);
  /** Whether a copy is on its way, so that nothing else may begin here. */
  get isGoingOn(): boolean;
  /** Whether a memory is here, or on its way, that is nobody's yet. The store must have been made. */
  get isHalfMade(): boolean;
  /** There was a store without a session. */
  found(): void;
  /** Whether something of a copy is to be removed before a session begins here. */
  get hasLeft(): boolean;
  /** Removes what was left of a copy, with those who were to come along, before a session begins here. */
  clear(): Promise<void>;
  /** The alarm has come, and nobody is here. */
  alarm(): Promise<void>;
  take(call: CopyCall): Promise<CopyAnswer>;
}
/**
 * The port to what seals values of variables: nothing of them is at rest, or on its way between objects, in the open.
 *
 * Keeps VR4.
 */
/** Seals and opens, at once. What was sealed is opened by every object of the Worker, also once a newer key stands in front. */
interface Vault {
  /** A text that tells nothing of the value. @throws OffshootError `no_encryption_key`, with what to set */
  seal(name: string, value: string): string;
  /** The value, for that name alone. @throws OffshootError `no_encryption_key` where no key that is there opens it */
  open(name: string, sealed: string): string;
}
/** Where an object runs and what it reaches; `Of` is what such an object is. */
interface ObjectPorts<Of> {
  readonly environment: Environment;
  /** That of its class: what a session begins with, and what the tree and the documents of a root keep to. */
  readonly definition: AgentDefinition;
  /**
   * What a session of that state works by. Asked at each event and effect, so it must follow from the state alone, give
   * the same seat for the same definition (`seatOf`), and not throw.
   */
  seat(state: AgentState): Seat;
  readonly stores: ObjectStores;
  readonly files: FileStore;
  /** Seals what variables are given. */
  readonly vault: Vault;
  /** Resolves once all that was committed to the storage survives a crash. */
  durable(): Promise<void>;
  /** Whether an address is that of this object: it is another one where the store is a copy that is not the copy's own yet. */
  isAt(address: string): boolean;
  /** Set for a top-level object, which has an alarm and a log of its own: where it is. */
  readonly topLevel: RootLocation | undefined;
  model(definition: AgentDefinition): Promise<ModelPort>;
  /** It is a child's, and no facet: it has an alarm of its own. */
  readonly standsAlone?: true;
  /** How children are reached, by where they live. */
  readonly transports: HostTransports<ChildCalls>;
  /** Takes what an agent below a root has to say to that root. @throws where it was not reached, or its answer was lost */
  askRoot(root: RootLocation, request: RootRequest): Promise<RootAnswer>;
  /** The same for what is asked of the files of an agent of its tree. */
  askFiles(root: RootLocation, call: FilesCall): Promise<FilesAnswer>;
  /** The same for what is asked of the variables of those above. */
  askVariables(root: RootLocation, call: VariablesCall): Promise<VariablesAnswer>;
  /** The same for what a session says to its parent. */
  askThread(root: RootLocation, call: ThreadCall): Promise<ThreadAnswer>;
  /** Says something to the object that a copy of this root is to be in. @throws where it was not reached */
  copyTo(root: RootLocation, call: CopyCall): Promise<CopyAnswer>;
  /** Sets the one alarm of a top-level object, in ms since 1970, or takes it back. */
  arm(time: number | undefined): void;
  /** The directory of a root's class, where there is one. */
  directory?(): DirectoryPort | undefined;
  /** The claims of a caller's new roots, where there is a directory. */
  rootClaims?(caller: string): RootClaimsPort | undefined;
  /** Takes an object that stands alone from storage and memory, soon after this call. */
  erase?(): void;
  /** Gives out a pass for a socket, where sockets are. */
  socket?(call: SocketCall): SocketAnswer;
  /** Whether what a request opened may still be done. Without this, rights stay. */
  access?(opening: RequestOpening, question: {
    readonly address: string;
    readonly action: Action;
  }): Promise<RightNow>;
  /** A token was taken back: what it has opened ends. */
  revoked?(): void;
  /** Answers a verb at this object. */
  verb(object: Of, call: VerbCall): Promise<VerbAnswer>;
}
/**
 * The child that a segment of an address means, among the children whose rows are in the store. Nothing is created by
 * looking: `gone` for an older generation of a slot and for one that was removed, `not_found` for what never was.
 */
declare function childAt(store: AgentStore, { className, name }: Segment): {
  readonly ok: true;
  readonly child: Child;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** What a session begins with beside its first event. */
interface BeginsWith {
  readonly lease?: Lease | undefined;
  /** Of a copy: where its memory ends. */
  readonly cut?: Cut | undefined;
  readonly adopts?: Adoption | undefined;
  /** Of a copy: its children, as it has them. */
  readonly children?: readonly Child[] | undefined;
}
/** The custom state that a session begins with, or why it has none. */
type FirstState = {
  readonly ok: true;
  readonly json: Json;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** One object in memory. */
declare class ObjectRuntime {
  #private;
  readonly ports: ObjectPorts<ObjectRuntime>;
  readonly store: AgentStore;
  /** Its agent's children, each by the transport of its placement. */
  readonly children: Required<ChildTransport<ChildCalls>>;
  readonly elsewhere: Elsewhere;
  /** Ends with the last clearing away that began as agents left the record. */
  cleared: Promise<void>;
  /** Takes in copies of other roots, or of a companion. */
  readonly copyIn: CopyIn;
  constructor(ports: ObjectPorts<ObjectRuntime>);
  /** The agent of this object, if its session was created. */
  get agent(): AgentRuntime | undefined;
  /** The root's half, at the top of a tree whose session was created. */
  get tree(): RootRuntime | undefined;
  /** What its session works by now; before there is one, what it would begin with. */
  get definition(): AgentDefinition;
  get environment(): Environment;
  /** Whether this object stands alone: it has an alarm of its own, and the record and the log of the tree that begins in it. */
  get isTopLevel(): boolean;
  /** Whether the agent here has no parent; before its session is there, whether it would have none. */
  get isRoot(): boolean;
  /** Loads what is there, by local SQL alone. An object without a session writes nothing. */
  open(): void;
  /** Goes on with what is owed. */
  resume(): void;
  /** Prepares the store alone: what a template needs. */
  prepare(): void;
  /** A message to any agent of the tree, from the root. */
  send(address: string, message: AgentMessage): Promise<AgentAnswer>;
  /** A call from another object of the tree, or from the Worker. What it changed here survives a crash from the answer on. */
  call<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>>;
  /** Passes a verb down one level. Nothing is created by asking: the segment must mean a child that this agent has. */
  down(call: VerbCall): Promise<VerbAnswer>;
  /** The child that a segment of an address means: `gone` for an older generation of its slot, `not_found` for what never was. */
  childAt(segment: Segment): ReturnType<typeof childAt>;
  /** Whether a slot holds no child; false without a number, because such a facet was not made by Offshoot. */
  isFree(className: string, slot: number | undefined): boolean;
  /** Begins a session at rest with the memory that has come. */
  rest(session: NewSession, custom: Json): AgentState;
  /** The custom state that a session begins with where nothing gives it: the defaults of its schema, else an empty object. */
  firstState(): Promise<FirstState>;
  /** Creates the session with its first event, in one transaction. With a session here already, the event is applied to it. */
  create(session: NewSession, custom: Json, event: AgentEvent, inTransaction?: (state: AgentState) => void, { lease, ...more }?: BeginsWith): Promise<Transition>;
  /** The session of a new root. @throws OffshootError `not_a_root` for an agent that only works for others */
  newRootSession(facts: Pick<NewSession, 'displayName' | 'metadata' | 'claim'> & {
    tags: readonly string[];
  }): NewSession;
  /** What is owed to agents elsewhere that have left. */
  get dues(): Dues;
  /** The alarm has come. */
  alarm(): Promise<void>;
  /** Ends everything in memory. */
  stop(): void;
}
/** What of a verb lies in parts of HTTP other than its path, query and JSON: other ways to call it know nothing of this. */
interface HttpFacts {
  /** Which headers are fields of the input: those of a file that comes, of the part of one, of a stream that goes on. */
  readonly reads?: 'upload' | 'range' | 'last-event-id';
  /** What the bytes of the answer are. */
  readonly answers?: 'file' | 'events';
  /** Fields of the output that are paths of this server. */
  readonly links?: readonly string[];
}
/** Which way bytes go that come beside the JSON. */
type Carried = 'in' | 'out';
/** The facts of a verb. */
interface VerbFacts {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What else the caller must be allowed, where that follows from the input. */
  also?(address: string, input: JsonLike): readonly {
    readonly address: string;
    readonly action: Action;
  }[];
  /** What follows the address; `{path}` is one encoded segment. Empty for the address itself. */
  readonly path: string;
  readonly action: Action;
  /** One sentence: what it does. */
  readonly summary: string;
  /** The HTTP status of a success that does not say otherwise. */
  readonly status: number;
  /** What can go wrong beside what every verb answers. */
  readonly errors: readonly ErrorCode[];
  /** Whether bytes come in or go out beside the JSON: then it is no socket call. */
  readonly bytes?: Carried;
  readonly http?: HttpFacts;
  /** Under what the directory remembers an acceptance that has taken the root with it, by the caller and its key. */
  directoryKey?(caller: string, idempotencyKey: string): string;
}
/** What goes in, and what comes out, is written as JSON on its way. */
type VerbSchema = z$1.ZodType<JsonLike>;
/** One row of the table; its name, its schemas and its bytes are known to the types too, so that callers can be typed by it. */
interface Verb<Name extends string = string, Input extends VerbSchema = VerbSchema, Output extends VerbSchema = VerbSchema, Bytes extends Carried = Carried> extends VerbFacts {
  readonly name: Name;
  readonly bytes?: Bytes;
  readonly input: Input;
  readonly output: Output;
  /** Answers at an object; throws nothing that is expected. */
  answer(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer>;
}
/** Every verb, by its name. */
declare const VERB: {
  readonly start: Verb<"start", import("zod").ZodObject<{
    displayName: import("zod").ZodOptional<import("zod").ZodString>;
    tags: import("zod").ZodOptional<import("zod").ZodArray<import("zod").ZodString>>;
    metadata: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    message: import("zod").ZodOptional<import("zod").ZodString>;
    to: import("zod").ZodOptional<import("zod").ZodEnum<{
      side_a: "side_a";
      side_b: "side_b";
    }>>;
    input: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    state: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    files: import("zod").ZodOptional<import("zod").ZodArray<import("zod").ZodObject<{
      path: import("zod").ZodString;
      mediaType: import("zod").ZodOptional<import("zod").ZodString>;
      base64: import("zod").ZodBase64;
    }, import("zod/v4/core").$strict>>>;
    env: import("zod").ZodOptional<import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodNullable<import("zod").ZodString>>>;
    wait: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodBoolean, import("zod").ZodNumber]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodUnion<readonly [import("zod").ZodObject<{
    sessionId: import("zod").ZodString;
    runId: import("zod").ZodString;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    address: import("zod").ZodString;
    streamUrl: import("zod").ZodString;
  }, import("zod/v4/core").$strip>, import("zod").ZodObject<{
    sessionId: import("zod").ZodString;
    agentType: import("zod").ZodString;
    address: import("zod").ZodString;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    statusText: import("zod").ZodOptional<import("zod").ZodString>;
    childCounts: import("zod").ZodObject<{
      running: import("zod").ZodNumber;
      queued: import("zod").ZodNumber;
      waiting: import("zod").ZodNumber;
      total: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>;
    usage: import("zod").ZodReadonly<import("zod").ZodObject<{
      inputTokens: import("zod").ZodNumber;
      outputTokens: import("zod").ZodNumber;
      cachedTokens: import("zod").ZodNumber;
      cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      reasoningTokens: import("zod").ZodNumber;
      modelCalls: import("zod").ZodNumber;
      toolCalls: import("zod").ZodNumber;
      costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>;
    lastSequence: import("zod").ZodNumber;
    stopOwed: import("zod").ZodOptional<import("zod").ZodObject<{
      verb: import("zod").ZodEnum<{
        abort: "abort";
        interrupt: "interrupt";
        terminate: "terminate";
      }>;
      runId: import("zod").ZodString;
      since: import("zod").ZodNumber;
      attempts: import("zod").ZodNumber;
      nextAt: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>;
    name: import("zod").ZodOptional<import("zod").ZodString>;
    task: import("zod").ZodOptional<import("zod").ZodNumber>;
    displayName: import("zod").ZodOptional<import("zod").ZodString>;
    tags: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodString>>;
    metadata: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    activeAgent: import("zod").ZodOptional<import("zod").ZodString>;
    run: import("zod").ZodOptional<import("zod").ZodObject<{
      runId: import("zod").ZodString;
      epoch: import("zod").ZodNumber;
      turn: import("zod").ZodNumber;
      chainTurn: import("zod").ZodNumber;
      chainRunId: import("zod").ZodString;
      status: import("zod").ZodEnum<{
        completed: "completed";
        failed: "failed";
        interrupted: "interrupted";
        running: "running";
        suspended_awaiting_children: "suspended_awaiting_children";
        suspended_client_tool: "suspended_client_tool";
        suspended_step_partial: "suspended_step_partial";
        terminated: "terminated";
      }>;
      startSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      chainStartSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      traceparent: import("zod").ZodOptional<import("zod").ZodString>;
      startedAt: import("zod").ZodNumber;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      output: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      error: import("zod").ZodOptional<import("zod").ZodObject<{
        code: import("zod").ZodString;
        category: import("zod").ZodString;
        message: import("zod").ZodString;
        title: import("zod").ZodExactOptional<import("zod").ZodString>;
        retryable: import("zod").ZodBoolean;
        retryAfterMs: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        details: import("zod").ZodExactOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>;
      failureReason: import("zod").ZodOptional<import("zod").ZodString>;
      completionReason: import("zod").ZodOptional<import("zod").ZodString>;
      reason: import("zod").ZodOptional<import("zod").ZodString>;
      resumedFrom: import("zod").ZodOptional<import("zod").ZodString>;
      step: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>;
    pending: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      toolCallId: import("zod").ZodString;
      kind: import("zod").ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
      toolName: import("zod").ZodString;
      input: import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>;
      inputHash: import("zod").ZodString;
      address: import("zod").ZodString;
      agentType: import("zod").ZodString;
      requestedAt: import("zod").ZodNumber;
      expiresAt: import("zod").ZodOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    variableRequests: import("zod").ZodOptional<import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      requestId: import("zod").ZodString;
      agentType: import("zod").ZodString;
      requestedAt: import("zod").ZodNumber;
      expiresAt: import("zod").ZodNumber;
      variables: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
        name: import("zod").ZodString;
        type: import("zod").ZodEnum<{
          secret: "secret";
          text: "text";
        }>;
        description: import("zod").ZodOptional<import("zod").ZodString>;
        declaredBy: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodString>>;
        required: import("zod").ZodBoolean;
        missing: import("zod").ZodBoolean;
      }, import("zod/v4/core").$strip>>>;
    }, import("zod/v4/core").$strip>>>>;
    controls: import("zod").ZodObject<{
      start: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      send: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      interrupt: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      abort: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      terminate: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      resume: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      retry: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      submit: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      fork: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      remove: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
    }, import("zod/v4/core").$strip>;
  }, import("zod/v4/core").$strip>]>, never>;
  readonly send: Verb<"send", import("zod").ZodObject<{
    content: import("zod").ZodString;
    role: import("zod").ZodOptional<import("zod").ZodEnum<{
      system: "system";
      user: "user";
    }>>;
    to: import("zod").ZodOptional<import("zod").ZodEnum<{
      side_a: "side_a";
      side_b: "side_b";
    }>>;
    attachments: import("zod").ZodOptional<import("zod").ZodArray<import("zod").ZodObject<{
      mediaType: import("zod").ZodString;
      filename: import("zod").ZodOptional<import("zod").ZodString>;
      base64: import("zod").ZodBase64;
    }, import("zod/v4/core").$strict>>>;
    metadata: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    env: import("zod").ZodOptional<import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodNullable<import("zod").ZodString>>>;
    runId: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    messageId: import("zod").ZodString;
    delivery: import("zod").ZodEnum<{
      queued: "queued";
      started: "started";
    }>;
  }, import("zod/v4/core").$strip>, never>;
  readonly interrupt: Verb<"interrupt", import("zod").ZodObject<{
    reason: import("zod").ZodOptional<import("zod").ZodString>;
    runId: import("zod").ZodOptional<import("zod").ZodString>;
    start: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    begun: import("zod").ZodExactOptional<import("zod").ZodBoolean>;
  }, import("zod/v4/core").$strip>, never>;
  readonly abort: Verb<"abort", import("zod").ZodObject<{
    reason: import("zod").ZodOptional<import("zod").ZodString>;
    runId: import("zod").ZodOptional<import("zod").ZodString>;
    start: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    begun: import("zod").ZodExactOptional<import("zod").ZodBoolean>;
  }, import("zod/v4/core").$strip>, never>;
  readonly terminate: Verb<"terminate", import("zod").ZodObject<{
    reason: import("zod").ZodOptional<import("zod").ZodString>;
    runId: import("zod").ZodOptional<import("zod").ZodString>;
    start: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    begun: import("zod").ZodExactOptional<import("zod").ZodBoolean>;
  }, import("zod/v4/core").$strip>, never>;
  readonly resume: Verb<"resume", import("zod").ZodObject<{
    message: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    sessionId: import("zod").ZodString;
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    address: import("zod").ZodString;
    streamUrl: import("zod").ZodString;
    messageId: import("zod").ZodExactOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly retry: Verb<"retry", import("zod").ZodObject<{
    message: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    sessionId: import("zod").ZodString;
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    address: import("zod").ZodString;
    streamUrl: import("zod").ZodString;
    messageId: import("zod").ZodExactOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly fork: Verb<"fork", import("zod").ZodObject<{
    name: import("zod").ZodString;
    message: import("zod").ZodOptional<import("zod").ZodString>;
    checkpoint: import("zod").ZodOptional<import("zod").ZodString>;
    resume: import("zod").ZodOptional<import("zod").ZodBoolean>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    address: import("zod").ZodString;
    streamUrl: import("zod").ZodString;
    sessionId: import("zod").ZodExactOptional<import("zod").ZodString>;
    status: import("zod").ZodExactOptional<import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>>;
    runId: import("zod").ZodExactOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly pending: Verb<"pending", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      toolCallId: import("zod").ZodString;
      kind: import("zod").ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
      toolName: import("zod").ZodString;
      input: import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>;
      inputHash: import("zod").ZodString;
      address: import("zod").ZodString;
      agentType: import("zod").ZodString;
      requestedAt: import("zod").ZodNumber;
      expiresAt: import("zod").ZodOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly submit: Verb<"submit", import("zod").ZodDiscriminatedUnion<[import("zod").ZodObject<{
    kind: import("zod").ZodLiteral<"client-tool-result">;
    toolCallId: import("zod").ZodString;
    result: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    error: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    kind: import("zod").ZodLiteral<"approval-response">;
    toolCallId: import("zod").ZodString;
    approved: import("zod").ZodBoolean;
    reason: import("zod").ZodOptional<import("zod").ZodString>;
    input: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    inputHash: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>], "kind">, import("zod").ZodObject<{
    status: import("zod").ZodLiteral<"accepted">;
    relation: import("zod").ZodEnum<{
      continues: "continues";
      new_run: "new_run";
    }>;
  }, import("zod/v4/core").$strip>, never>;
  readonly status: Verb<"status", import("zod").ZodObject<{}, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    sessionId: import("zod").ZodString;
    agentType: import("zod").ZodString;
    address: import("zod").ZodString;
    status: import("zod").ZodEnum<{
      completed: "completed";
      failed: "failed";
      idle: "idle";
      interrupted: "interrupted";
      queued: "queued";
      running: "running";
      suspended_awaiting_children: "suspended_awaiting_children";
      suspended_client_tool: "suspended_client_tool";
      suspended_step_partial: "suspended_step_partial";
      terminated: "terminated";
    }>;
    statusText: import("zod").ZodOptional<import("zod").ZodString>;
    childCounts: import("zod").ZodObject<{
      running: import("zod").ZodNumber;
      queued: import("zod").ZodNumber;
      waiting: import("zod").ZodNumber;
      total: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>;
    usage: import("zod").ZodReadonly<import("zod").ZodObject<{
      inputTokens: import("zod").ZodNumber;
      outputTokens: import("zod").ZodNumber;
      cachedTokens: import("zod").ZodNumber;
      cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      reasoningTokens: import("zod").ZodNumber;
      modelCalls: import("zod").ZodNumber;
      toolCalls: import("zod").ZodNumber;
      costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>;
    lastSequence: import("zod").ZodNumber;
    stopOwed: import("zod").ZodOptional<import("zod").ZodObject<{
      verb: import("zod").ZodEnum<{
        abort: "abort";
        interrupt: "interrupt";
        terminate: "terminate";
      }>;
      runId: import("zod").ZodString;
      since: import("zod").ZodNumber;
      attempts: import("zod").ZodNumber;
      nextAt: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>;
    name: import("zod").ZodOptional<import("zod").ZodString>;
    task: import("zod").ZodOptional<import("zod").ZodNumber>;
    displayName: import("zod").ZodOptional<import("zod").ZodString>;
    tags: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodString>>;
    metadata: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    activeAgent: import("zod").ZodOptional<import("zod").ZodString>;
    run: import("zod").ZodOptional<import("zod").ZodObject<{
      runId: import("zod").ZodString;
      epoch: import("zod").ZodNumber;
      turn: import("zod").ZodNumber;
      chainTurn: import("zod").ZodNumber;
      chainRunId: import("zod").ZodString;
      status: import("zod").ZodEnum<{
        completed: "completed";
        failed: "failed";
        interrupted: "interrupted";
        running: "running";
        suspended_awaiting_children: "suspended_awaiting_children";
        suspended_client_tool: "suspended_client_tool";
        suspended_step_partial: "suspended_step_partial";
        terminated: "terminated";
      }>;
      startSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      chainStartSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      traceparent: import("zod").ZodOptional<import("zod").ZodString>;
      startedAt: import("zod").ZodNumber;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      output: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      error: import("zod").ZodOptional<import("zod").ZodObject<{
        code: import("zod").ZodString;
        category: import("zod").ZodString;
        message: import("zod").ZodString;
        title: import("zod").ZodExactOptional<import("zod").ZodString>;
        retryable: import("zod").ZodBoolean;
        retryAfterMs: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        details: import("zod").ZodExactOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>;
      failureReason: import("zod").ZodOptional<import("zod").ZodString>;
      completionReason: import("zod").ZodOptional<import("zod").ZodString>;
      reason: import("zod").ZodOptional<import("zod").ZodString>;
      resumedFrom: import("zod").ZodOptional<import("zod").ZodString>;
      step: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>;
    pending: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      toolCallId: import("zod").ZodString;
      kind: import("zod").ZodEnum<{
        approval: "approval";
        "client-tool": "client-tool";
      }>;
      toolName: import("zod").ZodString;
      input: import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>;
      inputHash: import("zod").ZodString;
      address: import("zod").ZodString;
      agentType: import("zod").ZodString;
      requestedAt: import("zod").ZodNumber;
      expiresAt: import("zod").ZodOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    variableRequests: import("zod").ZodOptional<import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      requestId: import("zod").ZodString;
      agentType: import("zod").ZodString;
      requestedAt: import("zod").ZodNumber;
      expiresAt: import("zod").ZodNumber;
      variables: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
        name: import("zod").ZodString;
        type: import("zod").ZodEnum<{
          secret: "secret";
          text: "text";
        }>;
        description: import("zod").ZodOptional<import("zod").ZodString>;
        declaredBy: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodString>>;
        required: import("zod").ZodBoolean;
        missing: import("zod").ZodBoolean;
      }, import("zod/v4/core").$strip>>>;
    }, import("zod/v4/core").$strip>>>>;
    controls: import("zod").ZodObject<{
      start: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      send: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      interrupt: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      abort: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      terminate: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      resume: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      retry: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      submit: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      fork: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
      remove: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
        code: import("zod").ZodString;
        title: import("zod").ZodString;
        detail: import("zod").ZodString;
      }, import("zod/v4/core").$strip>]>;
    }, import("zod/v4/core").$strip>;
  }, import("zod/v4/core").$strip>, never>;
  readonly tree: Verb<"tree", import("zod").ZodObject<{
    depth: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodType<TreeShown, unknown, import("zod/v4/core").$ZodTypeInternals<TreeShown, unknown>>, never>;
  readonly runs: Verb<"runs", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      runId: import("zod").ZodString;
      epoch: import("zod").ZodNumber;
      turn: import("zod").ZodNumber;
      chainTurn: import("zod").ZodNumber;
      chainRunId: import("zod").ZodString;
      status: import("zod").ZodEnum<{
        completed: "completed";
        failed: "failed";
        interrupted: "interrupted";
        running: "running";
        suspended_awaiting_children: "suspended_awaiting_children";
        suspended_client_tool: "suspended_client_tool";
        suspended_step_partial: "suspended_step_partial";
        terminated: "terminated";
      }>;
      startSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      chainStartSequence: import("zod").ZodOptional<import("zod").ZodNumber>;
      traceparent: import("zod").ZodOptional<import("zod").ZodString>;
      startedAt: import("zod").ZodNumber;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      output: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      error: import("zod").ZodOptional<import("zod").ZodObject<{
        code: import("zod").ZodString;
        category: import("zod").ZodString;
        message: import("zod").ZodString;
        title: import("zod").ZodExactOptional<import("zod").ZodString>;
        retryable: import("zod").ZodBoolean;
        retryAfterMs: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        details: import("zod").ZodExactOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>;
      failureReason: import("zod").ZodOptional<import("zod").ZodString>;
      completionReason: import("zod").ZodOptional<import("zod").ZodString>;
      reason: import("zod").ZodOptional<import("zod").ZodString>;
      resumedFrom: import("zod").ZodOptional<import("zod").ZodString>;
      input: import("zod").ZodOptional<import("zod").ZodString>;
      usage: import("zod").ZodOptional<import("zod").ZodReadonly<import("zod").ZodObject<{
        inputTokens: import("zod").ZodNumber;
        outputTokens: import("zod").ZodNumber;
        cachedTokens: import("zod").ZodNumber;
        cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        reasoningTokens: import("zod").ZodNumber;
        modelCalls: import("zod").ZodNumber;
        toolCalls: import("zod").ZodNumber;
        costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      }, import("zod/v4/core").$strip>>>;
      steps: import("zod").ZodOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly calls: Verb<"calls", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      toolCallId: import("zod").ZodString;
      toolName: import("zod").ZodString;
      kind: import("zod").ZodEnum<{
        "built-in": "built-in";
        "client-tool": "client-tool";
        refused: "refused";
        "sub-agent": "sub-agent";
        tool: "tool";
      }>;
      input: import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>;
      turn: import("zod").ZodNumber;
      step: import("zod").ZodNumber;
      status: import("zod").ZodEnum<{
        failed: "failed";
        open: "open";
        pending: "pending";
        succeeded: "succeeded";
      }>;
      expiresAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      answer: import("zod").ZodOptional<import("zod").ZodObject<{
        kind: import("zod").ZodEnum<{
          "approval-response": "approval-response";
          "client-tool-result": "client-tool-result";
        }>;
        at: import("zod").ZodNumber;
        approved: import("zod").ZodOptional<import("zod").ZodBoolean>;
        actor: import("zod").ZodOptional<import("zod").ZodString>;
        reason: import("zod").ZodOptional<import("zod").ZodString>;
        input: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>;
      bodies: import("zod").ZodNumber;
      result: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      error: import("zod").ZodOptional<import("zod").ZodObject<{
        code: import("zod").ZodString;
        category: import("zod").ZodString;
        message: import("zod").ZodString;
        title: import("zod").ZodExactOptional<import("zod").ZodString>;
        retryable: import("zod").ZodBoolean;
        retryAfterMs: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        details: import("zod").ZodExactOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>;
      startedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      subAddress: import("zod").ZodOptional<import("zod").ZodString>;
      subSessionId: import("zod").ZodOptional<import("zod").ZodString>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly logs: Verb<"logs", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      kind: import("zod").ZodEnum<{
        "client-tool": "client-tool";
        compaction: "compaction";
        hook: "hook";
        model: "model";
        "sub-agent": "sub-agent";
        tool: "tool";
      }>;
      hook: import("zod").ZodOptional<import("zod").ZodString>;
      hookId: import("zod").ZodOptional<import("zod").ZodString>;
      turn: import("zod").ZodNumber;
      step: import("zod").ZodNumber;
      model: import("zod").ZodOptional<import("zod").ZodString>;
      toolCallId: import("zod").ZodOptional<import("zod").ZodString>;
      toolName: import("zod").ZodOptional<import("zod").ZodString>;
      attempts: import("zod").ZodNumber;
      errors: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
        code: import("zod").ZodString;
        category: import("zod").ZodString;
        message: import("zod").ZodString;
        title: import("zod").ZodExactOptional<import("zod").ZodString>;
        retryable: import("zod").ZodBoolean;
        retryAfterMs: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        details: import("zod").ZodExactOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      }, import("zod/v4/core").$strip>>>;
      startedAt: import("zod").ZodNumber;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      finishReason: import("zod").ZodOptional<import("zod").ZodString>;
      notes: import("zod").ZodOptional<import("zod").ZodArray<import("zod").ZodString>>;
      usage: import("zod").ZodOptional<import("zod").ZodReadonly<import("zod").ZodObject<{
        inputTokens: import("zod").ZodNumber;
        outputTokens: import("zod").ZodNumber;
        cachedTokens: import("zod").ZodNumber;
        cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        reasoningTokens: import("zod").ZodNumber;
        modelCalls: import("zod").ZodNumber;
        toolCalls: import("zod").ZodNumber;
        costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      }, import("zod/v4/core").$strip>>>;
      summary: import("zod").ZodOptional<import("zod").ZodString>;
      summaryBy: import("zod").ZodOptional<import("zod").ZodEnum<{
        digest: "digest";
        function: "function";
        model: "model";
      }>>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly state: Verb<"state", import("zod").ZodObject<{}, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    state: import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>;
  }, import("zod/v4/core").$strip>, never>;
  readonly limits: Verb<"limits", import("zod").ZodObject<{}, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    limits: import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodNumber>;
    used: import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodNumber>;
  }, import("zod/v4/core").$strip>, never>;
  readonly audit: Verb<"audit", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      at: import("zod").ZodNumber;
      actor: import("zod").ZodString;
      action: import("zod").ZodString;
      runId: import("zod").ZodOptional<import("zod").ZodString>;
      detail: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly checkpoints: Verb<"checkpoints", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      checkpointId: import("zod").ZodString;
      turn: import("zod").ZodNumber;
      step: import("zod").ZodNumber;
      at: import("zod").ZodNumber;
      finishReason: import("zod").ZodString;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly messages: Verb<"messages", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      role: import("zod").ZodEnum<{
        assistant: "assistant";
        system: "system";
        tool: "tool";
        user: "user";
      }>;
      content: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      messageId: import("zod").ZodOptional<import("zod").ZodString>;
      from: import("zod").ZodOptional<import("zod").ZodEnum<{
        agent: "agent";
        caller: "caller";
        child: "child";
        offshoot: "offshoot";
        parent: "parent";
      }>>;
      toolCallId: import("zod").ZodOptional<import("zod").ZodString>;
      toolName: import("zod").ZodOptional<import("zod").ZodString>;
      result: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      turn: import("zod").ZodOptional<import("zod").ZodNumber>;
      step: import("zod").ZodOptional<import("zod").ZodNumber>;
      at: import("zod").ZodNumber;
      metadata: import("zod").ZodOptional<import("zod").ZodType<Json, unknown, import("zod/v4/core").$ZodTypeInternals<Json, unknown>>>;
      silent: import("zod").ZodOptional<import("zod").ZodLiteral<true>>;
      controls: import("zod").ZodOptional<import("zod").ZodObject<{
        cancelMessage: import("zod").ZodUnion<readonly [import("zod").ZodLiteral<true>, import("zod").ZodObject<{
          code: import("zod").ZodString;
          title: import("zod").ZodString;
          detail: import("zod").ZodString;
        }, import("zod/v4/core").$strip>]>;
      }, import("zod/v4/core").$strip>>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    asOfSequence: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly cancelMessage: Verb<"cancelMessage", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
  readonly chunks: Verb<"chunks", import("zod").ZodObject<{
    from: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
    before: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
    types: import("zod").ZodOptional<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<string[], string>>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      sequence: import("zod").ZodNumber;
      chunk: import("zod").ZodType<Chunk, unknown, import("zod/v4/core").$ZodTypeInternals<Chunk, unknown>>;
    }, import("zod/v4/core").$strip>>>;
    first: import("zod").ZodNumber;
    last: import("zod").ZodNumber;
    next: import("zod").ZodOptional<import("zod").ZodNumber>;
    previous: import("zod").ZodOptional<import("zod").ZodNumber>;
  }, import("zod/v4/core").$strip>, never>;
  readonly stream: Verb<"stream", import("zod").ZodObject<{
    from: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
    follow: import("zod").ZodOptional<import("zod").ZodPipe<import("zod").ZodUnion<readonly [import("zod").ZodBoolean, import("zod").ZodEnum<{
      0: "0";
      1: "1";
      false: "false";
      true: "true";
    }>]>, import("zod").ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>>;
    deltas: import("zod").ZodOptional<import("zod").ZodPipe<import("zod").ZodUnion<readonly [import("zod").ZodBoolean, import("zod").ZodEnum<{
      0: "0";
      1: "1";
      false: "false";
      true: "true";
    }>]>, import("zod").ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, "out">;
  readonly variables: Verb<"variables", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    request_id: import("zod").ZodString;
    parent_thread_id: import("zod").ZodString;
    agent_name: import("zod").ZodString;
    registry_agent_name: import("zod").ZodString;
    required: import("zod").ZodArray<import("zod").ZodString>;
    missing: import("zod").ZodArray<import("zod").ZodString>;
    expires_at: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly giveVariables: Verb<"giveVariables", import("zod").ZodObject<{
    path: import("zod").ZodString;
    env: import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodUnion<readonly [import("zod").ZodNullable<import("zod").ZodString>, import("zod").ZodPipe<import("zod").ZodNumber, import("zod").ZodTransform<string, number>>, import("zod").ZodPipe<import("zod").ZodBoolean, import("zod").ZodTransform<string, boolean>>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    request_id: import("zod").ZodString;
    child_thread_id: import("zod").ZodString;
    reference: import("zod").ZodString;
    address: import("zod").ZodString;
    status: import("zod").ZodLiteral<"success">;
  }, import("zod/v4/core").$strip>, never>;
  readonly children: Verb<"children", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      sessionId: import("zod").ZodString;
      agentType: import("zod").ZodString;
      address: import("zod").ZodString;
      status: import("zod").ZodEnum<{
        completed: "completed";
        failed: "failed";
        idle: "idle";
        interrupted: "interrupted";
        queued: "queued";
        running: "running";
        suspended_awaiting_children: "suspended_awaiting_children";
        suspended_client_tool: "suspended_client_tool";
        suspended_step_partial: "suspended_step_partial";
        terminated: "terminated";
      }>;
      statusText: import("zod").ZodOptional<import("zod").ZodString>;
      childCounts: import("zod").ZodObject<{
        running: import("zod").ZodNumber;
        queued: import("zod").ZodNumber;
        waiting: import("zod").ZodNumber;
        total: import("zod").ZodNumber;
      }, import("zod/v4/core").$strip>;
      usage: import("zod").ZodReadonly<import("zod").ZodObject<{
        inputTokens: import("zod").ZodNumber;
        outputTokens: import("zod").ZodNumber;
        cachedTokens: import("zod").ZodNumber;
        cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        reasoningTokens: import("zod").ZodNumber;
        modelCalls: import("zod").ZodNumber;
        toolCalls: import("zod").ZodNumber;
        costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
        unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      }, import("zod/v4/core").$strip>>;
      lastSequence: import("zod").ZodNumber;
      stopOwed: import("zod").ZodOptional<import("zod").ZodObject<{
        verb: import("zod").ZodEnum<{
          abort: "abort";
          interrupt: "interrupt";
          terminate: "terminate";
        }>;
        runId: import("zod").ZodString;
        since: import("zod").ZodNumber;
        attempts: import("zod").ZodNumber;
        nextAt: import("zod").ZodNumber;
      }, import("zod/v4/core").$strip>>;
      name: import("zod").ZodString;
      mode: import("zod").ZodEnum<{
        ephemeral: "ephemeral";
        persistent: "persistent";
      }>;
      placement: import("zod").ZodEnum<{
        facet: "facet";
        object: "object";
        remote: "remote";
      }>;
      callId: import("zod").ZodString;
      childId: import("zod").ZodNumber;
      task: import("zod").ZodNumber;
      generation: import("zod").ZodNumber;
      createdAt: import("zod").ZodNumber;
      endedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
      entry: import("zod").ZodOptional<import("zod").ZodObject<{
        reference: import("zod").ZodString;
        name: import("zod").ZodString;
        title: import("zod").ZodOptional<import("zod").ZodString>;
        description: import("zod").ZodString;
        resumable: import("zod").ZodBoolean;
        blocking: import("zod").ZodBoolean;
        threadName: import("zod").ZodOptional<import("zod").ZodString>;
        spawnGroupId: import("zod").ZodOptional<import("zod").ZodString>;
        createdAt: import("zod").ZodNumber;
        status: import("zod").ZodEnum<{
          awaiting_input: "awaiting_input";
          failed: "failed";
          idle: "idle";
          running: "running";
          terminated: "terminated";
        }>;
      }, import("zod/v4/core").$strip>>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    total: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly usage: Verb<"usage", import("zod").ZodObject<{
    includeSubAgents: import("zod").ZodOptional<import("zod").ZodPipe<import("zod").ZodUnion<readonly [import("zod").ZodBoolean, import("zod").ZodEnum<{
      0: "0";
      1: "1";
      false: "false";
      true: "true";
    }>]>, import("zod").ZodTransform<boolean, "0" | "1" | "false" | "true" | boolean>>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    total: import("zod").ZodReadonly<import("zod").ZodObject<{
      inputTokens: import("zod").ZodNumber;
      outputTokens: import("zod").ZodNumber;
      cachedTokens: import("zod").ZodNumber;
      cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      reasoningTokens: import("zod").ZodNumber;
      modelCalls: import("zod").ZodNumber;
      toolCalls: import("zod").ZodNumber;
      costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>;
    byAgent: import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodReadonly<import("zod").ZodObject<{
      inputTokens: import("zod").ZodNumber;
      outputTokens: import("zod").ZodNumber;
      cachedTokens: import("zod").ZodNumber;
      cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      reasoningTokens: import("zod").ZodNumber;
      modelCalls: import("zod").ZodNumber;
      toolCalls: import("zod").ZodNumber;
      costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    byModel: import("zod").ZodOptional<import("zod").ZodRecord<import("zod").ZodString, import("zod").ZodReadonly<import("zod").ZodObject<{
      inputTokens: import("zod").ZodNumber;
      outputTokens: import("zod").ZodNumber;
      cachedTokens: import("zod").ZodNumber;
      cacheWriteTokens: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      reasoningTokens: import("zod").ZodNumber;
      modelCalls: import("zod").ZodNumber;
      toolCalls: import("zod").ZodNumber;
      costUsd: import("zod").ZodExactOptional<import("zod").ZodNumber>;
      unpricedCalls: import("zod").ZodExactOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>>;
  }, import("zod/v4/core").$strip>, never>;
  readonly schedules: Verb<"schedules", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      kind: import("zod").ZodEnum<{
        answer: "answer";
        effect: "effect";
        timeout: "timeout";
      }>;
      address: import("zod").ZodString;
      sessionId: import("zod").ZodString;
      callId: import("zod").ZodString;
      dueAt: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly files: Verb<"files", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
    prefix: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      path: import("zod").ZodString;
      size: import("zod").ZodNumber;
      mediaType: import("zod").ZodString;
      etag: import("zod").ZodString;
      updatedAt: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly readFile: Verb<"readFile", import("zod").ZodObject<{
    path: import("zod").ZodString;
    offset: import("zod").ZodOptional<import("zod").ZodNumber>;
    length: import("zod").ZodOptional<import("zod").ZodNumber>;
    suffix: import("zod").ZodOptional<import("zod").ZodNumber>;
    ifRange: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    path: import("zod").ZodString;
    size: import("zod").ZodNumber;
    mediaType: import("zod").ZodString;
    etag: import("zod").ZodString;
    updatedAt: import("zod").ZodNumber;
    offset: import("zod").ZodNumber;
    length: import("zod").ZodNumber;
    part: import("zod").ZodEnum<{
      none: "none";
      some: "some";
      whole: "whole";
    }>;
  }, import("zod/v4/core").$strip>, "out">;
  readonly writeFile: Verb<"writeFile", import("zod").ZodObject<{
    path: import("zod").ZodString;
    mediaType: import("zod").ZodOptional<import("zod").ZodString>;
    size: import("zod").ZodNumber;
    ifMatch: import("zod").ZodOptional<import("zod").ZodNullable<import("zod").ZodString>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    path: import("zod").ZodString;
    size: import("zod").ZodNumber;
    mediaType: import("zod").ZodString;
    etag: import("zod").ZodString;
    updatedAt: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, "in">;
  readonly removeFile: Verb<"removeFile", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
  readonly documents: Verb<"documents", import("zod").ZodObject<{}, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      name: import("zod").ZodString;
      title: import("zod").ZodString;
      origin: import("zod").ZodEnum<{
        own: "own";
        shared: "shared";
        shipped: "shipped";
      }>;
      bytes: import("zod").ZodNumber;
    }, import("zod/v4/core").$strip>>>;
  }, import("zod/v4/core").$strip>, never>;
  readonly removeDocument: Verb<"removeDocument", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
  readonly shareDocument: Verb<"shareDocument", import("zod").ZodObject<{
    document: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    name: import("zod").ZodString;
    title: import("zod").ZodString;
    origin: import("zod").ZodEnum<{
      own: "own";
      shared: "shared";
      shipped: "shipped";
    }>;
    bytes: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly unshareDocument: Verb<"unshareDocument", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
  readonly createToken: Verb<"createToken", import("zod").ZodObject<{
    actions: import("zod").ZodArray<import("zod").ZodEnum<{
      admin: "admin";
      answer: "answer";
      read: "read";
      share: "share";
      stop: "stop";
      write: "write";
    }>>;
    ttlSeconds: import("zod").ZodNumber;
    toolCallId: import("zod").ZodOptional<import("zod").ZodString>;
    label: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    token: import("zod").ZodString;
    id: import("zod").ZodString;
    expiresAt: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly tokens: Verb<"tokens", import("zod").ZodObject<{
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
    limit: import("zod").ZodOptional<import("zod").ZodUnion<readonly [import("zod").ZodNumber, import("zod").ZodPipe<import("zod").ZodPipe<import("zod").ZodString, import("zod").ZodTransform<number, string>>, import("zod").ZodNumber>]>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    items: import("zod").ZodReadonly<import("zod").ZodArray<import("zod").ZodObject<{
      id: import("zod").ZodString;
      address: import("zod").ZodString;
      actions: import("zod").ZodArray<import("zod").ZodEnum<{
        admin: "admin";
        answer: "answer";
        read: "read";
        share: "share";
        stop: "stop";
        write: "write";
      }>>;
      toolCallId: import("zod").ZodOptional<import("zod").ZodString>;
      label: import("zod").ZodOptional<import("zod").ZodString>;
      createdAt: import("zod").ZodNumber;
      createdBy: import("zod").ZodString;
      expiresAt: import("zod").ZodNumber;
      ticket: import("zod").ZodBoolean;
      revokedAt: import("zod").ZodOptional<import("zod").ZodNumber>;
    }, import("zod/v4/core").$strip>>>;
    cursor: import("zod").ZodOptional<import("zod").ZodString>;
  }, import("zod/v4/core").$strip>, never>;
  readonly revokeToken: Verb<"revokeToken", import("zod").ZodObject<{
    path: import("zod").ZodString;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
  readonly createTicket: Verb<"createTicket", import("zod").ZodObject<{
    actions: import("zod").ZodOptional<import("zod").ZodArray<import("zod").ZodEnum<{
      admin: "admin";
      answer: "answer";
      read: "read";
      share: "share";
      stop: "stop";
      write: "write";
    }>>>;
  }, import("zod/v4/core").$strict>, import("zod").ZodObject<{
    token: import("zod").ZodString;
    id: import("zod").ZodString;
    expiresAt: import("zod").ZodNumber;
  }, import("zod/v4/core").$strip>, never>;
  readonly remove: Verb<"remove", import("zod").ZodObject<{}, import("zod/v4/core").$strict>, import("zod").ZodObject<{}, import("zod/v4/core").$strict>, never>;
};
/** One of them. */
type AnyVerb = (typeof VERB)[keyof typeof VERB];
export { ObjectCall as _, DirectoryLists as a, PendingCall as b, ListedQuery as c, RootReport as d, RootsQuery as f, ObjectAnswer as g, ListedFailure as h, Deletion as i, ListedRoot as l, ListedChild as m, VERB as n, DirectoryPort as o, ListedCall as p, CauseCount as r, ListedAt as s, AnyVerb as t, RootClaimsPort as u, ClaimAnswer as v, NewRootLimits as y };