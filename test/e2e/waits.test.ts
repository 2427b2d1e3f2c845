/** Trees that wait on a real server: the platform takes all of their objects from memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { serve } from '../support/served';
import { asks, calls, type PuppetStep, told } from '../support/told';
import { get, post } from './desk';

const LOOK = { timeout: 60_000, interval: 20 };
/** An idle object leaves memory after 10 s. A look wakes it, so looks are this far apart. */
const ALONE = { timeout: 150_000, interval: 13_000 };

const picks = asks(['pick', {}]);
const refused: PuppetStep = { fail: { code: 'model_rate_limited', message: 'Later.' } };

/** What each tree does first, and how its root stands while it waits. */
const TREES: Readonly<
  Record<string, { readonly steps: PuppetStep[]; readonly status: string; readonly reach: string }>
> = {
  'a person': { steps: [picks], status: 'suspended_client_tool', reach: '' },
  'a person, at a facet': {
    steps: [calls('leaf', [picks])],
    status: 'suspended_awaiting_children',
    reach: '/sub/leaf/1~1',
  },
  'a person, at an object': {
    steps: [calls('alone', [picks])],
    status: 'suspended_awaiting_children',
    reach: '/sub/alone/1~1',
  },
  'nothing, after an answer that did not come in time': {
    steps: [asks(['hurry', {}])],
    status: 'completed',
    reach: '',
  },
  'its model': { steps: [refused], status: 'running', reach: '' },
  'the model of a facet': { steps: [calls('leaf', [refused])], status: 'running', reach: '/sub/leaf/1~1' },
  'the model of an object': { steps: [calls('alone', [refused])], status: 'running', reach: '/sub/alone/1~1' },
};

describe('a tree that waits on a real server', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-waits-'));
    server = await serve({ persistTo: folder, config: join(root, 'test', 'e2e', 'waits', 'wrangler.jsonc') });
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string): string => `${server.url}/agents/top/${encodeURIComponent(name)}`;
  const names = Object.keys(TREES).map((_, place) => `tree-${place}`);
  const trees = Object.values(TREES);
  const made = () => get<Record<string, number>>(`${server.url}/made`);

  it('[B10] leaves memory with all of its objects, whatever it waits for', async () => {
    await Promise.all(
      trees.map(({ steps }, place) => post(`${at(`tree-${place}`)}/start`, { message: told(...steps) })),
    );
    // The list over all roots wakes none of them.
    await vi.waitFor(async () => {
      const { items } = await get<{ items: { name: string; status: string }[] }>(
        `${server.url}/directory/roots?agent=top`,
      );
      const found = new Map(items.map(({ name, status }) => [name, status]));
      expect(names.map((name) => found.get(name))).toEqual(trees.map(({ status }) => status));
    }, LOOK);
    const before = await made();
    const kinds = Object.keys(before);
    expect(kinds).toHaveLength(trees.length + 4);
    const stayed = new Set(kinds);
    await vi.waitFor(async () => {
      // Whoever is asked is made in memory again, unless it never left.
      await Promise.all(trees.map(({ reach }, place) => get(`${at(`tree-${place}`)}${reach}/state`)));
      const now = await made();
      for (const kind of kinds) if ((now[kind] ?? 0) > (before[kind] ?? 0)) stayed.delete(kind);
      expect([...stayed]).toEqual([]);
    }, ALONE);
  });

  it('[W39, B10] leaves memory while a reader of events waits, who is told what follows', async () => {
    const before = Object.keys(await made());
    await post(`${at('read')}/start`, { message: told(picks, { text: 'x' }) });
    const [object = ''] = Object.keys(await made()).filter((each) => !before.includes(each));
    const stream = await fetch(`${at('read')}/stream?follow=run`);
    const all = stream.text();
    await vi.waitFor(async () => {
      await get(`${at('read')}/state`);
      expect((await made())[object]).toBeGreaterThan(1);
    }, ALONE);
    const { items } = await get<{ items: { toolCallId: string }[] }>(`${at('read')}/pending`);
    const [{ toolCallId } = { toolCallId: '' }] = items;
    await post(`${at('read')}/tool-results`, { kind: 'client-tool-result', toolCallId, result: {} });
    const text = await all;
    const { lastSequence } = await get<{ lastSequence: number }>(`${at('read')}/status`);
    const ids = [...text.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
    expect([...text.matchAll(/"status":"(\w+)"\}\n\n/gu)].map(([, status]) => status)).toEqual([
      'suspended_client_tool',
      'completed',
    ]);
  });
});
