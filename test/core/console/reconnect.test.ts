import { describe, expect, it, vi } from 'vitest';
import { Reconnects, secondsTo, waitOf } from '../../../src/console/data/reconnect';

describe('a wait for a server that is gone', () => {
  it('[CN19] says when it is over, and is over at once where somebody wants that', async () => {
    const told: number[] = [];
    const clock = new Reconnects((nextAt) => told.push(nextAt));
    const { signal } = new AbortController();
    const before = clock.now();
    for (let tries = 0; tries < 6; tries++) {
      const wait = clock.wait(0, signal);
      clock.skip();
      await wait;
    }
    const after = clock.now();
    expect(told).toHaveLength(6);
    // What is skipped makes no later wait longer: each of them was the first.
    for (const nextAt of told) {
      expect(nextAt).toBeGreaterThanOrEqual(before + waitOf(0, 0));
      expect(nextAt).toBeLessThanOrEqual(after + waitOf(0, 1));
    }
  });

  it('[CN19] is longer after each try that is not skipped, until the connection is there again', async () => {
    const told: number[] = [];
    const clock = new Reconnects((nextAt) => told.push(nextAt - clock.now()));
    const stop = new AbortController();
    const wait = async () => {
      const ended = clock.wait(0, stop.signal);
      stop.signal.dispatchEvent(new Event('abort'));
      await ended;
    };
    vi.spyOn(clock, 'now').mockReturnValue(1);
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    for (let tries = 0; tries < 7; tries += 1) await wait();
    clock.reset();
    await wait();
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 0].map((tries) => waitOf(tries, 0.5)));
  });

  it('[CN80] counts down to it, and is now when it is due', () => {
    expect([12_000, 11_999, 11_001, 11_000, 1, 0, -5].map((left) => secondsTo(50_000 + left, 50_000))).toEqual([
      12, 12, 12, 11, 1, 0, 0,
    ]);
  });
});
