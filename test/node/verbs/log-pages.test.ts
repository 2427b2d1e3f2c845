/** Pages of the log, both ways, against the log as it is: nothing twice, nothing left out, and no page too large. */
import { describe, expect, it } from 'vitest';
import type { Chunk, SequencedChunk } from '../../../src/protocol/chunks';
import { chunks } from '../../../src/verbs/reads/chunks';

const ADDRESS = '/agents/top/one';

/** A log that begins at a sequence, read a few at a time, as rows are. `isOurs`: which chunks the agent has. */
function logOf(first: number, all: readonly Chunk[], rows: number, isOurs: (at: number) => boolean = () => true) {
  const entries = all.map((chunk, at): SequencedChunk => ({ sequence: first + at, chunk }));
  const ours = entries.filter((_one, at) => isOurs(at));
  const last = first + all.length - 1;
  let reads = 0;
  const log = {
    first,
    last,
    page(from: number, address: string) {
      if (address !== ADDRESS) throw new Error(`It reads ${address}.`);
      reads++;
      const to = Math.min(from + rows, last + 1);
      return { chunks: ours.filter(({ sequence }) => sequence >= from && sequence < to), next: Math.max(to, from) };
    },
  };
  const page = (input: { from?: number; before?: number; limit?: number; types?: string[] }) => {
    const context = { tree: { log }, node: { address: ADDRESS }, input };
    return (chunks as unknown as { handle(context: never): { body: Page } }).handle(context as never).body;
  };
  return { ours, first, last, page, readsSoFar: () => reads };
}

interface Page {
  readonly items: readonly SequencedChunk[];
  readonly next?: number;
  readonly previous?: number;
  readonly first: number;
  readonly last: number;
}
type Log = ReturnType<typeof logOf>;

const chunkOf = (at: number, text = ''): Chunk =>
  ({ type: at % 3 === 0 ? 'text_delta' : 'custom', delta: text, timestamp: at }) as unknown as Chunk;
const sequences = (items: readonly SequencedChunk[]) => items.map(({ sequence }) => sequence);

/** All pages from one on, and all before one, put together. */
function forward(log: Log, input: Parameters<Log['page']>[0]): Page[] {
  const pages = [log.page(input)];
  for (let last = pages[0]; last?.next !== undefined && (input.before ?? Number.POSITIVE_INFINITY) > last.next; ) {
    last = log.page({ ...input, from: last.next });
    pages.push(last);
    if (pages.length > 1_000) throw new Error('It does not end.');
  }
  return pages;
}
function backward(log: Log, input: Parameters<Log['page']>[0]): Page[] {
  const pages = [log.page(input)];
  for (let last = pages[0]; last?.previous !== undefined; ) {
    last = log.page({ ...input, before: last.previous });
    pages.unshift(last);
    if (pages.length > 1_000) throw new Error('It does not end.');
  }
  return pages;
}

describe('a page of the log', () => {
  it('[W30] has what its range holds, whatever its limit, and the next one both ways goes on where it ended', () => {
    for (const first of [1, 5])
      for (const count of [0, 1, 6])
        for (const isOurs of [() => true, (at: number) => at % 2 === 0]) {
          const log = logOf(
            first,
            Array.from({ length: count }, (_one, at) => chunkOf(at)),
            2,
            isOurs,
          );
          const { ours, last } = log;
          for (const limit of [1, 3, undefined])
            for (const types of [undefined, ['text_delta', 'none']]) {
              const how = { ...(limit === undefined ? {} : { limit }), ...(types ? { types } : {}) };
              const kinds = new Set(types ?? ['custom', 'text_delta']);
              const between = (from: number, before: number) =>
                sequences(
                  ours.filter((one) => one.sequence >= from && one.sequence < before && kinds.has(one.chunk.type)),
                );
              const shown = (pages: readonly Page[]) => pages.flatMap(({ items }) => sequences(items));
              const isSmall = ({ items }: Page) => items.length <= (limit ?? 100);
              const found: unknown[] = [shown(forward(log, how))];
              const wanted: unknown[] = [between(first, last + 1)];
              for (let from = 1; from <= last + 2; from++) {
                const ahead = forward(log, { ...how, from });
                const back = backward(log, { ...how, before: from });
                const [start, end] = [Math.max(from, first), back.at(-1)];
                found.push([from, shown(ahead), shown(back), [...ahead, ...back].every(isSmall)]);
                wanted.push([from, between(from, last + 1), between(first, from), true]);
                // What is beyond the page is told, and only where the log has something there.
                found.push([ahead[0]?.previous, end?.next, end?.first, end?.last]);
                const previous = start > first ? Math.min(start, last + 1) : undefined;
                wanted.push([previous, from <= last ? start : undefined, first, last]);
                for (let to = from; to <= last + 2; to++) {
                  const part = forward(log, { ...how, from, before: to });
                  found.push([from, to, shown(part), part.at(-1)?.next]);
                  wanted.push([from, to, between(from, to), to <= last ? to : undefined]);
                }
              }
              expect(found).toEqual(wanted);
            }
        }
  });

  it('[W30] is refused where it would end before it begins', () => {
    const log = logOf(1, [chunkOf(1), chunkOf(2)], 2);
    expect(log.page({ from: 2, before: 2 }).items).toEqual([]);
    expect(() => log.page({ from: 2, before: 1 })).toThrow(/`before` is smaller than `from`/);
  });

  it('[W30] holds no more than 4,000,000 characters, but for one chunk that is larger', () => {
    const [half, large] = ['x'.repeat(2_000_000 - 200), 'x'.repeat(4_100_000)];
    const log = logOf(
      1,
      [half, half, half, large, half].map((text, at) => chunkOf(at + 1, text)),
      1,
    );
    const of = (pages: readonly Page[]) => pages.map(({ items }) => sequences(items));
    expect(of(forward(log, {}))).toEqual([[1, 2], [3], [4], [5]]);
    expect(of(backward(log, { before: 6 }))).toEqual([[1], [2, 3], [4], [5]]);
  });

  it('[W30] looks through 5,000 chunks of others at most, and says where it was', () => {
    const all = Array.from({ length: 12_000 }, (_one, at) => chunkOf(at));
    const log = logOf(1, all, 500, (at) => at === 0 || at === 11_999);
    const ahead = forward(log, { from: 2 });
    expect(ahead.map(({ items, next }) => [sequences(items), next])).toEqual([
      [[], 5_002],
      [[], 10_002],
      [[12_000], undefined],
    ]);
    const back = backward(log, { before: 12_000 });
    expect(back.map(({ items, previous }) => [sequences(items), previous])).toEqual([
      [[1], undefined],
      [[], 2_000],
      [[], 7_000],
    ]);
    expect(log.readsSoFar()).toBeLessThanOrEqual(60);
  });
});
