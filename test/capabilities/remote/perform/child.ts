/** A remote child at work, and answers of its side. */
import { firstRun } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import type { Came } from '../../../../src/core/definition/remote-transport';
import type { Chunk } from '../../../../src/protocol/chunks';

export const SINCE = 5_000_000;

/** Its first task; nothing was sent of it. */
export const unsent: PlacedRun = firstRun(
  {
    ...{ sessionId: 's_1', address: '/agents/top/one/sub/far/1~1', agentType: 'far', transport: 'far' },
    ...{ root: { className: 'Top', name: 'one' }, addressClass: 'far', name: 'r-1' },
  },
  { task: { childId: 1, task: 1 }, runId: 'r_here' },
  SINCE,
);

/** The same at work on its side. */
export const atWork: PlacedRun = {
  ...unsent,
  remote: { is: 'begun', start: { key: 'r_here', at: SINCE }, sessionId: 's_there', chainRunId: 'r_there' },
};

export const refused = (status: number): Came => ({ ok: false, code: 'some_code', title: 'No.', status });

/** A piece of its text. */
export const textOf = ({ sessionId: agentId, agentType, address, runId }: PlacedRun, delta: string): Chunk => ({
  ...{ type: 'text_delta', part: 0, delta },
  ...{ agentId, agentType, address, runId, step: 1, attempt: 1, timestamp: SINCE },
});
