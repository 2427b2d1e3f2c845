/** The port to the directory of an agent class: Durable Objects cannot list themselves. */

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
export interface Burial {
  readonly name: string;
  readonly sessionId: string;
  readonly key?: string;
  /** The receipts of what was begun at it: none of that is begun again when its request is repeated. */
  readonly begun?: readonly string[];
}

/** What the directory of a class does for its roots. All may be called again with the same. */
export interface DirectoryPort {
  report(report: RootReport): Promise<void>;
  bury(burial: Burial): Promise<void>;
  /** Whether a root of this name was deleted in the last 24 h with that key, or had begun something with that receipt. */
  buried(name: string, key: string): Promise<boolean>;
}

/** Which roots are listed: newest first, after a place in that order. */
export interface RootsQuery {
  readonly limit: number;
  readonly after?: { readonly createdAt: number; readonly name: string };
  readonly status?: string;
  readonly tag?: string;
}
