import { describe, expect, it } from 'vitest';
import { isTraceparent, traceparentIn } from '../../src/protocol/trace';
import { Machine } from '../support/machine';
import { rowsOf } from '../support/rows';

const [TRACE, SPAN] = ['a'.repeat(32), 'b'.repeat(16)];
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;
const OTHER = `00-${'c'.repeat(32)}-${SPAN}-00`;

describe('a traceparent', () => {
  it('[A81] of a header is taken where it is one; of a later version its known beginning counts', () => {
    expect(traceparentIn(TRACEPARENT)).toBe(TRACEPARENT);
    expect(traceparentIn(`cc-${TRACE}-${SPAN}-ff`)).toBe(TRACEPARENT);
    expect(traceparentIn(`01-${TRACE}-${SPAN}-02-and-more`)).toBe(`00-${TRACE}-${SPAN}-00`);
  });

  it.each([
    null,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}0`,
    `01${TRACEPARENT.slice(2)}more`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
    ` ${TRACEPARENT}`,
    `01${TRACEPARENT.slice(2)}-${'x'.repeat(512)}`,
  ])('[A81] of a header that is none is ignored: %j', (header) => {
    expect(traceparentIn(header)).toBeUndefined();
    expect(isTraceparent(header ?? '')).toBe(false);
  });
});

describe('the trace of a run', () => {
  const started = (machine: Machine) => machine.chunksOf('run_started').map(({ traceparent }) => traceparent);

  it('[RN7] is kept over an interrupt, unless the resume names another one', () => {
    const machine = new Machine();
    machine.start();
    machine.apply({ type: 'stop', verb: 'interrupt', reason: 'Lunch.' });
    machine.apply({ type: 'resume', runId: 'r_2', traceparent: TRACEPARENT });
    machine.apply({ type: 'stop', verb: 'interrupt', reason: 'Tea.' });
    machine.apply({ type: 'resume', runId: 'r_3' });
    machine.apply({ type: 'stop', verb: 'interrupt', reason: 'Dinner.' });
    machine.apply({ type: 'resume', runId: 'r_4', traceparent: OTHER });
    expect(started(machine)).toEqual([undefined, TRACEPARENT, TRACEPARENT, OTHER]);
    expect(machine.state.run).toMatchObject({
      caller: { traceparent: OTHER },
      lineage: { chainTurn: 1, chainRunId: 'r_1' },
    });
  });

  it('[RN7] is kept by another try, and not by what begins anew', () => {
    const machine = new Machine();
    machine.apply({ type: 'send', runId: 'r_1', message: machine.message('x'), traceparent: TRACEPARENT });
    machine.fail('model_refused');
    machine.apply({ type: 'retry', runId: 'r_2' });
    expect(machine.state.run).toMatchObject({
      caller: { traceparent: TRACEPARENT },
      lineage: { chainTurn: 2, chainRunId: 'r_2' },
    });
    machine.fail('model_refused');
    machine.start();
    expect(started(machine)).toEqual([TRACEPARENT, TRACEPARENT, undefined]);
  });

  it('[RN7] and the caller are those of the event, or else of the run before: both for a resume, the trace for another try', () => {
    for (const { how, actor, traceparent } of rowsOf({
      how: ['resume', 'retry', 'start'],
      actor: [undefined, 'bea'],
      traceparent: [undefined, OTHER],
    } as const)) {
      const machine = new Machine();
      const first = { runId: 'r_1', actor: 'ann', traceparent: TRACEPARENT };
      machine.apply({ type: 'send', message: machine.message('x'), ...first });
      if (how === 'resume') machine.apply({ type: 'stop', verb: 'interrupt', reason: 'Lunch.' });
      else machine.fail('model_refused');
      const named = { ...(actor ? { actor } : {}), ...(traceparent ? { traceparent } : {}) };
      if (how === 'start') machine.apply({ type: how, runId: 'r_2', messages: [machine.message('y')], ...named });
      else machine.apply({ type: how, runId: 'r_2', ...named });
      const before = {
        resume: { actor: 'ann', traceparent: TRACEPARENT },
        retry: { traceparent: TRACEPARENT },
        start: {},
      }[how];
      expect(machine.state.run?.caller ?? {}, JSON.stringify({ how, ...named })).toEqual({ ...before, ...named });
    }
  });

  it('[RN7] is kept by a start that waits', () => {
    const machine = new Machine({ onConcurrentStart: 'queue' });
    machine.start();
    machine.apply({ type: 'start', runId: 'r_2', messages: [machine.message('x')], traceparent: TRACEPARENT });
    expect(machine.state.queued).toMatchObject([{ traceparent: TRACEPARENT }]);
    machine.reply({ text: 'Done.' });
    expect(started(machine)).toEqual([undefined, TRACEPARENT]);
  });
});
