/**
 * What every storage under the files of an agent must bring: the suite runs over `node:sqlite`, and over a Durable
 * Object's own storage.
 */

import { describe, expect, it } from 'vitest';
import { DATA_LIMITS, PAGE_LIMITS } from '../../src/protocol/data-limits';
import { OffshootError } from '../../src/protocol/errors';
import { createFileStore } from '../../src/store/files';
import { present } from '../support/present';
import { clearSuite, crashSuite, readersSuite, replaceSuite, writersSuite } from './files-changes';
import { keptSuite } from './files-kept';
import {
  afterCrash,
  bytesFrom,
  bytesOf,
  feed,
  MiB,
  type Over,
  refusal,
  rows,
  sha256,
  type WithStorage,
  watched,
} from './files-support';

/** The contract. `withStorage` gives each test a storage of its own. */
export function filesContract(name: string, withStorage: WithStorage): void {
  const over: Over = (body) => () =>
    withStorage(async (storage) => body(createFileStore(storage, { now: () => 1_700_000_000_000 }), storage));

  describe(`the files of an agent over ${name}`, () => {
    contentSuite(over);
    layoutSuite(over);
    replaceSuite(over);
    clearSuite(over);
    writersSuite(over);
    readersSuite(over);
    crashSuite(over);
    limitSuite(over);
    pathSuite(over);
    listSuite(over);
    pageSuite(over);
    keptSuite(over);
  });
}

function contentSuite(over: Over): void {
  for (const size of [0, 1, 1_024, MiB - 1, MiB, MiB + 1, 3 * MiB, 3 * MiB + 17]) {
    it(
      `[FS1][FS2] gives back the ${size} bytes that it took, with what they are`,
      over(async (store) => {
        const bytes = bytesOf(size);
        const written = await store.write('a/b.bin', bytes, { mediaType: 'image/png' });
        expect(written).toEqual({
          path: 'a/b.bin',
          size,
          mediaType: 'image/png',
          etag: sha256(bytes),
          updatedAt: 1_700_000_000_000,
        });
        expect(await store.stat('a/b.bin')).toEqual(written);
        const { file, offset, length, body } = await store.open('a/b.bin');
        expect({ file, offset, length }).toEqual({ file: written, offset: 0, length: size });
        expect(sha256(await bytesFrom(body))).toBe(written.etag);
      }),
    );
  }

  it(
    '[FS1] takes text, bytes, a buffer, a view into one, and a stream in ragged pieces',
    over(async (store) => {
      const bytes = bytesOf(2 * MiB + 100);
      const ragged = new ReadableStream<Uint8Array>({
        start(controller) {
          let at = 0;
          for (const step of [0, 1, 7, MiB - 8, 1, MiB + 50, bytes.length]) {
            controller.enqueue(bytes.slice(at, at + step));
            at = Math.min(at + step, bytes.length);
          }
          controller.close();
        },
      });
      await store.write('stream', ragged);
      await store.write('buffer', bytes.slice().buffer);
      await store.write('view', bytes.subarray(5, MiB + 10));
      await store.write('text', 'grün 🌱');
      expect((await store.stat('stream'))?.etag).toBe(sha256(bytes));
      expect(sha256(await bytesFrom(await store.read('buffer')))).toBe(sha256(bytes));
      expect(sha256(await bytesFrom(await store.read('view')))).toBe(sha256(bytes.subarray(5, MiB + 10)));
      expect(await new Response(await store.read('text')).text()).toBe('grün 🌱');
    }),
  );

  it(
    '[FS2] names the media type of text and of bytes when nobody else does',
    over(async (store) => {
      expect((await store.write('t', 'x')).mediaType).toBe('text/plain; charset=utf-8');
      expect((await store.write('b', bytesOf(1))).mediaType).toBe('application/octet-stream');
    }),
  );

  it(
    '[FS3] reads any range, across parts and to the end',
    over(async (store) => {
      const bytes = bytesOf(3 * MiB + 17);
      await store.write('f', bytes);
      const edges = [0, 1, MiB - 1, MiB, MiB + 1, 3 * MiB, 3 * MiB + 16, 3 * MiB + 17];
      for (const offset of edges) {
        for (const end of edges.filter((edge) => edge >= offset)) {
          const read = await bytesFrom(await store.read('f', { offset, length: end - offset }));
          expect(sha256(read), `${offset} to ${end}`).toBe(sha256(bytes.subarray(offset, end)));
        }
      }
      expect(await store.open('f', { offset: 3 * MiB, length: 10_000 })).toMatchObject({ offset: 3 * MiB, length: 17 });
      expect(await store.open('f', ({ size }) => ({ offset: size - 5 }))).toMatchObject({
        offset: 3 * MiB + 12,
        length: 5,
      });
      for (const range of [{ offset: -1 }, { offset: 1.5 }, { length: -1 }, { offset: 3 * MiB + 18 }]) {
        expect(await refusal(store.open('f', range)), JSON.stringify(range)).toBe('invalid_request');
      }
    }),
  );
}

function layoutSuite(over: Over): void {
  it('[FS4] loads a part only when its reader asks, and never binds more than one', () =>
    over(async (_, storage) => {
      const { storage: watching, counts } = watched(storage);
      const store = createFileStore(watching, { now: () => 0 });
      await store.write('f', bytesOf(5 * MiB));
      expect(counts.largestBlob).toBe(MiB);
      const before = counts.statements;
      const reader = (await store.read('f')).getReader();
      await reader.read();
      await reader.read();
      expect(counts.statements - before).toBe(3); // the file's row, and two of its four parts
      await reader.cancel();
    })());

  it(
    '[FS5] is one row up to 1 MiB, and one more for each further MiB',
    over(async (store, storage) => {
      await store.write('f', bytesOf(MiB));
      expect(rows(storage)).toEqual({ files: 1, parts: 0, marks: 0 });
      await store.write('f', bytesOf(MiB + 1));
      expect(rows(storage)).toEqual({ files: 1, parts: 1, marks: 0 });
      await store.write('f', bytesOf(4 * MiB));
      expect(rows(storage)).toEqual({ files: 1, parts: 3, marks: 0 });
    }),
  );

  it('[FS5] touches nothing before it is used', () =>
    over(async (_, storage) => {
      const { storage: watching, counts } = watched(storage);
      createFileStore(watching, { now: () => 0 });
      expect(counts.statements).toBe(0);
    })());
}

function limitSuite(over: Over): void {
  it(
    '[FS13] takes a file of exactly the limit, and refuses one byte more',
    over(async (_, storage) => {
      const limit = 2 * MiB + 10;
      const store = createFileStore(storage, { now: () => 1, limits: { maxFileBytes: limit } });
      expect((await store.write('f', bytesOf(limit))).size).toBe(limit);
      const { stream, push, seen } = feed();
      push(bytesOf(limit));
      push(bytesOf(1));
      expect(await refusal(store.write('f', stream))).toBe('payload_too_large');
      expect(seen.cancelled).toMatchObject({ code: 'payload_too_large' });
      expect((await store.stat('f'))?.size).toBe(limit);
      expect(rows(storage)).toEqual({ files: 1, parts: 2, marks: 0 });
    }),
  );

  it(
    '[FS13] refuses an announced size over the limit before it reads anything; the limit is 512 MB by default',
    over(async (store) => {
      expect(DATA_LIMITS.maxFileBytes).toBe(512 * MiB);
      const { stream, seen } = feed();
      expect(await refusal(store.write('f', stream, { size: DATA_LIMITS.maxFileBytes + 1 }))).toBe('payload_too_large');
      expect(seen.cancelled).toMatchObject({ code: 'payload_too_large' });
      // At the limit the size itself is no reason: what is refused is that the body has less.
      expect(await refusal(store.write('f', 'x', { size: DATA_LIMITS.maxFileBytes }))).toBe('invalid_request');
      expect(await refusal(store.write('f', 'x', { size: -1 }))).toBe('invalid_request');
    }),
  );

  it(
    '[FS13] refuses a limit that the stored format cannot hold',
    over(async (_, storage) => {
      const limit = (maxFileBytes: number) => () =>
        createFileStore(storage, { now: () => 1, limits: { maxFileBytes } });
      expect(limit(4_096 * MiB)).not.toThrow();
      for (const wrong of [4_096 * MiB + 1, -1, Number.NaN]) expect(limit(wrong)).toThrow(/maxFileBytes/);
    }),
  );

  it(
    '[FS40] keeps exactly as many files as it may, and refuses one more, which a removal makes room for',
    over(async (_, storage) => {
      const store = createFileStore(storage, { now: () => 1, limits: { maxFiles: 2 } });
      await store.write('a', bytesOf(2 * MiB));
      store.put('b', bytesOf(1));
      for (const more of [() => store.write('c', 'x'), async () => store.put('c', bytesOf(1))])
        expect(await refusal(more())).toBe('too_many_files');
      const { stream, seen } = feed();
      expect(await refusal(store.write('c', stream))).toBe('too_many_files');
      expect(seen.cancelled).toMatchObject({ code: 'too_many_files' });
      expect(await store.write('a', 'replaced')).toMatchObject({ size: 8 });
      store.put('b', bytesOf(2));
      await store.remove('a');
      expect(await store.write('c', 'x')).toMatchObject({ size: 1 });
      expect(await refusal(store.write('d', 'x'))).toBe('too_many_files');
    }),
  );

  it(
    '[FS40] counts what is there: neither a write that was rolled back nor files of an earlier life mislead it',
    over(async (store, storage) => {
      await store.write('a', 'x');
      const next = createFileStore(afterCrash(storage), { now: () => 1, limits: { maxFiles: 2 } });
      const inTransaction = () => {
        throw new Error('not kept');
      };
      await expect(next.write('b', 'x', { inTransaction })).rejects.toThrow('not kept');
      await expect(next.write('b', 'x', { inTransaction })).rejects.toThrow('not kept');
      expect(await next.write('b', 'x')).toMatchObject({ size: 1 });
      expect(await refusal(next.write('c', 'x'))).toBe('too_many_files');
      next.clear();
      for (const path of ['c', 'd']) expect(await next.write(path, 'x')).toMatchObject({ size: 1 });
    }),
  );

  it(
    '[FS14] refuses a media type that is none, and takes a whole one',
    over(async (store) => {
      for (const wrong of [
        '',
        'text',
        'text/',
        'text/html\r\nx: y',
        'text/plain; name="ü"',
        'text/html; charset="e',
        'text/html; charset',
        'text/html; charset=',
        'text/html; charset =x',
        'text/html; a="b"c',
        'text/html ',
        `a/b${'; '.repeat(120)}"`,
        `text/${'x'.repeat(251)}`,
      ]) {
        expect(await refusal(store.write('f', 'x', { mediaType: wrong })), wrong).toBe('invalid_request');
      }
      const longest = `text/${'x'.repeat(250)}`;
      for (const right of [
        'text/html;charset=utf-8',
        'application/vnd.a+json; v="1"',
        'a/b ; c="\\"; "; d=e;',
        longest,
      ]) {
        expect((await store.write('f', 'x', { mediaType: right })).mediaType).toBe(right);
      }
    }),
  );
}

function pathSuite(over: Over): void {
  it(
    '[FS15] takes a path with and without its leading slash for the same file',
    over(async (store) => {
      await store.write('/notes/a b+ü.md', 'x');
      expect((await store.stat('notes/a b+ü.md'))?.path).toBe('notes/a b+ü.md');
      await store.write('notes', 'a file may have the name of a folder');
      expect((await store.list()).items.map((file) => file.path)).toEqual(['notes', 'notes/a b+ü.md']);
    }),
  );

  it(
    '[FS39] writes nothing under a name that looks like another one',
    over(async (store) => {
      const marks = [
        '\n',
        '\t',
        '\u001b',
        '\u007f',
        '\u0085',
        '\u061c',
        '\u200e',
        '\u2028',
        '\u202e',
        '\u2066',
        '\u2069',
      ];
      for (const mark of marks) {
        const path = `report${mark}dm.md`;
        const { stream, seen } = feed();
        expect(await refusal(store.write(path, stream)), JSON.stringify(path)).toBe('invalid_request');
        expect(seen.cancelled).toBeInstanceOf(OffshootError);
        expect(() => store.put(path, new Uint8Array(1))).toThrow(OffshootError);
        expect(await refusal(store.read(path))).toBe('not_found');
        expect(await refusal(store.remove(path))).toBe('not_found');
      }
      for (const path of ['עברית.md', 'a\u200db.md', 'ü ñ 漢字 👩‍🔬.md'])
        expect((await store.write(path, 'x')).path).toBe(path);
    }),
  );

  it(
    '[FS15] refuses a bad path in every method',
    over(async (store) => {
      const bad = [
        '',
        '/',
        '//a',
        'a//b',
        'a/',
        '.',
        '..',
        'a/../b',
        './a',
        'a/.',
        'a\0b',
        'a\ud800',
        `${'ü'.repeat(512)}x`,
      ];
      for (const path of bad) {
        const { stream, seen } = feed();
        for (const call of [store.stat(path), store.read(path), store.remove(path), store.write(path, stream)]) {
          expect(await refusal(call), JSON.stringify(path)).toBe('invalid_request');
        }
        expect(seen.cancelled).toBeInstanceOf(OffshootError);
      }
      for (const path of ['ü'.repeat(512), `/${'x'.repeat(1_024)}`, '...', '..a', 'a..', '~', 'sub/child/x', '%2F']) {
        expect((await store.write(path, 'x')).path).toBe(path.replace(/^\//, ''));
      }
    }),
  );
}

function listSuite(over: Over): void {
  it(
    '[FS16] lists in pages, in the order of the bytes of the paths, each file once',
    over(async (store) => {
      const paths = ['a', 'B', 'a/2', 'a/10', 'ä', 'z', '🌱', '\uffee', '-', '0'];
      for (const path of paths) await store.write(path, path);
      const wanted = paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const limit of [1, 3, 9, 10, 11]) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list(cursor === undefined ? { limit } : { limit, cursor });
          expect(page.items.length).toBe(Math.min(limit, paths.length - seen.length));
          seen.push(...page.items.map((file) => file.path));
          cursor = page.cursor;
        } while (cursor !== undefined);
        expect(seen).toEqual(wanted);
      }
      expect((await store.list()).items).toContainEqual(await store.stat('a/10'));
    }),
  );

  it(
    '[FS16] goes on after the last item of the page before, though that file is gone',
    over(async (store) => {
      for (const path of ['a', 'b', 'c', 'd']) await store.write(path, path);
      const { cursor } = await store.list({ limit: 2 });
      await store.remove('b');
      await store.remove('c');
      await store.write('a2', 'new');
      expect((await store.list({ limit: 2, cursor: present(cursor) })).items.map((file) => file.path)).toEqual(['d']);
    }),
  );

  it(
    '[FS16] lists what begins with a prefix, and only that',
    over(async (store) => {
      const paths = [
        'docs',
        'docs/',
        'docs/a',
        'docs/b',
        'docs2',
        'dog',
        'd\ud7ff',
        'd\ud7ffx',
        'd\ue000',
        'd\u{10ffff}',
        'd\u{10ffff}\u{10ffff}',
        'e',
      ];
      for (const path of paths) if (!path.endsWith('/')) await store.write(path, 'x');
      const listed = async (prefix: string) => (await store.list({ prefix })).items.map((file) => file.path);
      expect(await listed('docs/')).toEqual(['docs/a', 'docs/b']);
      expect(await listed('/docs')).toEqual(['docs', 'docs/a', 'docs/b', 'docs2']);
      expect(await listed('d\ud7ff')).toEqual(['d\ud7ff', 'd\ud7ffx']);
      expect(await listed('d\u{10ffff}')).toEqual(['d\u{10ffff}', 'd\u{10ffff}\u{10ffff}']);
      expect(await listed('')).toHaveLength(paths.length - 1);
      expect(await listed('x')).toEqual([]);
      const page = await store.list({ prefix: 'docs', limit: 2 });
      expect(
        (await store.list({ prefix: 'docs', limit: 2, cursor: present(page.cursor) })).items.map((file) => file.path),
      ).toEqual(['docs/b', 'docs2']);
    }),
  );
}

function pageSuite(over: Over): void {
  it(
    '[FS16] refuses a bad limit, prefix or cursor',
    over(async (store) => {
      expect((await store.list({ limit: 1 })).items).toEqual([]);
      expect((await store.list({ limit: 500 })).items).toEqual([]);
      for (const limit of [0, 501, 1.5, Number.NaN])
        expect(await refusal(store.list({ limit }))).toBe('invalid_request');
      for (const prefix of ['a\0', '\udc00', 'x'.repeat(1_025)])
        expect(await refusal(store.list({ prefix }))).toBe('invalid_request');
      for (const cursor of ['', '../x', 'a\0']) expect(await refusal(store.list({ cursor }))).toBe('invalid_cursor');
    }),
  );

  it(
    '[FS16] a page has 100 files by default',
    over(async (store) => {
      for (let index = 0; index < 101; index += 1) await store.write(`f${index}`, '');
      const page = await store.list();
      expect(page.items).toHaveLength(PAGE_LIMITS.size);
      expect((await store.list({ cursor: present(page.cursor) })).items).toHaveLength(1);
    }),
  );
}
