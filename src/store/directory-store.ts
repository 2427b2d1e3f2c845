/**
 * The store of a directory: the roots of one agent class, and the deletions of the last 24 h.
 *
 * Keeps A20, A28, A29, A87, SO6.
 */
import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type {
  CauseCount,
  Deletion,
  ListedAt,
  ListedQuery,
  ListedRoot,
  RootReport,
  RootsQuery,
} from '../core/ports/directory';
import type { ListedCall, ListedChild, ListedFailure } from '../core/tree/directory-report';
import { CLAIM_MS, type ClaimAnswer, claimAnswer, type NewRootLimits } from '../core/tree/root-claims';
import type { WorkingRoot } from '../core/tree/wakes/root-wakes';
import { IDEMPOTENCY_MS } from '../protocol/data-limits';
import type { SessionStatus } from '../protocol/status';
import { causesSince, dropListed, keepListed, listedPage } from './directory-lists';
import { formatsOf, type Ladders, migrate } from './migrate';
import { DIRECTORY_MIGRATIONS } from './migrations';
import { deletions, roots } from './schema/directory';
import { type Database, databaseOf, type ObjectStorage, transact } from './storage';

const LADDERS: Ladders = { directory: DIRECTORY_MIGRATIONS };
/** How long a deletion is remembered, in ms. */
const TOMBSTONE_MS = IDEMPOTENCY_MS;

/** The statuses of a root that its own alarm takes further. */
const AT_WORK: SessionStatus[] = ['running', 'queued'];
/** So many roots at work are read at once. */
const WORKING_PAGE = 1_000;

/** True where the alarm of a root has work to continue: its own, or that of an agent below it. */
export function isAtWork({ status, childCounts }: Pick<ListedRoot, 'status' | 'childCounts'>): boolean {
  return AT_WORK.some((one) => one === status) || (childCounts?.running ?? 0) + (childCounts?.queued ?? 0) > 0;
}

/** The same of a row. */
const atWork = or(
  inArray(roots.status, AT_WORK),
  sql`json_extract(${roots.facts}, '$.childCounts.running') > 0`,
  sql`json_extract(${roots.facts}, '$.childCounts.queued') > 0`,
);

/** How a claim stands: made for a root, or held by one. */
const CLAIMED = 'claimed';
const HELD = 'held';

/** Reads and writes a directory. Reading one that holds nothing writes nothing. */
export class DirectoryStore {
  readonly #database: Database;

  constructor(
    readonly storage: ObjectStorage,
    readonly now: () => number,
  ) {
    this.#database = databaseOf(storage);
  }

  /** Notes how a root stands. A report of a session that was deleted, or that another has followed, changes nothing. */
  report(report: RootReport): void {
    migrate(this.storage, LADDERS);
    const { name, sessionId, createdAt, lastActivity, status, tags } = report;
    const { preview, steps, pendingCount, usage, childCounts, failedCount, error } = report;
    const facts = {
      sessionId,
      createdAt,
      lastActivity,
      status,
      displayName: report.displayName ?? null,
      tags: JSON.stringify(tags),
      deletedAt: null,
      title: report.title ?? null,
      facts: JSON.stringify({ preview, steps, pendingCount, usage, childCounts, failedCount, error }),
    };
    transact(this.storage, () => {
      const known = this.#database.select().from(roots).where(eq(roots.name, name)).get();
      if (
        known?.sessionId === sessionId
          ? known.deletedAt !== null
          : known && known.deletedAt === null && known.createdAt > createdAt
      )
        return undefined;
      const generation = known === undefined ? 1 : known.generation + (known.sessionId === sessionId ? 0 : 1);
      const row = { ...facts, generation };
      if (known && known.sessionId !== sessionId) dropListed(this.#database, name);
      keepListed(this.#database, report, this.now());
      this.#database
        .insert(roots)
        .values({ name, ...row })
        .onConflictDoUpdate({ target: roots.name, set: row })
        .run();
      return undefined;
    });
  }

  /** Notes that a root was deleted; what is older than 24 h is forgotten. */
  recordDeletion({ name, sessionId, key, begun = [] }: Deletion): void {
    migrate(this.storage, LADDERS);
    const now = this.now();
    transact(this.storage, () => {
      this.#forget(now - TOMBSTONE_MS);
      dropListed(this.#database, name);
      const tombstone = {
        sessionId,
        lastActivity: now,
        status: 'terminated',
        displayName: null,
        title: null,
        facts: null,
        tags: '[]',
        deletedAt: now,
      };
      this.#database
        .insert(roots)
        .values({ name, generation: 1, createdAt: now, ...tombstone })
        .onConflictDoUpdate({ target: roots.name, set: tombstone })
        .run();
      const expiresAt = now + TOMBSTONE_MS;
      for (const each of key === undefined ? begun : [key, ...begun])
        this.#database
          .insert(deletions)
          .values({ key: tombstoneKey(name, each), expiresAt })
          .onConflictDoUpdate({ target: deletions.key, set: { expiresAt } })
          .run();
      return undefined;
    });
  }

  /**
   * A claim for a root that a caller would begin. Claims, held or not, lie where a class has its roots: this object is
   * the caller's own. One of which no root has told is forgotten after 60 s.
   */
  claim(key: string, limits: NewRootLimits): ClaimAnswer {
    migrate(this.storage, LADDERS);
    const now = this.now();
    return transact(this.storage, () => {
      this.#forget(now - CLAIM_MS);
      this.#database
        .delete(roots)
        .where(and(eq(roots.status, CLAIMED), lte(roots.createdAt, now - CLAIM_MS)))
        .run();
      const { alive = 0 } =
        this.#database.select({ alive: count() }).from(roots).where(isNull(roots.deletedAt)).get() ?? {};
      const begun = this.#database
        .select({ at: roots.createdAt })
        .from(roots)
        .where(gt(roots.createdAt, now - CLAIM_MS))
        .orderBy(roots.createdAt)
        .all();
      const times = begun.map(({ at }) => at);
      const answer = claimAnswer(limits, alive, times, now);
      if (answer.ok) this.#setClaim(key, now, { status: CLAIMED, deletedAt: null });
      return answer;
    });
  }

  /** A root has come of the claim; also where that was forgotten. */
  hold(key: string): void {
    migrate(this.storage, LADDERS);
    this.#setClaim(key, this.now(), { status: HELD });
  }

  /** The root of a claim is gone; it counts as begun until its minute is over. */
  giveBack(key: string): void {
    migrate(this.storage, LADDERS);
    const now = this.now();
    this.#setClaim(key, now, { status: HELD, deletedAt: now });
  }

  #setClaim(key: string, now: number, set: { status: string; deletedAt?: number | null }): void {
    const row = { name: key, sessionId: key, generation: 1, createdAt: now, lastActivity: now, tags: '[]' };
    this.#database
      .insert(roots)
      .values({ ...row, ...set })
      .onConflictDoUpdate({ target: roots.name, set })
      .run();
  }

  #forget(before: number): void {
    this.#database
      .delete(roots)
      .where(and(isNotNull(roots.deletedAt), lt(roots.deletedAt, before)))
      .run();
    this.#database
      .delete(deletions)
      .where(lt(deletions.expiresAt, before + TOMBSTONE_MS))
      .run();
  }

  /** Whether a root was deleted in the last 24 h with that key, or had begun something with that receipt. */
  wasDeleted(name: string, key: string): boolean {
    if (this.#isEmpty) return false;
    const where = and(eq(deletions.key, tombstoneKey(name, key)), gt(deletions.expiresAt, this.now()));
    return this.#database.select().from(deletions).where(where).get() !== undefined;
  }

  /** Roots, the latest first. */
  roots({ limit, by = 'createdAt', after, statuses, tag, q }: RootsQuery): ListedRoot[] {
    if (this.#isEmpty) return [];
    const time = by === 'createdAt' ? roots.createdAt : roots.lastActivity;
    const isIn = (value: SQL) => sql`instr(lower(${value}), lower(${q})) > 0`;
    const where = and(
      isNull(roots.deletedAt),
      after && or(lt(time, after.at), and(eq(time, after.at), gt(roots.name, after.key))),
      statuses && inArray(roots.status, [...statuses]),
      tag === undefined ? undefined : sql`EXISTS (SELECT 1 FROM json_each(${roots.tags}) WHERE value = ${tag})`,
      q === undefined ? undefined : or(isIn(sql`${roots.name}`), isIn(sql`${roots.title}`), isIn(sql`${roots.tags}`)),
    );
    const rows = this.#database.select().from(roots).where(where).orderBy(desc(time), roots.name).limit(limit).all();
    return rows.map(({ name, sessionId, createdAt, lastActivity, status: at, displayName, tags, title, facts }) => ({
      name,
      sessionId,
      createdAt,
      lastActivity,
      status: at,
      ...(displayName === null ? {} : { displayName }),
      ...(title === null ? {} : { title }),
      tags: JSON.parse(tags),
      ...(facts === null ? {} : JSON.parse(facts)),
    }));
  }

  /** All roots at work, without trees that wait for a person, the one heard first at the front. */
  *working(page = WORKING_PAGE): Generator<WorkingRoot, void, undefined> {
    if (this.#isEmpty) return;
    const { name, sessionId, lastActivity } = roots;
    let last: WorkingRoot | undefined;
    do {
      const after =
        last && or(gt(lastActivity, last.lastActivity), and(eq(lastActivity, last.lastActivity), gt(name, last.name)));
      const rows: WorkingRoot[] = this.#database
        .select({ name, sessionId, lastActivity })
        .from(roots)
        .where(and(isNull(roots.deletedAt), atWork, after))
        .orderBy(lastActivity, name)
        .limit(page)
        .all();
      yield* rows;
      last = rows.length < page ? undefined : rows.at(-1);
    } while (last);
  }

  /** What waits for a person, the one asked first at the front. */
  pending(query: ListedQuery): ListedAt<ListedCall>[] {
    return this.#isEmpty ? [] : listedPage(this.#database, 'pending', query);
  }

  /** Runs that failed, the newest first. */
  errors(query: ListedQuery): ListedAt<ListedFailure>[] {
    return this.#isEmpty ? [] : listedPage(this.#database, 'error', query);
  }

  /** Sub-agents that stay or live elsewhere, the one that was active last first. */
  children(query: ListedQuery): ListedAt<ListedChild>[] {
    return this.#isEmpty ? [] : listedPage(this.#database, 'child', query);
  }

  /** The causes of failed runs with these fields since a time, in ms since 1970. */
  causes(since: number, where: NonNullable<ListedQuery['where']> = {}): CauseCount[] {
    return this.#isEmpty ? [] : causesSince(this.#database, since, where);
  }

  /** True where nothing was ever reported. Reading an empty directory writes nothing. */
  get #isEmpty(): boolean {
    const formats = formatsOf(this.storage);
    if (formats.size > 0) migrate(this.storage, LADDERS, formats);
    return formats.size === 0;
  }
}

function tombstoneKey(name: string, key: string): string {
  return JSON.stringify([name, key]);
}
