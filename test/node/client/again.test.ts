import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { GIVE_UP_MS, realClock, untilAnswered } from '../../../src/client/again';
import { Unreachable } from '../../../src/client/errors';

it('[K10] a wait between tries leaves nothing at the signal, whether its time was up or it was aborted', async () => {
  const caller = new AbortController();
  await realClock.wait(0, caller.signal);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  const waiting = realClock.wait(1_000_000, caller.signal);
  caller.abort();
  await waiting;
  await realClock.wait(1_000_000, caller.signal);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});

it('[K10] a server that stays away is asked with growing waits of at most 2 s, and given up a minute after the first failure', async () => {
  for (const eachTakes of [0, 700]) {
    let now = 5;
    const waits: number[] = [];
    const clock = {
      now: () => now,
      wait: async (ms: number) => {
        waits.push(ms);
        now += ms;
      },
    };
    let tries = 0;
    const gone = new Unreachable('gone');
    const attempt = async () => {
      tries += 1;
      if (tries > 10_000) throw new Error('It is asked for ever.');
      now += eachTakes;
      throw gone;
    };
    await expect(untilAnswered(clock, new AbortController().signal, attempt)).rejects.toBe(gone);
    const first = 5 + eachTakes;
    expect(now - first).toBeGreaterThanOrEqual(GIVE_UP_MS);
    expect(now - first).toBeLessThan(GIVE_UP_MS + 2_000 + eachTakes);
    expect(waits).toEqual(Array.from({ length: tries - 1 }, (_, at) => Math.min(100 * 2 ** at, 2_000)));
  }
});
