/** The log of a remote task under a name that it has had before, and under another one. */
import { expect, it } from 'vitest';
import { mayWaitThere, relayed } from '../../../../src/capabilities/remote/machine/log';
import { nextRun, renamed } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { REMOTE_BOUNDS } from '../../../../src/core/definition/remote-transport';
import type { Chunk } from '../../../../src/protocol/chunks';
import { atWork, SINCE, textOf, unsent } from '../perform/child';

const taking = { now: SINCE, bounds: REMOTE_BOUNDS };
const given = { task: { childId: 1, task: 2 }, runId: 'r_next' };
const began = (run: PlacedRun): PlacedRun => ({ ...run, remote: atWork.remote });
const further = began(nextRun({ ...atWork, cursor: 7 }, given, SINCE));
const fresh = began(renamed(nextRun({ ...unsent, cursor: 7 }, given, SINCE), 'r-2'));

it('[RM10, RM15] turns of others before a further task are passed over, also where the log has lost them', () => {
  expect(relayed(further, [{ type: 'reset', from: 12 }], taking)).toMatchObject({ cursor: 11, kept: [] });
});

it('[RM74, RM15] a log under another name is taken from its beginning: one that begins later fails the task', () => {
  expect(fresh).toMatchObject({ name: 'r-2', cursor: 0 });
  expect(() => relayed(fresh, [{ type: 'reset', from: 2 }], taking)).toThrow('Its log begins at sequence 2');
  expect(relayed(fresh, [{ type: 'reset', from: 1 }], taking)).toBe(fresh);
});

it('[RM51, RM74] a task waits behind turns of others in the session that they share, and in no other', () => {
  const said = { sessionId: 's_there', status: 'running' } as Parameters<typeof mayWaitThere>[1];
  expect([further, fresh].map((run) => mayWaitThere(run, said))).toEqual([true, false]);
});

it('[RM51] a task waits behind an interrupted turn of somebody else, and behind no other turn that has ended', () => {
  const said = (status: string) => ({ sessionId: 's_there', status }) as Parameters<typeof mayWaitThere>[1];
  const waits = (status: string) => mayWaitThere(further, said(status));
  expect(['running', 'queued', 'interrupted', 'completed', 'failed', 'terminated'].map(waits)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('[RM15] a log that has lost a part of this task fails it', () => {
  const run = { ...atWork, cursor: 7 };
  expect(relayed(run, [{ type: 'reset', from: 8 }], taking)).toBe(run);
  expect(() => relayed(run, [{ type: 'reset', from: 9 }], taking)).toThrow('the events after 7 are gone');
});

it('[RM3, RM24] a run that was interrupted and continues there is still the task; a new turn behind its end is not', () => {
  const there = { ...textOf(atWork, ''), address: '/agents/far/r-1' };
  const { delta: _delta, part: _part, ...base } = { delta: '', part: 0, ...there };
  const ends: Chunk = Object.assign({}, base, { type: 'run_interrupted' as const, reason: 'Wait.' });
  const begins = (facts: object): Chunk => Object.assign({}, base, { type: 'run_started' as const, turn: 2 }, facts);
  const taken = (next: Chunk) =>
    relayed(
      atWork,
      [ends, next].map((chunk, at) => ({ type: 'chunk', sequence: at + 1, chunk })),
      taking,
    );
  expect(taken(begins({ chainTurn: 1, resumedFrom: 'r_there' }))).toMatchObject({ cursor: 2, status: 'running' });
  expect(taken(begins({ chainTurn: 2 }))).toMatchObject({ cursor: 1, status: 'interrupted' });
});
