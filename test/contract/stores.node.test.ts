/** The stores over `node:sqlite`. Opening again opens the file again, so nothing in memory can help. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStorage } from '../../src/store/storage';
import { type NodeStorage, nodeStorage } from '../../src/testing/node-storage';
import { agentStoreContract } from './agent-store';
import { formatContract } from './formats';
import { keptRowsContract } from './kept-rows';
import type { WithStorage } from './stores-support';
import { treeStoreContract } from './tree-store';

const withStorage: WithStorage = async (body) => {
  const folder = mkdtempSync(join(tmpdir(), 'stores-'));
  const path = join(folder, 'object.sqlite');
  const opened: NodeStorage[] = [];
  const open = (): ObjectStorage => {
    opened.at(-1)?.close();
    const storage = nodeStorage(path);
    opened.push(storage);
    return storage;
  };
  try {
    await body({ storage: open(), reopen: open });
  } finally {
    opened.at(-1)?.close();
    rmSync(folder, { recursive: true });
  }
};

agentStoreContract('node:sqlite', withStorage);
treeStoreContract('node:sqlite', withStorage);
formatContract('node:sqlite', withStorage);
keptRowsContract('node:sqlite', withStorage);
