/** What every ladder of formats must do, and every store that finds a newer one: over `node:sqlite`, and over a Durable Object's own storage. */

import { describe, expect, it } from 'vitest';
import { DirectoryStore } from '../../src/store/directory-store';
import { formatsOf, type Migration, migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, DIRECTORY_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import { sqlStores } from '../../src/store/object-stores';
import type { ObjectStorage } from '../../src/store/storage';
import type { WithStorage } from './stores-support';

const LADDER: readonly Migration[] = [
  {
    tag: '0000',
    statements: [
      'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
      `INSERT INTO things VALUES (1, 'first')`,
    ],
  },
  { tag: '0001', statements: ['ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 7'] },
  { tag: '0002', statements: ['UPDATE things SET size = size + 1', 'CREATE TABLE more (id INTEGER PRIMARY KEY)'] },
];

/** A version that knows so many steps of the ladder. */
const version = (steps: number) => ({ things: LADDER.slice(0, steps) });

/** The contract of formats. */
export function formatContract(name: string, withStorage: WithStorage): void {
  describe(`ladders over ${name}`, () => ladderSuite(withStorage));
  describe(`newer formats over ${name}`, () => newerSuite(withStorage));
}

function ladderSuite(withStorage: WithStorage): void {
  const tables = (storage: ObjectStorage) =>
    storage.sql
      .exec(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('things', 'more', 'offshoot_format', 'session', 'log')`,
      )
      .toArray().length;

  it('[SO3] asking for the formats of an empty storage leaves nothing behind', () =>
    withStorage(({ storage }) => {
      const before = tables(storage);
      expect(formatsOf(storage).size).toBe(0);
      expect(tables(storage)).toBe(before);
    }));

  it('[SO3, SO10] the ladders bring an empty storage up, once, each by itself, and their formats are the numbers of their steps', () =>
    withStorage(({ storage, reopen }) => {
      const ladders = { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS };
      migrate(storage, { agent: AGENT_MIGRATIONS });
      expect([...formatsOf(storage)]).toEqual([['agent', AGENT_MIGRATIONS.length]]);
      migrate(storage, ladders);
      migrate(storage, ladders);
      const opened = reopen();
      migrate(opened, ladders);
      expect([...formatsOf(opened)]).toEqual([
        ['agent', AGENT_MIGRATIONS.length],
        ['root', ROOT_MIGRATIONS.length],
      ]);
    }));

  it.for([0, 1, 2, 3])('[SO3] from step %i on, each later step is taken once, in order, and the data is kept', (from) =>
    withStorage(({ storage, reopen }) => {
      migrate(storage, version(from));
      const opened = reopen();
      migrate(opened, version(3));
      migrate(opened, version(3));
      expect(opened.sql.exec('SELECT * FROM things').toArray()).toEqual([{ id: 1, name: 'first', size: 8 }]);
      expect(formatsOf(opened).get('things')).toBe(3);
    }),
  );

  it.for(Object.entries({ agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS, directory: DIRECTORY_MIGRATIONS }))(
    '[SO3] a new store of the ladder %s has the tables that its steps lead to',
    ([store, ladder]) =>
      withStorage(({ storage }) => {
        migrate(storage, { [store]: ladder });
        const fresh = contentOf(storage);
        return withStorage(({ storage: stepped }) => {
          migrate(stepped, { [store]: ladder.map(({ tag, statements }) => ({ tag, statements })) });
          expect(contentOf(stepped)).toEqual(fresh);
        });
      }),
  );

  it('[SO3] a step after that of a new store is taken as well, and an old store takes its steps alone', () =>
    withStorage(({ storage, reopen }) => {
      const fresh = ['CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER)'];
      const whole = LADDER.map((step, at) => (at === 1 ? { ...step, fresh } : step));
      migrate(storage, { things: whole });
      expect(storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'more'`).toArray()).toHaveLength(1);
      expect(storage.sql.exec('SELECT * FROM things').toArray()).toEqual([]);
      // A store that took the first step by itself takes the next one, and not what makes a new store.
      const old = [{ tag: '0000', statements: ['CREATE TABLE old (id INTEGER)'] }];
      migrate(storage, { things: whole, old });
      const again = reopen();
      migrate(again, { things: whole, old: [...old, { tag: '0001', statements: [], fresh: ['NONSENSE'] }] });
      expect(formatsOf(again).get('old')).toBe(2);
    }));

  it('[SO3] a step without statements raises the format, as a change of what rows hold needs it', () =>
    withStorage(({ storage }) => {
      migrate(storage, version(3));
      migrate(storage, { things: [...LADDER, { tag: '0003', statements: [] }] });
      expect(formatsOf(storage).get('things')).toBe(4);
    }));

  it('[SO3] a step that fails takes back all of them, of every ladder', () =>
    withStorage(({ storage }) => {
      migrate(storage, version(1));
      const broken = [...LADDER, { tag: '0003', statements: ['CREATE TABLE broken (id INTEGER)', 'NONSENSE'] }];
      const other = [{ tag: '0000', statements: ['CREATE TABLE others (id INTEGER)'] }];
      expect(() => migrate(storage, { others: other, things: broken })).toThrow();
      expect([...formatsOf(storage)]).toEqual([['things', 1]]);
      expect(storage.sql.exec('SELECT * FROM things').toArray()).toEqual([{ id: 1, name: 'first' }]);
      migrate(storage, version(3));
      expect(formatsOf(storage).get('things')).toBe(3);
    }));
}

function newerSuite(withStorage: WithStorage): void {
  it('[SO6] the format that a version knows is opened, and the next one refused, with what to do, and left as it is', () =>
    withStorage(({ storage, reopen }) => {
      migrate(storage, version(3));
      const before = contentOf(storage);
      migrate(reopen(), version(3));
      const opened = reopen();
      expect(() => migrate(opened, version(2))).toThrow(
        expect.objectContaining({
          code: 'newer_format',
          message: expect.stringMatching(/"things" has format 3, and this version knows 2\. Deploy/),
        }),
      );
      expect(contentOf(opened)).toEqual(before);
    }));

  it('[SO6] where one store of a storage is newer, the older one beside it is not brought up either', () =>
    withStorage(({ storage }) => {
      migrate(storage, { agent: LADDER.slice(0, 1), root: [{ tag: 'next', statements: [] }] });
      const before = contentOf(storage);
      expect(() => migrate(storage, { agent: LADDER, root: [] })).toThrow(
        expect.objectContaining({ code: 'newer_format' }),
      );
      expect(contentOf(storage)).toEqual(before);
    }));

  it.for(['agent', 'root', 'a store of a later version'])(
    '[SO6] the stores of an object say why they are not opened where the format of %s is newer, and change nothing',
    (store) =>
      withStorage(({ storage, reopen }) => {
        sqlStores(storage, true).make();
        expect(sqlStores(reopen(), true).refusal()).toBeUndefined();
        const made = reopen();
        const known = formatsOf(made).get(store) ?? 0;
        made.sql.exec('INSERT OR REPLACE INTO offshoot_format (store, format) VALUES (?, ?)', store, known + 1);
        const opened = reopen();
        const before = contentOf(opened);
        const stores = sqlStores(opened, true);
        expect(stores.refusal()).toMatchObject({ code: 'newer_format' });
        expect(() => stores.open()).toThrow(expect.objectContaining({ code: 'newer_format' }));
        expect(() => stores.make()).toThrow(expect.objectContaining({ code: 'newer_format' }));
        expect(stores.refusal()).toMatchObject({ code: 'newer_format' });
        expect(contentOf(opened)).toEqual(before);
      }),
  );

  it('[SO6] a directory of a newer format is neither read nor written', () =>
    withStorage(({ reopen }) => {
      const directory = () => new DirectoryStore(reopen(), () => 1_000_000);
      directory().recordDeletion({ name: 'a', sessionId: 's_a', key: 'k' });
      expect(directory().wasDeleted('a', 'k')).toBe(true);
      reopen().sql.exec('UPDATE offshoot_format SET format = format + 1');
      const before = contentOf(reopen());
      const limits = { perCaller: 1 };
      const root = { name: 'a', sessionId: 's_b', createdAt: 2, lastActivity: 2, status: 'idle', tags: [] };
      const asks: ((store: DirectoryStore) => unknown)[] = [
        (store) => store.report({ ...root, pending: [], failures: [], children: [] }),
        (store) => store.recordDeletion({ name: 'a', sessionId: 's_a' }),
        (store) => store.wasDeleted('a', 'k'),
        (store) => store.claim('c', limits),
        (store) => store.hold('c'),
        (store) => store.giveBack('c'),
        (store) => store.roots({ limit: 1 }),
        (store) => store.pending({ limit: 1 }),
        (store) => store.errors({ limit: 1 }),
        (store) => store.children({ limit: 1 }),
        (store) => store.causes(0),
      ];
      for (const ask of asks)
        expect(() => ask(directory()), String(ask)).toThrow(expect.objectContaining({ code: 'newer_format' }));
      expect(contentOf(reopen())).toEqual(before);
    }));
}

/** All tables with their rows. */
function contentOf({ sql }: ObjectStorage): unknown {
  const tables = sql.exec(`SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name`);
  return tables
    .toArray()
    .map(({ name, sql: made }) => [
      name,
      made,
      String(made).startsWith('CREATE TABLE') ? sql.exec(`SELECT * FROM "${name}"`).toArray() : [],
    ]);
}
