import { describe, expect, it } from 'vitest';
import type { Transition } from '../../src/core/agent/changes';
import type { Call, Outcome } from '../../src/core/agent/state';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { failure } from '../../src/protocol/errors';
import { Machine, planned, refusal } from '../support/machine';

const children = (count: number, className?: string) => Array.from({ length: count }, () => planned.child(className));

function delegated(
  reply: NonNullable<Parameters<Machine['reply']>[0]>,
  options: ConstructorParameters<typeof Machine>[0] = {},
): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply(reply);
  return machine;
}

const places = (machine: Machine): (string | undefined)[] =>
  machine.step.calls.map(({ plan, index }) =>
    plan.kind === 'task'
      ? `${machine.child(index).placement.className} ${machine.child(index).placement.segment}`
      : plan.kind === 'refused'
        ? plan.error.code
        : undefined,
  );

describe('giving work to children', () => {
  it('[DG1, TR2] a child is recorded and announced in the transition of the reply, before anything is owed for it', () => {
    const machine = delegated({ calls: children(2) });
    const rows = machine.changes.flatMap((change) => (change.put === 'child' ? [change.child.task] : []));
    expect(rows.map(({ callId }) => callId)).toEqual(machine.step.calls.map(({ callId }) => callId));
    expect(machine.types.slice(-4)).toEqual(['tool_start', 'subagent_start', 'tool_start', 'subagent_start']);
    const plans = machine.step.calls.map(({ plan }) => plan);
    expect(machine.chunksOf('subagent_start')).toMatchObject(
      plans.map((plan) =>
        plan.kind === 'task'
          ? {
              subSessionId: plan.began?.sessionId,
              subAddress: plan.began?.address,
              childId: plan.began?.childId,
              task: 1,
            }
          : {},
      ),
    );
    expect(machine.owed).toMatchObject([{ kind: 'child' }, { kind: 'child' }]);
    expect(new Set(plans.map((plan) => plan.kind === 'task' && plan.began?.sessionId)).size).toBe(2);
  });

  it('[DG9] children take free slots first, lowest first, each with the next generation, then new ones; by class', () => {
    const free = [
      { slot: 2, generation: 7 },
      { slot: 5, generation: 1 },
    ];
    const machine = delegated({
      calls: [...children(4), ...children(2, 'Other')],
      slots: { Leaf: { free, next: 9 }, Other: { free: [], next: 1 } },
    });
    expect(places(machine)).toEqual(['Leaf 2~8', 'Leaf 5~2', 'Leaf 9~1', 'Leaf 10~1', 'Other 1~1', 'Other 2~1']);
    const [first] = machine.step.calls;
    expect(first?.plan).toMatchObject({ began: { address: '/agents/top/one/sub/leaf/2~8' } });
  });

  it('[DG31, DF3] the 257th child at once is refused by default, with advice; its siblings are not', () => {
    expect(DEFAULT_LIMITS.maxChildren).toBe(256);
    const machine = delegated({ calls: [...children(200), ...children(56, 'Other'), ...children(2)] });
    expect(places(machine).filter((place) => place === 'max_children')).toHaveLength(2);
    expect(machine.owed).toHaveLength(256);
    expect(machine.call(257).settled?.result).toMatchObject({
      error: { message: expect.stringContaining('later step') },
    });
    const exactly = delegated({ calls: children(2) }, { limits: { maxChildren: 2 } });
    expect(places(exactly)).toEqual(['Leaf 1~1', 'Leaf 2~1']);
  });

  it('[DG31, DF3] an agent at level 16 has no children by default; one at level 15 has', () => {
    expect(DEFAULT_LIMITS.maxDepth).toBe(16);
    expect(places(delegated({ calls: children(1) }, { depth: 15 }))).toEqual(['Leaf 1~1']);
    const deep = delegated({ calls: [...children(1), planned.tool()] }, { depth: 16 });
    expect(places(deep)).toEqual(['max_depth', undefined]);
    expect(deep.call(0).settled?.result).toMatchObject({ error: { message: expect.stringContaining('yourself') } });
    expect(
      places(delegated({ calls: [...children(1), planned.tool()] }, { depth: 1, limits: { maxDepth: 1 } })),
    ).toEqual(['max_depth', undefined]);
  });
});

describe('the outcome of a child', () => {
  const settled = (outcome: Outcome): Call['settled'] => {
    const machine = delegated({ calls: [...children(1), planned.tool()] });
    machine.childEnded(0, outcome);
    return machine.call(0).settled;
  };

  it('[DG10, DG5] settles its call: an output as success, everything else as a failure with its code', () => {
    expect(settled({ status: 'completed', output: { a: 1 }, completionReason: 'finish' })?.result).toEqual({
      success: true,
      value: { a: 1 },
    });
    expect(settled({ status: 'failed', error: failure('max_steps') })?.result).toEqual({
      success: false,
      error: failure('max_steps'),
    });
    expect(settled({ status: 'terminated', reason: 'why' })?.result).toMatchObject({
      success: false,
      error: { code: 'terminated' },
    });
  });

  it('[DG10, TR2] closes the delegation before the call, and tells what it spent without spending it again', () => {
    const machine = delegated({ calls: [...children(1), planned.tool()] });
    const { spent } = machine.state;
    const answer = machine.childEnded(0);
    expect(answer.ok && answer.chunks.map(({ body }) => body.type)).toEqual(['subagent_end', 'tool_end']);
    expect(machine.chunksOf('subagent_end')).toMatchObject([{ success: true, result: 0, usage: { modelCalls: 2 } }]);
    expect(machine.state.spent).toEqual(spent);
    expect(machine.call(0).settled?.usage).toMatchObject({ modelCalls: 2 });
  });

  it('[DG3, SE4] of another task, or after the task has ended, is refused', () => {
    const machine = delegated({
      calls: [...children(1), planned.tool()],
      slots: { Leaf: { free: [{ slot: 1, generation: 3 }], next: 2 } },
    });
    const before = machine.state;
    for (const task of [0, 2]) expect(refusal(machine.childEnded(0, undefined, task))).toBe('superseded');
    expect(refusal(machine.childEnded(1))).toBe('superseded');
    expect(machine.state).toBe(before);
    const { task } = machine.delegation(0);
    machine.stop();
    machine.childEnded(0);
    machine.settle(1);
    expect(machine.outcome).toMatchObject({ status: 'failed' });
    const late = {
      type: 'child_settled',
      task,
      outcome: { status: 'interrupted', reason: '' },
      usage: machine.state.spent,
    } as const;
    expect(refusal(machine.apply(late))).toBe('superseded');
    expect(refusal(machine.apply({ type: 'child_stop', task, error: failure('child_timeout') }))).toBe('superseded');
  });

  it('[DG10, DL3] that comes a second time is refused, and changes nothing', () => {
    const machine = delegated({ calls: [...children(1), planned.tool()] });
    machine.childEnded(0);
    const before = machine.state;
    expect(refusal(machine.childEnded(0, { status: 'failed', error: failure('aborted') }))).toBe('superseded');
    expect(machine.state).toEqual(before);
    expect(machine.chunksOf('subagent_end')).toHaveLength(1);
  });

  it('[DG5] costs no sibling its result', () => {
    const machine = delegated({ calls: [...children(3), planned.tool()] });
    machine.childEnded(1, { status: 'failed', error: failure('subagent_lost') });
    machine.childEnded(0);
    machine.settle(3);
    machine.childEnded(2);
    expect(machine.chunksOf('tool_end').map(({ success }) => success)).toEqual([false, true, true, true]);
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
  });
});

describe('the ends of several children that come together', () => {
  const OUTCOME = { status: 'completed', output: 1, completionReason: 'text' } as const;

  /** The ends of children by their calls, as one event; `other` are ends of tasks that these children do not have. */
  function together(machine: Machine, indexes: readonly number[], other: readonly number[] = []): Transition {
    const ends = indexes.map((index) => {
      const { task, runId } = machine.delegation(index);
      const key = other.includes(index) ? { ...task, task: 9 } : task;
      const facts = { at: machine.now, token: `end${index}`.padEnd(16, '0'), usage: machine.state.spent };
      return { type: 'child_settled' as const, runId, task: key, outcome: OUTCOME, ...facts };
    });
    return machine.apply({ type: 'children_settled', ends });
  }

  it('[RT10] settle a call each, in their order, and the run continues once, after the last', () => {
    const machine = delegated({ calls: children(3) });
    const taken = together(machine, [2, 0, 1]);
    expect(taken.ok && taken.chunks.map(({ body }) => body.type)).toEqual([
      ...['subagent_end', 'tool_end', 'subagent_end', 'tool_end', 'subagent_end', 'tool_end'],
      ...['step_committed', 'step_started'],
    ]);
    const calls = machine.chunksOf('tool_end').map(({ toolCallId }) => toolCallId);
    expect(calls).toEqual([2, 0, 1].map((index) => machine.chunksOf('tool_start')[index]?.toolCallId));
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
  });

  it('[RT10, DG3] are taken without those that are refused; where all are, nothing changes', () => {
    const machine = delegated({ calls: children(3) });
    expect(together(machine, [0, 1, 2], [0, 2]).ok).toBe(true);
    expect(machine.step.calls.map(({ settled }) => settled?.result.success)).toEqual([undefined, true, undefined]);
    const before = machine.state;
    expect(refusal(together(machine, [0, 1, 2], [0, 2]))).toBe('superseded');
    expect(machine.state).toBe(before);
    expect(together(machine, [1, 0, 2]).ok).toBe(true);
    expect(machine.chunksOf('subagent_end')).toHaveLength(3);
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
  });

  it('[RT10, SP4] end a run that is stopped with the last of them', () => {
    const machine = delegated({ calls: children(3) });
    machine.stop();
    expect(together(machine, [0, 2]).ok).toBe(true);
    expect(machine.state.run?.phase).toBe('active');
    expect(together(machine, [1, 2]).ok).toBe(true);
    expect(machine.state.run?.phase).toBe('ended');
  });
});

describe('stopping one child', () => {
  const stop = (machine: Machine, code: 'child_timeout' | 'deleted' = 'child_timeout') => {
    return machine.childStopped(0, code);
  };

  it('[DG10, DG6] is committed first; the child is asked to stop and not begun again, and its end settles the call with the reason', () => {
    const machine = delegated({ calls: children(2) });
    stop(machine);
    expect(machine.owed).toMatchObject([
      { kind: 'stop_child', child: { childId: 1 } },
      { kind: 'child', child: { childId: 2 } },
    ]);
    expect(machine.call(0).settled).toBeUndefined();
    machine.recover();
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['stop_child', 'child']);
    machine.childEnded(0, { status: 'completed', output: 'too late', completionReason: 'text' });
    expect(machine.call(0).settled?.result).toEqual({ success: false, error: failure('child_timeout') });
    expect(machine.open).toEqual([1]);
  });

  it('[DG6, SE4] keeps its first reason, and does nothing for a call that has its result', () => {
    const machine = delegated({ calls: children(2) });
    stop(machine, 'child_timeout');
    stop(machine, 'deleted');
    expect(machine.child(0).state).toMatchObject({ is: 'stopping', error: failure('child_timeout') });
    machine.childEnded(0);
    const before = machine.state;
    stop(machine, 'deleted');
    expect(machine.state).toEqual(before);
  });
});
