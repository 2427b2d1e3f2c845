import { describe, expect, it } from 'vitest';
import { stepMessages } from '../../src/core/agent/transcript';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { unpairedCalls } from '../../src/protocol/messages';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';

/** A machine that was interrupted while its model was asked, or with the calls of its reply. */
function interrupted(calls: readonly ReturnType<typeof planned.tool>[] = [], options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start('first');
  if (calls.length > 0) machine.reply({ calls });
  machine.interrupt();
  return machine;
}

const TASK = { childId: 1, task: 1 };

const epoch = (machine: Machine) => machine.state.run?.epoch;

describe('a sub-agent', () => {
  it('[RS7] that works already answers its parent’s resume as done, and takes none from anybody else', () => {
    const machine = new Machine({ child: true });
    machine.start();
    machine.reply({ calls: [planned.client()] });
    machine.stop('interrupt');
    expect(refusal(machine.apply({ type: 'resume', runId: 'r_mine' }))).toBe('owned_by_parent');
    expect(machine.apply({ type: 'resume', runId: 'r_me.2', task: TASK }).ok).toBe(true);
    const before = machine.state;
    expect(machine.apply({ type: 'resume', runId: 'r_me.3', task: TASK }).ok).toBe(true);
    expect(machine.state).toBe(before);
  });
});

describe('a resume', () => {
  it('[RS1, CL2, W27] goes on with the step that was open: what is settled stays, what was open goes on', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.tool(), planned.client(), planned.child(), planned.child()] });
    machine.settle(0, { success: true, value: 'kept' });
    machine.childEnded(3);
    machine.interrupt();
    machine.cut(1);
    machine.childEnded(4, { status: 'interrupted', reason: 'x' });
    const before = machine.state.run;
    const ids = machine.step.calls.map(({ callId }) => callId);
    machine.resume();
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 2, lineage: { resumedFrom: before?.runId } });
    expect(machine.chunksOf('run_started').at(-1)).toEqual({
      type: 'run_started',
      turn: 2,
      chainTurn: 1,
      resumedFrom: before?.runId,
    });
    expect(machine.due).toEqual(['tool 1', 'child 4']);
    expect(machine.step.calls.map(({ callId }) => callId)).toEqual(ids);
    expect(machine.call(0).settled?.result).toEqual({ success: true, value: 'kept' });
    expect(machine.call(1)).toMatchObject({ bodies: 2 });
    expect(machine.child(4)).toMatchObject({ runNumber: 2, state: { is: 'working' } });
    expect(machine.chunksOf('tool_start')).toHaveLength(5);
    expect(machine.chunksOf('subagent_start')).toHaveLength(2);
    machine.settle(1);
    machine.give(2, 'yes');
    machine.childEnded(4);
    expect(machine.chunksOf('tool_end')).toHaveLength(5);
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2, id: 2 });
  });

  it('[RS1] asks the model again, as a new attempt, with what has arrived since, in order', () => {
    const machine = interrupted();
    machine.resume('second');
    expect(machine.chunksOf('step_discarded')).toEqual([{ type: 'step_discarded', reason: 'interrupted' }]);
    expect(machine.chunks.find(({ body }) => body.type === 'step_discarded')).toMatchObject({ step: 1, attempt: 1 });
    expect(machine.state.step).toMatchObject({ id: 1, number: 1, attempt: 2, messagesUpTo: 2 });
    expect(machine.state.inbox).toEqual([]);
    expect(machine.chunksOf('message_delivered')).toHaveLength(2);
    expect(machine.due).toEqual(['model']);
  });

  it('[RS1, DL1] keeps the order of messages that wait for the next step', () => {
    const machine = new Machine();
    machine.start('1');
    machine.reply({ calls: [planned.client()] });
    machine.send('2');
    machine.interrupt();
    machine.resume('3');
    machine.send('4');
    machine.give(0, 'x');
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 4 });
    const messages = machine.changes.flatMap((change) => (change.put === 'message' ? [change.message] : []));
    expect(messages.map(({ content }) => content)).toEqual(['1', '2', '3', '4']);
    expect(machine.chunksOf('message_delivered').map(({ messageId }) => messageId)).toEqual(
      messages.map(({ messageId }) => messageId),
    );
  });

  it('[RS1, DL5] a message to an interrupted agent lets it go on', () => {
    const machine = interrupted();
    const first = machine.state.run?.runId;
    machine.send('Go on.');
    expect(machine.state.run).toMatchObject({ phase: 'active', lineage: { resumedFrom: first } });
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 2, attempt: 2 });
  });

  it('[RS1, SP11] before the first step begins one, and tells the hooks of the new run', () => {
    const machine = interrupted([], { hooks: ['onAgentStart'] });
    expect(machine.state.step).toBeUndefined();
    machine.resume();
    expect(machine.hooksDone()).toEqual(['onAgentStart']);
    expect(machine.due).toEqual(['model']);
  });

  it('[RS2, RN5, ST2] has what is left of the budget of steps and tokens, over any number of resumes', () => {
    const machine = new Machine({ limits: { maxSteps: 3, maxTokens: 30 } });
    machine.start();
    for (let step = 1; step <= 2; step++) {
      machine.reply({ calls: [planned.tool()], usage: { inputTokens: 5, outputTokens: 0 } });
      machine.settle(0);
      machine.interrupt();
      machine.resume();
    }
    expect(machine.state.run).toMatchObject({ lineage: { chainTurn: 1, usageAtChainStart: { inputTokens: 0 } } });
    expect(machine.state.step).toMatchObject({ number: 3 });
    machine.reply({ calls: [planned.refused()] });
    expect(machine.outcome).toMatchObject({ error: { code: 'max_steps' } });
    const spent = new Machine({ limits: { maxTokens: 11 } });
    spent.start();
    spent.reply({ calls: [planned.tool()] });
    spent.interrupt();
    spent.cut(0);
    spent.resume();
    spent.settle(0);
    expect(spent.outcome).toMatchObject({ error: { code: 'max_tokens' } });
  });

  it('[RS1, RC3] runs a body that was cut off again at most `maxToolReplays` times in all', () => {
    const machine = new Machine({ limits: { maxToolReplays: 2 } });
    machine.start();
    machine.reply({ calls: [planned.tool()] });
    machine.interrupt();
    machine.cut(0);
    machine.resume();
    expect(machine.due).toEqual(['tool 0']);
    machine.interrupt();
    machine.cut(0);
    machine.resume();
    expect(machine.chunksOf('tool_end')).toMatchObject([{ success: false, error: { code: 'outcome_unknown' } }]);
    expect(machine.due).toEqual(['model']);
  });

  it('[RS6, RC6] has a higher epoch: what a body of the run before still does is refused', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool()] });
    const old = epoch(machine) ?? 0;
    const { callId } = machine.call(0);
    machine.interrupt();
    machine.cut(0);
    machine.resume();
    expect(epoch(machine)).toBeGreaterThan(old);
    const late = { by: callId, epoch: old } as const;
    const result = { success: true, value: 'late' } as const;
    expect(refusal(machine.apply({ type: 'custom_changed', ...late, custom: {}, patch: [] }))).toBe('superseded');
    expect(refusal(machine.apply({ type: 'tool_settled', callId, epoch: old, result, startedAt: 0 }))).toBe(
      'superseded',
    );
    expect(machine.settle(0).ok).toBe(true);
  });

  it('[RS7] from the parent names the run; asked for again, or after something newer, it changes nothing', () => {
    const machine = new Machine({ child: true });
    const runId = (entry: number) => childRunId('s_me', entry);
    machine.apply({ type: 'start', runId: runId(1), task: TASK, messages: [] });
    machine.interrupt();
    const again = { type: 'resume', runId: runId(3), task: TASK } as const;
    machine.apply(again);
    expect(machine.state.run).toMatchObject({ runId: runId(3), phase: 'active' });
    for (const number of [1, 2, 3]) {
      const { state } = machine;
      expect(machine.apply({ type: 'resume', runId: runId(number), task: TASK }).ok).toBe(true);
      expect(machine.state).toEqual(state);
    }
    machine.reply({ text: 'done' });
    const { state } = machine;
    expect(machine.apply({ type: 'resume', runId: runId(4), task: TASK }).ok, 'nothing is left to go on with').toBe(
      true,
    );
    expect(machine.state).toEqual(state);
  });

  it('[RS1, CS7] of a run that waits lets the sub-agents go on that were interrupted under it', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child(), planned.child()] });
    machine.childEnded(0, { status: 'interrupted', reason: 'x' });
    machine.childWaits(1);
    expect(machine.status).toBe('suspended_awaiting_children');
    const { runId } = machine.state.run ?? {};
    expect(machine.resume().ok).toBe(true);
    expect(machine.state.run?.runId).toBe(runId);
    expect(machine.due).toEqual(['child 0']);
    expect(machine.status).toBe('running');
  });
});

describe('what cannot be resumed or tried again', () => {
  const cases: readonly [string, (machine: Machine) => void, string | undefined, string | undefined][] = [
    ['completed', (machine) => machine.reply({ text: 'x' }), 'not_resumable', 'not_retryable'],
    ['failed', (machine) => machine.fail('model_refused'), 'not_resumable', undefined],
    ['aborted', (machine) => machine.stop('abort'), 'not_resumable', undefined],
    ['interrupted', (machine) => machine.interrupt(), undefined, 'not_retryable'],
    ['terminated', (machine) => machine.stop('terminate'), 'terminated', 'terminated'],
    ['at work', () => undefined, 'already_running', 'already_running'],
    ['waiting', (machine) => machine.reply({ calls: [planned.client()] }), 'awaiting_input', 'awaiting_input'],
    [
      'being interrupted',
      (machine) => {
        machine.reply({ calls: [planned.tool()] });
        machine.interrupt();
      },
      'already_running',
      'already_running',
    ],
  ];

  it.for(cases)('[RS4, SE4] a run that is %s', ([, bring, resume, retry]) => {
    for (const [verb, code] of [
      ['resume', resume],
      ['retry', retry],
    ] as const) {
      const machine = new Machine();
      machine.start();
      bring(machine);
      const { state } = machine;
      expect(refusal(machine[verb]('x')), verb).toBe(code);
      if (code !== undefined) expect(machine.state, verb).toBe(state);
      else
        expect(machine.state.run, verb).toMatchObject({ phase: 'active', lineage: { resumedFrom: state.run?.runId } });
    }
  });

  it('[RS4] a session that never ran', () => {
    expect(refusal(new Machine().resume())).toBe('not_resumable');
    expect(refusal(new Machine().retry())).toBe('not_retryable');
  });
});

describe('a retry', () => {
  it('[RS3, RS2] asks a question again that failed, with all its retries and a fresh budget', () => {
    const machine = new Machine({ limits: { maxSteps: 2, modelRetries: 1 } });
    machine.start();
    machine.reply({ calls: [planned.refused()] });
    machine.fail('model_timeout');
    machine.fail('model_timeout');
    expect(machine.outcome).toMatchObject({ error: { code: 'model_timeout' } });
    const failed = machine.state.run;
    machine.retry('Try again.');
    expect(machine.state.run).toMatchObject({
      phase: 'active',
      lineage: { resumedFrom: failed?.runId, chainTurn: 2 },
      turn: 2,
    });
    expect(machine.chunksOf('step_discarded').at(-1)).toEqual({ type: 'step_discarded', reason: 'retried' });
    expect(machine.state.step).toMatchObject({ id: 2, number: 1, attempt: 3, failures: [], messagesUpTo: 2 });
    machine.fail('model_overloaded');
    expect(machine.outcome).toBeUndefined();
    machine.reply({ calls: [planned.refused()] });
    expect(machine.state.step).toMatchObject({ number: 2 });
  });

  it('[RS3, CL2] goes on after what is settled, and repeats none of it', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.client(), planned.child()] });
    machine.settle(0);
    machine.stop('abort');
    machine.childEnded(2, { status: 'failed', error: failure('aborted') });
    const ends = machine.chunksOf('tool_end').length;
    machine.retry();
    expect(machine.due).toEqual(['model']);
    expect(machine.state.step).toMatchObject({ id: 2, number: 1, phase: 'model' });
    expect(machine.chunksOf('tool_end')).toHaveLength(ends);
  });

  it('[RS3] of a run that failed at its limit of steps has new ones', () => {
    const machine = new Machine({ limits: { maxSteps: 1 } });
    machine.start();
    machine.reply({ calls: [planned.refused()] });
    expect(machine.outcome).toMatchObject({ error: { code: 'max_steps' } });
    machine.retry();
    expect(machine.due).toEqual(['model']);
  });
});

describe('a start on a session at rest', () => {
  it('[RS5, MS1, RN4] closes all that an interrupted run has left open, in the run that comes instead', () => {
    const machine = new Machine({ hooks: ['afterTool', 'onChildSettled'] });
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.client(), planned.approval(), planned.child()] });
    machine.interrupt();
    machine.cut(0);
    machine.childEnded(3, { status: 'interrupted', reason: 'x' });
    const left = machine.step;
    expect(machine.open).toEqual([0, 1, 2, 3]);
    const answer = machine.start('instead');
    expect(answer.ok && answer.chunks.map(({ body }) => body.type)).toEqual([
      'run_started',
      'tool_end',
      'tool_end',
      'tool_end',
      'subagent_end',
      'tool_end',
      'message_delivered',
      'step_started',
    ]);
    expect(answer.ok && new Set(answer.chunks.map(({ runId }) => runId))).toEqual(new Set([machine.state.run?.runId]));
    expect(machine.hookDue, 'nobody waited for them any more').toBeUndefined();
    const settlements = machine.changes.filter((change) => change.put === 'settlement' && change.stepId === left.id);
    expect(settlements).toHaveLength(4);
    for (const change of settlements)
      expect(change).toMatchObject({ settlement: { result: { success: false, error: { code: 'superseded' } } } });
    expect(unpairedCalls(stepMessages(left))).toEqual([]);
    expect(machine.state.run).toMatchObject({ turn: 2, lineage: { chainTurn: 2 } });
    expect(machine.state.run?.lineage).not.toHaveProperty('resumedFrom');
  });

  it('[RS5] finds nothing open after an abort', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.client()] });
    machine.stop('abort');
    const ends = machine.chunksOf('tool_end').length;
    machine.start();
    expect(machine.chunksOf('tool_end')).toHaveLength(ends);
    expect(machine.due).toEqual(['model']);
  });
});
