/** A stream that is closed because the run there waits for a person, or was stopped hard. */
import { expect, it } from 'vitest';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { closeSoon } from '../../../../src/capabilities/remote/perform/poll-status';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, SINCE } from './child';

const stopped: PlacedRun = {
  ...atWork,
  stop: { verb: 'abort', reason: 'Enough.', since: SINCE, attempts: 1, nextAt: SINCE, settled: 'taken' },
};
const waiting: PlacedRun = { ...atWork, status: 'suspended_client_tool' };

/** Whether the stream of a run is closed within a second, in which its log gives so many chunks. */
async function isClosed(run: PlacedRun, chunks: number): Promise<boolean> {
  const time = new VirtualTime();
  const { environment } = time;
  const child = { placed: run, host: { environment }, ask: () => Promise.reject(new TypeError()), heard() {} };
  const stream = new AbortController();
  const closing = closeSoon(child, stream);
  child.placed = { ...run, cursor: run.cursor + chunks };
  await time.drain();
  await closing;
  return stream.signal.aborted;
}

it('[RM36, RM21] is closed where it is silent for a second, and left open where it gives anything', async () => {
  for (const run of [stopped, waiting]) expect([await isClosed(run, 0), await isClosed(run, 1)]).toEqual([true, false]);
  expect(await isClosed(atWork, 0)).toBe(false);
});
