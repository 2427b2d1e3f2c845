/**
 * Loaded before every test file of a project whose files share one global scope. A file that leaves something of it
 * changed fails by its own name: otherwise another one fails, in whatever process runs it after this one.
 */
import { afterAll, expect, vi } from 'vitest';
import { restore, type Scope, scopeNow } from './scope';

/** What the process had before its first file. */
const first: Scope = Reflect.get(vi, 'firstScope') ?? scopeNow();
Reflect.set(vi, 'firstScope', first);

afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  expect(restore(first), 'left changed in the global scope').toEqual([]);
});
