/** The store of the library: what it needs from SQLite, and its ladder of migrations. */

/** A value that SQLite takes and gives. */
export type SqlValue = string | number | null | ArrayBuffer;

/**
 * Synchronous SQLite with FTS5, as a Durable Object's storage gives it. `exec` takes one statement; it may throw what
 * SQLite throws. `transactionSync` rolls back when its body throws.
 */
export interface LibraryStorage {
  readonly sql: {
    exec(query: string, ...bindings: SqlValue[]): { toArray(): Record<string, SqlValue>[] };
  };
  transactionSync<Result>(body: () => Result): Result;
}

/** Append-only: a step that was released never changes. */
const LADDER: readonly (readonly string[])[] = [
  [
    `CREATE TABLE documents (
      name TEXT PRIMARY KEY,
      requested TEXT NOT NULL,
      origin TEXT NOT NULL,
      title TEXT NOT NULL,
      source TEXT NOT NULL,
      hash TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      passages INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE passages (
      id INTEGER PRIMARY KEY,
      document TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      heading TEXT NOT NULL,
      text TEXT NOT NULL,
      UNIQUE (document, ordinal)
    )`,
    // Without content of its own: the text is in `passages`, under the same row id.
    `CREATE VIRTUAL TABLE passage_index USING fts5(
      title, heading, text,
      content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
    )`,
  ],
];

const META = 'CREATE TABLE IF NOT EXISTS library_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';

/** Reads a fact about the whole store. */
export function readMeta(storage: LibraryStorage, key: string): string | undefined {
  const value = storage.sql.exec('SELECT value FROM library_meta WHERE key = ?', key).toArray()[0]?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Writes a fact about the whole store. */
export function writeMeta(storage: LibraryStorage, key: string, value: string): void {
  storage.sql.exec(
    'INSERT INTO library_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}

/** Whether a storage holds a library. Writes nothing. */
export function holdsLibrary(storage: LibraryStorage): boolean {
  return storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'library_meta'").toArray().length > 0;
}

/** Brings a store to the newest schema. Does nothing when it is there. */
export function migrateLibrary(storage: LibraryStorage): void {
  storage.transactionSync(() => {
    storage.sql.exec(META);
    const done = Number(readMeta(storage, 'schema') ?? '0');
    if (done >= LADDER.length) return;
    for (const step of LADDER.slice(done)) for (const statement of step) storage.sql.exec(statement);
    writeMeta(storage, 'schema', String(LADDER.length));
  });
}
