/**
 * What a directory keeps of the trees of its roots, as they told it: calls that wait, failed runs, sub-agents that stay.
 *
 * Keeps A84, A85, A86, A89.
 */
import { and, asc, desc, eq, gte, sql } from 'drizzle-orm';
import type { CauseCount, ListedAt, ListedQuery, RootReport } from '../core/ports/directory';
import { LISTED_LIMITS } from '../protocol/data-limits';
import { listed } from './schema/directory';
import type { Database } from './storage';

/** So many entries are written by one statement: what it is given has at most 2 MB (limits of Durable Objects). */
const PUT_AT_ONCE = 100;

/** The kinds of what is listed. */
export type ListedKind = 'pending' | 'error' | 'child';

interface Entry {
  readonly id: string;
  readonly at: number;
  readonly item: object;
}

/** Writes what a root tells, in the transaction of its report: what waits and who stays are what it says now. */
export function keepListed(database: Database, { name, pending, failures, children }: RootReport, now: number): void {
  const calls = pending.map((item): Entry => ({ id: item.toolCallId, at: item.requestedAt, item }));
  const stays = children.map((item): Entry => ({ id: item.sessionId, at: item.lastActivity, item }));
  replace(database, name, 'pending', calls);
  replace(database, name, 'child', stays);
  // What has failed stays told, whatever became of the agent.
  const failed = failures.map((item): Entry => ({ id: item.runId, at: item.at, item }));
  put(database, name, 'error', failed);
  if (failures.length > 0) forgetErrors(database, now);
}

/** Forgets what a root has told. */
export function dropListed(database: Database, root: string): void {
  database.delete(listed).where(eq(listed.root, root)).run();
}

function replace(database: Database, root: string, kind: ListedKind, entries: readonly Entry[]): void {
  const ids = JSON.stringify(entries.map(({ id }) => id));
  database
    .delete(listed)
    .where(
      and(eq(listed.root, root), eq(listed.kind, kind), sql`${listed.id} NOT IN (SELECT value FROM json_each(${ids}))`),
    )
    .run();
  put(database, root, kind, entries);
}

/** Writes those that are new or have changed: a root tells all that it has each time. */
function put(database: Database, root: string, kind: ListedKind, entries: readonly Entry[]): void {
  for (let from = 0; from < entries.length; from += PUT_AT_ONCE) {
    const rows = entries
      .slice(from, from + PUT_AT_ONCE)
      .map(({ id, at, item }) => ({ id, at, data: JSON.stringify(item) }));
    // `WHERE true` tells the parser that what follows is no join.
    database.run(sql`INSERT INTO ${listed} (root, kind, id, at, data)
      SELECT ${root}, ${kind}, value ->> 'id', value ->> 'at', value ->> 'data' FROM json_each(${JSON.stringify(rows)})
      WHERE true
      ON CONFLICT (root, kind, id) DO UPDATE SET at = excluded.at, data = excluded.data
      WHERE data <> excluded.data`);
  }
}

/** The newest are kept, for a while. */
function forgetErrors(database: Database, now: number): void {
  const { keptErrors, keptErrorsMs } = LISTED_LIMITS;
  const [last] = database
    .select({ at: listed.at })
    .from(listed)
    .where(eq(listed.kind, 'error'))
    .orderBy(desc(listed.at))
    .limit(1)
    .offset(keptErrors - 1)
    .all();
  const from = Math.max(now - keptErrorsMs, last?.at ?? 0);
  database
    .delete(listed)
    .where(and(eq(listed.kind, 'error'), sql`${listed.at} < ${from}`))
    .run();
}

/** What tells apart entries of one time. */
const KEY = sql<string>`${listed.root} || '/' || ${listed.id}`;

/** Entries with these fields; one that has none of a field counts as one in which that is empty. */
const fitsAll = (where: NonNullable<ListedQuery['where']>) =>
  Object.entries(where).map(
    ([field, value]) => sql`coalesce(json_extract(${listed.data}, ${`$.${field}`}), '') = ${value}`,
  );

/** A page of one kind: calls that wait the oldest first, all others the latest first. */
export function listedPage<Item>(
  database: Database,
  kind: ListedKind,
  { limit, after, where = {}, since, q, owing }: ListedQuery,
): ListedAt<Item>[] {
  const oldest = kind === 'pending';
  const beyond = after && (oldest ? sql`${listed.at} > ${after.at}` : sql`${listed.at} < ${after.at}`);
  const rows = database
    .select({ at: listed.at, key: KEY, data: listed.data })
    .from(listed)
    .where(
      and(
        eq(listed.kind, kind),
        since === undefined ? undefined : gte(listed.at, since),
        after && sql`(${beyond} OR (${listed.at} = ${after.at} AND ${KEY} > ${after.key}))`,
        ...fitsAll(where),
        owing ? sql`json_extract(${listed.data}, '$.stopOwed') IS NOT NULL` : undefined,
        q === undefined ? undefined : sql`instr(lower(json_extract(${listed.data}, '$.address')), lower(${q})) > 0`,
      ),
    )
    .orderBy(oldest ? asc(listed.at) : desc(listed.at), KEY)
    .limit(limit)
    .all();
  return rows.map(({ at, key, data }) => ({ at, key, item: JSON.parse(data) }));
}

/** The causes of failed runs with these fields since a time, the most frequent first. */
export function causesSince(database: Database, since: number, where: NonNullable<ListedQuery['where']>): CauseCount[] {
  const code = sql<string>`json_extract(${listed.data}, '$.code')`;
  const agentType = sql<string>`json_extract(${listed.data}, '$.agentType')`;
  const pattern = sql<string>`json_extract(${listed.data}, '$.pattern')`;
  const count = sql<number>`count(*)`;
  return database
    .select({ code, agentType, pattern, count, lastAt: sql<number>`max(${listed.at})` })
    .from(listed)
    .where(and(eq(listed.kind, 'error'), gte(listed.at, since), ...fitsAll(where)))
    .groupBy(code, agentType, pattern)
    .orderBy(desc(count), code, agentType, pattern)
    .limit(LISTED_LIMITS.causes)
    .all();
}
