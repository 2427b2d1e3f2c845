import { D as JsonLike, E as Json, g as Usage, x as Failure } from "./chunks.js";
import { s as SessionStatus } from "./controls.js";
import { tt as Budget, w as Relationship } from "./definition.js";
import "./requests.js";
import "./remote-transport.js";
import { i as Document, n as Bodies, o as Page, r as Children, s as Transcript, t as Acceptances } from "./wire-types.js";
import "zod";
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
/** A request from outside as far as hooks see it. Its body is the input of the call. */
interface AskedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}
/** The response of an author's hook in place of an answer. */
interface HookResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}
/** The answer to a verb: its output (and `bytes` where it is a file or a stream), or a failure as data. */
type VerbAnswer = {
  readonly ok: true;
  readonly body: JsonLike;
  readonly status?: number;
  readonly bytes?: ReadableStream<Uint8Array>;
  /** To `gate` alone. */
  readonly request?: AskedRequest;
} |
/** `response`: an author's hook gave that; those who cannot get one get the error. */
{
  readonly ok: false;
  readonly error: Failure;
  readonly response?: HookResponse;
};
/** Input and output of a verb; `bytes` is the direction of a body of bytes beside them. */
interface VerbType<Input, Output, Bytes extends 'in' | 'out' = never> {
  readonly input: Input;
  readonly output: Output;
  readonly bytes: Bytes;
}
/** No input, or no output. */
type Nothing = Record<string, never>;
/** A whole number, also as text in a query. */
type Whole = number | string;
/** A yes or no, also as text in a query. */
type Flag = boolean | '0' | '1' | 'false' | 'true';
interface OnePath {
  readonly path: string;
}
/** Which page of a list. */
interface PageInput {
  readonly cursor?: string | undefined;
  readonly limit?: Whole | undefined;
}
type Listed<Item> = VerbType<PageInput, Page<Item>>;
interface ReadInput extends OnePath {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  readonly suffix?: number | undefined;
  readonly ifRange?: string | undefined;
}
interface WriteInput extends OnePath {
  readonly size: number;
  readonly mediaType?: string | undefined;
  readonly ifMatch?: string | null | undefined;
}
/** A file, and which part of it the bytes are. */
type ReadFile = Document<'file'> & {
  readonly offset: number;
  readonly length: number;
  readonly part: 'whole' | 'some' | 'none';
};
interface ChunksInput {
  readonly from?: Whole | undefined;
  readonly before?: Whole | undefined;
  readonly limit?: Whole | undefined;
  readonly types?: string | undefined;
}
interface StreamInput {
  readonly from?: Whole | undefined;
  readonly follow?: Flag | 'run' | undefined;
  readonly rested?: Flag | undefined;
  readonly deltas?: Flag | undefined;
}
type Stop = VerbType<Bodies['stop'], Acceptances['stop']>;
type Resume = VerbType<Bodies['resume'], Acceptances['resume']>;
/** Every verb, by its name. */
interface VerbTypes {
  readonly start: VerbType<Bodies['start'], Acceptances['start'] | Document<'status'>>;
  readonly send: VerbType<Bodies['send'], Acceptances['send']>;
  readonly interrupt: Stop;
  readonly abort: Stop;
  readonly terminate: Stop;
  readonly resume: Resume;
  readonly retry: Resume;
  readonly fork: VerbType<Bodies['fork'], Acceptances['fork']>;
  readonly pending: Listed<Document<'pendingItem'>>;
  readonly submit: VerbType<Bodies['answer'], Acceptances['answer']>;
  readonly status: VerbType<Nothing, Document<'status'>>;
  readonly tree: VerbType<{
    readonly depth?: Whole | undefined;
  }, Document<'tree'>>;
  readonly runs: Listed<Document<'run'>>;
  readonly calls: Listed<Document<'call'>>;
  readonly logs: Listed<Document<'log'>>;
  readonly state: VerbType<Nothing, Document<'state'>>;
  readonly limits: VerbType<Nothing, Document<'limits'>>;
  readonly audit: Listed<Document<'audit'>>;
  readonly checkpoints: Listed<Document<'checkpoint'>>;
  readonly messages: VerbType<PageInput, Transcript>;
  readonly cancelMessage: VerbType<OnePath, Nothing>;
  readonly chunks: VerbType<ChunksInput, Document<'chunks'>>;
  readonly stream: VerbType<StreamInput, Nothing, 'out'>;
  readonly variables: VerbType<OnePath, Acceptances['variables']>;
  readonly giveVariables: VerbType<OnePath & Bodies['giveVariables'], Acceptances['giveVariables']>;
  readonly children: VerbType<PageInput, Children>;
  readonly usage: VerbType<{
    readonly includeSubAgents?: Flag | undefined;
  }, Document<'usage'>>;
  readonly schedules: Listed<Document<'due'>>;
  readonly files: VerbType<PageInput & {
    readonly prefix?: string | undefined;
  }, Page<Document<'file'>>>;
  readonly readFile: VerbType<ReadInput, ReadFile, 'out'>;
  readonly writeFile: VerbType<WriteInput, Document<'file'>, 'in'>;
  readonly removeFile: VerbType<OnePath, Nothing>;
  readonly documents: VerbType<Nothing, {
    readonly items: readonly Document<'document'>[];
  }>;
  readonly removeDocument: VerbType<OnePath, Nothing>;
  readonly shareDocument: VerbType<{
    readonly document: string;
  }, Document<'document'>>;
  readonly unshareDocument: VerbType<OnePath, Nothing>;
  readonly createToken: VerbType<Bodies['createToken'], Acceptances['createToken']>;
  readonly tokens: Listed<Document<'token'>>;
  readonly revokeToken: VerbType<OnePath, Nothing>;
  readonly createTicket: VerbType<Bodies['createTicket'], Acceptances['createToken']>;
  readonly remove: VerbType<Nothing, Nothing>;
}
/** The name of a verb. */
type VerbName = keyof VerbTypes;
/** Input of the verb of that name. */
type InputOf<Name extends VerbName> = VerbTypes[Name]['input'];
/** Output of the verb of that name. */
type OutputOf<Name extends VerbName> = VerbTypes[Name]['output'];
export { VerbAnswer as a, ChildNode as c, VerbTypes as i, StopOwed as l, OutputOf as n, Below as o, VerbName as r, PendingCall as s, InputOf as t };