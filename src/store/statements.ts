/**
 * Statements, written with the query builder once and run as text. Building a query costs more than running it, and an
 * object in a large tree runs each of these many times (decision 8).
 *
 * Keeps SO4.
 */
import { sql } from 'drizzle-orm';
import { databaseOf, type ObjectStorage } from './storage';

/** A value of a row. */
export type SqlValue = ArrayBuffer | string | number | null;

const nowhere: ObjectStorage = {
  sql: {
    exec: () => {
      throw new TypeError('This storage only writes statements.');
    },
  },
  transactionSync: () => {
    throw new TypeError('This storage only writes statements.');
  },
};

/** A query builder that is connected to nothing. */
export const build = databaseOf(nowhere);

/** A value that is bound when the statement runs; values are bound in the order in which they stand in the text. */
export const bound = (name: string) => sql.placeholder(name);

/** In an upsert: the value that could not be inserted. */
export const excluded = (column: string) => sql.raw(`excluded.${column}`);

/** The text of a query. */
export function text(query: { toSQL(): { sql: string } }): string {
  return query.toSQL().sql;
}

/** Runs statements on one storage. */
export class Statements {
  constructor(readonly storage: ObjectStorage) {}

  run(statement: string, ...bindings: SqlValue[]): void {
    this.storage.sql.exec(statement, ...bindings);
  }

  /** The rows, by the names of their columns. */
  all<Row extends Record<string, SqlValue>>(statement: string, ...bindings: SqlValue[]): Row[] {
    return this.storage.sql.exec(statement, ...bindings).toArray() as Row[];
  }
}
