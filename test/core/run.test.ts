import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/core/agent/runs/status';
import { failure } from '../../src/protocol/errors';
import { isEndChunk } from '../../src/protocol/status';
import { Machine, planned, refusal } from '../support/machine';

describe('taking a run', () => {
  it('[RN6, SE4] a second start is refused while a run is active, and changes nothing', () => {
    const machine = new Machine();
    machine.start();
    for (const beside of [() => undefined, () => machine.reply({ calls: [planned.tool()] })]) {
      beside();
      const before = machine.state;
      expect(refusal(machine.start())).toBe('already_running');
      expect(machine.state).toBe(before);
    }
    expect(machine.chunksOf('run_started')).toHaveLength(1);
  });

  it('[RN6] nothing begins on a terminated session', () => {
    const machine = new Machine();
    machine.start();
    machine.stop('terminate');
    expect(statusOf(machine.state)).toBe('terminated');
    expect(refusal(machine.start())).toBe('terminated');
    expect(refusal(machine.send('Hello?'))).toBe('terminated');
    expect(machine.owed).toEqual([]);
  });

  it('[RN6] a run that was aborted or has failed does not keep the next from beginning', () => {
    const machine = new Machine();
    machine.start();
    machine.stop('abort');
    expect(machine.start().ok).toBe(true);
    machine.fail('model_refused');
    expect(machine.start().ok).toBe(true);
    expect(statusOf(machine.state)).toBe('running');
  });

  it('[RN5, ST2] each turn has the whole conversation before it, ids that go on, and a full budget of steps', () => {
    const machine = new Machine({ limits: { maxSteps: 2 } });
    for (let turn = 1; turn <= 3; turn++) {
      machine.start(`turn ${turn}`);
      machine.reply({ calls: [planned.tool()] });
      machine.settle(0);
      expect(machine.state.step).toMatchObject({ phase: 'model', id: turn * 2, number: 2, turn, messagesUpTo: turn });
      machine.reply({ text: 'done' });
      expect(machine.outcome).toMatchObject({ status: 'completed', output: 'done' });
    }
    expect(machine.chunksOf('run_started').map(({ turn }) => turn)).toEqual([1, 2, 3]);
    expect(new Set(machine.changes.flatMap((change) => (change.put === 'run' ? [change.run.runId] : []))).size).toBe(3);
  });

  it('[RN5, DG4] a start may replace the custom state and the names of the session', () => {
    const machine = new Machine();
    machine.apply({
      type: 'start',
      runId: 'r_1',
      messages: [],
      custom: { a: 1 },
      input: { q: 2 },
      names: { displayName: 'Ada' },
    });
    expect(machine.state.custom).toEqual({ a: 1 });
    expect(machine.state.session).toMatchObject({ displayName: 'Ada', tags: [] });
    expect(machine.chunksOf('run_started')).toEqual([{ type: 'run_started', turn: 1, chainTurn: 1, input: { q: 2 } }]);
    expect(machine.changes.map(({ put }) => put)).toEqual(expect.arrayContaining(['custom', 'session', 'run', 'step']));
  });
});

describe('the end of a run', () => {
  const ways: readonly [string, (machine: Machine) => void, string][] = [
    ['text', (machine) => machine.reply({ text: 'x' }), 'run_completed'],
    ['a finishing call', (machine) => machine.reply({ calls: [planned.finish(1)] }), 'run_completed'],
    ['a model that refuses', (machine) => machine.fail('model_refused'), 'run_failed'],
    ['an abort', (machine) => machine.stop(), 'run_failed'],
    ['a termination', (machine) => machine.stop('terminate'), 'run_terminated'],
  ];

  it.for(ways)('[RN4] by %s is one end chunk, the last of its run, and only once', ([, end, type]) => {
    const machine = new Machine();
    machine.start();
    end(machine);
    expect(machine.types.filter((each) => isEndChunk({ type: each }))).toEqual([type]);
    expect(machine.types.at(-1)).toBe(type);
    const { length } = machine.chunks;
    machine.stop();
    machine.recover();
    machine.apply({ type: 'outcome_acknowledged', runId: machine.state.run?.runId ?? '' });
    expect(machine.chunks).toHaveLength(length);
    expect(machine.owed).toEqual([]);
  });

  it('[RN4] a completed run announces its output before its end', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ text: 'x' });
    expect(machine.types.slice(-3)).toEqual(['step_committed', 'output', 'run_completed']);
  });

  it('[RN4, SP5, SP6] every call of the last step has its result when the run ends', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.refused(), planned.tool()] });
    machine.settle(2);
    machine.stop();
    expect(machine.outcome).toBeUndefined();
    machine.cut(0);
    expect(machine.step.calls.map(({ settled }) => settled?.result)).toMatchObject([
      { success: false, error: { code: 'aborted' } },
      { success: false, error: { code: 'unknown_tool' } },
      { success: true, value: 2 },
    ]);
    expect(
      machine
        .chunksOf('tool_end')
        .map(({ toolCallId }) => toolCallId)
        .sort(),
    ).toEqual(machine.step.calls.map(({ callId }) => callId).sort());
    expect(machine.outcome).toEqual({
      status: 'failed',
      error: failure('aborted', 'Enough.'),
      failureReason: 'aborted',
    });
  });
});
