/** Receipts and entries of the audit: what is kept of every request, and which requests are one. */
import { expect, it } from 'vitest';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbCall } from '../../../src/engine/object/object-calls';
import { IDEMPOTENCY_MS } from '../../../src/protocol/data-limits';
import type { JsonObject } from '../../../src/protocol/json';
import * as receipts from '../../../src/verbs/receipts';

const NOW = 1_000_000;

/** An object that keeps receipts and an audit, and whose directory knows deletions. */
function objectOf({ createdAt = NOW, isRoot = true }: { createdAt?: number | undefined; isRoot?: boolean } = {}) {
  const kept = new Map<string, { body: string; answer: { status: number; body: never }; until: number }>();
  const audit: JsonObject[] = [];
  const clock = { now: NOW };
  const asked: unknown[] = [];
  const deletions = { known: false, error: undefined as Error | undefined };
  const object = {
    isRoot,
    environment: { now: () => clock.now, report: () => undefined },
    agent: { state: { session: { address: '/agents/top/one', createdAt } } },
    ports: {
      topLevel: { name: 'one' },
      directory: () => ({
        async wasDeleted(...given: unknown[]) {
          asked.push(given);
          if (deletions.error) throw deletions.error;
          return deletions.known;
        },
      }),
    },
    store: {
      addAudit: (entry: JsonObject) => void audit.push(entry),
      addReceipt: (key: string, row: { body: string; answer: never }, now: number, ms: number) =>
        void kept.set(key, { ...row, until: now + ms }),
      receipt(key: string, now: number) {
        const row = kept.get(key);
        return row && row.until > now ? row : undefined;
      },
    },
  };
  return { object: object as unknown as ObjectRuntime, audit, clock, asked, deletions };
}

const sub = { className: 'Leaf', addressClass: 'leaf', name: '1~1' } as VerbCall['path'][number];
const callOf = (facts: Partial<VerbCall> = {}): VerbCall => ({
  ...{ kind: 'verb', path: [], verb: 'send', input: { content: 'Go' }, caller: 'ann', idempotencyKey: 'k' },
  ...facts,
});

/** Pairs of calls, and whether the second is the first one repeated, another one, or one that its key forbids. */
const PAIRS: readonly (readonly [string, Partial<VerbCall>, Partial<VerbCall>, 'same' | 'new' | 'conflict'])[] = [
  ['the same', {}, {}, 'same'],
  ['the same fields in another order', { input: { a: 1, b: 2 } }, { input: { b: 2, a: 1 } }, 'same'],
  ['another body', {}, { input: { content: 'Stop' } }, 'conflict'],
  ['another key', {}, { idempotencyKey: 'l' }, 'new'],
  ['no key', {}, { idempotencyKey: undefined as never }, 'new'],
  ['another verb', {}, { verb: 'start' }, 'new'],
  ['another caller', {}, { caller: 'eve' }, 'new'],
  ['another caller, where the key counts for all', { sharesKey: true }, { sharesKey: true, caller: 'eve' }, 'same'],
  ['another caller, where the key counts for all of one alone', {}, { sharesKey: true }, 'new'],
  ['another agent', {}, { path: [sub] }, 'new'],
  ['another agent below', { path: [sub] }, { path: [{ ...sub, name: '2~1' }] }, 'new'],
  ['another value of a variable', { input: { env: { K: 'a' } } }, { input: { env: { K: 'b' } } }, 'same'],
  ['another variable', { input: { env: { K: 'a' } } }, { input: { env: { L: 'a' } } }, 'conflict'],
  ['a variable taken back', { input: { env: { K: 'a' } } }, { input: { env: { K: null } } }, 'conflict'],
];

it.each(PAIRS)('[A18, A19] of two requests, the second with %s: %3$s', (_what, first, second, expected) => {
  for (const write of ['remember', 'keep'] as const) {
    const { object, clock } = objectOf();
    const before = receipts.requestRecordOf(object, callOf(first));
    expect(before.known).toBeUndefined();
    before[write](202, { messageId: 'm_1' });
    const outcome = () => {
      const { known } = receipts.requestRecordOf(object, callOf(second));
      if (known === undefined) return 'new';
      if (!known.ok) return known.error.code === 'idempotency_conflict' ? 'conflict' : known.error.code;
      expect(known).toEqual({ ok: true, status: 202, body: { messageId: 'm_1' } });
      return 'same';
    };
    expect(outcome()).toBe(expected);
    clock.now += IDEMPOTENCY_MS - 1;
    expect(outcome()).toBe(expected);
    clock.now += 1;
    expect(outcome()).toBe('new');
  }
});

it('[A18] a root answers again for an agent below it what it has answered, and only a root', () => {
  for (const isRoot of [true, false])
    for (const path of [[], [sub]]) {
      const { object } = objectOf({ isRoot });
      const call = callOf({ path });
      receipts.requestRecordOf(object, call).keep(202, {});
      expect([isRoot, path.length, receipts.knownAtRoot(object, call) !== undefined]).toEqual([
        ...[isRoot, path.length, isRoot && path.length > 0],
      ]);
    }
});

it('[A39] the audit has who did what, when, to which agent and run, and nothing else', () => {
  const entries = [undefined, {}, { runId: 'r_1' }, { detail: { a: 1 } }, { runId: 'r_1', detail: { a: 1 } }];
  for (const caller of [undefined, '', 'ann'])
    for (const path of [[], [sub]])
      for (const entry of entries)
        for (const write of ['remember', 'note', 'keep'] as const) {
          const { object, audit } = objectOf();
          const { runId, detail }: receipts.AuditDetail = entry ?? {};
          const record = receipts.requestRecordOf(object, callOf({ caller: caller as never, path }));
          if (write === 'keep') record.keep(200, {});
          else if (write === 'note') record.note(entry);
          else record.remember(200, {}, entry);
          const told = { ...(path.length > 0 ? { address: '/agents/top/one/sub/leaf/1~1' } : {}), ...detail };
          expect(audit).toEqual(
            write === 'keep'
              ? []
              : [
                  {
                    ...{ at: NOW, actor: caller || 'anonymous', action: 'send', ...(runId ? { runId } : {}) },
                    ...(Object.keys(told).length > 0 ? { detail: told } : {}),
                  },
                ],
          );
        }
});

it('[A101] a start is known by its key, by whom it began, and not before it came; one that was stopped begins nothing', () => {
  const { object, clock } = objectOf();
  const start = callOf({ verb: 'start', input: { message: 'Go' } });
  const stop = callOf({ verb: 'abort', input: { start: 'k' }, idempotencyKey: 'of the stop' });
  expect(receipts.startUnder(object, stop, 'k')).toBeUndefined();
  const accepted = { sessionId: 's', runId: 'r_1', status: 'running', address: '/agents/top/one', streamUrl: '/s' };
  receipts.requestRecordOf(object, start).remember(202, accepted);
  expect(receipts.startUnder(object, stop, 'k')).toEqual({ runId: 'r_1' });
  expect(receipts.startUnder(object, stop, 'l')).toBeUndefined();
  expect(receipts.startUnder(object, { ...stop, caller: 'eve' }, 'k')).toBeUndefined();
  receipts.refuseStart(object, stop, 'l');
  expect(receipts.startUnder(object, stop, 'l')).toEqual({});
  const late = receipts.requestRecordOf(object, { ...start, idempotencyKey: 'l' });
  expect(late.known).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
  expect(() => receipts.firstAcceptance(late, {} as never)).toThrow(/cancelled before it arrived/);
  clock.now += IDEMPOTENCY_MS;
  expect([receipts.startUnder(object, stop, 'k'), receipts.startUnder(object, stop, 'l')]).toEqual([
    undefined,
    undefined,
  ]);
});

it('[A113] a start is known for 30 days by its body, whoever sent it', () => {
  const { object, clock } = objectOf();
  const accepted = { sessionId: 's', runId: 'r_1', status: 'running', address: '/agents/top/one', streamUrl: '/s' };
  receipts.keepStartWith(object, { message: 'Go', tags: ['a'] }, accepted);
  expect(receipts.startWith(object, { tags: ['a'], message: 'Go' })).toEqual(accepted);
  expect(receipts.startWith(object, { message: 'Go' })).toBeUndefined();
  clock.now += 30 * IDEMPOTENCY_MS - 1;
  expect(receipts.startWith(object, { message: 'Go', tags: ['a'] })).toEqual(accepted);
  clock.now += 1;
  expect(receipts.startWith(object, { message: 'Go', tags: ['a'] })).toBeUndefined();
});

it('[A52] what a request has begun at a root that was deleted it does not begin again: the directory is asked where it may know', async () => {
  const outcome = async (call: VerbCall, given: Parameters<typeof objectOf>[0] = {}, error?: Error) => {
    const { object, asked, deletions } = objectOf(given);
    Object.assign(deletions, { known: true, error });
    const code = await receipts.refuseDeleted(object, call).then(
      () => 'taken',
      (thrown) => thrown.failure.code,
    );
    return [asked.length, code];
  };
  expect(await outcome(callOf())).toEqual([1, 'gone']);
  expect(await outcome(callOf(), {}, new Error('Away.'))).toEqual([1, 'unavailable']);
  expect(await outcome(callOf({ idempotencyKey: undefined as never }))).toEqual([0, 'taken']);
  expect(await outcome(callOf({ path: [sub] }))).toEqual([0, 'taken']);
  expect(await outcome(callOf(), { isRoot: false })).toEqual([0, 'taken']);
  // A root that is as old as what the directory remembers has nothing before it.
  expect(await outcome(callOf(), { createdAt: NOW - IDEMPOTENCY_MS })).toEqual([0, 'taken']);
  expect(await outcome(callOf(), { createdAt: NOW - IDEMPOTENCY_MS + 1 })).toEqual([1, 'gone']);
});
