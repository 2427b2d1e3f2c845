import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serve } from '../../scripts/lib/serve.mjs';
import type { SequencedChunk } from '../../src/core/chunks';
import { reduceAll } from '../../src/core/reduce';
import { readStream } from '../support/reader';
import type { ModelServer } from '../support/wire/model-server';
import { startOfflineServer } from '../support/wire/offline-server';

const KILLS = process.env.OFFSHOOT_NIGHTLY === '1' ? 25 : 5;
const QUESTION = 'What happens to a tool that was running at a crash, and how does a stop reach a grandchild?';
/** After a restart the run must go on by itself within this time, in ms. */
const GOES_ON_WITHIN = 10_000;

describe('SIGKILL of workerd', () => {
  let model: ModelServer;
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;

  const start = async () => {
    server = await serve({
      persistTo: folder,
      vars: { OFFSHOOT_MODEL: 'openai-compatible/offline', OFFSHOOT_BASE_URL: model.url },
    });
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

  it.each(Array.from({ length: KILLS }, (_, kill) => kill + 1))(
    '[RC1, RC2, CL2, LG2] run %i goes on by itself, ends with one result for each call, and loses nothing of its stream',
    async (run) => {
      const address = `/agents/coordinator/kill-${run}`;
      const seen: SequencedChunk[] = [];
      const away = new AbortController();
      await post(`${server?.url}${address}/start`, { message: QUESTION });
      const reading = readStream(server?.url ?? '', address, seen, { signal: away.signal });

      // The moment is random, but said: somewhere between the first chunk and about the last.
      const moment = 1 + Math.floor(Math.random() * 350);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(moment), { timeout: 60_000, interval: 5 });
      await server?.killHard();
      const asked = model.requests.length;
      away.abort();
      await reading;
      await start();

      const ended = seen.some(({ chunk }) => chunk.address === address && chunk.type === 'run_completed');
      if (!ended) {
        const label = `killed at chunk ${moment}: a model call after the restart, with no client attached`;
        await vi.waitFor(() => expect(model.requests.length, label).toBeGreaterThan(asked), {
          timeout: GOES_ON_WITHIN,
          interval: 20,
        });
      }

      const base = server?.url ?? '';
      const status = await readStream(base, address, seen, { signal: AbortSignal.timeout(120_000) });
      expect(status, `killed at chunk ${moment}`).toBe('completed');
      const log: SequencedChunk[] = [];
      await readStream(base, address, log, { from: 1, signal: AbortSignal.timeout(60_000) });
      expect(reduceAll(seen), `killed at chunk ${moment}`).toEqual(reduceAll(log));
      checkCalls(log);
      checkModelCalls(log);
    },
  );

  const asks = new Map<string, number>();
  /** Model calls are counted by the server outside: as many as committed steps, and one more for each attempt that was dropped. */
  function checkModelCalls(log: readonly SequencedChunk[]): void {
    const committed = log.filter(({ chunk }) => chunk.type === 'step_committed').length;
    const dropped = log.filter(({ chunk }) => chunk.type === 'step_discarded').length;
    const before = asks.get('all') ?? 0;
    asks.set('all', model.requests.length);
    expect(model.requests.length - before).toBeGreaterThanOrEqual(committed);
    expect(model.requests.length - before).toBeLessThanOrEqual(committed + dropped);
  }
});

/** Each call has one start and one end, and each run one end. */
function checkCalls(log: readonly SequencedChunk[]): void {
  const ends = new Map<string, number>();
  const starts = new Set<string>();
  for (const { chunk } of log) {
    if (chunk.type === 'tool_start') starts.add(chunk.toolCallId);
    if (chunk.type === 'tool_end') ends.set(chunk.toolCallId, (ends.get(chunk.toolCallId) ?? 0) + 1);
  }
  expect([...ends.keys()].sort()).toEqual([...starts].sort());
  expect([...ends.values()].every((count) => count === 1)).toBe(true);
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(202);
}
