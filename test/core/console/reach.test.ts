/** Whom below an agent a verb reaches: each status, named or not, by each verb. */
import { expect, it } from 'vitest';
import { reachSays } from '../../../src/console/data/shown/reach';
import type { Row } from '../../../src/console/data/tree/outline';
import { SESSION_STATUSES } from '../../../src/protocol/status';
import { NO_USAGE } from '../../../src/protocol/usage';

const row = (status: string, name?: string): Row => ({
  ...{ agentId: 'id', agentType: 'type', address: '/a', status, from: 0, last: 1, step: 1, usage: NO_USAGE },
  ...{ unpriced: false, waiting: 0, recoveries: 0, discarded: 0, activity: '', task: '', tools: [], rounds: 1 },
  ...(name === undefined ? {} : { name }),
});

/** Who can still do something: in a run, or in another one later. */
const REACHED = {
  abort: () => ['queued', 'running', 'suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial'],
  terminate: (isNamed: boolean) =>
    isNamed
      ? SESSION_STATUSES.filter((status) => status !== 'terminated')
      : SESSION_STATUSES.filter((status) => !['completed', 'failed', 'terminated'].includes(status)),
  remove: () => [...SESSION_STATUSES],
};
const SAYS = { abort: 'It aborts', terminate: 'It ends', remove: 'It deletes' };
const NONE = {
  abort: 'No sub-agents are running.',
  terminate: 'All its sub-agents have already ended.',
  remove: 'It has no sub-agents.',
};

it.each(['abort', 'terminate', 'remove'] as const)(
  '[CN103] %s reaches those that it changes, and says how many',
  (verb) => {
    for (const name of [undefined, 'ann']) {
      const reached = SESSION_STATUSES.filter((status) => reachSays(verb, [row(status, name)]) !== NONE[verb]);
      expect(reached).toEqual(
        SESSION_STATUSES.filter((status) => REACHED[verb](name !== undefined).some((one) => one === status)),
      );
    }
    expect(reachSays(verb, [])).toBe(NONE[verb]);
    expect(reachSays(verb, [row('running')])).toBe(`${SAYS[verb]} 1 sub-agent as well.`);
    expect(reachSays(verb, [row('running'), row('queued')])).toBe(`${SAYS[verb]} 2 sub-agents as well.`);
  },
);
