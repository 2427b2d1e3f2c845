/** What every store of an agent must do: the suite runs over `node:sqlite`, and over a Durable Object's own storage. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Child } from '../../src/core/agent/children/child';
import type { Run, Step } from '../../src/core/agent/state';
import { MAX_CALLS_OF_A_REPLY } from '../../src/core/definition/reply-size';
import type { Inheritance, OutgoingBatch } from '../../src/core/ports/agent-store';
import { failure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { SqlAgentStore } from '../../src/store/agent-store';
import { MAX_TEXT } from '../../src/store/long-rows';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import {
  call,
  childCall,
  childRecord,
  chunks,
  LONG_TEXTS,
  message,
  RUN,
  replied,
  SETTLED,
  STEP,
  state,
  type WithStorage,
} from './stores-support';

/** Takes over each row as it is. */
const AS_IT_IS: Pick<Inheritance, 'run' | 'step' | 'message'> = {
  run: (run) => run,
  step: (step) => step,
  message: (one) => one,
};

/** A store in use, and a way to open it again. */
interface Stores {
  readonly store: SqlAgentStore;
  reopen(): SqlAgentStore;
}

type WithStore = (body: (stores: Stores) => void) => Promise<void>;

/** The contract. */
export function agentStoreContract(name: string, withStorage: WithStorage): void {
  const withStore: WithStore = (body) =>
    withStorage(({ storage, reopen }) => {
      migrate(storage, { agent: AGENT_MIGRATIONS });
      body({ store: new SqlAgentStore(storage), reopen: () => new SqlAgentStore(reopen()) });
    });
  describe(`the agent's store over ${name}`, () => {
    stateSuite(withStore);
    historySuite(withStore);
    longSuite(withStore, withStorage);
    slotSuite(withStore);
    outboxSuite(withStore);
    receiptSuite(withStore);
    transactionSuite(withStore);
  });
}

function stateSuite(withStore: WithStore): void {
  it('[SO4] has no state before a session was created, and that state afterwards', () =>
    withStore(({ store, reopen }) => {
      expect(store.load()).toBeUndefined();
      store.create(state());
      expect(store.load()).toEqual(state());
      expect(reopen().load()).toEqual(state());
    }));

  it('[SO13] removes a memory that has no session', () =>
    withStore(({ store, reopen }) => {
      const { run, step } = { run: RUN, step: replied(1, [call(0)]) };
      store.transaction(() => {
        store.write([
          { put: 'run', run },
          { put: 'step', step },
          { put: 'settlement', stepId: step.id, index: 0, settlement: SETTLED },
          { put: 'message', message: message(1, 'x'.repeat(MAX_TEXT)) },
        ]);
      });
      expect(store.load()).toBeUndefined();
      expect([store.runs({}), store.steps({}), store.messages({})].map((rows) => rows.length)).toEqual([1, 1, 1]);
      store.transaction(() => store.clear());
      const found = reopen();
      expect([found.runs({}), found.steps({}), found.messages({})]).toEqual([[], [], []]);
    }));

  it('[SO14, SO12] gives the custom states that were kept, by step, and an heir none of those behind its end', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      const before = (step: number) => ({ step, custom: `${step}${'x'.repeat(MAX_TEXT)}`, changed: step - 2 });
      store.write([
        { put: 'run', run: RUN },
        { put: 'step', step: replied(3, [call(0)]) },
        { put: 'settlement', stepId: 3, index: 0, settlement: SETTLED },
        ...[2, 4, 6].map((step) => ({ put: 'custom_before' as const, before: before(step) })),
      ]);
      const found = reopen();
      const stepsOf = (range: Parameters<typeof found.customBefore>[0]) =>
        found.customBefore(range).map(({ step }) => step);
      expect(found.customBefore({})).toEqual([before(2), before(4), before(6)]);
      expect([stepsOf({ after: 2, limit: 1 }), stepsOf({ upTo: 4 }), stepsOf({ after: 6 })]).toEqual([[4], [2, 4], []]);
      const { custom, changed } = before(4);
      const cut = { step: 3, turn: 1, message: 0, state: { custom, changed } };
      const session = { ...state().session, sessionId: 's_copy' };
      found.transaction(() => found.inherit({ ...AS_IT_IS, session, end: cut }));
      const copy = reopen();
      expect(copy.customBefore({})).toEqual([before(2)]);
      expect(copy.load()).toMatchObject({ custom, session: { sessionId: 's_copy', customStep: 2 } });
    }));

  it('[SO12] lets a step be inherited that had no reply yet, without calls and results that have come since', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      store.write([
        { put: 'run', run: RUN },
        { put: 'step', step: replied(1, [call(0)]) },
        { put: 'settlement', stepId: 1, index: 0, settlement: SETTLED },
        { put: 'step', step: replied(2, [call(0)]) },
        { put: 'settlement', stepId: 2, index: 0, settlement: SETTLED },
      ]);
      const cut = { step: 2, turn: 1, message: 0, unanswered: true } as const;
      const asked = (step: Step): Step => (step.id === cut.step ? { ...STEP, id: cut.step } : step);
      const session = { ...state().session, sessionId: 's_copy' };
      const found = reopen();
      found.transaction(() => found.inherit({ ...AS_IT_IS, step: asked, session, end: cut }));
      const copy = reopen();
      expect(copy.steps({})).toMatchObject([
        { id: 1, phase: 'calls' },
        { id: 2, phase: 'model' },
      ]);
      copy.write([{ put: 'step', step: { ...replied(2, [call(0)]) } }]);
      const [, last] = copy.steps({});
      expect(last?.phase === 'calls' && last.calls[0]?.settled).toBeUndefined();
    }));

  it('[SO12] lets each result of the last step be inherited, and none behind it', () =>
    withStore(({ store, reopen }) => {
      // As many as one reply may have: its last result has the key before the first one of the next step.
      const all = Array.from({ length: MAX_CALLS_OF_A_REPLY }, (_, index) => call(index));
      store.create(state());
      store.write([
        { put: 'run', run: RUN },
        ...[1, 2, 3].map((id) => ({ put: 'step' as const, step: replied(id, id === 2 ? all : [call(0)]) })),
        ...[1, 2, 3].map((stepId) => ({ put: 'settlement' as const, stepId, index: 0, settlement: SETTLED })),
        { put: 'settlement', stepId: 2, index: all.length - 1, settlement: SETTLED },
      ]);
      const cut = { step: 2, turn: 1, message: 0 };
      const session = { ...state().session, sessionId: 's_copy' };
      store.transaction(() => store.inherit({ ...AS_IT_IS, session, end: cut }));
      const copy = reopen();
      const settledOf = (id: number) => {
        const step = copy.steps({}).find((one) => one.id === id);
        const calls = step?.phase === 'calls' ? step.calls : [];
        return calls.flatMap(({ index, settled }) => (isDeepStrictEqual(settled, SETTLED) ? [index] : []));
      };
      expect([1, 2, 3].map(settledOf)).toEqual([[0], [0, all.length - 1], []]);
      copy.write([{ put: 'step', step: replied(3, [call(0)]) }]);
      expect(settledOf(3)).toEqual([]);
    }));

  it('[SO12] lets messages be inherited up to the end of the memory, or those alone that a step has seen', async () => {
    for (const end of [undefined, 0, 1, 6])
      await withStore(({ store, reopen }) => {
        store.create(state());
        store.write([
          { put: 'run', run: RUN },
          ...[1, 2].map((id) => ({ put: 'step' as const, step: { ...replied(id, []), messagesUpTo: 2 * id } })),
          // A long text lies in rows of its own.
          ...[1, 2, 3, 4, 5, 6].map((id) => ({
            put: 'message' as const,
            message: message(id, id % 2 ? 'x' : 'x'.repeat(2 * MAX_TEXT)),
          })),
        ]);
        const session = { ...state().session, sessionId: 's_copy' };
        const cut = end === undefined ? {} : { end: { step: 2, turn: 1, message: end } };
        const found = reopen();
        found.transaction(() => found.inherit({ ...AS_IT_IS, session, ...cut }));
        const ids = reopen()
          .messages({})
          .map(({ id }) => id);
        expect(ids, `up to ${end}`).toEqual([1, 2, 3, 4, 5, 6].filter((id) => id <= (end ?? 4)));
      });
  });

  it('[SO12] lets the agent at work be inherited, as it is or as it was at the end of the memory', () =>
    withStore(({ store, reopen }) => {
      const cut = { step: 0, turn: 0, message: 0 };
      const session = { ...state().session, sessionId: 's_copy' };
      store.create({ ...state(), session: { ...state().session, active: 'speaker' } });
      const become = (cutAt?: typeof cut & { active?: string }) => {
        const open = reopen();
        open.transaction(() => open.inherit({ ...AS_IT_IS, session, ...(cutAt ? { end: cutAt } : {}) }));
        return reopen().load()?.session.active;
      };
      expect([become(), become({ ...cut, active: 'other' }), become(cut)]).toEqual(['speaker', 'other', undefined]);
    }));

  it('[A39] keeps the last 10,000 entries of the audit', () =>
    withStore(({ store, reopen }) => {
      store.transaction(() => {
        for (let at = 1; at <= 10_002; at += 1) store.addAudit({ at, actor: 'a', action: 'send' });
      });
      const kept = reopen().audit({});
      expect([kept.length, kept[0]?.at, kept.at(-1)?.at]).toEqual([10_000, 3, 10_002]);
    }));

  it('[SO4, SE1] gives back each change, the latest run and step, and what has arrived since', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      const ended: Run = {
        ...RUN,
        phase: 'ended',
        endedAt: 9,
        outcome: { status: 'failed', error: failure('aborted') },
        acknowledged: true,
      };
      const step = replied(1, [call(0), call(1)]);
      store.write([
        { put: 'run', run: ended },
        { put: 'run', run: { ...RUN, turn: 2, runId: 'r_2' } },
        { put: 'step', step: replied(1, []) },
        { put: 'step', step: { ...step, id: 2, turn: 2, messagesUpTo: 2, spent: { ...NO_USAGE, inputTokens: 3 } } },
        {
          put: 'settlement',
          stepId: 2,
          index: 1,
          settlement: { ...SETTLED, usage: { ...NO_USAGE, toolCalls: 1, costUsd: 0.5 } },
        },
        ...[1, 2, 3, 4].map((id) => ({ put: 'message' as const, message: message(id) })),
        { put: 'custom', custom: [null, 'x'] },
        { put: 'session', session: { ...state().session, displayName: 'Ada' } },
      ]);
      const loaded = reopen().load();
      expect(loaded).toMatchObject({
        run: { runId: 'r_2' },
        custom: [null, 'x'],
        session: { displayName: 'Ada', tags: ['a'] },
        lastMessage: 4,
      });
      expect(loaded?.inbox).toEqual([message(3), message(4)]);
      expect(loaded?.step).toEqual({
        ...step,
        id: 2,
        turn: 2,
        messagesUpTo: 2,
        spent: { ...NO_USAGE, inputTokens: 3 },
        calls: [call(0), { ...call(1), settled: { ...SETTLED, usage: { ...NO_USAGE, toolCalls: 1, costUsd: 0.5 } } }],
      });
      expect(loaded?.spent).toEqual({ ...NO_USAGE, inputTokens: 3, toolCalls: 1, costUsd: 0.5 });
    }));

  it('[SO4] writing the same change again is harmless', () =>
    withStore(({ store }) => {
      store.create(state());
      const changes = [
        { put: 'run', run: RUN },
        { put: 'step', step: replied(1, [call(0), childCall(1, 'Leaf', 1)]) },
        { put: 'settlement', stepId: 1, index: 0, settlement: SETTLED },
        { put: 'message', message: message(1) },
        { put: 'child', child: childRecord(1, 'Leaf', '1~1'), reuses: false },
        { put: 'custom', custom: 1 },
      ] as const;
      store.write(changes);
      const once = store.load();
      store.write(changes);
      expect(store.load()).toEqual(once);
      expect(store.children()).toHaveLength(1);
      expect([store.runs({}).length, store.steps({}).length, store.messages({}).length]).toEqual([1, 1, 1]);
    }));

  it('[SO4] keeps what was written last of a call, and of a message', () =>
    withStore(({ store }) => {
      store.create(state());
      store.write([{ put: 'step', step: replied(1, [call(0)]) }]);
      for (const value of ['first', 'second']) {
        store.write([
          { put: 'settlement', stepId: 1, index: 0, settlement: { ...SETTLED, result: { success: true, value } } },
          { put: 'message', message: message(1, value) },
        ]);
      }
      expect(store.steps({})).toMatchObject([{ calls: [{ settled: { result: { value: 'second' } } }] }]);
      expect(store.messages({})).toEqual([message(1, 'second')]);
    }));
}

function historySuite(withStore: WithStore): void {
  it('[SO4] reads runs, steps and messages in order: after a key, up to and with another, so many', () =>
    withStore(({ store }) => {
      store.create(state());
      for (const n of [3, 1, 5, 2, 4])
        store.write([
          { put: 'run', run: { ...RUN, turn: n } },
          { put: 'step', step: { ...STEP, id: n } },
          { put: 'message', message: message(n) },
        ]);
      const ranges = [
        {},
        { after: 2 },
        { upTo: 2 },
        { after: 1, upTo: 4 },
        { after: 1, limit: 2 },
        { limit: 1 },
        { after: 5 },
        { after: 4, upTo: 4 },
      ];
      const expected = [[1, 2, 3, 4, 5], [3, 4, 5], [1, 2], [2, 3, 4], [2, 3], [1], [], []];
      expect(ranges.map((range) => store.runs(range).map(({ turn }) => turn))).toEqual(expected);
      expect(ranges.map((range) => store.steps(range).map(({ id }) => id))).toEqual(expected);
      expect(ranges.map((range) => store.messages(range).map(({ id }) => id))).toEqual(expected);
    }));

  it('[SO4, CL4] keeps the results of neighbouring steps apart, up to the most calls that a reply may have', () =>
    withStore(({ store }) => {
      store.create(state());
      const many = Array.from({ length: 4_096 }, (_, index) => call(index));
      store.write([
        { put: 'step', step: replied(1, many) },
        { put: 'step', step: replied(2, [call(0)]) },
        { put: 'settlement', stepId: 1, index: 4_095, settlement: { ...SETTLED, at: 1 } },
        { put: 'settlement', stepId: 2, index: 0, settlement: { ...SETTLED, at: 2 } },
      ]);
      const settled = store
        .steps({})
        .map((step) =>
          step.phase === 'calls'
            ? step.calls.flatMap((each) => (each.settled ? [[each.index, each.settled.at]] : []))
            : [],
        );
      expect(settled).toEqual([[[4_095, 1]], [[0, 2]]]);
      expect(store.load()?.step).toMatchObject({ id: 2, calls: [{ settled: { at: 2 } }] });
    }));
}

function longSuite(withStore: WithStore, withStorage: WithStorage): void {
  it.for(LONG_TEXTS)('[SO2, SO4] keeps texts of any length in every record: $name', ({ text }) =>
    withStore(({ store, reopen }) => {
      const long = state({ custom: { text } });
      const session = { ...long.session, metadata: { text } };
      store.create({ ...long, session });
      const outcome = { status: 'completed', output: text, completionReason: 'text' } as const;
      const run: Run = { ...RUN, phase: 'ended', endedAt: 1, outcome, acknowledged: true };
      const step = replied(1, [{ ...call(0), input: { text } }], { reply: [{ type: 'text', text }] });
      const settlement = { ...SETTLED, result: { success: true, value: text } } as const;
      const batch: OutgoingBatch = {
        position: 3,
        batch: { first: 1, chunks: chunks(2, text), status: 'running', usage: NO_USAGE },
      };
      store.transaction(() => {
        store.write([
          { put: 'run', run },
          { put: 'step', step },
          { put: 'settlement', stepId: 1, index: 0, settlement },
          { put: 'message', message: message(1, text) },
          { put: 'message', message: message(2, text) },
        ]);
        store.keep(batch);
        store.addReceipt('a key with spaces', { body: 'b', answer: { status: 202, body: text } }, 1, 10);
      });
      const opened = reopen();
      const loaded = opened.load();
      expect(loaded?.session).toEqual(session);
      expect(loaded?.custom).toEqual({ text });
      expect(loaded?.run).toEqual(run);
      expect(loaded?.step).toEqual({ ...step, calls: [{ ...call(0), input: { text }, settled: settlement }] });
      expect(loaded?.inbox).toEqual([message(2, text)]);
      expect(opened.outbox()).toEqual([batch]);
      expect(opened.receipt('a key with spaces', 2)).toEqual({ body: 'b', answer: { status: 202, body: text } });
    }),
  );

  it('[SO13] says exactly how many bytes its memory has, texts that go on in other rows included', () =>
    withStorage(({ storage }) => {
      migrate(storage, { agent: AGENT_MIGRATIONS });
      const store = new SqlAgentStore(storage);
      expect(store.bytes()).toBe(0);
      store.create(state());
      const text = '\u4e2d'.repeat(MAX_TEXT + 1);
      store.write([
        { put: 'run', run: RUN },
        { put: 'step', step: replied(1, [call(0)]) },
        { put: 'settlement', stepId: 1, index: 0, settlement: SETTLED },
        { put: 'message', message: message(1, text) },
      ]);
      const columns = ['runs', 'steps', 'settlements', 'messages'].map((table) => [table, 'data']);
      const texts = [...columns, ['overflow', 'text']].map(([table, column]) =>
        storage.sql
          .exec(`SELECT ${column} AS text FROM ${table}`)
          .toArray()
          .map((row) => String(row.text)),
      );
      expect(texts.every((rows) => rows.length > 0)).toBe(true);
      expect(store.bytes()).toBe(new TextEncoder().encode(texts.flat().join('')).length);
    }));

  it('[SO2] a record that is written again may be longer or shorter', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      for (const length of [2_000_000, 10, 600_000, 599_998, 599_997, 1_200_001, 300_001, 299_998, 0]) {
        const custom = 'x'.repeat(length);
        store.write([
          { put: 'custom', custom },
          { put: 'run', run: { ...RUN, runId: custom } },
        ]);
        store.keep({ position: 0, batch: { first: 1, chunks: chunks(1, custom), status: 'running', usage: NO_USAGE } });
        expect(store.load()).toMatchObject({ custom, run: { runId: custom } });
        expect(store.outbox()).toMatchObject([{ batch: { chunks: chunks(1, custom) } }]);
      }
      expect(reopen().load()).toMatchObject({ custom: '', run: { runId: '' } });
    }));
}

function slotSuite(withStore: WithStore): void {
  const take = (store: SqlAgentStore, id: number, className: string, segment: string, reuses = false) =>
    store.write([{ put: 'child', child: childRecord(id, className, segment), reuses }]);

  it('[DG9, SO4] numbers slots by class; those that are free again come first, lowest first, with their last generation', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      expect(store.slots('Leaf')).toEqual({ free: [], next: 1 });
      expect(store.nextChild()).toBe(1);
      for (const slot of [1, 2, 3, 4]) take(store, slot, 'Leaf', `${slot}~1`);
      take(store, 5, 'Other', '1~1');
      expect([store.slots('Leaf'), store.slots('Other')]).toEqual([
        { free: [], next: 5 },
        { free: [], next: 2 },
      ]);
      store.release([3, 2, 99]);
      const free = [
        { slot: 2, generation: 1 },
        { slot: 3, generation: 1 },
      ];
      const opened = reopen();
      expect(opened.slots('Leaf')).toEqual({ free, next: 5 });
      expect(opened.nextChild()).toBe(6);
      take(opened, 6, 'Leaf', '2~2', true);
      expect(opened.slots('Leaf')).toEqual({ free: [free[1]], next: 5 });
      opened.release([2]);
      expect(opened.slots('Leaf').free).toHaveLength(1);
      expect(opened.slot('Leaf', 2)).toEqual({ childId: 6, generation: 2, free: false });
    }));

  it('[DG9, SO4] tells who is in a slot, or was last, and lists those that are taken', () =>
    withStore(({ store }) => {
      store.create(state());
      take(store, 1, 'Leaf', '7~3');
      take(store, 2, 'Leaf', '8~1');
      store.release([2]);
      expect(store.slot('Leaf', 7)).toEqual({ childId: 1, generation: 3, free: false });
      expect(store.slot('Leaf', 8)).toEqual({ childId: 2, generation: 1, free: true });
      expect([store.slot('Leaf', 9), store.slot('Other', 7)]).toEqual([undefined, undefined]);
      expect([store.child(1), store.child(2)]).toEqual([childRecord(1, 'Leaf', '7~3'), undefined]);
      expect(store.children()).toEqual([childRecord(1, 'Leaf', '7~3')]);
    }));

  it('[DG25, SO4] finds a child by its name until it is released, and loads those whose task is open', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      const task = { number: 1, callId: 'c_x', stepId: 1, await: 'notice', deliver: 'notice', firstRun: 1 } as const;
      const facts = { lifetime: 'named', name: 'ada', task } as const;
      const named = childRecord(1, 'Leaf', 'ada', facts);
      let opened = store;
      const put = (child: Child) => {
        opened.write([{ put: 'child', child, reuses: false }]);
        opened = reopen();
      };
      put(named);
      expect([opened.named('ada'), opened.named('eve')]).toEqual([named, undefined]);
      expect(opened.load()?.children).toEqual(new Map([[1, named]]));
      const ended = { ...named, state: { is: 'ended', result: { success: true, value: 1 } } } as const;
      put(ended);
      expect(opened.load()?.children).toEqual(new Map());
      expect(opened.named('ada')).toEqual(ended);
      opened.release([1]);
      expect(opened.named('ada')).toBeUndefined();
    }));

  it('[CO2, CR1, SO4] tells which names are ahead of their numbers, and who is kept with a run', () =>
    withStore(({ store }) => {
      store.create(state());
      expect([store.namesAhead(), store.countLasting()]).toEqual([[], { count: 0 }]);
      const names = ['leaf-9', 'leaf-2', 'leaf-13', 'a-b-5', 'leaf-4', 'leaf-6x', 'leaf-07', 'ada', 'leaf-10'];
      for (const [index, name] of names.entries()) {
        const text = name === 'ada' ? '"'.repeat(MAX_TEXT) : '"ofRun":';
        const kept = index < 2 || name === 'ada' ? { ofRun: index + 1 } : {};
        const child = childRecord(index + 1, 'Leaf', name, { lifetime: 'named', name, agentType: text, ...kept });
        store.write([{ put: 'child', child, reuses: false }]);
      }
      expect(store.namesAhead()).toEqual(['leaf-13', 'leaf-10']);
      expect(store.countLasting()).toEqual({
        count: 9,
        example: 'a-b-5',
        ofRun: [
          { name: 'leaf-9', ofRun: 1 },
          { name: 'leaf-2', ofRun: 2 },
          { name: 'ada', ofRun: 8 },
        ],
      });
      store.release([1, 9]);
      expect([store.namesAhead(), store.countLasting().count]).toEqual([['leaf-13'], 7]);
    }));

  it('[CO31, SO5] counts those that were ended for good apart, and names one that lives', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      let opened = store;
      const put = (id: number, name: string, more: Partial<Child> = {}): void => {
        const child = childRecord(id, 'Leaf', name, { lifetime: 'named', name, ...more });
        opened.write([{ put: 'child', child, reuses: false }]);
      };
      const ended = { is: 'ended', result: { success: true, value: 1 } } as const;
      put(1, 'ada', { state: { ...ended, session: 'terminated' } });
      put(2, 'bob', { state: { ...ended, gone: true }, ofRun: 1 });
      put(3, 'cy', { state: { ...ended, session: 'completed' } });
      put(4, 'dan', { agentType: '"terminated' });
      const told = { count: 4, ended: 2, example: 'cy', ofRun: [{ name: 'bob', ofRun: 1, ended: true }] };
      expect(opened.countLasting()).toEqual(told);
      opened = reopen();
      opened.storage.sql.exec(`DELETE FROM receipts WHERE key = '["named"]'`);
      expect(opened.countLasting()).toEqual(told);
      // It begins anew under its name.
      put(1, 'ada', { state: { is: 'respawning', fresh: true } });
      expect(opened.countLasting()).toEqual({ ...told, ended: 1, example: 'ada' });
      opened.release([2]);
      expect(opened.countLasting()).toEqual({ count: 3, example: 'ada' });
    }));

  it('[SO5, CO2] tells the same of names whatever came before, as if all rows were counted: also after a try that failed', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      let opened = store;
      const there = new Map<number, string>();
      // The rows alone say it to a store that has no record of it, such as one of an older release.
      const agree = (): void => {
        const kept = [opened.countLasting(), opened.namesAhead()];
        opened = reopen();
        opened.storage.sql.exec(`DELETE FROM receipts WHERE key = '["named"]'`);
        expect(kept).toEqual([opened.countLasting(), opened.namesAhead()]);
        expect(kept).toMatchObject([{ count: there.size }, {}]);
      };
      const put = (id: number, name: string, more: Partial<Child> = {}): void => {
        const child = childRecord(id, 'Leaf', name, { lifetime: 'named', name, ...more });
        opened.write([{ put: 'child', child, reuses: false }]);
        there.set(id, name);
      };
      let last = 0;
      for (let turn = 1; turn <= 60; turn++) {
        const [oldest = 0] = there.keys();
        if (turn % 4 === 0 && there.size > 3) {
          opened.release([oldest]);
          there.delete(oldest);
        } else if (turn % 5 === 0) {
          put(oldest, there.get(oldest) ?? '', turn % 2 === 0 ? { ofRun: turn } : {});
        } else {
          last += 1;
          put(last, `leaf-${last + ((turn * 7) % 11)}`, turn % 3 === 0 ? { ofRun: turn } : {});
        }
        if (turn === 30) {
          const fails = (): never =>
            opened.transaction(() => {
              put(900, 'leaf-901');
              opened.release([last]);
              throw new Error('No.');
            });
          const before = new Map(there);
          expect(fails).toThrow('No.');
          there.clear();
          for (const [id, name] of before) there.set(id, name);
        }
        if (turn % 7 === 0) agree();
      }
      agree();
      opened.clear();
      there.clear();
      agree();
    }));

  it('[DG1, SO4] loads the children of calls that are open; one whose call has its result has ended with it', () =>
    withStore(({ store, reopen }) => {
      store.create(state());
      const children = [1, 2].map((id) => childRecord(id, 'Leaf', `${id}~1`));
      store.write([
        { put: 'run', run: RUN },
        { put: 'step', step: replied(1, [childCall(1, 'Leaf', 1), childCall(2, 'Leaf', 2)]) },
        ...children.map((child) => ({ put: 'child', child, reuses: false }) as const),
      ]);
      const opened = reopen();
      expect([...(opened.load()?.children.values() ?? [])]).toEqual(children);
      opened.write([{ put: 'settlement', stepId: 1, index: 1, settlement: SETTLED }]);
      expect([...(reopen().load()?.children.keys() ?? [])]).toEqual([2]);
    }));
}

function outboxSuite(withStore: WithStore): void {
  it('[OB1, SO4] keeps batches in the order of their numbers; a position that is used again is overwritten', () =>
    withStore(({ store, reopen }) => {
      const batch = (position: number, first: number): OutgoingBatch => ({
        position,
        batch: { first, chunks: chunks(2, `${first} `), status: 'running', usage: { ...NO_USAGE, modelCalls: first } },
      });
      expect(store.outbox()).toEqual([]);
      for (const [position, first] of [
        [0, 1],
        [1, 3],
        [2, 5],
        [0, 7],
      ] as const)
        store.keep(batch(position, first));
      expect(reopen().outbox()).toEqual([batch(1, 3), batch(2, 5), batch(0, 7)]);
    }));
}

function receiptSuite(withStore: WithStore): void {
  it('[SO4] remembers what was accepted under a key until it is too old', () =>
    withStore(({ store, reopen }) => {
      const receipt = { body: 'digest', answer: { status: 202, body: { runId: 'r' } } };
      store.addReceipt('key', receipt, 1_000, 500);
      const opened = reopen();
      expect(opened.receipt('key', 1_499)).toEqual(receipt);
      expect(opened.receipt('key', 1_500)).toBeUndefined();
      expect(opened.receipt('other', 1_000)).toBeUndefined();
      opened.addReceipt('key', { ...receipt, body: 'newer' }, 1_600, 500);
      expect(opened.receipt('key', 1_700)).toMatchObject({ body: 'newer' });
    }));

  it('[SO4] a later one removes those that are past their age, and no other', () =>
    withStore(({ store }) => {
      const receipt = (body: number) => ({ body: '', answer: { status: 202, body } });
      store.addReceipt('old', receipt(1), 0, 100);
      store.addReceipt('young', receipt(2), 0, 10_000);
      store.addReceipt('new', receipt(3), 5_000, 10_000);
      expect(['old', 'young', 'new'].map((key) => store.receipt(key, 0)?.answer.body)).toEqual([undefined, 2, 3]);
    }));
}

function transactionSuite(withStore: WithStore): void {
  it('[EG3, SO4] keeps all of a transaction or nothing', () =>
    withStore(({ store, reopen }) => {
      const failing = () =>
        store.transaction(() => {
          store.create(state({ custom: 'x'.repeat(700_000) }));
          store.write([{ put: 'message', message: message(1) }]);
          throw new Error('no');
        });
      expect(failing).toThrow('no');
      expect(store.load()).toBeUndefined();
      expect(store.messages({})).toEqual([]);
      const created = store.transaction(() => {
        store.create(state());
        return 7;
      });
      expect(created).toBe(7);
      expect(reopen().load()).toEqual(state());
    }));

  it('[EG3] a body that returns a promise is refused, and nothing of it is kept', () =>
    withStore(({ store }) => {
      const late = () =>
        store.transaction((): unknown => {
          store.create(state());
          return Promise.resolve();
        });
      expect(late).toThrow(/synchronous|promise/);
      expect(store.load()).toBeUndefined();
    }));
}
