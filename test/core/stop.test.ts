import { describe, expect, it } from 'vitest';
import { takesPlaceOf } from '../../src/core/agent/runs/stop';
import { STOP_VERBS, type StopVerb } from '../../src/core/agent/runs/stop-verb';
import { HOOK_NAMES } from '../../src/core/definition/hooks/hook-types';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';

describe('a stop', () => {
  it('[SP8, SE4] for another run than the current one is refused and changes nothing', () => {
    const machine = new Machine();
    machine.start();
    const before = machine.state;
    expect(refusal(machine.stop('abort', 'r_older'))).toBe('run_superseded');
    expect(machine.state).toBe(before);
    machine.reply({ text: 'x' });
    const refused = machine.stop('abort', 'r_older');
    expect(refused).toMatchObject({ ok: false, refused: { code: 'run_superseded' } });
    if (!refused.ok) expect(refused.refused.message).toContain('not the current run');
  });

  it('[SP8] aimed at a run that has ended never stops the next', () => {
    const machine = new Machine();
    machine.start();
    const first = machine.state.run?.runId;
    machine.reply({ text: 'x' });
    machine.start();
    expect(refusal(machine.stop('abort', first))).toBe('run_superseded');
    expect(machine.stop('abort', machine.state.run?.runId).ok).toBe(true);
    expect(machine.outcome).toMatchObject({ error: { code: 'aborted' } });
  });

  it('[SP7] asked for again, or more weakly, is harmless: the first record stays', () => {
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

  it('[SP4, EG2] takes a model call away at once and ends the run', () => {
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

  it('[SP5, SP6, SP9, RN4] asks bodies that had begun and children to end, settles the rest at once, and ends when the last of them has ended', () => {
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

  it('[SP9, RC6] is not forgotten by a crash: what it asks for is owed again', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child(), planned.child()] });
    machine.stop();
    machine.childEnded(0);
    machine.recover();
    expect(machine.owed).toMatchObject([{ kind: 'stop_child', child: { childId: 2 } }]);
    machine.childEnded(1);
    expect(machine.outcome).toMatchObject({ error: { code: 'aborted' } });
  });

  it('[SP5] goes before whatever the step would have ended with', () => {
    const machine = new Machine({ finishTools: ['__finish__'] });
    machine.start();
    machine.reply({ calls: [planned.finish('output'), planned.child()] });
    machine.stop();
    machine.childEnded(1);
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
  });

  it('[SP10] of a session that never ran changes nothing', () => {
    const machine = new Machine();
    const before = machine.state;
    expect(machine.stop().ok).toBe(true);
    expect(machine.state).toBe(before);
  });
});

/** A machine that was brought into a phase. */
function inPhase(bring: (machine: Machine) => void, options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  bring(machine);
  return machine;
}

/** How the last step stands: the code of each failure, `ok`, or `open`. */
const results = (machine: Machine): string[] =>
  machine.step.calls.map(({ settled }) =>
    settled === undefined ? 'open' : settled.result.success ? 'ok' : settled.result.error.code,
  );

const ENDS = {
  interrupt: { status: 'interrupted', chunk: 'run_interrupted', code: 'interrupted' },
  abort: { status: 'failed', chunk: 'run_failed', code: 'aborted' },
  terminate: { status: 'terminated', chunk: 'run_terminated', code: 'terminated' },
} as const;

describe.for(STOP_VERBS)('%s', (verb) => {
  const { status, chunk, code } = ENDS[verb];

  const atOnce: readonly (false | [string, MachineOptions, (machine: Machine) => void])[] = [
    ['before the first step', { hooks: ['onAgentStart'] }, () => undefined],
    ['while the model is asked', {}, () => undefined],
    ['while the model is asked again', {}, (machine) => machine.fail('model_overloaded')],
    ['before the model is asked, in a hook', { hooks: ['onStepStart'] }, () => undefined],
    ['while a client is asked', {}, (machine) => machine.reply({ calls: [planned.client(), planned.approval()] })],
    // The end of its session is still to be told to a sub-agent at rest (SP9).
    verb !== 'terminate' && [
      'while its sub-agents stand still',
      {},
      (machine) => {
        machine.reply({ calls: [planned.child()] });
        machine.childEnded(0, { status: 'interrupted', reason: 'x' });
      },
    ],
  ];

  it.for(atOnce.filter((phase) => phase !== false))('[SP4, SP5, RN4] ends a run at once %s', ([, options, bring]) => {
    const machine = inPhase(bring, options);
    machine.stop(verb);
    expect(machine.due).toEqual([]);
    expect(machine.status).toBe(status);
    expect(machine.types.filter((type) => type === chunk)).toHaveLength(1);
    expect(machine.types.at(-1)).toBe(chunk);
    if (machine.state.step?.phase === 'calls')
      expect(new Set(results(machine))).toEqual(new Set([verb === 'interrupt' ? 'open' : code]));
  });

  it('[SP5, SP6] waits for the bodies that had begun alone: others are left open by an interrupt, and settled by the rest', () => {
    const machine = inPhase(
      (each) => each.reply({ calls: [planned.tool(), planned.tool(), planned.approval(), planned.client()] }),
      { limits: { maxConcurrentCalls: 1 } },
    );
    machine.stop(verb);
    expect(machine.due).toEqual(['stopping tool 0']);
    expect(results(machine)).toEqual(['open', ...Array(3).fill(verb === 'interrupt' ? 'open' : code)]);
    machine.settle(0, { success: true, value: 'in time' });
    expect(results(machine)[0]).toBe('ok');
    expect(machine.status).toBe(status);
    expect(machine.types.at(-1)).toBe(chunk);
  });

  it('[SP6] gives a body that it cut off its one result, which says that the outcome is unknown, unless it may go on', () => {
    const machine = inPhase((each) =>
      each.reply({ calls: [planned.tool('once', { replay: 'never' }), planned.tool('safe')] }),
    );
    machine.stop(verb);
    machine.cut(0);
    expect(machine.outcome).toBeUndefined();
    machine.cut(1);
    expect(results(machine)).toEqual([code, verb === 'interrupt' ? 'open' : code]);
    expect(machine.call(0).settled?.result).toMatchObject({
      error: { message: expect.stringMatching(/"once".*Enough.*unknown/s) },
    });
    expect(machine.chunksOf('tool_end')).toHaveLength(verb === 'interrupt' ? 1 : 2);
    expect(machine.status).toBe(status);
  });

  it('[SP6, RC6] a body that a crash cut off within its grace is cut off, too', () => {
    const machine = inPhase((each) =>
      each.reply({ calls: [planned.tool('once', { replay: 'never' }), planned.tool('safe')] }),
    );
    machine.stop(verb);
    machine.recover();
    expect(results(machine)).toEqual([code, verb === 'interrupt' ? 'open' : code]);
    expect(machine.status).toBe(status);
  });

  it('[SP9] asks its sub-agents with the same verb, those that wait as well, and ends after the last of them', () => {
    const machine = inPhase((each) => {
      each.reply({ calls: [planned.child(), planned.child(), planned.child()] });
      each.childWaits(1);
      each.childEnded(2, { status: 'interrupted', reason: 'before' });
    });
    machine.stop(verb);
    const resting = verb === 'terminate' ? [`${verb} child 2`] : [];
    expect(machine.due).toEqual([`${verb} child 0`, `${verb} child 1`, ...resting]);
    machine.childEnded(0, { status: verb === 'terminate' ? 'terminated' : 'interrupted', reason: 'Enough.' });
    machine.childEnded(1);
    expect(results(machine)[1]).toBe('ok');
    if (verb === 'terminate') machine.childEnded(2, { status: 'terminated', reason: 'Enough.' });
    expect(results(machine)).toEqual(verb === 'interrupt' ? ['open', 'ok', 'open'] : [code, 'ok', code]);
    expect(machine.status).toBe(status);
    expect(machine.types.at(-1)).toBe(chunk);
  });

  it('[SP11] drops the hooks that are owed, and announces the end of a step once', () => {
    for (const stopAt of ['beforeTool', 'afterTool', 'onStepEnd', 'onAgentComplete'] as const) {
      const machine = inPhase(
        (each) => {
          each.hooksDone();
          each.reply({ calls: [planned.finish('output'), planned.tool()] });
          for (let more = 0; each.hookDue !== stopAt && more < 9; more++) {
            if (each.hookDue) each.hookDone();
            else each.settle(1);
          }
        },
        { hooks: HOOK_NAMES.filter((name) => name !== 'onAgentFail' && name !== 'onRunSettled') },
      );
      expect(machine.hookDue).toBe(stopAt);
      machine.stop(verb);
      expect(machine.due, stopAt).toEqual([]);
      expect(machine.status, stopAt).toBe(status);
      if (verb === 'interrupt') machine.resume();
      if (verb === 'interrupt' && stopAt === 'beforeTool') {
        machine.hooksDone();
        machine.settle(1);
      }
      machine.hooksDone();
      if (verb === 'interrupt')
        expect(machine.outcome, stopAt).toMatchObject({ status: 'completed', output: 'output' });
      expect(machine.chunksOf('step_committed'), stopAt).toHaveLength(1);
    }
  });

  it('[SP8] meant for a run that its parent has not begun yet lets that run begin stopped', () => {
    const machine = new Machine({ child: true });
    const task = { childId: 1, task: 1 };
    const runId = (number: number) => childRunId('s_me', number);
    machine.apply({ type: 'start', runId: runId(1), task, messages: [] });
    machine.reply({ calls: [planned.client()] });
    machine.interrupt();
    machine.apply({ type: 'outcome_acknowledged', runId: runId(1) });
    const ahead = { type: 'stop', verb, reason: 'Enough.', runId: runId(2) } as const;
    expect(refusal(machine.apply(ahead))).toBe('run_superseded');
    expect(machine.apply({ ...ahead, task }).ok).toBe(true);
    expect(machine.state.run).toMatchObject({
      runId: runId(2),
      phase: 'ended',
      outcome: { status },
      acknowledged: false,
    });
    expect(results(machine)).toEqual([verb === 'interrupt' ? 'open' : code]);
    expect(machine.due).toEqual(['deliver_outcome']);
    const late = { type: 'resume', runId: runId(2), task } as const;
    const { state } = machine;
    expect(machine.apply(late).ok).toBe(true);
    expect(machine.state, 'what asked for the run comes too late').toEqual(state);
    // What is closed for good was asked for by that: its parent may ask again after a crash.
    const again = verb === 'terminate' ? undefined : 'run_superseded';
    expect(refusal(machine.apply({ ...ahead, runId: runId(1), task }))).toBe(again);
  });

  it('[SP8, CO4] takes along all that its parent had sent with it, once, whatever run it begins stopped', () => {
    const task = { childId: 1, task: 1 };
    const sent = (number: number) => ({
      ...{ number, callId: 'c_1' },
      message: { messageId: `m_${number}`, role: 'user' as const, content: `part ${number}`, from: 'parent' as const },
    });
    const before: { [how: string]: (machine: Machine) => unknown } = {
      interrupted: (machine) => machine.interrupt(),
      failed: (machine) => machine.fail('model_error', false),
      completed: (machine) => machine.reply({ text: 'Done.' }),
    };
    for (const [how, ends] of Object.entries(before)) {
      const machine = new Machine({ child: true });
      machine.apply({ type: 'start', runId: childRunId('s_me', 1), task, messages: [] });
      ends(machine);
      machine.apply({ type: 'outcome_acknowledged', runId: childRunId('s_me', 1) });
      const next = how === 'completed' ? { ...task, task: 2 } : task;
      const stop = { type: 'stop', verb, reason: 'Enough.', runId: childRunId('s_me', 2), task: next } as const;
      machine.apply({ ...stop, mail: [sent(1), sent(2)] });
      machine.apply({ ...stop, mail: [sent(1), sent(2)] });
      expect(machine.state.run?.runId, how).toBe(childRunId('s_me', 2));
      expect(
        machine.state.inbox.map(({ content }) => content),
        how,
      ).toEqual(['part 1', 'part 2']);
    }
  });
});

describe('a child that came to rest before a stop reached it', () => {
  const interrupted = { status: 'interrupted', reason: 'Enough.' } as const;
  const waiting = () => {
    const machine = inPhase((each) => each.reply({ calls: [planned.child()] }));
    machine.interrupt();
    return machine;
  };

  it('[SP9, SP10, TR2] is closed by the end of its session, whose words come before the end of its task', () => {
    const machine = waiting();
    machine.stop('terminate');
    machine.childEnded(0, interrupted);
    expect(machine.status).toBe('running');
    expect(machine.due).toEqual(['terminate child 0']);
    expect(machine.chunksOf('subagent_end')).toEqual([]);
    machine.childEnded(0, { status: 'terminated', reason: 'Enough.' });
    expect(machine.status).toBe('terminated');
    expect(results(machine)).toEqual(['terminated']);
  });

  it('[SP9] is left as it is by an abort', () => {
    const machine = waiting();
    machine.stop('abort');
    machine.childEnded(0, interrupted);
    expect(machine.status).toBe('failed');
  });
});

describe('a stronger stop', () => {
  const upgrades = STOP_VERBS.flatMap((first) =>
    STOP_VERBS.flatMap((second) => STOP_VERBS.map((third) => [first, second, third] as const)),
  );
  const strongest = (verbs: readonly StopVerb[]) =>
    STOP_VERBS[Math.max(...verbs.map((verb) => STOP_VERBS.indexOf(verb)))];

  it.for(upgrades)('[SP7, RN4] takes the place of a weaker one, never the other way: %s, %s, %s', (verbs) => {
    const machine = inPhase((each) => each.reply({ calls: [planned.tool(), planned.client(), planned.child()] }));
    for (const verb of verbs) machine.stop(verb);
    const verb = strongest(verbs) ?? 'interrupt';
    expect(machine.due).toEqual(['stopping tool 0', `${verb} child 2`]);
    machine.cut(0);
    machine.childEnded(2, { status: verb === 'terminate' ? 'terminated' : 'interrupted', reason: 'Enough.' });
    expect(machine.status).toBe(ENDS[verb].status);
    const { code } = ENDS[verb];
    // What was settled by an abort has its result.
    const settledBy = verbs.find((each) => each !== 'interrupt') ?? verb;
    const expected = verb === 'interrupt' ? ['open', 'open', 'open'] : [code, ENDS[settledBy].code, code];
    expect(results(machine)).toEqual(expected);
  });

  it('[SP6, SP7] gives what a weaker one has left open its result', () => {
    const machine = inPhase((each) => each.reply({ calls: [planned.tool(), planned.client(), planned.child()] }));
    machine.interrupt();
    machine.cut(0);
    expect(results(machine)).toEqual(['open', 'open', 'open']);
    machine.stop('abort');
    expect(results(machine)).toEqual(['aborted', 'aborted', 'open']);
    expect(machine.due).toEqual(['abort child 2']);
  });

  it('[SP6, SP7] begins no body in the place of one that has ended since', () => {
    const machine = inPhase((each) => each.reply({ calls: [planned.tool(), planned.tool(), planned.child()] }), {
      limits: { maxConcurrentCalls: 1 },
    });
    machine.interrupt();
    machine.settle(0);
    expect(machine.due).toEqual(['interrupt child 2']);
    machine.stop('abort');
    expect(machine.due).toEqual(['abort child 2']);
    expect(results(machine)).toEqual(['ok', 'aborted', 'open']);
  });

  it('[SP6, SE1] what a body spent that was cut off and may go on is kept', () => {
    const machine = inPhase((each) => each.reply({ calls: [planned.tool()] }));
    machine.interrupt();
    machine.cut(0, { ...NO_USAGE, toolCalls: 1, inputTokens: 7 });
    expect(machine.state.spent).toMatchObject({ inputTokens: 17, toolCalls: 1 });
    expect(machine.state.step?.spent).toEqual(machine.state.spent);
    expect(machine.changes.findLast(({ put }) => put === 'step')).toMatchObject({
      step: { spent: { inputTokens: 17 } },
    });
  });
});

describe('the end of a session at rest', () => {
  const rests: readonly [string, (machine: Machine) => void][] = [
    ['completed', (machine) => machine.reply({ text: 'x' })],
    ['failed', (machine) => machine.fail('model_refused')],
    ['failed', (machine) => machine.stop('abort')],
  ];

  it.for(rests)('[SP10] that has %s keeps the outcome of its run, and takes no work any more', ([status, rest]) => {
    const machine = inPhase(rest);
    const { run } = machine.state;
    machine.stop('terminate');
    expect(machine.state.run).toEqual(run);
    expect(run).toMatchObject({ outcome: { status } });
    expect(machine.status).toBe('terminated');
    for (const refused of [machine.start(), machine.send('x'), machine.resume(), machine.retry()])
      expect(refusal(refused)).toBe('terminated');
    const { state } = machine;
    for (const verb of STOP_VERBS) machine.stop(verb);
    expect(machine.state).toEqual(state);
    expect(machine.state.session.terminated).toMatchObject({ reason: 'Enough.' });
  });

  it('[SP10, CL2] closes what an interrupt had left open in a last run, with its sub-agents', () => {
    const machine = inPhase((each) => {
      each.reply({ calls: [planned.tool(), planned.client(), planned.child()] });
      each.interrupt();
      each.cut(0);
      each.childEnded(2, { status: 'interrupted', reason: 'x' });
    });
    expect(machine.status).toBe('interrupted');
    const first = machine.state.run?.runId;
    machine.stop('terminate');
    expect(machine.state.run).toMatchObject({ phase: 'active', lineage: { resumedFrom: first } });
    expect(machine.due).toEqual(['terminate child 2']);
    expect(results(machine)).toEqual(['terminated', 'terminated', 'open']);
    machine.childEnded(2, { status: 'interrupted', reason: 'x' });
    expect(machine.outcome, 'what it had told before').toBeUndefined();
    machine.childEnded(2, { status: 'terminated', reason: 'Enough.' });
    expect(results(machine)).toEqual(['terminated', 'terminated', 'terminated']);
    expect(machine.status).toBe('terminated');
  });

  it('[SP10] interrupt and abort mean nothing to it', () => {
    for (const rest of [...rests.map(([, bring]) => bring), (machine: Machine) => machine.interrupt()]) {
      const machine = inPhase(rest);
      const { state } = machine;
      expect([machine.stop('interrupt').ok, machine.stop('abort').ok]).toEqual([true, true]);
      expect(machine.state).toBe(state);
    }
  });
});

describe('a sub-agent that is to end for good, and came to rest before that reached it', () => {
  const interrupted = { status: 'interrupted', reason: 'x' } as const;
  /** Interrupted by somebody, while its parent ends it for good: the parent hears of the interrupt first. */
  function crossed(): Machine {
    const machine = inPhase((each) => each.reply({ calls: [planned.child(), planned.tool()] }));
    machine.childStopped(0, 'terminated', 'terminate');
    machine.childEnded(0, interrupted);
    return machine;
  }

  it('[SP10, DG10] is closed in a last run, whose words come before the end of its task', () => {
    const machine = crossed();
    expect([machine.due, results(machine)]).toEqual([
      ['tool 1', 'terminate child 0'],
      ['open', 'open'],
    ]);
    const { state } = machine;
    machine.childEnded(0, interrupted);
    expect(machine.state).toBe(state);
    machine.childEnded(0, { status: 'terminated', reason: 'x' });
    expect(results(machine)).toEqual(['terminated', 'open']);
    expect(machine.chunksOf('subagent_end')).toHaveLength(1);
  });

  it.each(STOP_VERBS)('[SP7, SP9] also under %s of its parent, which is no weaker stop of it', (verb) => {
    const machine = crossed();
    machine.stop(verb);
    expect(machine.due).toEqual(['stopping tool 1', 'terminate child 0']);
    machine.cut(1);
    expect(machine.status).toBe('running');
    machine.childEnded(0, { status: 'terminated', reason: 'x' });
    expect(machine.status).toBe(ENDS[verb].status);
    expect(results(machine)[0]).toBe('terminated');
  });
});

describe('a hook that fails its run', () => {
  it('[SP11, RN4, CL2] stops it like an abort: bodies have their grace, what had not begun is settled, sub-agents are asked', () => {
    const machine = inPhase(
      (each) => each.reply({ calls: [planned.tool(), planned.tool(), planned.client(), planned.child()] }),
      { hooks: ['afterTool', 'onAgentFail'] },
    );
    machine.settle(0);
    expect(machine.hookDue).toBe('afterTool');
    machine.hookDone('tool_failed');
    expect(machine.due).toEqual(['stopping tool 1', 'abort child 3']);
    expect(results(machine)).toEqual(['ok', 'open', 'hook_failed', 'open']);
    machine.cut(1);
    machine.childEnded(3, { status: 'failed', error: failure('aborted') });
    expect(machine.hookDue).toBe('onAgentFail');
    machine.hookDone();
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
    expect(machine.open).toEqual([]);
  });

  it('[SP11] at the end of a step, or of the run, announces that step once', () => {
    for (const hook of ['onStepEnd', 'onAgentComplete'] as const) {
      const machine = inPhase((each) => each.reply({ text: 'x' }), { hooks: [hook] });
      expect(machine.hookDue).toBe(hook);
      machine.hookDone('tool_failed');
      expect(machine.outcome, hook).toMatchObject({ error: { code: 'hook_failed' } });
      expect(machine.chunksOf('step_committed'), hook).toHaveLength(1);
    }
  });

  it('[SP11, ST1] a run in its last hook takes nothing of its model any more', () => {
    const machine = inPhase(() => undefined, { hooks: ['onAgentFail'] });
    const { fence } = machine;
    machine.fail('model_refused');
    expect(machine.hookDue).toBe('onAgentFail');
    expect(refusal(machine.fail('model_refused', false, fence))).toBe('superseded');
    expect(refusal(machine.reply({ text: 'late' }, fence))).toBe('superseded');
    machine.hookDone();
    expect(machine.outcome).toMatchObject({ error: { code: 'model_refused' } });
  });
});

describe('the cause of a stop', () => {
  const wait = failure('parent_suspended');
  const timeout = failure('child_timeout');

  it.for([
    ['its time is up, after the wait of its parent', timeout, wait, true],
    ['its parent waits, after the same', wait, wait, false],
    ['its parent waits, after its time was up', wait, timeout, false],
    ['its time is up, after the same', timeout, timeout, false],
  ] as const)(
    '[SP7] takes the place of one that is as strong where only that was to be started anew: %s',
    ([, error, there, expected]) => {
      expect(takesPlaceOf({ verb: 'abort', error }, { verb: 'abort', error: there })).toBe(expected);
    },
  );
});
