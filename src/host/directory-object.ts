/**
 * The object that lists the roots of one agent class. Every app exports it.
 *
 * Keeps A28, A111.
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
import { objectNamed } from '../core/ports/object-names';
import type { ListedCall, ListedChild, ListedFailure } from '../core/tree/directory-report';
import type { ClaimAnswer, NewRootLimits } from '../core/tree/root-claims';
import { dueWakes, QUIET_MS, type Wakes, type Woken, type WorkingRoot } from '../core/tree/wakes/root-wakes';
import type { ObjectStub } from '../engine/object/object-calls';
import { DirectoryStore, isAtWork } from '../store/directory-store';
import { isShared } from './worker-ports';

/** True for the objects of a class. */
function hasRoots(exported: unknown): exported is { getByName(name: string): ObjectStub } {
  return exported !== null && exported !== undefined && Object(exported).getByName instanceof Function;
}

/** The key of the name of the class. */
const NAME = 'offshoot.class';
/** Before a session, the key under which its wakes are remembered. */
const WAKES = 'offshoot.wakes:';

/**
 * A directory: one object for each agent class, named like the class. If new roots are limited, each caller has one,
 * too. Export it under this name and put it into a migration: `export { OffshootDirectory } from 'offshoot/worker';`
 * @example
 * export { OffshootDirectory };
 */
export class OffshootDirectory extends DurableObject implements DirectoryPort, DirectoryLists, RootClaimsPort {
  readonly #store: DirectoryStore;
  /** True once the alarm is known to be set. */
  #armed = false;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#store = new DirectoryStore(ctx.storage, Date.now);
  }

  /** Stores a report of a root. */
  async report(report: RootReport): Promise<void> {
    this.#store.report(report);
    if (this.#armed || !isAtWork(report)) return;
    const { storage, id } = this.ctx;
    // An object that its alarm makes may not know its name.
    if (id.name !== undefined && storage.kv.get(NAME) !== id.name) storage.kv.put(NAME, id.name);
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + QUIET_MS);
    this.#armed = true;
  }

  /** Wakes working roots that have stopped reporting, because the platform may have abandoned their alarms. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const now = Date.now();
    const before = this.#wakes();
    const { wake, wakes, nextAt } = dueWakes(this.#store.working(), before, now);
    for (const [session, woken] of Object.entries(wakes))
      if (woken !== before[session]) storage.kv.put(`${WAKES}${session}`, woken);
    for (const session of Object.keys(before)) if (!(session in wakes)) storage.kv.delete(`${WAKES}${session}`);
    this.#armed = nextAt !== undefined;
    if (nextAt !== undefined) await storage.setAlarm(nextAt);
    await Promise.all(wake.map((root) => this.#wake(root)));
  }

  #wakes(): Wakes {
    const kept = this.ctx.storage.kv.list<Woken>({ prefix: WAKES });
    return Object.fromEntries([...kept].map(([key, woken]) => [key.replace(WAKES, ''), woken]));
  }

  async #wake({ name, sessionId }: WorkingRoot): Promise<void> {
    try {
      const root = objectNamed({ className: this.ctx.storage.kv.get<string>(NAME) ?? '', name }, isShared);
      const roots: unknown = Object.entries(this.ctx.exports).find(([exported]) => exported === root.className)?.[1];
      if (hasRoots(roots))
        await roots.getByName(root.name).offshoot({ kind: 'agent', path: [], message: { type: 'wake', sessionId } });
    } catch (error) {
      console.error(`offshoot: the root ${name} could not be woken.`, error);
    }
  }

  /** Records that a root is being deleted. */
  async recordDeletion(deletion: Deletion): Promise<void> {
    this.#store.recordDeletion(deletion);
  }

  /** True if a deletion was requested with that key in the last 24 h. */
  async wasDeleted(name: string, key: string): Promise<boolean> {
    return this.#store.wasDeleted(name, key);
  }

  /** Claims a new root for a caller. */
  async claim(key: string, limits: NewRootLimits): Promise<ClaimAnswer> {
    return this.#store.claim(key, limits);
  }

  /** Records that the root of a claim was created. */
  async hold(key: string): Promise<void> {
    this.#store.hold(key);
  }

  /** Releases the claim of a deleted root. */
  async giveBack(key: string): Promise<void> {
    this.#store.giveBack(key);
  }

  /** The roots, newest first. */
  async roots(query: RootsQuery): Promise<ListedRoot[]> {
    return this.#store.roots(query);
  }

  /** The pending calls. */
  async pending(query: ListedQuery): Promise<ListedAt<ListedCall>[]> {
    return this.#store.pending(query);
  }

  /** Runs that failed. */
  async errors(query: ListedQuery): Promise<ListedAt<ListedFailure>[]> {
    return this.#store.errors(query);
  }

  /** Companions and remote sub-agents. */
  async children(query: ListedQuery): Promise<ListedAt<ListedChild>[]> {
    return this.#store.children(query);
  }

  /** The causes of failed runs with these fields since a time, in ms since 1970. */
  async causes(since: number, where?: ListedQuery['where']): Promise<CauseCount[]> {
    return this.#store.causes(since, where);
  }
}
