/**
 * The object that lists the roots of one agent class. Every app exports it.
 *
 * Keeps A28.
 */
import { DurableObject } from 'cloudflare:workers';
import type {
  CauseCount,
  Deletion,
  DirectoryLists,
  DirectoryPort,
  ListedAt,
  ListedQuery,
  ListedRoot,
  RootClaimsPort,
  RootReport,
  RootsQuery,
} from '../core/ports/directory';
import type { ListedCall, ListedChild, ListedFailure } from '../core/tree/directory-report';
import type { ClaimAnswer, NewRootLimits } from '../core/tree/root-claims';
import { DirectoryStore } from '../store/directory-store';

/**
 * A directory: one object for each agent class, named like the class; where new roots are limited, also one for each caller. Export it under this name and put it into a
 * migration: `export { OffshootDirectory } from 'offshoot/worker';`
 * @example
 * export { OffshootDirectory };
 */
export class OffshootDirectory extends DurableObject implements DirectoryPort, DirectoryLists, RootClaimsPort {
  readonly #store: DirectoryStore;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#store = new DirectoryStore(ctx.storage, Date.now);
  }

  /** A root tells how it stands. */
  async report(report: RootReport): Promise<void> {
    this.#store.report(report);
  }

  /** A root is deleted. */
  async recordDeletion(deletion: Deletion): Promise<void> {
    this.#store.recordDeletion(deletion);
  }

  /** Whether a deletion was asked with that key in the last 24 h. */
  async wasDeleted(name: string, key: string): Promise<boolean> {
    return this.#store.wasDeleted(name, key);
  }

  /** A caller would begin a root. */
  async claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer> {
    return this.#store.claim(key, limits);
  }

  /** The root of a claim was created. */
  async hold(key: string): Promise<void> {
    this.#store.hold(key);
  }

  /** It is deleted. */
  async giveBack(key: string): Promise<void> {
    this.#store.giveBack(key);
  }

  /** The roots, the latest first. */
  async roots(query: RootsQuery): Promise<ListedRoot[]> {
    return this.#store.roots(query);
  }

  /** What waits for a person. */
  async pending(query: ListedQuery): Promise<ListedAt<ListedCall>[]> {
    return this.#store.pending(query);
  }

  /** Runs that failed. */
  async errors(query: ListedQuery): Promise<ListedAt<ListedFailure>[]> {
    return this.#store.errors(query);
  }

  /** Sub-agents that stay or live elsewhere. */
  async children(query: ListedQuery): Promise<ListedAt<ListedChild>[]> {
    return this.#store.children(query);
  }

  /** The causes of failed runs with these fields since a time, in ms since 1970. */
  async causes(since: number, where?: ListedQuery['where']): Promise<CauseCount[]> {
    return this.#store.causes(since, where);
  }
}
