/** Children that outlive a call, and tasks that no step waits for. No tool offers them: the relationship alone says so. */
import { describe, expect, it } from 'vitest';
import { openTasks } from '../../src/core/agent/children/await';
import type { PlannedCall } from '../../src/core/agent/events';
import { effects } from '../../src/core/agent/owed-effects';
import { isAtRest } from '../../src/core/agent/runs/status';
import type { Outcome } from '../../src/core/agent/state';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';
import { waitTool } from '../support/wait-tool';

type ChildCall = Extract<PlannedCall, { kind: 'child' }>;

const named = (childName: string | undefined, more: Partial<ChildCall> = {}): ChildCall => ({
  ...planned.child(),
  lifetime: 'named',
  ...(childName === undefined ? {} : { childName }),
  ...more,
});
const background = (more: Partial<ChildCall> = {}): ChildCall => ({
  ...planned.child(),
  await: 'notice',
  deliver: 'notice',
  ...more,
});

function called(calls: PlannedCall[], options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply({ calls });
  return machine;
}

const done = (output: string): Outcome => ({ status: 'completed', output, completionReason: 'text' });
const notices = (machine: Machine) =>
  machine.changes.flatMap((change) =>
    change.put === 'message' && change.message.from === 'offshoot' ? [String(change.message.content)] : [],
  );

describe('a named child', () => {
  it('[DG26] takes one task after the other: the same child, session and address, the next task and the next run', () => {
    const machine = called([named('ada'), planned.tool()]);
    const first = machine.child(0);
    expect(first).toMatchObject({ childId: 1, name: 'ada', address: '/agents/top/one/sub/leaf/ada', runNumber: 1 });
    expect(machine.chunksOf('subagent_start')).toMatchObject([{ mode: 'persistent', childId: 1, task: 1 }]);
    machine.childEnded(0, done('one'));
    machine.settle(1);
    expect(machine.state.children.size).toBe(0);
    machine.reply({ calls: [named('ada'), planned.tool()] });
    const second = machine.child(0);
    expect(second).toMatchObject({ childId: 1, sessionId: first.sessionId, address: first.address, runNumber: 2 });
    expect(second.task).toMatchObject({ number: 2, firstRun: 2, callId: machine.call(0).callId });
    expect(machine.owed).toMatchObject([{ kind: 'tool' }, { kind: 'child', child: { task: { number: 2 } } }]);
    machine.childEnded(0, done('two'));
    const ends = machine.chunksOf('subagent_end');
    expect(ends).toMatchObject([
      { task: 1, result: 'one' },
      { task: 2, result: 'two' },
    ]);
  });

  it('[DG26, DG3] a word of its last task is none of the next one', () => {
    const machine = called([named('ada')]);
    const old = machine.delegation(0);
    machine.childEnded(0, done('one'));
    machine.reply({ calls: [named('ada')] });
    const again = { type: 'child_settled', ...old, outcome: done('late'), usage: NO_USAGE } as const;
    expect(refusal(machine.apply(again))).toBe('superseded');
    const task = machine.delegation(0).task;
    const { state } = machine;
    machine.apply({ type: 'child_settled', task, runId: old.runId, outcome: done('late'), usage: NO_USAGE });
    expect(machine.state).toBe(state);
  });

  it('[DG26] spends what its session has spent since the last task', () => {
    const machine = called([named('ada')]);
    const ended = (modelCalls: number) =>
      machine.apply({
        type: 'child_settled',
        ...machine.delegation(0),
        outcome: done('x'),
        usage: { ...NO_USAGE, modelCalls },
      });
    ended(3);
    machine.reply({ calls: [named('ada')] });
    ended(8);
    expect(machine.chunksOf('subagent_end').map(({ usage }) => usage.modelCalls)).toEqual([3, 5]);
  });

  it('[DG26] has one task at a time, and its name is that of no other kind', () => {
    const machine = called([named('ada'), named('ada'), named('eve')]);
    expect(machine.call(1).settled?.result).toMatchObject({ success: false, error: { code: 'already_running' } });
    expect(machine.child(2)).toMatchObject({ childId: 2, name: 'eve' });
    machine.childEnded(0);
    machine.childEnded(2);
    machine.reply({ calls: [named('ada', { agentType: 'other' }), planned.tool()] });
    expect(machine.call(0).settled?.result).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  it('[DG26] has a name of its own where it is given none', () => {
    const machine = called([named(undefined), named(undefined)]);
    expect([0, 1].map((index) => machine.child(index).name)).toEqual(['leaf-1', 'leaf-2']);
  });

  it('[DG26] that was refused a task, or never began it, keeps its session and what it remembers', () => {
    const machine = called([named('ada')]);
    const { sessionId } = machine.child(0);
    machine.childEnded(0);
    for (const code of ['max_tree_children', 'interrupted'] as const) {
      machine.reply({ calls: [named('ada')] });
      const { task } = machine.delegation(0);
      const refused = { status: 'failed', error: failure(code) } as const;
      machine.apply({ type: 'child_settled', task, outcome: refused, usage: NO_USAGE });
    }
    machine.reply({ calls: [named('ada')] });
    expect(machine.due).toEqual(['child 0']);
    expect(machine.child(0)).toMatchObject({ sessionId, task: { number: 4 } });
  });

  it('[DG26, CS6] that is gone with its store is started anew under its name', () => {
    const machine = called([named('ada')]);
    const { sessionId } = machine.child(0);
    const { task } = machine.delegation(0);
    const lost = { status: 'failed', error: failure('subagent_lost') } as const;
    machine.apply({ type: 'child_settled', task, outcome: lost, usage: NO_USAGE });
    machine.reply({ calls: [named('ada')] });
    expect(machine.due).toEqual(['respawn_child 0']);
    machine.respawned(0);
    expect(machine.child(0)).toMatchObject({ childId: 1, name: 'ada', runNumber: 1, state: { is: 'working' } });
    expect(machine.child(0).sessionId).not.toBe(sessionId);
    expect(machine.due).toEqual(['child 0']);
    machine.childEnded(0, done('again'));
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ success: true, result: 'again' });
  });
});

describe('a task in the background', () => {
  it('[DG27] has its call’s result at once, and its end is a message that the next step sees', () => {
    const machine = called([background(), planned.tool()]);
    const { address } = machine.child(0);
    expect(machine.call(0).settled?.result).toMatchObject({ success: true, value: { status: 'started', address } });
    expect(machine.types.filter((type) => type === 'subagent_end')).toEqual([]);
    expect(machine.due).toEqual(['tool 1', 'child 0']);
    machine.childEnded(0, done('found'));
    expect(machine.chunksOf('subagent_end')).toMatchObject([{ success: true, result: 'found' }]);
    expect(notices(machine)).toEqual([expect.stringContaining('"found"')]);
    machine.settle(1);
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 2 });
    expect(machine.state.children.size).toBe(0);
  });

  it('[DG27] goes on when its parent has ended, which waits for nothing; its end waits for the next turn', () => {
    const machine = called([background()]);
    machine.reply({ text: 'Done.' });
    expect(machine.outcome).toMatchObject({ status: 'completed' });
    const [owed] = machine.owed;
    expect(owed).toMatchObject({ kind: 'child', child: { task: { input: { q: 1 } } } });
    const [child] = machine.state.children.values();
    if (child === undefined) throw new Error('It has no child.');
    const task = { childId: child.childId, task: child.task.number };
    const runId = childRunId(child.sessionId, 1);
    machine.apply({ type: 'child_waits', task, runId, waits: true });
    expect([machine.status, machine.owed]).toEqual(['completed', []]);
    machine.apply({ type: 'child_waits', task, runId, waits: false });
    machine.apply({ type: 'child_settled', task, runId, outcome: done('late'), usage: NO_USAGE });
    expect(notices(machine)).toHaveLength(1);
    machine.start('And now?');
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 3 });
  });

  it('[DG27, SP9] is stopped with its parent, resumed with it, and failed with it', () => {
    const machine = called([background(), planned.client()]);
    machine.interrupt();
    expect(machine.due).toEqual(['interrupt child 0']);
    machine.childEnded(0, { status: 'interrupted', reason: 'x' });
    expect(machine.outcome).toMatchObject({ status: 'interrupted' });
    machine.resume();
    expect(machine.due).toEqual(['child 0']);
    expect(machine.child(0)).toMatchObject({ runNumber: 2 });
    machine.stop('abort');
    machine.childEnded(0, { status: 'failed', error: failure('aborted'), failureReason: 'aborted' });
    expect(machine.outcome).toMatchObject({ status: 'failed' });
    expect(notices(machine)).toEqual([expect.stringContaining('failed')]);
  });

  it('[DG27, SP10] of a session at rest is stopped by its end, in a last run', () => {
    const machine = called([background()]);
    machine.reply({ text: 'Done.' });
    machine.stop('terminate');
    expect(machine.owed).toMatchObject([{ kind: 'stop_child', verb: 'terminate' }]);
    const [child] = machine.state.children.values();
    if (child === undefined) throw new Error('It has no child.');
    const task = { childId: child.childId, task: child.task.number };
    const outcome = { status: 'terminated', reason: 'x' } as const;
    machine.apply({ type: 'child_settled', task, runId: childRunId(child.sessionId, 1), outcome, usage: NO_USAGE });
    expect([machine.status, machine.owed]).toEqual(['terminated', []]);
  });

  it('[DG27, RC6] is owed again after a crash, also of a parent at rest', () => {
    const machine = called([background()]);
    machine.reply({ text: 'Done.' });
    expect(effects(structuredClone(machine.state), machine.rules)).toEqual(machine.owed);
  });

  it('[DG27, CS2] that was interrupted goes on with a new turn of its parent', () => {
    const machine = called([background(), planned.client()]);
    machine.interrupt();
    machine.childEnded(0, { status: 'interrupted', reason: 'x' });
    machine.start('Anew.');
    expect(machine.owed).toMatchObject([{ kind: 'model' }, { kind: 'child', child: { runNumber: 2 } }]);
  });

  it('[DG27] of a named child tells its end by its name; awaited, the call says only that it ended', () => {
    const machine = called([background({ lifetime: 'named', childName: 'ada' }), named('eve', { deliver: 'notice' })]);
    machine.childEnded(0, done('a'));
    expect(notices(machine)).toEqual([expect.stringMatching(/"?ada.*"a"/)]);
    machine.childEnded(1, done('e'));
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ result: { status: 'completed' } });
    expect(notices(machine).at(-1)).toMatch(/eve.*"e"/);
    expect(machine.chunksOf('subagent_end').map(({ result }) => result)).toEqual(['a', 'e']);
  });
});

describe('a call that awaits what others began', () => {
  const wait = (names: string[], need?: 'any' | number): PlannedCall => {
    const args = { names, ...(need === undefined ? {} : { need }) };
    return { providerId: 'p', name: '__wait__', input: args, kind: 'built_in', args };
  };
  const ALL = ['ada', 'eve', 'kim'];
  /** Three children at work in the background, and a later step whose only call waits for them. */
  function waiting(need?: 'any' | number, beside: PlannedCall[] = [], more: Partial<ChildCall> = {}): Machine {
    const calls = ALL.map((childName) => background({ lifetime: 'named', childName, ...more }));
    const machine = called(calls, { builtIns: [waitTool] });
    machine.reply({ calls: [wait(ALL, need), ...beside] });
    return machine;
  }
  const told = (machine: Machine): unknown =>
    machine.chunksOf('tool_end').flatMap((end) => (Array.isArray(end.result) ? [end.result] : []))[0];
  const result = (name: string, said: string = name) => ({ name, task: 1, told: said });
  const interrupted = { status: 'interrupted', reason: 'x' } as const;
  const aborted = { status: 'failed', error: failure('aborted'), failureReason: 'aborted' } as const;

  it('[DG30] has its result when all have ended, in the order of their ends, and no notice tells it again', () => {
    const machine = waiting();
    expect([machine.status, machine.open, machine.due]).toEqual([
      'suspended_awaiting_children',
      [0],
      ALL.map(() => 'child -1'),
    ]);
    machine.namedEnded('kim');
    machine.namedEnded('ada', aborted);
    expect(machine.open).toEqual([0]);
    machine.namedEnded('eve');
    expect(told(machine)).toEqual([result('kim'), result('ada', 'aborted'), result('eve')]);
    expect([machine.state.step?.phase, notices(machine)]).toEqual(['model', []]);
    expect(machine.types.slice(-5)).toEqual([
      'subagent_end',
      'tool_end',
      'step_committed',
      'step_started',
      'unsuspended',
    ]);
  });

  it('[DG30] goes on with the first of any, and with as many as it needs; the others tell their ends by notices', () => {
    const any = waiting('any');
    any.namedEnded('eve');
    expect(told(any)).toEqual([result('eve')]);
    any.namedEnded('ada');
    expect(notices(any)).toEqual([expect.stringContaining('"ada"')]);
    const two = waiting(2);
    two.namedEnded('eve');
    expect(two.open).toEqual([0]);
    two.namedEnded('kim');
    expect(told(two)).toEqual([result('eve'), result('kim')]);
    expect([two.state.children.size, notices(two)]).toEqual([1, []]);
  });

  it('[DG30] counts those that had ended before it began; what has ended already is its result at once', () => {
    const machine = called([background({ lifetime: 'named', childName: 'ada' }), named('eve')], {
      builtIns: [waitTool],
    });
    machine.namedEnded('ada');
    machine.namedEnded('eve');
    machine.reply({ calls: [wait(['ada', 'eve'], 'any'), background({ lifetime: 'named', childName: 'kim' })] });
    expect(told(machine)).toEqual([result('ada'), result('eve')]);
    expect(machine.state.step).toMatchObject({ phase: 'model' });
    machine.reply({ calls: [wait(['kim', 'eve'])] });
    expect(machine.open).toEqual([0]);
    machine.namedEnded('kim');
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ result: [result('eve'), result('kim')] });
  });

  it('[DG30, BT3] awaits a task of a child of its own reply, beside the call that began it', () => {
    const machine = called([named('ada'), wait(['ada'])], { builtIns: [waitTool] });
    machine.namedEnded('ada');
    expect(machine.chunksOf('tool_end')).toMatchObject([{ result: 'ada' }, { result: [result('ada')] }]);
    expect(machine.types.filter((type) => type === 'subagent_end')).toHaveLength(1);
  });

  it('[DG30, BT3] is refused where it names nobody, or needs none of them or more than there are', () => {
    for (const [names, need] of [
      [['bob'], undefined],
      [['ada'], 0],
      [['ada'], 2],
      [['ada', 'ada'], 2],
      [['ada'], 0.5],
    ] as const) {
      const machine = called([background({ lifetime: 'named', childName: 'ada' }), wait([...names], need)], {
        builtIns: [waitTool],
      });
      expect(
        machine.chunksOf('tool_end').map(({ success }) => success),
        `${names} ${need}`,
      ).toEqual([true, false]);
    }
  });

  it('[DG30, CL2] of which there are several tells an end that another has told no more: closed together, they owe each notice once', () => {
    const machine = waiting(undefined, [wait(['ada', 'eve'], 'any'), wait(['ada', 'eve', 'kim'])]);
    machine.namedEnded('ada', aborted);
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ result: [result('ada', 'aborted')] });
    machine.namedEnded('eve');
    expect([machine.open, notices(machine)]).toEqual([[0, 2], []]);
    machine.interrupt();
    machine.namedEnded('kim', interrupted);
    machine.start();
    expect(notices(machine)).toEqual([expect.stringContaining('"eve"')]);
  });

  it('[DG30, CO6] is a consult while one of them works, and waits for a person when none does', () => {
    const machine = waiting();
    expect(isAtRest(machine.state)).toBe(false);
    for (const name of ['ada', 'eve']) {
      const child = machine.named(name);
      const task = { childId: child.childId, task: 1 };
      machine.apply({ type: 'child_waits', task, runId: childRunId(child.sessionId, 1), waits: true });
    }
    expect([machine.status, isAtRest(machine.state)]).toEqual(['suspended_awaiting_children', false]);
    machine.namedEnded('kim');
    expect([machine.status, isAtRest(machine.state)]).toEqual(['suspended_awaiting_children', true]);
    expect(machine.chunksOf('suspended').at(-1)?.children).toHaveLength(2);
  });

  it('[DG30, RS1] stays open under an interrupt with what it has, and goes on with the run that resumes', () => {
    const machine = waiting();
    machine.namedEnded('ada');
    machine.interrupt();
    for (const name of ['eve', 'kim']) machine.namedEnded(name, interrupted);
    expect([machine.outcome?.status, notices(machine)]).toEqual(['interrupted', []]);
    machine.resume();
    for (const name of ['eve', 'kim']) machine.namedEnded(name);
    expect(told(machine)).toEqual(ALL.map((name) => result(name)));
    expect(notices(machine)).toEqual([]);
  });

  it.each(['abort', 'terminate'] as const)(
    '[DG30, SP5] has its result under %s when those that it awaits have ended',
    (verb) => {
      const machine = waiting();
      machine.namedEnded('ada');
      machine.stop(verb);
      expect(machine.open).toEqual([0]);
      for (const name of ['eve', 'kim']) machine.namedEnded(name, aborted);
      expect(told(machine)).toEqual([result('ada'), result('eve', 'aborted'), result('kim', 'aborted')]);
      expect(machine.outcome?.status).toBe(verb === 'abort' ? 'failed' : 'terminated');
      expect(machine.state.children.size).toBe(0);
    },
  );

  it('[DG30, DG27] that a new start closes leaves its tasks open; what it had kept is told by notices, once', () => {
    const machine = waiting();
    machine.namedEnded('ada');
    machine.interrupt();
    for (const name of ['eve', 'kim']) machine.namedEnded(name, interrupted);
    machine.start('Anew.');
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ error: { code: 'superseded' } });
    expect(notices(machine)).toEqual([expect.stringContaining('"ada"')]);
    expect(machine.owed).toMatchObject([{ kind: 'model' }, { kind: 'child' }, { kind: 'child' }]);
    machine.namedEnded('eve');
    expect(notices(machine)).toHaveLength(2);
  });

  it('[DG30, CS6] awaits the child that takes the place of one that was failed for its parent’s wait', () => {
    const machine = waiting('any', [planned.client()], { onParentSuspend: 'respawn' });
    for (const name of ALL)
      machine.namedEnded(name, {
        status: 'failed',
        error: failure('parent_suspended'),
        failureReason: 'parent_suspended',
      });
    machine.give(1, 'ok');
    expect(machine.due).toEqual(ALL.map(() => 'respawn_child -1'));
    for (const name of ALL)
      machine.apply({ type: 'child_respawn', task: { childId: machine.named(name).childId, task: 1 } });
    machine.namedEnded('eve');
    expect(told(machine)).toEqual([{ ...result('eve'), task: 2 }]);
  });

  it('[DG30, DG7] is told of one that is lost, or was deleted, as of a failure', () => {
    const machine = waiting();
    machine.namedEnded('ada', { status: 'failed', error: failure('subagent_lost') }, { gone: true });
    machine.namedEnded('eve', { status: 'failed', error: failure('deleted') }, { gone: true });
    machine.namedEnded('kim');
    expect(told(machine)).toEqual([result('ada', 'subagent_lost'), result('eve', 'deleted'), result('kim')]);
  });

  it('[DG30, DG14] has a failure as its result where the ends together are larger than a result may be', () => {
    const calls = ALL.map((childName) => background({ lifetime: 'named', childName }));
    const machine = called(calls, { builtIns: [waitTool], limits: { maxToolResultBytes: 1_000 } });
    machine.reply({ calls: [wait(ALL)] });
    for (const name of ALL) machine.namedEnded(name, done('x'.repeat(400)));
    expect(machine.chunksOf('tool_end').at(-1)).toMatchObject({ error: { code: 'tool_result_too_large' } });
  });

  it('[TR10] is told to the root as what is open of it, and how many of those it needs', () => {
    const keys = (...ids: number[]) => ids.map((childId) => ({ childId, task: 1 }));
    const two = waiting(2, [named('own')]);
    expect(openTasks(two.state)).toEqual([
      { tasks: keys(4), need: 1 },
      { tasks: keys(1, 2, 3), need: 2 },
    ]);
    two.namedEnded('eve');
    expect(openTasks(two.state)).toEqual([
      { tasks: keys(4), need: 1 },
      { tasks: keys(1, 3), need: 1 },
    ]);
    two.namedEnded('ada');
    expect(openTasks(two.state)).toEqual([
      { tasks: keys(4), need: 1 },
      { tasks: keys(3), need: 0 },
    ]);
  });
});
