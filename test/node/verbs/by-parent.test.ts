/** Verbs that a root performs through the parent of an agent: what that is told, what is answered, and what is kept of it. */
import { describe, expect, it } from 'vitest';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { VerbCall } from '../../../src/engine/object/object-calls';
import { segmentOf } from '../../../src/engine/tree-messages';
import { parseAddress } from '../../../src/protocol/address';
import { type ErrorCode, failure } from '../../../src/protocol/errors';
import type { JsonLike, JsonObject } from '../../../src/protocol/json';
import { decide, endedAsWaitedFor, restingNamed, waitedFor } from '../../../src/verbs/actions/failed-child';
import { answerVerb } from '../../../src/verbs/table';
import type { VerbName } from '../../../src/verbs/verb-types';
import { childNode, type NodeFacts, rootNode, STANDS } from '../../support/nodes';

const ROOT = '/agents/top/one';
const MIDDLE = `${ROOT}/sub/leaf/2~1`;
const AT = `${MIDDLE}/sub/leaf/3~1`;

/** What a parent answers. */
type Said = ErrorCode | 'done' | 'absent';

interface World {
  readonly node?: NodeFacts;
  /** What the record has of it once its parent was asked. */
  readonly later?: NodeFacts;
  readonly says?: Said | readonly Said[];
  /** What the agent itself answers; `done` otherwise. */
  readonly own?: ErrorCode | JsonObject;
  /** Its parent has heard that it failed. */
  readonly heard?: boolean;
}

const made = (facts: NodeFacts) => childNode(3, { parentId: 2, depth: 3, address: AT, ...facts });

/** A root with an agent two levels below it, and books of what is done. */
function world({ node = {}, later, says = 'done', own = {}, heard = true }: World) {
  const books = { sent: [] as unknown[], down: [] as unknown[], kept: [] as unknown[], waits: 0 };
  const receipts = new Map<string, object>();
  const indexOf = (one: NodeFacts) => new TreeIndex([rootNode(), childNode(2, { address: MIDDLE }), made(one)]);
  const answers = [says].flat();
  let isHeard = heard;
  const tree = {
    tree: indexOf(node),
    self: () => tree.tree.root(),
    isBeingRemoved: () => false,
    hasHandedOn: () => isHeard,
    until: async () => {
      books.waits++;
      isHeard = true;
      return true;
    },
    pending: () => [],
    log: { last: 7 },
  };
  const object = {
    isRoot: true,
    tree,
    agent: { state: { session: { address: ROOT } } },
    store: {
      transaction: (work: () => unknown) => work(),
      addAudit: (entry: object) => books.kept.push(['audit', entry]),
      addReceipt: (key: string, receipt: object) => {
        receipts.set(key, receipt);
        books.kept.push(['receipt', receipt]);
      },
      receipt: (key: string) => receipts.get(key),
    },
    environment: {
      now: () => 5,
      token: () => 't'.repeat(26),
      report: (...what: unknown[]) => expect.fail(String(what)),
    },
    childAt: () => ({ ok: true }),
    ports: { capabilities: [], topLevel: { name: 'one' } },
    async send(to: string, message: object) {
      books.sent.push([to, message]);
      if (later) tree.tree = indexOf({ ...node, ...later });
      const said = answers.length > 1 ? answers.shift() : answers[0];
      if (said === 'done' || said === 'absent') return { answer: said };
      return { answer: 'refused', error: failure(said as ErrorCode) };
    },
    async down(call: VerbCall) {
      books.down.push(call.verb);
      return typeof own === 'string' ? { ok: false, error: failure(own) } : { ok: true, status: 202, body: own };
    },
  } as unknown as ObjectRuntime;
  const call = (verb: VerbName, input: JsonLike, more: Partial<VerbCall> = {}): VerbCall => ({
    ...{ kind: 'verb', verb, path: parseAddress(AT).below.map(segmentOf), input, caller: 'ann', idempotencyKey: 'k' },
    ...more,
  });
  const ask = (verb: VerbName, input: JsonLike = {}, more: Partial<VerbCall> = {}) =>
    answerVerb(object, call(verb, input, more));
  return { object, books, ask, call };
}

const task = { childId: 3, task: 1 };
const unbegun: NodeFacts = { lastChunk: 0, schedule: STANDS.queued, status: 'queued', runNumber: 2 };
const failed: NodeFacts = { schedule: STANDS.ended, status: 'failed', task: { onFailure: 'wait' }, runNumber: 2 };
const interrupted: NodeFacts = { schedule: STANDS.ended, status: 'interrupted' };
const rests: NodeFacts = { schedule: STANDS.ended, status: 'completed' };

/** The entries of books: a receipt with its answer, and an audit. */
const kept = (status: number, body: unknown, entry: object, verb: string, detail: object = {}) => [
  ['receipt', { body: expect.any(String), answer: { status, body } }],
  ['audit', { at: 5, actor: 'ann', action: verb, detail: { address: AT, ...detail }, ...entry }],
];

describe('a stop through the parent', () => {
  const reasons = { interrupt: 'interrupt it', abort: 'abort it', terminate: 'terminate it' };
  const codes = { interrupt: 'interrupted', abort: 'aborted', terminate: 'terminated' };

  it.each(['interrupt', 'abort', 'terminate'] as const)('[A32, SP8] of one that has not begun: %s', async (verb) => {
    for (const [input, reason] of [
      [{}, `Ann asked to ${reasons[verb]}.`],
      [{ reason: 'Enough.' }, 'Enough.'],
    ] as const) {
      const status = codes[verb] === 'aborted' ? 'failed' : (codes[verb] as 'interrupted' | 'terminated');
      const { books, ask } = world({ node: unbegun, later: { schedule: STANDS.ended, status } });
      const answer = await ask(verb, input);
      const [[to, message] = []] = books.sent as [string, { error: { message: string } }][];
      const said = message?.error.message ?? '';
      expect([to, message]).toMatchObject([MIDDLE, { type: 'child_stop', task, verb }]);
      expect(said.toLowerCase()).toBe(reason.toLowerCase());
      const body = { runId: expect.any(String), status };
      expect(answer).toEqual({ ok: true, status: 202, body });
      expect(books.kept).toEqual(kept(202, body, { runId: expect.any(String) }, verb, { reason: said }));
      expect(books.down).toEqual([]);
    }
  });

  it('[A32] of one that has not begun says how it is by then, and of a hard stop no interrupt that could be resumed', async () => {
    for (const [verb, later, status] of [
      ['interrupt', interrupted, 'interrupted'],
      ['abort', interrupted, 'queued'],
      ['terminate', interrupted, 'queued'],
      ['abort', undefined, 'queued'],
      ['abort', { ...rests, status: 'failed' }, 'failed'],
    ] as const) {
      const found = world({ node: unbegun, ...(later ? { later } : {}) });
      expect([verb, await found.ask(verb)]).toMatchObject([verb, { status: 202, body: { status } }]);
    }
  });

  it('[SP10] of another run than the one that is to begin is refused, and its parent is not asked', async () => {
    const known = world({ node: unbegun });
    const first = (await known.ask('abort')) as { body: { runId: string } };
    for (const [runId, code] of [
      [first.body.runId, undefined],
      [`${first.body.runId}0`, 'run_superseded'],
    ] as const) {
      const { ask, books } = world({ node: unbegun });
      const answer = await ask('abort', { runId });
      expect([answer.ok ? undefined : answer.error.code, books.sent.length]).toEqual([code, code ? 0 : 1]);
    }
  });

  it.each([
    ['max_children', 'max_children'],
    ['absent', 'unavailable'],
  ] as const)('[A32] whose parent answers %s is refused as %s, and nothing is kept', async (says, code) => {
    const { ask, books } = world({ node: unbegun, says });
    expect(await ask('abort')).toMatchObject({ ok: false, error: { code } });
    expect(books.kept).toEqual([]);
  });

  it('[A64, DG24] of one that failed and is waited for is a decision: its failure is the result', async () => {
    const { ask, books } = world({ node: failed });
    const answer = await ask('abort', { reason: 'Enough.' });
    const body = { runId: expect.any(String), status: 'failed' };
    expect(books.sent).toEqual([[MIDDLE, { type: 'child_decided', task, decision: 'give_up' }]]);
    expect(answer).toEqual({ ok: true, status: 202, body });
    expect(books.kept).toEqual(kept(202, body, { runId: expect.any(String) }, 'abort', { reason: 'Enough.' }));
    // Nobody waits for it any more: nothing changes, and nothing is kept.
    for (const says of ['superseded', 'absent'] as const) {
      const late = world({ node: failed, says });
      expect(await late.ask('abort')).toEqual({ ok: true, status: 200, body });
      expect(late.books.kept).toEqual([]);
    }
    expect(await world({ node: failed, says: 'terminated' }).ask('abort')).toMatchObject({
      error: { code: 'terminated' },
    });
  });

  it('[CO30] for good of a named agent at rest is told to its parent, once it was taken', async () => {
    const named = { lifetime: 'named' } as const;
    const gone = { type: 'child_gone', task, error: { code: 'terminated' } };
    for (const [node, verb, own, expected] of [
      [{ ...rests, ...named }, 'terminate', {}, [gone]],
      [{ ...rests, ...named }, 'terminate', 'unavailable', []],
      [{ ...rests, ...named }, 'abort', {}, []],
      [rests, 'terminate', {}, []],
      [named, 'terminate', {}, []],
    ] as const) {
      const { ask, books } = world({ node, own: typeof own === 'string' ? own : { status: 'terminated' } });
      await ask(verb, { reason: 'Enough.' });
      const told = (books.sent as [string, { type: string }][]).filter(([, { type }]) => type === 'child_gone');
      expect([node, verb, own, told.map(([to]) => to)]).toEqual([node, verb, own, expected.map(() => MIDDLE)]);
      expect(told.map(([, message]) => message)).toMatchObject(expected);
    }
  });
});

describe('another try through the parent', () => {
  it('[A33, RS1] resumes an interrupted agent by its task, and says where its log continues', async () => {
    for (const [later, status] of [
      [{ schedule: STANDS.working, status: 'running', lastChunk: 2 }, 'running'],
      // Between two runs it waits for its slot.
      [undefined, 'queued'],
      [{ schedule: STANDS.working, status: 'running' }, 'running'],
      [{ lastChunk: 2 }, 'interrupted'],
    ] as const) {
      const { ask, books } = world({ node: interrupted, ...(later ? { later } : {}) });
      const body = { sessionId: 's_3', address: AT, status, streamUrl: `${AT}/stream?from=8` };
      expect([later, await ask('resume')]).toEqual([later, { ok: true, body }]);
      expect(books.sent).toEqual([[MIDDLE, { type: 'child_resume', task }]]);
      expect(books.kept).toEqual(kept(202, body, {}, 'resume'));
    }
  });

  it('[A64, DG23] tries a failed agent again, with a message of its own if one is given', async () => {
    const message = { messageId: 'm_tttttttttttttttttttttttttt', role: 'user', content: 'Again.', from: 'caller' };
    for (const [input, told, more] of [
      [{}, {}, {}],
      [{ message: 'Again.' }, { message }, { messageId: message.messageId }],
    ] as const) {
      const later: NodeFacts = { schedule: STANDS.queued, status: 'queued', runNumber: 3 };
      const { ask, books } = world({ node: failed, later });
      const body = {
        ...{ sessionId: 's_3', address: AT, status: 'queued', streamUrl: `${AT}/stream?from=8` },
        ...{ runId: expect.any(String), ...more },
      };
      const answer = (await ask('retry', input)) as { body: { runId: string } };
      expect(answer).toEqual({ ok: true, body });
      expect(books.sent).toMatchObject([[MIDDLE, { type: 'child_decided', task, decision: 'retry', ...told }]]);
      expect(Object.hasOwn((books.sent as [string, object][])[0]?.[1] ?? {}, 'message')).toBe('message' in told);
      expect(books.kept).toEqual(kept(202, body, { runId: answer.body.runId }, 'retry'));
      // It is the next run, not the one that failed.
      const stopped = (await world({ node: failed }).ask('abort')) as { body: { runId: string } };
      expect(answer.body.runId).not.toBe(stopped.body.runId);
    }
    for (const says of ['absent', 'terminated'] as const) {
      const { ask, books } = world({ node: failed, says });
      expect(await ask('retry')).toMatchObject({ ok: false });
      expect(books.kept).toEqual([]);
    }
  });

  it('[A64, A70] is decided once more only where the parent had not heard that it failed', async () => {
    for (const [heard, says, node, times] of [
      [true, 'already_running', failed, 1],
      [false, ['already_running', 'done'], failed, 2],
      [false, ['run_superseded', 'done'], failed, 2],
      [false, 'done', failed, 1],
      [false, 'terminated', failed, 1],
      [false, 'absent', failed, 1],
      [false, ['already_running', 'done'], { ...failed, status: 'terminated' }, 2],
      // Nobody waits for it.
      [false, 'already_running', { ...failed, task: {} }, 1],
      [false, 'already_running', { ...failed, status: 'interrupted' }, 1],
    ] as const) {
      const { object, books } = world({ node, heard, says });
      const answer = await decide(object, made(node), 'give_up');
      const last = [says].flat().at(-1);
      expect([heard, says, node, books.sent.length, books.waits, answer?.code]).toEqual([
        ...[heard, says, node, times, times - 1],
        last === 'done' ? undefined : last === 'absent' ? 'superseded' : last,
      ]);
    }
  });
});

describe('an agent below a root', () => {
  it('[A64, CO30] is waited for, was ended as such, or rests under its name: by its record alone', () => {
    const wait = { task: { onFailure: 'wait' } } as const;
    const named = { lifetime: 'named' } as const;
    const abandoned = { phase: 'ended', timeLeft: 1, end: { by: 'abandoned', at: 1 } } as const;
    for (const [node, expected] of [
      [failed, ['waited for']],
      [{ ...failed, ...named }, ['waited for', 'rests']],
      [{ ...failed, schedule: abandoned }, []],
      [{ ...failed, schedule: STANDS.working }, []],
      [{ ...failed, task: {} }, []],
      [{ ...failed, task: {}, ...named }, ['rests']],
      [{ ...rests, status: 'terminated', ...wait }, ['ended']],
      [{ ...rests, status: 'terminated', ...wait, ...named }, ['ended']],
      [{ ...rests, status: 'terminated' }, []],
      [{ ...rests, ...wait }, []],
      [{ ...rests, ...named }, ['rests']],
      [named, []],
      [{ ...interrupted, ...named }, []],
    ] as const satisfies readonly (readonly [NodeFacts, readonly string[]])[]) {
      const { object, call } = world({ node });
      const found = (at: VerbCall) => [
        ...(waitedFor(object, at) ? ['waited for'] : []),
        ...(endedAsWaitedFor(object, at) ? ['ended'] : []),
        ...(restingNamed(object, at) ? ['rests'] : []),
      ];
      expect([node, found(call('abort', {}))]).toEqual([node, expected]);
      expect(found(call('abort', {}, { path: [] }))).toEqual([]);
      expect(found(call('abort', {}, { path: parseAddress(`${MIDDLE}/sub/leaf/9~1`).below.map(segmentOf) }))).toEqual(
        [],
      );
      Object.assign(object, { isRoot: false });
      expect(found(call('abort', {}))).toEqual([]);
    }
  });
});

describe('a message that is taken back', () => {
  const named: NodeFacts = { ...rests, lifetime: 'named' };
  const back = { path: 'm_1' };

  it('[DL8, DL10] of a companion lies with the agent, or with its parent, whichever has it', async () => {
    const asked = [MIDDLE, { type: 'take_back', name: '3~1', messageId: 'm_1' }];
    for (const [node, own, says, sent, code] of [
      [named, {}, 'done', [], undefined],
      [named, 'not_found', 'done', [asked], undefined],
      [named, 'never_began', 'done', [asked], undefined],
      [named, 'already_delivered', 'done', [], 'already_delivered'],
      [named, 'not_cancellable', 'done', [], 'not_cancellable'],
      [named, 'not_found', 'not_found', [asked], 'not_found'],
      // The agent itself says more of one that nobody has.
      [named, 'never_began', 'not_found', [asked], 'never_began'],
      [named, 'not_found', 'already_delivered', [asked], 'already_delivered'],
      [named, 'not_found', 'absent', [asked], 'unavailable'],
      [rests, 'not_found', 'done', [], 'not_found'],
    ] as const) {
      const { ask, books } = world({ node, own, says });
      const answer = await ask('cancelMessage', back);
      expect([own, says, books.sent, answer.ok ? undefined : answer.error.code]).toEqual([own, says, sent, code]);
    }
  });

  it('[DL9] is kept with its going: who asks again, under whatever key, is answered as at first', async () => {
    const { ask, books } = world({ node: named, own: 'not_found' });
    expect(await ask('cancelMessage', back)).toEqual({ ok: true, body: {} });
    const [first, ...entries] = books.kept;
    expect(first).toEqual(['receipt', { body: '', answer: { status: 204, body: {} } }]);
    expect(entries).toEqual(kept(204, {}, {}, 'cancelMessage', { messageId: 'm_1' }));
    for (const idempotencyKey of ['k', 'other'])
      expect(await ask('cancelMessage', back, { idempotencyKey })).toMatchObject({ ok: true, body: {} });
    expect([books.sent.length, books.kept.length]).toEqual([1, 3]);
    // Another message of the same agent is another matter.
    await ask('cancelMessage', { path: 'm_2' }, { idempotencyKey: 'third' });
    expect(books.sent.length).toBe(2);
  });
});
