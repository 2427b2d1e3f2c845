/** A storage that simulated trees use one after another is like a new one. */
import { describe, expect, it } from 'vitest';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import { sqlStores } from '../../src/store/object-stores';
import { PooledStorage, reuseLater } from '../support/pooled-storage';

const tables = ({ sql }: PooledStorage) => sql.exec('SELECT name FROM sqlite_master').toArray();
const rows = ({ sql }: PooledStorage) => sql.exec('SELECT store FROM offshoot_format').toArray();

/** A storage of an agent with its tables, and a row in one. */
function used(): PooledStorage {
  const storage = new PooledStorage(false);
  sqlStores(storage, false).make();
  storage.sql.exec(`INSERT INTO variables VALUES ('KEY', 'sealed')`);
  return storage;
}

/** The next storage, made of what was closed last. */
function next(closed: PooledStorage): PooledStorage {
  closed.close();
  return new PooledStorage(false);
}

/** More than are ever kept are in use: this one is new. */
function neverUsed(): PooledStorage {
  const all = Array.from({ length: 101 }, () => new PooledStorage(false));
  for (const storage of all) storage.transactionSync(() => undefined);
  const last = all.at(-1) ?? new PooledStorage(false);
  for (const storage of all) if (storage !== last) storage.close();
  return last;
}

describe('a storage that is used again', () => {
  it('[HS23] shows no tables until they are made, and no rows then', () => {
    const storage = next(used());
    expect(tables(storage)).toEqual([]);
    expect(sqlStores(storage, false).open()).toBe(false);
    for (const query of [
      `INSERT INTO variables VALUES ('KEY', 'x')`,
      'WITH a AS (SELECT * FROM variables) SELECT * FROM a',
    ])
      expect(() => storage.sql.exec(query)).toThrow('no such table');
    sqlStores(storage, false).make();
    expect(rows(storage)).toEqual([{ store: 'agent' }]);
    expect(storage.sql.exec('SELECT * FROM variables').toArray()).toEqual([]);
  });

  it.each([
    ['with tables of an earlier tree', () => next(used())],
    ['that was never used', neverUsed],
  ])('[HS23] is made again where the transaction that made it first failed: one %s', (_which, taken) => {
    const failed = taken();
    const made = () => sqlStores(failed, false).make();
    const fails = () =>
      failed.transactionSync(() => {
        made();
        throw new Error('no');
      });
    expect(fails).toThrow('no');
    expect(tables(failed)).toEqual([]);
    made();
    expect(rows(failed)).toEqual([{ store: 'agent' }]);
    const storage = next(failed);
    sqlStores(storage, false).make();
    expect(rows(storage)).toEqual([{ store: 'agent' }]);
  });

  it('[HS23] has nothing of tables that no object of this version has, nor shows the others to what makes such', () => {
    const other = next(used());
    other.sql.exec('CREATE TABLE variables (other TEXT)');
    expect(tables(other)).toEqual([{ name: 'variables' }]);
    const storage = next(other);
    sqlStores(storage, false).make();
    storage.sql.exec('CREATE TABLE later (id INTEGER)');
    expect(rows(storage)).toEqual([{ store: 'agent' }]);
    const last = next(storage);
    sqlStores(last, false).make();
    expect(() => last.sql.exec('SELECT * FROM later')).toThrow('no such table');
  });

  it('[HS23] is not given to another tree once a step of a ladder has changed a table', () => {
    const climbs = (storage: PooledStorage) => {
      for (const { statements } of AGENT_MIGRATIONS) for (const query of statements) storage.sql.exec(query);
    };
    const climbed = next(used());
    climbs(climbed);
    climbs(next(climbed));
  });

  it('[HS23] is read until so many trees later, and refused then', () => {
    const storage = used();
    reuseLater([storage]);
    expect(rows(storage)).toEqual([{ store: 'agent' }]);
    for (let tree = 0; tree < 16; tree++) reuseLater([]);
    expect(() => rows(storage)).toThrow('This tree ended');
  });
});
