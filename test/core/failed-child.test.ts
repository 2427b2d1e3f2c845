/** A sub-agent that failed, whose parent waits for a person to decide: another try, or none. */
import { describe, expect, it } from 'vitest';
import { whenParentResumes } from '../../src/core/agent/children/cascade';
import type { Outcome } from '../../src/core/agent/state';
import { admit } from '../../src/core/tree/admission';
import { withStatus } from '../../src/core/tree/clocks';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { failure } from '../../src/protocol/errors';
import { childRunId } from '../../src/protocol/ids';
import { NO_USAGE } from '../../src/protocol/usage';
import { Machine, type MachineOptions, planned, refusal } from '../support/machine';
import { childNode, rootNode } from '../support/nodes';

const failedWith = (code: 'model_refused' | 'aborted' | 'parent_suspended' = 'model_refused'): Outcome => ({
  status: 'failed',
  error: failure(code),
  ...(code === 'model_refused' ? {} : { failureReason: code }),
});

/** A machine with a child that is waited for when it fails, and what else it calls. */
function called(more: ReturnType<typeof planned.child>[] = [], options: MachineOptions = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  machine.reply({ calls: [planned.child('Leaf', undefined, 'wait'), ...more] });
  return machine;
}

/** The same, once the child has failed. */
function failed(more: ReturnType<typeof planned.child>[] = [], options: MachineOptions = {}): Machine {
  const machine = called(more, options);
  machine.childEnded(0, failedWith());
  return machine;
}

const AGAIN = 'Try again.';
const TASK = { childId: 1, task: 1 };

const ends = (machine: Machine) => machine.chunksOf('tool_end');

describe('a child that failed and is waited for', () => {
  it('[DG22, SU1, SU3] leaves its call open: its parent waits, owes nothing, and says so once', () => {
    const machine = failed();
    expect([machine.status, machine.due, machine.open]).toEqual(['suspended_awaiting_children', [], [0]]);
    expect(machine.chunksOf('suspended')).toMatchObject([{ pending: [], children: [{ status: 'failed' }] }]);
    machine.childEnded(0, failedWith());
    machine.recover();
    expect([machine.chunksOf('suspended').length, ends(machine).length]).toEqual([1, 0]);
    // Beside one at work the parent is running.
    const other = failed([planned.child()]);
    expect([other.status, other.due]).toEqual(['running', ['child 1']]);
  });

  it('[DG22] without the option, or of any other kind, is the result of its call', () => {
    const plain = new Machine();
    plain.start();
    plain.reply({ calls: [planned.child()] });
    plain.childEnded(0, failedWith());
    expect(ends(plain)).toMatchObject([{ error: { code: 'model_refused' } }]);
    const aborted = called();
    aborted.childEnded(0, failedWith('aborted'));
    expect(ends(aborted)).toMatchObject([{ error: { code: 'aborted' } }]);
    const terminated = called();
    terminated.childEnded(0, { status: 'terminated', reason: 'x' });
    expect(ends(terminated)).toMatchObject([{ error: { code: 'terminated' } }]);
    const late = called();
    late.childStopped(0);
    late.childEnded(0, failedWith());
    expect(ends(late)).toMatchObject([{ error: { code: 'child_timeout' } }]);
    for (const verb of ['abort', 'terminate'] as const) {
      const stopped = called();
      stopped.stop(verb);
      stopped.childEnded(0, failedWith());
      expect(ends(stopped), verb).toMatchObject([{ error: { code: 'model_refused' } }]);
    }
  });

  it('[DG22, DG7] that is lost, or was refused its place, has no run to try again', () => {
    for (const before of [called(), failed()]) {
      const { task } = before.delegation(0);
      const outcome = { status: 'failed', error: failure('subagent_lost') } as const;
      before.apply({ type: 'child_settled', task, outcome, usage: NO_USAGE });
      expect(ends(before)).toMatchObject([{ error: { code: 'subagent_lost' } }]);
    }
  });

  it('[DG23, DG24, CL2] tries again in the next of its runs; an end of the first is old by then', () => {
    const machine = failed();
    const first = machine.delegation(0);
    const { task } = first;
    const again = { type: 'child_decided', task, decision: 'retry' } as const;
    expect(machine.childDecided(0, 'retry', AGAIN).ok).toBe(true);
    expect([machine.status, machine.due]).toEqual(['running', ['child 0']]);
    expect(machine.owed[0]).toMatchObject({ child: { runNumber: 2 }, message: { content: AGAIN } });
    expect(refusal(machine.childDecided(0, 'retry'))).toBe('already_running');
    expect(refusal(machine.childDecided(0, 'give_up'))).toBe('run_superseded');
    const usage = { ...NO_USAGE, modelCalls: 9 };
    machine.apply({ type: 'child_settled', ...first, outcome: failedWith(), usage });
    expect(machine.open).toEqual([0]);
    machine.childEnded(0);
    expect(machine.chunksOf('subagent_end')).toMatchObject([{ success: true, usage: { modelCalls: 2 } }]);
    expect(refusal(machine.apply(again))).toBe('not_retryable');
    expect([machine.chunksOf('subagent_start').length, machine.chunksOf('subagent_end').length]).toEqual([1, 1]);
  });

  it('[DG24] that is given up is the result of its call, once, with what it had done', () => {
    const machine = called([planned.child()]);
    const usage = { ...NO_USAGE, modelCalls: 3 };
    const done = { lastText: 'Half.', callsSucceeded: 0, calls: [] };
    machine.apply({ type: 'child_settled', ...machine.delegation(0), outcome: failedWith(), usage, done });
    machine.childStopped(0, 'interrupted', 'interrupt');
    expect(machine.open).toEqual([0, 1]);
    expect(machine.childDecided(0, 'give_up').ok).toBe(true);
    expect(machine.call(0).settled).toMatchObject({
      result: { success: false, error: { code: 'model_refused', details: { done } } },
      usage,
    });
    expect(machine.due).toEqual(['child 1']);
    expect(refusal(machine.childDecided(0, 'retry'))).toBe('not_retryable');
    expect(machine.childDecided(0, 'give_up').ok).toBe(true);
    expect(ends(machine)).toHaveLength(1);
    const dropped = failed();
    dropped.childStopped(0, 'aborted');
    expect(ends(dropped)).toMatchObject([{ error: { code: 'model_refused' } }]);
  });

  it('[CS9, CS1, RS4] is left as it is by an interrupt and a resume of its parent; a hard stop settles it', () => {
    const machine = failed();
    machine.interrupt();
    expect(machine.outcome).toMatchObject({ status: 'interrupted' });
    expect(refusal(machine.childDecided(0, 'retry'))).toBe('owned_by_parent');
    machine.resume();
    expect([machine.status, machine.due]).toEqual(['suspended_awaiting_children', []]);
    expect(refusal(machine.resume())).toBe('awaiting_input');
    expect(machine.childDecided(0, 'retry').ok).toBe(true);
    expect(machine.due).toEqual(['child 0']);
    for (const verb of ['abort', 'terminate'] as const) {
      const stopped = failed();
      stopped.stop(verb);
      expect(stopped.outcome?.status, verb).toBe(verb === 'abort' ? 'failed' : 'terminated');
      expect(ends(stopped), verb).toMatchObject([{ error: { code: 'model_refused' } }]);
    }
    const given = failed();
    given.interrupt();
    expect(given.childDecided(0, 'give_up').ok).toBe(true);
    expect(ends(given)).toHaveLength(1);
    expect(whenParentResumes('failed', undefined, 'wait')).toBe('wait');
    expect(whenParentResumes('failed', 'aborted', 'wait')).toBe('drain');
    expect(whenParentResumes('failed', 'parent_suspended', 'wait')).toBe('respawn');
  });

  it('[DG23, CS4] does not work while its parent waits for a person under `pause`', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child('Leaf', 'pause', 'wait'), planned.client()] });
    expect(machine.due).toEqual(['interrupt child 0']);
    machine.childEnded(0, failedWith());
    expect(refusal(machine.childDecided(0, 'retry'))).toBe('awaiting_input');
    machine.give(1, 'x');
    expect(machine.childDecided(0, 'retry').ok).toBe(true);
  });

  it('[DG23] has the message of its retry with the run that begins, also where a stop came before', () => {
    const machine = failed();
    machine.childDecided(0, 'retry', AGAIN);
    machine.childStopped(0, 'interrupted', 'interrupt');
    expect(machine.owed[0]).toMatchObject({ kind: 'stop_child', message: { content: AGAIN } });
    const { task } = machine.delegation(0);
    const outcome = { status: 'interrupted', reason: 'x' } as const;
    machine.apply({ type: 'child_settled', task, outcome, usage: NO_USAGE });
    machine.childResumed(0);
    expect(machine.owed[0]).toMatchObject({ child: { runNumber: 3 }, message: { content: AGAIN } });
  });
});

describe('the child itself', () => {
  /** A child whose model failed. */
  function broken(): Machine {
    const machine = new Machine({ child: true });
    machine.apply({ type: 'start', runId: childRunId('s_me', 1), task: TASK, messages: [] });
    machine.fail('model_refused');
    return machine;
  }
  const message = { messageId: 'm_x', role: 'user', content: AGAIN, from: 'caller' } as const;

  it('[DG23, RS3, RS7] asks again what failed, in the run that its parent names, once', () => {
    const machine = broken();
    const runId = childRunId('s_me', 2);
    machine.apply({ type: 'resume', runId, task: TASK, message });
    expect(machine.state.run).toMatchObject({
      phase: 'active',
      runId,
      lineage: { resumedFrom: childRunId('s_me', 1) },
    });
    expect(machine.chunksOf('step_discarded')).toMatchObject([{ reason: 'retried' }]);
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 1, number: 1 });
    const before = machine.state;
    machine.apply({ type: 'resume', runId, task: TASK, message });
    expect(machine.state).toBe(before);
  });

  it('[DG23, SP8] that is stopped before that run begins ends it, and goes on from there with its message', () => {
    const machine = broken();
    const runId = childRunId('s_me', 2);
    const stop = { type: 'stop', verb: 'interrupt', reason: 'x', runId, task: TASK, message } as const;
    machine.apply(stop);
    expect(machine.state.run).toMatchObject({ phase: 'ended', runId, outcome: { status: 'interrupted' } });
    machine.apply({ type: 'resume', runId: childRunId('s_me', 3), task: TASK });
    expect(machine.state.step).toMatchObject({ phase: 'model', messagesUpTo: 1 });
    const ended = broken();
    ended.stop('terminate');
    expect(refusal(ended.apply(stop))).toBe('run_superseded');
  });
});

describe('the record of the tree', () => {
  it('[DG23, DG31] gives one that tries again a place, its whole time, and counts no further child', () => {
    const root = rootNode();
    const request = {
      sessionId: 's_kid',
      address: '/agents/top/one/sub/kid/1~1',
      agentType: 'kid',
      depth: 2,
      childId: TASK.childId,
      task: { number: 1, callId: 'c', timeoutMs: 1_000, onFailure: 'wait', await: 'step' } as const,
      lifetime: 'call' as const,
      placement: 'facet' as const,
    };
    const { rules } = new Machine({ limits: { maxTreeChildren: 1 } });
    const kid = childNode(2, { ...request, schedule: { phase: 'working', deadline: 1_000 } });
    const ended = withStatus(kid, 'failed', 900);
    expect(ended.schedule).toEqual({ phase: 'ended', timeLeft: 100, end: { by: 'itself', at: 900 } });
    const ask = (runNumber: number) =>
      admit(new TreeIndex([root, ended]), root, [{ ...request, runNumber, keepsSlot: true }], rules.limits, 5_000);
    expect(ask(2)).toMatchObject({
      answers: [{ answer: 'start', begun: true }],
      nodes: [{ id: 2, status: 'running', runNumber: 2, schedule: { phase: 'working', deadline: 6_000 } }],
    });
    expect(ask(1).nodes).toEqual([]);
  });
});
