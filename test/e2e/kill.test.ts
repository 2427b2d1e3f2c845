import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { reduceAll } from '../../src/protocol/view/reduce';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import { figures, sized } from '../support/sizes';
import type { ModelServer } from '../support/wire/model-server';
import { startOfflineServer } from '../support/wire/offline-server';
import { approve, checkCalls, get, post, QUESTION, waitingReport } from './desk';

const KILLS = sized(2, 25);
const ANSWER_KILLS = sized(1, 20);
/** A run of the desk waits for its approval after about so many chunks. */
const CHUNKS = 350;

const totals = { kills: 0, runs: 0 };
figures('SIGKILL of workerd', () => `${totals.kills} kills, ${totals.runs} runs that ended as they should`);

describe('SIGKILL of workerd', () => {
  let model: ModelServer;
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  let asked = 0;

  const base = () => server?.url ?? '';
  const kill = async () => {
    totals.kills++;
    await server?.killHard();
  };
  const start = async () => {
    server = await serve({
      persistTo: folder,
      vars: { OFFSHOOT_MODEL: 'openai-compatible/offline', OFFSHOOT_BASE_URL: model.url },
    });
  };
  const restart = async () => {
    await kill();
    await start();
  };

  beforeAll(async () => {
    model = await startOfflineServer({ delayMs: 60, chunkDelayMs: 5 });
    folder = await mkdtemp(join(tmpdir(), 'offshoot-kill-'));
    await start();
  });

  afterAll(async () => {
    await server?.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a run of the desk; `seen` is what a client reads of it. */
  const ask = async (name: string) => {
    asked = model.requests.length;
    const address = `/agents/coordinator/${name}`;
    const seen: SequencedChunk[] = [];
    await post(`${base()}${address}/start`, { message: QUESTION });
    return { address, seen };
  };
  const read = (address: string, into: SequencedChunk[], from?: number) =>
    readStream(base(), address, into, {
      signal: AbortSignal.timeout(600_000),
      ...(from === undefined ? {} : { from }),
    });

  /** What holds of every run that has ended, whatever was killed on the way. */
  const checkRun = async (address: string, seen: readonly SequencedChunk[], what: string) => {
    const log: SequencedChunk[] = [];
    await read(address, log, 1);
    expect(reduceAll(seen), what).toEqual(reduceAll(log));
    checkCalls(log);
    // Model calls are counted by the server outside: as many as committed steps, and one more for each attempt that was
    // dropped.
    const committed = log.filter(({ chunk }) => chunk.type === 'step_committed').length;
    const dropped = log.filter(({ chunk }) => chunk.type === 'step_discarded').length;
    expect(model.requests.length - asked, what).toBeGreaterThanOrEqual(committed);
    expect(model.requests.length - asked, what).toBeLessThanOrEqual(committed + dropped);
    totals.runs++;
  };

  it.each(Array.from({ length: KILLS }, (_, kill) => kill + 1))(
    '[RC6, RC2, CL2, LG2] run %i goes on by itself, ends with one result for each call, and loses nothing of its stream',
    async (run) => {
      const { address, seen } = await ask(`kill-${run}`);
      const away = new AbortController();
      const reading = readStream(base(), address, seen, { signal: away.signal });

      // The moment is random, but said: somewhere between the first chunk and about the last before the approval.
      const moment = 1 + Math.floor(Math.random() * CHUNKS);
      const reached = () => seen.length >= moment || waits(seen, address);
      await vi.waitFor(() => expect(reached()).toBe(true), { interval: 5 });
      await kill();
      const before = model.requests.length;
      away.abort();
      await reading;
      await start();

      // With no client attached: a model call after the restart, or word that it waits, where it was about to.
      const what = `killed at chunk ${moment}`;
      await vi.waitFor(
        async () => {
          const goesOn = model.requests.length > before || (await roots('suspended_client_tool')).includes(address);
          expect(goesOn, what).toBe(true);
        },
        { interval: 20 },
      );

      if (!waits(seen, address)) expect(await read(address, seen), what).toBe('suspended_client_tool');
      await approve(`${base()}${address}`, await waitingReport(`${base()}${address}`));
      expect(await read(address, seen), what).toBe('completed');
      await checkRun(address, seen, what);
    },
  );

  it.each(Array.from({ length: ANSWER_KILLS }, (_, kill) => kill + 1))(
    '[WT16, WT17, RC6, RC2] run %i is left alone by a kill while it waits, and goes on by itself after one right after the answer',
    async (run) => {
      const { address, seen } = await ask(`waits-${run}`);
      expect(await read(address, seen)).toBe('suspended_client_tool');
      const shown = await waitingReport(`${base()}${address}`);
      const before = model.requests.length;
      await restart();
      expect(await waitingReport(`${base()}${address}`)).toEqual(shown);
      const again: SequencedChunk[] = [];
      expect(await read(address, again)).toBe('suspended_client_tool');
      expect(again).toEqual(seen);

      await approve(`${base()}${address}`, shown);
      await restart();
      await vi.waitFor(async () => expect(await roots('completed')).toContain(address), {
        interval: 50,
      });
      expect(await read(address, seen)).toBe('completed');
      expect(model.requests.length, 'model calls since it waits').toBe(before);
      await checkRun(address, seen, 'killed while it waits, and after the answer');
      expect(seen.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
    },
  );

  /** What the directory knows, which is another object: the roots themselves are asked for nothing. */
  async function roots(status: string): Promise<string[]> {
    const query = `agent=coordinator&status=${status}&limit=500`;
    const { items } = await get<{ items: { address: string }[] }>(`${base()}/directory/roots?${query}`);
    return items.map((root) => root.address);
  }
});

/** Whether what a client has read ends with the wait of the root. */
function waits(seen: readonly SequencedChunk[], address: string): boolean {
  return seen.some(({ chunk }) => chunk.address === address && chunk.type === 'suspended');
}
