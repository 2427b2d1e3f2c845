import { describe, expect, it } from 'vitest';
import { toolFiles } from '../../src/engine/files/tool-files';
import { createFileStore } from '../../src/store/files';
import { nodeStorage } from '../../src/testing/node-storage';
import { bytesFrom, bytesOf, createFileTables, MiB, refusal } from '../contract/files-support';

/** The files of a tool that may read so many bytes at once. */
function filesWith(most: number) {
  const storage = nodeStorage();
  createFileTables(storage);
  const store = createFileStore(storage, { now: () => 1 });
  return { store, files: toolFiles(store, () => most) };
}

describe('the files of a tool', () => {
  it('[FS28] gives bytes whole, in a range and as a stream', async () => {
    const { files } = filesWith(4 * MiB);
    const bytes = bytesOf(2 * MiB + 7);
    await files.write('a.bin', bytes);
    expect(await files.stat('a.bin')).toMatchObject({ size: bytes.length, mediaType: 'application/octet-stream' });
    expect(await files.stat('b.bin')).toBeUndefined();
    expect(Buffer.compare(await files.read('a.bin'), bytes)).toBe(0);
    expect(await files.read('a.bin', { offset: MiB - 2, length: 4 })).toEqual(bytes.slice(MiB - 2, MiB + 2));
    expect(await files.read('a.bin', { offset: bytes.length })).toHaveLength(0);
    expect(Buffer.compare(await bytesFrom(await files.stream('a.bin', { offset: 5 })), bytes.subarray(5))).toBe(0);
    expect(await refusal(files.read('a.bin', { offset: bytes.length + 1 }))).toBe('invalid_request');
    expect(await refusal(files.read('b.bin'))).toBe('not_found');
    await files.write('t.txt', 'Ümläut');
    expect(await files.readText('t.txt')).toBe('Ümläut');
    expect(await files.readText('t.txt', { offset: 1, length: 2 })).toBe('\uFFFDm');
  });

  it('[FS45] shows the version that the model reads, and changes only the version that it is given', async () => {
    const { files, store } = filesWith(MiB);
    const { version } = await files.write('a', 'one', { ifVersion: null });
    expect(version).toMatch(/^[0-9a-f]{16}$/);
    expect((await store.stat('a'))?.etag.startsWith(version)).toBe(true);
    expect([await files.stat('a'), ...(await files.list())]).toMatchObject([{ version }, { version }]);
    expect(await files.stat('a')).not.toHaveProperty('etag');
    const next = await files.write('a', 'two', { ifVersion: version });
    expect(await refusal(files.write('a', 'three', { ifVersion: version }))).toBe('file_changed');
    expect(await refusal(files.write('a', 'three', { ifVersion: next.version.replace(/.$/, '') }))).toBe(
      'file_changed',
    );
    expect(await refusal(files.write('a', 'three', { ifVersion: null }))).toBe('file_changed');
    expect(await refusal(files.remove('a', { ifVersion: version }))).toBe('file_changed');
    expect(await files.readText('a')).toBe('two');
    await files.remove('a', { ifVersion: next.version });
    expect(await files.stat('a')).toBeUndefined();
  });

  it('[FS28] reads no more than its limit at once: exactly that much is taken, one byte more refused, a stream is not', async () => {
    const { files, store } = filesWith(1_000);
    await files.write('edge', new Uint8Array(1_000));
    await files.write('past', new Uint8Array(1_001));
    expect(await files.read('edge')).toHaveLength(1_000);
    expect(await files.readText('edge')).toHaveLength(1_000);
    await expect(files.read('past')).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringMatching(/1001 bytes.*at most 1000.*range.*stream/),
    });
    expect(await refusal(files.readText('past'))).toBe('payload_too_large');
    expect(await files.read('past', { offset: 1 })).toHaveLength(1_000);
    expect(await bytesFrom(await files.stream('past'))).toHaveLength(1_001);
    // None of what is refused is read, and it holds no version back.
    const seen: string[] = [];
    const source = { pull: () => void seen.push('read'), cancel: () => void seen.push('cancelled') };
    const refusing = toolFiles(
      {
        ...store,
        open: async (path, range) => {
          const { body, ...facts } = await store.open(path, range);
          await body.cancel();
          return { ...facts, body: new ReadableStream(source, { highWaterMark: 0 }) };
        },
      },
      () => 1_000,
    );
    for (const read of [() => refusing.read('past'), () => refusing.readText('past', { length: 1_001 })])
      expect(await refusal(read())).toBe('payload_too_large');
    expect(seen).toEqual(['cancelled', 'cancelled']);
  });

  it('[FS45, CL11] takes no option that it does not know, such as those of the store below, and changes nothing then', async () => {
    const { files } = filesWith(MiB);
    const { version } = await files.write('a', 'one');
    const known = { write: ['mediaType', 'ifVersion', 'size'], remove: ['ifVersion'] };
    for (const name of ['ifMatch', 'key', 'inTransaction', 'etag', 'version', 'constructor', 'mediaType', 'size']) {
      const options = { [name]: undefined };
      if (!known.write.includes(name)) expect(await refusal(files.write('a', 'two', options))).toBe('invalid_input');
      if (!known.remove.includes(name)) expect(await refusal(files.remove('a', options))).toBe('invalid_input');
    }
    expect(await files.stat('a')).toMatchObject({ version });
  });
});
