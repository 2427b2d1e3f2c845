import { nodeStorage } from '../../src/testing/node-storage';
import { workspaceContract } from './workspace';

workspaceContract('node:sqlite', async (body) => {
  const storage = nodeStorage();
  try {
    await body(storage);
  } finally {
    storage.close();
  }
});
