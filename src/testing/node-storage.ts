/**
 * The storage of a Durable Object in Node, over `node:sqlite`, with the limits of the platform.
 *
 * Keeps FS20, FS21, FS22, FS24, DF32.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { OffshootError } from '../protocol/errors';

/** What a column holds, as a Durable Object gives it. Integers past 2^53 lose their last digits, as there. */
export type SqlValue = ArrayBuffer | string | number | null;

/** What may be bound; `undefined` is NULL. Booleans and bigints are refused: bind 0 or 1. */
export type SqlBinding = SqlValue | ArrayBufferView | undefined;

/** The rows of one statement. All ways of reading share one position: a row is handed out once. */
export interface SqlCursor<Row extends Record<string, SqlValue>> extends Iterable<Row> {
  /** The next row. */
  next(): IteratorResult<Row, undefined>;
  /** The rows that are left. */
  toArray(): Row[];
  /** The only row. Throws when there is none, or another. */
  one(): Row;
  /** The rows that are left as arrays, in the order of the columns. */
  raw<Values extends SqlValue[]>(): IteratorObject<Values, undefined>;
  readonly columnNames: string[];
  /** Rows that came back. A Durable Object also counts those that it had to look at. */
  readonly rowsRead: number;
  /** Rows that the statement itself changed. A Durable Object also counts the entries of indexes. */
  readonly rowsWritten: number;
}

/** A Durable Object's `ctx.storage`, as far as SQL goes. */
export interface NodeStorage {
  readonly sql: {
    /**
     * Runs statements; only the last may have bindings, and its rows come back. Runs at once, read or not.
     * Throws what SQLite throws, and for statements that begin or end a transaction: use `transactionSync`.
     */
    exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlBinding[]): SqlCursor<Row>;
    /** Bytes of the database. */
    readonly databaseSize: number;
  };
  /**
   * Runs `body` in a transaction, or in a savepoint inside one. What it throws rolls back and is thrown on.
   * A body that returns a promise is rolled back and refused: its writes after the first `await` would be outside.
   */
  transactionSync<T>(body: () => T): T;
  /** There is nothing to wait for: what is written is with the system already. */
  sync(): Promise<void>;
  /** Closes the database. One in memory is gone. */
  close(): void;
}

/** The limits of a Durable Object's SQLite, so that what is too big there is too big here. */
const LIMITS = {
  /** A string, a blob or a row, in bytes ("2 MB"). */
  length: 2_000_000,
  /** Bindings of a statement. */
  variableNumber: 100,
  /** A statement, in bytes ("100 KB"). */
  sqlLength: 100_000,
};

const TRANSACTION = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i;

/** `node:sqlite`, which an import would look for before anything here could say what is missing. */
function sqlite(): typeof import('node:sqlite') {
  const found: typeof import('node:sqlite') | undefined = process.getBuiltinModule?.('node:sqlite');
  if (found) return found;
  throw new OffshootError(
    'invalid_definition',
    `offshoot/testing needs Node 22.13 or newer, for node:sqlite; this is ${process.version}. Install a newer Node (https://nodejs.org, or \`nvm install 24\`), and run the tests again.`,
  );
}

/**
 * A `DurableObjectStorage` over `node:sqlite` (Node 24), complete enough for `drizzle-orm/durable-sqlite`.
 * Outside `transactionSync` each statement is a transaction of its own.
 * @param path a file, kept through a crash of the process; without it the database is in memory.
 */
export function nodeStorage(path = ':memory:'): NodeStorage {
  const { DatabaseSync: Database } = sqlite();
  const database = new Database(path, { limits: LIMITS });
  if (path !== ':memory:') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const sql = new Sql(database);
  const transactions = new Transactions(database);
  return {
    sql,
    transactionSync: (body) => transactions.run(body),
    sync: async () => undefined,
    close: () => database.close(),
  };
}

/** Fills an empty storage with all that another one holds. */
export function copyStorage(from: NodeStorage, to: NodeStorage): void {
  const made = from.sql.exec<{ name: string; sql: string; type: string }>(
    "SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC",
  );
  const rows = made.toArray();
  to.transactionSync(() => {
    for (const { name, sql, type } of rows) {
      to.sql.exec(sql);
      if (type !== 'table') continue;
      const cursor = from.sql.exec(`SELECT * FROM "${name}"`);
      const insert = `INSERT INTO "${name}" VALUES (${cursor.columnNames.map(() => '?').join(', ')})`;
      for (const values of cursor.raw<SqlValue[]>()) to.sql.exec(insert, ...values);
    }
  });
}

/** Queries that are kept prepared: more than any program has, and a bound for one that writes values into them. */
const MOST_PREPARED = 500;

/** A query of one statement, prepared. */
interface Prepared {
  readonly statement: StatementSync;
  /** The columns of its rows; missing where a `*` stands for those that the tables have then. */
  readonly names?: readonly string[];
  /** `reads` changes no row; `defines` and `writes` give no row; of `other` nothing is certain. */
  readonly kind: 'reads' | 'writes' | 'defines' | 'other';
}

class Sql {
  readonly #changes: StatementSync;
  /** To prepare a query costs more than to run it. */
  readonly #prepared = new Map<string, Prepared>();
  #pages: StatementSync | undefined;

  constructor(private readonly database: DatabaseSync) {
    this.#changes = database.prepare('SELECT total_changes() AS changes');
  }

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlBinding[]): SqlCursor<Row> {
    const known = this.#prepared.get(query);
    if (known !== undefined) return this.#run<Row>(known, bindings);
    let rest = query;
    for (;;) {
      if (TRANSACTION.test(rest)) {
        throw new Error('Statements that begin or end a transaction are refused: use transactionSync instead.');
      }
      const statement = this.database.prepare(rest); // takes the first statement, and ignores what follows
      statement.setReturnArrays(true); // two columns may have one name
      const isWhole = rest === query;
      rest = rest.slice(statement.sourceSQL.length);
      const isLast = rest.trim() === '';
      const prepared = preparedOf(statement);
      const cursor = this.#run<Row>(prepared, isLast ? bindings : []);
      if (isLast && isWhole) this.#keep(query, prepared);
      if (isLast) return cursor;
    }
  }

  #keep(query: string, prepared: Prepared): void {
    if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear();
    this.#prepared.set(query, prepared);
  }

  get databaseSize(): number {
    this.#pages ??= this.database.prepare(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    );
    return Number(this.#pages.get()?.bytes);
  }

  #run<Row extends Record<string, SqlValue>>(
    { statement, names, kind }: Prepared,
    bindings: readonly SqlBinding[],
  ): SqlCursor<Row> {
    const given = bindings.length === 0 ? NOTHING : bindings.map(toSqlite);
    if (kind === 'writes' || kind === 'defines') {
      const { changes } = statement.run(...given);
      return new Cursor<Row>(NOTHING, NOTHING, kind === 'writes' ? Number(changes) : 0);
    }
    const before = kind === 'reads' ? 0 : this.#totalChanges();
    const values = kind === 'reads' ? readRows(statement, given) : rowsOf(statement, given);
    const written = kind === 'reads' ? 0 : this.#totalChanges() - before;
    return new Cursor<Row>(names ?? namesOf(statement), values, written);
  }

  #totalChanges(): number {
    return Number(this.#changes.get()?.changes);
  }
}

function preparedOf(statement: StatementSync): Prepared {
  const query = statement.sourceSQL;
  const kind = kindOf(query);
  // Only of a query that may change rows: it cannot run again where an integer turns out to be past 2^53.
  if (kind === 'other') statement.setReadBigInts(true);
  if (kind === 'writes' || kind === 'defines' || query.includes('*')) return { statement, kind };
  return { statement, kind, names: namesOf(statement) };
}

function kindOf(query: string): Prepared['kind'] {
  if (/^\s*SELECT\b/iu.test(query)) return 'reads';
  if (/^\s*(?:CREATE|DROP)\b/iu.test(query)) return 'defines';
  return /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/iu.test(query) && !/\bRETURNING\b/iu.test(query) ? 'writes' : 'other';
}

type Bound = ReturnType<typeof toSqlite>;

const NOTHING: readonly never[] = [];

/** Rows of a query that changes nothing. Integers come as numbers, and as bigints only once one is past 2^53. */
function readRows(statement: StatementSync, given: readonly Bound[]): SqlValue[][] {
  try {
    return rowsOf(statement, given);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE')) throw error;
    statement.setReadBigInts(true);
    return rowsOf(statement, given);
  }
}

function rowsOf(statement: StatementSync, given: readonly Bound[]): SqlValue[][] {
  const rows: unknown = statement.all(...given);
  // Nobody else has these arrays, and most of their values stay as they are.
  for (const row of rows as unknown[][])
    for (let at = 0; at < row.length; at++) {
      const value = row[at];
      if (typeof value === 'bigint') row[at] = Number(value);
      else if (value instanceof Uint8Array) row[at] = new Uint8Array(value).buffer;
    }
  return rows as SqlValue[][];
}

const namesOf = (statement: StatementSync): string[] => statement.columns().map(({ name }) => name);

function toSqlite(value: SqlBinding): Uint8Array | string | number | null {
  if (value === undefined) return null;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}

class Cursor<Row extends Record<string, SqlValue>> implements SqlCursor<Row> {
  readonly rowsRead: number;
  #next = 0;

  constructor(
    private readonly names: readonly string[],
    private readonly rows: readonly SqlValue[][],
    readonly rowsWritten: number,
  ) {
    this.rowsRead = rows.length;
  }

  get columnNames(): string[] {
    return [...this.names];
  }

  next(): IteratorResult<Row, undefined> {
    const values = this.rows[this.#next];
    if (!values) return { done: true, value: undefined };
    this.#next += 1;
    return { done: false, value: this.#row(values) };
  }

  #row(values: readonly SqlValue[]): Row {
    const row: Record<string, SqlValue | undefined> = {};
    for (let at = 0; at < this.names.length; at++) row[this.names[at] ?? ''] = values[at];
    return row as Row;
  }

  toArray(): Row[] {
    const rows: Row[] = [];
    for (let values = this.rows[this.#next]; values; values = this.rows[this.#next]) {
      this.#next += 1;
      rows.push(this.#row(values));
    }
    return rows;
  }

  one(): Row {
    const [row, another] = this.toArray();
    if (!row || another) throw new Error(`Expected exactly one row, but got ${row ? 'several' : 'none'}.`);
    return row;
  }

  *raw<Values extends SqlValue[]>(): Generator<Values, undefined> {
    for (let values = this.rows[this.#next]; values; values = this.rows[this.#next]) {
      this.#next += 1;
      yield values as Values;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Row, undefined> {
    for (let row = this.next(); !row.done; row = this.next()) yield row.value;
    return undefined;
  }
}

/** The statements of one level of transactions, prepared. */
interface Level {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  /** The statements that roll back, in order. */
  readonly rollback: readonly StatementSync[];
}

class Transactions {
  readonly #levels: Level[] = [];
  #depth = 0;

  constructor(private readonly database: DatabaseSync) {}

  #level(depth: number): Level {
    const known = this.#levels[depth];
    if (known) return known;
    const name = `level_${depth}`;
    const texts =
      depth === 0
        ? ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
        : [`SAVEPOINT ${name}`, `RELEASE ${name}`, `ROLLBACK TO ${name}`, `RELEASE ${name}`];
    const [begin, commit, ...rollback] = texts.map((text) => this.database.prepare(text));
    if (begin === undefined || commit === undefined) throw new Error('A level of transactions has no statements.');
    const level = { begin, commit, rollback };
    this.#levels[depth] = level;
    return level;
  }

  run<T>(body: () => T): T {
    const { begin, commit, rollback } = this.#level(this.#depth);
    begin.run();
    this.#depth += 1;
    try {
      const result = body();
      refusePromise(result);
      commit.run();
      return result;
    } catch (error) {
      // Some failures of SQLite (a full disk) have rolled the whole transaction back already.
      if (this.database.isTransaction) for (const statement of rollback) statement.run();
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }
}

function refusePromise(result: unknown): void {
  if (typeof result !== 'object' || result === null || !('then' in result) || typeof result.then !== 'function') return;
  Promise.resolve(result).catch(() => undefined); // what becomes of it concerns nobody any more
  throw new TypeError('The body of a transaction returned a promise: do all of its work at once, without await.');
}
