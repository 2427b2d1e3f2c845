/** What the console loads again and again: of two loads the newer one counts, and counts are read now and then. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useDestination } from '../../../src/console/data/shown/destination';
import { Latest } from '../../../src/console/data/shown/latest';
import { useListCounts } from '../../../src/console/data/shown/list-counts';
import { useRecount } from '../../../src/console/data/shown/recount';
import { mounted } from '../../support/react-hooks';

describe('of two loads', () => {
  it.each(['first', 'last'])('[CN123] the newer one counts, where the older one comes %s', async (when) => {
    const latest = new Latest();
    const shown: string[] = [];
    const signals: AbortSignal[] = [];
    const ends: (() => void)[] = [];
    const press = (name: string) =>
      latest.load(
        (signal) => {
          signals.push(signal);
          return new Promise<string>((resolve) => ends.push(() => resolve(name)));
        },
        (found) => void shown.push(found),
      );
    const pressed = [press('old'), press('new')];
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    for (const end of when === 'first' ? ends : ends.toReversed()) end();
    await Promise.all(pressed);
    expect(shown).toEqual(['new']);
  });

  it('[CN123] none counts that was stopped', async () => {
    const latest = new Latest();
    const shown: string[] = [];
    const pressed = latest.load(
      async () => 'old',
      (found) => void shown.push(found),
    );
    latest.stop();
    await pressed;
    expect(shown).toEqual([]);
  });
});

describe('the event that an address names', () => {
  /** A page at a place; its loads end when they are called. */
  async function pageAt(first: { seq: number | undefined; address: string }) {
    let place = first;
    const ends: (() => void)[] = [];
    const arrived: string[] = [];
    const load = (seq: number) => new Promise<string>((resolve) => ends.push(() => resolve(`at ${seq}`)));
    const arrive = (found: string) => void arrived.push(found);
    const page = await mounted(() => useDestination({ wanted: place.seq, place: place.address, load, arrive }));
    const end = () =>
      page.settle(() => {
        for (const each of ends.splice(0)) each();
      });
    const move = (next: typeof place) => {
      place = next;
      return page.render();
    };
    return { page, arrived, end, move };
  }

  it('[CN123] is gone to once', async () => {
    const { page, arrived, end, move } = await pageAt({ seq: 5, address: '/agents/top/x' });
    await end();
    await move({ seq: 5, address: '/agents/top/x/sub/leaf/1~1' });
    await end();
    expect(arrived).toEqual(['at 5']);
    await page.settle(() => page.result(7));
    await end();
    expect(arrived).toEqual(['at 5', 'at 7']);
    await page.unmount();
  });

  it.each([
    ['another agent', { seq: undefined, address: '/agents/top/x/sub/leaf/1~1' }],
    ['the same agent without it', { seq: undefined, address: '/agents/top/x' }],
    ['another root', { seq: undefined, address: '/agents/top/y' }],
  ])('[CN123] takes nobody away from %s, opened while it loaded', async (_, next) => {
    const { page, arrived, end, move } = await pageAt({ seq: 5, address: '/agents/top/x' });
    await move(next);
    await end();
    expect(arrived).toEqual([]);
    await page.settle(() => page.result(7));
    await end();
    expect(arrived).toEqual(['at 7']);
    await page.unmount();
  });

  it('[CN123] that a bar names takes nobody away either', async () => {
    const { page, arrived, end, move } = await pageAt({ seq: undefined, address: '/agents/top/x' });
    await page.settle(() => page.result(7));
    await move({ seq: undefined, address: '/agents/top/y' });
    await end();
    expect(arrived).toEqual([]);
    await page.unmount();
  });
});

describe('counts of an agent that works', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('[CN124] are read every 15 s at most, and once more after the last event', async () => {
    let version = 1;
    const times: number[] = [];
    const from = Date.now();
    const page = await mounted(() => useRecount(version, () => void times.push(Date.now() - from), 15_000) ?? true);
    for (let second = 1; second <= 40; second += 1) {
      if (second < 32) version += 1;
      await page.render();
      await page.settle(() => vi.advanceTimersByTimeAsync(1_000));
    }
    expect(times).toEqual([15_000, 30_000]);
    await page.settle(() => vi.advanceTimersByTimeAsync(60_000));
    expect(times).toEqual([15_000, 30_000, 45_000]);
    await page.unmount();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[CN124] keep their last value while they are read again, and where that fails', async () => {
    const reads: PromiseWithResolvers<{ items: [] }>[] = [];
    const read = () => {
      const asked = Promise.withResolvers<{ items: [] }>();
      reads.push(asked);
      return asked.promise;
    };
    const answer = (items: number) => {
      const page = { items: Array.from({ length: items }) as [] };
      for (const { resolve } of reads.splice(0)) resolve(page);
    };
    const later = (ms: number) => page.settle(() => vi.advanceTimersByTimeAsync(ms));
    const all = (count: number) => ({ logs: count, files: count, audit: count, schedules: count });
    const lists = { logs: read, files: read, audit: read, schedules: read };
    const queries = new QueryClient();
    let version = 1;
    const page = await mounted(
      () => useListCounts('/agents/top/x', version, () => lists),
      (shown) => createElement(QueryClientProvider, { client: queries }, shown),
    );
    await later(1);
    expect(page.result).toEqual({});
    await page.settle(() => answer(2));
    await later(1);
    expect(page.result).toEqual(all(2));
    version += 1;
    await page.render();
    await later(15_000);
    expect([page.result, reads.length]).toEqual([all(2), 4]);
    await page.settle(() => answer(3));
    await later(1);
    expect(page.result).toEqual(all(3));
    version += 1;
    await page.render();
    await later(15_000);
    for (const { reject } of reads.splice(0)) reject(new Error('away'));
    await later(1);
    expect(page.result).toEqual(all(3));
    await page.unmount();
    queries.clear();
  });
});
