/** A memory in portions, each as long as one call takes, without a row that is lost or split; and where a memory is cut. */
import { expect, it } from 'vitest';
import { copiedMessage, copiedRun, copiedStep } from '../../../src/capabilities/copies/memory';
import type { CopyAsk } from '../../../src/capabilities/copies/messages';
import {
  canGoOn,
  cutIn,
  memoryOf,
  PORTION,
  portions,
  sendMemory,
  stateAt,
} from '../../../src/capabilities/copies/rows';
import type { Change } from '../../../src/core/agent/changes';
import type { RepliedStep, Run } from '../../../src/core/agent/state';
import { failure } from '../../../src/protocol/errors';
import { SqlAgentStore } from '../../../src/store/agent-store';
import { migrate } from '../../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../../src/store/migrations';
import { nodeStorage } from '../../../src/testing/node-storage';
import { call, message, RUN, replied, SETTLED, STEP, state } from '../../contract/stores-support';
import { present } from '../../support/present';

function newStore(): SqlAgentStore {
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS });
  return new SqlAgentStore(storage);
}

/** A row whose JSON has so many characters. */
function row(id: number, length: number): Change {
  const change = (content: string): Change => ({
    put: 'message',
    message: { id, messageId: 'm', role: 'user', content, from: 'caller', at: 1 },
  });
  return change('x'.repeat(length - JSON.stringify(change('')).length));
}

const sizes = (rows: readonly Change[]): number[] => [...portions(rows)].map((portion) => portion.length);

it('[CP36] is as long as a portion may be, and a row that is longer is one by itself', () => {
  const half = PORTION / 2;
  expect(sizes([row(1, half), row(2, half)])).toEqual([2]);
  expect(sizes([row(1, half), row(2, half + 1)])).toEqual([1, 1]);
  expect(sizes([row(1, 1_000), row(2, PORTION + 1), row(3, 1_000)])).toEqual([1, 1, 1]);
  expect(sizes([])).toEqual([]);
  const rows = Array.from({ length: 50 }, (_, index) => row(index, 70_000));
  expect([...portions(rows)].flat()).toEqual(rows);
});

it('[CP44] has no message that came after the moment of the copy', () => {
  const store = newStore();
  store.create(state());
  store.write([
    { put: 'run', run: RUN },
    // A further try of the step has seen the later ones as well.
    { put: 'step', step: { ...STEP, messagesUpTo: 3 } },
    ...[1, 2, 3].map((id) => ({ put: 'message' as const, message: message(id) })),
  ]);
  const cut = { step: 1, turn: 1, message: 1, inRun: true, unanswered: true } as const;
  const { session } = state();
  const facts = { session: { ...session, sessionId: 's_copy' }, original: session.sessionId, token: 't', at: 9, cut };
  const rows = [...memoryOf(store, present(store.load()), facts)];
  expect(rows.flatMap((row) => (row.put === 'message' ? [row.message.id] : []))).toEqual([1]);
});

it('[CP66] a cut belongs to the agent that worked then, however many steps before the handoff', () => {
  const store = newStore();
  const session = { ...state().session, active: 'second' };
  const hands = call(0, { kind: 'immediate', result: SETTLED.result, handsOver: { from: 'first' } });
  store.create({ ...state(), session });
  store.write([{ put: 'run', run: RUN }]);
  for (let id = 1; id <= 300; id++) store.write([{ put: 'step', step: replied(id, id === 250 ? [hands] : []) }]);
  expect([200, 140, 10].map((step) => cutIn(store, session, step))).toMatchObject([
    { step: 200, active: 'first' },
    { step: 140, active: 'first' },
    { step: 10, active: 'first' },
  ]);
  expect(cutIn(store, session, 260)).toMatchObject({ step: 260, active: 'second' });
});

it.each([
  ['in one page', [3, 4, 9]],
  ['a page apart', [50, 150, 250]],
  ['on both sides of the end of a page', [100, 101, 102]],
])('[CP66] each cut belongs to the agent that worked then, with handoffs %s', (_where, handed) => {
  const store = newStore();
  const session = { ...state().session, active: 'agent 3' };
  store.create({ ...state(), session });
  store.write([{ put: 'run', run: RUN }]);
  const last = 260;
  for (let id = 1; id <= last; id++) {
    const before = handed.indexOf(id);
    // The session's own agent has no name.
    const from = before === 0 ? {} : { from: `agent ${before}` };
    const hands = call(1, { kind: 'immediate', result: SETTLED.result, handsOver: from });
    const calls = before < 0 ? [] : [call(0), hands];
    const settled = (index: number) => ({ put: 'settlement' as const, stepId: id, index, settlement: SETTLED });
    store.write([{ put: 'step', step: replied(id, calls) }, ...calls.map(({ index }) => settled(index))]);
  }
  const at = (step: number) => handed.filter((id) => id <= step).length;
  const steps = [1, ...handed.flatMap((id) => [id - 1, id, id + 1]), last];
  for (const step of steps) {
    const cut = cutIn(store, session, step);
    const active = at(step) === 0 ? undefined : `agent ${at(step)}`;
    expect([step, 'code' in cut ? cut.code : cut.active]).toEqual([step, active]);
  }
});

it('[CP36] a file that is removed before its turn comes is left out, and the others are sent', async () => {
  const file = (path: string) => ({ path, size: 1, mediaType: 'text/plain', etag: 'e', updatedAt: 1 });
  const sent: string[] = [];
  const answer = await sendMemory(
    [],
    {
      list: async () => ({ items: ['a', 'b', 'c'].map(file) }),
      stat: async (path) => (path === 'b' ? undefined : file(path)),
      open: async (path) => {
        if (path === 'b') throw new TypeError('It is gone.');
        return { file: file(path), offset: 0, length: 1, body: new ReadableStream() };
      },
    },
    async (ask) => {
      if (ask.op === 'file') sent.push(ask.path);
      return { ok: true };
    },
  );
  expect([answer, sent]).toEqual([{ ok: true }, ['a', 'c']]);
});

/** A store with more rows of each kind than are read at once: 40 runs, two steps of each, three messages seen by each. */
function longMemory() {
  const store = newStore();
  const session = { ...state().session, customStep: 80 };
  store.create({ ...state(), session });
  const runs = Array.from({ length: 40 }, (_, at): Run => {
    const { phase: _phase, ...run } = RUN;
    const outcome = { status: 'completed', output: at, completionReason: 'text' } as const;
    return { ...run, phase: 'ended', runId: `r_${at + 1}`, turn: at + 1, endedAt: 4, acknowledged: true, outcome };
  });
  const steps = Array.from({ length: 80 }, (_, at): RepliedStep => {
    const calls = [call(0), { ...call(1), settled: SETTLED }];
    return { ...replied(at + 1, calls), turn: Math.floor(at / 2) + 1, messagesUpTo: 3 * (at + 1) };
  });
  for (const run of runs) store.write([{ put: 'run', run }]);
  for (const step of steps) {
    const ids = [1, 2, 3].map((one) => step.messagesUpTo - 3 + one);
    const settled = { put: 'settlement' as const, stepId: step.id, index: 1, settlement: SETTLED };
    store.write([
      { put: 'step', step },
      settled,
      ...ids.map((id) => ({ put: 'message' as const, message: message(id) })),
    ]);
    const before = { step: step.id, custom: { at: step.id }, changed: step.id - 1 };
    store.write([{ put: 'custom_before', before }]);
  }
  return { store, session, runs, steps };
}

it('[CP1, CP7, CP36] a memory has each row up to where it is cut once, its last run and step first, and none behind that', () => {
  const { store, session, runs, steps } = longMemory();
  const whole = present(store.load());
  const facts = { session: { ...session, sessionId: 's_copy' }, original: session.sessionId, token: 't', at: 9 };
  const upTo = (last: number) => Array.from({ length: Math.max(0, last) }, (_, at) => at + 1);
  for (const step of [0, 1, 33, 79, undefined]) {
    const turn = step === undefined ? 40 : Math.ceil(step / 2);
    const custom = { custom: {}, changed: step ?? 80 };
    const cut = step === undefined ? undefined : { step, turn, message: 3 * step, inRun: false, state: custom };
    const last = step ?? 80;
    const rows = [...memoryOf(store, whole, { ...facts, ...(cut ? { cut } : {}) })];
    const of = <Put extends Change['put']>(put: Put) =>
      rows.filter((one): one is Extract<Change, { put: Put }> => one.put === put);
    const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other);
    expect(sorted(of('run').map(({ run }) => run.turn))).toEqual(upTo(turn));
    expect(sorted(of('step').map((one) => one.step.id))).toEqual(upTo(last));
    expect(of('message').map((one) => one.message.id)).toEqual(upTo(3 * last));
    expect(of('custom_before').map(({ before }) => before)).toEqual(
      upTo(last).map((at) => ({ step: at, custom: { at }, changed: at - 1 })),
    );
    // Every call of a step has its result there, one of the copy where it had none.
    const results = of('settlement').map(({ stepId, index, settlement }) => [stepId, index, settlement.result.success]);
    const [firstRun, firstStep] = [of('run')[0], of('step')[0]];
    const order = last === 0 ? [] : [last, ...upTo(last - 1)];
    expect(results).toEqual(
      order.flatMap((id) => [
        [id, 0, false],
        [id, 1, true],
      ]),
    );
    if (last === 0) continue;
    expect([firstRun?.run.turn, firstStep?.step.id]).toEqual([turn, last]);
    const asCopied = { ...facts, ...(cut ? { cut } : {}) };
    expect(firstRun?.run).toEqual(copiedRun(present(runs[turn - 1]), asCopied));
    expect(firstStep?.step).toEqual(copiedStep(present(steps[last - 1]), asCopied));
    expect(of('message').at(-1)?.message).toEqual(copiedMessage(message(3 * last), facts));
  }
});

it('[CP7, CP11, CP35] a memory is cut where its step, its turn and its state of then say, and continues where that was in a run', () => {
  const { store, session } = longMemory();
  const whole = present(store.load());
  const wanted = 33;
  // Both calls of a step need a result.
  expect(cutIn(store, session, wanted)).toMatchObject({ code: 'not_found' });
  for (const id of [wanted, wanted + 1]) {
    const step = { ...replied(id, [{ ...call(0), settled: SETTLED }]), turn: 17, messagesUpTo: 3 * id };
    store.write([
      { put: 'step', step },
      { put: 'settlement', stepId: id, index: 0, settlement: SETTLED },
    ]);
  }
  const changed = { custom: { at: wanted + 1 }, changed: wanted };
  const cut = { step: wanted, turn: 17, message: 99, inRun: true, state: changed };
  expect(cutIn(store, session, wanted)).toEqual(cut);
  expect(cutIn(store, session, wanted + 1)).toMatchObject({ step: wanted + 1, inRun: false });
  expect(cutIn(store, session, 81)).toMatchObject({ code: 'not_found' });
  expect(stateAt(store, whole, cut)).toEqual(changed);
  const now = { ...whole, custom: { is: 'now' } };
  expect(stateAt(store, now, { ...cut, step: 80 })).toEqual({ custom: { is: 'now' }, changed: 80 });
  const { customStep: _step, ...unchanged } = session;
  expect(stateAt(store, { ...now, session: unchanged }, cut)).toEqual({ custom: { is: 'now' }, changed: 0 });
  const goOn = (one: typeof cut | undefined, run: Run | undefined = whole.run) =>
    canGoOn(store, { ...whole, ...(run ? { run } : {}) }, one);
  expect([
    goOn(cut),
    goOn({ ...cut, inRun: false }),
    goOn({ ...cut, turn: 41 }),
    goOn(undefined),
    goOn(undefined, RUN),
  ]).toEqual([true, false, false, false, true]);
  const { run: _run, ...none } = whole;
  expect(canGoOn(store, none, undefined)).toBe(false);
});

it('[CP36] rows and files are sent page by page, each as it is then, and the first refusal ends it', async () => {
  const file = (path: string) => ({ path, size: path.length, mediaType: `text/${path}`, etag: 'e', updatedAt: 1 });
  const files = {
    list: async ({ cursor }: { cursor?: string }) =>
      cursor === undefined
        ? { items: ['a'].map(file), cursor: '1' }
        : cursor === '1'
          ? { items: [], cursor: '2' }
          : { items: ['bb'].map(file) },
    stat: async (path: string) => file(path),
    open: async (path: string) => ({
      file: { ...file(path), size: 7 },
      offset: 0,
      length: 7,
      body: new ReadableStream(),
    }),
  };
  const rows = [row(1, PORTION), row(2, PORTION)];
  for (const refusedAt of [1, 3, undefined]) {
    const asked: CopyAsk[] = [];
    const refusal = { ok: false, error: failure('internal') } as const;
    const answer = await sendMemory(rows, files, async (ask) =>
      asked.push(ask) === refusedAt ? refusal : { ok: true },
    );
    const sent = asked.map((ask) => (ask.op === 'rows' ? ask.rows.map((one) => rows.indexOf(one)) : ask));
    const all = [
      [0],
      [1],
      { op: 'file', path: 'a', mediaType: 'text/a', size: 7 },
      { op: 'file', path: 'bb', mediaType: 'text/bb', size: 7 },
    ];
    expect([answer, sent]).toEqual([refusedAt ? refusal : { ok: true }, all.slice(0, refusedAt)]);
  }
});
