/** What the console loads again and again: of two loads the newer one counts, and counts are read now and then. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Latest } from '../../../src/console/data/latest';
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
});
