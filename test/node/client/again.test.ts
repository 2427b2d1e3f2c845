import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { realClock } from '../../../src/client/again';

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
