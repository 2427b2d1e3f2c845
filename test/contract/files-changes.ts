/** How files change: replacing, several writers, readers meanwhile, crashes. */

import { expect, it } from 'vitest';
import type { FileStore } from '../../src/core/ports/file-store';
import { OffshootError } from '../../src/protocol/errors';
import { createFileStore, type FileStorage } from '../../src/store/files';
import { present } from '../support/present';
import { afterCrash, bytesFrom, bytesOf, feed, MiB, type Over, refusal, rows, sha256, watched } from './files-support';

/** All files are removed at once. */
export function clearSuite(over: Over): void {
  it('[FS41] removes all files in one transaction, and frees their space; a reader has its version to the end', () =>
    over(async (store, storage) => {
      const big = bytesOf(3 * MiB);
      await store.write('a/big', big);
      await store.write('small', 'x');
      const { body } = await store.open('a/big');
      const kept = () =>
        storage.transactionSync(() => {
          store.clear();
          throw new Error('not kept');
        });
      expect(kept).toThrow('not kept');
      expect((await store.list()).items).toHaveLength(2);
      storage.transactionSync(() => store.clear());
      expect(await store.list()).toEqual({ items: [] });
      expect(await refusal(store.open('small'))).toBe('not_found');
      await store.write('new', 'x');
      expect(rows(storage)).toEqual({ files: 1, parts: 2, marks: 1 });
      expect(sha256(await bytesFrom(body))).toBe(sha256(big));
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
    })());

  it('[FS9] removes a file only as the version that it was said to be', () =>
    over(async (store) => {
      const { etag } = await store.write('f', 'one');
      await store.write('f', 'two');
      expect(await refusal(store.remove('f', { ifMatch: etag }))).toBe('file_changed');
      await store.remove('f', { ifMatch: (await store.stat('f'))?.etag ?? '' });
      expect(await store.stat('f')).toBeUndefined();
    })());
}

/** Old content stays until the new is whole. */
export function replaceSuite(over: Over): void {
  it('[FS6] keeps the old content until the new one is there as a whole', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const store = createFileStore(watching, { now: () => 1 });
      await store.write('f', 'old');
      const { stream, push, end } = feed();
      const writing = store.write('f', stream);
      push(bytesOf(3 * MiB));
      await stored(2);
      expect(await new Response(await store.read('f')).text()).toBe('old');
      end();
      const written = await writing;
      expect(written.size).toBe(3 * MiB);
      expect(sha256(await bytesFrom(await store.read('f')))).toBe(written.etag);
    })());

  it('[FS7] a body that fails leaves the old content and nothing else, and its own error is thrown', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const store = createFileStore(watching, { now: () => 1 });
      await store.write('f', 'old');
      const { stream, push, fail } = feed();
      const writing = store.write('f', stream);
      push(bytesOf(2 * MiB + 5));
      await stored(2);
      const cut = new Error('the client went away');
      fail(cut);
      await expect(writing).rejects.toBe(cut);
      expect(await new Response(await store.read('f')).text()).toBe('old');
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
    })());

  it(
    '[FS7] a body that ends before its announced size is refused, and one that goes on after it',
    over(async (store, storage) => {
      await store.write('f', 'old');
      for (const size of [2 * MiB + 1, 2 * MiB - 1]) {
        expect(await refusal(store.write('f', bytesOf(2 * MiB), { size }))).toBe('invalid_request');
      }
      expect(await new Response(await store.read('f')).text()).toBe('old');
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
      expect((await store.write('f', bytesOf(2 * MiB), { size: 2 * MiB })).size).toBe(2 * MiB);
    }),
  );

  it(
    '[FS7] a stream of something else than bytes is refused and cancelled',
    over(async (store) => {
      const { stream, push, seen } = feed();
      push('text' as unknown as Uint8Array);
      expect(await refusal(store.write('f', stream))).toBe('invalid_request');
      expect(seen.cancelled).toBeInstanceOf(OffshootError);
      expect(await store.stat('f')).toBeUndefined();
    }),
  );
}

/** Several writers of one file. */
export function writersSuite(over: Over): void {
  it('[FS8] of two writers of one path the last to finish wins, and both were whole', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const store = createFileStore(watching, { now: () => 1 });
      const [first, second] = [feed(), feed()];
      const [one, two] = [store.write('f', first.stream), store.write('f', second.stream)];
      first.push(bytesOf(2 * MiB, 1));
      second.push(bytesOf(3 * MiB, 2));
      await stored(3);
      second.end();
      expect((await two).etag).toBe(sha256(bytesOf(3 * MiB, 2)));
      first.end();
      expect((await one).etag).toBe(sha256(bytesOf(2 * MiB, 1)));
      expect(sha256(await bytesFrom(await store.read('f')))).toBe(sha256(bytesOf(2 * MiB, 1)));
      expect(rows(storage)).toEqual({ files: 1, parts: 1, marks: 0 });
    })());

  it('[FS8] two stores over one storage do not free what the other is writing', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const { stream, push, end } = feed();
      const writing = createFileStore(watching, { now: () => 1 }).write('f', stream);
      push(bytesOf(2 * MiB));
      await stored(1);
      await createFileStore(watching, { now: () => 1 }).write('g', bytesOf(2 * MiB, 2));
      end();
      const written = await writing;
      expect(written.etag).toBe(sha256(bytesOf(2 * MiB)));
      expect(sha256(await bytesFrom(await createFileStore(storage, { now: () => 1 }).read('f')))).toBe(written.etag);
    })());

  it(
    '[FS9] a writer that read an older version is told, and changes nothing',
    over(async (store, storage) => {
      const read = await store.write('f', 'one');
      await store.write('f', 'two', { ifMatch: read.etag });
      expect(await refusal(store.write('f', bytesOf(2 * MiB), { ifMatch: read.etag }))).toBe('file_changed');
      expect(await refusal(store.write('f', 'three', { ifMatch: null }))).toBe('file_changed');
      expect(await refusal(store.write('g', 'three', { ifMatch: read.etag }))).toBe('file_changed');
      const { stream, seen } = feed(); // never ends: it is refused before it is read
      expect(await refusal(store.write('f', stream, { ifMatch: read.etag }))).toBe('file_changed');
      expect(seen.cancelled).toMatchObject({ code: 'file_changed' });
      expect(await new Response(await store.read('f')).text()).toBe('two');
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
      expect((await store.write('g', 'new', { ifMatch: null })).path).toBe('g');
    }),
  );

  it('[FS9] a version that changes while the body comes in is noticed at the end', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const store = createFileStore(watching, { now: () => 1 });
      const { stream, push, end } = feed();
      const writing = store.write('f', stream, { ifMatch: null });
      push(bytesOf(2 * MiB));
      await stored(1);
      await store.write('f', 'faster');
      end();
      expect(await refusal(writing)).toBe('file_changed');
      expect(await new Response(await store.read('f')).text()).toBe('faster');
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
    })());
}

/** Readers of what is replaced or removed. */
export function readersSuite(over: Over): void {
  it(
    '[FS10] a reader gets its version to the end though the file is replaced and removed, then the space is freed',
    over(async (store, storage) => {
      const old = bytesOf(4 * MiB, 1);
      await store.write('f', old);
      const [one, two] = [await store.read('f'), await store.read('f')];
      const reader = one.getReader();
      const pieces = [present((await reader.read()).value)];
      await store.write('f', bytesOf(3 * MiB, 2));
      await store.remove('f');
      for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
      expect(sha256(Buffer.concat(pieces))).toBe(sha256(old));
      expect(rows(storage).parts).toBe(3);
      await two.cancel();
      expect(rows(storage)).toEqual({ files: 0, parts: 0, marks: 0 });
    }),
  );

  it(
    '[FS11] a removed file is gone with its bytes, and removing it again says so',
    over(async (store, storage) => {
      await store.write('f', bytesOf(70 * MiB));
      await store.write('g', bytesOf(2 * MiB));
      await store.remove('/f');
      expect(await store.stat('f')).toBeUndefined();
      expect(rows(storage)).toEqual({ files: 1, parts: 1, marks: 0 });
      expect(await refusal(store.remove('f'))).toBe('not_found');
      expect(await refusal(store.read('f'))).toBe('not_found');
      expect(sha256(await bytesFrom(await store.read('g')))).toBe(sha256(bytesOf(2 * MiB)));
    }),
  );
}

/** How many write and how many read as the process ends. */
const LEFT_BY = [
  [0, 1],
  [1, 0],
  [0, 3],
  [3, 0],
  [2, 2],
] as const;

/** What a crash leaves. */
export function crashSuite(over: Over): void {
  /** An upload that a crash cuts off after some parts, over an old content that has parts too. */
  async function crashed(storage: FileStorage): Promise<{ old: string; next: FileStorage }> {
    const { storage: watching, stored } = watched(storage);
    const store = createFileStore(watching, { now: () => 1 });
    const old = (await store.write('f', bytesOf(2 * MiB))).etag;
    const { stream, push } = feed();
    void store.write('f', stream);
    push(bytesOf(70 * MiB, 2));
    await stored(1 + 69);
    return { old, next: afterCrash(storage) };
  }

  it(
    '[FS12] a crash in the middle of an upload leaves the old content, and the next write frees the rest',
    over(async (_, storage) => {
      const { old, next } = await crashed(storage);
      expect(rows(storage)).toEqual({ files: 1, parts: 1 + 69, marks: 1 });
      const store = createFileStore(next, { now: () => 1 });
      expect(sha256(await bytesFrom(await store.read('f')))).toBe(old);
      await store.write('g', 'something else');
      expect(rows(storage)).toEqual({ files: 2, parts: 1, marks: 0 });
      expect(sha256(await bytesFrom(await store.read('f')))).toBe(old);
    }),
  );

  it.each<[string, (store: FileStore) => Promise<unknown>]>([
    ['a sweep', (store) => store.sweep()],
    ['a write', (store) => store.write('kept', 'new')],
    ['a removal', (store) => store.remove('kept')],
  ])('[FS12] [FS10] %s after a crash frees all that was left, however many wrote and read', (_, act) =>
    over(async (__, storage) => {
      for (const [writers, readers] of LEFT_BY) {
        const { storage: watching, stored } = watched(storage);
        const store = createFileStore(watching, { now: () => 1 });
        const pieces = bytesOf(MiB + 1);
        await store.write('kept', 'old');
        for (let reader = 1; reader <= readers; reader += 1) {
          await store.write('read', pieces);
          await store.open('read');
          await store.remove('read');
        }
        for (let writer = 1; writer <= writers; writer += 1) {
          const { stream, push } = feed();
          void store.write('written', stream);
          push(pieces);
          await stored(readers + writer);
        }
        const left = writers + readers;
        expect(rows(storage)).toEqual({ files: 1, parts: left, marks: left });
        await act(createFileStore(afterCrash(storage), { now: () => 1 }));
        expect(rows(storage), `${writers} wrote, ${readers} read`).toMatchObject({ parts: 0, marks: 0 });
      }
    })(),
  );

  it(
    '[FS12] a sweep that is cut off goes on where it was',
    over(async (_, storage) => {
      const { old, next } = await crashed(storage);
      let batches = 0;
      const dying: FileStorage = {
        ...afterCrash(storage),
        sync: async () => {
          batches += 1;
          throw new Error('the process ended here');
        },
      };
      await createFileStore(dying, { now: () => 1 }).sweep();
      expect(batches).toBe(1);
      expect(rows(storage).marks).toBe(1);
      expect(rows(storage).parts).toBeLessThan(1 + 69);
      await createFileStore(next, { now: () => 1 }).sweep();
      expect(rows(storage)).toEqual({ files: 1, parts: 1, marks: 0 });
      expect((await createFileStore(next, { now: () => 1 }).stat('f'))?.etag).toBe(old);
    }),
  );

  it(
    '[FS12] a content that another process has swept cannot become a file',
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const { stream, push, end } = feed();
      const store = createFileStore(watching, { now: () => 1 });
      await store.write('f', 'old');
      const writing = store.write('f', stream);
      push(bytesOf(2 * MiB));
      await stored(1);
      await createFileStore(afterCrash(storage), { now: () => 1 }).sweep();
      end();
      expect(await refusal(writing)).toBe('internal');
      expect(await new Response(await store.read('f')).text()).toBe('old');
    }),
  );

  it(
    '[FS12] a reader of a file with a part missing gets an error, not less',
    over(async (store, storage) => {
      await store.write('f', bytesOf(3 * MiB));
      storage.sql.exec('DELETE FROM file_chunks WHERE key = (SELECT max(key) FROM file_chunks)');
      expect(await refusal(bytesFrom(await store.read('f')))).toBe('internal');
    }),
  );
}
