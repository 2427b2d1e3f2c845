/** What is kept beside the files of an agent: held as it was, brought from elsewhere, and freed when nobody has it. */
import { expect, it } from 'vitest';
import { createFileStore } from '../../src/store/files';
import { bytesFrom, bytesOf, feed, MiB, type Over, refusal, rows, sha256, watched } from './files-support';

/** The part of the contract about what is kept. */
export function keptSuite(over: Over): void {
  heldSuite(over);
  stagedSuite(over);
}

const announced = (bytes: Uint8Array, path = 'in/a') => ({
  path,
  size: bytes.byteLength,
  mediaType: 'image/png',
  etag: sha256(bytes),
  inTransaction: () => undefined,
});

function heldSuite(over: Over): void {
  it.each([0, 17, MiB, 3 * MiB + 17])(
    '[FS42] what is held of a file of %i bytes stays as it was, whatever becomes of the file',
    (size) =>
      over(async (files, storage) => {
        const { kept } = files;
        const old = bytesOf(size);
        await files.write('a', old, { mediaType: 'image/png' });
        const before = rows(storage);
        storage.transactionSync(() => kept.hold('k/', 'a'));
        expect(rows(storage)).toEqual({ ...before, files: 2 });
        await files.write('a', bytesOf(2 * MiB, 2));
        await files.remove('a');
        expect(kept.kept('k/')).toMatchObject({ size, mediaType: 'image/png', etag: sha256(old) });
        const held = kept.open('k/');
        expect(held && sha256(await bytesFrom(held.body))).toBe(sha256(old));
        storage.transactionSync(() => kept.drop('k/'));
        await files.sweep();
        expect([rows(storage), kept.open('k/')]).toEqual([{ files: 0, parts: 0, marks: 0 }, undefined]);
      })(),
  );

  it('[FS42] what is held stays when all files are removed, and the file stays when it is dropped', () =>
    over(async (store, storage) => {
      const bytes = bytesOf(2 * MiB);
      await store.write('a', bytes);
      storage.transactionSync(() => store.kept.hold('k/', 'a'));
      storage.transactionSync(() => store.kept.hold('l/', 'a'));
      storage.transactionSync(() => store.kept.drop('k/'));
      await store.sweep();
      expect(sha256(await bytesFrom(await store.read('a')))).toBe(sha256(bytes));
      storage.transactionSync(() => store.clear());
      await store.sweep();
      const held = store.kept.open('l/');
      expect(held && sha256(await bytesFrom(held.body))).toBe(sha256(bytes));
    })());

  it('[FS42] what is held under a key may be held under another one; of those that begin so what is before one goes', () =>
    over(async (store, storage) => {
      const bytes = bytesOf(2 * MiB);
      await store.write('a', bytes);
      for (const key of ['k/1/', 'k/2/', 'k/3/', 'l/1/']) storage.transactionSync(() => store.kept.hold(key, 'a'));
      await store.remove('a');
      storage.transactionSync(() => store.kept.rename('k/2/', 'm/'));
      expect(() => store.kept.rename('k/2/', 'n/')).toThrow('Nothing is kept under k/2/.');
      storage.transactionSync(() => store.kept.drop('k/', 'k/3/'));
      const left = ['k/1/', 'k/2/', 'k/3/', 'l/1/', 'm/'].filter((key) => store.kept.kept(key) !== undefined);
      expect(left).toEqual(['k/3/', 'l/1/', 'm/']);
      for (const prefix of ['k/', 'l/']) storage.transactionSync(() => store.kept.drop(prefix));
      await store.sweep();
      const held = store.kept.open('m/');
      expect(held && sha256(await bytesFrom(held.body))).toBe(sha256(bytes));
      storage.transactionSync(() => store.kept.drop('m/'));
      await store.sweep();
      expect(rows(storage)).toEqual({ files: 0, parts: 0, marks: 0 });
    })());

  it('[FS42] what is kept is no file: it is in no listing, counts as none, and has no path', () =>
    over(async (_, storage) => {
      const store = createFileStore(storage, { now: () => 1, limits: { maxFiles: 2 } });
      await store.write('a', 'x');
      for (const key of ['k/1', 'k/2', 'k/3']) storage.transactionSync(() => store.kept.hold(key, 'a'));
      await store.write('z', 'y');
      const all = await store.list();
      expect(all.items.map(({ path }) => path)).toEqual(['a', 'z']);
      expect((await store.list({ prefix: '/' })).items).toHaveLength(2);
      expect(await store.stat('k/1')).toBeUndefined();
      expect(await refusal(store.open('//k/1'))).toBe('invalid_request');
      expect(await refusal(store.write('b', 'x'))).toBe('too_many_files');
      expect(() => store.kept.hold('k/4', 'none')).toThrow('There is no file none');
      storage.transactionSync(() => store.kept.drop('k/2'));
      expect(['k/1', 'k/2', 'k/3'].map((key) => store.kept.kept(key)?.path)).toEqual(['/k/1', undefined, '/k/3']);
    })());
}

function stagedSuite(over: Over): void {
  it.each([0, 17, 3 * MiB + 17])('[FS43] %i bytes that come are a file once they are placed', (size) =>
    over(async (store, storage) => {
      const bytes = bytesOf(size);
      await store.write('in/a', bytesOf(2 * MiB, 3));
      await store.kept.stage('k', new Response(bytes.slice()).body ?? bytes, announced(bytes));
      expect((await store.stat('in/a'))?.size).toBe(2 * MiB);
      storage.transactionSync(() => store.kept.place('k', 'in/a'));
      expect(await store.stat('in/a')).toMatchObject({ size, mediaType: 'image/png', etag: sha256(bytes) });
      expect(sha256(await bytesFrom(await store.read('in/a')))).toBe(sha256(bytes));
      expect(() => store.kept.place('k', 'in/a')).toThrow('has not arrived yet');
      await store.sweep();
      expect(rows(storage)).toEqual({ files: 1, parts: size > MiB ? 3 : 0, marks: 0 });
    })(),
  );

  it('[FS43] bytes that are others than announced, too many or not wanted any more leave nothing', () =>
    over(async (_, storage) => {
      const store = createFileStore(storage, { now: () => 1, limits: { maxFileBytes: 3 * MiB, maxFiles: 1 } });
      const bytes = bytesOf(3 * MiB);
      const stage = (more: object) => refusal(store.kept.stage('k', bytes, { ...announced(bytes), ...more }));
      expect(await stage({ etag: sha256(bytesOf(1)) })).toBe('internal');
      expect(await stage({ size: 5 })).toBe('invalid_request');
      expect(await stage({ path: '../a' })).toBe('invalid_request');
      const big = bytesOf(3 * MiB + 1);
      expect(await refusal(store.kept.stage('k', big, announced(big)))).toBe('payload_too_large');
      const inTransaction = () => {
        throw new TypeError('not wanted');
      };
      await expect(store.kept.stage('k', bytes, { ...announced(bytes), inTransaction })).rejects.toThrow('not wanted');
      await store.write('a', 'x');
      expect(await stage({})).toBe('too_many_files');
      expect([store.kept.kept('k'), rows(storage)]).toEqual([undefined, { files: 1, parts: 0, marks: 0 }]);
    })());

  it('[FS44] what has come and is not placed yet takes the room of a file, once', () =>
    over(async (_, storage) => {
      const store = createFileStore(storage, { now: () => 1, limits: { maxFiles: 3 } });
      const bytes = bytesOf(1);
      const stage = (key: string) => store.kept.stage(key, bytes, announced(bytes));
      await store.write('a', 'x');
      storage.transactionSync(() => store.kept.hold('out/a', 'a'));
      for (const key of ['in/one', 'in/two', 'in/two']) await stage(key);
      expect(await refusal(stage('in/three'))).toBe('too_many_files');
      storage.transactionSync(() => {
        store.kept.place('in/one', 'in/b');
        store.kept.drop('in/two');
      });
      await stage('in/three');
      expect(await refusal(stage('in/four'))).toBe('too_many_files');
      storage.transactionSync(() => store.kept.place('in/three', 'in/c'));
      expect(await refusal(store.write('d', 'x'))).toBe('too_many_files');
    })());

  it('[FS43] of bytes on their way nothing is kept before they are whole', () =>
    over(async (_, storage) => {
      const { storage: watching, stored } = watched(storage);
      const { kept } = createFileStore(watching, { now: () => 1 });
      const bytes = bytesOf(3 * MiB);
      const { stream, push, end } = feed();
      const staging = kept.stage('k', stream, announced(bytes));
      push(bytes);
      await stored(2);
      expect(kept.kept('k')).toBeUndefined();
      end();
      await staging;
      expect(kept.kept('k')?.etag).toBe(sha256(bytes));
    })());
}
