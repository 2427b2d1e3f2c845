/** The tables of a directory: the roots of one agent class. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Roots by name. Created `WITHOUT ROWID`. A deleted root stays for 24 h as a tombstone. */
export const roots = sqliteTable('roots', {
  name: text('name').primaryKey(),
  /** Raised each time the name is used anew, so that a late report of a deleted root changes nothing. */
  generation: integer('generation').notNull(),
  createdAt: integer('created_at').notNull(),
  lastActivity: integer('last_activity').notNull(),
  status: text('status').notNull(),
  displayName: text('display_name'),
  tags: text('tags').notNull(),
  deletedAt: integer('deleted_at'),
});

/** The idempotency keys of deletions, which outlive the root. Created `WITHOUT ROWID`. */
export const deletions = sqliteTable('deletions', {
  key: text('key').primaryKey(),
  name: text('name').notNull(),
  expiresAt: integer('expires_at').notNull(),
});
