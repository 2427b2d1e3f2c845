/** How many bodies of each call have begun, as the state of an agent tells it. */
import { describe, expect, it } from 'vitest';
import { bodiesBegun } from '../../src/core/agent/calls/call';
import { Machine, planned } from '../support/machine';

describe('counts of bodies', () => {
  const counted = (machine: Machine, index: number) =>
    bodiesBegun(machine.call(index), machine.due.includes(`tool ${index}`));

  it('[CL7, AN3] none of an approval whose time is over', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.approval(50), planned.client()] });
    expect(counted(machine, 0)).toBe(0);
    machine.expire(50);
    expect([counted(machine, 0), machine.call(0).settled?.unrun]).toEqual([0, true]);
  });

  it('[CL7, RC3] one more for each repeat, and none while its hook is owed', () => {
    const machine = new Machine({ hooks: ['beforeTool'] });
    machine.start();
    machine.reply({ calls: [planned.tool()] });
    expect(counted(machine, 0)).toBe(0);
    machine.hooksDone();
    expect(counted(machine, 0)).toBe(1);
    machine.recover();
    expect(counted(machine, 0)).toBe(2);
    machine.interrupt();
    machine.cut(0);
    expect([machine.status, counted(machine, 0)]).toEqual(['interrupted', 2]);
    machine.resume();
    // The hook of the new run comes first.
    expect(counted(machine, 0)).toBe(2);
    machine.hooksDone();
    expect(counted(machine, 0)).toBe(3);
    machine.stop('abort');
    machine.cut(0);
    expect(counted(machine, 0)).toBe(3);
  });

  it('[CL7, RC4] those that began before the last recovery count, and say that their outcome is unknown', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1, maxConcurrentCalls: 2 } });
    machine.start();
    machine.reply({ calls: [planned.tool('a'), planned.tool('b', { replay: 'never' }), planned.tool('c')] });
    machine.recover();
    machine.recover();
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
    expect([0, 1, 2].map((index) => counted(machine, index))).toEqual([2, 1, 1]);
    const errors = [0, 1, 2].map((index) => {
      const result = machine.call(index).settled?.result;
      return result?.success === false ? result.error.code : undefined;
    });
    expect(errors).toEqual(['max_recoveries', 'outcome_unknown', 'max_recoveries']);
  });
});
