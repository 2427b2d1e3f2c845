/**
 * The storage of one object, as this code needs it: what a Durable Object has, and `node:sqlite` can give.
 *
 * Keeps EG3.
 */

import { drizzle } from 'drizzle-orm/durable-sqlite';
import type { AtOnce } from '../core/ports/agent-store';

/** A statement's rows, read once. */
export interface SqlCursor {
  toArray(): Record<string, ArrayBuffer | string | number | null>[];
  readonly rowsWritten: number;
}

/** Synchronous SQLite with transactions. A transaction body that returns a promise is refused. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: (ArrayBuffer | string | number | null)[]): SqlCursor };
  transactionSync<Result>(body: () => Result): Result;
}

/** The query builder over a storage. */
export type Database = ReturnType<typeof drizzle>;

/** Opens the query builder; it keeps no state of its own. */
export function databaseOf(storage: ObjectStorage): Database {
  return drizzle(storage as unknown as DurableObjectStorage, { logger: false });
}

/**
 * Runs a body in one transaction. The type asks for a synchronous body; one that returns a promise anyway is
 * rolled back and refused here, because its later writes would be outside.
 */
export function transact<Result>(storage: ObjectStorage, body: () => AtOnce<Result>): Result {
  return storage.transactionSync(() => {
    const result = body();
    if (typeof result === 'object' && result !== null && 'then' in result) {
      throw new TypeError('A transaction body must be synchronous: it returned a promise, so nothing of it was kept.');
    }
    return result;
  });
}
