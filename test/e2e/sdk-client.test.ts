import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from 'agents/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { serve } from '../../scripts/lib/serve.mjs';
import type { SequencedChunk } from '../../src/core/chunks';
import type { JsonObject } from '../../src/core/json';
import { readStream } from '../support/reader';
import { asks, calls, told } from '../support/told';
import { get, post } from './desk';

const LOOK = { timeout: 60_000, interval: 20 };
/** What is left alone for 10 s leaves memory, once the machine finds the time; so rarely it may be looked. */
const ALONE = { timeout: 150_000, interval: 13_000 };

const picks = asks(['pick', { of: ['a'] }]);
/** The three levels, as paths below the root. */
const LEVELS = ['', 'sub/branch/1~1', 'sub/branch/1~1/sub/twig/1~1'];

/** The SDK's own client, subscribed whenever its socket opens. */
class Stock {
  readonly frames: JsonObject[] = [];
  opened = 0;
  readonly client: AgentClient;

  constructor(
    host: string,
    name: string,
    readonly path: string,
  ) {
    this.client = new AgentClient({ agent: 'Trunk', name, host, protocol: 'ws', ...(path === '' ? {} : { path }) });
    this.client.addEventListener('open', () => {
      this.opened++;
      const from = (this.chunks.at(-1)?.sequence ?? 0) + 1;
      this.client.send(JSON.stringify({ type: 'offshoot.subscribe', from }));
    });
    this.client.addEventListener(
      'message',
      ({ data }) => void this.frames.push(JSON.parse(String(data)) as JsonObject),
    );
  }

  get chunks(): SequencedChunk[] {
    return this.frames
      .filter(({ type }) => type === 'offshoot.chunk')
      .map(({ sequence, chunk }) => ({ sequence, chunk }) as unknown as SequencedChunk);
  }

  /** The life in memory of the agent that answers. */
  async lived(): Promise<string> {
    return String(await this.client.call('lived', [], { timeout: 60_000 }));
  }

  /** Calls a verb. */
  async verb(verb: string): Promise<JsonObject> {
    const id = crypto.randomUUID();
    this.client.send(JSON.stringify({ type: 'offshoot.call', id, verb }));
    const answers = () => this.frames.filter((frame) => frame.type === 'offshoot.result' && frame.id === id);
    await vi.waitFor(() => expect(answers()).toHaveLength(1), LOOK);
    return answers()[0] ?? {};
  }
}

describe("the SDK's own client", () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>>;
  const stocks: Stock[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-client-'));
    server = await serve({ persistTo: folder, config: join(root, 'test', 'e2e', 'nested', 'wrangler.jsonc') });
  });

  afterAll(async () => {
    for (const { client } of stocks) client.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A tree of three levels whose lowest waits for a person, so many times. */
  async function waitingTree(name: string, times: number): Promise<string> {
    const at = `${server.url}/agents/trunk/${name}`;
    const twig = [...Array.from({ length: times }, () => picks), { text: 'l' }];
    await post(`${at}/start`, { message: told(calls('branch', [calls('twig', twig), { text: 'm' }]), { text: 't' }) });
    await pendingAt(at);
    return at;
  }

  /** The call that waits, once it is another one than before. */
  async function pendingAt(at: string, before = ''): Promise<string> {
    return vi.waitFor(async () => {
      const { items } = await get<{ items: { toolCallId: string }[] }>(`${at}/pending`);
      expect(items).toHaveLength(1);
      expect(items[0]?.toolCallId).not.toBe(before);
      return String(items[0]?.toolCallId);
    }, LOOK);
  }

  const answer = async (at: string, toolCallId: string) =>
    post(`${at}/tool-results`, { kind: 'client-tool-result', toolCallId, result: { picked: 'a' } });

  function stock(name: string, path: string): Stock {
    const made = new Stock(server.url.replace('http://', ''), name, path);
    stocks.push(made);
    return made;
  }

  /** Everything that the log holds for a level until now. */
  async function logOf(at: string, path: string): Promise<SequencedChunk[]> {
    const chunks: SequencedChunk[] = [];
    await readStream(server.url, new URL(path === '' ? at : `${at}/${path}`).pathname, chunks, {});
    return chunks;
  }

  /** Waits until each of these has all that the log holds. */
  async function haveAll(at: string, readers: readonly Stock[]): Promise<void> {
    for (const reader of readers) {
      const all = await logOf(at, reader.path);
      await vi.waitFor(() => expect(reader.chunks.length).toBeGreaterThanOrEqual(all.length), LOOK);
      expect(reader.chunks).toEqual(all);
    }
  }

  /** Leaves everything alone until no agent of the three is in the memory that it was in. */
  async function evicted(probes: readonly Stock[], lives: readonly string[]): Promise<string[]> {
    return vi.waitFor(async () => {
      const now = await Promise.all(probes.map((probe) => probe.lived()));
      for (const life of now) expect(lives).not.toContain(life);
      return now;
    }, ALONE);
  }

  it('[W20] at each of three levels has every chunk and every answer across evictions of all three', async () => {
    const at = await waitingTree('evicted', 3);
    const readers = LEVELS.map((path) => stock('evicted', path));
    await haveAll(at, readers);
    let lives = await Promise.all(readers.map((reader) => reader.lived()));
    let call = await pendingAt(at);
    // First what a person answers wakes them, then a call of the client.
    for (const first of ['an answer', 'a call'] as const) {
      lives = await evicted(readers, lives);
      if (first === 'a call') for (const reader of readers) expect((await reader.verb('status')).ok).toBe(true);
      await answer(at, call);
      call = await pendingAt(at, call);
      await haveAll(at, readers);
      for (const reader of readers)
        expect((await reader.verb('status')).body).toMatchObject({ agentType: expect.any(String) });
    }
    // It was the same socket all the time.
    expect(readers.map(({ opened }) => opened)).toEqual([1, 1, 1]);
  });

  it('[W20] goes on where it was after a reconnect, which takes the same name again', async () => {
    const at = await waitingTree('again', 2);
    const readers = LEVELS.map((path) => stock('again', path));
    await haveAll(at, readers);
    for (const { client } of readers) client.reconnect();
    const call = await pendingAt(at);
    await answer(at, call);
    await pendingAt(at, call);
    await haveAll(at, readers);
    expect(readers.map(({ opened }) => opened)).toEqual([2, 2, 2]);
    expect(new Set(await Promise.all(readers.map((reader) => reader.lived()))).size).toBe(3);
  });
});
