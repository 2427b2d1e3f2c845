/** What the SQL of every storage must do: the suite runs over `node:sqlite`, and over a Durable Object's own storage. */
import { asc, eq, sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/durable-sqlite/migrator';
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { databaseOf, type ObjectStorage } from '../../src/store/storage';
import type { NodeStorage } from '../../src/testing/node-storage';

/** What both have in common. */
export type SqlStorage = Pick<NodeStorage, 'sql' | 'transactionSync'> & ObjectStorage;

/** Runs a body over an empty storage. */
export type WithSql = (body: (storage: SqlStorage) => void | Promise<void>) => Promise<void>;

const notes = sqliteTable('notes', {
  id: integer('id').primaryKey(),
  title: text('title').notNull(),
  done: integer('done', { mode: 'boolean' }).notNull().default(false),
  body: blob('body', { mode: 'buffer' }),
});

const NOTES =
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, body BLOB)';

/** The contract. */
export function sqlStorageContract(name: string, withSql: WithSql): void {
  describe(`the SQL of ${name}`, () => {
    cursorSuite(withSql);
    valueSuite(withSql);
    transactionSuite(withSql);
    drizzleSuite(withSql);
  });
}

function cursorSuite(withSql: WithSql): void {
  it('[FS20] hands each row out once, in whatever way it is read', () =>
    withSql(({ sql }) => {
      const cursor = sql.exec('SELECT 1 AS a UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 ORDER BY 1');
      expect(cursor.columnNames).toEqual(['a']);
      expect(cursor.next()).toEqual({ done: false, value: { a: 1 } });
      expect(cursor.raw().next().value).toEqual([2]);
      for (const row of cursor) {
        expect(row).toEqual({ a: 3 });
        break;
      }
      expect(cursor.toArray()).toEqual([{ a: 4 }]);
      expect(cursor.next().done).toBe(true);
    }));

  it('[FS20] gives the only row, and refuses none and several', () =>
    withSql(({ sql }) => {
      expect(sql.exec('SELECT 7 AS a, NULL AS b').one()).toEqual({ a: 7, b: null });
      expect(() => sql.exec('SELECT 1 WHERE 0').one()).toThrow(/exactly one/);
      expect(() => sql.exec('SELECT 1 UNION SELECT 2').one()).toThrow(/exactly one/);
    }));

  it('[FS20] keeps columns of one name apart in raw rows', () =>
    withSql(({ sql }) => {
      expect([...sql.exec('SELECT 1 AS a, 2 AS a, 3 AS b').raw()]).toEqual([[1, 2, 3]]);
      expect(sql.exec('SELECT 1 AS a, 2 AS a, 3 AS b').toArray()).toEqual([{ a: 2, b: 3 }]);
    }));

  it('[FS20] runs every statement at once, and binds to the last', () =>
    withSql(({ sql }) => {
      const written = sql.exec(
        `${NOTES}; INSERT INTO notes VALUES (1, 'a;b', 0, NULL); INSERT INTO notes (title) VALUES (?);\n`,
        'c',
      );
      expect(written.rowsWritten).toBe(1);
      expect(sql.exec('SELECT title FROM notes ORDER BY id').toArray()).toEqual([{ title: 'a;b' }, { title: 'c' }]);
      expect(sql.exec("INSERT INTO notes (title) VALUES ('d'), ('e') RETURNING id").toArray()).toEqual([
        { id: 3 },
        { id: 4 },
      ]);
      expect(sql.databaseSize).toBeGreaterThan(0);
    }));

  it('[FS20] refuses what is no statement, a wrong one, and bindings too many', () =>
    withSql(({ sql }) => {
      for (const query of ['', '  ', '-- nothing', 'SELEC 1']) expect(() => sql.exec(query), query).toThrow();
      expect(() => sql.exec('SELECT ?', 1, 2)).toThrow();
    }));
}

function valueSuite(withSql: WithSql): void {
  it('[FS21] takes and gives values as a Durable Object does', () =>
    withSql(({ sql }) => {
      const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
      const row = sql
        .exec('SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e', view, view.slice().buffer, undefined, 1.5, 'ü')
        .one();
      expect(row.a).toBeInstanceOf(ArrayBuffer);
      expect(bytesIn(row.a)).toEqual([1, 2]);
      expect(bytesIn(row.b)).toEqual([1, 2]);
      expect([row.c, row.d, row.e]).toEqual([null, 1.5, 'ü']);
      expect(sql.exec('SELECT typeof(?) AS t', 1).one()).toEqual({ t: 'real' });
      expect(sql.exec('SELECT 9007199254740993 AS n').one()).toEqual({ n: 9_007_199_254_740_992 });
    }));

  it('[FS21] holds foreign keys', () =>
    withSql(({ sql }) => {
      sql.exec('CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))');
      expect(() => sql.exec('INSERT INTO b VALUES (1)')).toThrow(/FOREIGN KEY/);
    }));
}

function transactionSuite(withSql: WithSql): void {
  const titles = ({ sql }: SqlStorage) =>
    sql
      .exec('SELECT title FROM notes ORDER BY id')
      .toArray()
      .map((row) => row.title);
  const add = ({ sql }: SqlStorage, title: string) => sql.exec('INSERT INTO notes (title) VALUES (?)', title);

  it('[FS22] keeps all of a transaction or nothing, and passes on what the body throws', () =>
    withSql((storage) => {
      storage.sql.exec(NOTES);
      expect(storage.transactionSync(() => add(storage, 'kept').rowsWritten)).toBe(1);
      const failed = new Error('no');
      expect(() =>
        storage.transactionSync(() => {
          add(storage, 'lost');
          throw failed;
        }),
      ).toThrow(failed);
      expect(titles(storage)).toEqual(['kept']);
    }));

  it('[FS22] rolls an inner transaction back alone, and the outer one with its inner ones', () =>
    withSql((storage) => {
      storage.sql.exec(NOTES);
      const inner = (title: string, fails: boolean) =>
        storage.transactionSync(() => {
          add(storage, title);
          if (fails) throw new Error('inner');
        });
      storage.transactionSync(() => {
        add(storage, 'outer');
        expect(() => inner('lost', true)).toThrow('inner');
        inner('inner', false);
      });
      expect(titles(storage)).toEqual(['outer', 'inner']);
      expect(() =>
        storage.transactionSync(() => {
          inner('lost with the outer', false);
          throw new Error('outer');
        }),
      ).toThrow('outer');
      expect(titles(storage)).toEqual(['outer', 'inner']);
    }));

  it('[FS22] a statement that fails takes only itself back', () =>
    withSql((storage) => {
      storage.sql.exec(NOTES);
      storage.transactionSync(() => {
        add(storage, 'a');
        expect(() => storage.sql.exec('INSERT INTO notes (id, title) VALUES (1, ?)', 'b')).toThrow(/UNIQUE/);
        add(storage, 'c');
      });
      expect(titles(storage)).toEqual(['a', 'c']);
    }));

  it('[FS22] refuses transactions in SQL, also behind a comment or another statement', () =>
    withSql(({ sql }) => {
      for (const query of ['BEGIN', ' -- x\n commit', '/* x */ SAVEPOINT a', 'SELECT 1; ROLLBACK', 'release a']) {
        expect(() => sql.exec(query), query).toThrow(/transactionSync/);
      }
    }));
}

function drizzleSuite(withSql: WithSql): void {
  it('[FS23] drizzle inserts, selects, updates, deletes and returns', () =>
    withSql((storage) => {
      const db = databaseOf(storage);
      db.run(sql.raw(NOTES));
      const body = Buffer.from([1, 2, 3]);
      expect(
        db
          .insert(notes)
          .values([{ title: 'a', done: true, body }, { title: 'b' }])
          .returning({ id: notes.id })
          .all(),
      ).toEqual([{ id: 1 }, { id: 2 }]);
      expect(db.select().from(notes).orderBy(asc(notes.id)).all()).toEqual([
        { id: 1, title: 'a', done: true, body },
        { id: 2, title: 'b', done: false, body: null },
      ]);
      db.insert(notes)
        .values({ id: 2, title: 'c' })
        .onConflictDoUpdate({ target: notes.id, set: { title: sql`excluded.title` } })
        .run();
      expect(db.select().from(notes).where(eq(notes.id, 2)).get()?.title).toBe('c');
      expect(db.select().from(notes).where(eq(notes.id, 9)).get()).toBeUndefined();
      db.delete(notes).where(eq(notes.id, 1)).run();
      expect(db.values(sql`SELECT id, title FROM ${notes}`)).toEqual([[2, 'c']]);
      expect(db.all(sql`SELECT title FROM ${notes}`)).toEqual([{ title: 'c' }]);
      expect(db.get(sql`SELECT count(*) AS n FROM ${notes}`)).toEqual({ n: 1 });
    }));

  it('[FS23] drizzle prepares a query once and runs it with other values', () =>
    withSql((storage) => {
      const db = databaseOf(storage);
      db.run(sql.raw(NOTES));
      const insert = db
        .insert(notes)
        .values({ title: sql.placeholder('title') })
        .prepare();
      for (const title of ['a', 'b']) insert.run({ title });
      const byTitle = db
        .select({ id: notes.id })
        .from(notes)
        .where(eq(notes.title, sql.placeholder('title')))
        .prepare();
      expect([byTitle.get({ title: 'a' }), byTitle.all({ title: 'b' }), byTitle.values({ title: 'c' })]).toEqual([
        { id: 1 },
        [{ id: 2 }],
        [],
      ]);
    }));

  it('[FS23] drizzle runs transactions, one inside the other', () =>
    withSql((storage) => {
      const db = databaseOf(storage);
      db.run(sql.raw(NOTES));
      db.transaction((outer) => {
        outer.insert(notes).values({ title: 'outer' }).run();
        expect(() =>
          outer.transaction((inner) => {
            inner.insert(notes).values({ title: 'inner' }).run();
            inner.rollback();
          }),
        ).toThrow();
      });
      expect(db.select({ title: notes.title }).from(notes).all()).toEqual([{ title: 'outer' }]);
    }));

  it('[FS23] drizzle migrates, and a second time does nothing', () =>
    withSql(async (storage) => {
      const db = databaseOf(storage);
      const journal = { entries: [{ idx: 0, when: 1, tag: '0000_first', breakpoints: true }] };
      const migrations = {
        m0000: `${NOTES};\n--> statement-breakpoint\nCREATE TABLE other (id INTEGER PRIMARY KEY) STRICT;\n`,
      };
      await migrate(db, { journal, migrations });
      await migrate(db, { journal, migrations });
      expect(db.all(sql`SELECT name FROM sqlite_master WHERE name IN ('notes', 'other') ORDER BY 1`)).toEqual([
        { name: 'notes' },
        { name: 'other' },
      ]);
    }));
}

/** The bytes of a blob; nothing else has any. */
function bytesIn(value: unknown): number[] | undefined {
  return value instanceof ArrayBuffer ? [...new Uint8Array(value)] : undefined;
}
