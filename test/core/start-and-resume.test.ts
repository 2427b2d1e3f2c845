import { describe, expect, it } from 'vitest';
import type { ConcurrentStartRule } from '../../src/core/definition/definition';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { childRunId } from '../../src/protocol/ids';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';

function busy(onConcurrentStart: ConcurrentStartRule, options: MachineOptions = {}): Machine {
  const machine = new Machine({ onConcurrentStart, ...options });
  machine.start('first');
  return machine;
}

/** The runs in the order in which they ended, each with how. */
const ends = (machine: Machine): string[] =>
  machine.chunks.flatMap(({ body, runId }) =>
    /^run_(completed|failed|interrupted|terminated)$/.test(body.type) ? [`${runId} ${body.type}`] : [],
  );

const begun = (machine: Machine): string[] =>
  machine.chunks.flatMap(({ body, runId }) => (body.type === 'run_started' ? [runId] : []));

describe('a start while a run goes on', () => {
  const standings: readonly [string, (machine: Machine) => void, 'already_running' | 'awaiting_input'][] = [
    ['the model is asked', () => undefined, 'already_running'],
    ['a tool is at work', (machine) => machine.reply({ calls: [planned.tool(), planned.client()] }), 'already_running'],
    ['a person is waited for', (machine) => machine.reply({ calls: [planned.client()] }), 'awaiting_input'],
    [
      'a sub-agent waits for a person',
      (machine) => {
        machine.reply({ calls: [planned.child()] });
        machine.childWaits(0);
      },
      'awaiting_input',
    ],
    [
      'it is being stopped',
      (machine) => {
        machine.reply({ calls: [planned.tool()] });
        machine.interrupt();
      },
      'already_running',
    ],
  ];

  it('[EN1, A60] says what to do instead', () => {
    const refused = busy('refuse').start();
    const message = 'A run is in progress: wait for its end, send it a message, or stop it.';
    expect(refused).toMatchObject({ ok: false, refused: { code: 'already_running', message } });
  });

  it.for(standings)('[EN1, SE4] is refused by default while %s, and changes nothing', ([, bring, code]) => {
    const machine = busy('refuse');
    bring(machine);
    const { state } = machine;
    expect(refusal(machine.start())).toBe(code);
    expect(machine.state).toBe(state);
  });

  it('[EN1, EN4] has an id that none before it has, also when those have left the queue', () => {
    const machine = busy('queue');
    machine.start('second');
    machine.start('third');
    machine.reply({ text: 'x' });
    machine.start('fourth');
    expect(machine.state.queued.map(({ id }) => id)).toEqual([2, 3]);
    machine.reply({ text: 'x' });
    machine.start('fifth');
    expect(machine.state.queued.map(({ id }) => id)).toEqual([3, 4]);
    // The rows are those of the state: no start has taken the row of another.
    const rows = new Map<number, string>();
    for (const change of machine.changes) {
      if (change.put === 'queued') rows.set(change.start.id, change.start.runId);
      if (change.put === 'unqueued') rows.delete(change.id);
    }
    expect([...rows]).toEqual(machine.state.queued.map(({ id, runId }) => [id, runId]));
    for (let run = 0; run < 3; run++) machine.reply({ text: 'x' });
    expect([begun(machine).length, new Set(begun(machine)).size, ends(machine).length]).toEqual([5, 5, 5]);
  });

  it('[EN1] waits for its turn with `queue`, in order, whatever the run before it comes to', () => {
    const machine = busy('queue');
    for (const content of ['second', 'third', 'fourth']) expect(machine.start(content).ok).toBe(true);
    expect(machine.state.queued.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(machine.status).toBe('running');
    const [second, third, fourth] = machine.state.queued.map(({ runId }) => runId);
    machine.reply({ text: 'done' });
    expect(machine.state.run).toMatchObject({ runId: second, phase: 'active', turn: 2 });
    machine.fail('model_refused');
    machine.stop('abort');
    expect(machine.state.run).toMatchObject({ runId: fourth, phase: 'active', turn: 4 });
    machine.reply({ text: 'done' });
    expect(ends(machine).slice(1)).toEqual([`${second} run_failed`, `${third} run_failed`, `${fourth} run_completed`]);
    expect(machine.state.queued).toEqual([]);
    expect(machine.chunksOf('message_delivered')).toHaveLength(4);
  });

  it('[EN1] brings its messages, its state and its names when it has its turn, not before', () => {
    const machine = busy('queue');
    const messages = [{ messageId: 'm_q', role: 'user', content: 'later', from: 'caller' }] as const;
    const brought = { input: { q: 1 }, custom: { a: 1 }, names: { displayName: 'Ada' } };
    machine.apply({ type: 'start', runId: 'r_q', messages, ...brought });
    expect([machine.state.custom, machine.state.lastMessage, machine.state.session.displayName]).toEqual([
      {},
      1,
      undefined,
    ]);
    machine.reply({ text: 'done' });
    expect(machine.state).toMatchObject({ custom: { a: 1 }, lastMessage: 2, session: { displayName: 'Ada' } });
    expect(machine.chunksOf('run_started').at(-1)).toEqual({
      type: 'run_started',
      turn: 2,
      chainTurn: 2,
      input: { q: 1 },
    });
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 2 });
  });

  it('[CL12] shows the state that it brings as a patch of its run, and none where it changes nothing', () => {
    const machine = busy('queue');
    const { length } = machine.chunksOf('state_patch');
    machine.apply({ type: 'start', runId: 'r_q', messages: [], custom: { a: 1 } });
    machine.reply({ text: 'done' });
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    expect(machine.chunksOf('state_patch').slice(length)).toEqual([{ type: 'state_patch', patch }]);
    machine.apply({ type: 'start', runId: 'r_again', messages: [], custom: { a: 1 } });
    machine.reply({ text: 'done' });
    expect(machine.chunksOf('state_patch').slice(length)).toHaveLength(1);
  });

  it('[EN3, DF3] at most `maxQueuedStarts` wait (100 by default), the next is refused, and one that left makes room', () => {
    expect(DEFAULT_LIMITS.maxQueuedStarts).toBe(100);
    for (const [limits, most] of [
      [{}, 100],
      [{ maxQueuedStarts: 1 }, 1],
    ] as const) {
      const machine = busy('queue', { limits });
      for (let count = 0; count < most; count++) expect(machine.start().ok, `${count}`).toBe(true);
      const { state } = machine;
      expect(refusal(machine.start())).toBe('too_many_starts');
      expect(machine.state).toBe(state);
      machine.reply({ text: 'done' });
      expect(machine.start().ok).toBe(true);
      expect(machine.state.queued).toHaveLength(most);
    }
  });

  it('[EN4, RN4] each start that waits has one outcome when the session is ended for good', () => {
    const machine = busy('queue');
    machine.start('second');
    machine.start('third');
    const queued = machine.state.queued.map(({ runId }) => runId);
    machine.stop('terminate');
    expect(machine.status).toBe('terminated');
    expect(machine.state.queued).toEqual([]);
    expect(begun(machine).slice(1)).toEqual(queued);
    expect(ends(machine).slice(1)).toEqual(queued.map((runId) => `${runId} run_terminated`));
    expect(ends(machine)).toHaveLength(3);
    expect(machine.due).toEqual([]);
    expect(machine.chunksOf('message_delivered'), 'nobody sees their messages').toHaveLength(1);
  });

  it('[EN4] a start behind a run that is interrupted waits until that goes on and ends', () => {
    const machine = busy('queue');
    machine.start('second');
    const [second] = machine.state.queued.map(({ runId }) => runId);
    machine.interrupt();
    expect([machine.status, machine.state.queued.length]).toEqual(['interrupted', 1]);
    machine.resume();
    expect(machine.state.run?.runId).not.toBe(second);
    machine.reply({ text: 'done' });
    expect(machine.state.run).toMatchObject({ runId: second, phase: 'active' });
  });

  it('[EN1, EN4, RS5] a further start gives the interrupted run up, and has its turn after those that wait', () => {
    const machine = busy('queue', { limits: { maxQueuedStarts: 2 } });
    machine.reply({ calls: [planned.client()] });
    machine.start('second');
    const [second] = machine.state.queued.map(({ runId }) => runId);
    machine.interrupt();
    machine.start('third');
    expect(machine.chunksOf('tool_end')).toMatchObject([{ error: { code: 'superseded' } }]);
    expect(machine.state.run).toMatchObject({ runId: second, phase: 'active' });
    const [third] = machine.state.queued.map(({ runId }) => runId);
    machine.reply({ text: 'done' });
    expect(machine.state.run).toMatchObject({ runId: third, phase: 'active' });
  });

  it('[EN4] a start that waits behind an interrupted run has its outcome when the session ends', () => {
    const machine = busy('queue');
    machine.start('second');
    machine.interrupt();
    machine.stop('terminate');
    expect(machine.state.queued).toEqual([]);
    expect(ends(machine).map((end) => end.split(' ')[1])).toEqual([
      'run_interrupted',
      'run_terminated',
      'run_terminated',
    ]);
  });
});

describe('a start that interrupts the previous run', () => {
  const superseded = (machine: Machine) =>
    machine.chunksOf('tool_end').map((end) => (end.success ? 'ok' : end.error?.code));

  it('[EN2, RS5, RN4] takes its place at once where nothing has to be waited for, and closes what it left open', () => {
    const machine = busy('interrupt_previous');
    machine.reply({ calls: [planned.client(), planned.approval()] });
    expect(machine.status).toBe('suspended_client_tool');
    const first = machine.state.run?.runId;
    machine.start('instead');
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 2 });
    expect(machine.state.run?.runId).not.toBe(first);
    expect(superseded(machine)).toEqual(['superseded', 'superseded']);
    expect(ends(machine)).toEqual([`${first} run_interrupted`]);
    expect(machine.due).toEqual(['model']);
    expect(machine.types.slice(-7)).toEqual([
      'subagent_status',
      'run_interrupted',
      'run_started',
      'tool_end',
      'tool_end',
      'message_delivered',
      'step_started',
    ]);
    const tellers = machine.chunks.slice(-5).map(({ runId }) => runId);
    expect(new Set(tellers)).toEqual(new Set([machine.state.run?.runId]));
  });

  it('[EN2, SP6, SP9] waits for bodies and sub-agents of a run at work, and only for those', () => {
    const machine = busy('interrupt_previous', { limits: { maxConcurrentCalls: 1 } });
    machine.reply({ calls: [planned.tool(), planned.tool('once', { replay: 'never' }), planned.child()] });
    machine.start('instead');
    expect(machine.due).toEqual(['stopping tool 0', 'interrupt child 2']);
    machine.cut(0);
    machine.childEnded(2, { status: 'interrupted', reason: 'x' });
    expect(superseded(machine)).toEqual(['superseded', 'superseded', 'superseded']);
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 2 });
  });

  it('[EN2, SP7] takes the place of a run that somebody interrupts already, and of one that is aborted', () => {
    for (const verb of ['interrupt', 'abort'] as const) {
      const machine = busy('interrupt_previous');
      machine.reply({ calls: [planned.tool()] });
      machine.stop(verb);
      machine.start('instead');
      machine.cut(0);
      expect(machine.state.run, verb).toMatchObject({ phase: 'active', turn: 2 });
      expect(machine.chunksOf('tool_end'), verb).toHaveLength(1);
    }
  });

  it('[EN1, EN4] is refused its turn when the session ends before it', () => {
    const machine = busy('interrupt_previous');
    machine.reply({ calls: [planned.tool()] });
    machine.start('instead');
    machine.stop('terminate');
    machine.cut(0);
    expect(ends(machine).map((end) => end.split(' ')[1])).toEqual(['run_terminated', 'run_terminated']);
    expect(machine.status).toBe('terminated');
  });
});

describe('what a parent asks for again, as it lost the answer', () => {
  const task = { childId: 1, task: 1 };
  const asked = [1, 2].flatMap((number) => {
    const runId = childRunId('s_me', number);
    return [{ type: 'start', runId, task, messages: [] } as const, { type: 'resume', runId, task } as const];
  });
  /** A child that was interrupted in its first run, and works in its second. */
  function working(): Machine {
    const machine = new Machine({ child: true });
    machine.apply({ type: 'start', runId: childRunId('s_me', 1), task, messages: [machine.message('Go')] });
    machine.interrupt();
    machine.apply({ type: 'resume', runId: childRunId('s_me', 2), task });
    return machine;
  }
  const ends: Record<string, (machine: Machine) => unknown> = {
    completed: (machine) => machine.reply({ text: 'Done.' }),
    'failed by its model': (machine) => machine.fail('model_refused'),
    interrupted: (machine) => machine.interrupt(),
    aborted: (machine) => machine.stop('abort'),
    terminated: (machine) => machine.stop('terminate'),
  };

  it('[RS7] changes nothing at work, whichever of its runs it is for', () => {
    const machine = working();
    const { state } = machine;
    for (const event of asked) {
      expect(machine.apply(event).ok, `${event.type} ${event.runId}`).toBe(true);
      expect(machine.state, `${event.type} ${event.runId}`).toEqual(state);
    }
  });

  it.each(Object.keys(ends))('[RS7, RT7] begins nothing once it is %s, and has the end told once more', (how) => {
    const machine = working();
    ends[how]?.(machine);
    const { run } = machine.state;
    const { length } = machine.chunks;
    for (const event of asked) {
      machine.apply({ type: 'outcome_acknowledged', runId: childRunId('s_me', 2) });
      expect(machine.due).toEqual([]);
      expect(machine.apply(event).ok, `${event.type} ${event.runId}`).toBe(true);
      expect(machine.state.run, `${event.type} ${event.runId}`).toEqual(run);
      expect(machine.due, `${event.type} ${event.runId}`).toEqual(['deliver_outcome']);
    }
    expect(machine.chunks).toHaveLength(length);
  });
});
