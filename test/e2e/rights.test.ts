/** `offshoot/client` against a real server that takes its right away, or removes the agent that it follows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { root } from '../../scripts/lib/paths.mjs';
import { type Client, createClient } from '../../src/client';
import { serve } from '../support/served';
import { asks, calls, told } from '../support/told';

const picks = asks(['pick', { of: ['a'] }]);
const WAITS = told(calls('branch', [calls('twig', [picks, { text: 'l' }]), { text: 'm' }]), { text: 't' });

let folder: string;
let server: Awaited<ReturnType<typeof serve>>;
let owner: Client;

const clientOf = (token: string) => createClient({ baseUrl: server.url, token, WebSocket });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-rights-'));
  server = await serve({ persistTo: folder, config: join(root, 'test', 'e2e', 'rights', 'wrangler.jsonc') });
  owner = clientOf('owner');
});

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

// All at once: an open line is asked for its right again after a heartbeat, for which each of them waits. Each has trees and
// tokens of its own.
describe.concurrent.each(['sse', 'socket'] as const)('a reader over %s', (over) => {
  /** Starts a tree of three levels whose lowest waits for a person. */
  async function waiting(address: string): Promise<void> {
    await owner.start(address, { message: WAITS });
    for await (const { event } of owner.watch(address)) if (event.type === 'rest') break;
  }

  /** Follows until it ends; `then` is done as soon as all was told. What it ended with. */
  async function following(token: string, address: string, then: () => Promise<unknown>): Promise<unknown> {
    let told = false;
    try {
      for await (const event of clientOf(token).follow(address, { over, stay: true })) {
        if (event.type !== 'up-to-date' || told) continue;
        told = true;
        await then();
      }
    } catch (error) {
      return error;
    }
    return undefined;
  }

  it('[J8, X11, X33] whose right is taken away ends with 401 or 403, also where nothing happens any more', async () => {
    const ends = ['unauthorized', 'forbidden'].map(async (code) => {
      const address = `/agents/trunk/${over}-${code}`;
      await waiting(address);
      return await following(`${over}-${code}`, address, () =>
        fetch(`${server.url}/rights/${over}-${code}/${code}`, { method: 'PUT' }),
      );
    });
    expect(await Promise.all(ends)).toMatchObject([
      { name: 'Refused', status: 401, code: 'unauthorized' },
      { name: 'Refused', status: 403, code: 'forbidden' },
    ]);
  });

  it('[J13, X11, X33] whose token runs out asks for a fresh one while the run waits, and follows that to its end', async () => {
    const address = `/agents/trunk/${over}-tokens`;
    await waiting(address);
    let given = 1;
    const token = () => `${over}-short-${given}`;
    const reader = createClient({ baseUrl: server.url, token, WebSocket });
    const sequences: number[] = [];
    const rests: string[] = [];
    let connections = 0;
    for await (const event of reader.follow(address, { over, stay: async () => true })) {
      if (event.type === 'chunk') sequences.push(event.entry.sequence);
      if (event.type === 'rest') rests.push(event.status);
      if (event.type === 'connection') connections += 1;
      if (event.type !== 'up-to-date') continue;
      const expired = `${server.url}/rights/${over}-short-${given}/unauthorized`;
      if (given < 3) {
        // The right is asked again with the next sign of life: until then nothing is told.
        await fetch(expired, { method: 'PUT' });
        given += 1;
        continue;
      }
      const [item] = (await owner.pending(address)).items;
      const result = { picked: 'a' };
      if (item) await owner.answer(address, { kind: 'client-tool-result', toolCallId: item.toolCallId, result });
    }
    expect(rests).toEqual(['completed']);
    expect(connections).toBeGreaterThanOrEqual(3);
    const { lastSequence } = await owner.status(address);
    expect(sequences).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
  });

  it('[J8, W29] whose root is removed ends with 404', async () => {
    const address = `/agents/trunk/${over}-root`;
    await waiting(address);
    const ended = await following('reader', address, () => owner.remove(address));
    expect(ended).toMatchObject({ name: 'Refused', status: 404, code: 'not_found' });
  });

  it.each([
    ['branch', '/sub/branch/1~1'],
    ['twig', '/sub/branch/1~1/sub/twig/1~1'],
  ])('[J8, W13, W29] whose sub-agent, a %s, is removed ends with 410', async (name, below) => {
    const address = `/agents/trunk/${over}-${name}`;
    await waiting(address);
    const ended = await following('reader', `${address}${below}`, () => owner.remove(`${address}${below}`));
    expect(ended).toMatchObject({ name: 'Refused', status: 410, code: 'gone' });
    // Nothing else in the process was lost by it.
    expect((await owner.status(address)).status).toBe('completed');
    expect(server.output()).not.toContain('crashed');
  });
});
