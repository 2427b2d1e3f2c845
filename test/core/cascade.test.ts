import { describe, expect, it } from 'vitest';
import { type ChildStatus, type ResumeAction, whenParentResumes } from '../../src/core/agent/children/cascade';
import type { Outcome } from '../../src/core/agent/state';
import type { ParentSuspendRule } from '../../src/core/definition/definition';
import { ERROR_CODES, failure } from '../../src/protocol/errors';
import type { SessionStatus } from '../../src/protocol/status';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';

const interruption: Outcome = { status: 'interrupted', reason: 'x' };
const forParent: Outcome = {
  status: 'failed',
  error: failure('parent_suspended'),
  failureReason: 'parent_suspended',
};

function called(calls: Parameters<Machine['reply']>[0] & object, options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply(calls);
  return machine;
}

const stands = (machine: Machine) => machine.stands;
const pair = (machine: Machine) => machine.types.filter((type) => type === 'suspended' || type === 'unsuspended');

describe('how a run waits', () => {
  const bring = {
    working: () => undefined,
    waiting: (machine: Machine, index: number) => machine.childWaits(index),
    interrupted: (machine: Machine, index: number) => machine.childEnded(index, interruption),
    stopping: (machine: Machine, index: number) => machine.childStopped(index),
    done: (machine: Machine, index: number) => machine.childEnded(index),
  } as const;
  type Child = keyof typeof bring;
  type Row = readonly [children: readonly Child[], alone: SessionStatus, withPerson: SessionStatus];

  const table: readonly Row[] = [
    [['working'], 'running', 'suspended_step_partial'],
    [['stopping'], 'running', 'suspended_step_partial'],
    [['waiting'], 'suspended_awaiting_children', 'suspended_step_partial'],
    [['interrupted'], 'suspended_awaiting_children', 'suspended_step_partial'],
    [['waiting', 'interrupted'], 'suspended_awaiting_children', 'suspended_step_partial'],
    [['waiting', 'done'], 'suspended_awaiting_children', 'suspended_step_partial'],
    [['working', 'waiting'], 'running', 'suspended_step_partial'],
    [['working', 'interrupted'], 'running', 'suspended_step_partial'],
    [['stopping', 'waiting', 'interrupted'], 'running', 'suspended_step_partial'],
  ];

  it.for(table)('[SU1, SU3] with sub-agents that are %s: %s; beside a person: %s', ([children, alone, withPerson]) => {
    const own = { nobody: [], client: [planned.client()], approval: [planned.approval()] };
    for (const [who, asked] of Object.entries(own)) {
      for (const tools of [[], [planned.tool()]]) {
        const machine = called({ calls: [...children.map(() => planned.child()), ...asked, ...tools] });
        children.forEach((child, index) => void bring[child](machine, index));
        const expected = tools.length > 0 ? 'running' : who === 'nobody' ? alone : withPerson;
        const what = `${who}, ${tools.length} tools`;
        expect(machine.status, what).toBe(expected);
        expect(machine.due, what).toEqual([
          ...tools.map(() => `tool ${children.length + asked.length}`),
          ...children.flatMap((child, index) =>
            child === 'working' ? [`child ${index}`] : child === 'stopping' ? [`abort child ${index}`] : [],
          ),
        ]);
        expect(machine.types.at(-1) === 'suspended', what).toBe(expected !== 'running');
      }
    }
  });

  it('[SU1, SU3] for a person alone, with nothing owed but that its parent is told', () => {
    for (const child of [true, false]) {
      const machine = called({ calls: [planned.client(), planned.approval(), planned.refused()] }, { child });
      expect(machine.status).toBe('suspended_client_tool');
      expect(machine.due).toEqual(child ? ['deliver waits'] : []);
      machine.waitAcknowledged();
      expect(machine.due).toEqual([]);
      machine.recover();
      expect([machine.status, machine.due]).toEqual(['suspended_client_tool', []]);
    }
  });

  it('[SU2] is told once, again when what it waits for changes, and once when it goes on', () => {
    const machine = called({ calls: [planned.client(), planned.approval(), planned.child()] });
    expect(machine.chunksOf('suspended')).toEqual([
      {
        type: 'suspended',
        status: 'suspended_step_partial',
        pending: [
          { toolCallId: machine.call(0).callId, toolName: 'ask_user', kind: 'client-tool' },
          { toolCallId: machine.call(1).callId, toolName: 'publish', kind: 'approval' },
        ],
        children: [{ callId: machine.call(2).callId, subSessionId: expect.stringMatching(/^s_/), status: 'working' }],
      },
    ]);
    machine.send('Hello?');
    machine.recover();
    machine.expire(1_000);
    expect(machine.chunksOf('suspended')).toHaveLength(1);
    machine.childWaits(2);
    expect(machine.chunksOf('suspended').at(-1)).toMatchObject({ children: [{ status: 'waiting' }] });
    machine.deny(1);
    machine.childEnded(2);
    expect(machine.chunksOf('suspended').at(-1)).toMatchObject({ status: 'suspended_client_tool', children: [] });
    expect(pair(machine)).toEqual(Array(4).fill('suspended'));
    machine.give(0, 'x');
    expect(pair(machine).slice(4)).toEqual(['unsuspended']);
  });

  it('[SU2] ends with the run: a run that is stopped while it waits has no more to tell', () => {
    for (const verb of ['interrupt', 'abort', 'terminate'] as const) {
      const machine = called({ calls: [planned.client()] });
      machine.stop(verb);
      expect(pair(machine), verb).toEqual(['suspended']);
      if (verb !== 'interrupt') continue;
      machine.resume();
      expect(pair(machine), 'of the new run').toEqual(['suspended', 'suspended']);
    }
  });

  it('[SU5] is told to the parent, also that it goes on while its model is asked', () => {
    const machine = called({ calls: [planned.client()] }, { child: true });
    machine.waitAcknowledged();
    machine.give(0, 'x');
    expect(machine.due).toEqual(['model', 'deliver goes on']);
    machine.waitAcknowledged();
    expect(machine.due).toEqual(['model']);
    machine.reply({ calls: [planned.child()] });
    machine.childWaits(0);
    expect(machine.due).toEqual(['deliver waits']);
    machine.waitAcknowledged();
    const { state } = machine;
    machine.apply({ type: 'wait_acknowledged', runId: state.run?.runId ?? '', waits: true });
    machine.apply({ type: 'wait_acknowledged', runId: 'r_other', waits: true });
    expect(machine.state).toEqual(state);
  });
});

describe('the table of the cascade', () => {
  const statuses: Record<ChildStatus, ResumeAction> = {
    not_started: 'start',
    idle: 'wait',
    queued: 'wait',
    running: 'wait',
    suspended_client_tool: 'wait',
    suspended_awaiting_children: 'wait',
    suspended_step_partial: 'wait',
    interrupted: 'resume',
    completed: 'drain',
    failed: 'drain',
    terminated: 'drain',
    lost: 'settle_lost',
  };
  const reasons = [undefined, ...Object.keys(ERROR_CODES), 'something newer'];

  it.for(Object.entries(statuses) as [ChildStatus, ResumeAction][])(
    '[CS1] %s: %s, whatever the reason',
    ([status, action]) => {
      for (const reason of reasons) {
        const anew = status === 'failed' && reason === 'parent_suspended';
        expect(whenParentResumes(status, reason), reason).toBe(anew ? 'respawn' : action);
      }
    },
  );

  const outcomes: readonly [string, Outcome, string][] = [
    ['completed', { status: 'completed', output: 1, completionReason: 'text' }, 'result'],
    ['failed', { status: 'failed', error: failure('max_steps'), failureReason: 'max_steps' }, 'max_steps'],
    ['failed without a reason', { status: 'failed', error: failure('parent_suspended') }, 'parent_suspended'],
    ['failed for its parent', forParent, 'respawning'],
    ['interrupted', interruption, 'interrupted'],
    ['terminated', { status: 'terminated', reason: 'x' }, 'terminated'],
    ['lost', { status: 'failed', error: failure('subagent_lost'), failureReason: 'subagent_lost' }, 'subagent_lost'],
  ];

  it.for(outcomes)(
    '[CS1, CS7] a sub-agent that has %s, told in JSON and read back, is taken so while its parent waits',
    ([, outcome, how]) => {
      const machine = called({ calls: [planned.client(), planned.child()] });
      machine.childEnded(1, JSON.parse(JSON.stringify(outcome)));
      const { settled } = machine.call(1);
      const got =
        settled === undefined ? machine.stands[1] : settled.result.success ? 'result' : settled.result.error.code;
      expect(got).toBe(how);
      machine.give(0, 'x');
      if (how === 'respawning') expect(machine.due).toEqual(['respawn_child 1']);
      else if (how === 'interrupted')
        expect([machine.status, machine.due]).toEqual(['suspended_awaiting_children', []]);
      else expect(machine.due).toEqual(['model']);
    },
  );
});

const rules: readonly (ParentSuspendRule | undefined)[] = [undefined, 'continue', 'pause', 'respawn'];
const ASKED = { pause: 'interrupt', respawn: 'abort' } as const;

describe.for(rules)('a sub-agent whose rule is %s', (rule) => {
  const waiting = (...more: Parameters<typeof planned.child>[]) =>
    called({
      calls: [
        planned.client(),
        ...(more.length > 0 ? more : [['Leaf', rule] as const]).map((given) => planned.child(...given)),
      ],
    });
  const stops = rule === 'pause' || rule === 'respawn' ? ASKED[rule] : undefined;

  it('[CS3, CS4] is left at work or asked to stop by its parent that waits for a person', () => {
    const machine = waiting();
    expect(machine.due).toEqual([stops ? `${stops} child 1` : 'child 1']);
    expect(machine.status).toBe('suspended_step_partial');
    if (stops) expect(machine.owed).toMatchObject([{ error: { code: 'parent_suspended' }, child: { runNumber: 1 } }]);
  });

  it('[CS3, CS4] that waits for a person itself goes on waiting; it is stopped when it would work', () => {
    const machine = called({ calls: [planned.tool(), planned.client(), planned.child('Leaf', rule)] });
    machine.childWaits(2);
    machine.settle(0);
    expect([machine.status, machine.due]).toEqual(['suspended_step_partial', []]);
    machine.childWaits(2, false);
    expect(machine.due).toEqual([stops ? `${stops} child 2` : 'child 2']);
  });

  it('[CS4, CS5] whose result comes first keeps it', () => {
    const machine = waiting();
    machine.childEnded(1, { status: 'completed', output: 'done', completionReason: 'text' });
    expect(machine.call(1).settled?.result).toEqual({ success: true, value: 'done' });
    machine.give(0, 'x');
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
    expect(machine.chunksOf('subagent_end')).toHaveLength(1);
  });

  it('[CS2, CS3, CS6] goes on with its parent', () => {
    const machine = waiting();
    const { plan } = machine.call(1);
    if (rule === 'pause') machine.childEnded(1, interruption);
    if (rule === 'respawn') machine.childEnded(1, forParent);
    expect(machine.due).toEqual(stops ? [] : ['child 1']);
    expect(machine.status).toBe('suspended_step_partial');
    machine.give(0, 'x');
    expect(machine.status).toBe('running');
    expect(machine.due).toEqual([rule === 'respawn' ? 'respawn_child 1' : 'child 1']);
    if (rule === 'respawn') machine.respawned(1);
    expect(machine.owed).toMatchObject([{ kind: 'child', child: { runNumber: rule === 'pause' ? 2 : 1 } }]);
    if (rule !== 'respawn') expect(machine.call(1).plan).toEqual(plan);
    machine.childEnded(1);
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
  });

  it('[CS4, SP9] is stopped with its parent, which is interrupted while it waits, and goes on with it', () => {
    const machine = waiting();
    machine.interrupt();
    expect(machine.due).toEqual(['interrupt child 1']);
    machine.childEnded(1, interruption);
    expect(machine.status).toBe('interrupted');
    machine.resume();
    const again = rule === 'respawn' ? ['abort child 1'] : rule === 'pause' ? [] : ['child 1'];
    expect([machine.status, machine.due]).toEqual(['suspended_step_partial', again]);
    if (rule === 'respawn') machine.childEnded(1, forParent);
    machine.give(0, 'x');
    expect(machine.due).toEqual([rule === 'respawn' ? 'respawn_child 1' : 'child 1']);
  });
});

describe('a wait that is over early', () => {
  it('[CS5] a pause that has begun is finished, then the sub-agent goes on', () => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'pause')] });
    machine.give(0, 'x');
    expect(machine.due).toEqual(['interrupt child 1']);
    expect(machine.status).toBe('running');
    machine.childEnded(1, interruption);
    expect(machine.child(1)).toMatchObject({ runNumber: 2, state: { is: 'working' } });
    expect(machine.due).toEqual(['child 1']);
  });

  it('[CS5] a sub-agent that is failed for a respawn is started anew at once', () => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'respawn')] });
    machine.give(0, 'x');
    machine.childEnded(1, forParent);
    expect(machine.due).toEqual(['respawn_child 1']);
  });

  it('[CS10] an abort that comes while a sub-agent is failed for the wait is its end', () => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'respawn')] });
    machine.childStopped(1, 'aborted', 'abort');
    // What its parent asked for comes no second time.
    machine.childStopped(1, 'parent_suspended', 'abort');
    expect(machine.owed).toMatchObject([{ error: { code: 'aborted' } }]);
    machine.childEnded(1, forParent);
    machine.give(0, 'x');
    expect(machine.chunksOf('subagent_end')).toMatchObject([{ success: false, error: { code: 'aborted' } }]);
    expect(machine.state.children.size).toBe(0);
  });

  it('[CS8] an end that is told twice is taken once, and its cause stays', () => {
    for (const [rule, outcome] of [
      ['pause', interruption],
      ['respawn', forParent],
    ] as const) {
      const machine = called({ calls: [planned.client(), planned.child('Leaf', rule)] });
      machine.childEnded(1, outcome);
      const { state, chunks } = machine;
      const { length } = chunks;
      for (const late of [outcome, outcome]) expect(machine.childEnded(1, late).ok, rule).toBe(true);
      expect(machine.state, rule).toEqual(state);
      expect(machine.chunks, rule).toHaveLength(length);
      machine.give(0, 'x');
      expect(machine.due, rule).toEqual([rule === 'pause' ? 'child 1' : 'respawn_child 1']);
    }
  });
});

describe('a sub-agent that is started anew', () => {
  const due = (): Machine => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'respawn')] });
    machine.childEnded(1, forParent);
    return machine;
  };
  it('[CS6, CS8, DG3] has the next task, the next generation of its slot and a session of its own; what the older one says is refused', () => {
    const machine = due();
    machine.give(0, 'x');
    const before = machine.child(1);
    machine.respawned(1);
    const after = machine.child(1);
    expect(after).toMatchObject({ childId: before.childId, runNumber: 1, terms: { onParentSuspend: 'respawn' } });
    expect([before, after].map(({ task }) => task.number)).toEqual([1, 2]);
    expect([before, after].map(({ placement }) => placement.segment)).toEqual(['1~1', '1~2']);
    expect(machine.call(1).plan).toMatchObject({
      began: { task: 2, sessionId: after.sessionId, address: after.address },
      awaits: { tasks: [{ childId: 1, task: 2 }], need: 1 },
    });
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(after.address).toBe(before.address.replace(/~1$/, '~2'));
    expect(machine.chunksOf('subagent_end')).toMatchObject([
      { generation: 1, task: 1, error: { code: 'parent_suspended' } },
    ]);
    expect(machine.chunksOf('subagent_start')).toMatchObject([
      { generation: 1, task: 1, callId: before.task.callId },
      { generation: 2, task: 2, callId: before.task.callId, subSessionId: after.sessionId, subAddress: after.address },
    ]);
    expect(machine.changes.findLast(({ put }) => put === 'child')).toMatchObject({ child: after });
    expect(refusal(machine.childEnded(1, undefined, 1))).toBe('superseded');
    const { state } = machine;
    expect(machine.respawned(1).ok).toBe(true);
    expect(machine.state).toEqual(state);
    machine.childEnded(1);
    expect(machine.chunksOf('subagent_end').map(({ generation }) => generation)).toEqual([1, 2]);
  });

  it('[CS6, SP4] is not, as long as its parent waits, is being stopped, or has ended', () => {
    const machine = due();
    const waits = machine.state;
    expect(machine.respawned(1).ok).toBe(true);
    expect(machine.state).toEqual(waits);
    machine.interrupt();
    const ended = machine.state;
    machine.respawned(1);
    expect(machine.state).toEqual(ended);
    machine.resume();
    machine.give(0, 'x');
    expect(machine.due).toEqual(['respawn_child 1']);
  });

  it('[CS8, SP5] is closed once where its parent is stopped instead, or it is stopped itself', () => {
    for (const stop of ['abort', 'terminate', 'start', 'child'] as const) {
      const machine = due();
      if (stop === 'start') {
        machine.interrupt();
        machine.start();
      } else if (stop === 'child') machine.childStopped(1);
      else machine.stop(stop);
      expect(machine.chunksOf('subagent_end'), stop).toHaveLength(1);
      const expected = { abort: 'aborted', terminate: 'terminated', start: 'superseded', child: 'child_timeout' };
      expect(machine.chunksOf('tool_end').at(-1), stop).toMatchObject({
        toolCallId: machine.chunksOf('subagent_end')[0]?.callId,
        error: { code: expected[stop] },
      });
    }
  });
});

describe('a sub-agent that is interrupted by itself', () => {
  it('[CS7, DG10] keeps its call open until it is resumed; its parent waits meanwhile', () => {
    const machine = called({ calls: [planned.child()] });
    machine.childStopped(0, 'interrupted', 'interrupt');
    expect(machine.due).toEqual(['interrupt child 0']);
    machine.childEnded(0, interruption);
    expect(machine.child(0)).toMatchObject({ runNumber: 1, state: { is: 'interrupted', cause: 'stop' } });
    expect([machine.status, machine.due, machine.open]).toEqual(['suspended_awaiting_children', [], [0]]);
    machine.childStopped(0, 'interrupted', 'interrupt');
    expect(machine.stands).toEqual(['interrupted']);
    expect(machine.childResumed(0).ok).toBe(true);
    expect([machine.status, machine.due]).toEqual(['running', ['child 0']]);
    expect(refusal(machine.childResumed(0))).toBe('not_resumable');
    machine.childEnded(0);
    expect(machine.due).toEqual(['model']);
  });

  it('[CS7] does not go on with the answer that its parent waits for', () => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'pause')] });
    machine.childEnded(1, interruption);
    machine.give(0, 'x');
    expect(machine.due).toEqual(['child 1']);
    const alone = called({ calls: [planned.client(), planned.child()] });
    alone.childEnded(1, interruption);
    alone.give(0, 'x');
    expect([alone.status, stands(alone)]).toEqual(['suspended_awaiting_children', ['none', 'interrupted']]);
  });

  it('[CS2, SE4] cannot be resumed alone where its parent has paused it', () => {
    const machine = called({ calls: [planned.client(), planned.child('Leaf', 'pause')] });
    machine.childEnded(1, interruption);
    expect(refusal(machine.childResumed(1))).toBe('awaiting_input');
    expect(refusal(machine.resume())).toBe('awaiting_input');
  });

  it('[DG3, SU5] what an earlier run of it says is passed over', () => {
    const machine = called({ calls: [planned.child()] });
    const { task, runId } = machine.delegation(0);
    machine.childEnded(0, interruption);
    machine.childResumed(0);
    const { state } = machine;
    machine.apply({ type: 'child_waits', task, runId, waits: true });
    machine.apply({ type: 'child_settled', task, runId, outcome: interruption, usage: state.spent });
    expect(machine.state).toEqual(state);
    expect(refusal(machine.apply({ type: 'child_waits', task: { ...task, task: 9 }, runId, waits: true }))).toBe(
      'superseded',
    );
  });
});
