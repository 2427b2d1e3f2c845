import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { failure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, planned, refusal } from '../support/machine';

/** A machine whose model has asked for these calls. */
function called(
  calls: Parameters<Machine['reply']>[0] & object,
  options: ConstructorParameters<typeof Machine>[0] = {},
): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply(calls);
  return machine;
}

const tools = (count: number) => Array.from({ length: count }, () => planned.tool());
const bodies = (machine: Machine): number[] =>
  machine.owed.flatMap((effect) => (effect.kind === 'tool' ? [effect.call.index] : []));

describe('calls', () => {
  it('[CL1] are committed with their plan before anything works on them, under minted ids', () => {
    const machine = new Machine();
    machine.start();
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['model']);
    machine.reply({ calls: [planned.tool(), planned.tool(), planned.child()] });
    const row = machine.changes.findLast((change) => change.put === 'step');
    expect(row).toMatchObject({
      step: {
        phase: 'calls',
        calls: [{ plan: { kind: 'tool' } }, { plan: { kind: 'tool' } }, { plan: { kind: 'task' } }],
      },
    });
    expect(machine.owed.map(({ kind }) => kind).sort()).toEqual(['child', 'tool', 'tool']);
    expect(machine.step.calls.map(({ providerId }) => providerId)).toEqual(['p', 'p', 'p']);
    expect(machine.chunksOf('tool_start').map(({ toolCallId }) => toolCallId)).toEqual(
      machine.step.calls.map(({ callId }) => callId),
    );
  });

  it('[CL1] have ids that differ between calls, steps, attempts and turns, whatever the provider repeats', () => {
    const ids: string[] = [];
    const machine = new Machine();
    for (let turn = 0; turn < 3; turn++) {
      machine.start();
      for (let step = 0; step < 3; step++) {
        if (step === 1) machine.fail('model_overloaded');
        machine.reply({ calls: [planned.refused(), planned.refused()] });
      }
      machine.reply({ text: 'done' });
    }
    for (const change of machine.changes)
      if (change.put === 'step' && change.step.phase === 'calls')
        ids.push(...change.step.calls.map(({ callId }) => callId));
    expect(ids.length).toBe(18);
    expect(new Set(ids).size).toBe(18);
  });

  it('[CL1] have other ids in each attempt: what was streamed of a discarded one is no call of the next', () => {
    const machine = new Machine();
    machine.start();
    const start = [{ type: 'tool_arg_start', index: 0, toolName: 'note' }] as const;
    const stream = () => machine.apply({ type: 'model_progress', ...machine.fence, deltas: start });
    stream();
    machine.fail('model_overloaded');
    stream();
    machine.now += 3_600_000;
    machine.apply({ type: 'model_asked', ...machine.fence });
    machine.recover();
    stream();
    machine.interrupt();
    machine.resume();
    stream();
    machine.reply({ calls: tools(2) });
    const streamed = machine.chunksOf('tool_arg_stream_start').map(({ toolCallId }) => toolCallId);
    expect(new Set([...streamed, machine.call(1).callId]).size).toBe(5);
    expect(streamed[3]).toBe(machine.call(0).callId);
  });

  it('[CL1] are streamed under the id that they will have', () => {
    const machine = new Machine();
    machine.start();
    machine.fail('model_overloaded');
    const deltas = [
      { type: 'tool_arg_start', index: 1, toolName: 'note' },
      { type: 'tool_arg_delta', index: 1, delta: '{}' },
    ] as const;
    machine.apply({ type: 'model_progress', ...machine.fence, deltas });
    machine.reply({ calls: tools(2) });
    const [start] = machine.chunksOf('tool_arg_stream_start');
    const [delta] = machine.chunksOf('tool_arg_stream_delta');
    expect([start?.toolCallId, delta?.toolCallId]).toEqual([machine.call(1).callId, machine.call(1).callId]);
  });

  it('[CL2, SE4] keep their first result: a second changes nothing, one for an unknown call is refused', () => {
    const machine = called({ calls: tools(2) });
    machine.settle(0, { success: true, value: 'first' });
    const { state, chunks } = machine;
    const { length } = chunks;
    expect(machine.settle(0, { success: true, value: 'second' }).ok).toBe(true);
    expect(machine.state).toEqual(state);
    expect(machine.chunks).toHaveLength(length);
    const stranger = {
      type: 'tool_settled',
      callId: 'c_unknown',
      epoch: 1,
      result: { success: true, value: 1 },
      startedAt: 0,
    } as const;
    expect(refusal(machine.apply(stranger))).toBe('superseded');
  });

  it('[CL2, ST1] of a closed step take no results any more', () => {
    const machine = called({ calls: tools(1) });
    const { callId } = machine.call(0);
    machine.settle(0);
    const late = {
      type: 'tool_settled',
      callId,
      epoch: 1,
      result: { success: true, value: 'late' },
      startedAt: 0,
    } as const;
    expect(refusal(machine.apply(late))).toBe('superseded');
  });

  it('[CL6, DF3] run 16 bodies at once by default, the first open ones in order; each that ends makes room for one', () => {
    const machine = called({ calls: tools(18) });
    expect(DEFAULT_LIMITS.maxConcurrentCalls).toBe(16);
    expect(bodies(machine)).toEqual([...Array(16).keys()]);
    machine.settle(3);
    expect(bodies(machine)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    machine.settle(16);
    machine.settle(17);
    expect(bodies(machine)).not.toContain(17);
    expect(bodies(called({ calls: tools(16) }))).toHaveLength(16);
  });

  it('[CL6] the limit is of bodies: children and refused calls take no room', () => {
    const machine = called(
      { calls: [planned.refused(), planned.child(), ...tools(3)] },
      { limits: { maxConcurrentCalls: 2 } },
    );
    expect(bodies(machine)).toEqual([2, 3]);
    expect(machine.owed.filter(({ kind }) => kind === 'child')).toHaveLength(1);
  });

  it('[CL6] results are committed as they land, each in a row of its own', () => {
    const machine = called({ calls: tools(3) });
    for (const index of [2, 0]) {
      const landed = machine.settle(index);
      expect(landed.ok && landed.changes).toMatchObject([{ put: 'settlement', stepId: 1, index }]);
    }
    expect(machine.open).toEqual([1]);
  });

  it('[CL5, RC6] what a body does besides its result needs an open call and the current epoch', () => {
    const machine = called({ calls: tools(2) });
    const { callId } = machine.call(0);
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    const change = (epoch: number) =>
      ({ type: 'custom_changed', by: callId, epoch, custom: { a: epoch }, patch }) as const;
    const emit = (epoch: number) =>
      ({ type: 'emitted', by: callId, epoch, chunk: { type: 'custom', name: 'n', data: 1 } }) as const;
    expect(machine.apply(change(1)).ok && machine.apply(emit(1)).ok).toBe(true);
    expect(machine.state.custom).toEqual({ a: 1 });
    expect([machine.chunksOf('state_patch'), machine.chunksOf('custom')]).toMatchObject([[{ patch }], [{ name: 'n' }]]);
    machine.recover();
    expect([refusal(machine.apply(change(1))), refusal(machine.apply(emit(1)))]).toEqual(['superseded', 'superseded']);
    expect(machine.apply(change(2)).ok).toBe(true);
    machine.settle(0);
    expect([refusal(machine.apply(change(2))), refusal(machine.apply(emit(2)))]).toEqual(['superseded', 'superseded']);
    expect(machine.state.custom).toEqual({ a: 2 });
  });

  it("[CL5] what a tool spent is its agent's", () => {
    const machine = called({ calls: tools(2) });
    machine.settle(0, undefined, { ...NO_USAGE, toolCalls: 1, inputTokens: 5, costUsd: 0.5 });
    expect(machine.state.spent).toMatchObject({ inputTokens: 15, modelCalls: 1, toolCalls: 1, costUsd: 0.5 });
  });
});

describe('calls after a crash', () => {
  it('[RC3] a body that may be repeated is, under the same id, up to `maxToolReplays` bodies in all (3)', () => {
    const machine = called({ calls: tools(1) });
    const { callId } = machine.call(0);
    for (let body = 1; body <= DEFAULT_LIMITS.maxToolReplays; body++) {
      expect(machine.owed).toMatchObject([{ kind: 'tool', call: { callId, bodies: body }, epoch: body }]);
      machine.recover();
    }
    expect(DEFAULT_LIMITS.maxToolReplays).toBe(3);
    expect(machine.chunksOf('tool_end')).toMatchObject([
      { toolCallId: callId, success: false, error: { code: 'outcome_unknown' } },
    ]);
    expect(machine.state.step).toMatchObject({ phase: 'model', id: 2 });
  });

  it('[RC3, CL2] a body that may not is settled once as unknown; its siblings that never began do begin', () => {
    const machine = called(
      { calls: [planned.tool('once', { replay: 'never' }), planned.tool('once', { replay: 'never' })] },
      { limits: { maxConcurrentCalls: 1 } },
    );
    machine.recover();
    expect(machine.call(0).settled?.result).toMatchObject({
      error: { code: 'outcome_unknown', message: expect.stringContaining('"once"') },
    });
    expect(machine.owed).toMatchObject([{ kind: 'tool', call: { index: 1, bodies: 1 } }]);
    machine.settle(1);
    expect(machine.chunksOf('tool_end').map(({ success }) => success)).toEqual([false, true]);
  });

  it('[RC2, RC3] results that were recorded stay as they are', () => {
    const machine = called({ calls: tools(3) });
    machine.settle(1, { success: true, value: 'kept' });
    machine.settle(2, { success: false, error: failure('tool_failed') });
    const before = machine.step.calls.slice(1);
    machine.recover();
    expect(machine.step.calls.slice(1)).toEqual(before);
    expect(machine.owed).toMatchObject([{ kind: 'tool', call: { index: 0, bodies: 2 } }]);
  });

  it('[RC6, CL2] what a body of an older epoch returns is refused', () => {
    const machine = called({ calls: tools(1) });
    const { callId } = machine.call(0);
    machine.recover();
    const late = {
      type: 'tool_settled',
      callId,
      epoch: 1,
      result: { success: true, value: 'late' },
      startedAt: 0,
    } as const;
    expect(refusal(machine.apply(late))).toBe('superseded');
    expect(machine.settle(0).ok).toBe(true);
  });
});

describe('a crash while the hook before a tool is owed', () => {
  it.each(['never', 'safe'] as const)(
    '[RC3, HK2, HK13] leaves a `replay: %s` tool as it is: it has not run',
    (replay) => {
      const machine = new Machine({ hooks: ['beforeTool'] });
      machine.start();
      machine.reply({ calls: [planned.tool('one', { replay }), planned.tool('two', { replay })] });
      machine.recover();
      expect([machine.open, machine.call(0).bodies, machine.due]).toEqual([[0, 1], 1, ['hook']]);
      machine.hookDone();
      // The hook of the first is done and its body may have begun; the second one waits for its own.
      expect(machine.due).toEqual(['hook', 'tool 0']);
      machine.recover();
      const { settled, bodies } = machine.call(0);
      const code = settled?.result.success === false ? settled.result.error.code : undefined;
      expect([code, bodies]).toEqual(replay === 'never' ? ['outcome_unknown', 1] : [undefined, 2]);
      expect([machine.open.includes(1), machine.call(1).bodies]).toEqual([true, 1]);
      machine.hooksDone();
      expect(machine.due).toContain('tool 1');
      machine.settle(1);
      expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ success: true, result: 1 });
    },
  );
});
