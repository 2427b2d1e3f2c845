/** What the tests of files share. */

import { createHash } from 'node:crypto';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect } from 'vitest';
import type { FileStore } from '../../src/core/ports/file-store';
import { type ErrorCode, OffshootError } from '../../src/protocol/errors';
import type { FileStorage } from '../../src/store/files';
import { fileChunks, files } from '../../src/store/schema/files';
import { present } from '../support/present';

/** Runs a body over an empty storage that has the tables. */
export type WithStorage = (body: (storage: FileStorage) => Promise<void>) => Promise<void>;

/** Bytes of a part; written out, because it is part of the stored format. */
export const MiB = 1_048_576;

/** Creates the tables of `schema/files`, as the migrations do. */
export function createFileTables(storage: FileStorage): void {
  const tables: readonly (readonly [SQLiteTable, string])[] = [
    [files, ' WITHOUT ROWID'],
    [fileChunks, ''],
  ];
  for (const [table, suffix] of tables) {
    const { name, columns } = getTableConfig(table);
    const parts = columns.map(
      (column) =>
        `${column.name} ${column.getSQLType()}${column.primary ? ' PRIMARY KEY' : ''}${column.notNull ? ' NOT NULL' : ''}`,
    );
    storage.sql.exec(`CREATE TABLE ${name} (${parts.join(', ')})${suffix}`);
  }
}

/** Bytes that differ from one another and from part to part; the same for the same seed. */
export function bytesOf(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Int32Array(Math.ceil(size / 4));
  let state = seed * 2_654_435_761;
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, size);
}

/** SHA-256 in hex. */
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A stream of these pieces. */
export const streamOf = (pieces: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

/** All bytes of a stream. */
export async function bytesFrom(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A stream that the test feeds by hand. */
export function feed() {
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const seen: { cancelled: unknown } = { cancelled: undefined };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller;
    },
    cancel(reason) {
      seen.cancelled = reason;
    },
  });
  const controller = present(source);
  return {
    stream,
    seen,
    push: (bytes: Uint8Array) => controller.enqueue(bytes),
    end: () => controller.close(),
    fail: (error: Error) => controller.error(error),
  };
}

/** The same storage under another identity: what a new process sees after a crash of the one before. */
export function afterCrash(storage: FileStorage): FileStorage {
  return { sql: storage.sql, transactionSync: (body) => storage.transactionSync(body) };
}

/** Counts statements, keeps the largest blob that was bound, and says when the next part is stored. */
export function watched(storage: FileStorage) {
  const counts = { statements: 0, largestBlob: 0 };
  const waiting: { parts: number; resolve: () => void }[] = [];
  let parts = 0;
  const watching: FileStorage = {
    sql: {
      exec(query, ...bindings) {
        counts.statements += 1;
        const result = storage.sql.exec(query, ...bindings);
        for (const value of bindings) {
          if (!(value instanceof Uint8Array)) continue;
          counts.largestBlob = Math.max(counts.largestBlob, value.byteLength);
          if (value.byteLength === MiB) parts += 1;
        }
        for (const one of waiting) if (parts >= one.parts) one.resolve();
        return result;
      },
    },
    transactionSync: (body) => storage.transactionSync(body),
  };
  const stored = (wanted: number) =>
    new Promise<void>((resolve) => (parts >= wanted ? resolve() : waiting.push({ parts: wanted, resolve })));
  return { storage: watching, counts, stored };
}

/** The code of the `OffshootError` that a promise rejects with. */
export async function refusal(promise: Promise<unknown>): Promise<ErrorCode> {
  const error = await promise.then(
    () => expect.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OffshootError)) throw error;
  expect(error.failure.message).not.toBe('');
  return error.code;
}

/** How many rows there are of each kind. */
export function rows(storage: FileStorage): { files: number; parts: number; marks: number } {
  const count = (sql: string) => Number(storage.sql.exec(`SELECT count(*) AS n FROM ${sql}`).toArray()[0]?.n);
  return {
    files: count('files'),
    parts: count('file_chunks WHERE key >= 0'),
    marks: count('file_chunks WHERE key < 0'),
  };
}

/** A test over a store of its own, and the storage under it. */
export type Over = (body: (store: FileStore, storage: FileStorage) => Promise<void>) => () => Promise<void>;
