/**
 * Storages of simulated objects, which are made for one tree and used again for the next. To open a database, to make its
 * tables and to prepare its queries takes as long as a tree with a few agents does its work. One that is used again has no
 * rows, and looks as if it had no tables either, until they are made.
 */
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import {
  type NodeStorage,
  nodeStorage,
  type SqlBinding,
  type SqlCursor,
  type SqlValue,
} from '../../src/testing/node-storage';

type Row = Record<string, SqlValue>;

/** More than the trees of any test have at once. */
const MOST_KEPT = 400;
/** Larger ones are not kept, in bytes. */
const MOST_BYTES = 1_000_000;

const DEFINES = /^\s*(?:CREATE|DROP|ALTER)\b/iu;
/** By the text of a query, whether it defines tables: an object runs the same ones again and again. */
const known = new Map<string, boolean>();

function defines(query: string): boolean {
  const before = known.get(query);
  if (before !== undefined) return before;
  const found = DEFINES.test(query);
  known.set(query, found);
  return found;
}

const CREATES = /^\s*CREATE\b/iu;
const FORMATS = /^CREATE TABLE IF NOT EXISTS offshoot_format\b/u;

const madeBy = (ladders: readonly (typeof AGENT_MIGRATIONS)[]): ReadonlySet<string> => {
  const all = ladders.flat().flatMap(({ statements, fresh = [] }) => [...fresh, ...statements]);
  return new Set(all.filter((one) => DEFINES.test(one)));
};

/** A database with the tables of one kind of object, and what made them. */
interface Kept {
  readonly storage: NodeStorage;
  readonly made: Set<string>;
  /** A table was changed or dropped: what made it cannot be compared with what makes others. */
  isChanged?: true;
}

/** Databases of one kind of object, and the statements that may make their tables. */
class Pool {
  readonly #free: Kept[] = [];
  readonly #tables: ReadonlySet<string>;

  constructor(...ladders: readonly (typeof AGENT_MIGRATIONS)[]) {
    this.#tables = madeBy(ladders);
  }

  knows(query: string): boolean {
    return this.#tables.has(query) || FORMATS.test(query);
  }

  take(): Kept {
    return this.#free.pop() ?? { storage: nodeStorage(), made: new Set() };
  }

  give({ storage, made, isChanged }: Kept): void {
    if (this.#free.length >= MOST_KEPT || made.size === 0 || isChanged || storage.sql.databaseSize > MOST_BYTES)
      return storage.close();
    const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    storage.transactionSync(() => {
      for (const { name } of tables) storage.sql.exec(`DELETE FROM "${String(name)}"`);
    });
    this.#free.push({ storage, made });
  }
}

const OF_AGENTS = new Pool(AGENT_MIGRATIONS);
const OF_ROOTS = new Pool(AGENT_MIGRATIONS, ROOT_MIGRATIONS);

/** How many trees end before the storages of one are used again: tests look at a tree that has ended, and at the one before. */
const LATER = 16;

/** Large trees, which no test compares with many others, give theirs back sooner: with so many storages that wait for it. */
const MOST_WAITING = 60;
const SOONER = 3;

const ended: (readonly PooledStorage[])[] = [];

const areMany = (): boolean =>
  ended.length > SOONER && ended.reduce((sum, { length }) => sum + length, 0) > MOST_WAITING;

/** A tree has ended: its storages are used again some trees later. */
export function reuseLater(storages: readonly PooledStorage[]): void {
  ended.push(storages);
  while (ended.length > LATER || areMany()) for (const storage of ended.shift() ?? []) storage.close();
}

/** What every storage shows before anything is written to it. */
const BLANK = nodeStorage();

/** The storage of one object of one tree. */
export class PooledStorage implements NodeStorage {
  readonly #pool: Pool;
  #pooled: Kept | undefined;
  /** A database beside the pool, where tables were made that no object of this version has. */
  #own: NodeStorage | undefined;
  #isMade = false;
  #isInTransaction = false;
  #isClosed = false;
  readonly sql: NodeStorage['sql'];

  /** @param commits called at the end of each transaction: what it throws rolls back all of that */
  constructor(
    isTopLevel: boolean,
    readonly commits: () => void = () => undefined,
  ) {
    this.#pool = isTopLevel ? OF_ROOTS : OF_AGENTS;
    const exec = <Of extends Row>(query: string, ...bindings: SqlBinding[]): SqlCursor<Of> =>
      this.#exec<Of>(query, bindings);
    const size = (): number => (this.#own ?? this.#pooled?.storage ?? BLANK).sql.databaseSize;
    this.sql = {
      exec,
      get databaseSize() {
        return size();
      },
    };
  }

  #exec<Of extends Row>(query: string, bindings: readonly SqlBinding[]): SqlCursor<Of> {
    if (this.#own) return this.#own.sql.exec<Of>(query, ...bindings);
    if (defines(query)) return this.#define<Of>(query);
    if (this.#isClosed) this.#taken();
    if (!this.#isMade) return BLANK.sql.exec<Of>(query, ...bindings);
    return this.#taken().storage.sql.exec<Of>(query, ...bindings);
  }

  #taken(): Kept {
    if (this.#isClosed) throw new Error('This tree ended some trees ago: look at it before others begin.');
    this.#pooled ??= this.#pool.take();
    return this.#pooled;
  }

  #define<Of extends Row>(query: string): SqlCursor<Of> {
    if (!this.#pool.knows(query)) return this.#leaves<Of>(query);
    const taken = this.#taken();
    const { storage, made } = taken;
    this.#isMade = true;
    if (!CREATES.test(query)) taken.isChanged = true;
    if (made.has(query)) return BLANK.sql.exec<Of>('SELECT 1 WHERE 0');
    made.add(query);
    return storage.sql.exec<Of>(query);
  }

  /** Tables that no object of this version has: what has them is not used again. */
  #leaves<Of extends Row>(query: string): SqlCursor<Of> {
    if (this.#isMade) {
      this.#own = this.#taken().storage;
    } else {
      if (this.#isInTransaction) throw new Error(`An object makes its stores first, before this: ${query}`);
      if (this.#pooled) this.#pool.give(this.#pooled);
      this.#own = nodeStorage();
    }
    this.#pooled = undefined;
    return this.#own.sql.exec<Of>(query);
  }

  transactionSync<Result>(body: () => Result): Result {
    if (this.#own) return this.#own.transactionSync(body);
    const { storage, made } = this.#taken();
    const before = { isMade: this.#isMade, made: made.size, isIn: this.#isInTransaction };
    this.#isInTransaction = true;
    try {
      return storage.transactionSync(() => {
        const result = body();
        this.commits();
        return result;
      });
    } catch (error) {
      this.#isMade = before.isMade;
      for (const query of [...made].slice(before.made)) made.delete(query);
      throw error;
    } finally {
      this.#isInTransaction = before.isIn;
    }
  }

  async sync(): Promise<void> {}

  /** Gives the database back, for another tree. Nothing is read or written here any more. */
  close(): void {
    if (this.#pooled) this.#pool.give(this.#pooled);
    this.#own?.close();
    this.#pooled = undefined;
    this.#own = undefined;
    this.#isClosed = true;
  }
}
