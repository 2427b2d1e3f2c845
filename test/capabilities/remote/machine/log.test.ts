/** The log of a remote task under a name that it has had before, and under another one. */
import { expect, it } from 'vitest';
import {
  contradictsLog,
  isStreamBehind,
  mayWaitThere,
  relayed,
  withSpent,
} from '../../../../src/capabilities/remote/machine/log';
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

/** A chunk of the remote root, or of another agent there, in a row of them. */
const of = (type: string, facts: object = {}): Chunk =>
  Object.assign({}, textOf(atWork, ''), { address: '/agents/far/r-1', type, runId: 'r_there' }, facts);
const rows = (...chunks: readonly Chunk[]) =>
  chunks.map((chunk, at) => ({ type: 'chunk', sequence: at + 1, chunk }) as const);
const typesOf = (run: PlacedRun) => run.kept.flatMap(({ chunks }) => chunks.map(({ type }) => type));

it('[RM10, RM15, RM96] a task begins with the start of its own run, by its root: all before is passed over', () => {
  const fromHere = { ...further, cursor: 0 };
  const started = of('run_started', { turn: 2 });
  const others = [
    of('text_delta', { delta: 'x' }),
    of('run_started', { runId: 'r_else', turn: 1 }),
    of('run_started', { address: '/agents/far/r-1/sub/leaf/1~1', turn: 1 }),
    of('step_started'),
  ];
  const skipped = relayed(fromHere, rows(...others), taking);
  expect(skipped).toEqual({ ...fromHere, cursor: 4 });
  expect(relayed(skipped, [{ type: 'passed_over', sequence: 5, bytes: 700 }], taking)).toEqual({
    ...fromHere,
    cursor: 5,
  });
  const begun = relayed(fromHere, rows(...others, started, of('step_started')), taking);
  expect(begun).toMatchObject({ cursor: 6, skips: false, status: 'running' });
  expect(typesOf(begun)).toEqual(['run_started', 'step_started']);
  const over = relayed(begun, [{ type: 'passed_over', sequence: 7, bytes: 700 }], taking);
  expect(over).toEqual({ ...begun, cursor: 7, held: { ...begun.held, logBytes: begun.held.logBytes + 700 } });
});

it('[RM3] a sequence that was taken is not taken again, and one that leaves some out is refused with what is behind it', () => {
  const all = rows(of('step_started'), of('text_delta', { delta: 'a' }), of('text_delta', { delta: 'b' }));
  const [first, second, third] = all;
  if (first === undefined || second === undefined || third === undefined) throw new TypeError('There are three.');
  const one = relayed(atWork, [first], taking);
  expect([one.cursor, one.last]).toEqual([1, 1]);
  expect(relayed(one, [first], taking)).toBe(one);
  expect(typesOf(relayed(one, all, taking))).toEqual(['step_started', 'text_delta', 'text_delta']);
  // What came before the hole is taken.
  expect(relayed(atWork, [first, third], taking)).toEqual(one);
  const take = () => relayed(one, [third], taking);
  expect(take).toThrow('It omitted the chunk after sequence 1.');
  expect(take).toThrow(expect.objectContaining({ retryable: true }));
});

it('[RM9, RM34] an end of its root is the end of the task, and a word of a run at work behind it is refused', () => {
  const ends = (type: string, facts: object) => relayed(atWork, rows(of(type, facts)), taking);
  const error = { code: 'aborted', message: 'Late.', category: 'x', retryable: false };
  const rowsOf = [
    ['run_completed', { output: 1 }, { status: 'completed', output: 1 }],
    ['run_failed', { error, failureReason: 'aborted' }, { status: 'failed', error: { code: 'aborted' } }],
    ['run_interrupted', { reason: 'Wait.' }, { status: 'interrupted', reason: 'Wait.' }],
    ['run_terminated', { reason: 'Over.' }, { status: 'terminated', reason: 'Over.' }],
  ] as const;
  for (const [type, facts, end] of rowsOf) {
    const run = ends(type, facts);
    expect(run).toMatchObject({ status: end.status, local: { is: 'active', end } });
    const below = of(type, { ...facts, address: '/agents/far/r-1/sub/leaf/1~1' });
    expect(relayed(atWork, rows(below), taking)).toMatchObject({ status: 'running', local: atWork.local });
    // What waited anywhere there waits for nobody any more; what was taken of the log stays counted.
    const asks = { toolCallId: 'c_1', toolName: 'pay', arguments: {}, inputHash: 'x' };
    const waiting = ['', '/sub/leaf/1~1'].map((at, index) =>
      of('tool_approval_request', { ...asks, toolCallId: `c_${index}`, address: `/agents/far/r-1${at}` }),
    );
    const asked = relayed(atWork, rows(...waiting), taking);
    expect(asked.held.waiting).toHaveLength(2);
    const over = relayed(atWork, rows(...waiting, of(type, facts)), taking);
    expect(over.held).toEqual({ waiting: [], replies: {}, logBytes: expect.any(Number) });
    expect(over.held.logBytes).toBeGreaterThan(asked.held.logBytes);
    // A status may say more of an end than the log, and names the same.
    expect(contradictsLog(run, { status: 'terminated', reason: 'x' })).toBe(end.status !== 'terminated');
    const further = (next: string) => () =>
      relayed(run, [{ type: 'chunk', sequence: 2, chunk: of(next, { delta: 'x' }) }], taking);
    if (end.status === 'interrupted') expect(further('text_delta')).not.toThrow();
    else expect(further('text_delta')).toThrow('Its log continues after its end (text_delta).');
    // What is said about the child then changes nothing of its end.
    expect(further('custom')()).toMatchObject({ status: end.status, local: { end } });
    const below2 = of('run_started', { address: '/agents/far/r-1/sub/leaf/2~1', turn: 1 });
    expect(relayed(run, [{ type: 'chunk', sequence: 2, chunk: below2 }], taking)).toMatchObject({ cursor: 2 });
  }
  expect(contradictsLog(atWork, { status: 'terminated', reason: 'x' })).toBe(false);
});

it('[RM29, RM42] reported usage never falls in any part, whichever is reported in whichever order', () => {
  const parts = { ...atWork.usage, cacheWriteTokens: 0, costUsd: 0 };
  const run: PlacedRun = { ...atWork, usage: { ...atWork.usage, inputTokens: 900, outputTokens: 900 } };
  const spend = (before: PlacedRun, usage: object) =>
    withSpent(before, { total: { costUsd: 0, ...atWork.usage, ...usage }, byAgent: {} }, SINCE);
  for (const part of Object.keys(parts).filter((name) => name !== 'inputTokens' && name !== 'outputTokens')) {
    const reported = [5, 3, 7, 0].map((amount) => ({ [part]: amount }));
    let spent = run;
    const seen = reported.map((usage) => {
      spent = spend(spent, usage);
      return Reflect.get(spent.usage, part);
    });
    expect([part, seen, spent.usage.inputTokens, spent.usage.outputTokens]).toEqual([part, [5, 5, 7, 7], 900, 900]);
  }
  expect(spend(run, { inputTokens: 901, outputTokens: 3 }).usage).toMatchObject({
    inputTokens: 901,
    outputTokens: 900,
  });
  for (const wrong of [undefined, null, {}, { total: { inputTokens: 'x' }, byAgent: {} }])
    expect(() => withSpent(run, wrong, SINCE)).toThrow('It reported an invalid usage.');
});

it('[RM21] a stream is behind the status unless both have come as far', () => {
  const counts = { running: 0, queued: 0, waiting: 0, total: 0 };
  const yes = { start: true, send: true, interrupt: true, abort: true, terminate: true };
  const body = {
    ...{ sessionId: 's_there', agentType: 'far', address: '/agents/far/r-1', status: 'running', childCounts: counts },
    ...{ usage: atWork.usage, tags: [], pending: [], lastSequence: 7 },
    controls: { ...yes, resume: true, retry: true, submit: true, fork: true, remove: true },
  };
  const behind = (cursor: number) => isStreamBehind({ cursor }, { ok: true, body });
  expect([6, 7, 8].map(behind)).toEqual([true, false, true]);
  expect(isStreamBehind({ cursor: 7 }, { ok: false, code: 'x', title: 'x', status: 503 })).toBe(true);
});
