import { E as Json, g as Usage } from "./chunks.js";
import "./controls.js";
import { E as SessionStatus } from "./sides.js";
import { tt as Budget, w as Relationship } from "./definition.js";
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
  /** The local run that it is for. */
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
  /** It exists from the beginning of an agent above it, also while it has written no chunk. */
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
/**
 * Limits of callers: of new roots, decided from the claims that a directory holds, and of the sockets, streams and tokens of
 * one root.
 *
 * Decides: how many roots a caller may begin, and how much of a root it may hold.
 * Keeps A65, X34.
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
/** The report of a root to the directory of its class: everything that is listed of it, each time. */
interface RootReport extends ListedRoot, Pick<TreeReport, 'pending' | 'failures' | 'children'> {}
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
export { ListedAt as a, RootClaimsPort as c, ListedCall as d, ListedChild as f, PendingCall as g, NewRootLimits as h, DirectoryPort as i, RootReport as l, ClaimAnswer as m, Deletion as n, ListedQuery as o, ListedFailure as p, DirectoryLists as r, ListedRoot as s, CauseCount as t, RootsQuery as u };