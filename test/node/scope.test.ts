import { expect, it } from 'vitest';
import { restore, scopeNow } from '../support/scope';

it('[HS26] what a file changed or took away of the global scope, or added to the environment, is named and put back', () => {
  const first = scopeNow();
  expect(restore(first)).toEqual([]);
  const { fetch, queueMicrotask } = globalThis;
  const path = process.env.PATH;
  Object.assign(globalThis, { fetch: () => undefined });
  Reflect.deleteProperty(globalThis, 'queueMicrotask');
  Object.assign(process.env, { PATH: '/nowhere', OF_A_TEST: 'yes' });
  expect(restore(first).sort()).toEqual([...['fetch', 'process.env.OF_A_TEST', 'process.env.PATH', 'queueMicrotask']]);
  expect([globalThis.fetch, globalThis.queueMicrotask, process.env.PATH]).toEqual([fetch, queueMicrotask, path]);
  expect('OF_A_TEST' in process.env).toBe(false);
  expect(restore(first)).toEqual([]);
});
