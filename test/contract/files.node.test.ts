import { nodeStorage } from '../../src/testing/node-storage';
import { createFileTables, filesContract } from './files';

filesContract('node:sqlite', async (body) => {
  const storage = nodeStorage();
  createFileTables(storage);
  try {
    await body(storage);
  } finally {
    storage.close();
  }
});
