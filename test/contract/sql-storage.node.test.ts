import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeStorage } from '../../src/testing/node-storage';
import { sqlStorageContract } from './sql-storage';

sqlStorageContract('node:sqlite', async (body) => {
  const storage = nodeStorage();
  try {
    await body(storage);
  } finally {
    storage.close();
  }
});

it('[FS22] a transaction whose body returns a promise is rolled back and refused, at every level', async () => {
  const storage = nodeStorage();
  storage.sql.exec('CREATE TABLE t (a)');
  const count = () => storage.sql.exec('SELECT count(*) AS n FROM t').one().n;
  const late = async () => {
    storage.sql.exec('INSERT INTO t VALUES (1)');
    throw new Error('also when it rejects');
  };
  expect(() => storage.transactionSync(late)).toThrow(/promise/);
  expect(count()).toBe(0);
  storage.transactionSync(() => {
    storage.sql.exec('INSERT INTO t VALUES (2)');
    expect(() => storage.transactionSync(late)).toThrow(/promise/);
  });
  expect(count()).toBe(1);
  await storage.sync();
  storage.close();
});

it('[FS24] what is too big for a Durable Object is too big here', () => {
  const { sql } = nodeStorage();
  sql.exec('CREATE TABLE t (a)');
  // The row has a few bytes of its own beside the blob.
  expect(sql.exec('INSERT INTO t VALUES (?)', new Uint8Array(1_999_900)).rowsWritten).toBe(1);
  expect(() => sql.exec('INSERT INTO t VALUES (?)', new Uint8Array(2_000_001))).toThrow(/too big/);
  const bound = (count: number) =>
    sql
      .exec(`SELECT ${Array(count).fill('?').join(',')}`, ...Array(count).fill(1))
      .raw()
      .next().value;
  expect(bound(100)).toHaveLength(100);
  expect(() => bound(101)).toThrow(/too many/);
  expect(sql.exec(`SELECT '${'x'.repeat(99_000)}' AS x`).toArray()).toHaveLength(1);
  expect(() => sql.exec(`SELECT '${'x'.repeat(100_000)}' AS x`)).toThrow(/too/);
});

it('[FS24] a full disk inside a transaction is reported as such, and rolls it back', () => {
  const storage = nodeStorage();
  storage.sql.exec('CREATE TABLE t (a); PRAGMA max_page_count = 10');
  expect(() =>
    storage.transactionSync(() => {
      storage.sql.exec('INSERT INTO t VALUES (1)');
      storage.sql.exec('INSERT INTO t VALUES (?)', new Uint8Array(100_000));
    }),
  ).toThrow(/full/);
  expect(storage.sql.exec('SELECT count(*) AS n FROM t').one()).toEqual({ n: 0 });
  expect(storage.transactionSync(() => storage.sql.exec('INSERT INTO t VALUES (1)').rowsWritten)).toBe(1);
});

it('[FS24] a database in a file is there again when it is opened again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'node-storage-'));
  const path = join(folder, 'agent.sqlite');
  try {
    const first = nodeStorage(path);
    first.sql.exec('CREATE TABLE t (a); INSERT INTO t VALUES (5)');
    first.close();
    expect(() => first.sql.exec('SELECT 1')).toThrow(/not open/);
    const second = nodeStorage(path);
    expect(second.sql.exec('SELECT a FROM t').one()).toEqual({ a: 5 });
    second.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
