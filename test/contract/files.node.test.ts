import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFileStore } from '../../src/store/files';
import { type NodeStorage, nodeStorage } from '../../src/testing/node-storage';
import { filesContract } from './files';
import { bytesOf, createFileTables, MiB } from './files-support';

const now = () => 1;

async function withNode(body: (storage: NodeStorage) => Promise<void>, path?: string): Promise<void> {
  const storage = nodeStorage(path);
  try {
    createFileTables(storage);
    await body(storage);
  } finally {
    storage.close();
  }
}

filesContract('node:sqlite', withNode);

const count = (storage: NodeStorage, where: string) =>
  storage.sql.exec(`SELECT count(*) AS n FROM file_chunks WHERE ${where}`).one().n;

it('[FS12] a process that is killed in the middle of an upload leaves the old content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  const path = join(folder, 'agent.sqlite');
  try {
    await withNode(async () => undefined, path);
    const script = fileURLToPath(new URL('files-upload-child.mjs', import.meta.url).href);
    const child = spawn(process.execPath, ['--no-warnings', '--experimental-transform-types', script, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [said] = await Promise.race([once(child.stdout, 'data'), exited]);
    expect(String(said)).toBe('uploading\n');
    child.kill('SIGKILL');
    expect((await exited)[1]).toBe('SIGKILL');

    const storage = nodeStorage(path);
    expect(count(storage, 'key >= 0')).toBe(1 + 9);
    const store = createFileStore(storage, { now });
    const old = new Uint8Array(await new Response(await store.read('f')).arrayBuffer());
    expect(old).toEqual(new Uint8Array(2 * MiB).fill(1));
    await store.sweep();
    expect([count(storage, 'key >= 0'), count(storage, 'key < 0')]).toEqual([1, 0]);
    storage.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('[FS4] waits until what it has written is on disk with each eighth part, so that no more of them are in memory', () =>
  withNode(async (storage) => {
    const written: unknown[] = [];
    const sync = async () => {
      written.push(count(storage, 'key > 0'));
    };
    const store = createFileStore({ sql: storage.sql, transactionSync: storage.transactionSync, sync }, { now });
    await store.write('f', streamOf(bytesOf(17 * MiB + 1), MiB));
    expect(written).toEqual([8, 16]);
  }));

it('[FS12] a store that is full refuses the file and keeps the old content, and takes a smaller one', () =>
  withNode(async (storage) => {
    const store = createFileStore(storage, { now });
    await store.write('f', 'old');
    const pages = Number(storage.sql.exec('PRAGMA page_count').one().page_count);
    storage.sql.exec(`PRAGMA max_page_count = ${pages + 800}`); // 3 MB more
    await expect(store.write('f', bytesOf(5 * MiB))).rejects.toThrow(/full/);
    expect(await new Response(await store.read('f')).text()).toBe('old');
    expect(count(storage, '1')).toBe(0);
    expect((await store.write('f', bytesOf(2 * MiB))).size).toBe(2 * MiB);
  }));

it('[FS17] whatever is written, replaced and removed, what is read is what was written last, and no part is left over', async () => {
  const sizes = fc.constantFrom(0, 1, 5_000, MiB - 1, MiB, MiB + 1, 2 * MiB, 2 * MiB + 9);
  const action = fc.record({
    path: fc.constantFrom('a', 'b', 'a/b'),
    size: fc.option(sizes),
    seed: fc.nat(9),
    piece: fc.constantFrom(MiB, 300_007),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 8 }), (actions) =>
      withNode(async (storage) => {
        const store = createFileStore(storage, { now });
        const model = new Map<string, Uint8Array>();
        for (const { path, size, seed, piece } of actions) {
          if (size === null) {
            await (model.delete(path) ? store.remove(path) : expect(store.remove(path)).rejects.toThrow(/no file/));
          } else {
            const bytes = bytesOf(size, seed);
            model.set(path, bytes);
            await store.write(path, streamOf(bytes, piece));
          }
        }
        expect((await store.list()).items.map((file) => file.path)).toEqual([...model.keys()].sort());
        let parts = 0;
        for (const [path, bytes] of model) {
          expect(Buffer.compare(Buffer.from(await new Response(await store.read(path)).arrayBuffer()), bytes)).toBe(0);
          parts += Math.max(0, Math.ceil(bytes.length / MiB) - 1);
        }
        expect(count(storage, '1')).toBe(parts);
      }),
    ),
    { numRuns: 40 },
  );
});

function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}
