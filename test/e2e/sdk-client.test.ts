import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from 'agents/client';
import { useAgent } from 'agents/react';
import { createElement } from 'react';
import { create } from 'react-test-renderer';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { root } from '../../scripts/lib/paths.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { type Frame, type FrameOf, framesOf } from '../support/frames';
import { present } from '../support/present';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import { asks, calls, told } from '../support/told';
import { get, post } from './desk';

const LOOK = { timeout: 60_000, interval: 20 };
/** What is left alone for 10 s leaves memory, once the machine finds the time; so rarely it may be looked. */
const ALONE = { timeout: 150_000, interval: 13_000 };

const picks = asks(['pick', { of: ['a'] }]);
/** The three levels, as the sub-agents below the root. */
const LEVELS = [[], ['branch'], ['branch', 'twig']];

/** What the client and what the hook returns have in common. */
interface Client {
  send(text: string): void;
  call(method: string, args: unknown[], options: { timeout: number }): Promise<unknown>;
  reconnect(): void;
  close(): void;
}
interface Listener {
  onOpen(): void;
  onMessage(event: { data: unknown }): void;
}
type Open = (host: string, name: string, below: readonly string[], listener: Listener) => Client;

/** `AgentClient`, as its users make one. */
const agentClient: Open = (host, name, below, { onOpen, onMessage }) => {
  const path = pathOf(below);
  const client = new AgentClient({ agent: 'Trunk', name, host, protocol: 'ws', ...(path === '' ? {} : { path }) });
  client.addEventListener('open', onOpen);
  client.addEventListener('message', onMessage);
  return client;
};

/** A component that has an agent by the hook, and draws nothing. */
function Screen({ options, onAgent }: { options: Parameters<typeof useAgent>[0]; onAgent(agent: Client): void }) {
  onAgent(useAgent(options));
  return null;
}

/** `useAgent` in a component that stays mounted until it is closed. */
const hook: Open = (host, name, below, listener) => {
  let agent: Client | undefined;
  const sub = below.map((level) => ({ agent: level, name: FIRST }));
  const options = { agent: 'Trunk', name, sub, host, protocol: 'ws' as const, ...listener };
  const onAgent = (rendered: Client) => {
    agent = rendered;
  };
  const screen = create(createElement(Screen, { options, onAgent }));
  // Asked of what was rendered last, as a component would.
  const now = () => {
    if (agent === undefined) throw new Error('The component was not rendered.');
    return agent;
  };
  return {
    send: (text) => now().send(text),
    call: (method, args, options) => now().call(method, args, options),
    reconnect: () => now().reconnect(),
    close: () => screen.unmount(),
  };
};

/** The one sub-agent of each class. */
const FIRST = '1~1';
const pathOf = (below: readonly string[]) => below.map((level) => `sub/${level}/${FIRST}`).join('/');

/** The SDK's own client, subscribed whenever its socket opens. */
class Stock {
  readonly frames: Frame[] = [];
  readonly path: string;
  opened = 0;
  readonly client: Client;

  constructor(
    host: string,
    name: string,
    below: readonly string[],
    open: Open,
    /** How often it subscribes at most. */
    readonly subscribes = Number.POSITIVE_INFINITY,
  ) {
    this.path = pathOf(below);
    this.client = open(host, name, below, {
      onOpen: () => {
        this.opened++;
        if (this.opened <= this.subscribes) this.subscribe();
      },
      onMessage: ({ data }) => void this.frames.push(JSON.parse(String(data))),
    });
  }

  /** Asks for all that it does not have. */
  subscribe(): void {
    const from = (this.chunks.at(-1)?.sequence ?? 0) + 1;
    this.client.send(JSON.stringify({ type: 'offshoot.subscribe', from }));
  }

  get chunks(): SequencedChunk[] {
    return framesOf(this.frames, 'offshoot.chunk').map(({ sequence, chunk }) => ({ sequence, chunk }));
  }

  /** The life in memory of the agent that answers. */
  async lived(): Promise<string> {
    return String(await this.client.call('lived', [], { timeout: 60_000 }));
  }

  /** Calls a verb. */
  async verb(verb: string): Promise<FrameOf<'offshoot.result'>> {
    const id = crypto.randomUUID();
    this.client.send(JSON.stringify({ type: 'offshoot.call', id, verb }));
    const answers = () => framesOf(this.frames, 'offshoot.result').filter((frame) => frame.id === id);
    await vi.waitFor(() => expect(answers()).toHaveLength(1), LOOK);
    return present(answers()[0]);
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

  beforeEach(() => {
    // Without it the renderer prints an advice for each component. Each test takes back what the one before has set.
    vi.stubGlobal('IS_REACT_NATIVE_TEST_ENVIRONMENT', true);
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

  function stock(...[name, below, open, subscribes]: [string, readonly string[], Open, number?]): Stock {
    const made = new Stock(server.url.replace('http://', ''), name, below, open, subscribes);
    stocks.push(made);
    return made;
  }

  /** Both clients at each of the levels. */
  const both = (name: string) => [agentClient, hook].flatMap((open) => LEVELS.map((below) => stock(name, below, open)));

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

  it('[W35] reaches a sub-agent whose definition the Worker exports beside its class', async () => {
    const at = await waitingTree('beside', 1);
    for (const below of [['branch'], ['branch', 'twig']]) {
      const path = pathOf(below);
      const socket = new WebSocket(`${at.replace('http', 'ws')}/${path}`, ['offshoot']);
      const end = await new Promise((resolve) => {
        socket.on('message', () => resolve('heard'));
        socket.on('close', resolve);
        socket.on('error', resolve);
      });
      socket.close();
      expect(end, path).toBe('heard');
    }
  });

  it('[W20] at each of three levels has every chunk and every answer across evictions of all three', async () => {
    const at = await waitingTree('evicted', 3);
    const readers = both('evicted');
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
    expect(readers.map(({ opened }) => opened)).toEqual(readers.map(() => 1));
  });

  it('[W20, OC6] goes on where it was after a reconnect, which takes the same name again', async () => {
    const at = await waitingTree('again', 2);
    const readers = both('again');
    await haveAll(at, readers);
    for (const { client } of readers) client.reconnect();
    const call = await pendingAt(at);
    await answer(at, call);
    await pendingAt(at, call);
    await haveAll(at, readers);
    expect(readers.map(({ opened }) => opened)).toEqual(readers.map(() => 2));
    expect(new Set(await Promise.all(readers.map((reader) => reader.lived()))).size).toBe(3);
  });

  it.each([
    ['AgentClient', agentClient],
    ['useAgent', hook],
  ] as const)(
    '[W22] %s has no chunk on a new socket until it subscribes, and its calls are answered',
    async (kind, open) => {
      const name = `quiet-${kind}`;
      const at = await waitingTree(name, 2);
      const [quiet, loud] = [stock(name, ['branch'], open, 1), stock(name, ['branch'], open)];
      await haveAll(at, [quiet, loud]);
      const had = quiet.chunks;
      quiet.client.reconnect();
      await vi.waitFor(() => expect(quiet.opened).toBe(2), LOOK);
      const call = await pendingAt(at);
      await answer(at, call);
      await pendingAt(at, call);
      await haveAll(at, [loud]);
      expect((await quiet.verb('status')).ok).toBe(true);
      expect(loud.chunks.length).toBeGreaterThan(had.length);
      expect(quiet.chunks).toEqual(had);
      quiet.subscribe();
      await haveAll(at, [quiet]);
    },
  );
});
