/** The raw log in pages, and the stream without the pieces of what is still being written. */
import { describe, expect, it } from 'vitest';
import { isDelta, type SequencedChunk } from '../../../src/protocol/chunks';
import { addUsage, NO_USAGE } from '../../../src/protocol/usage';
import { reduce } from '../../../src/protocol/view/reduce';
import { emptyView } from '../../../src/protocol/view/view';
import type { Document } from '../../../src/protocol/wire/wire-types';
import { address, get, post, readAll, send } from '../../support/api';
import { calls, told } from '../../support/puppet';

async function threeLevels(): Promise<string> {
  const at = address();
  const leaf = [{ text: 'A leaf says a few words.' }];
  await post(`${at}/start`, {
    message: told(
      { text: 'Let us see.', ...calls('middle', [calls('leaf', leaf, leaf), { text: 'middle' }]) },
      { text: 'top' },
    ),
    wait: true,
  });
  return at;
}

async function chunksOf(at: string, query: string): Promise<Document<'chunks'>> {
  const found: Document<'chunks'> = await (await send(`${at}/chunks${query}`)).json();
  return found;
}

describe('the log in pages', () => {
  it.each(['', '/sub/middle/1~1'])('[W30] is the same as the stream, forward and back, at "%s"', async (below) => {
    const at = await threeLevels();
    const { chunks } = await readAll(`${at}${below}/stream`);
    const forward: unknown[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const page = await chunksOf(`${at}${below}`, `?limit=7&from=${from}`);
      expect(page.items.length).toBeLessThanOrEqual(7);
      forward.push(...page.items);
      from = page.next;
    }
    expect(forward).toEqual(chunks);
    const { last } = await chunksOf(at, '?limit=1');
    const back: unknown[] = [];
    for (let before: number | undefined = last + 1; before !== undefined; ) {
      const page: Document<'chunks'> = await chunksOf(`${at}${below}`, `?limit=7&before=${before}`);
      back.unshift(...page.items);
      before = page.previous;
    }
    expect(back).toEqual(chunks);
  });

  it('[W30] goes on both ways from any page, and holds types and a range alone', async () => {
    const at = await threeLevels();
    const { chunks } = await readAll(`${at}/stream`);
    const middle = await chunksOf(at, '?from=5&before=9');
    expect(middle.items).toEqual(chunks.slice(4, 8));
    expect(middle).toMatchObject({ previous: 5, next: 9, first: 1, last: chunks.length });
    const ends = await chunksOf(at, '?types=run_started,run_completed');
    expect(ends.items).toEqual(chunks.filter(({ chunk }) => ['run_started', 'run_completed'].includes(chunk.type)));
    const back = await chunksOf(at, `?types=run_started&before=${chunks.length + 1}&limit=1`);
    expect(back.items).toEqual(chunks.filter(({ chunk }) => chunk.type === 'run_started').slice(-1));
    expect((await chunksOf(at, `?from=${chunks.length + 50}`)).items).toEqual([]);
  });

  it.each(['from=0', 'before=0', 'limit=501', 'from=5&before=4', 'x=1'])('[W30] refuses %s', async (query) => {
    const at = await threeLevels();
    expect((await get(`${at}/chunks?${query}`)).status).toBe(400);
  });
});

describe('a stream without deltas', () => {
  it('[W31] has every other chunk, with the sequences of the log', async () => {
    const at = await threeLevels();
    const { chunks } = await readAll(`${at}/stream`);
    const without = (await readAll(`${at}/stream?deltas=0`)).chunks;
    expect(without).toEqual(chunks.filter(({ chunk }) => !isDelta(chunk.type)));
    expect(without.length).toBeLessThan(chunks.length);
  });
});

/** The agents of a log, without the pieces of their texts. */
function committed(log: readonly SequencedChunk[]) {
  const view = log.reduce((seen, entry) => reduce(seen, entry, 'filtered').view, emptyView);
  return view.agents.map(({ runs, ...agent }) => ({
    ...agent,
    runs: runs.map((run) => ({ ...run, steps: run.steps.map(({ parts: _pieces, ...step }) => step) })),
  }));
}

describe('a tree at two levels of detail', () => {
  it('[W31] F90: is the same, with its usage, to a reader without deltas that came back in the middle', async () => {
    const at = await threeLevels();
    const whole = (await readAll(`${at}/stream`)).chunks;
    const { chunks: begun } = await readAll(`${at}/stream?deltas=0`);
    const kept = begun.slice(0, Math.floor(begun.length / 2));
    const { chunks: rest } = await readAll(`${at}/stream?deltas=0&from=${(kept.at(-1)?.sequence ?? 0) + 1}`);
    const seen = committed([...kept, ...rest]);
    expect(seen).toEqual(committed(whole));
    expect(seen.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    const { total } = (await get(`${at}/usage?includeSubAgents=1`)).body as unknown as Document<'usage'>;
    expect(seen.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)).toMatchObject({
      ...{ modelCalls: total.modelCalls, outputTokens: total.outputTokens, inputTokens: total.inputTokens },
    });
  });
});
