/** The storage of a Durable Object, for the contract suites. */
import { runInDurableObject } from 'cloudflare:test';
import type { SqlStorage } from '../contract/sql-storage';
import { bindings } from '../support/bindings';

/** Runs a body over the storage of an object that nobody has used. */
export function withObjectStorage(body: (storage: SqlStorage) => void | Promise<void>): Promise<void> {
  const { OFFSHOOT_DIRECTORY } = bindings;
  const stub = OFFSHOOT_DIRECTORY.getByName(crypto.randomUUID());
  return runInDurableObject(stub, (_: object, { storage }) => body(storage as unknown as SqlStorage));
}
