import { E as Json, g as Usage } from "./chunks.js";
import "./controls.js";
import { E as SessionStatus } from "./sides.js";
import { F as Budget, w as Relationship } from "./definition.js";
import "zod";
/** The verbs that stop a run: resumable, failed, or together with its session. A later verb is stronger (SP7). */
declare const STOP_VERBS: readonly ['interrupt', 'abort', 'terminate'];
/** One of them. */
type StopVerb = (typeof STOP_VERBS)[number];
/** A task that a call awaits. `message`: it awaits the task that has read this message (CO4). */
interface AwaitedTask extends TaskKey {
  readonly message?: number;
}
/** The tasks that a call awaits, and how many of them must end. Any call may have begun them. */
interface Awaits {
  /** Each task once; empty if the call awaits nothing. */
  readonly tasks: readonly AwaitedTask[];
  /** The number of tasks that must end; 0 if there are none. */
  readonly need: number;
  /** The time at which the call continues with the tasks that have ended, in ms since 1970. No limit if absent. */
  readonly until?: number;
  /** The effect on the other tasks once enough have ended; they continue if absent. */
  readonly others?: 'stop';
}
/** A task of a child. Every message about a child contains it, so that messages about earlier tasks are refused. */
interface TaskKey {
  /** From 1, over the session of the parent. */
  readonly childId: number;
  /** From 1, over the life of the child. A restart has the next number. */
  readonly task: number;
}
/** A pending call, as the tree's inbox shows it. */
interface PendingCall {
  readonly toolCallId: string;
  /** The id of its step in the agent that owns it. */
  readonly stepId: number;
  readonly kind: 'client-tool' | 'approval';
  readonly toolName: string;
  readonly input: Json;
  /** ms since 1970. */
  readonly requestedAt: number;
  readonly expiresAt?: number;
  /** The remote agent that asks, at or below the owner; absent if the owner asks. */
  readonly at?: {
    readonly address: string;
    readonly agentType: string;
  };
}
/** The progress of a run. Times are in ms since 1970, as the agent wrote them. */
interface Progress {
  readonly runId: string;
  readonly startedAt: number;
  /** Absent until the run ends. */
  readonly endedAt?: number;
  /** The current step, from 1; 0 before the first. */
  readonly step: number;
  /** The number of recoveries of the run after crashes. */
  readonly recoveries: number;
  /** The error of a failed run; its message has at most 500 characters. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
}
/** The lifetime of a child: for one call, or beyond its tasks, under a name. */
type Lifetime = Relationship['lifetime'];
/** The delivery of a task's result: to the call that began it, or as a notice to the parent. */
type Awaiting = Relationship['await'];
/** The end of an agent, as far as the root knows. */
type End =
/** Its run ended, at this time in ms since 1970. */
{
  readonly by: 'itself';
  readonly at: number;
} |
/** It was lost, or abandoned together with an ancestor or its call. Its own reports are no longer accepted. */
{
  readonly by: 'abandoned';
  readonly at: number;
} |
/** It was abandoned before it began. The end of its parent's call decides; until then, its state does not change. */
{
  readonly by: 'withdrawn';
};
/** A stop that a remote agent has not acknowledged, so it is sent again. Times are in ms since 1970. */
interface StopOwed {
  readonly verb: StopVerb;
  /** The local run that it stops. */
  readonly runId: string;
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
}
/**
 * The work state of an agent. `timeLeft` is the rest of its `timeoutMs` while its clock is paused, in ms. `deadline` is
 * the end of its time, in ms since 1970.
 */
type Schedule =
/** A root before its first run. */
{
  readonly phase: 'idle';
} |
/** It is waiting for a concurrency slot. `place`: its place in the queue; a later one is higher. */
{
  readonly phase: 'queued';
  readonly timeLeft: number;
  readonly place: number;
} | {
  readonly phase: 'working';
  readonly deadline: number;
} |
/** Its run is waiting for a person, and holds no slot. */
{
  readonly phase: 'waiting';
  readonly timeLeft: number;
} | {
  readonly phase: 'ended';
  readonly timeLeft: number;
  readonly end: End;
};
/** The usage of agents, by type. */
type UsageByType = {
  readonly [agentType: string]: Usage;
};
/** The time of a child's removal: after the run of its parent that it was kept with, or, as that has ended, once it is idle. */
type Removal = 'after_run' | 'when_idle';
/** A task, as the parent of a child requests it. */
interface RequestedTask {
  /** From 1, over the life of the child. */
  readonly number: number;
  /** The call that began it. */
  readonly callId: string;
  readonly await: Awaiting;
  /** The time for it, in ms. */
  readonly timeoutMs: number;
  /** The budget for the child and its descendants. */
  readonly budget?: Budget;
  /** If the child fails, its parent waits for a person. */
  readonly onFailure?: 'wait';
  /** Absent if the child stays as long as the tree. */
  readonly removal?: Removal;
}
/** The task of a child, in the record. A further task replaces all of it. */
interface NodeTask extends RequestedTask {
  /** The root's turn in which it began. */
  readonly turn: number;
  /** The child has waited for a person, or for a child that did, so its parent need not ask for its status. */
  readonly hasWaited?: true;
}
/** The facts that the root records about every agent. */
interface AgentFacts {
  readonly id: number;
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  /** Level in the tree; the root is 1. */
  readonly depth: number;
  readonly schedule: Schedule;
  /** Its status, as it is shown. */
  readonly status: SessionStatus;
  readonly statusText: string;
  /** The number of its chunks in the log, which is its own number of the last one. */
  readonly lastChunk: number;
  /** The sequence of that chunk in the log; 0 before the first. */
  readonly sequence: number;
  /** When it wrote that chunk, in ms since 1970. */
  readonly lastAt?: number;
  readonly usage: Usage;
  /** The progress of its newest run; absent before its first. */
  readonly progress?: Progress;
  /** It was created together with an ancestor, and exists even before its first chunk. */
  readonly along?: true;
  /** The open tasks of its own children, as its last chunks reported them, with the number that it awaits. */
  readonly openTasks?: readonly Awaits[];
  /**
   * The time of its next scheduled effect or retry to a remote agent, as last reported, in ms since 1970. Absent if
   * there is none.
   */
  readonly effectAt?: number;
  /** It still has requests for remote agents that have left the tree. */
  readonly owesElsewhere?: true;
  readonly createdAt: number;
}
/** An agent below the root. */
interface ChildNode extends AgentFacts {
  readonly kind: 'child';
  readonly parentId: number;
  /** Its number at its parent. */
  readonly childId: number;
  /** Its current or last task. */
  readonly task: NodeTask;
  /** The root's turn in which it was created. */
  readonly createdInTurn: number;
  readonly lifetime: Lifetime;
  readonly placement: Relationship['placement'];
  /** The number of its run in its session, from 1. */
  readonly runNumber: number;
  /** It has something for its parent that may not have arrived, and no working agent would ask for it. */
  readonly undelivered?: true;
  /** The usage of removed agents below it. */
  readonly retired?: UsageByType;
  /** Only for a remote agent. */
  readonly stopOwed?: StopOwed;
}
/** The sub-agents below an agent by status, and the last sequence at or below it. */
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
/** The number of roots that each caller may create; an omitted limit does not apply. */
interface NewRootLimits {
  /** The number of roots that a caller may have; deleted roots do not count. */
  readonly perCaller?: number | undefined;
  /** The number of roots that a caller may create within any 60 s, including those deleted since. */
  readonly perMinute?: number | undefined;
}
/** The decision about a new root; a refusal has its reason, and a delay in ms if waiting helps. */
type ClaimAnswer = {
  readonly ok: true;
} | {
  readonly ok: false;
  readonly message: string;
  readonly retryAfterMs?: number;
};
/** A pending call, as the directory lists it; the root has its arguments. */
interface ListedCall extends Omit<PendingCall, 'input' | 'stepId' | 'at'> {
  readonly address: string;
  readonly agentType: string;
  /** The beginning of its arguments. */
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
  /** The message without the parts that differ between runs. */
  readonly pattern: string;
}
/** A companion or a remote sub-agent. */
interface ListedChild {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly name: string;
  readonly mode: 'ephemeral' | 'persistent';
  readonly placement: ChildNode['placement'];
  readonly status: SessionStatus;
  /** The number of its current task, from 1. */
  readonly task: number;
  readonly usage: Usage;
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly stopOwed?: StopOwed;
}
/** The report about a tree, in addition to the status of its root. */
interface TreeReport {
  /** The time of the latest chunk of any agent of the tree, in ms since 1970. */
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
  /** The oldest ones. */
  readonly pending: readonly ListedCall[];
  /** The newest ones. */
  readonly failures: readonly ListedFailure[];
  /** The most recently active ones. */
  readonly children: readonly ListedChild[];
}
/** The status of a root, as lists show it. */
interface ListedRoot {
  readonly name: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** The time of its latest event, in ms since 1970. */
  readonly lastActivity: number;
  readonly status: string;
  readonly displayName?: string;
  readonly tags: readonly string[];
  /** The display name, or else the beginning of its first message: at most 200 characters. */
  readonly title?: string;
  /** The beginning of the message of its newest turn: at most 200 characters. */
  readonly preview?: string;
  /** The current or last step of its newest run; 0 before the first. */
  readonly steps?: number;
  readonly pendingCount?: number;
  readonly usage?: TreeReport['usage'];
  readonly childCounts?: TreeReport['childCounts'];
  readonly failedCount?: number;
  readonly error?: TreeReport['error'];
}
/** The report of a root to the directory of its class. Each report is complete. */
interface RootReport extends ListedRoot, Pick<TreeReport, 'pending' | 'failures' | 'children'> {}
/** A root that is being deleted, and the request that deletes it. */
interface Deletion {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of the work that began at the root, so that repeated requests do not begin it again. */
  readonly begun?: readonly string[];
}
/** The directory of a class, as its roots use it. Every call may be repeated. */
interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  recordDeletion(deletion: Deletion): Promise<void>;
  /** True if a root of this name was deleted in the last 24 h with that key, or had begun work with that receipt. */
  wasDeleted(name: string, key: string): Promise<boolean>;
}
/** A place in a list of roots: the time that orders the list, in ms since 1970, and a key for equal times. */
interface ListPosition {
  readonly at: number;
  readonly key: string;
}
/** A query for roots, newest first by creation or activity, after a position in that order. */
interface RootsQuery {
  readonly limit: number;
  /** `createdAt` by default. */
  readonly by?: 'createdAt' | 'lastActivity';
  readonly after?: ListPosition;
  readonly statuses?: readonly string[];
  readonly tag?: string;
  /** A text in the name, the title or a tag; ASCII letters match in either case. */
  readonly q?: string;
}
/** A query for items of a list: pending calls oldest first, others latest first. */
interface ListedQuery {
  readonly limit: number;
  readonly after?: ListPosition;
  /** Fields that have these values. */
  readonly where?: {
    readonly [field: string]: string;
  };
  /** Only items at this time or later, in ms since 1970. */
  readonly since?: number;
  /** A text in its name or address; ASCII letters match in either case. */
  readonly q?: string;
  /** Only agents with a stop that has not been acknowledged. */
  readonly owing?: boolean;
}
/** An item of a list, with its place. */
interface ListedAt<Item> extends ListPosition {
  readonly item: Item;
}
/** Failed runs of one agent type with the same code and similar messages. */
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
/** The claims of one caller. Holding a claim and giving it back may be repeated. */
interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}
export { ListedAt as a, RootClaimsPort as c, ListedCall as d, ListedChild as f, PendingCall as g, NewRootLimits as h, DirectoryPort as i, RootReport as l, ClaimAnswer as m, Deletion as n, ListedQuery as o, ListedFailure as p, DirectoryLists as r, ListedRoot as s, CauseCount as t, RootsQuery as u };