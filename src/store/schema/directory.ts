/**
 * The tables of a directory: the roots of one agent class.
 *
 * Keeps A28.
 */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Roots by name. Created `WITHOUT ROWID`. A deleted root stays for 24 h as a tombstone. */
export const roots = sqliteTable('roots', {
  name: text('name').primaryKey(),
  /** The session that has the name; a late report of a session that was deleted changes nothing. */
  sessionId: text('session_id').notNull(),
  /** Raised each time the name is used anew. */
  generation: integer('generation').notNull(),
  createdAt: integer('created_at').notNull(),
  lastActivity: integer('last_activity').notNull(),
  status: text('status').notNull(),
  displayName: text('display_name'),
  tags: text('tags').notNull(),
  deletedAt: integer('deleted_at'),
  title: text('title'),
  /** What else is shown of it, as JSON (`directory-store.ts`): what is only shown needs no column. */
  facts: text('facts'),
});

/** What of the trees of these roots is listed, by root, kind and id. Created `WITHOUT ROWID`. */
export const listed = sqliteTable(
  'listed',
  {
    root: text('root').notNull(),
    /** `pending`, `error` or `child`. */
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    /** What the list is ordered by, in ms since 1970. */
    at: integer('at').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.root, table.kind, table.id] })],
);

/** The idempotency keys of deletions, which outlive the root. Created `WITHOUT ROWID`. */
export const deletions = sqliteTable('deletions', {
  /** The name of the root, and who asked with which key. */
  key: text('key').primaryKey(),
  expiresAt: integer('expires_at').notNull(),
});
