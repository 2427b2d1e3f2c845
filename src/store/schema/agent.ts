/**
 * The tables of every agent. A row holds one record of the core as JSON; what is looked up by has a column of its own.
 * Integer keys and no index but one: each change is one row written (decision 4).
 *
 * Keeps SO4, B1.
 */
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row, key 1: who this is, and the custom state. */
export const session = sqliteTable('session', {
  id: integer('id').primaryKey(),
  data: text('data').notNull(),
  custom: text('custom').notNull(),
});

/** Runs by turn. */
export const runs = sqliteTable('runs', {
  turn: integer('turn').primaryKey(),
  data: text('data').notNull(),
});

/** Steps by their number in the session; a row holds the reply, the calls and the usage. */
export const steps = sqliteTable('steps', {
  id: integer('id').primaryKey(),
  turn: integer('turn').notNull(),
  data: text('data').notNull(),
});

/**
 * How open calls stand, and then their results. The key is `step * 4096 + index of the call`. Under `-step` is the custom
 * state before its first change in that step: a table for what most agents never have would be a page in each store.
 */
export const settlements = sqliteTable('settlements', {
  key: integer('key').primaryKey(),
  data: text('data').notNull(),
});

/** Starts that wait until the run before them has ended, in order of arrival. */
export const queued = sqliteTable('queued', {
  id: integer('id').primaryKey(),
  data: text('data').notNull(),
});

/**
 * Rows that capabilities keep, by the name of each. They share one table: one for each capability would be a page more in
 * the store of every agent. Created `WITHOUT ROWID`.
 */
export const slices = sqliteTable(
  'slices',
  {
    capability: text('capability').notNull(),
    id: integer('id').notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.capability, table.id] })],
);

/** Who did what to the agent, in order. */
export const audit = sqliteTable('audit', {
  id: integer('id').primaryKey(),
  data: text('data').notNull(),
});

/** Messages that arrived, in order of arrival. */
export const messages = sqliteTable('messages', {
  id: integer('id').primaryKey(),
  data: text('data').notNull(),
});

/**
 * Children by id, from 1. `step`: the step that awaits the open task, 0 where none does; null where no task is open. A
 * released child leaves its slot and generation here until the slot is used again.
 */
export const children = sqliteTable(
  'children',
  {
    id: integer('id').primaryKey(),
    className: text('class_name').notNull(),
    slot: integer('slot'),
    generation: integer('generation'),
    /** Unique, as the machine that gives names holds it. */
    name: text('name'),
    step: integer('step'),
    free: integer('free', { mode: 'boolean' }).notNull(),
    data: text('data').notNull(),
  },
  // A child without a name has no entry, and a name is written once: one row more when it is given, none after.
  (table) => [index('children_by_name').on(table.name).where(sql`${table.name} is not null`)],
);

/** Chunks on their way to the root. Places are used again once the root has them, so a batch is one row written. */
export const outbox = sqliteTable('outbox', {
  position: integer('position').primaryKey(),
  first: integer('first').notNull(),
  data: text('data').notNull(),
});

/**
 * What was accepted under an idempotency key; and, with no end, the records of which an agent has one each, under keys that
 * no request has: how agents elsewhere stand (`remoteKey` in store/agent-store.ts, decision 51), and how many children have
 * names (`["named"]`, store/named-total.ts, decision 61). They lie here because a table of their own would be a page more in
 * the store of each agent, most of which have neither. Created `WITHOUT ROWID`.
 */
export const receipts = sqliteTable('receipts', {
  key: text('key').primaryKey(),
  body: text('body').notNull(),
  answer: text('answer').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

/** Values of variables that the session was given, sealed, by name. Created `WITHOUT ROWID`. */
export const variables = sqliteTable('variables', {
  name: text('name').primaryKey(),
  data: text('data').notNull(),
});

/** The rest of texts that are too long for one row: `table:key` and the number of the part. Created `WITHOUT ROWID`. */
export const overflow = sqliteTable(
  'overflow',
  {
    owner: text('owner').notNull(),
    part: integer('part').notNull(),
    text: text('text').notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.part] })],
);
