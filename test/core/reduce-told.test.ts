/** Under which task of which sub-agent a view has the messages of the parent. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_USAGE } from '../../src/protocol/usage';
import { reduceAll } from '../../src/protocol/view/reduce';
import { newLog } from '../support/log';

const event = fc.record({
  is: fc.constantFrom('start', 'tell', 'end'),
  childId: fc.integer({ min: 1, max: 2 }),
});

it('[R1, R7] each message of a parent is told of the task that its sub-agent had then, and of no other', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const log = newLog();
      const root = log.root('boss', 'b').run('r').step(1);
      const tasks = new Map<number, { readonly task: number; readonly told: string[] }[]>([
        [1, []],
        [2, []],
      ]);
      for (const [at, { is, childId }] of events.entries()) {
        const all = tasks.get(childId) ?? [];
        const task = is === 'start' ? all.length + 1 : all.length;
        if (task === 0) continue;
        const messageId = `m_${at}`;
        const child = { subAgentType: 'worker', subSessionId: `s_${childId}`, childId, task };
        if (is === 'start') {
          all.push({ task, told: [] });
          const how = { mode: 'persistent', placement: 'facet', subAddress: `/x/${childId}`, generation: 1 } as const;
          root.emit({ type: 'subagent_start', ...child, ...how, callId: `c_${childId}_${task}` });
        } else if (is === 'tell') {
          all.at(-1)?.told.push(messageId);
          root.emit({ type: 'subagent_message', ...child, callId: `c_${at}`, messageId });
        } else {
          const end = { generation: 1, success: true, result: null, usage: NO_USAGE };
          root.emit({ type: 'subagent_end', ...child, ...end, callId: `c_${childId}_${task}` });
        }
      }
      const [boss] = reduceAll(log.entries).agents;
      for (const [childId, all] of tasks) {
        const seen = boss?.delegations.filter((one) => one.childId === childId) ?? [];
        expect(seen.map(({ task, told = [] }) => ({ task, told }))).toEqual(all);
      }
    }),
  );
});
