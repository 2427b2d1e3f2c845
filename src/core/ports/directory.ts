/** The port to the directory of an agent class: Durable Objects cannot list themselves. */
import type { ClaimAnswer, NewRootLimits } from '../tree/root-claims';

/** What a root tells the directory of its class. */
export interface RootReport {
  readonly name: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** When it had its latest event, in ms since 1970. */
  readonly lastActivity: number;
  readonly status: string;
  readonly displayName?: string;
  readonly tags: readonly string[];
}

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

/** Which roots are listed: newest first, after a position in that order. */
export interface RootsQuery {
  readonly limit: number;
  readonly after?: { readonly createdAt: number; readonly name: string };
  readonly status?: string;
  readonly tag?: string;
}

/** The claims of one caller. Holding one and giving it back may be repeated. */
export interface RootClaimsPort {
  claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer>;
  hold(key: string): Promise<void>;
  giveBack(key: string): Promise<void>;
}
