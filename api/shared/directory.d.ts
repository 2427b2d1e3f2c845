import { s as SessionStatus } from "./controls.js";
import { g as Usage } from "./chunks.js";
import { c as ChildNode, l as StopOwed, o as Below, s as PendingCall } from "./verb-types.js";
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
export { ListedAt as a, RootClaimsPort as c, ListedCall as d, ListedChild as f, NewRootLimits as h, DirectoryPort as i, RootReport as l, ClaimAnswer as m, Deletion as n, ListedQuery as o, ListedFailure as p, DirectoryLists as r, ListedRoot as s, CauseCount as t, RootsQuery as u };