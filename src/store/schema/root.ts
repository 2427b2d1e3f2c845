/**
 * The tables of top-level objects alone: the record of the tree, its one log, and the turns of the root.
 *
 * Keeps LG1, B2.
 */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The agents of the tree; row 1 is the root. One row also says what is owed: those in the phase `working` are the active
 * agents, `deadline` is their timer (decision 2).
 */
export const tree = sqliteTable('tree', {
  id: integer('id').primaryKey(),
  data: text('data').notNull(),
});

/**
 * Calls of the tree that wait for a person, or did: an answer that comes again or too late finds its owner here.
 * Created `WITHOUT ROWID`.
 */
export const pending = sqliteTable(
  'pending',
  {
    callId: text('call_id').notNull(),
    /** The owner's id in the record. */
    node: integer('node').notNull(),
    open: integer('open', { mode: 'boolean' }).notNull(),
    data: text('data').notNull(),
  },
  (table) => [primaryKey({ columns: [table.callId, table.node] })],
);

/** The log: a row is a batch of one agent, its key the sequence of the first chunk. */
export const log = sqliteTable('log', {
  first: integer('first').primaryKey(),
  count: integer('count').notNull(),
  node: integer('node').notNull(),
  /** The agent's own number of the first chunk. */
  number: integer('number').notNull(),
  /** Characters of `data`, whole. */
  size: integer('size').notNull(),
  data: text('data').notNull(),
});

/** The signed tokens of the tree that may still count, or were taken back. Created `WITHOUT ROWID`. */
export const tokens = sqliteTable('tokens', {
  id: text('id').primaryKey(),
  data: text('data').notNull(),
});

/** The first sequence of each turn of the root, for retention. */
export const turns = sqliteTable('turns', {
  turn: integer('turn').primaryKey(),
  first: integer('first').notNull(),
});
