/** A run as its page holds it: what its worker tells piece by piece is, together, what the whole log says. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Connection, FromWorker, ToWorker } from '../../../../src/console/data/run-messages';
import { detailPatch } from '../../../../src/console/data/tree/detail-patch';
import { Outline } from '../../../../src/console/data/tree/outline';
import type { SequencedChunk } from '../../../../src/protocol/chunks';
import { reduceAll } from '../../../../src/protocol/view/reduce';
import { deskLog } from '../../../support/log';
import { present } from '../../../support/present';
import { mounted } from '../../../support/react-hooks';

const DATA = '../../../../src/console/data';
const away = { DOUBTFUL: 2, heard: vi.fn(), logLost: vi.fn(), logTries: vi.fn(() => 0), onTry: vi.fn(() => noTry) };
const noTry = vi.fn();
const session = {
  ...{ SERVER: 'https://a.test', askForSign: vi.fn(), refused: vi.fn(), tokenNow: () => 'mine' },
  ...{ isSignedOut: () => isOut, onSession: () => () => undefined },
};
let isOut = false;
const workers: FakeWorker[] = [];

class FakeWorker {
  readonly asked: ToWorker[] = [];
  readonly terminate = vi.fn();
  tell: (message: { data: FromWorker }) => void = () => undefined;
  constructor() {
    workers.push(this);
  }
  addEventListener(_: string, listener: typeof this.tell): void {
    this.tell = listener;
  }
  postMessage(message: ToWorker): void {
    this.asked.push(message);
  }
}

let page: typeof import('../../../../src/console/data/run');

beforeAll(async () => {
  vi.resetModules();
  vi.doMock(`${DATA}/away`, () => away);
  vi.doMock(`${DATA}/session`, () => session);
  vi.doMock(`${DATA}/run.worker?worker&url`, () => ({ default: '/worker.js' }));
  page = await import('../../../../src/console/data/run');
});
afterAll(() => {
  for (const name of ['away', 'session', 'run.worker?worker&url']) vi.doUnmock(`${DATA}/${name}`);
  vi.resetModules();
});
beforeEach(() => {
  workers.length = 0;
  isOut = false;
  vi.stubGlobal('Worker', FakeWorker);
  for (const each of [away.heard, away.logLost, session.askForSign, session.refused, noTry]) each.mockReset();
  away.logTries.mockReset().mockReturnValue(0);
  away.onTry.mockReset().mockReturnValue(noTry);
});
afterEach(() => void vi.unstubAllGlobals());

const { entries } = deskLog();
const ROOT = present(entries[0]).chunk.address;
const LIVE: Connection = { kind: 'live' };

/** Opens a page of the root; `tell` hands it what its worker says. */
async function opened(selected = ROOT, end?: number) {
  const shown = { address: ROOT, selected, end };
  const hook = await mounted(() => page.useRun(shown.address, shown.selected, shown.end));
  const worker = () => present(workers.at(-1));
  const tell = (message: FromWorker) => hook.settle(() => worker().tell({ data: structuredClone(message) }));
  return { hook, shown, worker, tell };
}

const message = (outline: Outline, more: Partial<FromWorker> = {}): FromWorker => ({
  ...{ connection: LIVE, over: 'socket' as const, sequence: 1, anew: false, outline: outline.changes() },
  ...more,
});

/** The rows, times and gaps of a log that is read at once. */
function wholeOf(log: readonly SequencedChunk[]) {
  const outline = new Outline();
  for (const entry of log) outline.take(entry);
  const { rows, spans, gaps, busy } = outline.changes();
  return { rows, spans: new Map(spans.map(([agentId, , all]) => [agentId, all])), gaps, busy };
}

it('[CN20] rows and times that come in pieces are those of the whole log, and begin anew after a reset', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 8 }),
      fc.nat(8),
      async (sizes, cut) => {
        const { hook, tell } = await opened();
        let [outline, from, to, anew] = [new Outline(), 0, 0, true];
        for (const [index, size] of sizes.entries()) {
          if (index === cut) [outline, from, anew] = [new Outline(), to, true];
          for (const entry of entries.slice(to, to + size)) outline.take(entry);
          to = Math.min(to + size, entries.length);
          await tell(message(outline, { sequence: to, anew }));
          anew = false;
          const { rows, spans, gaps, busy, sequence } = hook.result;
          const kept = new Map([...spans].filter(([, all]) => all.length > 0));
          expect({ rows, spans: kept, gaps, busy, sequence }).toEqual({
            ...wholeOf(entries.slice(from, to)),
            sequence: to,
          });
        }
        await hook.unmount();
      },
    ),
    { numRuns: 15 },
  ));

it('[CN64] what has not changed stays the same object; the selected agent is patched, and no other is shown for it', async () => {
  const { hook, shown, tell } = await opened();
  const outline = new Outline();
  const half = entries.slice(0, 8);
  for (const entry of half) outline.take(entry);
  const viewOf = (log: readonly SequencedChunk[]) => present(reduceAll(log).agents[0]);
  const [before, after] = [viewOf(half), viewOf(entries)];
  const detail = { patch: detailPatch(undefined, before), cut: true, loading: true };
  await tell(message(outline, { anew: true, edge: 3, detail }));
  const first = hook.result;
  expect(first).toMatchObject({ detail: before, cut: true, loading: true, edge: 3, over: 'socket' });
  await tell(message(outline, { over: 'sse' }));
  const second = hook.result;
  expect(
    [second.rows, second.spans, second.gaps].map((each, at) => each === [first.rows, first.spans, first.gaps][at]),
  ).toEqual(Array(3).fill(true));
  expect(second).toMatchObject({ detail: before, cut: true, loading: true, edge: undefined, over: 'sse' });
  await tell(message(outline, { detail: { patch: detailPatch(before, after), cut: false, loading: false } }));
  expect(hook.result).toMatchObject({ detail: after, cut: false, loading: false });
  await tell(message(outline, { detail: { patch: undefined, cut: true, loading: false } }));
  expect(hook.result).toMatchObject({ detail: after, cut: true, loading: false });
  for (const gaps of [
    [{ from: 1, to: 2 }],
    [{ from: 1, to: 3 }],
    [{ from: 0, to: 3 }],
    [
      { from: 0, to: 3 },
      { from: 5, to: 6 },
    ],
    [],
  ]) {
    await tell(message(outline, { outline: { ...outline.changes(), gaps } }));
    expect(hook.result.gaps).toEqual(gaps);
  }
  shown.selected = `${ROOT}/sub/researcher/1~1`;
  await hook.render();
  expect(hook.result.detail).toBeUndefined();
  expect(hook.result.cut).toBe(true);
});

it('[CN64] asks its worker for the root, the agent, the end and the next piece, and for no piece before the first', async () => {
  const { hook, shown, worker, tell } = await opened(ROOT, undefined);
  const open = { type: 'open', server: 'https://a.test', address: ROOT, token: 'mine' };
  expect(worker().asked).toEqual([open, { type: 'select', address: ROOT }]);
  worker().asked.length = 0;
  await tell(message(new Outline()));
  expect(worker().asked).toEqual([{ type: 'drawn' }]);
  shown.end = 9;
  await hook.render();
  shown.selected = `${ROOT}/sub/researcher/1~1`;
  await hook.render();
  expect(worker().asked.slice(1)).toEqual([
    { type: 'end', sequence: 9 },
    { type: 'select', address: shown.selected },
  ]);
  const tryNow: unknown = away.onTry.mock.calls.at(-1)?.at(0);
  if (typeof tryNow === 'function') tryNow();
  expect(worker().asked.at(-1)).toEqual({ type: 'try' });
  const old = worker();
  shown.address = '/agents/coordinator/other';
  await hook.render();
  expect([old.terminate.mock.calls.length, worker().asked[0], hook.result.rows]).toEqual([
    1,
    { ...open, address: shown.address },
    [],
  ]);
  expect(noTry).toHaveBeenCalled();
  const count = workers.length;
  isOut = true;
  await hook.render();
  expect([workers.length, worker().terminate.mock.calls.length]).toEqual([count, 1]);
});

it('[CN80] says how its log stands: a sign is asked for once at each doubtful try, and the server was heard where it is back', async () => {
  const { tell } = await opened();
  const lost = (tries: number): Connection => ({ kind: 'reconnecting', problem: 'cut', tries, lostAt: 1, nextAt: 0 });
  const rows: readonly (readonly [known: number, now: Connection, signs: number, heard: number])[] = [
    [0, lost(1), 0, 0],
    [1, lost(2), 1, 0],
    [2, lost(2), 0, 0],
    [2, lost(3), 1, 0],
    [3, LIVE, 0, 1],
    [0, LIVE, 0, 0],
    [1, { kind: 'catching up' }, 0, 1],
  ];
  for (const [known, connection, signs, heard] of rows) {
    for (const each of [session.askForSign, away.heard, away.logLost]) each.mockClear();
    away.logTries.mockReturnValue(known);
    await tell(message(new Outline(), { connection }));
    const calls = [session.askForSign, away.heard].map(({ mock }) => mock.calls.length);
    expect({ known, connection, calls }).toEqual({ known, connection, calls: [signs, heard] });
    expect(away.logLost.mock.calls).toEqual([[connection.kind === 'reconnecting' ? connection : undefined]]);
  }
  expect(session.refused).not.toHaveBeenCalled();
  await tell(message(new Outline(), { connection: { kind: 'signed out' } }));
  expect(session.refused).toHaveBeenCalledOnce();
});
