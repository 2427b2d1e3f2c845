import { describe, expect, it } from 'vitest';
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

  it('[CN80] counts down to it, and is now when it is due', () => {
    expect([12_000, 11_999, 11_001, 11_000, 1, 0, -5].map((left) => secondsTo(50_000 + left, 50_000))).toEqual([
      12, 12, 12, 11, 1, 0, 0,
    ]);
  });
});
