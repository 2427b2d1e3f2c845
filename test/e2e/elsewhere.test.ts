/** SIGKILL of either of two real Workers, at random moments: a parent in one, its sub-agents in the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { reduceAll } from '../../src/protocol/view/reduce';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import { figures, sized } from '../support/sizes';
import { asks, calls, type PuppetStep, told } from '../support/told';
import { get, post } from './desk';
import { endedUnbegun, goneOn, stoppedUnbegun } from './elsewhere/unbegun';

const KILLS = sized(5, 25);
/** What one sub-agent does: so many steps, each with two calls. */
const STEPS = 12;
/** A tree that nobody kills has at least so many chunks. */
const CHUNKS = 250;

const moments: string[] = [];
figures('SIGKILL of two Workers', () => `${moments.length} kills: ${moments.join(', ')}`);

type Server = Awaited<ReturnType<typeof serve>>;
type Side = 'parent' | 'child';

const LOOK = { interval: 20 };

describe('a parent and its sub-agents in two Workers', () => {
  const ports: Record<Side, number> = { parent: 0, child: 0 };
  const servers: Partial<Record<Side, Server>> = {};
  let folder: string;

  const start = async (side: Side): Promise<void> => {
    servers[side] = await serve({
      port: ports[side],
      persistTo: join(folder, side),
      config: join(root, 'test', 'e2e', 'elsewhere', `${side}.jsonc`),
      vars: { ELSEWHERE_URL: `http://127.0.0.1:${ports.child}` },
    });
  };
  const base = (side: Side): string => `http://localhost:${ports[side]}`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-elsewhere-'));
    ports.parent = await freePort();
    ports.child = await freePort();
    await start('child');
    await start('parent');
  });
  afterAll(async () => {
    await Promise.all([servers.parent?.stop(), servers.child?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Reads on from where it was cut, for as long as it takes. */
  const read = async (side: Side, address: string, seen: SequencedChunk[], signal?: AbortSignal): Promise<string> => {
    let end: string | undefined;
    await vi.waitFor(async () => {
      end = await readStream(base(side), address, seen, signal === undefined ? {} : { signal });
      expect(end).toBeDefined();
    }, LOOK);
    return String(end);
  };

  const roots = async (): Promise<string[]> => {
    const { items } = await get<{ items: { address: string }[] }>(`${base('child')}/directory/roots?limit=500`);
    return items.map(({ address }) => address);
  };

  /** What a chunk is, wherever its agent is. */
  const facts = ({ chunk: { type, step, attempt, timestamp } }: SequencedChunk) => [type, step, attempt, timestamp];

  const steps = (name: string): PuppetStep[] =>
    Array.from({ length: STEPS }, (_, step) =>
      asks(['look', { text: `${name} ${step}` }], ['look', { text: `${name} again ${step}` }]),
    );

  /** Each sub-agent's log there is here, once and in its order. */
  const checkLogs = async (log: readonly SequencedChunk[], begun: readonly string[], what: string) => {
    const here = log.flatMap(({ chunk }) => (chunk.type === 'subagent_start' ? [chunk.subAddress] : []));
    expect(here, what).toHaveLength(2);
    expect(begun, `${what}: roots begun there`).toHaveLength(2);
    const relayed = here.map((address) => log.filter(({ chunk }) => chunk.address === address).map(facts));
    const there: unknown[] = [];
    for (const address of begun) {
      const own: SequencedChunk[] = [];
      await read('child', address, own);
      there.push(own.map(facts));
    }
    const sorted = (logs: readonly unknown[]) => logs.map((each) => JSON.stringify(each)).sort();
    expect(sorted(relayed), what).toEqual(sorted(there));
    for (const address of here) {
      const own = log.filter(({ chunk }) => chunk.address === address);
      const results = own.flatMap(({ chunk }) => (chunk.type === 'tool_end' ? [chunk.toolCallId] : []));
      expect([new Set(results).size, results.length], what).toEqual([2 * STEPS, 2 * STEPS]);
    }
  };

  it('[RM19] one that is stopped while nobody is there never began there, and begins when its parent goes on', async () => {
    const before = await roots();
    const begun = async () => (await roots()).filter((each) => !before.includes(each));
    const [paused, ended] = ['/agents/boss/paused', '/agents/boss/ended'];
    await servers.child?.killHard();
    await stoppedUnbegun(base('parent'), paused, 'interrupt');
    await stoppedUnbegun(base('parent'), ended, 'abort');
    await start('child');
    await endedUnbegun(base('parent'), paused, 'interrupted', 'queued');
    await endedUnbegun(base('parent'), ended, 'failed', 'failed');
    expect(await begun()).toEqual([]);
    await goneOn(base('parent'), paused);
    // A root tells its directory beside its work.
    await vi.waitFor(async () => expect(await begun()).toHaveLength(1), LOOK);
  });

  it.each(Array.from({ length: KILLS }, (_, kill) => kill + 1))(
    '[AE11, RM2, RM3, RM5, RM6, AE27] F90: run %i ends right, and no chunk is lost or doubled',
    async (run) => {
      const before = await roots();
      const side: Side = run % 2 === 0 ? 'parent' : 'child';
      const moment = 1 + Math.floor(Math.random() * CHUNKS);
      const address = `/agents/boss/kill-${run}`;
      const seen: SequencedChunk[] = [];
      await post(`${base('parent')}${address}/start`, { message: told(calls('helper', steps('a'), steps('b'))) });

      const away = new AbortController();
      const reading = readStream(base('parent'), address, seen, { signal: away.signal });
      await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(moment), { interval: 2 });
      await servers[side]?.killHard();
      const what = `${side} at chunk ${seen.length}`;
      moments.push(what);
      away.abort();
      await reading.catch(() => undefined);
      await start(side);

      expect(await read('parent', address, seen), what).toBe('completed');
      const log: SequencedChunk[] = [];
      await read('parent', address, log);
      expect(reduceAll(seen), what).toEqual(reduceAll(log));
      let begun: string[] = [];
      await vi.waitFor(async () => {
        begun = (await roots()).filter((each) => !before.includes(each));
        expect(begun.length, what).toBeGreaterThanOrEqual(2);
      }, LOOK);
      await checkLogs(log, begun, what);
    },
  );
});
