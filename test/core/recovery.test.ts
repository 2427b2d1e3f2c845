import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, planned } from '../support/machine';

describe('recovery', () => {
  it('[RC6] raises the epoch of an active run; a session at rest stays as it is', () => {
    const machine = new Machine();
    const idle = machine.state;
    machine.recover();
    expect(machine.state).toBe(idle);
    machine.start();
    machine.recover();
    machine.recover();
    expect(machine.state.run).toMatchObject({ phase: 'active', epoch: 3 });
    machine.reply({ text: 'done' });
    const ended = machine.state;
    machine.recover();
    expect(machine.state).toBe(ended);
    expect(machine.chunksOf('run_recovered')).toHaveLength(2);
  });

  it('[RC6, RC2] asks the model again as a new attempt of the same step, after the attempt was discarded', () => {
    const machine = new Machine();
    machine.start();
    machine.apply({
      type: 'model_progress',
      ...machine.fence,
      deltas: [{ type: 'text', part: 0, delta: 'Half a tho' }],
    });
    machine.recover();
    expect(machine.types.slice(-3)).toEqual(['text_delta', 'run_recovered', 'step_discarded']);
    const discarded = machine.chunks.at(-1);
    expect(discarded).toMatchObject({ step: 1, attempt: 1 });
    expect(machine.owed).toMatchObject([{ kind: 'model', number: 1, attempt: 2, epoch: 2 }]);
    expect(machine.state.step).toMatchObject({ id: 1, messagesUpTo: 1, recoveries: 1 });
  });

  it('[RC6, RC2] waits for a model retry as long as before', () => {
    const machine = new Machine();
    machine.start();
    machine.fail('model_overloaded');
    const due = machine.owed.map((effect) => effect.kind === 'model' && effect.notBefore);
    machine.recover();
    expect(machine.owed.map((effect) => effect.kind === 'model' && effect.notBefore)).toEqual(due);
  });

  it('[RC6, RC2] has each body that is under way done again: what the older epoch does is another effect', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.tool(), planned.tool()] });
    machine.settle(1);
    const ids = new Set<string>();
    for (let times = 0; times < 3; times++) {
      const owed = machine.owed.filter(({ kind }) => kind === 'tool');
      expect(owed).toHaveLength(2);
      for (const { id } of owed) expect(ids).not.toContain(id);
      for (const { id } of owed) ids.add(id);
      machine.recover();
    }
  });

  it('[RC6, DG10] owes children as before: they are asked again, not made again', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child(), planned.child()] });
    machine.childEnded(0);
    const owed = machine.owed;
    machine.recover();
    expect(machine.owed).toEqual(owed);
    expect(machine.chunksOf('subagent_start')).toHaveLength(2);
  });

  it('[RC4, DF3] ten recoveries of a step are well, the eleventh fails the run', () => {
    expect(DEFAULT_LIMITS.maxRecoveries).toBe(10);
    const machine = new Machine();
    machine.start();
    for (let recovery = 1; recovery <= 10; recovery++) machine.recover();
    expect(machine.state.run).toMatchObject({ phase: 'active' });
    machine.recover();
    expect(machine.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'max_recoveries' },
      failureReason: 'max_recoveries',
    });
    expect(machine.owed).toEqual([]);
  });

  it('[RC4] a step that is committed in between gives all of them anew', () => {
    const machine = new Machine({ limits: { maxRecoveries: 2, maxToolReplays: 100 } });
    machine.start();
    for (let step = 1; step <= 5; step++) {
      machine.recover();
      machine.reply({ calls: [planned.tool()] });
      machine.recover();
      machine.settle(0);
    }
    expect(machine.state.run).toMatchObject({ phase: 'active', epoch: 11 });
    machine.recover();
    machine.reply({ calls: [planned.tool()] });
    machine.recover();
    machine.recover();
    expect(machine.outcome).toMatchObject({ error: { code: 'max_recoveries' } });
  });

  it('[RC4, SP5, SP9, CL2] stops its children and awaits them before it ends, through further crashes', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1, maxToolReplays: 100 } });
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.child()] });
    machine.recover();
    machine.recover();
    expect(machine.call(0).settled?.result).toMatchObject({ error: { code: 'max_recoveries' } });
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['stop_child']);
    expect(machine.outcome).toBeUndefined();
    machine.recover();
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['stop_child']);
    machine.childEnded(1);
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
  });

  it('[RC4, SP7] a run that was stopped ends as stopped, however often it was recovered', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1 } });
    machine.start();
    machine.reply({ calls: [planned.child()] });
    machine.stop('terminate');
    for (let recovery = 0; recovery < 4; recovery++) machine.recover();
    machine.childEnded(0);
    expect(machine.outcome).toMatchObject({ status: 'terminated' });
  });

  it('[SU6, SU3] leaves a run as it is that waits for a person, however often: nothing of it could be lost', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1 }, child: true });
    machine.start();
    machine.reply({ calls: [planned.client(), planned.child()] });
    machine.waitAcknowledged();
    const { state } = machine;
    for (let recovery = 0; recovery < 5; recovery++) machine.recover();
    expect(machine.state).toEqual(state);
    expect(machine.due).toEqual(['child 1']);
  });

  it('[RC4] a hook before the first step that takes the process down again and again ends the run', () => {
    for (const hooks of [['onAgentStart'], ['onAgentStart', 'onAgentFail', 'onRunSettled']] as const) {
      const machine = new Machine({ limits: { maxRecoveries: 2 }, hooks: [...hooks] });
      machine.start();
      for (let recovery = 1; recovery <= 2; recovery++) machine.recover();
      expect(machine.hookDue).toBe('onAgentStart');
      machine.recover();
      for (const last of hooks.slice(1)) {
        expect(machine.hookDue).toBe(last);
        machine.hookDone();
      }
      expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
      expect(machine.owed).toEqual([]);
    }
    const next = new Machine({ limits: { maxRecoveries: 2 }, hooks: ['onAgentStart'] });
    next.start();
    for (let recovery = 1; recovery <= 2; recovery++) next.recover();
    next.hookDone();
    expect(next.state.step).toMatchObject({ recoveries: 0 });
    for (let recovery = 1; recovery <= 2; recovery++) next.recover();
    expect(next.state.run).toMatchObject({ phase: 'active' });
    next.recover();
    expect(next.outcome).toMatchObject({ error: { code: 'max_recoveries' } });
  });

  it('[RC4] hooks count as work: a run whose hook takes the process down again and again ends, as it was about to where it is the last one', () => {
    const limits = { maxRecoveries: 2 };
    const ended = (machine: Machine) => {
      for (let recovery = 1; recovery <= 2; recovery++) machine.recover();
      expect(machine.outcome).toBeUndefined();
      expect(machine.hookDue).toBeDefined();
      machine.recover();
      return machine.outcome;
    };
    const after = new Machine({ limits, hooks: ['afterTool'] });
    after.start();
    after.reply({ calls: [planned.tool(), planned.child()] });
    after.settle(0);
    expect(ended(after)).toBeUndefined();
    expect(after.due).toEqual(['abort child 1']);
    const last = new Machine({ limits, hooks: ['onAgentComplete', 'onAgentFail'] });
    last.start();
    last.reply({ text: 'done' });
    expect(ended(last)).toMatchObject({ status: 'completed', output: 'done' });
    for (const fail of [
      (machine: Machine) => machine.fail('model_refused'),
      (machine: Machine) => machine.stop('abort'),
    ]) {
      const failing = new Machine({ limits, hooks: ['onAgentFail'] });
      failing.start();
      fail(failing);
      expect(ended(failing)).toMatchObject({ status: 'failed' });
      expect(failing.types).not.toContain('step_discarded');
    }
  });

  it.each(['after_thread_created', 'onAgentStart', 'before_create_message', 'after_create_message'] as const)(
    '[RC4] a hook before the first step counts as well (%s): the run keeps the count until there is a step',
    (hook) => {
      const machine = new Machine({ limits: { maxRecoveries: 2 }, hooks: [hook] });
      machine.start();
      for (let recovery = 1; recovery <= 2; recovery++) machine.recover();
      expect([machine.outcome, machine.hookDue]).toEqual([undefined, hook]);
      machine.recover();
      expect(machine.outcome).toMatchObject({
        status: 'failed',
        error: { code: 'max_recoveries' },
        failureReason: 'max_recoveries',
      });
      expect(machine.owed).toEqual([]);
    },
  );
});

it('[RC4] sub-agents that are to begin with a prompt count as work, with the first step and with a later one', () => {
  const begins = (machine: Machine, prompt: string) => {
    machine.rules = { ...machine.rules, activates: prompt };
  };
  const ended = (machine: Machine) => {
    for (let recovery = 1; recovery <= 2; recovery++) machine.recover();
    expect([machine.outcome, machine.due]).toEqual([undefined, ['activate']]);
    machine.recover();
    return machine.outcome;
  };
  const first = new Machine({ limits: { maxRecoveries: 2 } });
  begins(first, 'opens');
  first.start();
  expect(ended(first)).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
  const later = new Machine({ limits: { maxRecoveries: 2 } });
  later.start();
  later.reply({ calls: [planned.tool()] });
  begins(later, 'goes_on');
  later.settle(0);
  expect(ended(later)).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
});

it('[RC4] the hooks of the result that a sub-agent gave count until its call has that, and no longer', () => {
  const machine = new Machine({ limits: { maxRecoveries: 2 } });
  machine.start();
  machine.reply({ calls: [planned.child(), planned.child()] });
  const begin = (index: number) =>
    machine.apply({ type: 'result_hooks', by: machine.call(index).callId, epoch: machine.fence.epoch });
  begin(0);
  machine.recover();
  begin(0);
  machine.childEnded(0);
  for (let crash = 0; crash < 5; crash++) machine.recover();
  expect([machine.outcome, machine.due]).toEqual([undefined, ['child 1']]);
  begin(1);
  machine.recover();
  expect(machine.due).toEqual(['child 1']);
  begin(1);
  machine.recover();
  expect(machine.due).toEqual(['abort child 1']);
});

it('[B3, RC4] a run that only waits for its children is recovered any number of times; one with a tool at work is not', () => {
  const waits = new Machine({ limits: { maxRecoveries: 2 } });
  waits.start();
  waits.reply({ calls: [planned.child(), planned.tool()] });
  for (let crash = 0; crash < 2; crash++) waits.recover();
  waits.settle(1);
  for (let crash = 0; crash < 10; crash++) waits.recover();
  expect([waits.outcome, waits.due]).toEqual([undefined, ['child 0']]);
  const works = new Machine({ limits: { maxRecoveries: 2 } });
  works.start();
  works.reply({ calls: [planned.child(), planned.tool()] });
  for (let crash = 0; crash < 3; crash++) works.recover();
  expect(works.due).toEqual(['abort child 0']);
});

describe('how often a run is recovered', () => {
  it('[TM4] recoveries are counted from the last step that was committed', () => {
    const machine = new Machine({ limits: { maxRecoveries: 2 } });
    machine.start();
    for (let step = 0; step < 5; step++) {
      machine.recover();
      machine.recover();
      expect(machine.outcome).toBeUndefined();
      machine.reply({ calls: [planned.tool()] });
      machine.settle(0);
    }
    machine.recover();
    machine.recover();
    machine.recover();
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
  });

  it('[B3, RC4] a run that only waits for its children may leave memory any number of times', () => {
    const machine = new Machine({ limits: { maxRecoveries: 1 } });
    machine.start();
    machine.reply({ calls: [planned.tool(), planned.child()] });
    machine.settle(0);
    const { owed, state } = machine;
    for (let time = 0; time < 5; time++) machine.recover();
    expect(machine.owed).toEqual(owed);
    expect(machine.state.step).toBe(state.step);
    machine.childEnded(1);
    machine.reply({ text: 'done' });
    expect(machine.outcome).toMatchObject({ status: 'completed' });
  });
});

it('[ST2, CO9] a run whose hooks use up its limits before the first step ends, and nothing that wakes begins another one by itself', () => {
  const machine = new Machine({ limits: { maxTokens: 10 }, hooks: ['onAgentStart'] });
  const spend = () => {
    const { run } = machine.state;
    const [owed] = run?.phase === 'active' ? (run.hooks?.owed ?? []) : [];
    const usage = { ...NO_USAGE, inputTokens: 20 };
    return machine.apply({ type: 'hook_done', id: owed?.id ?? '', epoch: 1, usage });
  };
  machine.start();
  const message = { messageId: 'm_wakes', role: 'user', content: 'Hear.', from: 'agent', wakes: true } as const;
  expect(machine.apply({ type: 'thread_message', message })).toMatchObject({ ok: true });
  expect(spend()).toMatchObject({ ok: true });
  expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_tokens' } });
  machine.start();
  expect(spend()).toMatchObject({ ok: true });
  expect(machine.chunksOf('run_started')).toHaveLength(2);
});
