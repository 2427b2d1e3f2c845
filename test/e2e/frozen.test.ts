import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { serve } from '../support/served';
import { get, post } from './desk';

let folder: string;
let server: Awaited<ReturnType<typeof serve>> | undefined;

const start = async (waitFor: 'answer' | 'port') => {
  const config = join(root, 'test', 'e2e', 'frozen', 'wrangler.jsonc');
  server = await serve({ persistTo: folder, config, waitFor });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-frozen-'));
});
afterAll(async () => {
  await server?.killHard();
  await rm(folder, { recursive: true, force: true });
});

/** The bodies that this process has begun, by their keys, once there is one. */
const begun = () =>
  vi.waitFor(
    () => {
      const keys = [...(server?.output() ?? '').matchAll(/a body begins: (\S+);/g)].map(([, key]) => key);
      expect(keys).not.toEqual([]);
      return keys;
    },
    { interval: 20 },
  );

it('[RC7, RC3] a body that never gives the process back is killed with it and begun again, and then no more: the run goes on', async () => {
  const bodies = DEFAULT_LIMITS.maxToolReplays;
  const keys = new Set<string | undefined>();
  await start('answer');
  const address = '/agents/keeper/k';
  // Whether the answer still leaves the process is left open: the request is on its way when that freezes.
  const asked = post(`${server?.url}${address}/start`, { message: 'Freeze.' }).catch(() => undefined);
  for (let body = 1; body <= bodies; body++) {
    const found = await begun();
    expect(found).toHaveLength(1);
    for (const key of found) keys.add(key);
    await server?.killHard();
    await start(body < bodies ? 'port' : 'answer');
  }
  await asked;
  const at = `${server?.url}${address}`;
  await vi.waitFor(async () => expect(await get(`${at}/status`)).toMatchObject({ status: 'completed' }), {
    interval: 50,
  });
  expect(await get(`${at}/calls`)).toMatchObject({
    items: [{ toolName: 'freeze', bodies, error: { code: 'outcome_unknown' } }],
  });
  expect(keys.size).toBe(1);
  expect(server?.output()).not.toContain('a body begins');
});
