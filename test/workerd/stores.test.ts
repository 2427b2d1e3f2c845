/** The SQL of a Durable Object keeps to the same contract as that of the test runtime. */
import { expect, it } from 'vitest';
import { transact } from '../../src/store/storage';
import { sqlStorageContract } from '../contract/sql-storage';
import { withObjectStorage } from './storage';

sqlStorageContract('a Durable Object', withObjectStorage);

it('[EG3] a transaction whose body returns a promise is refused, and nothing of it is kept', () =>
  withObjectStorage((storage) => {
    storage.sql.exec('CREATE TABLE t (a)');
    const late = (): never => {
      storage.sql.exec('INSERT INTO t VALUES (1)');
      return Promise.resolve() as never;
    };
    expect(() => transact(storage, late)).toThrow(/synchronous/);
    expect(storage.sql.exec('SELECT count(*) AS n FROM t').one()).toEqual({ n: 0 });
  }));
