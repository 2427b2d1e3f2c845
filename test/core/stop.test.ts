import { describe, expect, it } from 'vitest';
import { failure } from '../../src/core/errors';
import { Machine, planned, refusal } from '../support/machine';

describe('a stop', () => {
  it('[SP1, SE4] for another run than the current one is refused and changes nothing', () => {
    const machine = new Machine();
    machine.start();
    const before = machine.state;
    expect(refusal(machine.stop('abort', 'r_older'))).toBe('run_superseded');
    expect(machine.state).toBe(before);
    machine.reply({ text: 'x' });
    expect(refusal(machine.stop('abort', 'r_older'))).toBe('run_superseded');
  });

  it('[SP1] aimed at a run that has ended never stops the next', () => {
    const machine = new Machine();
    machine.start();
    const first = machine.state.run?.runId;
    machine.reply({ text: 'x' });
    machine.start();
    expect(refusal(machine.stop('abort', first))).toBe('run_superseded');
    expect(machine.stop('abort', machine.state.run?.runId).ok).toBe(true);
    expect(machine.outcome).toMatchObject({ error: { code: 'aborted' } });
  });

  it('[SP1] asked for again is harmless: the first record stays', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child()] });
    machine.stop('terminate');
    const before = machine.state;
    machine.stop('abort');
    expect(machine.state).toEqual(before);
    machine.childEnded(0);
    expect(machine.outcome).toEqual({ status: 'terminated', reason: 'Enough.' });
    machine.stop('abort');
    expect(machine.chunksOf('run_terminated')).toHaveLength(1);
  });

  it('[SP2, EG2] takes a model call away at once and ends the run', () => {
    const machine = new Machine();
    machine.start();
    const { fence } = machine;
    machine.stop();
    expect(machine.owed).toEqual([]);
    expect(refusal(machine.reply({ text: 'late' }, fence))).toBe('superseded');
    expect(machine.outcome).toEqual({
      status: 'failed',
      error: failure('aborted', 'Enough.'),
      failureReason: 'aborted',
    });
  });

  it('[SP2, RN2] asks bodies that had begun and children to end, settles the rest at once, and ends when the last of them has ended', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.child(), planned.tool(), planned.child()] });
    machine.settle(2);
    machine.stop();
    expect(machine.owed[0]).toMatchObject({ kind: 'tool', stopping: true, call: { index: 0 } });
    machine.settle(0);
    expect(machine.call(0).settled?.result).toMatchObject({ success: true });
    expect(machine.call(2).settled?.result).toMatchObject({ success: true });
    expect(machine.owed).toMatchObject([
      { kind: 'stop_child', verb: 'abort', error: failure('aborted', 'Enough.') },
      { kind: 'stop_child', verb: 'abort', error: failure('aborted', 'Enough.') },
    ]);
    machine.childEnded(3);
    expect(machine.outcome).toBeUndefined();
    machine.childEnded(1, { status: 'failed', error: failure('aborted') });
    expect(machine.types.slice(-4)).toEqual(['subagent_end', 'tool_end', 'step_committed', 'run_failed']);
    expect(machine.call(3).settled?.result).toMatchObject({ success: true });
  });

  it('[SP2, RC1] is not forgotten by a crash: what it asks for is owed again', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child(), planned.child()] });
    machine.stop();
    machine.childEnded(0);
    machine.recover();
    expect(machine.owed).toMatchObject([{ kind: 'stop_child', call: { index: 1 } }]);
    machine.childEnded(1);
    expect(machine.outcome).toMatchObject({ error: { code: 'aborted' } });
  });

  it('[SP2] goes before whatever the step would have ended with', () => {
    const machine = new Machine({ finishTools: ['__finish__'] });
    machine.start();
    machine.reply({ calls: [planned.finish('output'), planned.child()] });
    machine.stop();
    machine.childEnded(1);
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
  });

  it('[SP1] of a session at rest changes nothing', () => {
    const machine = new Machine();
    const before = machine.state;
    expect(machine.stop().ok).toBe(true);
    expect(machine.state).toBe(before);
  });
});
