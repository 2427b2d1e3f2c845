/**
 * The port to the directory of an agent class: Durable Objects cannot list themselves.
 *
 * Keeps A28, A29.
 */
import type { ListedCall, ListedChild, ListedFailure, TreeReport } from '../tree/directory-report';
import type { ClaimAnswer, NewRootLimits } from '../tree/root-claims';

/** How a root stands, as it is listed. */
export interface ListedRoot {
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
export interface RootReport extends ListedRoot, Pick<TreeReport, 'pending' | 'failures' | 'children'> {}

/** A root that is deleted, and what its deletion was asked with. */
export interface Deletion {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of what was begun at it: none of that is begun again when its request is repeated. */
  readonly begun?: readonly string[];
}

/** What the directory of a class does for its roots. All may be called again with the same. */
export interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  recordDeletion(deletion: Deletion): Promise<void>;
  /** Whether a root of this name was deleted in the last 24 h with that key, or had begun something with that receipt. */
  wasDeleted(name: string, key: string): Promise<boolean>;
}

/** A place in a list over roots: the time that it is ordered by, in ms since 1970, and what tells apart those of one time. */
export interface ListPosition {
  readonly at: number;
  readonly key: string;
}

/** Which roots are listed: the latest first, by when they began or were active, after a position in that order. */
export interface RootsQuery {
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
export interface ListedQuery {
  readonly limit: number;
  readonly after?: ListPosition;
  /** Fields that have these values. */
  readonly where?: { readonly [field: string]: string };
  /** Those at that time or after it, in ms since 1970. */
  readonly since?: number;
  /** A text in its name or address, in any case of ASCII. */
  readonly q?: string;
  /** Those that owe a stop alone. */
  readonly owing?: boolean;
}

/** One of a list, with its place in that. */
export interface ListedAt<Item> extends ListPosition {
  readonly item: Item;
}

/** Failed runs of one agent type that have the same code, and messages that are alike. */
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

/** The claims of one caller. Holding one and giving it back may be repeated. */
export interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}
