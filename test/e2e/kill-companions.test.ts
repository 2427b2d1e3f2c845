/** SIGKILL of a real server, at random moments, while a root has companions in every state: each kill has a tree of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { isObject, type Json } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { reduceAll } from '../../src/protocol/view/reduce';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import { figures, sized } from '../support/sizes';
import { checkCalls, get, type Pending, post } from './desk';

const KILLS = sized(5, 25);
/** The tree works in the thread that answers who looks at it, so each look takes from its work. */
const LOOK = { interval: 100 };
/** Looks at what was read until the server itself is asked again. */
const LOOKS = 20;
/** A tree that nobody kills has about so many chunks. */
const CHUNKS = 340;

/** What the root says to each of its companions, and what comes of it. */
const SAID = {
  'scout/idle': ['i1', 'i2', 'i3'],
  'scout/busy': ['b1', 'b2', 'b3'],
  'scout/asks': ['a1', 'a2'],
  'scout/paused': ['p1', 'p2'],
  'scout/doomed': ['d1'],
  'lead/lead': ['l1', 'l2'],
  'lead/twin': ['l1', 'l2', 'f1'],
} as const;
const ASKS = 'scout/asks';
const BUSY = 'scout/busy';
const DOOMED = 'scout/doomed';
const DEEP = 'lead/lead/sub/scout/deep';
const DEEP_COPY = 'lead/twin/sub/scout/deep';
const BRIEF = 'scout/brief';

/** Who lies below the companion that is copied with many. */
const MANY = Array.from({ length: 16 }, (_, at) => `k${at + 10}`);
/** A kill comes fewer requests than these after the copy was asked for: while it is made, or when those below it begin. */
const REQUESTS = 5;

const moments: number[] = [];
figures('SIGKILL with companions', () => `${moments.length} kills, at chunks ${moments.join(', ')}`);
/** What was told of the copy when each kill came. */
const copied: string[] = [];
figures('SIGKILL while one is copied with 16 below it', () => `${copied.length} kills: ${copied.join(', ')}`);

describe('SIGKILL with companions in every state', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  const base = () => server?.url ?? '';
  const start = async () => {
    server = await serve({ persistTo: folder, config: join(root, 'test', 'e2e', 'companions', 'wrangler.jsonc') });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-kill-companions-'));
    await start();
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const said = async (address: string): Promise<readonly Message[]> =>
    (await get<{ items: Message[] }>(`${base()}${address}/messages?limit=500`)).items;

  /**
   * The person: agrees once the root has given up waiting for that, and the companion that asks has its messages.
   * Whether the root has ended.
   */
  const helped = async (address: string): Promise<boolean> => {
    const { items } = await get<{ items: Pending[] }>(`${base()}${address}/pending`);
    const [asked] = items;
    const isDue =
      asked &&
      JSON.stringify(await said(address)).includes('"timedOut":true') &&
      read(await said(asked.address)).length === SAID[ASKS].length;
    if (isDue) {
      const { toolCallId, inputHash } = asked;
      await post(`${base()}${address}/tool-results`, {
        kind: 'approval-response',
        toolCallId,
        approved: true,
        inputHash,
      });
    }
    return (await get<{ status: string }>(`${base()}${address}/status`)).status === 'completed';
  };

  it.each(Array.from({ length: KILLS }, (_, kill) => kill + 1))(
    '[CO4, CO5, CO6, CO7, CO8, CO11, CO12, CP5, CP12, CR1, RC2, RC5, CL2, LG2] L31: tree %i reads each message once and hears of each end once',
    async (tree) => {
      const address = `/agents/boss/kill-${tree}`;
      const seen: SequencedChunk[] = [];
      await post(`${base()}${address}/start`, { message: 'Go.' });
      const away = new AbortController();
      const reading = watched(base(), address, seen, away.signal);

      const moment = 1 + Math.floor(Math.random() * CHUNKS);
      moments.push(moment);
      let looks = 0;
      await vi.waitFor(
        async () => {
          const isReached = seen.length >= moment || (looks++ % LOOKS === 0 && (await helped(address)));
          expect(isReached).toBe(true);
        },
        { interval: 5 },
      );
      await server?.killHard();
      away.abort();
      await reading;
      await start();

      const what = `killed at chunk ${seen.length}`;
      await vi.waitFor(async () => expect(await helped(address), what).toBe(true), LOOK);
      expect(await readStream(base(), address, seen), what).toBe('completed');
      const log: SequencedChunk[] = [];
      await readStream(base(), address, log, { from: 1 });
      expect(reduceAll(seen), what).toEqual(reduceAll(log));
      checkCalls(log);

      for (const [companion, texts] of Object.entries(SAID)) {
        const at = `${address}/sub/${companion}`;
        // One that is ended before its first run never reads anything.
        const began = log.some(({ chunk }) => chunk.address === at && chunk.type === 'run_started');
        if (companion !== DOOMED) expect(began, `${what}: ${companion}`).toBe(true);
        expect(read(await said(at)), `${what}: ${companion}`).toEqual(began ? texts : []);
      }
      const busy = log.filter(
        ({ chunk }) => chunk.type === 'subagent_start' && chunk.subAddress === `${address}/sub/${BUSY}`,
      );
      expect(busy.length, `${what}: the busy one reads all in one task`).toBe(1);
      const sent = (await said(`${address}/sub/lead/lead`)).flatMap((message) =>
        message.role === 'tool' ? [message.result.success] : [],
      );
      // The lead's second task tells its own companion more, unless the lead read of it in its first.
      expect(read(await said(`${address}/sub/${DEEP}`)), what).toEqual(['q1', 'q2'].slice(0, sent.length));
      // The copy of the lead told its copy of that the same once more.
      const original = read(await said(`${address}/sub/${DEEP}`));
      expect(read(await said(`${address}/sub/${DEEP_COPY}`)), what).toEqual([...original, 'q2']);
      await vi.waitFor(
        async () => expect((await fetch(`${base()}${address}/sub/${BRIEF}/status`)).status, what).toBe(404),
        LOOK,
      );
      checkEnds(await said(address), log, address, what);
    },
  );

  it.each(Array.from({ length: KILLS }, (_, kill) => kill + 1))(
    '[CP2, CP5, CP12, RC2, RC5, CL2, LG2] copy %i of one with sixteen below it is whole, and the original goes on',
    async (copy) => {
      const address = `/agents/patron/kill-${copy}`;
      const seen: SequencedChunk[] = [];
      await post(`${base()}${address}/start`, { message: 'Go.' });
      const away = new AbortController();
      const reading = watched(base(), address, seen, away.signal);
      const status = async () => (await get<{ status: string }>(`${base()}${address}/status`)).status;
      // Asked for, not awaited from the stream: the tree works in one thread, and what it tells meanwhile comes later.
      const isAsked = async () => JSON.stringify(await get(`${base()}${address}/calls`)).includes('forkChild');
      await vi.waitFor(async () => expect(await isAsked()).toBe(true), { interval: 1 });
      for (let left = Math.floor(Math.random() * REQUESTS); left > 0; left--) await status();
      await server?.killHard();
      away.abort();
      await reading;
      const told = seen.filter(({ chunk }) => chunk.address.startsWith(`${address}/sub/lead/twin`));
      copied.push(`${told.length} of ${seen.length} chunks are the copy's`);
      await start();

      const what = `killed at chunk ${seen.length}`;
      await vi.waitFor(async () => expect(await status(), what).toBe('completed'), LOOK);
      const log: SequencedChunk[] = [];
      await readStream(base(), address, log, { from: 1 });
      checkCalls(log);
      const children = async (at: string) =>
        (await get<{ items: { address: string }[] }>(`${base()}${at}/children?limit=100`)).items.map(
          (one) => one.address,
        );
      expect(await children(address), what).toEqual(['wide', 'twin'].map((name) => `${address}/sub/lead/${name}`));
      for (const [name, second] of [
        ['wide', '3'],
        ['twin', '2'],
      ]) {
        const lead = `${address}/sub/lead/${name}`;
        expect(read(await said(lead)), `${what}: ${name}`).toEqual(['w1', `w${second}`]);
        const below = MANY.map((one) => `${lead}/sub/scout/${one}`);
        expect((await children(lead)).toSorted(), `${what}: ${name}`).toEqual(below);
        for (const at of below) expect(read(await said(at)), `${what}: ${at}`).toEqual(['q1', `q${second}`]);
      }
    },
  );
});

/** Reads on for as long as it is not told otherwise: a stream also ends while its root waits. */
async function watched(base: string, address: string, seen: SequencedChunk[], signal: AbortSignal): Promise<void> {
  let status: string | undefined;
  do status = await readStream(base, address, seen, { signal }).catch(() => undefined);
  while (status !== undefined && status !== 'completed' && !signal.aborted);
}

/** What a companion was told, in order. */
function read(messages: readonly Message[]): string[] {
  return messages.flatMap((one) => {
    const text = one.role === 'user' && typeof one.content === 'string' ? one.content : '';
    return /^[a-z][0-9]$/.test(text) ? [text] : [];
  });
}

const ENDED = new Set<unknown>(['completed', 'failed', 'interrupted', 'terminated']);

/** The ends that the result of a call tells, as `name task`. */
function endsIn(value: Json): string[] {
  if (!isObject(value)) return [];
  const { children, name, task, status } = value;
  if (Array.isArray(children)) return children.flatMap(endsIn);
  return typeof task === 'number' && ENDED.has(status) ? [`${String(name)} ${task}`] : [];
}

/** Each task of the root's companions began and ended once; its end was told, and by one message at most, before anything else. */
function checkEnds(messages: readonly Message[], log: readonly SequencedChunk[], address: string, what: string): void {
  const tasks = (type: 'subagent_start' | 'subagent_end') =>
    log.flatMap(({ chunk }) =>
      chunk.type === type && chunk.address === address ? [`${chunk.childId} ${chunk.task}`] : [],
    );
  const ends = tasks('subagent_end');
  expect(ends.toSorted(), what).toEqual(tasks('subagent_start').toSorted());
  expect(new Set(ends).size, `${what}: a task with two ends`).toBe(ends.length);

  const heard = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool' && message.result.success) {
      // A wait for what was heard of already says it again, because it is asked.
      for (const end of endsIn(message.result.value)) {
        if (message.toolName !== 'companion__waitForResult') expect(heard, what).not.toContain(end);
        heard.add(end);
      }
    }
    const [, name, task] =
      (message.role === 'user' && /^The sub-agent (\S+) \(task (\d+)\) has/.exec(String(message.content))) || [];
    if (name === undefined) continue;
    expect(heard, `${what}: an end that is told again`).not.toContain(`${name} ${task}`);
    heard.add(`${name} ${task}`);
  }
  expect(heard.size, `${what}: ends that were heard`).toBe(ends.length);
}
