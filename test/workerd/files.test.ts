/** The files of an agent over the storage of a Durable Object. */
import { filesContract } from '../contract/files';
import { createFileTables } from '../contract/files-support';
import { withObjectStorage } from './storage';

filesContract('a Durable Object', (body) =>
  withObjectStorage(async (storage) => {
    createFileTables(storage);
    await body(storage);
  }),
);
