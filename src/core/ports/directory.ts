/**
 * The port to the directory of an agent class: Durable Objects cannot list themselves.
 *
 * Keeps A28, A29.
 */
import type { ListedCall, ListedChild, ListedFailure, TreeReport } from '../tree/directory-report';
import type { ClaimAnswer, NewRootLimits } from '../tree/root-claims';

/** The status of a root, as lists show it. */
export interface ListedRoot {
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
export interface RootReport extends ListedRoot, Pick<TreeReport, 'pending' | 'failures' | 'children'> {}

/** A root that is being deleted, and the request that deletes it. */
export interface Deletion {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of the work that began at the root, so that repeated requests do not begin it again. */
  readonly begun?: readonly string[];
}

/** The directory of a class, as its roots use it. Every call may be repeated. */
export interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  recordDeletion(deletion: Deletion): Promise<void>;
  /** True if a root of this name was deleted in the last 24 h with that key, or had begun work with that receipt. */
  wasDeleted(name: string, key: string): Promise<boolean>;
}

/** A place in a list of roots: the time that orders the list, in ms since 1970, and a key for equal times. */
export interface ListPosition {
  readonly at: number;
  readonly key: string;
}

/** A query for roots, newest first by creation or activity, after a position in that order. */
export interface RootsQuery {
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
export interface ListedQuery {
  readonly limit: number;
  readonly after?: ListPosition;
  /** Fields that have these values. */
  readonly where?: { readonly [field: string]: string };
  /** Only items at this time or later, in ms since 1970. */
  readonly since?: number;
  /** A text in its name or address; ASCII letters match in either case. */
  readonly q?: string;
  /** Only agents with a stop that has not been acknowledged. */
  readonly owing?: boolean;
}

/** An item of a list, with its place. */
export interface ListedAt<Item> extends ListPosition {
  readonly item: Item;
}

/** Failed runs of one agent type with the same code and similar messages. */
export interface CauseCount {
  readonly code: string;
  readonly pattern: string;
  readonly agentType: string;
  readonly count: number;
  /** ms since 1970. */
  readonly lastAt: number;
}

/** The lists of one class, which wake no root. */
export interface DirectoryLists {
  roots(query: RootsQuery): Promise<readonly ListedRoot[]>;
  pending(query: ListedQuery): Promise<readonly ListedAt<ListedCall>[]>;
  errors(query: ListedQuery): Promise<readonly ListedAt<ListedFailure>[]>;
  children(query: ListedQuery): Promise<readonly ListedAt<ListedChild>[]>;
  /** The causes of failed runs with these fields since a time, the most frequent first. */
  causes(since: number, where?: ListedQuery['where']): Promise<readonly CauseCount[]>;
}

/** The claims of one caller. Holding a claim and giving it back may be repeated. */
export interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}
