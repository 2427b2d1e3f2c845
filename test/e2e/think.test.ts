/** Agents of the SDK (`Think`) and of this library as sub-agents of each other, in a real Worker that is killed meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { readStream } from '../support/reader';
import { serve } from '../support/served';
import { asks, calls, told } from '../support/told';
import { checkCalls, get, post } from './desk';

const LOOK = { interval: 50 };
const CALL = 'research';

interface Looked {
  readonly run: { readonly status: string; readonly output?: unknown; readonly error?: string } | null;
  readonly chunks: readonly { readonly sequence: number; readonly body: string }[];
}

describe('agents of the SDK and of this library', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let folder: string;
  let port: number;
  let names = 0;

  const start = async () => {
    server = await serve({ port, persistTo: folder, config: join(root, 'test', 'e2e', 'think', 'worker.jsonc') });
  };
  const at = (path: string): string => `http://localhost:${port}${path}`;
  const assist = <Answer>(name: string, method: string, ...given: unknown[]): Promise<Answer> =>
    post<Answer>(at(`/assistant/${name}/${method}`), given);
  const named = (): string => `n${++names}`;
  const finders = async () => {
    const { items } = await get<{ items: { address: string; status: string }[] }>(at('/directory/roots?limit=500'));
    return items.filter(({ address }) => address.startsWith('/agents/finder/'));
  };

  /** A root tells its directory beside its work. */
  const oneMore = (before: number) => vi.waitFor(async () => expect(await finders()).toHaveLength(before + 1), LOOK);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-think-'));
    port = await freePort();
    await start();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('[AT1, AT2] C24: a stock agent has one of this library as its tool, and its model reads the result', async () => {
    const before = await finders();
    const parts = await assist<{ type: string; text?: string; output?: unknown; input?: unknown }[]>(
      named(),
      'say',
      told({ calls: [{ name: CALL, input: JSON.parse(told(asks(['nap', { ms: 1 }]), { text: 'I found it.' })) }] }),
    );
    expect(parts).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: `tool-${CALL}`, output: 'I found it.' }),
        expect.objectContaining({ type: 'text', text: 'done' }),
      ]),
    );
    await oneMore(before.length);
  });

  it('[AT1, AT4] C24: a run is one for its id, can be inspected, and tells its steps', async () => {
    const name = named();
    const before = (await finders()).length;
    const steps = [asks(['nap', { ms: 1 }]), { text: 'Once.' }];
    const first = await assist(name, 'research', 'r1', steps);
    expect(first).toMatchObject({ runId: 'r1', status: 'completed', output: 'Once.', summary: 'Once.' });
    expect(await assist(name, 'research', 'r1', steps)).toEqual(first);
    await oneMore(before);
    const { run, chunks } = await assist<Looked>(name, 'look', 'r1');
    expect(run).toMatchObject({ status: 'completed', output: 'Once.' });
    expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index));
    const types = chunks.map(({ body }) => JSON.parse(body).type);
    expect([types[0], types.at(-1)]).toEqual(['start', 'finish']);
    for (const type of ['start-step', 'tool-input-available', 'tool-output-available', 'text-delta', 'finish-step'])
      expect(types, type).toContain(type);
    expect(types.filter((type) => type === 'text-start')).toHaveLength(
      types.filter((type) => type === 'text-end').length,
    );
  });

  it('[AT2, AT9] C24: one that fails, and one that is refused, are errors with words', async () => {
    const name = named();
    const wrong = [{ calls: [{ name: 'nobody', input: {} }] }, { text: 'On.' }];
    expect(await assist(name, 'research', 'goes-on', wrong)).toMatchObject({ status: 'completed', output: 'On.' });
    expect(await assist(name, 'research', 'refused', 7)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('refused'),
    });
  });

  it('[AT1, AT8] C24: a start whose answer was lost is the same run', async () => {
    const before = (await finders()).length;
    const steps = [{ text: 'Once more.' }];
    expect(await assist(named(), 'research', 'r4', steps, 'Unsteady')).toMatchObject({ output: 'Once more.' });
    await oneMore(before);
  });

  it.each(['Research', 'Unsteady'])(
    '[AT3] C24: a run that is cancelled is stopped there, by way of %s',
    async (way) => {
      const name = named();
      const known = new Set((await finders()).map(({ address }) => address));
      const running = assist<object>(name, 'research', 'r2', [asks(['nap', { ms: 600_000 }])], way);
      let address = '';
      await vi.waitFor(async () => {
        address = (await finders()).find((each) => !known.has(each.address))?.address ?? '';
        expect(await get(at(`${address}/status`))).toMatchObject({ status: 'running' });
      }, LOOK);
      await assist(name, 'cancel', 'r2');
      expect(await running).toMatchObject({ status: 'aborted' });
      await vi.waitFor(
        async () =>
          expect(await get(at(`${address}/status`))).toMatchObject({
            run: { status: 'failed', error: { code: 'aborted' } },
          }),
        LOOK,
      );
    },
  );

  it('[AT3] C24: a stop that is there before its start stops what begins after it', async () => {
    const name = named();
    const known = new Set((await finders()).map(({ address }) => address));
    const running = assist<object>(name, 'research', 'r6', [asks(['nap', { ms: 600_000 }])], 'Late');
    await vi.waitFor(async () => expect(await get(at('/late'))).toHaveLength(1), LOOK);
    await assist(name, 'cancel', 'r6');
    expect(await running).toMatchObject({ status: 'aborted' });
    await vi.waitFor(async () => {
      const begun = (await finders()).filter(({ address }) => !known.has(address));
      expect(begun).toHaveLength(1);
      expect(await get(at(`${begun[0]?.address}/status`))).toMatchObject({
        run: { status: 'failed', error: { code: 'aborted' } },
      });
    }, LOOK);
  });

  it('[AT1, AT2, AT9, AT10] C24: an input and an output have a size that can be kept', async () => {
    const name = named();
    const text = (length: number) => [{ text: '\u00e9'.repeat(length) }];
    // As JSON: two bytes for each letter, and two quotes.
    expect(await assist(name, 'research', 'r7', text(449_999))).toMatchObject({ status: 'completed' });
    expect(await assist(name, 'research', 'r8', text(450_000))).toMatchObject({
      status: 'error',
      error: expect.stringContaining('900000'),
    });
    await expect(assist(name, 'research', 'r9', text(530_000))).rejects.toThrow('more than 1048576 bytes');
  });

  it('[AT4, AT11] C24: a parent is told that a person is asked, and where', async () => {
    const name = named();
    const known = new Set((await finders()).map(({ address }) => address));
    const running = assist<object>(name, 'research', 'r5', [asks(['pick', { of: ['x', 'y'] }]), { text: 'Picked.' }]);
    let address = '';
    await vi.waitFor(async () => {
      address = (await finders()).find((each) => !known.has(each.address))?.address ?? '';
      expect(await assist<string[]>(name, 'heard')).toContain(`pick waits for a person at ${address}.`);
    }, LOOK);
    const { items } = await get<{ items: { toolCallId: string }[] }>(at(`${address}/pending`));
    const answer = { kind: 'client-tool-result', toolCallId: items[0]?.toolCallId, result: { picked: 'x' } };
    await post(at(`${address}/tool-results`), answer);
    expect(await running).toMatchObject({ status: 'completed', output: 'Picked.' });
  });

  it('[AT1, AT2, AT8] C24: a run that both were killed in goes on by itself, and its parent collects it once', async () => {
    const name = named();
    const known = new Set((await finders()).map(({ address }) => address));
    const running = assist(name, 'research', 'r3', [asks(['nap', { ms: 1_500 }]), { text: 'After all.' }]).catch(
      () => undefined,
    );
    const fresh = async () => (await finders()).filter(({ address }) => !known.has(address));
    await vi.waitFor(async () => {
      const [begun] = await fresh();
      expect(await get(at(`${begun?.address}/status`))).toMatchObject({ status: 'running' });
    }, LOOK);
    await server.killHard();
    await running;
    await start();
    await vi.waitFor(
      async () =>
        expect(await assist(name, 'kept')).toEqual([{ run_id: 'r3', status: 'completed', summary: 'After all.' }]),
      LOOK,
    );
    expect(await fresh()).toHaveLength(1);
  });

  const logOf = async (address: string, seen: SequencedChunk[] = []): Promise<SequencedChunk[]> => {
    await vi.waitFor(async () => expect(await readStream(at(''), address, seen)).toBeDefined(), LOOK);
    return seen;
  };
  const looking = (ms: number) => [{ calls: [{ name: 'look', input: { ms } }] }, { text: 'I saw it.' }];

  it('[AT5, AT6] C24: an agent of this library has a stock one as its sub-agent, with its calls in the log', async () => {
    const address = `/agents/boss/${named()}`;
    await post(at(`${address}/start`), { message: told(calls('scout', looking(1))) });
    const log = await logOf(address);
    const child = `${address}/sub/scout/1~1`;
    const own = log.filter(({ chunk }) => chunk.address === child).map(({ chunk }) => chunk);
    expect([own[0]?.type, own.at(-1)?.type]).toEqual(['run_started', 'run_completed']);
    expect(own, JSON.stringify(own)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'tool_start', toolName: 'look', arguments: { ms: 1 } }),
        expect.objectContaining({ type: 'tool_end', success: true, result: 'seen' }),
      ]),
    );
    checkCalls(log);
    expect(log.map(({ chunk }) => chunk)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'subagent_end', success: true, result: 'I saw it.' }),
        expect.objectContaining({ type: 'run_completed', address, output: 'done' }),
      ]),
    );
  });

  it.each([
    ['interrupt', 'interrupted'],
    ['abort', 'failed'],
  ])('[AT7] C24: %s of the parent reaches the stock one, once', async (verb, status) => {
    const address = `/agents/boss/${named()}`;
    await post(at(`${address}/start`), { message: told(calls('scout', looking(600_000))) });
    await vi.waitFor(async () => {
      const { items } = await get<{ items: { status: string }[] }>(at(`${address}/children`));
      expect(items).toMatchObject([{ status: 'running', placement: 'remote' }]);
    }, LOOK);
    await post(at(`${address}/${verb}`), {});
    await logOf(address);
    expect(await get(at(`${address}/status`))).toMatchObject({ status });
    await vi.waitFor(async () => {
      const { items } = await get<{ items: { stopOwed?: object }[] }>(at(`${address}/children`));
      expect(items).toMatchObject([{ status }]);
      expect(items[0]?.stopOwed).toBeUndefined();
    }, LOOK);
  });

  it('[AT5, AT12] C24: a kill while the stock one works ends in one result', async () => {
    const address = `/agents/boss/${named()}`;
    await post(at(`${address}/start`), { message: told(calls('scout', looking(1_500))) });
    await vi.waitFor(async () => {
      const { items } = await get<{ items: { status: string }[] }>(at(`${address}/children`));
      expect(items).toMatchObject([{ status: 'running' }]);
    }, LOOK);
    await server.killHard();
    await start();
    const log = await logOf(address);
    const ends = log.filter(({ chunk }) => chunk.type === 'subagent_end' || chunk.type === 'run_completed');
    expect(ends.filter(({ chunk }) => chunk.address === address).map(({ chunk }) => chunk.type)).toEqual([
      'subagent_end',
      'run_completed',
    ]);
    checkCalls(log);
  });
});
