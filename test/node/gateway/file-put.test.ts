import { describe, expect, it } from 'vitest';
import { createFileStore } from '../../../src/store/files';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../../src/store/migrations';
import { nodeStorage } from '../../../src/testing/node-storage';

const MiB = 1_048_576;

function store() {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  const files = createFileStore(storage, { now: () => 7 });
  const parts = () => storage.sql.exec('SELECT COUNT(*) AS count FROM file_chunks').toArray()[0]?.count;
  return { storage, files, parts };
}

describe('a file that is stored at once', () => {
  it('[A47] is kept or lost with the transaction that it is part of', async () => {
    const { storage, files } = store();
    const put = () => files.put('/a.md', new TextEncoder().encode('# A'), { mediaType: 'text/markdown' });
    expect(() =>
      storage.transactionSync(() => {
        put();
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    expect(await files.stat('a.md')).toBeUndefined();
    const info = storage.transactionSync(put);
    expect(info).toMatchObject({ path: 'a.md', size: 3, mediaType: 'text/markdown', updatedAt: 7 });
    expect(await files.stat('a.md')).toEqual(info);
    expect(await new Response(await files.read('a.md')).text()).toBe('# A');
  });

  it('[A47] takes the place of a larger one, whose parts are freed with the next change', async () => {
    const { files, parts } = store();
    await files.write('a', new Uint8Array(3 * MiB));
    expect(parts()).toBe(2);
    files.put('a', new Uint8Array(MiB));
    expect((await files.stat('a'))?.size).toBe(MiB);
    await files.write('b', 'b');
    expect(parts()).toBe(0);
  });

  it('[A47] has at most 1 MiB', () => {
    expect(() => store().files.put('a', new Uint8Array(MiB + 1))).toThrow('at most 1048576 bytes');
  });

  it('[A19] a removal calls what goes with it in its transaction', async () => {
    const { files } = store();
    files.put('a', new Uint8Array(1));
    const failing = files.remove('a', {
      inTransaction: () => {
        throw new Error('not written');
      },
    });
    await expect(failing).rejects.toThrow('not written');
    expect(await files.stat('a')).toBeDefined();
  });
});
