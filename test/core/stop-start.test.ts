/** A stop that is for what one start began alone. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { Machine, planned } from '../support/machine';

const runOf = (machine: Machine): string => machine.state.run?.runId ?? '';
const stopFor = (machine: Machine, runId: string | undefined, verb: StopVerb = 'abort', turn?: number) =>
  machine.apply({
    type: 'stop',
    verb,
    reason: 'Enough.',
    ofStart: { runId, turn },
  });

function working(): Machine {
  const machine = new Machine({ onConcurrentStart: 'queue' });
  machine.start('first');
  return machine;
}

describe('a stop that is for a start', () => {
  it.each(['interrupt', 'abort'] as const)('[A101] stops its run, and that which resumed it: %s', (verb) => {
    const machine = working();
    const first = runOf(machine);
    machine.interrupt();
    machine.resume();
    expect(runOf(machine)).not.toBe(first);
    expect(stopFor(machine, first, verb).ok).toBe(true);
    expect(machine.state.run).toMatchObject({
      phase: 'ended',
      outcome: { status: verb === 'abort' ? 'failed' : 'interrupted' },
    });
  });

  it('[A101] stops the run that tries it again, known by its turn', () => {
    const machine = working();
    const first = runOf(machine);
    for (let tries = 0; tries < 2; tries++) {
      machine.fail('model_refused');
      machine.retry();
    }
    const before = machine.state;
    // Another turn is another start's.
    for (const turn of [undefined, 2, 3]) stopFor(machine, first, 'abort', turn);
    expect(machine.state).toBe(before);
    stopFor(machine, first, 'abort', 1);
    expect(machine.state.run).toMatchObject({ phase: 'ended', outcome: { status: 'failed' } });
  });

  it.each(['interrupt', 'abort'] as const)('[A101] changes nothing where something else works: %s', (verb) => {
    const machine = working();
    const first = runOf(machine);
    machine.reply({ text: 'done' });
    machine.start('second');
    const before = machine.state;
    for (const [runId, turn] of [[first, 1], ['r_nobody'], [undefined]] as const)
      expect(stopFor(machine, runId, verb, turn)).toMatchObject({ ok: true, chunks: [], changes: [] });
    expect(machine.state).toBe(before);
  });

  it('[A101] ends the session all the same with a terminate', () => {
    for (const runId of [undefined, 'r_nobody']) {
      const machine = working();
      machine.reply({ calls: [planned.client()] });
      stopFor(machine, runId, 'terminate');
      expect(machine.state.session).toHaveProperty('terminated');
      expect(machine.status).toBe('terminated');
    }
  });

  it.each([
    ['interrupt', 'interrupted'],
    ['abort', 'aborted'],
  ] as const)('[EN5] takes it out of the queue, where it never begins: %s', (verb, code) => {
    const machine = working();
    machine.start('second');
    machine.start('third');
    const [second = '', third = ''] = machine.state.queued.map(({ runId }) => runId);
    expect(stopFor(machine, second, verb).ok).toBe(true);
    const { state } = machine;
    expect(state.run).toMatchObject({ phase: 'active' });
    stopFor(machine, second, verb);
    expect(machine.state).toBe(state);
    machine.reply({ text: 'done' });
    expect(machine.state).toMatchObject({ run: { runId: third, phase: 'active', turn: 3 }, queued: [] });
    // Of what it brought nobody is told.
    expect(machine.chunksOf('message_delivered').map(({ text }) => text)).toEqual(['first', 'third']);
    const ends = machine.chunks.filter(({ body, runId }) => body.type === 'run_failed' && runId === second);
    expect(ends).toMatchObject([{ body: { error: { code, message: 'Enough.' }, failureReason: code } }]);
    // Once it has had its turn it stops nothing any more.
    const after = machine.state;
    stopFor(machine, second, verb);
    expect(machine.state).toBe(after);
  });

  it('[EN5] keeps it in the queue until the run before has ended, of which it takes nothing', () => {
    const machine = working();
    machine.start('second');
    const [{ runId } = { runId: '' }] = machine.state.queued;
    stopFor(machine, runId);
    machine.reply({ text: 'done' });
    expect(machine.state.run).toMatchObject({ runId, phase: 'ended', outcome: { status: 'failed' } });
    machine.start('third');
    expect(machine.state.run).toMatchObject({ phase: 'active', turn: 3 });
  });
});
