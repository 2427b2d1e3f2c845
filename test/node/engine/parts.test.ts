/** Small parts of the engine, each for itself: what they keep between two questions. */
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../src/core/agent/owed-effects';
import { ONE_CALL } from '../../../src/core/tree/lease';
import { Beginnings } from '../../../src/engine/children/child-starts';
import { HeldLease } from '../../../src/engine/held-lease';
import { InFlight, MAX_FAILURES } from '../../../src/engine/in-flight';
import { bounded } from '../../../src/engine/perform/bounded-body';
import { OffshootError } from '../../../src/protocol/errors';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Machine, planned } from '../../support/machine';
import { VirtualTime } from '../../support/virtual-time';

const effect: Effect = { id: 'e', kind: 'deliver_wait', runId: 'r', task: { childId: 1, task: 1 }, waits: true };

describe('beginnings', () => {
  it('[RC5] know the children of an earlier life as perhaps begun, and new ones as not', () => {
    const machine = new Machine();
    machine.start();
    machine.reply({ calls: [planned.child()] });
    const child = machine.child(0);
    const beginnings = new Beginnings(machine.state);
    expect([beginnings.isUnsent(child), beginnings.isUnsent({ ...child, sessionId: 's_other' })]).toEqual([
      false,
      true,
    ]);
  });

  it('[CO3, CO12] know that one with a further task is there, though it rested when their agent came into memory', () => {
    const machine = new Machine();
    machine.start();
    const beginnings = new Beginnings(machine.state);
    machine.reply({ calls: [planned.child()] });
    const child = machine.child(0);
    const task = { ...child.task, number: 2, firstRun: 2 };
    expect([beginnings.isUnsent(child), beginnings.isUnsent({ ...child, task, runNumber: 2 })]).toEqual([true, false]);
  });
});

describe('a lease that is held', () => {
  it('[BU11] counts from what had been spent when it was taken', () => {
    const spent = (modelCalls: number) => ({ ...NO_USAGE, modelCalls });
    const lease = new HeldLease();
    expect(lease.covers(spent(0))).toBe(false);
    lease.take(ONE_CALL, spent(5));
    expect([lease.covers(spent(5)), lease.covers(spent(6))]).toEqual([true, false]);
    lease.take(ONE_CALL, spent(6));
    expect([lease.covers(spent(6)), lease.covers(spent(7))]).toEqual([true, false]);
    lease.end();
    expect(lease.covers(spent(6))).toBe(false);
  });
});

describe('effects in flight', () => {
  it('[EG4] are given up after so many failures in a row, and counted anew after that and after a success', () => {
    const inFlight = new InFlight();
    const failures = (count: number) => Array.from({ length: count }, () => inFlight.failedTooOften(effect));
    const never = Array.from({ length: MAX_FAILURES - 1 }, () => false);
    expect(failures(MAX_FAILURES)).toEqual([...never, true]);
    expect(failures(MAX_FAILURES)).toEqual([...never, true]);
    failures(MAX_FAILURES - 1);
    inFlight.performed([effect]);
    expect(failures(MAX_FAILURES)).toEqual([...never, true]);
  });
});

describe('a body that is bounded', () => {
  it('[EG2] leaves no timer and no listener behind when it has ended', async () => {
    const time = new VirtualTime();
    const outer = new AbortController();
    const controller = new AbortController();
    const late = () => new OffshootError('tool_timeout');
    const bounds = { ms: 50, late, signal: outer.signal, controller, graceMs: () => 20 };
    expect(await bounded(time.environment, bounds, () => 7)).toBe(7);
    await time.settle();
    outer.abort();
    expect([time.pending, controller.signal.aborted]).toEqual([0, false]);
  });

  it('[SP4] never begins when nobody waits for it, unless there is grace left', async () => {
    const time = new VirtualTime();
    const late = () => new OffshootError('tool_timeout');
    let begun = 0;
    const body = () => ++begun;
    const bounds = () => ({ ms: 50, late, signal: AbortSignal.abort(), controller: new AbortController() });
    await expect(bounded(time.environment, bounds(), body)).rejects.toMatchObject({ code: 'aborted' });
    expect([begun, time.pending]).toEqual([0, 0]);
    expect(await bounded(time.environment, { ...bounds(), graceMs: () => 20 }, body)).toBe(1);
  });
});
